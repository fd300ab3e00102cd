//! A file that only grows.

use super::syncer::Syncer;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};

/// Bytes that are written at a time.
const PIECE: usize = 256 << 10;
/// Bytes after which the disk gets to work.
const SYNC: usize = 16 << 20;

/// Writes to the end of a file in large pieces; can let go of the file in between.
pub(super) struct Appender {
    path: PathBuf,
    /// Its name in errors.
    shown: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
    syncer: Arc<Syncer>,
    /// Bytes that the disk was not yet told of.
    unsynced: usize,
}

impl Appender {
    /// Makes the file `path`, and the directories to it.
    pub(super) fn create(path: PathBuf, shown: PathBuf, syncer: Arc<Syncer>) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let file = Some(OpenOptions::new().append(true).create_new(true).open(&path)?);
        Ok(Appender { path, shown, file, buffer: Vec::new(), syncer, unsynced: 0 })
    }

    fn write_out(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut file = match self.file.take() {
            Some(file) => file,
            None => OpenOptions::new().append(true).open(&self.path)?,
        };
        file.write_all(&self.buffer)?;
        self.unsynced += self.buffer.len();
        if self.unsynced >= SYNC {
            self.syncer.begin(&file, &self.shown);
            self.unsynced = 0;
        }
        self.buffer.clear();
        self.file = Some(file);
        Ok(())
    }

    /// Writes everything out, closes the file and gives the memory back. The next write opens it again.
    pub(super) fn release(&mut self) -> io::Result<()> {
        self.write_out()?;
        self.file = None;
        self.buffer = Vec::new();
        Ok(())
    }
}

impl Write for Appender {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + data.len() > PIECE {
            self.write_out()?;
        }
        self.buffer.extend_from_slice(data);
        Ok(data.len())
    }

    /// Nothing: whoever needs the bytes in the file calls [`Self::release`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
