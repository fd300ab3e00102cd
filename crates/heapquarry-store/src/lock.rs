//! The lock of an entry: shared by those that use it, or held alone by the process that makes or removes it.
//!
//! The holder alone may remove the file. A lock counts only if its path still leads to the locked file; otherwise it is
//! taken anew.
//!
//! Other users may be able to write to the folder of a batch: only a plain file of this user is opened.

use heapquarry_sink::{careful, same_file, same_owner};
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
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or locked, or is something else than a file of this user.
    pub(crate) fn take(path: &Path, mode: Mode) -> io::Result<Option<Self>> {
        loop {
            let mut file = open(path)?;
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
    pub(crate) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether somebody holds the lock.
pub(crate) fn is_held(path: &Path) -> bool {
    let file = careful(OpenOptions::new().read(true).write(true)).open(path);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The process that last held the lock alone.
pub(crate) fn holder(path: &Path) -> Option<u32> {
    let mut text = String::new();
    let file = careful(OpenOptions::new().read(true)).open(path).ok()?;
    file.take(16).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

/// Opens the file of a lock, or creates it.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let opened = careful(options.read(true).write(true).create(true)).open(path);
    // A link or a folder cannot be opened.
    let there = match &opened {
        Ok(file) => file.metadata(),
        Err(_) => fs::symlink_metadata(path),
    };
    let why = match there {
        Ok(there) if !is_plain(&there) => "is no plain file",
        Ok(there) if opened.is_ok() && !is_own(&there, path)? => "belongs to another user",
        _ => return opened,
    };
    Err(io::Error::other(format!("{} {why}; remove it", path.display())))
}

/// Whether it is a file with a single name: what it holds is replaced.
fn is_plain(file: &Metadata) -> bool {
    #[cfg(unix)]
    let has_other_names = std::os::unix::fs::MetadataExt::nlink(file) > 1;
    #[cfg(not(unix))]
    let has_other_names = false;
    file.is_file() && !has_other_names
}

/// Whether the file is of this user, or of the owner of its folder, who can replace it anyway.
fn is_own(file: &Metadata, path: &Path) -> io::Result<bool> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Some file systems show other owners than those who write: a new file tells.
    Ok(same_owner(file, &fs::metadata(folder)?)
        || same_owner(file, &tempfile::tempfile_in(folder)?.metadata()?))
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
    #[cfg(unix)]
    #[test]
    fn what_others_have_planted_is_refused_and_stays() {
        use std::os::unix::fs::{chown, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (path, precious) = (dir.path().join("_lock"), dir.path().join("precious"));
        let nowhere = dir.path().join("nowhere");
        fs::write(&precious, "precious").unwrap();
        let fifo = || std::process::Command::new("mkfifo").arg(&path).status().map(drop);
        let foreign = || fs::write(&path, "").and_then(|()| chown(&path, Some(4711), None));
        let plants: [(&str, &dyn Fn() -> io::Result<()>); 6] = [
            ("is no plain file", &|| symlink(&nowhere, &path)),
            ("is no plain file", &|| symlink(&precious, &path)),
            ("is no plain file", &|| fs::hard_link(&precious, &path)),
            ("is no plain file", &|| fs::create_dir(&path)),
            ("is no plain file", &fifo),
            ("belongs to another user", &foreign),
        ];
        for (at, (why, plant)) in plants.into_iter().enumerate() {
            // Only some users may make a file of another one.
            if plant().is_ok() {
                for mode in [Mode::Shared, Mode::Alone] {
                    let error = Lock::take(&path, mode).unwrap_err().to_string();
                    assert_eq!(error, format!("{} {why}; remove it", path.display()), "{at}");
                }
                assert!(!is_held(&path), "{at}");
            }
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
            assert_eq!(fs::read(&precious).unwrap(), b"precious", "{at}");
            assert!(!nowhere.exists(), "{at}");
        }
        assert!(Lock::take(&path, Mode::Alone).unwrap().is_some());
    }
}
