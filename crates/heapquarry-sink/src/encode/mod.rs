//! Record batches to row groups: compressed pages in memory.
//!
//! Every column has an encoder that fits what its values are like ([`heapquarry_tables::Shape`]) and the form
//! in which they come ([`column`] chooses). Encoders append pages to a column chunk ([`chunk`]), which the
//! file writer later copies to its place.

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

use crate::{Error, WriteOptions, schema};
use arrow_array::RecordBatch;
use arrow_buffer::NullBuffer;
use bytes::Bytes;
pub(crate) use chunk::Chunk;
use chunk::{ChunkWriter, Pages};
use codec::Codec;
use column::ColumnEncoder;
use heapquarry_tables::{Columns, Table, pool::Pool};
use intern::Interner;
use parquet::schema::types::SchemaDescPtr;
use std::{collections::HashMap, ops::Range};

/// Numbers below this are given their place in a dictionary without hashing.
const DIRECT: usize = 1 << 16;

/// Most bytes that are kept for the next batch, after one with a huge text.
const KEPT: usize = 32 << 20;

/// Turns batches into row groups. Each worker has its own: it holds a compressor and scratch memory that are
/// used again and again.
pub struct Encoder {
    options: WriteOptions,
    /// Of batches with these columns of a table.
    schemas: HashMap<(&'static str, Columns), SchemaDescPtr>,
    codec: Codec,
    /// The page in the making.
    body: Vec<u8>,
    /// Memory of row groups.
    pool: Pool<u8>,
    scratch: Scratch,
}

/// Memory that encoders use again and again.
struct Scratch {
    /// Distinct integers of a chunk.
    numbers: Interner,
    /// Distinct keys of a chunk.
    texts: Interner,
    /// Places in the dictionary, for each row that is not null.
    indices: Vec<u32>,
    /// The same of the last text column.
    text_indices: Vec<u32>,
    /// Its pages, if all rows are in its dictionary.
    text_pages: Option<TextPages>,
    /// Keys without those of nulls.
    keys: Vec<i32>,
}

/// The data pages of a text column. A column of the strings' numbers, which repeat where the texts do, has the same.
struct TextPages {
    nullable: bool,
    /// None if there are none.
    nulls: Option<NullBuffer>,
    /// Where the keys are in memory: a column of numbers in the same place is the same.
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
                numbers: Interner::new(DIRECT),
                texts: Interner::new(0),
                indices: Vec::new(),
                text_indices: Vec::new(),
                text_pages: None,
                keys: Vec::new(),
            },
        }
    }

    /// One batch, of all columns or of some, as one row group of `table`. They may come in any form that [`Table::batch`]
    /// takes. The
    /// result depends on the batch and the options, not on what was encoded before.
    ///
    /// # Errors
    /// If Parquet cannot hold a value: a text of 2 GiB, or a null in a column that is not nullable.
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
        self.body.shrink_to(KEPT);
        self.codec.shrink_to(KEPT);
        let bytes = match out.capacity() > KEPT {
            true => out.into(),
            false => self.pool.bytes(out),
        };
        Ok(RowGroup { rows, bytes, chunks })
    }
}

/// A row group of a table, encoded and compressed.
pub struct RowGroup {
    pub(crate) rows: usize,
    /// The pages of all its chunks.
    pub(crate) bytes: Bytes,
    /// One for each column; none if there are no rows.
    pub(crate) chunks: Vec<Chunk>,
}

impl RowGroup {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Size of its pages in bytes, which is also about the memory it takes.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
