//! What is removed from a cache, and when.

use super::{
    entry::{self, Stored},
    folder::{self, Folder},
};
use crate::lock::{Lock, Mode};
use heapquarry::Result;
use std::{fs, path::Path, time::Duration};

/// More entries would make each run list too many files.
const MAX_ENTRIES: usize = 1_000;

/// Age of a temporary file that nobody writes any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What [`Cache::clear`](super::Cache::clear) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cleared {
    /// Entries that were removed.
    pub entries: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Entries that stay because a process uses them.
    pub in_use: usize,
}

/// Removes an entry when it is dropped.
#[derive(Debug)]
pub(super) struct Removal(Option<(Stored, Lock)>);

impl Removal {
    /// The lock must be held alone.
    pub(super) fn new(stored: Stored, lock: Lock) -> Self {
        Removal(Some((stored, lock)))
    }

    /// The entry stays.
    pub(super) fn cancel(mut self) {
        self.0 = None;
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        if let Some((stored, lock)) = self.0.take()
            && stored.remove().is_ok()
        {
            lock.remove();
        }
    }
}

/// Removes the least recently used entries beyond the limits, and what killed processes left. Entries in use stay. What
/// cannot be removed stays too: the next run tries again.
pub(super) fn to_limits(folder: &Folder, max_bytes: u64) {
    let (Ok(entries), Ok(all)) = (entry::list(folder.path()), entry::all(folder.path())) else {
        return;
    };
    let mut bytes = 0_u64;
    let beyond = entries.into_iter().enumerate().filter(|(at, (_, entry))| {
        bytes = bytes.saturating_add(entry.bytes);
        *at >= MAX_ENTRIES || bytes > max_bytes
    });
    let beyond: Vec<Stored> = beyond.map(|(_, (stored, _))| stored).collect();
    let incomplete = all.into_iter().filter(|stored| !stored.is_complete());
    for stored in beyond.into_iter().chain(incomplete) {
        let _ = remove(&stored);
    }
    forget(folder.path());
}

/// Removes all entries that nobody uses.
pub(super) fn all(dir: &Path) -> Result<Cleared> {
    let mut cleared = Cleared::default();
    let fail = |stored: &Stored, e| stored.error("remove an entry of", e);
    for (stored, entry) in entry::list(dir)? {
        if remove(&stored).map_err(|e| fail(&stored, e))? {
            cleared.entries += 1;
            cleared.bytes += entry.bytes;
        }
    }
    // What is left of the others is in use, or incomplete.
    for stored in entry::all(dir)? {
        if !remove(&stored).map_err(|e| fail(&stored, e))? {
            cleared.in_use += 1;
        }
    }
    forget(dir);
    Ok(cleared)
}

/// Removes an entry unless it is in use. Returns whether it is gone.
fn remove(stored: &Stored) -> std::io::Result<bool> {
    let Some(lock) = stored.lock(Mode::Alone)? else { return Ok(false) };
    stored.remove()?;
    lock.remove();
    Ok(true)
}

/// Removes the stamps of entries that are gone, and temporary files that a killed process left.
fn forget(dir: &Path) {
    let stamps = folder::stamps(dir);
    for file in fs::read_dir(&stamps).into_iter().flatten().flatten() {
        let key = fs::read_to_string(file.path()).ok().and_then(|text| entry::Key::parse(&text));
        let is_there = key.is_some_and(|key| Stored::new(dir, &key).is_complete());
        if !is_there && !is_temporary(&file.file_name()) {
            let _ = fs::remove_file(file.path());
        }
    }
    for file in
        [dir, &stamps].into_iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().flatten()
    {
        let age = file.metadata().and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
        if is_temporary(&file.file_name()) && age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(folder::NEW))
}
