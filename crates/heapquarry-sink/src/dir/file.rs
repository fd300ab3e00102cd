//! A Parquet file that is being written.

use super::{
    appender::{Appender, FilePaths},
    footer::{Footer, MAGIC},
    orders,
    syncer::Syncer,
};
use crate::{Error, RowGroup};
use heapquarry_tables::{Columns, Table, Type};
use std::{path::PathBuf, sync::Arc};

/// A Parquet file to which row groups are appended. It is created with the first one.
pub(super) struct TableFile {
    table: &'static Table,
    /// The columns that are written.
    columns: Columns,
    paths: FilePaths,
    syncer: Arc<Syncer>,
    open: Option<(Appender, Footer)>,
    /// Whether to close the file after every row group, because there may be more files than the process may have open.
    release: bool,
    /// The state at the last mark before the last row group, and the number of that mark.
    mark: Option<(u64, Mark)>,
}

/// A state that the file can be rolled back to.
#[derive(Clone, Copy)]
struct Mark {
    bytes: u64,
    row_groups: usize,
}

/// Totals of a complete file.
pub(super) struct Totals {
    pub(super) rows: u64,
    pub(super) row_groups: u64,
    pub(super) bytes: u64,
}

impl TableFile {
    pub(super) fn new(
        table: &'static Table,
        columns: Columns,
        paths: FilePaths,
        syncer: Arc<Syncer>,
        release: bool,
    ) -> Self {
        TableFile { table, columns, paths, syncer, open: None, release, mark: None }
    }

    /// Final path of the file.
    pub(super) fn shown(&self) -> &PathBuf {
        &self.paths.shown
    }

    fn open(&mut self) -> Result<&mut (Appender, Footer), Error> {
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let create = || {
                    let mut file = Appender::create(self.paths.clone(), self.syncer.clone())?;
                    file.append(MAGIC)?;
                    Ok(file)
                };
                let file =
                    create().map_err(|e| Error::io(&self.paths.shown, "create output", e))?;
                (file, Footer::new(&self.table.schema_of(self.columns))?)
            }
        };
        Ok(self.open.insert(open))
    }

    /// Appends a row group, after mark number `mark`. A row group without rows changes nothing.
    pub(super) fn append(&mut self, group: RowGroup, mark: u64) -> Result<(), Error> {
        if group.rows == 0 {
            return Ok(());
        }
        let (release, shown) = (self.release, self.paths.shown.clone());
        let (file, footer) = self.open()?;
        let at = file.len();
        let reached = Mark { bytes: at, row_groups: footer.row_groups() };
        let appended = file.append(&group.bytes).and_then(|()| match release {
            true => file.release(),
            false => Ok(()),
        });
        appended.map_err(|e| Error::io(&shown, "write output", e))?;
        footer.add(group, at).map_err(|e| Error::parquet(&shown, e))?;
        if self.mark.is_none_or(|(marked, _)| marked != mark) {
            self.mark = Some((mark, reached));
        }
        Ok(())
    }

    /// Removes the row groups after mark number `mark`.
    pub(super) fn roll_back(&mut self, mark: u64) -> Result<(), Error> {
        if let Some((file, footer)) = &mut self.open
            && let Some((marked, Mark { bytes, row_groups })) = self.mark
            && marked == mark
        {
            file.truncate(bytes).map_err(|e| Error::io(&self.paths.shown, "write output", e))?;
            footer.truncate(row_groups);
            self.mark = None;
        }
        Ok(())
    }

    /// Writes the footer, with `metadata` as key-value pairs in it, and closes the file.
    pub(super) fn close(mut self, metadata: Vec<(String, String)>) -> Result<Totals, Error> {
        self.open()?;
        let shown = &self.paths.shown;
        let (mut file, footer) = self.open.take().expect("it was opened");
        let (rows, row_groups) = (footer.rows(), footer.row_groups() as u64);
        let mut footer =
            footer.write(metadata, file.len()).map_err(|e| Error::parquet(shown, e))?;
        let mut columns = self.columns.of(self.table).map(|at| &self.table.columns[at]);
        let written = match columns.any(|column| column.ty == Type::Float64) {
            true => orders::declare_type_defined(&mut footer, self.columns.of(self.table).count()),
            false => Ok(()),
        };
        written
            .and_then(|()| file.append(&footer))
            .and_then(|()| file.release())
            .map_err(|e| Error::io(shown, "write output", e))?;
        Ok(Totals { rows, row_groups, bytes: file.len() })
    }
}
