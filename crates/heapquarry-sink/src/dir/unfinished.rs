//! What must not outlive the process: incomplete outputs, their locks, temporary folders. Their owners remove them when
//! they are dropped. A process that ends without dropping them calls [`remove_all`].

use heapquarry_tables::sync::unpoisoned;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, TryLockError},
    thread,
    time::Duration,
};

/// How often removing is tried while others still write into a folder, or make one.
const TRIES: usize = 10;
/// Time between two tries to begin.
const PAUSE: Duration = Duration::from_millis(100);

/// Removes what is at a path.
pub type Remove = fn(&Path) -> io::Result<()>;

/// What there is now.
struct Live {
    /// In the order in which they were made: locks come before what they are for.
    paths: BTreeMap<u64, (PathBuf, Remove)>,
    next: u64,
    is_over: bool,
}

static LIVE: Mutex<Live> = Mutex::new(Live { paths: BTreeMap::new(), next: 0, is_over: false });

/// A path that [`remove_all`] removes, as long as this is not dropped. Dropping it removes nothing.
#[derive(Debug)]
pub struct Unfinished(u64);

impl Unfinished {
    /// Makes what will be at `path`, and notes how it is removed. [`remove_all`] comes before that or after it.
    ///
    /// # Errors
    /// That of `make`; [`io::ErrorKind::Interrupted`] after [`remove_all`], and then nothing is made.
    pub fn make<T>(
        path: &Path,
        remove: Remove,
        make: impl FnOnce(&Path) -> io::Result<T>,
    ) -> io::Result<(T, Self)> {
        let mut live = unpoisoned(LIVE.lock());
        if live.is_over {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let made = make(path)?;
        let number = live.next;
        live.next += 1;
        live.paths.insert(number, (path.to_owned(), remove));
        Ok((made, Unfinished(number)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unpoisoned(LIVE.lock()).paths.remove(&self.0);
    }
}

/// Removes everything unfinished of this process, which ends without dropping it. Nothing more can be made. A thread
/// that is just making something is waited for, but not for long: it may be this one, which found no memory for it.
pub fn remove_all() {
    let mut tries = 0;
    let mut live = loop {
        match LIVE.try_lock() {
            Ok(live) => break live,
            Err(TryLockError::Poisoned(live)) => break live.into_inner(),
            Err(TryLockError::WouldBlock) if tries < TRIES => {
                tries += 1;
                thread::sleep(PAUSE);
            }
            Err(TryLockError::WouldBlock) => return,
        }
    };
    live.is_over = true;
    for (path, remove) in live.paths.values().rev() {
        let _ = remove(path);
    }
}

/// Removes a folder with all that is in it, although others may still write there.
///
/// # Errors
/// If it cannot be removed.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    let mut tries = 0;
    loop {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && tries < TRIES => {
                tries += 1;
            }
            result => return result,
        }
    }
}
