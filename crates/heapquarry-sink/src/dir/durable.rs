//! Makes files and directories survive a power failure.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Maximum number of files and directories that are synced at the same time.
const AT_A_TIME: usize = 8;

/// Maximum number of paths that are held. In the hive layout there can be millions.
const HELD: usize = 1 << 10;

/// What is synced.
enum Found {
    File(PathBuf),
    Dir(PathBuf),
}

/// Syncs `path`, and all files and directories below it, to the disk.
pub(super) fn sync_all(path: &Path) -> io::Result<()> {
    let mut open = vec![(path.to_owned(), fs::read_dir(path)?)];
    let mut found = Vec::new();
    while let Some((dir, mut entries)) = open.pop() {
        match entries.next() {
            None => found.push(Found::Dir(dir)),
            Some(entry) => {
                open.push((dir, entries));
                let entry = entry?;
                match entry.file_type()?.is_dir() {
                    true => open.push((entry.path(), fs::read_dir(entry.path())?)),
                    false => found.push(Found::File(entry.path())),
                }
            }
        }
        if found.len() == HELD {
            sync(&found)?;
            found.clear();
        }
    }
    sync(&found)
}

/// A journaling file system serves all waiting syncs with one write; one after the other, each would wait for its own.
fn sync(found: &[Found]) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let sync = || -> io::Result<()> {
        while let Some(found) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
            match found {
                Found::File(file) => OpenOptions::new().append(true).open(file)?.sync_all()?,
                Found::Dir(dir) => sync_dir(dir)?,
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        // If the system starts no more threads, those that run are enough.
        let others = (1..found.len().min(AT_A_TIME))
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, sync).ok());
        let others: Vec<_> = others.collect();
        let others = others.into_iter().map(|other| other.join().expect("it does not panic"));
        others.fold(sync(), |all, one| all.and(one))
    })
}

/// Syncs the entries of a directory, if the system can.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
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
        for (dir, count) in [("", 0), ("", 1), ("", 100), ("a", 3), ("a/b", 2 * HELD)] {
            let root = tempfile::tempdir().unwrap();
            let dir = root.path().join(dir);
            fs::create_dir_all(&dir).unwrap();
            (0..count).for_each(|i| fs::write(dir.join(format!("{i}.parquet")), "rows").unwrap());
            sync_all(root.path()).unwrap();
            // A dangling link.
            std::os::unix::fs::symlink("gone", dir.join("broken.parquet")).unwrap();
            let error = sync_all(root.path()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{}, {count}", dir.display());
        }
    }
}
