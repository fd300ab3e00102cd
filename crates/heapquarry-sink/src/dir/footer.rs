//! The footer of a file: the description of its row groups.

use crate::{Error, RowGroup, encode::ChunkPages, schema};
use arrow_schema::Schema;
use parquet::{
    errors::Result,
    file::{
        metadata::{
            FileMetaData, KeyValue, ParquetMetaDataBuilder, ParquetMetaDataWriter,
            RowGroupMetaData, page_index::PageIndexBuilder,
        },
        properties::WriterPropertiesPtr,
        writer::TrackedWrite,
    },
    schema::types::SchemaDescPtr,
};
use std::{
    io::{self, Write},
    sync::Arc,
};

/// The first bytes of every Parquet file.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The row groups of a file, as its footer will describe them.
///
/// The file writer of the parquet crate cannot remove row groups, so only its footer writer is used.
pub(super) struct Footer {
    properties: WriterPropertiesPtr,
    schema: SchemaDescPtr,
    row_groups: Vec<RowGroupMetaData>,
    /// For each row group, the pages of its column chunks.
    pages: Vec<Vec<ChunkPages>>,
}

impl Footer {
    /// The footer of a file without row groups.
    pub(super) fn new(schema: &Schema) -> Result<Self, Error> {
        Ok(Footer {
            properties: schema::properties(schema),
            schema: schema::descriptor(schema)?,
            row_groups: Vec::new(),
            pages: Vec::new(),
        })
    }

    /// Number of row groups.
    pub(super) fn row_groups(&self) -> usize {
        self.row_groups.len()
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> u64 {
        self.row_groups.iter().map(|group| group.num_rows() as u64).sum()
    }

    /// Adds a row group whose pages begin at byte `at` of the file.
    pub(super) fn add(&mut self, group: RowGroup, at: u64) -> Result<()> {
        let ordinal = i32::try_from(self.row_groups.len()).unwrap_or(i32::MAX);
        let mut columns = Vec::with_capacity(group.chunks.len());
        let mut pages = Vec::with_capacity(group.chunks.len());
        let mut uncompressed = 0;
        for chunk in group.chunks {
            let (metadata, chunk_pages) = chunk.placed(at)?;
            uncompressed += metadata.uncompressed_size();
            columns.push(metadata);
            pages.push(chunk_pages);
        }
        let metadata = RowGroupMetaData::builder(self.schema.clone())
            .set_column_metadata(columns)
            .set_total_byte_size(uncompressed)
            .set_num_rows(group.rows as i64)
            .set_ordinal(ordinal)
            .set_file_offset(at as i64)
            .build()?;
        self.row_groups.push(metadata);
        self.pages.push(pages);
        Ok(())
    }

    /// Removes all row groups but the first `row_groups`.
    pub(super) fn truncate(&mut self, row_groups: usize) {
        self.row_groups.truncate(row_groups);
        self.pages.truncate(row_groups);
    }

    /// The page index and the footer, which begin at byte `at` of the file. `metadata` is added as key-value pairs.
    pub(super) fn write(self, metadata: Vec<(String, String)>, at: u64) -> Result<Vec<u8>> {
        let Footer { properties, schema, row_groups, pages } = self;
        let mut index = PageIndexBuilder::new(row_groups.len(), schema.num_columns());
        for (row_group, chunks) in pages.into_iter().enumerate() {
            for (column, ChunkPages { bounds, positions }) in chunks.into_iter().enumerate() {
                if let Some(bounds) = bounds {
                    index.put_column_index(bounds, row_group, column);
                }
                index.put_offset_index(positions, row_group, column);
            }
        }
        let further = metadata.into_iter().map(|(key, value)| KeyValue::new(key, value));
        let pairs = properties.key_value_metadata().into_iter().flatten().cloned().chain(further);
        let file = FileMetaData::new(
            properties.writer_version().as_num(),
            row_groups.iter().map(RowGroupMetaData::num_rows).sum(),
            Some(properties.created_by().to_owned()),
            Some(pairs.collect()),
            schema,
            None,
        );
        let metadata = ParquetMetaDataBuilder::new(file)
            .set_row_groups(row_groups)
            .set_page_index(Some(Arc::new(index.build())))
            .build();
        let mut bytes = Vec::new();
        // Offsets in the footer count from the start of the file.
        let mut file = TrackedWrite::new(After { skip: at, bytes: &mut bytes });
        skip(&mut file, at)?;
        ParquetMetaDataWriter::new_with_tracked(file, &metadata).finish()?;
        Ok(bytes)
    }
}

/// Advances the count of written bytes by `len`.
fn skip(file: &mut impl Write, mut len: u64) -> io::Result<()> {
    const ZEROS: &[u8] = &[0; 64 << 10];
    while len > 0 {
        let piece = len.min(ZEROS.len() as u64);
        file.write_all(&ZEROS[..piece as usize])?;
        len -= piece;
    }
    Ok(())
}

/// Keeps the bytes after the first `skip` bytes.
struct After<'a> {
    skip: u64,
    bytes: &'a mut Vec<u8>,
}

impl Write for After<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(data.len() as u64);
        self.skip -= skipped;
        self.bytes.extend_from_slice(&data[skipped as usize..]);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
