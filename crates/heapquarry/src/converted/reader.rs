//! The row groups of a converted directory as tasks of a reader.

use crate::{Error, Result};
use arrow_array::RecordBatch;
use heapquarry_formats::{Buffer, Claim, Finished, Reader, Rows, Task};
use heapquarry_rows::stored::rows_of;
use heapquarry_sink::TableReader;
use heapquarry_tables::{FILE_ID, FileId, Projection, Table, sync::unpoisoned};
use std::sync::{Arc, Mutex};

/// Reads the tables of a directory, one after the other.
pub(super) struct StoredReader {
    tables: Vec<Arc<TableReader>>,
    /// Documents whose rows are wanted, sorted; `None` for all.
    file_ids: Option<Arc<[FileId]>>,
    projection: Projection,
    /// Table and row group of the next claim.
    next: (usize, usize),
    under_way: usize,
    failure: Failure,
}

/// The first error of any row group.
#[derive(Clone, Default)]
pub(super) struct Failure(Arc<Mutex<Option<Error>>>);

impl Failure {
    /// Takes the error, if there was one.
    pub(super) fn take(&self) -> Result<()> {
        let error = unpoisoned(self.0.lock()).take();
        error.map_or(Ok(()), Err)
    }

    fn keep(&self, error: Error) {
        unpoisoned(self.0.lock()).get_or_insert(error);
    }

    fn is_there(&self) -> bool {
        unpoisoned(self.0.lock()).is_some()
    }
}

/// A row group.
pub(super) struct StoredTask {
    table: Arc<TableReader>,
    row_group: usize,
    file_ids: Option<Arc<[FileId]>>,
    projection: Projection,
}

impl StoredReader {
    pub(super) fn new(
        tables: Vec<TableReader>,
        file_ids: Option<&[FileId]>,
        projection: Projection,
    ) -> Self {
        StoredReader {
            tables: tables.into_iter().map(Arc::new).collect(),
            file_ids: file_ids.map(Into::into),
            projection,
            next: (0, 0),
            under_way: 0,
            failure: Failure::default(),
        }
    }

    /// A handle that holds the first error once reading has ended.
    pub(super) fn failure(&self) -> Failure {
        self.failure.clone()
    }
}

impl Reader for StoredReader {
    type Task = StoredTask;
    type Ahead = ();

    fn claim(&mut self, _: &mut Buffer) -> heapquarry_formats::Result<Claim<StoredTask>> {
        if self.failure.is_there() {
            return Ok(Claim::End);
        }
        loop {
            let (table, row_group) = self.next;
            let Some(table) = self.tables.get(table) else {
                return Ok(if self.under_way > 0 { Claim::Wait } else { Claim::End });
            };
            if row_group == table.row_groups() {
                self.next = (self.next.0 + 1, 0);
                continue;
            }
            self.next.1 += 1;
            self.under_way += 1;
            let task = StoredTask {
                table: table.clone(),
                row_group,
                file_ids: self.file_ids.clone(),
                projection: self.projection.clone(),
            };
            return Ok(Claim::Task(task, 0));
        }
    }

    fn complete(&mut self, done: Result<()>) {
        self.under_way -= 1;
        if let Err(error) = done {
            self.failure.keep(error);
        }
    }

    fn finish(self) -> Finished {
        Finished::default()
    }
}

impl StoredTask {
    fn read(&self) -> Result<RecordBatch> {
        let declared = self.table.table();
        let columns = self.projection.columns(declared);
        // Rows are selected by their `file_id`, even if that column itself is not wanted.
        let id_is_wanted = columns.has(0);
        let wanted = columns.of(declared).filter(|&at| at > 0).map(|at| declared.columns[at].name);
        let names: Vec<&str> = match self.file_ids.is_some() || id_is_wanted {
            true => std::iter::once(FILE_ID).chain(wanted).collect(),
            false => wanted.collect(),
        };
        let mut batches = Vec::new();
        self.table.read(self.row_group, &names, &mut |batch| match &self.file_ids {
            Some(file_ids) => batches.extend(rows_of(file_ids, batch)),
            None => batches.push(batch),
        })?;
        let schema = match batches.first() {
            Some(batch) => batch.schema(),
            None => declared.schema_of(columns),
        };
        let batch = arrow_select::concat::concat_batches(&schema, &batches).map_err(|source| {
            let table = declared.name;
            Error::new(crate::ErrorKind::Batch { table, source })
        })?;
        if names.first() != Some(&FILE_ID) || id_is_wanted {
            return Ok(batch);
        }
        let others: Vec<usize> = (1..batch.num_columns()).collect();
        Ok(batch.project(&others).expect("positions of columns"))
    }
}

impl Task for StoredTask {
    type Done = Result<()>;
    type Scratch = ();

    fn tables(&self) -> Vec<&'static Table> {
        vec![self.table.table()]
    }

    fn decode(self, _: &[u8], (): &mut (), rows: &mut Rows<'_>) -> Result<()> {
        let table = self.table.table();
        let read = self.read();
        let empty = || RecordBatch::new_empty(table.schema_of(rows.columns(table)));
        let (batch, done) = match read {
            Ok(batch) => (batch, Ok(())),
            Err(error) => (empty(), Err(error)),
        };
        rows.add(table, batch);
        done
    }
}
