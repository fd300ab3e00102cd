//! Temporary files of tests, in memory where it has room.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A file system in memory, on Linux.
const MEMORY: &str = "/dev/shm";
/// Begins the names of folders there; the id of a process follows. Short, as addresses of sockets must be.
const PREFIX: &str = "hq-";
/// KiB that must be free: tests take 2 GB, and some check what happens with files of several.
const ROOM: u64 = 6_000_000;

/// A folder in memory, which is removed at the end. Tests write tens of thousands of small files, and wait until the
/// disk has each; in memory they do not wait.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// `None` without such a file system, without room in it, where it does not run programs, and where `TMPDIR` names
    /// another folder.
    pub(crate) fn make() -> Option<Self> {
        if env::var_os("TMPDIR").is_some() || free(Path::new(MEMORY))? < ROOM {
            return None;
        }
        remove_leftovers();
        let scratch = Self(Path::new(MEMORY).join(format!("{PREFIX}{}", std::process::id())));
        fs::create_dir(&scratch.0).ok()?;
        let program = scratch.0.join("program");
        fs::copy("/bin/true", &program).ok()?;
        Command::new(&program).status().is_ok_and(|status| status.success()).then_some(scratch)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes folders of processes that were killed.
fn remove_leftovers() {
    for entry in fs::read_dir(MEMORY).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// KiB that can be written to a file system, at most what the machine has left.
fn free(folder: &Path) -> Option<u64> {
    let output = Command::new("df").args(["-Pk"]).arg(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    // Device, size, used, available, share, place.
    let on_it = text.lines().nth(1)?.split_whitespace().nth(3)?.parse::<u64>().ok()?;
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let memory = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let memory = memory.split_whitespace().next()?.parse::<u64>().ok()?;
    // What runs meanwhile needs some too.
    Some(on_it.min(memory.saturating_sub(2_000_000)))
}
