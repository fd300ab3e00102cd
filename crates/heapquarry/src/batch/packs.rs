//! Packs: the tables of many inputs as one directory, made of directories that were written for a few inputs each.

use super::folder::Pending;
use crate::{
    ConvertOptions, Error, ErrorKind, Layout, Result, WrittenTable,
    convert::projection,
    converted::ConvertedDir,
    parquet::{Extent, ParquetSink},
};
use heapquarry_formats::Gather;
use heapquarry_tables::FileId;
use std::path::Path;

/// Writes all rows of these directories to `output`, as one part. Documents are numbered over all of them.
pub(super) fn pack(
    pending: &[Pending],
    output: &Path,
    extent: Extent,
    options: &ConvertOptions,
) -> Result<Vec<WrittenTable>> {
    let projection = projection(&options.tables, &options.columns, options.analyze)?;
    let options = &options.clone().layout(Layout::Hive);
    let mut sink = ParquetSink::create(output, options, projection, Gather::ForTables, extent)?;
    let mut documents = 0;
    for Pending { path, .. } in pending {
        let not_converted = || Error::new(ErrorKind::NotConverted(path.clone()));
        let dir = ConvertedDir::open(path)?.ok_or_else(not_converted)?;
        documents += dir.read_from(FileId::at(documents), &mut sink, &options.run)?.len();
    }
    Ok(sink.finish(options)?.1)
}
