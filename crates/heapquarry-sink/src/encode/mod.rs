//! Record batches to row groups: compressed pages in memory.
//!
//! Every column has an encoder for the shape of its values ([`heapquarry_tables::Shape`]) and the form of its array
//! ([`column`] selects it). Encoders append pages to a column chunk ([`chunk`]), which the file writer later copies to
//! its position.

mod bitpack;
mod bounds;
mod chunk;
mod codec;
mod column;
mod constant;
mod delta;
mod float;
mod index;
mod int;
mod integer;
mod intern;
mod label;
mod levels;
mod page;
mod reference;
mod rle;
mod rows;
mod runs;
mod sequence;
mod text;
mod varint;

use crate::{Compression, Error, WriteOptions, schema};
use arrow_array::RecordBatch;
use arrow_buffer::NullBuffer;
use bytes::Bytes;
pub(crate) use chunk::{Chunk, ChunkPages};
use chunk::{ChunkWriter, Pages};
use codec::Codec;
use column::ColumnEncoder;
use heapquarry_tables::{Columns, Table, pool::Pool};
use intern::Interner;
use parquet::schema::types::SchemaDescPtr;
use std::{collections::HashMap, ops::Range};

/// Maximum memory that is kept for the next batch, after a batch with a huge text.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Turns batches into row groups. Each worker has its own, with a compressor and scratch memory that are reused.
pub struct Encoder {
    options: WriteOptions,
    /// Schemas, by table and columns of its batches.
    schemas: HashMap<(&'static str, Columns), SchemaDescPtr>,
    codec: Codec,
    /// The current page.
    body: Vec<u8>,
    /// Memory of row groups.
    pool: Pool<u8>,
    scratch: Scratch,
}

/// Memory that encoders reuse.
struct Scratch {
    /// Distinct integers of a chunk.
    numbers: Interner,
    /// Distinct keys of a chunk.
    texts: Interner,
    /// Dictionary indices of the non-null rows.
    indices: Vec<u32>,
    /// The dictionary indices of the last text column.
    text_indices: Vec<u32>,
    /// The pages of the last text column, if all rows are in its dictionary.
    text_pages: Option<TextPages>,
    /// Keys of the non-null rows.
    keys: Vec<i32>,
}

/// The data pages of a text column. A column of string indices repeats where its text column does, so it can have the
/// same pages.
struct TextPages {
    nullable: bool,
    /// `None` if there are no nulls.
    nulls: Option<NullBuffer>,
    /// Address range of the keys: a column of numbers at the same addresses is the same column.
    keys: Range<usize>,
    /// The keys in the dictionary.
    dictionary: Vec<i32>,
    pages: Pages,
}

impl Encoder {
    /// An encoder for these options.
    pub fn new(options: &WriteOptions) -> Self {
        Encoder {
            options: *options,
            schemas: HashMap::new(),
            codec: Codec::new(options.compression),
            body: Vec::new(),
            pool: Pool::default(),
            scratch: Scratch {
                numbers: Interner::default(),
                texts: Interner::default(),
                indices: Vec::new(),
                text_indices: Vec::new(),
                text_pages: None,
                keys: Vec::new(),
            },
        }
    }

    /// Encodes one batch, of all columns or some, as one row group of `table`. The columns can have any form that
    /// [`Table::batch`] accepts. The result depends only on the batch and the options, not on earlier batches.
    ///
    /// # Errors
    /// If Parquet cannot hold a value: a text of 2 GiB, or a null in a non-nullable column.
    ///
    /// # Panics
    /// If the batch is not one of that table.
    pub fn encode(
        &mut self,
        table: &'static Table,
        batch: &RecordBatch,
    ) -> Result<RowGroup, Error> {
        let rows = batch.num_rows();
        let present = table.columns_of(batch);
        if rows == 0 {
            return Ok(RowGroup { rows, bytes: Bytes::new(), chunks: Vec::new() });
        }
        let schema = match self.schemas.get(&(table.name, present)) {
            Some(schema) => schema.clone(),
            None => {
                let schema = schema::descriptor(&table.schema_of(present))?;
                self.schemas.insert((table.name, present), schema.clone());
                schema
            }
        };
        let mut chunks = Vec::with_capacity(batch.num_columns());
        let mut out = self.pool.take(0);
        self.scratch.text_pages = None;
        let columns = present.of(table).map(|at| &table.columns[at]);
        let columns = columns.zip(batch.columns()).zip(schema.columns());
        for ((column, array), descriptor) in columns {
            let chunk = ChunkWriter::new(
                table,
                column,
                self.options.encodings,
                descriptor.clone(),
                &mut self.codec,
                [&mut self.body, &mut out],
            );
            let encoder = ColumnEncoder { scratch: &mut self.scratch, chunk };
            chunks.push(encoder.encode(array)?);
        }
        self.scratch.text_pages = None;
        self.body.clear();
        self.body.shrink_to(MAX_KEPT_BYTES);
        self.codec.shrink_to(MAX_KEPT_BYTES);
        Ok(RowGroup { rows, bytes: self.bytes(out), chunks })
    }

    /// Memory for a row group.
    pub(crate) fn memory(&self, capacity: usize) -> Vec<u8> {
        self.pool.take(capacity)
    }

    /// The bytes of a row group. Their [memory](Self::memory) is used again when they are dropped.
    pub(crate) fn bytes(&self, memory: Vec<u8>) -> Bytes {
        match memory.capacity() > MAX_KEPT_BYTES {
            true => memory.into(),
            false => self.pool.bytes(memory),
        }
    }

    /// Encodes one batch like [`encode`](Self::encode), without compression.
    pub(crate) fn encode_plain(
        &mut self,
        table: &'static Table,
        batch: &RecordBatch,
    ) -> Result<RowGroup, Error> {
        let codec = std::mem::replace(&mut self.codec, Codec::new(Compression::None));
        let group = self.encode(table, batch);
        self.codec = codec;
        group
    }
}

/// A row group of a table, encoded and compressed.
pub struct RowGroup {
    pub(crate) rows: usize,
    /// The pages of all its chunks.
    pub(crate) bytes: Bytes,
    /// One for each column; empty if there are no rows.
    pub(crate) chunks: Vec<Chunk>,
}

impl RowGroup {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Size of its pages in bytes, which is about the memory that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
