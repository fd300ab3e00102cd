//! Zip archives: each file in them is unpacked into one unnamed temporary file.

use super::{FileInput, Spooling, packing::copy};
use heapquarry_formats::{Code, Log};
use std::io::{self, Read, Seek, Write};
use zip::{
    ZipArchive,
    read::{ZipFile, read_zipfile_from_stream},
    result::ZipError,
};

/// A file of an archive.
pub(super) struct Entry {
    /// Its name, with its folders.
    pub(super) name: String,
    pub(super) input: FileInput,
    /// What was wrong with it.
    pub(super) log: Log,
}

/// Whether an archive begins like this: with a file, or with its end if it is empty.
pub(super) fn recognises(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Unpacks all files, in the order of the directory at the archive's end; if that is lost, in the order in which they
/// stand. What cannot be unpacked is logged.
pub(super) fn unpack(
    archive: &FileInput,
    spooling: &Spooling<'_>,
    log: &mut Log,
) -> io::Result<Vec<Entry>> {
    let mut spool = Spool { file: spooling.file()?, len: 0, entries: Vec::new() };
    let reader = || spooling.guard(archive).reader();
    match ZipArchive::new(reader()) {
        Ok(mut zip) => {
            for index in 0..zip.len() {
                match zip.by_index(index) {
                    Ok(file) => spool.add(file, spooling)?,
                    Err(error) => lost(log, &format!("file {index}"), &error),
                }
            }
        }
        Err(error) => {
            lost(log, "its directory", &error);
            // A file that is cut is behind all others; so is the damage that ends this.
            let mut reader = reader();
            let mut found = true;
            while found {
                let before = reader.stream_position()?;
                found = match read_zipfile_from_stream(&mut reader) {
                    Ok(Some(file)) => spool.add(file, spooling).map(|()| true)?,
                    Ok(None) | Err(_) => false,
                };
                found &= reader.stream_position()? > before;
            }
        }
    }
    let whole = FileInput::new(spool.file, spool.len);
    let place = |(name, start, len, log)| Entry { name, input: whole.slice(start, len), log };
    Ok(spool.entries.into_iter().map(place).collect())
}

fn lost(log: &mut Log, what: &str, error: &ZipError) {
    log.add(Code::CompressedDamaged, None, || {
        format!("the zip archive: {what} cannot be read: {error}")
    });
}

struct Spool {
    file: std::fs::File,
    len: u64,
    entries: Vec<(String, u64, u64, Log)>,
}

impl Spool {
    fn add(&mut self, file: ZipFile<'_, impl Read>, spooling: &Spooling<'_>) -> io::Result<()> {
        let name = match file.name() {
            Ok(name) => name.into_owned(),
            Err(_) => String::from_utf8_lossy(file.name_raw()).into_owned(),
        };
        // What the Finder adds to each file is none of its own.
        if file.is_dir() || name.starts_with("__MACOSX/") {
            return Ok(());
        }
        let mut log = Log::default();
        let (len, damage) = copy(file, &mut self.file, spooling)?;
        if let Some(damage) = damage {
            super::packing::damaged(&mut log, len, &damage);
        }
        self.file.flush()?;
        self.entries.push((name, self.len, len, log));
        self.len += len;
        Ok(())
    }
}
