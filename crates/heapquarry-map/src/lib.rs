//! Maps files of this user into memory. The only place that does: it takes a promise that no compiler can check.

use bytes::Bytes;
use memmap2::Mmap;
use std::{
    any::Any,
    fs::File,
    io,
    sync::{Arc, Mutex},
};

/// A mapped file: memory that is read when it is looked at. Copies share it.
#[derive(Clone)]
pub struct Map(Arc<Mapped>);

struct Mapped {
    map: Mmap,
    /// Keeps others from removing the file. A lock is never needed for it: it is only dropped.
    _held: Mutex<Box<dyn Any + Send>>,
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        &self.0.map
    }
}

impl Map {
    /// The content of the file.
    pub fn bytes(&self) -> Bytes {
        Bytes::from_owner(self.clone())
    }

    /// Takes what was read out of the memory of this process if it has more than so many bytes of files. Whoever looks
    /// at it again gets it from the system, which reads the file only if it needed the memory meanwhile. Only on Linux:
    /// other systems take it when they need it.
    pub fn release_beyond(&self, most: u64) {
        #[cfg(target_os = "linux")]
        if bytes_of_files().is_some_and(|bytes| bytes > most) {
            // SAFETY: The map is of a file and nobody writes to it, so the same bytes come back.
            let _ = unsafe { self.0.map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = most;
    }
}

/// Bytes of files that this process has in memory, in pages of 4 kB. The system counts them as it goes, so asking is
/// quick.
#[cfg(target_os = "linux")]
fn bytes_of_files() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    pages.split(' ').nth(2)?.parse::<u64>().ok()?.checked_mul(4096)
}

/// Maps a plain file. `held` is dropped after the last part of its content.
///
/// The file must be one that nobody writes to again once it has its name: it is made under another name, is for its
/// owner alone, and is replaced as a whole or removed. A file that is removed stays mapped. If its owner cuts it
/// meanwhile, or the disk fails, the system ends the process (SIGBUS) where other reads would be errors; no memory of
/// the process is touched.
///
/// # Errors
/// If the system cannot map it.
pub fn map(file: &File, held: Box<dyn Any + Send>) -> io::Result<Map> {
    // SAFETY: The bytes are only read, and as numbers of which each value is one; text is checked where it is used.
    // Nobody changes them, as the caller promises by the kind of file: see above. Should they be changed all the same,
    // numbers differ from one reading to the next, and every position made of them is checked before it is used.
    let map = unsafe { Mmap::map(file)? };
    Ok(Map(Arc::new(Mapped { map, _held: Mutex::new(held) })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    struct Held(Arc<AtomicBool>);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn parts_hold_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index");
        fs::write(&path, b"some numbers").unwrap();
        let is_released = Arc::new(AtomicBool::new(false));
        let map_of = |held| map(&File::open(&path).unwrap(), held).unwrap();
        let all = map_of(Box::new(Held(is_released.clone()))).bytes();
        let part = all.slice(5..);
        drop(all);
        assert!(!is_released.load(Ordering::Relaxed));
        assert_eq!(part, "numbers");
        drop(part);
        assert!(is_released.load(Ordering::Relaxed));
        fs::write(&path, b"").unwrap();
        let empty = map_of(Box::new(()));
        empty.release_beyond(0);
        assert_eq!(empty.bytes(), "");
    }

    /// Bytes of the file that are in the memory of this process.
    #[cfg(target_os = "linux")]
    fn resident(path: &std::path::Path) -> usize {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = maps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
        let line = lines.find_map(|line| line.strip_prefix("Rss:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_released_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index");
        let content: Vec<u8> = (0..4 << 20).map(|at: u32| (at >> 12) as u8).collect();
        fs::write(&path, &content).unwrap();
        let map = map(&File::open(&path).unwrap(), Box::new(())).unwrap();
        let bytes = map.bytes();
        for _ in 0..2 {
            assert_eq!(bytes, content);
            // The system may have taken some of it back.
            assert!(bytes_of_files().unwrap() > 0);
            map.release_beyond(1 << 40);
            assert!(resident(&path) > 0);
            map.release_beyond(0);
            assert_eq!(resident(&path), 0);
        }
    }
}
