//! Reads tables back.

use crate::{
    Error, ErrorKind, Layout,
    sound::{self, guarded},
};
use arrow_array::RecordBatch;
use heapquarry_tables::{FILE_ID, FileId, Table};
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder},
    },
    file::{metadata::PageIndexPolicy, statistics::Statistics},
};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};
use zstd::zstd_safe::DCtx;

/// Maximum number of rows of a batch that is read.
const MAX_BATCH_ROWS: usize = 128 << 10;

/// The files of a table in an output directory, in either layout.
#[derive(Debug)]
pub struct TableReader {
    table: &'static Table,
    files: Vec<(PathBuf, ArrowReaderMetadata)>,
    /// File and number of each row group, in order.
    groups: Vec<(usize, usize)>,
}

impl TableReader {
    /// Opens a table; `None` if the directory does not have it.
    ///
    /// # Errors
    /// If the directory or a file cannot be read, or is not Parquet.
    pub fn open(dir: &Path, table: &'static Table) -> Result<Option<Self>, Error> {
        Self::open_with(dir, table, ArrowReaderOptions::new())
    }

    /// Opens a table like [`open`](Self::open), with all that [`copy`](Self::copy) needs.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open), and an error if a file has no page index.
    pub fn open_for_copies(dir: &Path, table: &'static Table) -> Result<Option<Self>, Error> {
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
        Self::open_with(dir, table, options.with_encoding_stats_as_mask(false))
    }

    fn open_with(
        dir: &Path,
        table: &'static Table,
        options: ArrowReaderOptions,
    ) -> Result<Option<Self>, Error> {
        let mut reader = TableReader { table, files: Vec::new(), groups: Vec::new() };
        for path in paths(dir, table)? {
            let metadata = File::open(&path)
                .map_err(|e| Error::io(&path, "open a table", e))
                .and_then(|file| {
                    let size = file.metadata().map_err(|e| Error::io(&path, "open a table", e))?;
                    guarded(|| ArrowReaderMetadata::load(&file, options.clone()))
                        .and_then(|read| sound::check(&read, table, size.len()).map(|()| read))
                        .map_err(|e| unreadable(&path, e))
                })?;
            let groups = metadata.metadata().num_row_groups();
            reader.groups.extend((0..groups).map(|group| (reader.files.len(), group)));
            reader.files.push((path, metadata));
        }
        Ok((!reader.files.is_empty()).then_some(reader))
    }

    /// The table.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The columns of the table that its files have.
    pub fn columns(&self) -> Vec<&'static str> {
        let stored = self.files[0].1.parquet_schema().columns();
        let columns = self.table.columns.iter().map(|column| column.name);
        columns.filter(|name| stored.iter().any(|leaf| leaf.name() == *name)).collect()
    }

    /// Number of row groups, in all files.
    pub fn row_groups(&self) -> usize {
        self.groups.len()
    }

    /// Number of rows, in all files.
    pub fn rows(&self) -> u64 {
        let rows = |metadata: &ArrowReaderMetadata| metadata.metadata().file_metadata().num_rows();
        self.files.iter().map(|(_, metadata)| rows(metadata).max(0) as u64).sum()
    }

    /// Number of rows of a row group.
    ///
    /// # Panics
    /// If there is no such row group.
    pub fn rows_of(&self, row_group: usize) -> u64 {
        let (_, metadata, number) = self.group(row_group);
        metadata.metadata().row_group(number).num_rows().max(0) as u64
    }

    /// The row groups that have rows of these documents, which are sorted, as far as statistics tell.
    pub fn groups_of(&self, documents: &[FileId]) -> impl Iterator<Item = usize> {
        let is_one = |group: &usize| match self.constant(*group, FILE_ID) {
            Some(Some(id)) => documents.binary_search(&FileId(id)).is_ok(),
            _ => true,
        };
        (0..self.row_groups()).filter(is_one)
    }

    /// The file of a row group.
    ///
    /// # Panics
    /// If there is no such row group.
    pub fn file(&self, row_group: usize) -> &Path {
        self.group(row_group).0
    }

    /// Bytes of the pages of a column in a row group before compression; 0 if the file does not have the column.
    ///
    /// # Panics
    /// If there is no such row group.
    pub fn stored_bytes(&self, row_group: usize, column: &str) -> u64 {
        let (_, metadata, number) = self.group(row_group);
        let stored = metadata.metadata().row_group(number);
        let chunk = stored.columns().iter().find(|chunk| chunk.column_descr().name() == column);
        chunk.map_or(0, |chunk| chunk.uncompressed_size().max(0) as u64)
    }

    /// The value that all rows of a row group have in a column of 32-bit integers, `Some(None)` if all are null. `None`
    /// if the statistics do not tell.
    ///
    /// # Panics
    /// If there is no such row group.
    pub fn constant(&self, row_group: usize, column: &str) -> Option<Option<i32>> {
        let (_, metadata, number) = self.group(row_group);
        let stored = metadata.metadata().row_group(number);
        let chunk = stored.columns().iter().find(|chunk| chunk.column_descr().name() == column)?;
        let Statistics::Int32(statistics) = chunk.statistics()? else { return None };
        let nulls = statistics.null_count_opt()?;
        match (statistics.min_opt(), statistics.max_opt()) {
            (Some(min), Some(max)) if min == max && nulls == 0 => Some(Some(*min)),
            (None, None) if i64::try_from(nulls) == Ok(stored.num_rows()) => Some(None),
            _ => None,
        }
    }

    /// The file of a row group, and its number there.
    pub(crate) fn group(&self, row_group: usize) -> (&Path, &ArrowReaderMetadata, usize) {
        let (file, number) = self.groups[row_group];
        let (path, metadata) = &self.files[file];
        (path, metadata, number)
    }

    /// Reads those columns of a row group, in the order in which the table declares them.
    ///
    /// # Errors
    /// If the file cannot be read, or lacks a column.
    ///
    /// # Panics
    /// If there is no such row group.
    pub fn read(
        &self,
        row_group: usize,
        columns: &[&str],
        each: &mut dyn FnMut(RecordBatch),
    ) -> Result<(), Error> {
        let (path, metadata, group) = self.group(row_group);
        let schema = metadata.parquet_schema();
        let leaves = columns.iter().map(|column| {
            let leaf = schema.columns().iter().position(|leaf| leaf.name() == *column);
            leaf.ok_or_else(|| {
                let column = format!("{}.{column}", self.table.name);
                Error::new(ErrorKind::NoColumn { path: path.into(), column })
            })
        });
        let mask = ProjectionMask::leaves(schema, leaves.collect::<Result<Vec<_>, _>>()?);
        // The parquet crate panics where zstd gets no memory to begin with.
        if DCtx::try_create().is_none() {
            let refused = io::Error::from(io::ErrorKind::OutOfMemory);
            return Err(unreadable(path, refused.into()));
        }
        let file = File::open(path).map_err(|e| Error::io(path, "open a table", e))?;
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
            .with_row_groups(vec![group])
            .with_projection(mask)
            .with_batch_size(MAX_BATCH_ROWS);
        let mut batches = guarded(|| reader.build()).map_err(|e| unreadable(path, e))?;
        let mut next = || guarded(|| Ok(batches.next().transpose()?));
        while let Some(batch) = next().map_err(|e| unreadable(path, e))? {
            each(batch);
        }
        Ok(())
    }
}

/// How a table is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredTable {
    /// Its layout.
    pub layout: Layout,
    /// Whether it has all columns.
    pub is_whole: bool,
}

impl StoredTable {
    /// Looks at one file of a table; `None` if the directory does not have it.
    ///
    /// # Errors
    /// If the directory or the file cannot be read, or is not Parquet.
    pub fn of(dir: &Path, table: &'static Table) -> Result<Option<Self>, Error> {
        let flat = flat(dir, table);
        let (layout, path) = match flat.is_file() {
            true => (Layout::Flat, flat),
            false => {
                let folders = entries(&dir.join(table.name))?;
                let Some(folder) = folders.first() else { return Ok(None) };
                let Some(path) = entries(folder)?.into_iter().find(|file| is_parquet(file)) else {
                    return Ok(None);
                };
                (Layout::Hive, path)
            }
        };
        let file = File::open(&path).map_err(|e| Error::io(&path, "open a table", e))?;
        let metadata = guarded(|| ArrowReaderMetadata::load(&file, Default::default()));
        let metadata = metadata.map_err(|e| unreadable(&path, e))?;
        let is_whole = metadata.parquet_schema().num_columns() == table.columns.len();
        Ok(Some(StoredTable { layout, is_whole }))
    }

    /// The files of a table in order of their names; none if the directory does not have it.
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub fn files(dir: &Path, table: &Table) -> Result<Vec<PathBuf>, Error> {
        paths(dir, table)
    }
}

#[cold]
fn unreadable(path: &Path, source: parquet::errors::ParquetError) -> Error {
    Error::new(ErrorKind::Unreadable { path: path.into(), source })
}

/// `DIR/TABLE.parquet`, or `DIR/TABLE/*/*.parquet` in order of their names.
fn paths(dir: &Path, table: &Table) -> Result<Vec<PathBuf>, Error> {
    let flat = flat(dir, table);
    if flat.is_file() {
        return Ok(vec![flat]);
    }
    let mut paths = Vec::new();
    for folder in entries(&dir.join(table.name))? {
        let files = entries(&folder)?.into_iter();
        paths.extend(files.filter(|file| is_parquet(file)));
    }
    Ok(paths)
}

fn flat(dir: &Path, table: &Table) -> PathBuf {
    dir.join(table.name).with_extension("parquet")
}

fn is_parquet(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "parquet")
}

/// The entries of a directory, sorted; empty if there is no such directory.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let list = match fs::read_dir(folder) {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        list => list.map_err(|e| Error::io(folder, "read a table", e))?,
    };
    let paths = list.map(|entry| entry.map(|entry| entry.path()));
    let mut paths =
        paths.collect::<Result<Vec<_>, _>>().map_err(|e| Error::io(folder, "read a table", e))?;
    paths.sort_unstable();
    Ok(paths)
}
