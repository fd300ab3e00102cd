//! Zip archives: each of their files is decompressed into the spool.

use super::{
    packing::{Unpacked, spool},
    spool::Spool,
    watched::Failure,
};
use crate::FileInput;
use heapquarry_formats::{Code, Log};
use std::{
    collections::BTreeMap,
    io::{self, Read, Seek},
};
use zip::{
    ZipArchive,
    read::{ZipFile, read_zipfile_from_stream},
};

/// A file of an archive.
pub(super) struct Entry {
    /// Path in the archive, folders included.
    pub(super) name: String,
    pub(super) content: Unpacked,
}

/// Whether `head` is the start of a zip archive: a file header, or the end record of an empty archive.
pub(super) fn recognises(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Decompresses all files in the order of the central directory; if that is lost, in file order. Files that cannot be
/// decompressed are logged.
///
/// # Errors
///
/// If the archive cannot be read, or the spool cannot be written.
pub(super) fn unpack(archive: &FileInput, to: &Spool<'_>, log: &mut Log) -> io::Result<Vec<Entry>> {
    let failure = Failure::default();
    let reader = || failure.watch(to.spooling().guard(archive).reader());
    let mut entries = Vec::new();
    let directory = ZipArchive::new(reader());
    failure.check()?;
    match directory {
        Ok(mut zip) => {
            let mut taken = Taken::default();
            for index in 0..zip.len() {
                let file = zip.by_index(index);
                failure.check()?;
                match file {
                    Ok(file) if !taken.take(archive, &file)? => {
                        lost(log, &format!("file {index}"), &"it overlaps another one");
                    }
                    Ok(file) => entries.extend(entry(file, &failure, to)?),
                    Err(error) => lost(log, &format!("file {index}"), &error),
                }
            }
        }
        Err(error) => {
            lost(log, "its directory", &error);
            // A truncated file comes after all others, and so does the damage that ends this loop.
            let mut reader = reader();
            let mut found = true;
            while found {
                let before = reader.stream_position()?;
                found = match read_zipfile_from_stream(&mut reader) {
                    Ok(Some(file)) => {
                        entries.extend(entry(file, &failure, to)?);
                        true
                    }
                    Ok(None) | Err(_) => false,
                };
                failure.check()?;
                found &= reader.stream_position()? > before;
            }
        }
    }
    Ok(entries)
}

fn lost(log: &mut Log, what: &str, error: &dyn std::fmt::Display) {
    log.add(Code::CompressedDamaged, None, || {
        format!("the zip archive: {what} cannot be read: {error}")
    });
}

/// Ranges of the archive that belong to a file, by their start. Zip bombs let many files share the same bytes.
#[derive(Default)]
struct Taken(BTreeMap<u64, u64>);

impl Taken {
    /// Claims the range of a file, header included; `false` if part of it belongs to another file.
    fn take<R: Read>(&mut self, archive: &FileInput, file: &ZipFile<'_, R>) -> io::Result<bool> {
        /// Size of a header without the name, and where in it the lengths of the name and of the extra field are.
        const HEADER: u64 = 30;
        let start = file.header_start();
        let header = archive.slice(start, HEADER).head(HEADER as usize)?;
        let length =
            |at: usize| header.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
        let head = HEADER + u64::from(length(26)) + u64::from(length(28));
        let end = start.saturating_add(head).saturating_add(file.compressed_size());
        let before = self.0.range(..end).next_back();
        let is_free = before.is_none_or(|(_, &before)| before <= start);
        if is_free {
            self.0.insert(start, end);
        }
        Ok(is_free)
    }
}

/// A file; `None` for folders and for files that are never input.
fn entry(
    file: ZipFile<'_, impl Read>,
    failure: &Failure,
    to: &Spool<'_>,
) -> io::Result<Option<Entry>> {
    let name = match file.name() {
        Ok(name) => name.into_owned(),
        Err(_) => String::from_utf8_lossy(file.name_raw()).into_owned(),
    };
    // macOS adds a file of metadata for each file; those are not input.
    if file.is_dir() || name.starts_with("__MACOSX/") {
        return Ok(None);
    }
    Ok(Some(Entry { name, content: spool(file, failure, to)? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spooling;
    use std::io::{Cursor, Write};
    use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            zip.start_file(*name, options).unwrap();
            zip.write_all(content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// The files of an archive with their sizes, and the messages that were logged.
    fn unpacked(bytes: &[u8]) -> (Vec<(String, Option<u64>)>, Vec<String>) {
        use heapquarry_formats::Input;
        let spooling = Spooling::to_temp(None);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut log = Log::default();
        let spool = Spool::new(&spooling);
        let entries = unpack(&FileInput::open(file).unwrap(), &spool, &mut log).unwrap();
        let size = |content| match content {
            Unpacked::Spooled(input, _) => Some(input.size()),
            Unpacked::Unknown(_) => None,
        };
        let entries = entries.into_iter().map(|entry| (entry.name, size(entry.content)));
        (entries.collect(), log.into_entries().into_iter().map(|entry| entry.message).collect())
    }

    #[test]
    fn large_files_of_no_known_format_are_not_spooled() {
        let zip = archive(&[("a.json", b"{}"), ("large", &vec![0; 2 << 20]), ("small", b"text")]);
        let (entries, log) = unpacked(&zip);
        let expected = [("a.json", Some(2)), ("large", None), ("small", Some(4))];
        assert_eq!(entries, expected.map(|(name, size)| (name.to_string(), size)));
        assert!(log.is_empty(), "{log:?}");
    }

    #[test]
    fn files_that_share_bytes_are_refused() {
        // The second file's central directory entry points to the first file, under its own name.
        let mut zip = archive(&[("aa", b"[1]"), ("bb", b"[2]")]);
        let directory = memchr::memmem::find(&zip, b"PK\x01\x02").unwrap();
        let second =
            directory + memchr::memmem::find(&zip[directory + 4..], b"PK\x01\x02").unwrap() + 4;
        const OFFSET: usize = 42;
        zip[second + OFFSET..second + OFFSET + 4].fill(0);
        let (entries, log) = unpacked(&zip);
        assert_eq!(entries, [("aa".to_string(), Some(3))]);
        assert_eq!(log, ["the zip archive: file 1 cannot be read: it overlaps another one"]);
    }
}
