//! Tar archives: each of their files is a range of the archive, which is read in place.

use super::{archive::Entry, packing::Unpacked, spool::Spool};
use crate::FileInput;
use heapquarry_formats::{Code, Input, Log};
use std::{
    fmt,
    io::{self, Read, Seek, SeekFrom},
};
use tar::{EntryType, Header, PaxExtensions};

/// Bytes that tell an archive: its first header.
pub(super) const BLOCK: usize = 512;

/// Most bytes of a name, and of what stands beside it, that are read.
const LONGEST_NAME: u64 = 64 << 10;

/// Whether `head` is the start of an archive in a form of POSIX or GNU.
pub(super) fn recognises(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

/// What stands before a file because the file's header has no room for it. It counts for the next file.
#[derive(Default)]
struct Told {
    name: Option<Vec<u8>>,
    size: Option<u64>,
}

/// The files of an archive, in its order. What cannot be read is logged.
///
/// # Errors
///
/// If the archive cannot be read.
pub(super) fn list(archive: &FileInput, to: &Spool<'_>, log: &mut Log) -> io::Result<Vec<Entry>> {
    let mut reader = to.spooling().guard(archive).reader();
    let (mut files, mut told, mut at) = (Vec::new(), Told::default(), 0u64);
    loop {
        let header = match next_header(&mut reader, at)? {
            Next::Header(header) => header,
            Next::End => return Ok(files),
            Next::Missing => {
                lost(log, "its end", &format!("it stops after {} bytes", archive.size()));
                return Ok(files);
            }
            Next::Broken(why) => {
                lost(log, &format!("what follows byte {at}"), &why);
                return Ok(files);
            }
        };
        let kind = header.entry_type();
        let is_of_next = matches!(
            kind,
            EntryType::GNULongName
                | EntryType::GNULongLink
                | EntryType::XHeader
                | EntryType::XGlobalHeader
        );
        let told_size = if is_of_next { None } else { told.size.take() };
        let size = match told_size.map_or_else(|| header.entry_size(), Ok) {
            Ok(size) => size,
            Err(error) => {
                lost(log, &format!("what follows byte {at}"), &error);
                return Ok(files);
            }
        };
        let start = at.saturating_add(BLOCK as u64);
        at = start.saturating_add(size.div_ceil(BLOCK as u64).saturating_mul(BLOCK as u64));
        if is_of_next {
            let mut text = Vec::new();
            reader.seek(SeekFrom::Start(start))?;
            reader.by_ref().take(size.min(LONGEST_NAME)).read_to_end(&mut text)?;
            told.name = name_in(&text, kind).or(told.name);
            told.size = size_in(&text, kind).or(told.size);
            continue;
        }
        let name = told.name.take().unwrap_or_else(|| header.path_bytes().into_owned());
        let name = String::from_utf8_lossy(&name).into_owned();
        match kind {
            EntryType::GNUSparse => lost(log, &format!("{name:?}"), &"it is stored with holes"),
            EntryType::Regular | EntryType::Continuous if !is_extra(&name) => {
                if start.saturating_add(size) > archive.size() {
                    lost(log, &format!("all of {name:?}"), &"the archive ends within it");
                }
                let content = Unpacked::Spooled(archive.slice(start, size), Log::default());
                files.push(Entry { name, content });
            }
            // Folders, links and devices.
            _ => {}
        }
    }
}

/// What stands where a header should be.
enum Next {
    Header(Box<Header>),
    /// A block of zeros ends the archive.
    End,
    /// Nothing, not even the end.
    Missing,
    /// No header, and why.
    Broken(&'static str),
}

fn next_header(reader: &mut (impl Read + Seek), at: u64) -> io::Result<Next> {
    let mut block = Vec::with_capacity(BLOCK);
    reader.seek(SeekFrom::Start(at))?;
    reader.take(BLOCK as u64).read_to_end(&mut block)?;
    if block.is_empty() {
        return Ok(Next::Missing);
    }
    let Ok(block) = <[u8; BLOCK]>::try_from(block) else {
        return Ok(Next::Broken("the archive ends within a header"));
    };
    if block == [0; BLOCK] {
        return Ok(Next::End);
    }
    let header = Header::from_byte_slice(&block);
    // The sum counts itself as blanks.
    let (before, after) = (&block[..148], &block[156..]);
    let sum = before.iter().chain(after).map(|&byte| u32::from(byte)).sum::<u32>() + 8 * 32;
    Ok(match header.cksum() {
        Ok(declared) if declared == sum => Next::Header(Box::new(header.clone())),
        _ => Next::Broken("its header has another checksum"),
    })
}

/// Whether a name is that of a folder, as the first archives have them, or of what macOS adds for each file.
fn is_extra(name: &str) -> bool {
    name.ends_with('/') || super::file_name(name).starts_with("._")
}

/// The name in an entry that tells it.
fn name_in(text: &[u8], kind: EntryType) -> Option<Vec<u8>> {
    if kind == EntryType::GNULongName {
        return text.split(|&byte| byte == 0).next().map(<[u8]>::to_vec);
    }
    extension(text, b"path").map(<[u8]>::to_vec)
}

/// The size in an entry that tells it: POSIX has it there if the header has no room for it.
fn size_in(text: &[u8], kind: EntryType) -> Option<u64> {
    if kind != EntryType::XHeader {
        return None;
    }
    std::str::from_utf8(extension(text, b"size")?).ok()?.parse().ok()
}

/// The value of a key of an extended header.
fn extension<'t>(text: &'t [u8], key: &[u8]) -> Option<&'t [u8]> {
    // The last one counts.
    let known = PaxExtensions::new(text).filter_map(Result::ok);
    known.filter(|known| known.key_bytes() == key).last().map(|known| known.value_bytes())
}

fn lost(log: &mut Log, what: &str, error: &dyn fmt::Display) {
    log.add(Code::CompressedDamaged, None, || {
        format!("the tar archive: {what} cannot be read: {error}")
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spooling;
    use std::sync::Arc;
    use tar::Builder;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = Header::new_gnu();
            header.set_size(content.len() as u64);
            tar.append_data(&mut header, name, *content).unwrap();
        }
        tar.into_inner().unwrap()
    }

    /// The files of an archive with their sizes, and the messages that were logged.
    fn listed(bytes: &[u8]) -> (Vec<(String, u64)>, Vec<String>) {
        listed_in(&FileInput::of(Arc::new(bytes.to_vec())))
    }

    fn listed_in(input: &FileInput) -> (Vec<(String, u64)>, Vec<String>) {
        let (spooling, mut log) = (Spooling::to_temp(None), Log::default());
        let entries = list(input, &Spool::new(&spooling), &mut log).unwrap();
        let size = |content| match content {
            Unpacked::Spooled(input, _) => input.size(),
            Unpacked::Unknown(_) => unreachable!("nothing is unpacked"),
        };
        let entries = entries.into_iter().map(|entry| (entry.name, size(entry.content)));
        (entries.collect(), log.into_entries().into_iter().map(|entry| entry.message).collect())
    }

    /// An archive whose middle is a file of zeros that no disk has.
    struct Vast {
        before: Vec<u8>,
        zeros: u64,
        after: Vec<u8>,
    }

    impl Input for Vast {
        fn size(&self) -> u64 {
            self.before.size() + self.zeros + self.after.size()
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            let (start, end) = (self.before.size(), self.before.size() + self.zeros);
            if offset < start {
                return self.before.read_at(buf, offset);
            }
            if offset >= end {
                return self.after.read_at(buf, offset - end);
            }
            let length = buf.len().min((end - offset).min(4096) as usize);
            buf[..length].fill(0);
            Ok(length)
        }
    }

    /// Sizes of 8 GiB and more do not fit the octal digits of a header: POSIX writes them before it, GNU in base 256.
    #[test]
    fn files_of_any_size_are_read_and_what_follows_them() {
        const SIZE: u64 = 9 << 30;
        let head = |in_header: u64, before: Option<&str>| {
            let mut tar = Builder::new(Vec::new());
            let size = before.map(|size| ("size", size.as_bytes()));
            tar.append_pax_extensions(size).unwrap();
            let mut bytes = tar.into_inner().unwrap();
            // Without the blocks that end it.
            bytes.truncate(bytes.len() - 2 * BLOCK);
            let mut header = Header::new_ustar();
            header.set_path("large").unwrap();
            header.set_size(in_header);
            header.set_cksum();
            bytes.extend(header.as_bytes());
            bytes
        };
        for (form, before) in [
            ("POSIX", head(0, Some("9663676416"))),
            ("POSIX, with a size of its own in the header", head(3, Some("9663676416"))),
            ("base 256", head(SIZE, None)),
        ] {
            let vast = Vast { before, zeros: SIZE, after: archive(&[("b", b"[1]")]) };
            let input = FileInput::of(Arc::new(vast));
            let expected = [("large".to_string(), SIZE), ("b".to_string(), 3)].to_vec();
            assert_eq!(listed_in(&input), (expected, vec![]), "{form}");
        }
    }

    /// A size counts for the next file, not for the one after it, and not for what else stands before the file.
    #[test]
    fn a_size_is_that_of_the_next_file() {
        let long = "folder/".repeat(30) + "a.json";
        let mut tar = Builder::new(Vec::new());
        tar.append_pax_extensions([("size", &b"3"[..])]).unwrap();
        let mut header = Header::new_gnu();
        header.set_size(3);
        tar.append_data(&mut header, &long, &b"[1]"[..]).unwrap();
        header.set_size(600);
        tar.append_data(&mut header, "b", &[b' '; 600][..]).unwrap();
        let (files, messages) = listed(&tar.into_inner().unwrap());
        assert_eq!((files, messages), ([(long, 3), ("b".into(), 600)].to_vec(), vec![]));
    }

    #[test]
    fn files_have_their_whole_names_and_sizes() {
        let long = format!("{}/trace.json", "folder".repeat(30));
        let bytes =
            archive(&[("a.json", b"{}"), (&long, b"[1]"), ("d/._a.json", b"x"), ("e", b"")]);
        assert!(recognises(&bytes));
        let expected = [("a.json", 2), (&*long, 3), ("e", 0)];
        let expected = expected.map(|(name, size)| (name.to_string(), size)).to_vec();
        assert_eq!(listed(&bytes), (expected.clone(), vec![]));
        // The same name as POSIX writes it.
        let mut tar = Builder::new(Vec::new());
        tar.append_pax_extensions([("comment", b"x".as_slice()), ("path", long.as_bytes())])
            .unwrap();
        let mut header = Header::new_ustar();
        header.set_size(3);
        tar.append_data(&mut header, "short", &b"[1]"[..]).unwrap();
        assert_eq!(listed(&tar.into_inner().unwrap()).0, expected[1..2]);
    }

    #[test]
    fn what_is_lost_is_said() {
        let bytes = archive(&[("a", b"[1]"), ("b", &[b' '; 600])]);
        let mut bad = bytes.clone();
        bad[1024] ^= 1;
        let told = |what: &str| vec![format!("the tar archive: {what}")];
        for (bytes, files, log) in [
            (&bytes[..], vec![("a", 3), ("b", 600)], vec![]),
            (
                &bad,
                vec![("a", 3)],
                told("what follows byte 1024 cannot be read: its header has another checksum"),
            ),
            (
                &bytes[..1024],
                vec![("a", 3)],
                told("its end cannot be read: it stops after 1024 bytes"),
            ),
            (
                &bytes[..1100],
                vec![("a", 3)],
                told("what follows byte 1024 cannot be read: the archive ends within a header"),
            ),
            (
                &bytes[..1600],
                vec![("a", 3), ("b", 64)],
                [
                    told("all of \"b\" cannot be read: the archive ends within it"),
                    told("its end cannot be read: it stops after 1600 bytes"),
                ]
                .concat(),
            ),
        ] {
            let files: Vec<(String, u64)> =
                files.into_iter().map(|(name, size)| (name.to_string(), size)).collect();
            assert_eq!(listed(bytes), (files, log), "{} bytes", bytes.len());
        }
    }
}
