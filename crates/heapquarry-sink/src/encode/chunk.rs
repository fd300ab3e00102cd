//! A column chunk: the pages of one column of one row group, and what the metadata says of them.

use super::{
    bounds::Bounds,
    codec::Codec,
    levels,
    page::{self, MAX_HEADER, Page},
    rows::{PageRows, Rows},
};
use crate::{Encodings, Error, ErrorKind};
use arrow_buffer::NullBuffer;
use bytes::{Buf, Bytes, buf::Reader};
use heapquarry_tables::{Column, Table};
use parquet::{
    basic::{Encoding, PageType},
    column::writer::ColumnCloseResult,
    errors::Result as ParquetResult,
    file::{
        metadata::{ColumnChunkMetaData, PageEncodingStats},
        reader::{ChunkReader, Length},
    },
    schema::types::ColumnDescPtr,
};
use std::io::{Chain, Read};

/// A finished column chunk.
pub(crate) struct Chunk {
    pub(crate) data: ChunkData,
    /// What the file writer wants to know of it.
    pub(crate) close: ColumnCloseResult,
}

/// The bytes of a column chunk.
pub(crate) struct ChunkData {
    /// The dictionary page with its header, or nothing. It comes first in the file, but is known last.
    dictionary: Bytes,
    /// The data pages with their headers.
    pages: Bytes,
}

impl Length for ChunkData {
    fn len(&self) -> u64 {
        (self.dictionary.len() + self.pages.len()) as u64
    }
}

impl ChunkReader for ChunkData {
    type T = Chain<Reader<Bytes>, Reader<Bytes>>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let in_dictionary = self.dictionary.len().min(start as usize);
        let in_pages = self.pages.len().min(start as usize - in_dictionary);
        let dictionary = self.dictionary.slice(in_dictionary..);
        Ok(dictionary.reader().chain(self.pages.slice(in_pages..).reader()))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Pages of a kind, with their headers.
#[derive(Clone, Default)]
pub(super) struct Pages<B> {
    bytes: B,
    /// Their size if they were not compressed.
    uncompressed: usize,
    /// How many there are of which encoding.
    made: Vec<PageEncodingStats>,
}

/// A column chunk in the making.
pub(super) struct ChunkWriter<'a> {
    table: &'static Table,
    column: &'static Column,
    encodings: Encodings,
    descriptor: ColumnDescPtr,
    codec: &'a mut Codec,
    /// The page in the making.
    body: &'a mut Vec<u8>,
    dictionary: Pages<Vec<u8>>,
    data: Pages<Vec<u8>>,
    /// Data pages that another chunk has as well, instead of own ones.
    adopted: Option<Pages<Bytes>>,
}

impl<'a> ChunkWriter<'a> {
    pub(super) fn new(
        table: &'static Table,
        column: &'static Column,
        encodings: Encodings,
        descriptor: ColumnDescPtr,
        codec: &'a mut Codec,
        body: &'a mut Vec<u8>,
    ) -> Self {
        let (dictionary, data) = (Pages::default(), Pages::default());
        ChunkWriter {
            table,
            column,
            encodings,
            descriptor,
            codec,
            body,
            dictionary,
            data,
            adopted: None,
        }
    }

    /// The column that the chunk is of.
    pub(super) fn column(&self) -> &'static Column {
        self.column
    }

    /// Which encodings it may have.
    pub(super) fn encodings(&self) -> Encodings {
        self.encodings
    }

    /// An error that names the column.
    #[cold]
    pub(super) fn refuse(&self, what: &'static str) -> Error {
        let column = format!("{}.{}", self.table.name, self.column.name);
        Error::new(ErrorKind::Value { column, what })
    }

    /// The chunk's rows.
    pub(super) fn rows<'n>(
        &self,
        len: usize,
        nulls: Option<&'n NullBuffer>,
    ) -> Result<Rows<'n>, Error> {
        self.check(Rows::new(len, nulls))
    }

    /// The chunk's rows, all of them null.
    pub(super) fn null_rows(&self, len: usize) -> Result<Rows<'static>, Error> {
        self.check(Rows::all_null(len))
    }

    fn check<'n>(&self, rows: Rows<'n>) -> Result<Rows<'n>, Error> {
        if rows.nulls() > 0 && !self.column.nullable {
            return Err(self.refuse("it is null where no null may stand"));
        }
        Ok(rows)
    }

    /// Adds a data page of these rows. `values` appends those of their values that are not null, in that
    /// `encoding`. If all are null, it is asked only for indices into a dictionary.
    pub(super) fn data_page(
        &mut self,
        rows: &Rows<'_>,
        page: &PageRows,
        encoding: Encoding,
        values: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        self.body.clear();
        if self.column.nullable {
            levels::write(self.body, rows.valid(), page.rows.clone());
        }
        // A plain page of no values is the one that every reader knows how to read. In a chunk with a dictionary
        // some want indices in each page.
        let encoding = match page.values.is_empty() && encoding != Encoding::RLE_DICTIONARY {
            true => Encoding::PLAIN,
            false => {
                values(self.body);
                encoding
            }
        };
        self.end_page(Page::Data { rows: page.rows.len(), encoding })
    }

    /// Makes the dictionary page, of that many values, which `values` appends in plain encoding.
    pub(super) fn dictionary_page(
        &mut self,
        count: usize,
        values: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        self.body.clear();
        values(self.body);
        self.end_page(Page::Dictionary { values: count })
    }

    /// Compresses the page and puts its header before it.
    fn end_page(&mut self, page: Page) -> Result<(), Error> {
        let uncompressed = self.body.len();
        let (pages, page_type, encoding) = match page {
            Page::Data { encoding, .. } => (&mut self.data, PageType::DATA_PAGE, encoding),
            Page::Dictionary { .. } => {
                (&mut self.dictionary, PageType::DICTIONARY_PAGE, Encoding::PLAIN)
            }
        };
        let out = &mut pages.bytes;
        let mut header = Vec::with_capacity(MAX_HEADER);
        let compressed = match self.codec.compress(self.body, MAX_HEADER)? {
            None => {
                page::header(&mut header, page, uncompressed, uncompressed);
                reserve_first(out, header.len() + uncompressed);
                out.extend_from_slice(&header);
                out.extend_from_slice(self.body);
                uncompressed
            }
            // The header goes into the gap, right before the compressed bytes.
            Some(behind_gap) => {
                let compressed = behind_gap.len() - MAX_HEADER;
                page::header(&mut header, page, uncompressed, compressed);
                let start = MAX_HEADER - header.len();
                behind_gap[start..MAX_HEADER].copy_from_slice(&header);
                reserve_first(out, header.len() + compressed);
                out.extend_from_slice(&behind_gap[start..]);
                compressed
            }
        };
        pages.uncompressed += header.len() + uncompressed;
        match pages.made.iter_mut().find(|made| made.encoding == encoding) {
            Some(same) => same.count += 1,
            None => pages.made.push(PageEncodingStats { page_type, encoding, count: 1 }),
        }
        if i32::try_from(uncompressed.max(compressed)).is_err() {
            return Err(self.refuse(TOO_LONG));
        }
        Ok(())
    }

    /// Takes the data pages of another chunk, in which all rows have the same places in the dictionary.
    pub(super) fn adopt(&mut self, pages: &Pages<Bytes>) {
        debug_assert!(self.data.made.is_empty());
        self.adopted = Some(pages.clone());
    }

    /// Ends the chunk.
    pub(super) fn finish(self, rows: &Rows<'_>, bounds: Bounds) -> Result<Chunk, Error> {
        self.finish_shared(rows, bounds).map(|(chunk, _)| chunk)
    }

    /// Ends the chunk and gives its data pages also to others.
    pub(super) fn finish_shared(
        self,
        rows: &Rows<'_>,
        bounds: Bounds,
    ) -> Result<(Chunk, Pages<Bytes>), Error> {
        let data = self.adopted.unwrap_or_else(|| {
            let Pages { bytes, uncompressed, made } = self.data;
            Pages { bytes: bytes.into(), uncompressed, made }
        });
        let dictionary = self.dictionary;
        let compressed = dictionary.bytes.len() + data.bytes.len();
        let made: Vec<_> = dictionary.made.iter().chain(&data.made).cloned().collect();
        // Run lengths are those of levels and indices.
        let encodings = made.iter().map(|made| made.encoding).chain([Encoding::RLE]).collect();
        let statistics = bounds.statistics(self.descriptor.physical_type(), rows.nulls() as u64);
        let metadata = ColumnChunkMetaData::builder(self.descriptor)
            .set_compression(self.codec.parquet())
            .set_encodings(encodings)
            .set_page_encoding_stats(made)
            .set_num_values(rows.len() as i64)
            .set_total_compressed_size(compressed as i64)
            .set_total_uncompressed_size((dictionary.uncompressed + data.uncompressed) as i64)
            .set_dictionary_page_offset((!dictionary.bytes.is_empty()).then_some(0))
            .set_data_page_offset(dictionary.bytes.len() as i64)
            .set_statistics(statistics)
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: compressed as u64,
            rows_written: rows.len() as u64,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        let bytes = ChunkData { dictionary: dictionary.bytes.into(), pages: data.bytes.clone() };
        Ok((Chunk { data: bytes, close }, data))
    }
}

/// What is wrong with a value that makes a page too long.
pub(super) const TOO_LONG: &str = "it is a text of 2 GiB";

/// Makes room in an empty vector for just that much: mostly one page is all there is.
fn reserve_first(out: &mut Vec<u8>, size: usize) {
    if out.is_empty() {
        out.reserve_exact(size);
    }
}
