//! A column chunk: the pages of one column of one row group, and its metadata.

use super::{
    bounds::Bounds,
    codec::{Codec, Content},
    index, levels,
    page::{self, MAX_HEADER, Page},
    rows::{PageRows, Rows},
};
use crate::{Encodings, Error, ErrorKind};
use arrow_buffer::NullBuffer;
use heapquarry_tables::{Column, Table, Type};
use parquet::{
    basic::{Encoding, PageType},
    errors::ParquetError,
    file::{
        metadata::{ColumnChunkMetaData, ColumnChunkMetaDataBuilder, PageEncodingStats},
        page_index::{column_index::ColumnIndexMetaData, offset_index::OffsetIndexMetaData},
    },
    schema::types::ColumnDescPtr,
};
use std::ops::Range;

/// A finished column chunk.
pub(crate) struct Chunk {
    /// Where its pages begin among those of the row group.
    start: usize,
    /// Size of the dictionary page, which comes first; 0 if there is none.
    dictionary: usize,
    /// Its metadata, without positions.
    metadata: ColumnChunkMetaDataBuilder,
    /// Its pages, with positions relative to the chunk.
    pages: ChunkPages,
}

/// The page index of a column chunk.
pub(crate) struct ChunkPages {
    /// Bounds of the pages, if they are known.
    pub(crate) bounds: Option<ColumnIndexMetaData>,
    /// Positions and rows of the pages.
    pub(crate) positions: OffsetIndexMetaData,
}

impl Chunk {
    /// A chunk whose pages begin at byte `start` of its row group.
    pub(crate) fn new(
        start: usize,
        dictionary: usize,
        metadata: ColumnChunkMetaDataBuilder,
        pages: ChunkPages,
    ) -> Self {
        Chunk { start, dictionary, metadata, pages }
    }

    /// Its metadata in a file in which its row group begins at byte `at`.
    pub(crate) fn placed(self, at: u64) -> Result<(ColumnChunkMetaData, ChunkPages), ParquetError> {
        let Chunk { start, dictionary, metadata, mut pages } = self;
        let start = at as i64 + start as i64;
        let metadata = metadata
            .set_dictionary_page_offset((dictionary > 0).then_some(start))
            .set_data_page_offset(start + dictionary as i64)
            .build()?;
        for page in &mut pages.positions.page_locations {
            page.offset += start;
        }
        Ok((metadata, pages))
    }
}

/// A data page of a chunk.
#[derive(Clone)]
pub(super) struct DataPage {
    /// Its range in the chunk, header included.
    pub(super) bytes: Range<usize>,
    pub(super) rows: PageRows,
    /// Bounds of its values.
    pub(super) bounds: Bounds,
}

/// Data pages of a chunk that another chunk can reuse.
pub(super) struct Pages {
    /// Their range among the pages of the row group.
    bytes: Range<usize>,
    /// Their size before compression.
    uncompressed: usize,
    /// Number of pages for each encoding.
    made: Vec<PageEncodingStats>,
    data: Vec<DataPage>,
}

/// A column chunk being written.
pub(super) struct ChunkWriter<'a> {
    table: &'static Table,
    column: &'static Column,
    encodings: Encodings,
    descriptor: ColumnDescPtr,
    codec: &'a mut Codec,
    /// The body of the current page.
    body: &'a mut Vec<u8>,
    /// The pages of the row group so far.
    out: &'a mut Vec<u8>,
    /// Start of the chunk.
    start: usize,
    /// Size of the dictionary page, which comes first, compressed and uncompressed.
    dictionary: (usize, usize),
    uncompressed: usize,
    /// Number of pages for each kind and encoding.
    made: Vec<PageEncodingStats>,
    data: Vec<DataPage>,
}

impl<'a> ChunkWriter<'a> {
    pub(super) fn new(
        table: &'static Table,
        column: &'static Column,
        encodings: Encodings,
        descriptor: ColumnDescPtr,
        codec: &'a mut Codec,
        [body, out]: [&'a mut Vec<u8>; 2],
    ) -> Self {
        ChunkWriter {
            table,
            column,
            encodings,
            descriptor,
            codec,
            body,
            start: out.len(),
            out,
            dictionary: (0, 0),
            uncompressed: 0,
            made: Vec::new(),
            data: Vec::new(),
        }
    }

    /// The column of the chunk.
    pub(super) fn column(&self) -> &'static Column {
        self.column
    }

    /// The permitted encodings.
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

    /// The chunk's rows, all null.
    pub(super) fn null_rows(&self, len: usize) -> Result<Rows<'static>, Error> {
        self.check(Rows::all_null(len))
    }

    fn check<'n>(&self, rows: Rows<'n>) -> Result<Rows<'n>, Error> {
        if rows.nulls() > 0 && !self.column.nullable {
            return Err(self.refuse("null in a non-nullable column"));
        }
        Ok(rows)
    }

    /// Adds a data page of these rows. `values` appends their non-null values in that `encoding`, and returns their
    /// bounds. If all rows are null, `values` is called only for dictionary indices.
    pub(super) fn data_page(
        &mut self,
        rows: &Rows<'_>,
        page: &PageRows,
        encoding: Encoding,
        values: impl FnOnce(&mut Vec<u8>) -> Bounds,
    ) -> Result<(), Error> {
        self.body.clear();
        if self.column.nullable {
            levels::write(self.body, rows.valid(), page.rows.clone());
        }
        // Every reader supports an empty plain page. In a chunk with a dictionary, some readers require indices in each
        // page.
        let (encoding, bounds) =
            match page.values.is_empty() && encoding != Encoding::RLE_DICTIONARY {
                true => (Encoding::PLAIN, Bounds::None),
                false => (encoding, values(self.body)),
            };
        let start = self.out.len();
        self.end_page(Page::Data { rows: page.rows.len(), encoding })?;
        let bytes = start - self.start..self.out.len() - self.start;
        self.data.push(DataPage { bytes, rows: page.clone(), bounds });
        Ok(())
    }

    /// Writes the dictionary page of that many values, which `values` appends in plain encoding. It must be the first
    /// page.
    pub(super) fn dictionary_page(
        &mut self,
        count: usize,
        values: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        debug_assert!(self.made.is_empty());
        self.body.clear();
        values(self.body);
        self.end_page(Page::Dictionary { values: count })?;
        self.dictionary = (self.out.len() - self.start, self.uncompressed);
        Ok(())
    }

    /// Compresses the page and puts its header before it.
    fn end_page(&mut self, page: Page) -> Result<(), Error> {
        let uncompressed = self.body.len();
        let (page_type, encoding) = match page {
            Page::Data { encoding, .. } => (PageType::DATA_PAGE, encoding),
            Page::Dictionary { .. } => (PageType::DICTIONARY_PAGE, Encoding::PLAIN),
        };
        let mut header = Vec::with_capacity(MAX_HEADER);
        let content = self.content(page_type, encoding);
        let body = self.codec.compress(self.body, content)?.unwrap_or(self.body);
        page::header(&mut header, page, uncompressed, body.len());
        // The page index includes the header.
        if i32::try_from(uncompressed.max(header.len() + body.len())).is_err() {
            return Err(self.refuse(TOO_LONG));
        }
        self.out.extend_from_slice(&header);
        self.out.extend_from_slice(body);
        self.uncompressed += header.len() + uncompressed;
        let same = |made: &&mut PageEncodingStats| {
            made.page_type == page_type && made.encoding == encoding
        };
        match self.made.iter_mut().find(same) {
            Some(made) => made.count += 1,
            None => self.made.push(PageEncodingStats { page_type, encoding, count: 1 }),
        }
        Ok(())
    }

    /// Content of pages of that type and encoding.
    fn content(&self, page: PageType, encoding: Encoding) -> Content {
        match (self.column.ty, page, encoding) {
            (Type::Int32 | Type::Int64, PageType::DATA_PAGE, Encoding::PLAIN) => Content::Words,
            (Type::Label, PageType::DATA_PAGE, Encoding::RLE_DICTIONARY) => Content::Words,
            (.., Encoding::RLE_DICTIONARY | Encoding::DELTA_BINARY_PACKED) => Content::Numbers,
            (Type::Int32 | Type::Int64, PageType::DICTIONARY_PAGE, _) => Content::Numbers,
            (Type::Text, _, Encoding::PLAIN | Encoding::DELTA_LENGTH_BYTE_ARRAY) => Content::Text,
            _ => Content::Other,
        }
    }

    /// Repeats the data pages of another chunk whose rows all have the same dictionary indices. `bounds` returns the
    /// bounds of these rows in this chunk.
    pub(super) fn adopt(&mut self, pages: &Pages, bounds: impl Fn(&PageRows) -> Bounds) {
        let mut start = self.out.len() - self.start;
        for DataPage { bytes, rows, .. } in &pages.data {
            let bytes = start..start + bytes.len();
            start = bytes.end;
            self.data.push(DataPage { bytes, rows: rows.clone(), bounds: bounds(rows) });
        }
        self.out.extend_from_within(pages.bytes.clone());
        self.uncompressed += pages.uncompressed;
        self.made.extend(pages.made.iter().cloned());
    }

    /// The data pages so far.
    pub(super) fn pages(&self) -> Pages {
        let (dictionary, uncompressed) = self.dictionary;
        let is_data = |made: &&PageEncodingStats| made.page_type == PageType::DATA_PAGE;
        Pages {
            bytes: self.start + dictionary..self.out.len(),
            uncompressed: self.uncompressed - uncompressed,
            made: self.made.iter().filter(is_data).cloned().collect(),
            data: self.data.clone(),
        }
    }

    /// Ends the chunk.
    pub(super) fn finish(self, rows: &Rows<'_>) -> Result<Chunk, Error> {
        let (dictionary, _) = self.dictionary;
        // Levels and indices use RLE.
        let encodings = self.made.iter().map(|made| made.encoding).chain([Encoding::RLE]).collect();
        let physical = self.descriptor.physical_type();
        let pages = ChunkPages {
            bounds: index::columns(&self.data, physical)?,
            positions: index::offsets(&self.data),
        };
        let bounds = self.data.into_iter().fold(Bounds::None, |all, page| all.union(page.bounds));
        let statistics = bounds.statistics(physical, rows.nulls() as u64);
        let metadata = ColumnChunkMetaData::builder(self.descriptor)
            .set_compression(self.codec.parquet())
            .set_encodings(encodings)
            .set_page_encoding_stats(self.made)
            .set_num_values(rows.len() as i64)
            .set_total_compressed_size((self.out.len() - self.start) as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_statistics(statistics);
        Ok(Chunk { start: self.start, dictionary, metadata, pages })
    }
}

/// Why a value makes a page too long.
pub(super) const TOO_LONG: &str = "text of 2 GiB or more";
