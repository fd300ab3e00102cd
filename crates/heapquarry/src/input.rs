//! Opens inputs: files as they are; pipes, gzip and zstd streams decoded into an unnamed temporary file first, so that
//! everything can be read at a position.

use crate::{Error, ErrorKind, Result};
use heapquarry_formats::{Code, Input, Log};
use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
    path::{Path, PathBuf},
};

/// An input that can be read at any position.
pub(crate) struct Opened {
    /// As given; `-` for standard input.
    pub(crate) path: PathBuf,
    /// File name, without what says that it was packed.
    pub(crate) name: String,
    pub(crate) input: FileInput,
    /// What was wrong with its packing.
    pub(crate) log: Log,
}

/// A file read at positions.
pub(crate) struct FileInput {
    file: File,
    len: u64,
}

impl Input for FileInput {
    fn size(&self) -> u64 {
        self.len
    }

    #[cfg(unix)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buf, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buf, offset)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

/// By the first bytes: RFC 1952, RFC 8878 (a frame, or a skippable frame before it).
fn packing(head: &[u8]) -> Packing {
    match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
        _ => Packing::None,
    }
}

/// Opens a file, or standard input if the path is `-`. What has to be spooled goes to `spool_dir`.
pub(crate) fn open(path: &Path, spool_dir: &Path) -> Result<Opened> {
    let fail = |doing| {
        move |source| Error::new(ErrorKind::Input { path: path.to_path_buf(), doing, source })
    };
    let mut name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if path == Path::new("-") {
        name = "stdin".into();
        let mut stdin = io::stdin().lock();
        let head = head(&mut stdin).map_err(fail("read"))?;
        let packing = packing(&head);
        let (input, log) =
            spool(io::Cursor::new(head).chain(stdin), packing, spool_dir).map_err(fail("spool"))?;
        return Ok(Opened { path: path.into(), name, input, log });
    }
    let mut file = File::open(path).map_err(fail("open"))?;
    let metadata = file.metadata().map_err(fail("open"))?;
    if metadata.is_dir() {
        return Err(fail("read")(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let head = head(&mut file).map_err(fail("read"))?;
    let packing = packing(&head);
    if metadata.is_file() && packing == Packing::None {
        let input = FileInput { file, len: metadata.len() };
        return Ok(Opened { path: path.into(), name, input, log: Log::default() });
    }
    if packing != Packing::None {
        for suffix in [".gz", ".zst"] {
            if let Some(stem) = name.strip_suffix(suffix) {
                name = stem.into();
                break;
            }
        }
    }
    let whole = io::Cursor::new(head).chain(file);
    let (input, log) = spool(whole, packing, spool_dir).map_err(fail("spool"))?;
    Ok(Opened { path: path.into(), name, input, log })
}

/// The first bytes, fewer only if there are no more.
fn head(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(4).read_to_end(&mut head)?;
    Ok(head)
}

/// Decodes a stream into an unnamed temporary file. A damaged stream gives what comes before the damage.
fn spool(reader: impl Read, packing: Packing, dir: &Path) -> io::Result<(FileInput, Log)> {
    let mut log = Log::default();
    let mut file = tempfile::tempfile_in(dir)?;
    let len = match packing {
        Packing::None => copy(reader, &mut file)?.0,
        Packing::Gzip | Packing::Zstd => {
            let reader = BufReader::with_capacity(1 << 20, reader);
            let (len, damage) = if packing == Packing::Gzip {
                copy(flate2::bufread::MultiGzDecoder::new(reader), &mut file)?
            } else {
                copy(zstd::stream::read::Decoder::with_buffer(reader)?, &mut file)?
            };
            if let Some(damage) = damage {
                log.add(Code::CompressedDamaged, len, || {
                    format!("only {len} bytes could be unpacked: {damage}")
                });
            }
            len
        }
    };
    Ok((FileInput { file, len }, log))
}

/// Copies to the end, or to where reading fails; writing must not fail.
fn copy(mut reader: impl Read, file: &mut File) -> io::Result<(u64, Option<io::Error>)> {
    let mut buf = vec![0; 256 << 10];
    let mut len = 0;
    loop {
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

/// XXH3-128 of the length and of 64 blocks of 64 KiB spread evenly over the input, the first and the last among
/// them; of all bytes if there are no more than that. Tells files apart at no cost; it is no proof of integrity.
pub(crate) fn fingerprint(input: &dyn Input) -> io::Result<String> {
    const BLOCK: u64 = 64 << 10;
    const BLOCKS: u64 = 64;
    let len = input.size();
    let mut hash = xxhash_rust::xxh3::Xxh3Default::new();
    hash.update(&len.to_le_bytes());
    let mut block = vec![0; BLOCK as usize];
    let mut update = |from: u64, to: u64| {
        let mut at = from;
        while at < to {
            let room = (to - at).min(BLOCK) as usize;
            match input.read_at(&mut block[..room], at)? {
                0 => break,
                n => {
                    hash.update(&block[..n]);
                    at += n as u64;
                }
            }
        }
        io::Result::Ok(())
    };
    if len <= BLOCK * BLOCKS {
        update(0, len)?;
    } else {
        for i in 0..BLOCKS {
            // In 128 bits, as a length times a block number may not fit 64.
            let from = (u128::from(len - BLOCK) * u128::from(i) / u128::from(BLOCKS - 1)) as u64;
            update(from, from + BLOCK)?;
        }
    }
    Ok(format!("xxh3:{:032x}", hash.digest128()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_told_by_the_first_bytes() {
        for (head, expected) in [
            (&b"{\"sn"[..], Packing::None),
            (b"", Packing::None),
            (b"\x1f\x8b\x08\x00", Packing::Gzip),
            (b"\x28\xb5\x2f\xfd", Packing::Zstd),
            (b"\x54\x2a\x4d\x18", Packing::Zstd),
            (b"\x1f", Packing::None),
        ] {
            assert_eq!(packing(head), expected);
        }
    }

    #[test]
    fn fingerprints_differ_in_length_and_in_the_sampled_bytes() {
        let base = vec![7u8; 10 << 20];
        let print = |bytes: &Vec<u8>| fingerprint(bytes).unwrap();
        let mut seen = std::collections::HashSet::from([print(&base)]);
        for change in [0, 5, (10 << 20) - 1] {
            let mut other = base.clone();
            other[change] = 8;
            assert!(seen.insert(print(&other)), "byte {change}");
        }
        assert!(seen.insert(print(&base[1..].to_vec())));
        assert!(seen.insert(print(&b"abc".to_vec())) && seen.insert(print(&b"abd".to_vec())));
    }
}
