//! Compresses pages, into memory that is reused.

use crate::{Compression, Error};
use parquet::{
    basic::{Compression as ParquetCompression, ZstdLevel},
    errors::ParquetError,
};
use std::io;
use zstd::zstd_safe::{CCtx, CParameter, Strategy, compress_bound, get_error_name};

/// A compressor and its output.
pub(super) struct Codec {
    kind: Kind,
    /// The last page; bytes after it are unspecified.
    out: Vec<u8>,
}

/// Content of a page, as far as it matters for match finding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Indices, differences, dictionaries of numbers: matches are frequent, and short ones are not worth it.
    Numbers,
    /// Plain integers, or labels in a repeating order: matches are long.
    Words,
    /// Texts, one after the other: matches are long, and can be far away.
    Text,
    /// Everything else, for which zstd's own parameters were chosen.
    Other,
}

/// Pages of text up to this size fit into zstd's default window.
const LONG_TEXT: usize = 256 << 10;

/// Zstd looks for a split point in blocks of 128 KiB, the largest size. For words this costs 4 % of their time and
/// gains nothing. It does not split slightly smaller blocks.
const UNSPLIT: u32 = 127 << 10;

enum Kind {
    /// The compressor, unless there was no memory for it, its level, and the content that it is set for.
    Zstd(Option<CCtx<'static>>, ZstdLevel, Content),
    Snappy(Box<snap::raw::Encoder>),
    Lz4(lz4_flex::block::CompressTable),
    None,
}

impl Codec {
    pub(super) fn new(compression: Compression) -> Self {
        let kind = match compression {
            Compression::Zstd(level) => {
                let level = level.clamp(1, 22);
                let mut zstd = CCtx::try_create();
                if let Some(zstd) = &mut zstd {
                    let level = CParameter::CompressionLevel(level);
                    zstd.set_parameter(level).expect("zstd takes these levels");
                }
                Kind::Zstd(
                    zstd,
                    ZstdLevel::try_new(level).expect("the parquet crate takes these levels"),
                    Content::Other,
                )
            }
            Compression::Snappy => Kind::Snappy(Box::new(snap::raw::Encoder::new())),
            // Always the large table: the choice of table changes the output.
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

    /// Frees memory beyond `size`.
    pub(super) fn shrink_to(&mut self, size: usize) {
        self.out.truncate(size);
        self.out.shrink_to(size);
    }

    /// Compresses a page; `None` if pages are not compressed.
    pub(super) fn compress(
        &mut self,
        body: &[u8],
        content: Content,
    ) -> Result<Option<&[u8]>, Error> {
        let content = match content {
            Content::Text if body.len() <= LONG_TEXT => Content::Other,
            content => content,
        };
        let out = &mut self.out;
        let compressed = match &mut self.kind {
            Kind::Zstd(zstd, level, set_for) => {
                let zstd = zstd.as_mut().ok_or(io::Error::from(io::ErrorKind::OutOfMemory));
                let zstd = zstd.map_err(ParquetError::from)?;
                if level.compression_level() == 1 && *set_for != content {
                    set(zstd, content).map_err(failed)?;
                    *set_for = content;
                }
                out.clear();
                out.reserve(compress_bound(body.len()));
                zstd.compress2(out, body).map_err(failed)?
            }
            Kind::Snappy(snappy) => {
                let out = initialised(out, snap::raw::max_compress_len(body.len()));
                snappy.compress(body, out).map_err(ParquetError::from)?
            }
            Kind::Lz4(table) => {
                let most = lz4_flex::block::get_maximum_output_size(body.len());
                let out = initialised(out, most);
                lz4_flex::block::compress_into_with_table(body, out, table)
                    .map_err(|e| ParquetError::External(Box::new(e)))?
            }
            Kind::None => return Ok(None),
        };
        Ok(Some(&self.out[..compressed]))
    }
}

/// The error of a code of zstd.
#[cold]
fn failed(code: usize) -> ParquetError {
    io::Error::other(get_error_name(code)).into()
}

/// At least `size` initialised bytes to write to, for compressors that need them.
fn initialised(out: &mut Vec<u8>, size: usize) -> &mut [u8] {
    if out.len() < size {
        out.resize(size, 0);
    }
    out
}

/// Sets the match finder of level 1 for that content (measured on pages of heaps, profiles and traces). Compared with
/// the level's own parameters, numbers take 2 to 9 % less time and about as many bytes; words take 5 % less time and 2
/// to 30 % fewer bytes, the smaller the heap the fewer; texts take as much time and 9 % fewer bytes.
fn set(zstd: &mut CCtx<'_>, content: Content) -> Result<(), usize> {
    use CParameter::{ChainLog, HashLog, MaxBlockSize, MinMatch, Strategy as Search, WindowLog};
    use Strategy::{ZSTD_dfast, ZSTD_fast};
    // The sizes of the hash table, of the table for shorter matches (`ChainLog`) and of the window (`WindowLog`) are
    // powers of two. 0 selects the level's value for the size of the page. No window is larger than the page.
    let parameters = match content {
        Content::Numbers => [
            Search(ZSTD_fast),
            WindowLog(0),
            HashLog(13),
            ChainLog(0),
            MinMatch(7),
            MaxBlockSize(0),
        ],
        Content::Words => [
            Search(ZSTD_dfast),
            WindowLog(0),
            HashLog(13),
            ChainLog(11),
            MinMatch(7),
            MaxBlockSize(UNSPLIT),
        ],
        Content::Text => [
            Search(ZSTD_fast),
            WindowLog(22),
            HashLog(16),
            ChainLog(0),
            MinMatch(0),
            MaxBlockSize(0),
        ],
        Content::Other => {
            [Search(ZSTD_fast), WindowLog(0), HashLog(0), ChainLog(0), MinMatch(0), MaxBlockSize(0)]
        }
    };
    parameters.into_iter().try_for_each(|parameter| zstd.set_parameter(parameter).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_tables::fallible;
    use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;

    /// Ids as in edges: of values that all objects of a shape refer to, then of a value that no other object has.
    fn page() -> Vec<u8> {
        let mut random = 1u64;
        let objects = (0..20_000u64).flat_map(|object| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let shape = (random >> 40) % 200;
            [shape, 200 + shape, 400 + shape, 600 + object]
        });
        objects.flat_map(|id| (id * 2 + 1).to_le_bytes()).collect()
    }

    /// Lines that repeat farther back than level 1 looks by default.
    fn lines() -> Vec<u8> {
        let mut random = 1u64;
        let mut line = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("let value{} = call({});", random >> 40, random >> 44)
        };
        let once: String = (0..20_000).map(|_| line()).collect();
        assert!(once.len() > 512 << 10);
        once.repeat(2).into_bytes()
    }

    /// The text by which a refusal is known where the parquet crate keeps nothing else of it.
    #[test]
    fn without_memory_zstd_says_so() {
        let refused =
            failed(0usize.wrapping_sub(ZSTD_ErrorCode::ZSTD_error_memory_allocation as usize));
        assert!(fallible::is_refusal(&Error::from(refused)));
        let mut codec = Codec::new(Compression::Zstd(1));
        let Kind::Zstd(zstd, ..) = &mut codec.kind else { panic!() };
        *zstd = None;
        let refused = codec.compress(&page(), Content::Other).unwrap_err();
        assert!(fallible::is_refusal(&refused), "{refused}");
        let other = failed(0usize.wrapping_sub(ZSTD_ErrorCode::ZSTD_error_GENERIC as usize));
        assert!(!fallible::is_refusal(&Error::from(other)));
    }

    fn sizes(compression: Compression, page: &[u8], contents: &[Content]) -> Vec<usize> {
        let mut codec = Codec::new(compression);
        let size = |&content: &Content| {
            let bytes = codec.compress(page, content).unwrap().unwrap();
            assert_eq!(zstd::bulk::decompress(bytes, page.len()).unwrap(), page);
            bytes.len()
        };
        contents.iter().map(size).collect()
    }

    #[test]
    fn level_1_searches_by_content() {
        let level = Compression::Zstd(1);
        let contents = [Content::Other, Content::Words, Content::Numbers, Content::Text];
        let [other, words, numbers, _] = sizes(level, &page(), &contents)[..] else { panic!() };
        assert!(words < other, "{words} < {other}");
        // Earlier pages must not change the result.
        let again = [Content::Numbers, Content::Other, Content::Text, Content::Words];
        let [n, o, _, w] = sizes(level, &page(), &again)[..] else { panic!() };
        assert_eq!([n, o, w], [numbers, other, words]);
        let plain = |page: &[u8]| zstd::bulk::compress(page, 1).unwrap().len();
        assert_eq!(other, plain(&page()), "the level's own parameters");

        let lines = lines();
        let [text, other] = sizes(level, &lines, &[Content::Text, Content::Other])[..] else {
            panic!()
        };
        assert!(text < other * 2 / 3, "{text}, {other}");
        let short = &lines[..LONG_TEXT];
        assert_eq!(sizes(level, short, &[Content::Text]), [plain(short)]);
    }

    #[test]
    fn other_levels_search_as_they_do() {
        for level in [2, 3, 9] {
            let plain = zstd::bulk::compress(&page(), level).unwrap().len();
            let contents = [Content::Words, Content::Numbers, Content::Text, Content::Other];
            let sizes = sizes(Compression::Zstd(level), &page(), &contents);
            assert_eq!(sizes, [plain; 4], "level {level}");
        }
    }
}
