//! Damaged files: the parquet crate panics on some damage, and we on columns of other types.

use heapquarry_tables::Table;
use parquet::{
    arrow::arrow_reader::ArrowReaderMetadata, errors::ParquetError,
    file::metadata::ColumnChunkMetaData,
};
use std::panic::{self, AssertUnwindSafe};

/// Calls the parquet crate. A panic there is an error. So packages are not built with `panic = "abort"`.
///
/// # Errors
/// Those of the call, and a panic.
pub(crate) fn guarded<T>(
    call: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    let damaged = |_| Err(ParquetError::General("its content is damaged".into()));
    // What was called is not used again after a panic.
    panic::catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(damaged)
}

/// Whether the file of a table, of that many bytes, can be read: its columns have the types that the table declares,
/// and their chunks are in the file.
///
/// # Errors
/// The first thing that is wrong.
pub(crate) fn check(
    metadata: &ArrowReaderMetadata,
    table: &Table,
    size: u64,
) -> Result<(), ParquetError> {
    let wrong = |what: String| Err(ParquetError::General(what));
    for field in metadata.schema().fields() {
        let Some(at) = table.column(field.name()) else { continue };
        let declared = table.columns[at].ty.arrow();
        if *field.data_type() != declared {
            let (name, found) = (field.name(), field.data_type());
            return wrong(format!("column {name} has the type {found}, not {declared}"));
        }
    }
    for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
        if group.num_rows() < 0 || !group.columns().iter().all(|chunk| is_within(chunk, size)) {
            return wrong(format!("row group {number} is not where the file has bytes"));
        }
    }
    Ok(())
}

/// Whether a chunk is in a file of that many bytes.
fn is_within(chunk: &ColumnChunkMetaData, size: u64) -> bool {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let is_at = |offset: i64| u64::try_from(offset).is_ok_and(|offset| offset <= size);
    let end = start.checked_add(chunk.compressed_size());
    let offsets = [Some(start), Some(chunk.data_page_offset()), Some(chunk.compressed_size()), end];
    chunk.num_values() >= 0 && offsets.into_iter().all(|offset| offset.is_some_and(is_at))
}
