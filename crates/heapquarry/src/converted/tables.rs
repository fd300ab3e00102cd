//! Reads tables of a converted directory back for an analysis.

use crate::{Error, ErrorKind, Result, RunOptions};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray, cast::AsArray,
    types::Int32Type,
};
use heapquarry_sink::TableReader;
use heapquarry_tables::{FileId, Reorder, Table, sync::unpoisoned};
use std::{
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Opens a table that must exist.
pub(super) fn open(dir: &Path, table: &'static Table) -> Result<TableReader> {
    let missing = || Error::new(ErrorKind::NotInDirectory { path: dir.into(), table: table.name });
    TableReader::open(dir, table)?.ok_or_else(missing)
}

/// A text column, plain or dictionary-encoded.
#[derive(Clone, Copy)]
pub(super) struct Texts<'b> {
    /// Keys of the dictionary.
    keys: Option<&'b Int32Array>,
    values: &'b StringArray,
}

impl<'b> Texts<'b> {
    pub(super) fn new(array: &'b ArrayRef) -> Self {
        match array.as_dictionary_opt::<Int32Type>() {
            Some(labels) => {
                Texts { keys: Some(labels.keys()), values: labels.values().as_string() }
            }
            None => Texts { keys: None, values: array.as_string() },
        }
    }

    /// The text of a row; `None` for NULL.
    pub(super) fn get(self, row: usize) -> Option<&'b str> {
        let row = match self.keys {
            Some(keys) => keys.is_valid(row).then(|| keys.value(row) as usize)?,
            None => row,
        };
        self.values.is_valid(row).then(|| self.values.value(row))
    }
}

/// A text value of a plain or dictionary-encoded column.
pub(crate) fn text(batch: &RecordBatch, column: usize, row: usize) -> Option<String> {
    Texts::new(batch.column(column)).get(row).map(str::to_owned)
}

/// The tables of some documents.
pub(super) struct Tables<'a> {
    pub(super) dir: &'a Path,
    /// Sorted.
    pub(super) file_ids: Vec<FileId>,
    pub(super) run: &'a RunOptions,
}

impl Tables<'_> {
    /// Reads the named columns of a table, with row groups in parallel, and returns the results of `convert` in order.
    /// `convert` sees rows of these documents only, with `file_id` as their first column.
    pub(super) fn each<T: Send>(
        &self,
        table: &'static Table,
        columns: &[&str],
        convert: impl Fn(RecordBatch) -> T + Sync,
        mut take: impl FnMut(T) + Send,
    ) -> Result<()> {
        let reader = open(self.dir, table)?;
        let all: Vec<&str> = std::iter::once("file_id").chain(columns.iter().copied()).collect();
        let next = AtomicUsize::new(0);
        let groups = reader.row_groups();
        let ordered = Mutex::new((Reorder::default(), &mut take));
        let work = || -> Result<()> {
            loop {
                let group = next.fetch_add(1, Ordering::Relaxed);
                if group >= groups {
                    return Ok(());
                }
                if self.run.cancel.is_cancelled() {
                    return Err(Error::new(ErrorKind::Cancelled));
                }
                let mut parts = Vec::new();
                reader.read(group, &all, |batch| {
                    if let Some(mine) = rows_of(&self.file_ids, batch) {
                        parts.push(convert(mine));
                    }
                })?;
                let mut ordered = unpoisoned(ordered.lock());
                let (groups, take) = &mut *ordered;
                let group = group as u64;
                assert!(groups.insert(group..group + 1, parts), "each row group is read once");
                while let Some(parts) = groups.next() {
                    parts.into_iter().for_each(&mut **take);
                }
            }
        };
        Error::cause(self.run.on_threads(groups, work))
    }
}

/// The rows of these documents, which must be sorted; `None` if there are none. `file_id` is the first column.
pub(super) fn rows_of(file_ids: &[FileId], batch: RecordBatch) -> Option<RecordBatch> {
    let ids = batch.column(0).as_primitive::<Int32Type>().values().iter();
    let is_wanted: BooleanArray =
        ids.map(|&id| Some(file_ids.binary_search(&FileId(id)).is_ok())).collect();
    match is_wanted.true_count() {
        0 => None,
        n if n == batch.num_rows() => Some(batch),
        _ => Some(
            arrow_select::filter::filter_record_batch(&batch, &is_wanted).expect("same length"),
        ),
    }
}
