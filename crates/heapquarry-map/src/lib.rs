//! Maps files of this user into memory. The only place that does: it takes a promise that no compiler can check.

use bytes::Bytes;
use memmap2::Mmap;
use std::{any::Any, fs::File, io};

/// A mapped file, and what keeps others from removing it.
struct Mapped {
    map: Mmap,
    _held: Box<dyn Any + Send>,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// The content of a plain file as memory that is read when it is looked at. `held` is dropped after the last part of
/// it.
///
/// The file must be one that nobody writes to again once it has its name: it is made under another name, is for its
/// owner alone, and is replaced as a whole or removed. A file that is removed stays mapped. If its owner cuts it
/// meanwhile, or the disk fails, the system ends the process (SIGBUS) where other reads would be errors; no memory of
/// the process is touched.
///
/// # Errors
/// If the system cannot map it.
pub fn map(file: &File, held: Box<dyn Any + Send>) -> io::Result<Bytes> {
    // SAFETY: The bytes are only read, and as numbers of which each value is one; text is checked where it is used.
    // Nobody changes them, as the caller promises by the kind of file: see above. Should they be changed all the same,
    // numbers differ from one reading to the next, and every position made of them is checked before it is used.
    let map = unsafe { Mmap::map(file)? };
    Ok(Bytes::from_owner(Mapped { map, _held: held }))
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
        let all = map(&File::open(&path).unwrap(), Box::new(Held(is_released.clone()))).unwrap();
        let part = all.slice(5..);
        drop(all);
        assert!(!is_released.load(Ordering::Relaxed));
        assert_eq!(part, "numbers");
        drop(part);
        assert!(is_released.load(Ordering::Relaxed));
        fs::write(&path, b"").unwrap();
        assert_eq!(map(&File::open(&path).unwrap(), Box::new(())).unwrap(), "");
    }
}
