//! The directory while it is incomplete: a hidden sibling of its final name, told from a leftover by a lock.
//!
//! Names, for an output called `NAME`, with a random token of 16 hexadecimal digits:
//!
//! * `.NAME.heapquarry-<token>.partial`: a directory being written. The file [`LOCK`] in it is locked by the
//!   living process that writes it; one whose lock can be had is a leftover.
//! * `.NAME.heapquarry-<token>.old`: what `NAME` was before it was replaced. It exists between the two renames
//!   of a replacement and until it is deleted. If `NAME` is missing then, it is put back.

use crate::{Error, ErrorKind};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions},
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Name of the lock file in an incomplete directory.
const LOCK: &str = ".heapquarry.lock";
/// What a directory of ours holds.
const MANIFEST: &str = "_manifest.json";

/// A directory that has not its final name yet. Dropping it removes it.
pub(super) struct Partial {
    /// The final name, as given.
    shown: PathBuf,
    /// The final name, absolute and not a symbolic link.
    target: PathBuf,
    names: Names,
    token: String,
    force: bool,
    /// The held lock. None once the directory has its name.
    lock: Option<File>,
}

impl Partial {
    /// Tidies up after dead runs, then makes a new incomplete directory.
    pub(super) fn create(path: &Path, force: bool) -> Result<Self, Error> {
        let names = Names::of(path)?;
        let target = names.target();
        names.tidy_up();
        check(&target, path, force)?;
        let (token, lock) = names
            .make()
            .map_err(|e| Error::io(names.parent.clone(), "create a directory in", e))?;
        Ok(Partial { shown: path.to_owned(), target, names, token, force, lock: Some(lock) })
    }

    /// Where to write.
    pub(super) fn path(&self) -> PathBuf {
        self.names.partial(&self.token)
    }

    /// The final name, as given.
    pub(super) fn shown(&self) -> &Path {
        &self.shown
    }

    /// Makes everything in the directory durable, then gives it its name.
    pub(super) fn publish(mut self) -> Result<PathBuf, Error> {
        sync_all(&self.path()).map_err(|e| Error::io(&self.shown, "write", e))?;
        let replaced = self.rename()?;
        // Only now: a directory without a locked lock would be taken for a leftover.
        let lock = self.lock.take();
        let _ = fs::remove_file(self.target.join(LOCK));
        drop(lock);
        sync_dir(&self.names.parent).map_err(|e| Error::io(&self.shown, "write", e))?;
        if replaced {
            // If this fails, the next run does it.
            let _ = fs::remove_dir_all(self.names.old(&self.token));
        }
        Ok(std::mem::take(&mut self.shown))
    }

    /// Renames to the final name; whether a directory was set aside for that.
    fn rename(&mut self) -> Result<bool, Error> {
        if cfg!(windows) {
            // Windows renames no directory with an open file in it.
            self.lock = None;
        }
        let (partial, old) = (self.path(), self.names.old(&self.token));
        for attempt in 0.. {
            check(&self.target, &self.shown, self.force)?;
            // Without force nothing is set aside, not even what was made since the check.
            let replaced = match self.force.then(|| fs::rename(&self.target, &old)) {
                None => false,
                Some(Ok(())) => true,
                Some(Err(e)) if e.kind() == io::ErrorKind::NotFound => false,
                Some(Err(e)) => return Err(self.refused(e)),
            };
            let Err(error) = fs::rename(&partial, &self.target) else { return Ok(replaced) };
            // Either it cannot be, or another run was faster just now.
            if replaced && fs::rename(&old, &self.target).is_err() {
                let _ = fs::remove_dir_all(&old);
            }
            if attempt == 3 || fs::symlink_metadata(&self.target).is_err() {
                return Err(self.refused(error));
            }
        }
        unreachable!("the last attempt returns")
    }

    fn refused(&self, error: io::Error) -> Error {
        Error::io(&self.shown, "put a directory in place as", error)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if self.lock.is_some() || cfg!(windows) {
            let path = self.path();
            if cfg!(windows) {
                self.lock = None;
            }
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Refuses a target that is not to be replaced.
fn check(target: &Path, shown: &Path, force: bool) -> Result<(), Error> {
    let io = |e| Error::io(shown, "look at", e);
    let kind = match fs::symlink_metadata(target) {
        Ok(metadata) => metadata.file_type(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(io(e)),
    };
    if !force {
        return Err(Error::new(ErrorKind::Exists { path: shown.to_owned() }));
    }
    if kind.is_dir()
        && (target.join(MANIFEST).exists() || fs::read_dir(target).map_err(io)?.next().is_none())
    {
        return Ok(());
    }
    Err(Error::new(ErrorKind::NotOurs { path: shown.to_owned() }))
}

/// The names around an output.
struct Names {
    parent: PathBuf,
    name: OsString,
}

impl Names {
    fn of(path: &Path) -> Result<Self, Error> {
        let io = |e| Error::io(path, "look at", e);
        // What a symbolic link points to is replaced, not the link.
        let path = &match path.is_symlink() {
            true => path.canonicalize().map_err(io)?,
            false => std::path::absolute(path).map_err(io)?,
        };
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => {
                Ok(Names { parent: parent.to_owned(), name: name.to_owned() })
            }
            _ => Err(Error::new(ErrorKind::Name { name: path.display().to_string() })),
        }
    }

    fn target(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    fn prefix(&self) -> OsString {
        let mut prefix = OsString::from(".");
        prefix.push(&self.name);
        prefix.push(".heapquarry-");
        prefix
    }

    fn with(&self, token: &str, suffix: &str) -> PathBuf {
        let mut name = self.prefix();
        name.push(token);
        name.push(suffix);
        self.parent.join(name)
    }

    fn partial(&self, token: &str) -> PathBuf {
        self.with(token, ".partial")
    }

    fn old(&self, token: &str) -> PathBuf {
        self.with(token, ".old")
    }

    /// Makes an incomplete directory and locks it.
    fn make(&self) -> io::Result<(String, File)> {
        loop {
            let token = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
            let path = self.partial(&token);
            match fs::create_dir(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            }
            // In the moment before it is locked, another run may take it for a leftover and remove it.
            match OpenOptions::new().write(true).create_new(true).open(path.join(LOCK)) {
                Ok(lock) => match lock.try_lock() {
                    Ok(()) => return Ok((token, lock)),
                    // A file system without locks: other runs cannot lock it either and leave it alone.
                    Err(fs::TryLockError::Error(_)) => return Ok((token, lock)),
                    Err(fs::TryLockError::WouldBlock) => {}
                },
                Err(e)
                    if e.kind() == io::ErrorKind::AlreadyExists
                        || e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => {
                    let _ = fs::remove_dir(&path);
                    return Err(e);
                }
            }
        }
    }

    /// Removes what dead runs left behind, and ends replacements that were interrupted. What cannot be
    /// removed stays.
    fn tidy_up(&self) {
        let lock = self.target().join(LOCK);
        if File::open(&lock).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(lock); // It died right after the renaming.
        }
        let Ok(entries) = fs::read_dir(&self.parent) else { return };
        let names: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
        for token in names.iter().filter_map(|name| self.token(name, ".partial")) {
            let path = self.partial(token);
            if let Some(_lock) = lock_of_the_dead(&path) {
                let _ = fs::remove_dir_all(&path);
            }
        }
        for token in names.iter().filter_map(|name| self.token(name, ".old")) {
            if self.partial(token).exists() {
                continue; // Its run lives.
            }
            let old = self.old(token);
            if fs::symlink_metadata(self.target()).is_ok() {
                let _ = fs::remove_dir_all(&old);
            } else {
                let _ = fs::rename(&old, self.target());
            }
        }
    }

    /// The token in a name of ours.
    fn token<'a>(&self, name: &'a OsStr, suffix: &str) -> Option<&'a str> {
        let bytes = name.as_encoded_bytes();
        let token = bytes
            .strip_prefix(self.prefix().as_encoded_bytes())?
            .strip_suffix(suffix.as_bytes())?;
        let token = str::from_utf8(token).ok()?;
        (token.len() == 16 && token.bytes().all(|b| b.is_ascii_hexdigit())).then_some(token)
    }
}

/// The lock of an incomplete directory if no living process holds it.
fn lock_of_the_dead(path: &Path) -> Option<File> {
    let lock = OpenOptions::new().write(true).create(true).truncate(false).open(path.join(LOCK));
    let lock = lock.ok()?;
    lock.try_lock().ok().map(|()| lock)
}

/// Most files that are made durable at a time.
const AT_A_TIME: usize = 8;

/// Makes all files and directories below `path`, and itself, durable.
fn sync_all(path: &Path) -> io::Result<()> {
    let (mut dirs, mut files) = (vec![path.to_owned()], Vec::new());
    let mut listed = 0;
    while let Some(dir) = dirs.get(listed).cloned() {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let is_dir = entry.file_type()?.is_dir();
            if is_dir { &mut dirs } else { &mut files }.push(entry.path());
        }
        listed += 1;
    }
    // File systems with a journal write it once for all who wait: one after the other each would wait for its own.
    let next = AtomicUsize::new(0);
    let sync = || -> io::Result<()> {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            OpenOptions::new().append(true).open(file)?.sync_all()?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..files.len().min(AT_A_TIME)).map(|_| scope.spawn(sync)).collect();
        let others = others.into_iter().map(|other| other.join().expect("it does not panic"));
        others.fold(sync(), |all, one| all.and(one))
    })?;
    dirs.iter().rev().try_for_each(|dir| sync_dir(dir))
}

/// Makes the entries of a directory durable, where the system has a way to do so.
fn sync_dir(path: &Path) -> io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    match File::open(path)?.sync_all() {
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        result => result,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_made_durable_is_an_error() {
        for (dir, count) in [("", 0), ("", 1), ("", 100), ("a", 3), ("a/b", 100)] {
            let root = tempfile::tempdir().unwrap();
            let dir = root.path().join(dir);
            fs::create_dir_all(&dir).unwrap();
            (0..count).for_each(|i| fs::write(dir.join(format!("{i}.parquet")), "rows").unwrap());
            sync_all(root.path()).unwrap();
            // Nothing is where it points.
            std::os::unix::fs::symlink("gone", dir.join("broken.parquet")).unwrap();
            let error = sync_all(root.path()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{}, {count}", dir.display());
        }
    }
}
