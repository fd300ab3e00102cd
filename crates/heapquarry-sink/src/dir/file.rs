//! A Parquet file that is being written.

use super::{
    appender::{Appended, Appender, FilePaths},
    footer::{Footer, MAGIC},
    orders,
    pack::{Encoders, Pack},
    syncer::Syncer,
};
use crate::{Error, RowGroup};
use arrow_array::RecordBatch;
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
    /// Rows from before the last mark that are not written yet.
    pack: Pack,
    /// Rows after a mark that are not written yet, and the number of that mark.
    last: (u64, Vec<RecordBatch>),
}

/// Rows that are handed in.
pub(super) enum Piece {
    /// A row group.
    Group(RowGroup),
    /// Rows that may share a row group with those of other documents.
    Rows(RecordBatch),
}

impl Piece {
    /// About the memory that it takes in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Piece::Group(group) => group.bytes(),
            Piece::Rows(batch) => batch.get_array_memory_size(),
        }
    }
}

/// A state that the file can be rolled back to.
struct Mark {
    appended: Appended,
    row_groups: usize,
}

/// Totals of a complete file.
pub(super) struct Totals {
    pub(super) rows: u64,
    pub(super) row_groups: u64,
    pub(super) bytes: u64,
    /// Checksum of the bytes.
    pub(super) xxh3: u64,
}

impl TableFile {
    pub(super) fn new(
        table: &'static Table,
        columns: Columns,
        paths: FilePaths,
        syncer: Arc<Syncer>,
        release: bool,
    ) -> Self {
        TableFile {
            table,
            columns,
            paths,
            syncer,
            open: None,
            release,
            mark: None,
            pack: Pack::default(),
            last: (0, Vec::new()),
        }
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

    /// Appends a piece, after mark number `mark`. A piece without rows changes nothing.
    pub(super) fn append(
        &mut self,
        piece: Piece,
        mark: u64,
        encoders: &Encoders,
    ) -> Result<(), Error> {
        self.pack_before(mark, encoders)?;
        match piece {
            Piece::Rows(batch) if batch.num_rows() == 0 => Ok(()),
            Piece::Group(group) if group.rows == 0 => Ok(()),
            Piece::Rows(batch) => {
                self.last.1.push(batch);
                Ok(())
            }
            Piece::Group(group) => {
                self.write_pack(mark, encoders)?;
                self.write_last(encoders)?;
                self.write(group)
            }
        }
    }

    /// Adds the rows before mark number `mark` to the pack.
    fn pack_before(&mut self, mark: u64, encoders: &Encoders) -> Result<(), Error> {
        if self.last.0 == mark {
            return Ok(());
        }
        self.last.0 = mark;
        for batch in std::mem::take(&mut self.last.1) {
            let complete = self.pack.add(self.table, batch, encoders.max_rows)?;
            if !complete.is_empty() {
                self.write_all(&complete, encoders)?;
                self.note(mark)?;
            }
        }
        Ok(())
    }

    /// Writes the rows from before mark number `mark`.
    fn write_pack(&mut self, mark: u64, encoders: &Encoders) -> Result<(), Error> {
        let batch = self.pack.take()?;
        self.write_all(batch.as_slice(), encoders)?;
        // Rows after the mark are written only when the pack is empty.
        match batch.is_some() || self.mark.as_ref().is_none_or(|(marked, _)| *marked != mark) {
            true => self.note(mark),
            false => Ok(()),
        }
    }

    /// Notes the state for [`roll_back`](Self::roll_back) to mark number `mark`.
    fn note(&mut self, mark: u64) -> Result<(), Error> {
        let (file, footer) = self.open()?;
        let reached = Mark { appended: file.appended().clone(), row_groups: footer.row_groups() };
        self.mark = Some((mark, reached));
        Ok(())
    }

    /// Writes the rows after the last mark.
    fn write_last(&mut self, encoders: &Encoders) -> Result<(), Error> {
        let mut batches = std::mem::take(&mut self.last.1);
        // One batch is encoded in the form that it has.
        if batches.len() > 1 {
            let mut pack = Pack::default();
            let mut complete = Vec::new();
            for batch in batches {
                complete.extend(pack.add(self.table, batch, encoders.max_rows)?);
            }
            complete.extend(pack.take()?);
            batches = complete;
        }
        self.write_all(&batches, encoders)
    }

    /// Writes all rows that are left.
    fn finish_rows(&mut self, encoders: &Encoders) -> Result<(), Error> {
        if self.pack.is_empty() {
            return self.write_last(encoders);
        }
        self.pack_before(self.last.0 + 1, encoders)?;
        let batch = self.pack.take()?;
        self.write_all(batch.as_slice(), encoders)
    }

    /// Writes each batch as a row group.
    fn write_all(&mut self, batches: &[RecordBatch], encoders: &Encoders) -> Result<(), Error> {
        batches.iter().try_for_each(|batch| self.write(encoders.encode(self.table, batch)?))
    }

    /// Writes a row group.
    fn write(&mut self, group: RowGroup) -> Result<(), Error> {
        let (release, shown) = (self.release, self.paths.shown.clone());
        let (file, footer) = self.open()?;
        let at = file.len();
        let appended = file.append(&group.bytes).and_then(|()| match release {
            true => file.release(),
            false => Ok(()),
        });
        appended.map_err(|e| Error::io(&shown, "write output", e))?;
        footer.add(group, at).map_err(|e| Error::parquet(&shown, e))
    }

    /// Removes the rows after mark number `mark`.
    pub(super) fn roll_back(&mut self, mark: u64) -> Result<(), Error> {
        if self.last.0 == mark {
            self.last.1.clear();
        }
        if let Some((file, footer)) = &mut self.open
            && let Some((_, Mark { appended, row_groups })) =
                self.mark.take_if(|(marked, _)| *marked == mark)
        {
            file.truncate(appended).map_err(|e| Error::io(&self.paths.shown, "write output", e))?;
            footer.truncate(row_groups);
        }
        Ok(())
    }

    /// Writes the footer, with `metadata` as key-value pairs in it, and closes the file.
    pub(super) fn close(
        mut self,
        metadata: Vec<(String, String)>,
        encoders: &Encoders,
    ) -> Result<Totals, Error> {
        self.finish_rows(encoders)?;
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
        let Appended { len: bytes, xxh3 } = file.appended();
        Ok(Totals { rows, row_groups, bytes: *bytes, xxh3: xxh3.digest() })
    }
}
