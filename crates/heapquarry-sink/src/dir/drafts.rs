//! Files that appear only when they are finished, in a directory that may hold others.

use super::{
    durable,
    lock::Lock,
    names::{Made, Names},
    place::{Inputs, Place},
    rename::{is_taken, rename_new},
    unfinished::Unfinished,
};
use crate::{Error, ErrorKind};
use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A directory to which files are added; each appears only when it is finished. A missing directory is created for its
/// owner alone, and removed again if no file is added.
///
/// Files are written in a hidden directory within it. The next run removes what a dead run has left there.
pub struct FileDir {
    /// The path that the caller gave, for messages.
    shown: PathBuf,
    names: Names,
    token: String,
    /// The hidden directory, and the directory if this run created it.
    _unfinished: (Unfinished, Option<Unfinished>),
    /// `None` once the hidden directory is removed.
    lock: Option<Lock>,
    /// Files that must not be replaced.
    inputs: Inputs,
    /// Whether this run created the directory.
    is_new: bool,
    /// Number of the next file.
    next: u64,
}

impl FileDir {
    /// Opens or creates a directory. `inputs` are files that are never replaced.
    ///
    /// # Errors
    ///
    /// If it cannot be created or written to.
    pub fn open<P: AsRef<Path>>(path: &Path, inputs: &[P]) -> Result<Self, Error> {
        let fail = |e| Error::io(path, "write to", e);
        let mut new = None;
        if !path.exists() {
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true);
            // Removing it succeeds only as long as it is empty.
            let made = Unfinished::make(path, |path| fs::remove_dir(path), |p| builder.create(p));
            new = Some(made.map_err(|e| Error::io(path, "create", e))?.1);
        }
        let names = Names::within(path).map_err(fail)?;
        let inputs = Inputs::of(inputs);
        let Made { token, lock, unfinished } = names.make().map_err(fail)?;
        let like = lock.metadata().map_err(fail)?;
        names.tidy_up(&like);
        let (shown, lock, is_new) = (path.to_owned(), Some(lock), new.is_some());
        let _unfinished = (unfinished, new);
        Ok(FileDir { shown, names, token, _unfinished, lock, inputs, is_new, next: 0 })
    }

    /// Begins a file. Fails if it exists, or with `force` replaces it when the new one is complete. Only a plain file
    /// is replaced.
    ///
    /// # Errors
    ///
    /// If it exists and must not be replaced, or cannot be written.
    pub fn create(&mut self, name: &str, force: bool) -> Result<Draft<'_>, Error> {
        let shown = self.shown.join(name);
        let target = self.names.parent.join(name);
        self.examine(&target, &shown, force)?;
        let path = self.names.partial(&self.token).join(self.next.to_string());
        self.next += 1;
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.write(true).create_new(true).open(&path);
        let file = file.map_err(|e| Error::io(&shown, "create", e))?;
        Ok(Draft { file, path, target, shown, force, dir: self })
    }

    /// Whether there is nothing, or a file that may be replaced.
    fn examine(&self, target: &Path, shown: &Path, force: bool) -> Result<(), Error> {
        match Place::beside(target, shown, force, &self.inputs)? {
            Place::New | Place::File => Ok(()),
            Place::Stream => {
                let why = "it is no plain file".into();
                Err(Error::new(ErrorKind::NotReplaced { path: shown.into(), why }))
            }
        }
    }
}

impl Drop for FileDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.names.partial(&self.token));
        self.lock = None;
        if self.is_new {
            // Succeeds only for an empty directory.
            let _ = fs::remove_dir(&self.names.parent);
        }
    }
}

/// A file under a temporary name.
pub struct Draft<'d> {
    file: File,
    path: PathBuf,
    target: PathBuf,
    shown: PathBuf,
    force: bool,
    dir: &'d mut FileDir,
}

impl Draft<'_> {
    /// Appends to the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, data: &[u8]) -> Result<(), Error> {
        self.file.write_all(data).map_err(|e| Error::io(&self.shown, "write", e))
    }

    /// Makes the file durable and renames it into place. Returns its path.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or the name was taken meanwhile.
    pub fn commit(self) -> Result<PathBuf, Error> {
        let fail = |e| Error::io(&self.shown, "write", e);
        self.file.sync_all().map_err(fail)?;
        // Something else may have come there since it was begun.
        self.dir.examine(&self.target, &self.shown, self.force)?;
        let renamed = match self.force {
            true => fs::rename(&self.path, &self.target),
            false => rename_new(&self.path, &self.target),
        };
        match renamed {
            Ok(()) => {}
            Err(e) if is_taken(&e) => {
                return Err(Error::new(ErrorKind::Exists { path: self.shown.clone() }));
            }
            Err(e) => return Err(fail(e)),
        }
        // The file is in place: at worst, a power failure undoes that.
        if let Some(parent) = self.target.parent() {
            let _: io::Result<()> = durable::sync_dir(parent);
        }
        Ok(self.shown.clone())
    }
}
