//! Reads tables of a converted directory back for an analysis.

use crate::{Error, ErrorKind, Result, RunOptions, memory::Text};
use arrow_array::RecordBatch;
use heapquarry_rows::stored::{FILE_ID, StoredTables, rows_of};
use heapquarry_sink::TableReader;
use heapquarry_tables::{FileId, Reorder, Table, sync::unpoisoned};
use std::{
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// Opens a table that must exist.
pub(super) fn open(dir: &Path, table: &'static Table) -> Result<TableReader> {
    let missing = || Error::new(ErrorKind::NotInDirectory { path: dir.into(), table: table.name });
    TableReader::open(dir, table)?.ok_or_else(missing)
}

/// The tables of some documents.
pub(super) struct Tables<'a> {
    pub(super) dir: &'a Path,
    /// Sorted.
    pub(super) file_ids: Vec<FileId>,
    pub(super) run: &'a RunOptions,
}

impl Tables<'_> {
    /// The values of a column of texts, as they are stored before compression: about what they take once read. Row
    /// groups of other documents do not count, as far as their statistics tell.
    pub(super) fn stored_text(&self, table: &'static Table, column: &str) -> Result<Text> {
        let reader = open(self.dir, table)?;
        let is_mine = |group: &usize| match reader.constant(*group, FILE_ID) {
            Some(Some(id)) => self.file_ids.binary_search(&FileId(id)).is_ok(),
            _ => true,
        };
        let text = |group| Text {
            strings: reader.rows_of(group),
            bytes: reader.stored_bytes(group, column),
        };
        Ok((0..reader.row_groups()).filter(is_mine).map(text).sum())
    }
}

impl StoredTables for Tables<'_> {
    type Error = Error;

    fn has(&self, table: &'static Table) -> Result<bool> {
        Ok(TableReader::open(self.dir, table)?.is_some())
    }

    fn row_count(&self, table: &'static Table) -> Result<u64> {
        Ok(open(self.dir, table)?.rows())
    }

    /// Row groups are read in parallel. `convert` sees the column `file_id` too.
    fn try_each<T: Send>(
        &self,
        table: &'static Table,
        columns: &[&str],
        convert: impl Fn(RecordBatch) -> T + Sync,
        mut take: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        let reader = open(self.dir, table)?;
        let all: Vec<&str> = std::iter::once(FILE_ID).chain(columns.iter().copied()).collect();
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let groups = reader.row_groups();
        let ordered = Mutex::new((Reorder::default(), &mut take));
        let work = || -> Result<()> {
            loop {
                let group = next.fetch_add(1, Ordering::Relaxed);
                if group >= groups || failed.load(Ordering::Relaxed) {
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
                    let taken = parts.into_iter().try_for_each(&mut **take);
                    taken.inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
                }
            }
        };
        Error::cause(self.run.on_threads(groups, work))
    }
}
