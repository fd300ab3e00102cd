//! Temporary files of tests, in memory where root runs them.

use crate::workspace::succeeds;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Begins the names of such folders; the id of a process follows. Short, as addresses of sockets must be.
const PREFIX: &str = "hq-mem-";
/// KiB of memory that must be free: tests take 2 GB of it.
const ROOM: u64 = 8_000_000;

/// A file system in memory, which is gone at the end. Tests write tens of thousands of small files, and wait until the
/// disk has each; in memory they do not wait.
///
/// It is a mount of its own, as `/dev/shm` is small in containers.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// `None` where this cannot be had: only root can, on Linux.
    pub(crate) fn make() -> Option<Self> {
        if !cfg!(target_os = "linux") || free_memory()? < ROOM {
            return None;
        }
        let parent = env::temp_dir();
        remove_leftovers(&parent);
        let scratch = Self(parent.join(format!("{PREFIX}{}", std::process::id())));
        fs::create_dir(&scratch.0).ok()?;
        // Without a mount, dropping it removes the folder.
        succeeds(Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(&scratch.0))
            .then_some(scratch)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

fn remove(folder: &Path) {
    succeeds(Command::new("umount").arg("--lazy").arg(folder));
    let _ = fs::remove_dir(folder);
}

/// Removes folders of processes that were killed.
fn remove_leftovers(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        if process.is_some_and(|process| {
            process.parse::<u32>().is_ok() && !Path::new("/proc").join(process).exists()
        }) {
            remove(&entry.path());
        }
    }
}

/// KiB that programs can still have.
fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let memory = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    memory.split_whitespace().next()?.parse().ok()
}
