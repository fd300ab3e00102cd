//! A temporary file for what does not stay in memory.

use crate::{RunOptions, file::OpenFile, spool_limit::SpoolLimit};
use heapquarry_formats::Scratch;
use heapquarry_tables::sync::unpoisoned;
use std::{
    fmt, io,
    path::PathBuf,
    sync::{Mutex, OnceLock},
};

/// An unnamed temporary file, created when it is first needed.
pub struct ScratchFile {
    dir: PathBuf,
    /// Bytes that it holds at most.
    limit: u64,
    file: OnceLock<OpenFile>,
    /// Bytes in it.
    len: Mutex<u64>,
    /// Why bytes could not be read back, the first time.
    failed: Mutex<Option<io::Error>>,
}

impl ScratchFile {
    /// In this folder, for an input of so many bytes, which may be in a temporary file too: both together keep
    /// [`max_spool`](RunOptions::max_spool).
    pub fn new(dir: PathBuf, run: &RunOptions, input: u64) -> Self {
        let limit = run.max_spool.map_or(u64::MAX, |limit| limit.saturating_sub(input));
        let (file, len, failed) = (OnceLock::new(), Mutex::new(0), Mutex::new(None));
        ScratchFile { dir, limit, file, len, failed }
    }

    /// Why bytes could not be read back, the first time, unless that has been asked. What was made of them is wrong.
    pub fn take_failure(&self) -> Option<io::Error> {
        unpoisoned(self.failed.lock()).take()
    }

    fn read_back(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.file()?.read_at(bytes, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => {
                    bytes = &mut bytes[read..];
                    offset += read as u64;
                }
            }
        }
        Ok(())
    }

    fn file(&self) -> io::Result<&OpenFile> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = OpenFile::temporary(tempfile::tempfile_in(&self.dir)?);
        Ok(self.file.get_or_init(|| file))
    }
}

impl Scratch for ScratchFile {
    fn room(&self) -> u64 {
        // There is none in a folder that cannot be written.
        self.file().map_or(0, |_| self.limit)
    }

    fn put(&self, bytes: &[u8]) -> io::Result<u64> {
        // Locked while it writes: bytes come from one thread at a time.
        let mut len = unpoisoned(self.len.lock());
        let at = *len;
        let end = at.saturating_add(bytes.len() as u64);
        if end > self.limit {
            let (dir, limit) = (self.dir.clone(), self.limit);
            return Err(SpoolLimit { dir, limit, rule: String::new() }.into());
        }
        self.file()?.write_all_at(bytes, at)?;
        *len = end;
        Ok(at)
    }

    fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.read_back(bytes, offset).map_err(|error| {
            let told = io::Error::new(error.kind(), error.to_string());
            unpoisoned(self.failed.lock()).get_or_insert(error);
            told
        })
    }
}

impl fmt::Debug for ScratchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchFile").field("dir", &self.dir).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_back_and_the_limit_holds() {
        let run = RunOptions::default().max_spool(10);
        let scratch = ScratchFile::new(std::env::temp_dir(), &run, 3);
        assert_eq!(scratch.room(), 7);
        let pieces = [&b"ab"[..], b"", b"cde"];
        let offsets = pieces.map(|piece| scratch.put(piece).unwrap());
        assert_eq!(offsets, [0, 2, 2]);
        assert!(scratch.put(b"xyz").is_err());
        for (piece, offset) in pieces.into_iter().zip(offsets) {
            let mut read = vec![0; piece.len()];
            scratch.read(&mut read, offset).unwrap();
            assert_eq!(read, piece);
        }
        assert!(scratch.take_failure().is_none());
        assert!(scratch.read(&mut [0; 3], 4).is_err());
        assert!(scratch.take_failure().is_some() && scratch.take_failure().is_none());
    }
}
