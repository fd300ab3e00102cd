//! One Parquet file while it is written.

use super::{
    appender::{Appender, Place},
    footer::{Footer, MAGIC},
    orders,
    syncer::Syncer,
};
use crate::{Error, RowGroup};
use heapquarry_tables::{Columns, Table, Type};
use std::{path::PathBuf, sync::Arc};

/// A Parquet file that row groups are appended to. It is made when the first one comes.
pub(super) struct TableFile {
    table: &'static Table,
    /// The columns that it has.
    columns: Columns,
    place: Place,
    syncer: Arc<Syncer>,
    open: Option<(Appender, Footer)>,
    /// Whether to close the file after every row group: there may be more files than may be open.
    release: bool,
    /// How far the file was at the last mark before its last row group, and which mark that was.
    mark: Option<(u64, Mark)>,
}

/// A place in a file that it can be taken back to.
#[derive(Clone, Copy)]
struct Mark {
    bytes: u64,
    row_groups: usize,
}

/// What a file holds in the end.
pub(super) struct Totals {
    pub(super) rows: u64,
    pub(super) row_groups: u64,
    pub(super) bytes: u64,
}

impl TableFile {
    pub(super) fn new(
        table: &'static Table,
        columns: Columns,
        place: Place,
        syncer: Arc<Syncer>,
        release: bool,
    ) -> Self {
        TableFile { table, columns, place, syncer, open: None, release, mark: None }
    }

    /// Where the file will be.
    pub(super) fn shown(&self) -> &PathBuf {
        &self.place.shown
    }

    fn open(&mut self) -> Result<&mut (Appender, Footer), Error> {
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let create = || {
                    let mut file = Appender::create(self.place.clone(), self.syncer.clone())?;
                    file.append(MAGIC)?;
                    Ok(file)
                };
                let file =
                    create().map_err(|e| Error::io(&self.place.shown, "create output", e))?;
                (file, Footer::new(&self.table.schema_of(self.columns))?)
            }
        };
        Ok(self.open.insert(open))
    }

    /// Appends a row group, the first one or a later one after mark number `mark`. One without rows leaves no trace.
    pub(super) fn append(&mut self, group: RowGroup, mark: u64) -> Result<(), Error> {
        if group.rows == 0 {
            return Ok(());
        }
        let (release, shown) = (self.release, self.place.shown.clone());
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

    /// Takes back the row groups that came since mark number `mark`.
    pub(super) fn roll_back(&mut self, mark: u64) -> Result<(), Error> {
        if let Some((file, footer)) = &mut self.open
            && let Some((marked, Mark { bytes, row_groups })) = self.mark
            && marked == mark
        {
            file.truncate(bytes).map_err(|e| Error::io(&self.place.shown, "write output", e))?;
            footer.truncate(row_groups);
            self.mark = None;
        }
        Ok(())
    }

    /// Writes the footer, with `metadata` as key-value pairs in it, and closes the file.
    pub(super) fn close(mut self, metadata: Vec<(String, String)>) -> Result<Totals, Error> {
        self.open()?;
        let shown = &self.place.shown;
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
