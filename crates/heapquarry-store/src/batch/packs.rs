//! Packs: the tables of many inputs as one directory, made of directories that were written for a few inputs each.
//!
//! Large row groups are copied as they are stored. Small ones are read, and share row groups in the pack.

use super::folder::Pending;
use arrow_array::{
    ArrayRef, Int32Array, RecordBatch, RecordBatchOptions, cast::AsArray, types::Int32Type,
};
use arrow_select::concat::concat_batches;
use heapquarry::{
    ConvertOptions, Error, ErrorKind, Layout, Result, Sink, WrittenTable,
    engine::{ConvertedDir, Extent, ParquetSink, SHARED_ROWS, projection},
};
use heapquarry_formats::Gather;
use heapquarry_sink::{Encoder, TableReader};
use heapquarry_tables::{BATCH_INPUT, FileId, IMPORT_LOG, SOURCE, Table, arrays, sync::unpoisoned};
use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Mutex},
};

/// Columns with numbers of documents.
const DOCUMENTS: [&str; 2] = ["file_id", "trace_file_id"];

/// A table of a directory.
struct Part<'a> {
    dir: &'a Path,
    table: &'static Table,
    /// What its first document is called in the pack.
    first: FileId,
    /// Number of its first row group in the pack.
    number: u64,
}

/// Writes all rows of these directories to `output`, as one part. Documents are numbered over all of them.
pub(super) fn pack(
    pending: &[Pending],
    output: &Path,
    extent: Extent,
    options: &ConvertOptions,
) -> Result<Vec<WrittenTable>> {
    let projection = projection(&options.tables, &options.columns, options.analyze)?;
    let projection = projection.with(&[&BATCH_INPUT]);
    let options = &options.clone().layout(Layout::Hive);
    let mut sink = ParquetSink::create(output, options, projection, Gather::ForTables, extent)?;
    let mut documents = Vec::new();
    let mut firsts = Vec::new();
    for Pending { path, .. } in pending {
        let not_converted = || Error::new(ErrorKind::NotConverted(path.clone()));
        let dir = ConvertedDir::open(path)?.ok_or_else(not_converted)?;
        firsts.push(FileId::at(documents.len()));
        documents.extend(dir.documents(&options.run)?);
    }
    let tables = || heapquarry_tables::all().filter(|t| ![&SOURCE, &IMPORT_LOG].contains(t));
    let mut parts = VecDeque::new();
    for table in tables().filter(|table| sink.projection().wants(table)) {
        let mut number = 0;
        for (pending, &first) in pending.iter().zip(&firsts) {
            let Some(row_groups) = pending.row_groups.get(table.name) else { continue };
            sink.expect(&[table])?;
            parts.push_back(Part { dir: &pending.path, table, first, number });
            number += row_groups;
        }
    }
    write(&sink, parts, options)?;
    sink.end(FileId(0), &documents)?;
    Ok(sink.finish(options)?.1)
}

/// Writes all parts, on all threads. Workers take them in order, so none waits for one that nobody has.
fn write(sink: &ParquetSink, parts: VecDeque<Part<'_>>, options: &ConvertOptions) -> Result<()> {
    let most = parts.len();
    let parts = Mutex::new(parts);
    let work = || -> Result<()> {
        let mut encoder = sink.encoder();
        loop {
            let next = unpoisoned(parts.lock()).pop_front();
            let Some(part) = next else { return Ok(()) };
            if options.run.cancel.is_cancelled() {
                return Err(Error::new(ErrorKind::Cancelled));
            }
            part.write(sink, &mut encoder)?;
        }
    };
    // Other workers may wait for the row group of a failed one: cancelling wakes them.
    let work = || work().inspect_err(|_| sink.cancel());
    Error::cause(options.run.on_threads(most, work))
}

impl Part<'_> {
    fn write(&self, sink: &ParquetSink, encoder: &mut Encoder) -> Result<()> {
        let Some(stored) = TableReader::open_for_copies(self.dir, self.table)? else {
            return Ok(());
        };
        for (group, number) in (0..stored.row_groups()).zip(self.number..) {
            let columns = stored.columns();
            if stored.rows_of(group) < SHARED_ROWS as u64 {
                let batch = self.read(&stored, group, &columns)?;
                sink.append_rows(self.table, number, batch)?;
                continue;
            }
            let ids: Vec<&str> =
                columns.into_iter().filter(|column| DOCUMENTS.contains(column)).collect();
            let replaced = match self.first == FileId(0) || ids.is_empty() {
                true => None,
                false => match self.constants(&stored, group, &ids) {
                    Some(columns) => Some(columns),
                    None => Some(self.read(&stored, group, &ids)?),
                },
            };
            let copy = stored.copy(group, replaced.as_ref(), encoder)?;
            sink.append(self.table, number, copy)?;
        }
        Ok(())
    }

    /// Numbers of documents as in the pack, if all rows of the row group have the same ones.
    fn constants(&self, stored: &TableReader, group: usize, ids: &[&str]) -> Option<RecordBatch> {
        let rows = usize::try_from(stored.rows_of(group)).ok()?;
        let columns = ids.iter().map(|id| {
            let constant = stored.constant(group, id)?;
            let numbered = constant.map(|id| id.saturating_add(self.first.0));
            Some((*id, arrays::constant_i32(numbered, rows)))
        });
        RecordBatch::try_from_iter(columns.collect::<Option<Vec<_>>>()?).ok()
    }

    /// Columns of a row group, with documents numbered as in the pack.
    fn read(&self, stored: &TableReader, group: usize, columns: &[&str]) -> Result<RecordBatch> {
        let mut batches = Vec::new();
        stored.read(group, columns, &mut |batch| batches.push(batch))?;
        let Some(first) = batches.first() else {
            return Ok(RecordBatch::new_empty(self.table.schema()));
        };
        let batch = concat_batches(&first.schema(), &batches)
            .map_err(|source| Error::new(ErrorKind::Batch { table: self.table.name, source }))?;
        Ok(renumbered(batch, self.first))
    }
}

/// The batch with the numbers of documents counted from `first`.
fn renumbered(batch: RecordBatch, first: FileId) -> RecordBatch {
    let (schema, mut columns, rows) = batch.into_parts();
    for (field, column) in schema.fields().iter().zip(&mut columns) {
        if DOCUMENTS.contains(&field.name().as_str()) {
            let ids = column.as_primitive::<Int32Type>();
            let ids: Int32Array = ids.unary(|id| id.saturating_add(first.0));
            *column = Arc::new(ids) as ArrayRef;
        }
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options).expect("the same types")
}
