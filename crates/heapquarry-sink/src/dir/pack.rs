//! The rows of small documents, which share row groups.

use crate::{Encoder, Error, RowGroup, WriteOptions};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Field, Schema};
use arrow_select::concat::concat_batches;
use heapquarry_tables::{Table, Type, arrays, sync::unpoisoned};
use parquet::errors::ParquetError;
use std::sync::{Arc, Mutex};

/// Maximum number of rows of a shared row group, unless set otherwise.
const MAX_ROWS: usize = 128 << 10;
/// Number of batches that are copied together at a time, and maximum number of such copies. Each column of a batch
/// takes some hundred bytes besides its rows.
const FAN_IN: usize = 64;
/// Maximum number of bytes of text. A text that many rows refer to is copied for each of them.
const MAX_TEXT: u64 = 8 << 20;

/// The rows of complete documents.
#[derive(Default)]
pub(super) struct Pack {
    rows: usize,
    /// Bytes of text.
    text: u64,
    /// Copies of batches.
    copied: Vec<RecordBatch>,
    /// Batches that were not copied yet.
    batches: Vec<RecordBatch>,
}

impl Pack {
    /// Whether there are no rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds the rows of a document, and returns the batches that are complete.
    pub(super) fn add(
        &mut self,
        table: &Table,
        batch: RecordBatch,
        max_rows: usize,
    ) -> Result<Vec<RecordBatch>, Error> {
        let text = batch.columns().iter().map(arrays::text_bytes).sum::<u64>();
        let mut complete = Vec::new();
        if self.rows + batch.num_rows() > max_rows
            || self.text + text > MAX_TEXT
            || self.copied.len() == FAN_IN
        {
            complete.extend(self.take()?);
        }
        if text > MAX_TEXT {
            complete.push(batch);
            return Ok(complete);
        }
        self.rows += batch.num_rows();
        self.text += text;
        self.batches.push(plain(table, &batch)?);
        if self.batches.len() == FAN_IN {
            self.copied.push(concat(&self.batches)?);
            self.batches.clear();
        }
        Ok(complete)
    }

    /// Takes all rows as one batch; `None` if there are none.
    pub(super) fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        let Pack { rows, text: _, copied, batches } = std::mem::take(self);
        let all: Vec<RecordBatch> = copied.into_iter().chain(batches).collect();
        (rows > 0).then(|| concat(&all)).transpose()
    }
}

/// How rows are encoded, by calls on several threads.
pub(super) struct Encoders {
    options: WriteOptions,
    /// Maximum number of rows of a shared row group.
    pub(super) max_rows: usize,
    /// Row groups of fewer rows are not compressed.
    pub(super) min_compressed: usize,
    idle: Mutex<Vec<Encoder>>,
}

impl Encoders {
    pub(super) fn new(options: WriteOptions) -> Self {
        Encoders { options, max_rows: MAX_ROWS, min_compressed: 0, idle: Mutex::default() }
    }

    /// Encodes a batch as a row group.
    pub(super) fn encode(
        &self,
        table: &'static Table,
        batch: &RecordBatch,
    ) -> Result<RowGroup, Error> {
        let idle = unpoisoned(self.idle.lock()).pop();
        let mut encoder = idle.unwrap_or_else(|| Encoder::new(&self.options));
        let group = match batch.num_rows() < self.min_compressed {
            true => encoder.encode_plain(table, batch)?,
            false => encoder.encode(table, batch)?,
        };
        unpoisoned(self.idle.lock()).push(encoder);
        Ok(group)
    }
}

/// Batches of the same columns as one.
fn concat(batches: &[RecordBatch]) -> Result<RecordBatch, Error> {
    let schema = batches[0].schema_ref();
    concat_batches(schema, batches).map_err(refused)
}

/// The batch without runs and keys, which cannot be concatenated. Labels are plain text.
fn plain(table: &Table, batch: &RecordBatch) -> Result<RecordBatch, Error> {
    let present = table.columns_of(batch);
    let mut fields = Vec::with_capacity(batch.num_columns());
    let mut columns = Vec::with_capacity(batch.num_columns());
    for (column, array) in present.of(table).map(|at| &table.columns[at]).zip(batch.columns()) {
        let ty = if column.ty == Type::Label { Type::Text } else { column.ty };
        fields.push(Field::new(column.name, ty.arrow(), column.nullable));
        columns.push(arrays::expand(array, ty).map_err(refused)?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let schema = Arc::new(Schema::new(fields));
    RecordBatch::try_new_with_options(schema, columns, &options).map_err(refused)
}

fn refused(error: ArrowError) -> Error {
    ParquetError::from(error).into()
}
