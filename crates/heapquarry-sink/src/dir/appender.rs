//! A file that is written at its end only.

use super::syncer::Syncer;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};
use xxhash_rust::xxh3::Xxh3Default;

/// Size of a write in bytes.
const PIECE: usize = 64 << 10;
/// Number of bytes after which the system is asked to write to the disk.
const SYNC: usize = 16 << 20;

/// The location of a file.
#[derive(Clone)]
pub(super) struct FilePaths {
    /// The directory being written.
    pub(super) root: PathBuf,
    /// The file, below the root.
    pub(super) path: PathBuf,
    /// Its final name, for errors.
    pub(super) shown: PathBuf,
}

impl FilePaths {
    /// Creates the directories between the root and the file. Does not create a missing root: another run may have
    /// removed it as a leftover.
    fn make_parents(&self) -> io::Result<()> {
        let below = self.path.strip_prefix(&self.root).unwrap_or(&self.path);
        let parents: Vec<_> =
            below.ancestors().skip(1).filter(|p| !p.as_os_str().is_empty()).collect();
        for parent in parents.into_iter().rev() {
            match fs::create_dir(self.root.join(parent)) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }
}

/// What has been appended to a file, whether or not it is still in a buffer.
#[derive(Clone, Default)]
pub(super) struct Appended {
    /// Number of bytes.
    pub(super) len: u64,
    /// Their checksum, to which more can be added.
    pub(super) xxh3: Xxh3Default,
}

/// Appends to a file in large pieces; can close the file in between.
pub(super) struct Appender {
    paths: FilePaths,
    file: Option<File>,
    buffer: Vec<u8>,
    appended: Appended,
    syncer: Arc<Syncer>,
    /// Bytes since the system was last asked to write to the disk.
    unsynced: usize,
}

impl Appender {
    /// Creates the file and the directories on its path.
    pub(super) fn create(paths: FilePaths, syncer: Arc<Syncer>) -> io::Result<Self> {
        paths.make_parents()?;
        let file = Some(OpenOptions::new().append(true).create_new(true).open(&paths.path)?);
        Ok(Appender {
            paths,
            file,
            buffer: Vec::new(),
            appended: Appended::default(),
            syncer,
            unsynced: 0,
        })
    }

    /// Bytes written so far, which is the offset of the next ones.
    pub(super) fn len(&self) -> u64 {
        self.appended.len
    }

    /// What has been written so far.
    pub(super) fn appended(&self) -> &Appended {
        &self.appended
    }

    /// Appends bytes. Small pieces are buffered, large ones are written directly.
    pub(super) fn append(&mut self, data: &[u8]) -> io::Result<()> {
        if self.buffer.len() + data.len() > PIECE {
            self.write_out()?;
        }
        match data.len() {
            ..=PIECE => self.buffer.extend_from_slice(data),
            _ => self.write_through(data)?,
        }
        self.appended.len += data.len() as u64;
        self.appended.xxh3.update(data);
        Ok(())
    }

    /// Truncates to what had been appended at an earlier time.
    pub(super) fn truncate(&mut self, appended: Appended) -> io::Result<()> {
        self.write_out()?;
        self.file()?.set_len(appended.len)?;
        self.appended = appended;
        Ok(())
    }

    /// The file, opened again if it was closed.
    fn file(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => OpenOptions::new().append(true).open(&self.paths.path)?,
        };
        Ok(self.file.insert(file))
    }

    fn write_out(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let buffer = std::mem::take(&mut self.buffer);
        let written = self.write_through(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        written
    }

    fn write_through(&mut self, data: &[u8]) -> io::Result<()> {
        self.file()?.write_all(data)?;
        self.unsynced += data.len();
        if self.unsynced >= SYNC
            && let Some(file) = &self.file
        {
            self.syncer.begin(file, &self.paths.shown);
            self.unsynced = 0;
        }
        Ok(())
    }

    /// Writes the buffer, closes the file and frees the memory. The next write opens the file again.
    pub(super) fn release(&mut self) -> io::Result<()> {
        self.write_out()?;
        self.file = None;
        self.buffer = Vec::new();
        Ok(())
    }
}
