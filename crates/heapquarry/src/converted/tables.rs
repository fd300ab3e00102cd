//! Tables of a converted directory, read back for an analysis.

use crate::{Error, ErrorKind, Result, RunOptions};
use arrow_array::{Array, BooleanArray, RecordBatch, cast::AsArray, types::Int32Type};
use heapquarry_sink::TableReader;
use heapquarry_tables::{Reorder, Table, sync::unpoisoned};
use std::{
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A table that must be there.
pub(super) fn open(dir: &Path, table: &'static Table) -> Result<TableReader> {
    let missing = || Error::new(ErrorKind::NotInDirectory { path: dir.into(), table: table.name });
    TableReader::open(dir, table)?.ok_or_else(missing)
}

/// A text value, whether its column is plain or a dictionary.
pub(crate) fn text(batch: &RecordBatch, column: usize, row: usize) -> Option<String> {
    let array = batch.column(column);
    if array.is_null(row) {
        return None;
    }
    match array.as_dictionary_opt::<Int32Type>() {
        Some(labels) => {
            let key = labels.keys().value(row) as usize;
            Some(labels.values().as_string::<i32>().value(key).to_owned())
        }
        None => Some(array.as_string::<i32>().value(row).to_owned()),
    }
}

/// The tables of some documents.
pub(super) struct Tables<'a> {
    pub(super) dir: &'a Path,
    /// Sorted.
    pub(super) file_ids: Vec<i32>,
    pub(super) run: &'a RunOptions,
}

impl Tables<'_> {
    /// Reads a table's columns, row groups side by side, and hands on what `convert` makes of them in their order. It sees
    /// rows of these documents only, `file_id` as their first column.
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
        thread::scope(|scope| {
            let others: Vec<_> =
                (1..self.run.thread_count().min(groups)).map(|_| scope.spawn(work)).collect();
            let here = work();
            let join = |other: thread::ScopedJoinHandle<'_, Result<()>>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            others.into_iter().map(join).fold(here, Result::and)
        })
    }
}

/// The rows of these documents, which are sorted; `None` if there are none. `file_id` is the first column.
pub(super) fn rows_of(file_ids: &[i32], batch: RecordBatch) -> Option<RecordBatch> {
    let ids = batch.column(0).as_primitive::<Int32Type>().values().iter();
    let is_wanted: BooleanArray = ids.map(|id| Some(file_ids.binary_search(id).is_ok())).collect();
    match is_wanted.true_count() {
        0 => None,
        n if n == batch.num_rows() => Some(batch),
        _ => Some(
            arrow_select::filter::filter_record_batch(&batch, &is_wanted).expect("same length"),
        ),
    }
}
