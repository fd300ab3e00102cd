//! Copies row groups from one file to another as they are stored: their pages are not decoded.

use crate::{
    Encoder, Error, ErrorKind, RowGroup, TableReader,
    encode::{Chunk, ChunkPages},
};
use arrow_array::RecordBatch;
use parquet::{
    errors::ParquetError,
    file::metadata::{ColumnChunkMetaData, page_index::RowGroupPageIndex},
};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
};

impl TableReader {
    /// A row group with the stored pages of its columns, except for those of `replaced`, which `encoder` encodes. The
    /// table must have been [opened for copies](Self::open_for_copies).
    ///
    /// # Errors
    /// If the file cannot be read or has no page index.
    ///
    /// # Panics
    /// If there is no such row group.
    pub fn copy(
        &self,
        row_group: usize,
        replaced: Option<&RecordBatch>,
        encoder: &mut Encoder,
    ) -> Result<RowGroup, Error> {
        let (path, metadata, number) = self.group(row_group);
        let metadata = metadata.metadata();
        let stored = metadata.row_group(number);
        let index = metadata.page_index_for_row_group(number);
        let group = replaced.map(|batch| encoder.encode(self.table(), batch)).transpose()?;
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (size, file) = opened.map_err(|e| Error::io(path, "open a table", e))?;
        // Nothing is reserved for what is not there.
        let most = stored.compressed_size().try_into().unwrap_or(0).min(size);
        let mut bytes = encoder.memory(usize::try_from(most).unwrap_or(0));
        let (mut chunks, mut new) = (Vec::new(), Vec::new());
        if let (Some(batch), Some(group)) = (replaced, group) {
            bytes.extend_from_slice(&group.bytes);
            let names = batch.schema_ref().fields().iter().map(|field| field.name().clone());
            new.extend(names.zip(group.chunks));
        }
        // Chunks that follow one another are read together.
        let (mut end, mut ranges) = (bytes.len(), Vec::<Range<u64>>::new());
        for (at, column) in stored.columns().iter().enumerate() {
            let name = column.column_descr().name();
            if let Some(of_batch) = new.iter().position(|(replaced, _)| replaced == name) {
                chunks.push(new.swap_remove(of_batch).1);
                continue;
            }
            let chunk = chunk(column, &index, at, end).ok_or_else(|| {
                let source = ParquetError::General(format!("{name} has no page index"));
                Error::new(ErrorKind::Unreadable { path: path.into(), source })
            })?;
            chunks.push(chunk);
            let (from, len) = column.byte_range();
            end = end.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
            match ranges.last_mut() {
                Some(last) if last.end == from => last.end = from.saturating_add(len),
                _ => ranges.push(from..from.saturating_add(len)),
            }
        }
        for range in ranges {
            append(&file, size, range, &mut bytes)
                .map_err(|e| Error::io(path, "read a table", e))?;
        }
        let rows = usize::try_from(stored.num_rows()).unwrap_or(0);
        Ok(RowGroup { rows, bytes: encoder.bytes(bytes), chunks })
    }
}

/// Appends a range of a file of that size, with one read.
fn append(mut file: &File, size: u64, range: Range<u64>, bytes: &mut Vec<u8>) -> io::Result<()> {
    let is_there = range.end <= size;
    let len = usize::try_from(range.end - range.start).ok().filter(|_| is_there);
    let start = bytes.len();
    bytes.resize(start + len.ok_or(io::ErrorKind::UnexpectedEof)?, 0);
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes[start..])
}

/// The chunk of a stored column, whose pages now begin at byte `start` of its row group; `None` without a page index.
fn chunk(
    column: &ColumnChunkMetaData,
    index: &RowGroupPageIndex,
    at: usize,
    start: usize,
) -> Option<Chunk> {
    let (from, _) = column.byte_range();
    let data = u64::try_from(column.data_page_offset()).ok()?;
    let mut positions = index.offset_index(at)?.clone();
    for page in &mut positions.page_locations {
        page.offset -= i64::try_from(from).ok()?;
    }
    let metadata = column.clone().into_builder();
    let metadata = metadata.set_column_index_offset(None).set_column_index_length(None);
    let metadata = metadata.set_offset_index_offset(None).set_offset_index_length(None);
    let dictionary = usize::try_from(data.checked_sub(from)?).ok()?;
    let pages = ChunkPages { bounds: index.column_index(at).cloned(), positions };
    Some(Chunk::new(start, dictionary, metadata, pages))
}
