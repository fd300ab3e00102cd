//! Tar archives: each of their files is a range of the archive, which is read in place.

use super::{archive::Entry, packing::Unpacked, spool::Spool, watched::Failure};
use crate::FileInput;
use heapquarry_formats::{Code, Input, Log};
use std::{
    fmt,
    io::{self, Read},
};
use tar::{Archive, EntryType, PaxExtensions};

/// Bytes that tell an archive: its first header.
pub(super) const BLOCK: usize = 512;

/// Most bytes of a name, and of what stands beside it, that are read.
const LONGEST_NAME: u64 = 64 << 10;

/// Whether `head` is the start of an archive in a form of POSIX or GNU.
pub(super) fn recognises(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

/// The files of an archive, in its order. What cannot be read is logged.
///
/// # Errors
///
/// If the archive cannot be read.
pub(super) fn list(archive: &FileInput, to: &Spool<'_>, log: &mut Log) -> io::Result<Vec<Entry>> {
    let failure = Failure::default();
    let reader = failure.watch(to.spooling().guard(archive).reader());
    let mut archived = Archive::new(reader);
    let mut files = Vec::new();
    // The name and the size of the next file, if its header has no room for them, and where the next header is.
    let (mut long_name, mut long_size, mut end) = (None, None, 0u64);
    for header in archived.entries_with_seek()?.raw(true) {
        failure.check()?;
        let entry = match header {
            Ok(entry) => entry,
            Err(error) => {
                lost(log, &format!("what follows byte {end}"), &error);
                return Ok(files);
            }
        };
        let (start, size) = (entry.raw_file_position(), entry.size());
        end = start.saturating_add(size).saturating_add(BLOCK as u64 - 1) / BLOCK as u64
            * BLOCK as u64;
        let kind = entry.header().entry_type();
        match kind {
            EntryType::GNULongName | EntryType::XHeader => {
                let mut text = Vec::new();
                entry.take(LONGEST_NAME).read_to_end(&mut text)?;
                failure.check()?;
                long_name = name_in(&text, kind).or(long_name);
                long_size = size_in(&text, kind).or(long_size);
                continue;
            }
            EntryType::GNULongLink | EntryType::XGlobalHeader => continue,
            _ => {}
        }
        let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
        let name = String::from_utf8_lossy(&name).into_owned();
        if long_size.take().is_some_and(|told| told != size) {
            // Where the next header is, the crate takes from this one.
            lost(log, &format!("{name:?} and what follows"), &"it has 8 GiB or more");
            return Ok(files);
        }
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
    failure.check()?;
    // It ends with blocks of zeros.
    if archive.size() < end.saturating_add(BLOCK as u64) {
        lost(log, "its end", &format!("it stops after {} bytes", archive.size()));
    }
    Ok(files)
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
    use std::io::Write;
    use tar::{Builder, Header};

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
        let spooling = Spooling::to_temp(None);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut log = Log::default();
        let spool = Spool::new(&spooling);
        let entries = list(&FileInput::open(file).unwrap(), &spool, &mut log).unwrap();
        let size = |content| match content {
            Unpacked::Spooled(input, _) => input.size(),
            Unpacked::Unknown(_) => unreachable!("nothing is unpacked"),
        };
        let entries = entries.into_iter().map(|entry| (entry.name, size(entry.content)));
        (entries.collect(), log.into_entries().into_iter().map(|entry| entry.message).collect())
    }

    #[test]
    fn a_size_beyond_the_header_is_told() {
        for (size, whole) in [("3", true), ("9663676416", false)] {
            let mut tar = Builder::new(Vec::new());
            tar.append_pax_extensions([("size", size.as_bytes())]).unwrap();
            let mut header = Header::new_ustar();
            header.set_size(3);
            tar.append_data(&mut header, "large", &b"abc"[..]).unwrap();
            let (files, messages) = listed(&tar.into_inner().unwrap());
            assert_eq!(files.len(), usize::from(whole), "{size}: {files:?}");
            assert_eq!(messages.is_empty(), whole, "{messages:?}");
            assert!(whole || messages[0].contains("\"large\" and what follows"), "{messages:?}");
        }
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
                told("what follows byte 1024 cannot be read: archive header checksum mismatch"),
            ),
            (
                &bytes[..1024],
                vec![("a", 3)],
                told("its end cannot be read: it stops after 1024 bytes"),
            ),
            (
                &bytes[..1100],
                vec![("a", 3)],
                told("what follows byte 1024 cannot be read: failed to read entire block"),
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
