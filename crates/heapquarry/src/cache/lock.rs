//! The lock of an entry: shared by those that use it, or held alone by the process that makes or removes it.
//!
//! The holder alone may remove the file. A lock counts only if its path still leads to the locked file; otherwise it is
//! taken anew.

use std::{
    fs::{self, File, Metadata, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Shared,
    Alone,
}

/// A held lock.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// Closing it gives the lock back.
    _file: File,
}

impl Lock {
    /// Takes a lock; `None` if others hold it.
    pub(crate) fn take(path: &Path, mode: Mode) -> io::Result<Option<Self>> {
        loop {
            let mut file =
                open(OpenOptions::new().read(true).write(true).create(true)).open(path)?;
            let taken = match mode {
                Mode::Shared => file.try_lock_shared(),
                Mode::Alone => file.try_lock(),
            };
            match taken {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            let there = match fs::symlink_metadata(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                there => there?,
            };
            if !same_file(&file.metadata()?, &there) {
                continue;
            }
            if mode == Mode::Alone {
                // For those who wait.
                let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
            }
            return Ok(Some(Lock { path: path.to_owned(), _file: file }));
        }
    }

    /// Removes the file. The lock must be held alone.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether somebody holds the lock.
pub(super) fn is_held(path: &Path) -> bool {
    let file = open(OpenOptions::new().read(true).write(true)).open(path);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The process that last held the lock alone.
pub(super) fn holder(path: &Path) -> Option<u32> {
    let mut text = String::new();
    open(OpenOptions::new().read(true)).open(path).ok()?.take(16).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

/// For the owner alone.
fn open(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

#[cfg_attr(not(unix), expect(unused_variables))]
fn same_file(a: &Metadata, b: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (a.dev(), a.ino()) == (b.dev(), b.ino())
    }
    #[cfg(not(unix))]
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_share_and_a_maker_is_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("entry.lock");
        let take = |mode| Lock::take(&path, mode).unwrap();
        let (one, two) = (take(Mode::Shared).unwrap(), take(Mode::Shared).unwrap());
        assert!(take(Mode::Alone).is_none() && is_held(&path));
        drop((one, two));
        assert!(!is_held(&path));
        let maker = take(Mode::Alone).unwrap();
        assert!(take(Mode::Shared).is_none() && take(Mode::Alone).is_none());
        assert_eq!(holder(&path), Some(std::process::id()));
        maker.remove();
        assert!(!path.exists());
        assert_eq!(holder(&path), None);
        assert!(take(Mode::Alone).is_some(), "a removed one is made anew");
    }
}
