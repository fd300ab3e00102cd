//! Tables of a converted directory, read back.

use crate::{Error, ErrorKind, Result, RunOptions, Status, input::CONTAINERS};
use arrow_array::{Array, BooleanArray, RecordBatch, cast::AsArray, types::Int32Type};
use heapquarry_sink::TableReader;
use heapquarry_tables::{SOURCE, Table};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A row of `source`.
pub(crate) struct Document {
    pub(crate) file_id: i32,
    pub(crate) name: String,
    pub(crate) format: String,
    pub(crate) producer: Option<String>,
    pub(crate) status: Status,
}

/// The documents of a directory, by `file_id`.
pub(crate) fn documents(dir: &Path) -> Result<Vec<Document>> {
    let table = open(dir, &SOURCE)?;
    let mut documents = Vec::new();
    for group in 0..table.row_groups() {
        let columns = ["file_id", "name", "format", "producer", "status"];
        table.read(group, &columns, |batch| {
            let text = |column: usize, row: usize| text(&batch, column, row);
            for row in 0..batch.num_rows() {
                documents.push(Document {
                    file_id: batch.column(0).as_primitive::<Int32Type>().value(row),
                    name: text(1, row).unwrap_or_default(),
                    format: text(2, row).unwrap_or_default(),
                    producer: text(3, row),
                    status: match text(4, row).as_deref() {
                        Some("complete") => Status::Complete,
                        Some("repaired") => Status::Repaired,
                        _ => Status::Truncated,
                    },
                });
            }
        })?;
    }
    documents.sort_by_key(|document| document.file_id);
    Ok(documents)
}

/// The document of that number, or the only one.
pub(crate) fn document(dir: &Path, file_id: Option<i32>) -> Result<Document> {
    let mut documents = documents(dir)?;
    documents.retain(|document| !CONTAINERS.contains(&document.format.as_str()));
    let found = match file_id {
        Some(file_id) => documents.iter().position(|d| d.file_id == file_id),
        None => (documents.len() == 1).then_some(0),
    };
    match found {
        Some(at) => Ok(documents.swap_remove(at)),
        None => Err(Error::new(ErrorKind::WhichDocument {
            path: dir.into(),
            asked: file_id,
            names: documents.into_iter().map(|d| (d.file_id, d.name)).collect(),
        })),
    }
}

/// A table that must be there.
pub(crate) fn open(dir: &Path, table: &'static Table) -> Result<TableReader> {
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
pub(crate) struct Tables<'a> {
    pub(crate) dir: &'a Path,
    /// Sorted.
    pub(crate) file_ids: Vec<i32>,
    pub(crate) options: &'a RunOptions,
}

impl Tables<'_> {
    /// Reads a table's columns, row groups side by side, and hands on what `convert` makes of them in their order. It sees
    /// rows of these documents only, `file_id` as their first column.
    pub(crate) fn each<T: Send>(
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
        let ordered = Mutex::new((0, BTreeMap::new(), &mut take));
        let work = || -> Result<()> {
            loop {
                let group = next.fetch_add(1, Ordering::Relaxed);
                if group >= groups {
                    return Ok(());
                }
                if self.options.cancel.is_cancelled() {
                    return Err(Error::new(ErrorKind::Cancelled));
                }
                let mut parts = Vec::new();
                reader.read(group, &all, |batch| {
                    if let Some(mine) = self.mine(batch) {
                        parts.push(convert(mine));
                    }
                })?;
                let mut ordered = ordered.lock().unwrap_or_else(PoisonError::into_inner);
                let (turn, waiting, take) = &mut *ordered;
                waiting.insert(group, parts);
                while let Some(parts) = waiting.remove(turn) {
                    parts.into_iter().for_each(&mut **take);
                    *turn += 1;
                }
            }
        };
        thread::scope(|scope| {
            let others: Vec<_> =
                (1..self.options.thread_count().min(groups)).map(|_| scope.spawn(work)).collect();
            let here = work();
            let join = |other: thread::ScopedJoinHandle<'_, Result<()>>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            others.into_iter().map(join).fold(here, Result::and)
        })
    }

    /// The rows of these documents.
    fn mine(&self, batch: RecordBatch) -> Option<RecordBatch> {
        let ids = batch.column(0).as_primitive::<Int32Type>().values().iter();
        let is_mine: BooleanArray =
            ids.map(|id| Some(self.file_ids.binary_search(id).is_ok())).collect();
        match is_mine.true_count() {
            0 => None,
            n if n == batch.num_rows() => Some(batch),
            _ => Some(
                arrow_select::filter::filter_record_batch(&batch, &is_mine).expect("same length"),
            ),
        }
    }
}
