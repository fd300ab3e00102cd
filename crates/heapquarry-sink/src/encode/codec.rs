//! Compression of pages, into memory that is used again and again.

use crate::{Compression, Error};
use parquet::{
    basic::{Compression as ParquetCompression, ZstdLevel},
    errors::ParquetError,
};
use zstd::zstd_safe::{CParameter, Strategy};

/// A compressor and its output.
pub(super) struct Codec {
    kind: Kind,
    /// The last page. All of it is initialised once and then stays so.
    out: Vec<u8>,
}

/// What a page holds, as far as it matters to a search for repeats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Indices, differences, dictionaries of numbers: repeats are many, and short ones do not pay.
    Numbers,
    /// Whole numbers, or labels in ever the same order: repeats are long.
    Words,
    /// Text, for which zstd's own parameters were chosen, and all the rest.
    Other,
}

enum Kind {
    /// The compressor, its level, and what it is set for.
    Zstd(zstd::bulk::Compressor<'static>, ZstdLevel, Content),
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
                    Content::Other,
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
            Kind::Zstd(_, level, _) => ParquetCompression::ZSTD(*level),
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

    /// Compresses a page; None if pages stay as they are.
    pub(super) fn compress(
        &mut self,
        body: &[u8],
        content: Content,
    ) -> Result<Option<&[u8]>, Error> {
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
            Kind::Zstd(zstd, level, set_for) => {
                if level.compression_level() == 1 && *set_for != content {
                    set(zstd, content).map_err(ParquetError::from)?;
                    *set_for = content;
                }
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

/// Has level 1 search for repeats as it pays for that content (measured on pages of heaps, profiles and traces):
/// numbers take 2 to 9 % less time than with the level's own parameters and about as many bytes, words take as much
/// time and 2 to 30 % fewer bytes, the more the smaller the heap is.
fn set(zstd: &mut zstd::bulk::Compressor<'_>, content: Content) -> std::io::Result<()> {
    // Sizes of the hash table and of that for shorter repeats as powers of two, and the shortest repeat; 0 is what the
    // level has for the size of the page.
    let (strategy, hash, shorter, shortest) = match content {
        Content::Numbers => (Strategy::ZSTD_fast, 13, 0, 7),
        Content::Words => (Strategy::ZSTD_dfast, 14, 12, 7),
        Content::Other => (Strategy::ZSTD_fast, 0, 0, 0),
    };
    zstd.set_parameter(CParameter::Strategy(strategy))?;
    zstd.set_parameter(CParameter::HashLog(hash))?;
    zstd.set_parameter(CParameter::ChainLog(shorter))?;
    zstd.set_parameter(CParameter::MinMatch(shortest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids as edges have them: of what all objects of a shape refer to, then of something that no other has.
    fn page() -> Vec<u8> {
        let mut random = 1u64;
        let objects = (0..20_000u64).flat_map(|object| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let shape = (random >> 40) % 200;
            [shape, 200 + shape, 400 + shape, 600 + object]
        });
        objects.flat_map(|id| (id * 2 + 1).to_le_bytes()).collect()
    }

    fn sizes(compression: Compression, contents: &[Content]) -> Vec<usize> {
        let mut codec = Codec::new(compression);
        let size = |&content: &Content| {
            let page = page();
            let bytes = codec.compress(&page, content).unwrap().unwrap();
            assert_eq!(zstd::bulk::decompress(bytes, page.len()).unwrap(), page);
            bytes.len()
        };
        contents.iter().map(size).collect()
    }

    #[test]
    fn level_1_searches_by_content() {
        let contents = [Content::Other, Content::Words, Content::Numbers];
        let [other, words, numbers] = sizes(Compression::Zstd(1), &contents)[..] else { panic!() };
        assert!(words < other, "{words} < {other}");
        // What was compressed before does not matter.
        let again = [Content::Numbers, Content::Other, Content::Words, Content::Other];
        assert_eq!(sizes(Compression::Zstd(1), &again), [numbers, other, words, other]);
        let plain = zstd::bulk::compress(&page(), 1).unwrap().len();
        assert_eq!(other, plain, "the level's own parameters");
    }

    #[test]
    fn other_levels_search_as_they_do() {
        for level in [2, 3, 9] {
            let plain = zstd::bulk::compress(&page(), level).unwrap().len();
            let contents = [Content::Words, Content::Numbers, Content::Other];
            assert_eq!(sizes(Compression::Zstd(level), &contents), [plain; 3], "level {level}");
        }
    }
}
