//! Streams of one file in another form: gzip, zstd, zlib; text in UTF-16.

use super::{recognise, spool::Spool, utf16::Utf16, watched::Failure};
use crate::FileInput;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use heapquarry_formats::{ByteOffset, Code, Log};
use heapquarry_tables::fallible;
use std::io::{self, BufReader, Read, Write};
use zstd::{stream::read::Decoder as ZstdDecoder, zstd_safe::DCtx};

/// Bytes within which the content must look like a known format; otherwise no more of it is spooled.
pub(super) const PROBE_BYTES: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
    Zlib,
    Utf16 { is_big_endian: bool },
}

impl Packing {
    /// Recognises the first bytes: RFC 1952, RFC 8878 (a frame, or a skippable frame before it), RFC 1950 (32 KiB
    /// window, no dictionary, valid header checksum).
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Packing::Zstd)
            }
            // UTF-32 begins with the first of these, too.
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Packing::Utf16 { is_big_endian: false }),
            [0xfe, 0xff, ..] => Some(Packing::Utf16 { is_big_endian: true }),
            [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Some(Packing::Zlib),
            _ => None,
        }
    }

    /// The name of the file before it was compressed.
    pub(super) fn stem(name: &str) -> &str {
        let stem = [".gz", ".zst", ".zz"].into_iter().find_map(|suffix| name.strip_suffix(suffix));
        stem.filter(|stem| !stem.is_empty()).unwrap_or(name)
    }
}

/// The result of decompressing.
pub(super) enum Unpacked {
    /// All content, or the content before the damage that the log describes.
    Spooled(FileInput, Log),
    /// The content is large and of no known format; this is its start.
    Unknown(Vec<u8>),
}

/// Decompresses a stream. A damaged stream gives the content before the damage.
///
/// # Errors
///
/// If the stream cannot be read, or the spool cannot be written.
pub(super) fn unpack(
    reader: impl Read,
    packing: Option<Packing>,
    to: &Spool<'_>,
) -> io::Result<Unpacked> {
    let failure = Failure::default();
    let reader = BufReader::with_capacity(1 << 20, failure.watch(reader));
    match packing {
        Some(Packing::Utf16 { is_big_endian }) => {
            let mut reader = reader;
            reader.read_exact(&mut [0; 2])?;
            spool(Utf16::new(reader, is_big_endian), &failure, to)
        }
        None => spool(reader, &failure, to),
        Some(Packing::Gzip) => spool(MultiGzDecoder::new(reader), &failure, to),
        Some(Packing::Zlib) => spool(ZlibDecoder::new(reader), &failure, to),
        Some(Packing::Zstd) => {
            let refused = || io::Error::from(io::ErrorKind::OutOfMemory);
            let mut context = DCtx::try_create().ok_or_else(refused)?;
            spool(ZstdDecoder::with_context(reader, &mut context), &failure, to)
        }
    }
}

/// Spools what a decoder returns. Its errors are damage, except those of its input, which `failure` holds.
pub(super) fn spool(
    mut decoder: impl Read,
    failure: &Failure,
    to: &Spool<'_>,
) -> io::Result<Unpacked> {
    let mut piece = to.piece();
    let mut head = Vec::new();
    let mut damage = decoder.by_ref().take(PROBE_BYTES).read_to_end(&mut head).err();
    if head.len() as u64 == PROBE_BYTES && !recognise::may_be_known(&head) {
        return Ok(Unpacked::Unknown(head));
    }
    piece.write_all(&head)?;
    if damage.is_none() {
        damage = copy(decoder, &mut piece)?;
    }
    failure.check()?;
    let mut log = Log::default();
    if damage.as_ref().is_some_and(|damage| fallible::is_refusal(damage)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    if let Some(damage) = damage {
        damaged(&mut log, piece.len(), &damage);
    }
    Ok(Unpacked::Spooled(piece.finish()?, log))
}

/// Logs that a compressed stream could be read up to here.
fn damaged(log: &mut Log, len: u64, damage: &dyn std::fmt::Display) {
    log.add(Code::CompressedDamaged, ByteOffset(len), || {
        format!("only {len} bytes could be unpacked: {damage}")
    });
}

/// Copies up to the end or to the first read error, and returns that error. A write error fails.
fn copy(mut reader: impl Read, to: &mut impl Write) -> io::Result<Option<io::Error>> {
    let mut buf = vec![0; 256 << 10];
    loop {
        match reader.read(&mut buf) {
            Ok(0) => return Ok(None),
            Ok(n) => to.write_all(&buf[..n])?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Ok(Some(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_told_by_the_first_bytes() {
        for (head, expected) in [
            (&b"{\"sn"[..], None),
            (b"", None),
            (b"\x1f\x8b\x08\x00", Some(Packing::Gzip)),
            (b"\x28\xb5\x2f\xfd", Some(Packing::Zstd)),
            (b"\x54\x2a\x4d\x18", Some(Packing::Zstd)),
            (b"\x78\x9c\xed\xbd", Some(Packing::Zlib)),
            (b"\xff\xfe{\0", Some(Packing::Utf16 { is_big_endian: false })),
            (b"\xfe\xff\0{", Some(Packing::Utf16 { is_big_endian: true })),
            (b"\xff\xfe\0\0", None),
            (b"xy", None),
            (b"\x1f", None),
        ] {
            assert_eq!(Packing::of(head), expected);
        }
    }

    /// A stream that zstd cannot hold its window of is not damaged.
    #[test]
    fn without_memory_nothing_is_damaged() {
        struct Refused;
        impl Read for Refused {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("Allocation error : not enough memory"))
            }
        }
        let spooling = crate::Spooling::to_temp(None);
        let to = Spool::new(&spooling);
        let decoder = (&b"{\"snapshot\":{"[..]).chain(Refused);
        let error = spool(decoder, &Failure::default(), &to).err().expect("not damage");
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }

    #[test]
    fn names_lose_what_says_that_they_were_packed() {
        for (name, stem) in [
            ("a.heapsnapshot.gz", "a.heapsnapshot"),
            ("a.zst", "a"),
            (".gz", ".gz"),
            ("a.htrace", "a.htrace"),
        ] {
            assert_eq!(Packing::stem(name), stem);
        }
    }
}
