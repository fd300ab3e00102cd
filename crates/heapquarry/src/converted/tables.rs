//! Reads tables of a converted directory back for an analysis.

use crate::{Error, ErrorKind, Result, RunOptions, memory::Text};
use arrow_array::RecordBatch;
use heapquarry_rows::stored::{StoredTables, rows_of};
use heapquarry_sink::{RecordedFile, TableReader, files_of};
use heapquarry_tables::{FILE_ID, FileId, Reorder, Table, sync::unpoisoned};
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
    /// The files as they were written, if it matters whether they still are.
    pub(super) recorded: &'a [RecordedFile],
}

impl Tables<'_> {
    /// The values of a column of texts, as they are stored before compression: about what they take once read. Row
    /// groups of other documents do not count, as far as their statistics tell.
    pub(super) fn stored_text(&self, table: &'static Table, column: &str) -> Result<Text> {
        let reader = open(self.dir, table)?;
        let text = |group| Text {
            strings: reader.rows_of(group),
            bytes: reader.stored_bytes(group, column),
        };
        Ok(reader.groups_of(&self.file_ids).map(text).sum())
    }

    /// Calls `visit` with the number of each row group, counted from 0, and with what reads it. Not generic: it is
    /// compiled once, not for each use.
    fn each_group(
        &self,
        table: &'static Table,
        columns: &[&str],
        visit: &(dyn Fn(u64, &ReadGroup<'_>) -> Result<()> + Sync),
    ) -> Result<()> {
        let reader = open(self.dir, table)?;
        let all: Vec<&str> = std::iter::once(FILE_ID).chain(columns.iter().copied()).collect();
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let groups: Vec<usize> = reader.groups_of(&self.file_ids).collect();
        let read = |group: usize, each: &mut dyn FnMut(RecordBatch)| match reader
            .constant(group, FILE_ID)
        {
            Some(Some(_)) => reader.read(group, columns, each),
            _ => reader.read(group, &all, &mut |batch| {
                if let Some(mine) = rows_of(&self.file_ids, batch) {
                    each(mine);
                }
            }),
        };
        let work = || -> Result<()> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(&group) = groups.get(number) else { return Ok(()) };
                if failed.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if self.run.cancel.is_cancelled() {
                    return Err(Error::new(ErrorKind::Cancelled));
                }
                visit(number as u64, &|each| Ok(read(group, each)?))
                    .inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            }
        };
        Error::cause(self.run.on_threads(groups.len(), work))
    }
}

/// Reads a row group batch by batch.
type ReadGroup<'a> = dyn Fn(&mut dyn FnMut(RecordBatch)) -> Result<()> + 'a;

impl StoredTables for Tables<'_> {
    type Error = Error;

    fn has(&self, table: &'static Table) -> Result<bool> {
        Ok(TableReader::open(self.dir, table)?.is_some())
    }

    fn has_columns(&self, table: &'static Table, columns: &[&str]) -> Result<bool> {
        let Some(reader) = TableReader::open(self.dir, table)? else { return Ok(false) };
        let stored = reader.columns();
        Ok(std::iter::once(&FILE_ID).chain(columns).all(|name| stored.contains(name)))
    }

    fn are_unchanged(&self, tables: &[&'static Table]) -> bool {
        let [document] = self.file_ids[..] else { return false };
        let files = files_of(self.dir, tables, document, self.recorded);
        let Ok(Some(files)) = files else { return false };
        let (next, is_changed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let stop = || is_changed.load(Ordering::Relaxed) || self.run.cancel.is_cancelled();
        let work = || {
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                if !file.is_unchanged(self.dir, stop).unwrap_or(false) {
                    is_changed.store(true, Ordering::Relaxed);
                }
            }
        };
        self.run.on_threads(files.len(), work);
        !is_changed.into_inner()
    }

    fn row_count(&self, table: &'static Table) -> Result<u64> {
        Ok(open(self.dir, table)?.rows())
    }

    /// Row groups are read in parallel. Where statistics do not tell whose rows they are, the column `file_id`
    /// does, and `convert` sees that too.
    fn try_each<T: Send>(
        &self,
        table: &'static Table,
        columns: &[&str],
        convert: impl Fn(RecordBatch) -> T + Sync,
        mut take: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        let ordered = Mutex::new((Reorder::default(), &mut take));
        self.each_group(table, columns, &|number, read| {
            let mut parts = Vec::new();
            read(&mut |batch| parts.push(convert(batch)))?;
            let mut ordered = unpoisoned(ordered.lock());
            let (waiting, take) = &mut *ordered;
            assert!(waiting.insert(number..number + 1, parts), "each row group is read once");
            while let Some(parts) = waiting.next() {
                parts.into_iter().try_for_each(&mut **take)?;
            }
            Ok(())
        })
    }
}
