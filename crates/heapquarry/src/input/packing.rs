//! Streams that are one packed file: gzip, zstd, zlib.

use super::{FileInput, Spooling};
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use heapquarry_formats::{Code, Log};
use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
};
use zstd::stream::read::Decoder as ZstdDecoder;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
    Zlib,
}

impl Packing {
    /// By the first bytes: RFC 1952, RFC 8878 (a frame, or a skippable frame before it), RFC 1950 (a window of 32 KiB, no
    /// dictionary, and a sum that fits).
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Packing::Zstd)
            }
            [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Some(Packing::Zlib),
            _ => None,
        }
    }

    /// The name of the file that was packed.
    pub(super) fn stem(name: &str) -> &str {
        let stem = [".gz", ".zst", ".zz"].into_iter().find_map(|suffix| name.strip_suffix(suffix));
        stem.filter(|stem| !stem.is_empty()).unwrap_or(name)
    }
}

/// Decodes a stream into an unnamed temporary file. A damaged stream gives what comes before the damage.
pub(super) fn spool(
    reader: impl Read,
    packing: Option<Packing>,
    spooling: &Spooling<'_>,
) -> io::Result<(FileInput, Log)> {
    let mut log = Log::default();
    let mut file = spooling.file()?;
    let reader = BufReader::with_capacity(1 << 20, reader);
    let (len, damage) = match packing {
        // Of what is not packed, what cannot be read is no damage, but an error.
        None => match copy(reader, &mut file, spooling)? {
            (_, Some(error)) => return Err(error),
            whole => whole,
        },
        Some(Packing::Gzip) => copy(MultiGzDecoder::new(reader), &mut file, spooling)?,
        Some(Packing::Zlib) => copy(ZlibDecoder::new(reader), &mut file, spooling)?,
        Some(Packing::Zstd) => copy(ZstdDecoder::with_buffer(reader)?, &mut file, spooling)?,
    };
    if let Some(damage) = damage {
        damaged(&mut log, len, &damage);
    }
    Ok((FileInput::new(file, len), log))
}

/// Logs that a packed stream could be read so far.
pub(super) fn damaged(log: &mut Log, len: u64, damage: &dyn std::fmt::Display) {
    log.add(Code::CompressedDamaged, len, || {
        format!("only {len} bytes could be unpacked: {damage}")
    });
}

/// Copies to the end, or to where reading fails; writing must not fail.
pub(super) fn copy(
    mut reader: impl Read,
    file: &mut File,
    spooling: &Spooling<'_>,
) -> io::Result<(u64, Option<io::Error>)> {
    let mut buf = vec![0; 256 << 10];
    let mut len = 0;
    loop {
        // Few bytes can be unpacked to very many.
        spooling.check()?;
        match reader.read(&mut buf) {
            Ok(0) => return Ok((len, None)),
            Ok(n) => {
                file.write_all(&buf[..n])?;
                len += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Ok((len, Some(e))),
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
            (b"xy", None),
            (b"\x1f", None),
        ] {
            assert_eq!(Packing::of(head), expected);
        }
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
