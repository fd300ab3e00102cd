//! The rows of an input as Arrow record batches, without files.

use crate::{
    Error, ErrorKind, Names, Result, Status,
    input::{self, Opened},
    sniff,
};
use arrow_array::RecordBatch;
use heapquarry_formats::{Entry, heap};
use heapquarry_tables::Table;
use std::path::Path;

/// How [`batches`] reads.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions {
    /// Names as text, or as numbers of the string table.
    pub names: Names,
    /// Rows of a batch, at most.
    pub batch_rows: usize,
}

impl Default for BatchOptions {
    fn default() -> Self {
        let heap = heap::Options::default();
        BatchOptions { names: heap.names, batch_rows: heap.row_group_rows }
    }
}

/// Reads an input with one thread and hands each batch to `emit`, with its table. Batches come in compact form;
/// [`Table::expand`] makes the plain one. What was out of the ordinary is returned.
///
/// # Errors
/// As [`crate::convert`], and whatever `emit` returns.
pub fn batches<E: From<Error>>(
    path: impl AsRef<Path>,
    options: BatchOptions,
    mut emit: impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<(Status, Vec<Entry>), E> {
    let opened = input::open(path.as_ref(), &std::env::temp_dir())?;
    let sniff::Format::Heap = sniff::sniff(&opened)?;
    let Opened { path, name, input, mut log } = opened;
    let heap = heap::Options {
        names: options.names,
        row_group_rows: options.batch_rows.clamp(1, 1 << 24),
        ..heap::Options::default()
    };
    // The reader goes on to its end; after a refusal nothing more is handed on.
    let mut refused = None;
    let summary = heap::read(&input, 0, &name, heap, |table, batch| {
        if refused.is_none() {
            refused = emit(table, batch).err();
        }
    });
    if let Some(error) = refused {
        return Err(error);
    }
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    let summary = summary.map_err(fail)?;
    log.merge(summary.log);
    Ok((summary.status, log.into_entries()))
}
