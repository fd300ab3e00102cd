//! One Parquet file while it is written.

use super::{
    appender::{Appender, Place},
    orders,
    syncer::Syncer,
};
use crate::{Error, RowGroup, schema};
use heapquarry_tables::{Columns, Table, Type};
use parquet::{
    errors::ParquetError,
    file::{metadata::KeyValue, writer::SerializedFileWriter},
};
use std::{path::PathBuf, sync::Arc};

/// A Parquet file that row groups are appended to. It is made when the first one comes.
pub(super) struct TableFile {
    table: &'static Table,
    /// The columns that it has.
    columns: Columns,
    place: Place,
    syncer: Arc<Syncer>,
    writer: Option<SerializedFileWriter<Appender>>,
    /// Whether to close the file after every row group: there may be more files than may be open.
    release: bool,
    rows: u64,
    row_groups: u64,
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
        TableFile { table, columns, place, syncer, writer: None, release, rows: 0, row_groups: 0 }
    }

    /// Where the file will be.
    pub(super) fn shown(&self) -> &PathBuf {
        &self.place.shown
    }

    fn writer(&mut self) -> Result<&mut SerializedFileWriter<Appender>, Error> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                let appender = Appender::create(self.place.clone(), self.syncer.clone())
                    .map_err(|e| Error::io(&self.place.shown, "create output", e))?;
                let schema = self.table.schema_of(self.columns);
                let root = schema::descriptor(&schema)?.root_schema_ptr();
                SerializedFileWriter::new(appender, root, schema::properties(&schema))
                    .map_err(|e| Error::parquet(&self.place.shown, e))?
            }
        };
        Ok(self.writer.insert(writer))
    }

    /// Appends a row group. One without rows leaves no trace.
    pub(super) fn append(&mut self, group: RowGroup) -> Result<(), Error> {
        if group.rows == 0 {
            return Ok(());
        }
        let rows = group.rows as u64;
        let release = self.release;
        let writer = self.writer()?;
        let append = || -> Result<(), ParquetError> {
            let mut row_group = writer.next_row_group()?;
            for chunk in group.chunks {
                row_group.append_column(&group.bytes.slice(chunk.bytes), chunk.close)?;
            }
            row_group.close()?;
            if release {
                writer.flush()?;
                writer.inner_mut().release()?;
            }
            Ok(())
        };
        append().map_err(|e| Error::parquet(&self.place.shown, e))?;
        self.rows += rows;
        self.row_groups += 1;
        Ok(())
    }

    /// Writes the footer, with `metadata` as key-value pairs in it, and closes the file.
    pub(super) fn close(mut self, metadata: Vec<(String, String)>) -> Result<Totals, Error> {
        let writer = self.writer()?;
        for (key, value) in metadata {
            writer.append_key_value_metadata(KeyValue::new(key, value));
        }
        let mut close = || -> Result<u64, ParquetError> {
            writer.finish()?;
            let bytes = writer.bytes_written() as u64;
            writer.inner_mut().release()?;
            Ok(bytes)
        };
        let bytes = close().map_err(|e| Error::parquet(&self.place.shown, e))?;
        let mut columns = self.columns.of(self.table).map(|at| &self.table.columns[at]);
        if columns.any(|column| column.ty == Type::Float64) {
            let columns = self.columns.of(self.table).count();
            orders::declare_type_defined(&self.place.path, columns)
                .map_err(|e| Error::io(&self.place.shown, "write output", e))?;
        }
        Ok(Totals { rows: self.rows, row_groups: self.row_groups, bytes })
    }
}
