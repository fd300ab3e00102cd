//! The lock of a run: a file beside its directory, locked by the process that writes the directory.
//!
//! Only the holder of the lock of a token may touch files with that token. Other users may be able to write to the
//! parent, so a lock file is opened with [`careful`] and counts only if it is a plain file of the same owner. It can be
//! removed between opening and locking: a lock counts only if its path still leads to the locked file.

use super::{
    careful::{careful, same_file, same_owner},
    unfinished::Unfinished,
};
use std::{
    fs::{self, File, Metadata, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// A held lock. Dropping it removes the file.
pub(super) struct Lock {
    path: PathBuf,
    file: File,
    _unfinished: Unfinished,
}

impl Lock {
    /// Creates a new lock. `None` if a file of that name exists, or another run took the file for a leftover before it
    /// was locked.
    pub(super) fn create(path: PathBuf) -> io::Result<Option<Self>> {
        let new = |path: &Path| careful(OpenOptions::new().write(true).create_new(true)).open(path);
        let (file, unfinished) = match Unfinished::make(&path, remove_file, new) {
            Ok(made) => made,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(e) => return Err(e),
        };
        match file.try_lock() {
            // A file system without locks: other runs cannot lock the file either, so they leave it alone.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self::locked(path, file, unfinished)),
            Err(TryLockError::WouldBlock) => Ok(None),
        }
    }

    /// Takes the lock of a dead run; creates a missing one. `None` if the run is alive, or a run of the same user did
    /// not make the file; `like` is a file of this run.
    pub(super) fn of_dead_run(path: PathBuf, like: &Metadata) -> Option<Self> {
        let found = careful(OpenOptions::new().write(true)).open(&path);
        let file = match found {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Self::create(path).ok()?,
            Err(_) => return None,
        };
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !same_owner(&metadata, like) || file.try_lock().is_err() {
            return None;
        }
        // From here on it is ours to remove.
        let (_, unfinished) = Unfinished::make(&path, remove_file, |_| Ok(())).ok()?;
        Self::locked(path, file, unfinished)
    }

    /// A lock, if the path still leads to the locked file; otherwise the file there belongs to another run.
    fn locked(path: PathBuf, file: File, unfinished: Unfinished) -> Option<Self> {
        let (held, there) = (file.metadata().ok()?, fs::symlink_metadata(&path).ok()?);
        // Not `then_some`: dropping the unused lock would remove the file.
        match same_file(&held, &there) {
            true => Some(Lock { path, file, _unfinished: unfinished }),
            false => None,
        }
    }

    /// Metadata of the lock file.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }
}

fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Before the file is closed, as others can take the lock from then on.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_lock_whose_file_was_removed_or_replaced_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = Lock::create(path.clone()).unwrap().unwrap();
        let like = lock.metadata().unwrap();
        // Another run opens it, then the first run ends, and a third run creates it again.
        let opened = || careful(OpenOptions::new().write(true)).open(&path).unwrap();
        let (first, second) = (opened(), opened());
        drop(lock);
        let note = || Unfinished::make(&path, remove_file, |_| Ok(())).unwrap().1;
        first.try_lock().unwrap();
        assert!(Lock::locked(path.clone(), first, note()).is_none());
        let third = Lock::create(path.clone()).unwrap().unwrap();
        second.try_lock().unwrap();
        assert!(Lock::locked(path.clone(), second, note()).is_none());
        assert!(path.exists(), "the third run's lock stays");
        assert!(Lock::of_dead_run(path.clone(), &like).is_none());
        drop(third);
        assert!(!path.exists());
        assert!(Lock::of_dead_run(path.clone(), &like).is_some(), "one that is missing is made");
        assert!(!path.exists());
    }

    #[test]
    fn what_is_no_lock_of_ours_is_not_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let like = fs::metadata(dir.path()).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        let refused = || {
            assert!(Lock::of_dead_run(path.clone(), &like).is_none());
            assert!(Lock::create(path.clone()).unwrap().is_none());
            assert!(fs::symlink_metadata(&path).is_ok(), "and stays");
        };
        symlink(&elsewhere, &path).unwrap();
        refused();
        assert!(!elsewhere.exists());
        fs::write(&elsewhere, "precious").unwrap();
        refused();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        refused();
        fs::remove_dir(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if made.is_ok_and(|status| status.success()) {
            refused();
        }
        assert_eq!(fs::read(&elsewhere).unwrap(), b"precious");
    }
}
