//! Folders for temporary files: private, and gone at the end.
//!
//! Only their owner can enter them, whatever the umask. Their names cannot be guessed. They are removed when they are
//! dropped, and by the next run if a process was killed: a folder is in use as long as the lock file in it is held.
//! Where a process ends without dropping them, [`remove_all`] removes them, and partial outputs too. Files that need no
//! name are made without one (`tempfile_in`).

pub use heapquarry_sink::remove_all;
use heapquarry_sink::{Unfinished, careful, remove_folder, same_owner};
use std::{
    env,
    ffi::OsStr,
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Names of folders are this and 16 hexadecimal digits.
const PREFIX: &str = "heapquarry-";

/// The file that a run holds as long as it uses the folder, and its name until it is held.
const LOCK: &str = ".lock";
const NEW_LOCK: &str = ".new-lock";

/// A folder, removed with all that is in it when it is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// `None` on file systems without locks, and once the folder is being removed.
    lock: Option<File>,
    _unfinished: Unfinished,
}

impl Folder {
    /// Makes one in the system's folder for temporary files.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> io::Result<Self> {
        Folder::within(&env::temp_dir())
    }

    /// Makes one in this folder, and removes those that killed runs of the same user have left there.
    ///
    /// # Errors
    /// If it cannot be made, or after [`remove_all`].
    pub fn within(parent: &Path) -> io::Result<Self> {
        // DuckDB and others have another working directory.
        let parent = std::path::absolute(parent)?;
        let (path, unfinished) = make(&parent)?;
        let mut folder = Folder { path, lock: None, _unfinished: unfinished };
        folder.lock = lock(&folder.path)?;
        let like = fs::symlink_metadata(&folder.path)?;
        for entry in fs::read_dir(&parent).into_iter().flatten().flatten() {
            if is_name(&entry.file_name()) {
                remove_abandoned(&entry.path(), &like);
            }
        }
        Ok(folder)
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Some systems do not remove what is open.
        self.lock = None;
        let _ = remove_folder(&self.path);
    }
}

/// Makes a folder with a new name.
fn make(parent: &Path) -> io::Result<(PathBuf, Unfinished)> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    loop {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let path = parent.join(format!("{PREFIX}{:016x}", u64::from_le_bytes(random)));
        match Unfinished::make(&path, remove_folder, |path| builder.create(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(((), unfinished)) => {
                // A umask can take permissions of the owner away.
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
                }
                return Ok((path, unfinished));
            }
        }
    }
}

/// Makes the lock file. It is held before it has its name, so that nobody takes the folder for abandoned.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let new = folder.join(NEW_LOCK);
    let file = careful(OpenOptions::new().write(true).create_new(true)).open(&new)?;
    match file.try_lock() {
        Ok(()) => fs::rename(new, folder.join(LOCK)).map(|()| Some(file)),
        // Without locks, it stays without the name: others leave the folder alone.
        Err(_) => Ok(None),
    }
}

fn is_name(name: &OsStr) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    digits.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes a folder of the owner of `like` whose lock nobody holds.
fn remove_abandoned(folder: &Path, like: &Metadata) {
    let is_own = |found: Metadata| found.is_dir() && same_owner(&found, like);
    if !fs::symlink_metadata(folder).is_ok_and(is_own) {
        return;
    }
    let lock = careful(OpenOptions::new().write(true)).open(folder.join(LOCK));
    if let Ok(lock) = lock
        && lock.try_lock().is_ok()
    {
        drop(lock);
        let _ = remove_folder(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_killed_runs_leave_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let name = |end: &str| format!("{PREFIX}{}{end}", "0".repeat(16 - end.len()));
        let folder = |name: &str, lock: Option<&str>| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("result"), "rows").unwrap();
            if let Some(lock) = lock {
                fs::write(folder.join(lock), "").unwrap();
            }
            folder
        };
        let live = Folder::within(parent.path()).unwrap();
        let dead = folder(&name("1"), Some(LOCK));
        let unfinished = folder(&name("2"), Some(NEW_LOCK));
        let other = folder("heapquarry-tables", Some(LOCK));
        let file = parent.path().join(name("3"));
        fs::write(&file, "").unwrap();
        let mine = Folder::within(parent.path()).unwrap();
        for (path, stays) in [
            (mine.path(), true),
            (live.path(), true),
            (&dead, false),
            (&unfinished, true),
            (&other, true),
            (&file, true),
        ] {
            assert_eq!(path.exists(), stays, "{}", path.display());
        }
        let paths = [mine.path().to_owned(), live.path().to_owned()];
        fs::write(paths[0].join("result"), "rows").unwrap();
        drop((live, mine));
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_are_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let elsewhere = parent.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join(LOCK), "").unwrap();
        let link = parent.path().join(format!("{PREFIX}{:016x}", 1));
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        drop(Folder::within(parent.path()).unwrap());
        assert!(elsewhere.exists() && link.is_symlink());
    }
}
