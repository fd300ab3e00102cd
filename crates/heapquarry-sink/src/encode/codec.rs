//! Compression of pages, into memory that is used again and again.

use crate::{Compression, Error};
use parquet::{
    basic::{Compression as ParquetCompression, ZstdLevel},
    errors::ParquetError,
};

/// A compressor and its output.
pub(super) struct Codec {
    kind: Kind,
    /// The last page. All of it is initialised once and then stays so.
    out: Vec<u8>,
}

enum Kind {
    Zstd(zstd::bulk::Compressor<'static>, ZstdLevel),
    Snappy(Box<snap::raw::Encoder>),
    Lz4(lz4_flex::block::CompressTable),
    None,
}

impl Codec {
    pub(super) fn new(compression: Compression) -> Self {
        let kind = match compression {
            Compression::Zstd(level) => {
                let level = level.clamp(1, 22);
                Kind::Zstd(
                    zstd::bulk::Compressor::new(level).expect("zstd takes these levels"),
                    ZstdLevel::try_new(level).expect("the parquet crate takes these levels"),
                )
            }
            Compression::Snappy => Kind::Snappy(Box::new(snap::raw::Encoder::new())),
            // Always the large table: which one is used shows in the output.
            Compression::Lz4 => Kind::Lz4(lz4_flex::block::CompressTable::large()),
            Compression::None => Kind::None,
        };
        Codec { kind, out: Vec::new() }
    }

    /// Its name in the metadata.
    pub(super) fn parquet(&self) -> ParquetCompression {
        match &self.kind {
            Kind::Zstd(_, level) => ParquetCompression::ZSTD(*level),
            Kind::Snappy(_) => ParquetCompression::SNAPPY,
            Kind::Lz4(_) => ParquetCompression::LZ4_RAW,
            Kind::None => ParquetCompression::UNCOMPRESSED,
        }
    }

    /// Gives memory back that is beyond `size`.
    pub(super) fn shrink_to(&mut self, size: usize) {
        self.out.truncate(size);
        self.out.shrink_to(size);
    }

    /// Compresses `body`; None if pages stay as they are.
    pub(super) fn compress(&mut self, body: &[u8]) -> Result<Option<&[u8]>, Error> {
        let bound = match &self.kind {
            Kind::Zstd(..) => zstd::zstd_safe::compress_bound(body.len()),
            Kind::Snappy(_) => snap::raw::max_compress_len(body.len()),
            Kind::Lz4(_) => lz4_flex::block::get_maximum_output_size(body.len()),
            Kind::None => return Ok(None),
        };
        if self.out.len() < bound {
            self.out.resize(bound, 0);
        }
        let out = &mut self.out[..];
        let compressed = match &mut self.kind {
            Kind::Zstd(zstd, _) => {
                zstd.compress_to_buffer(body, out).map_err(ParquetError::from)?
            }
            Kind::Snappy(snappy) => snappy.compress(body, out).map_err(ParquetError::from)?,
            Kind::Lz4(table) => lz4_flex::block::compress_into_with_table(body, out, table)
                .map_err(|e| ParquetError::External(Box::new(e)))?,
            Kind::None => unreachable!("returned above"),
        };
        Ok(Some(&self.out[..compressed]))
    }
}
