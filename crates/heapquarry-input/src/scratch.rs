//! A temporary file for what does not stay in memory.

use crate::{RunOptions, file::OpenFile, spool_limit::SpoolLimit};
use heapquarry_formats::Scratch;
use heapquarry_tables::sync::unpoisoned;
use std::{
    fmt, io,
    path::PathBuf,
    sync::{Mutex, OnceLock},
};

/// An unnamed temporary file, created with the first bytes.
pub struct ScratchFile {
    dir: PathBuf,
    /// Bytes that it holds at most.
    limit: u64,
    file: OnceLock<OpenFile>,
    /// Bytes in it.
    len: Mutex<u64>,
}

impl ScratchFile {
    /// For an input of so many bytes, which may be in a temporary file too: both together keep
    /// [`max_spool`](RunOptions::max_spool).
    pub fn new(run: &RunOptions, input: u64) -> Self {
        let dir = run.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
        let limit = run.max_spool.map_or(u64::MAX, |limit| limit.saturating_sub(input));
        ScratchFile { dir, limit, file: OnceLock::new(), len: Mutex::new(0) }
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
        self.limit
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

    fn read(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let read = self.file()?.read_at(bytes, offset)?;
            bytes = &mut bytes[read..];
            offset += read as u64;
        }
        Ok(())
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
        let scratch = ScratchFile::new(&run, 3);
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
        assert!(scratch.read(&mut [0; 3], 4).is_err());
    }
}
