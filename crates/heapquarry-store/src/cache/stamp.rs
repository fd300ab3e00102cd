//! Whether a file is the one of an earlier run, told without reading it.

use super::{entry::Key, folder::Folder};
use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// More than the resolution of any file system's times: FAT counts in steps of 2 s.
const RESOLUTION: Duration = Duration::from_secs(3);

/// Path, device, inode, size, and times of the last change to the content and to the inode. The last cannot be set by a
/// program, so a file that was changed and given its old times back is found out.
#[derive(Clone, Debug)]
pub(super) struct Stamp {
    path: PathBuf,
    /// Device, inode, size, and the two times in seconds and nanoseconds.
    numbers: [u64; 7],
    /// Whether its last change was so long ago that another change would have another time.
    pub(super) is_settled: bool,
}

impl Stamp {
    /// `None` if the system does not tell the times, or they are before 1970.
    pub(super) fn of(path: &Path, metadata: &Metadata) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let numbers = numbers(metadata)?;
        // The later of the two times, which are seconds since 1970.
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(numbers[3].max(numbers[5]));
        let age = SystemTime::now().duration_since(changed).ok();
        Some(Stamp { path, numbers, is_settled: age.is_some_and(|age| age > RESOLUTION) })
    }

    /// Whether the file has not changed between the two. It may have become settled.
    pub(super) fn is_same(&self, other: &Stamp) -> bool {
        (&self.path, self.numbers) == (&other.path, other.numbers)
    }

    pub(super) fn key(&self, folder: &Folder, made_of: &str) -> Key {
        let numbers = self.numbers.iter().flat_map(|number| number.to_le_bytes());
        let bytes: Vec<u8> = numbers
            .chain(self.path.as_os_str().as_encoded_bytes().iter().copied())
            .chain([0])
            .chain(made_of.bytes())
            .collect();
        Key::hash(folder, &bytes)
    }
}

#[cfg(unix)]
fn numbers(metadata: &Metadata) -> Option<[u64; 7]> {
    use std::os::unix::fs::MetadataExt;
    Some([
        metadata.dev(),
        metadata.ino(),
        metadata.size(),
        u64::try_from(metadata.mtime()).ok()?,
        metadata.mtime_nsec().cast_unsigned(),
        u64::try_from(metadata.ctime()).ok()?,
        metadata.ctime_nsec().cast_unsigned(),
    ])
}

#[cfg(not(unix))]
fn numbers(metadata: &Metadata) -> Option<[u64; 7]> {
    let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
    let (modified, created) = (since(metadata.modified().ok()?)?, since(metadata.created().ok()?)?);
    let [(a, b), (c, d)] = [modified, created].map(|t| (t.as_secs(), u64::from(t.subsec_nanos())));
    Some([0, 0, metadata.len(), a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A conversion can take longer than a file needs to become settled.
    #[test]
    fn time_that_passes_is_no_change_but_a_write_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.heapsnapshot");
        fs::write(&path, "a").unwrap();
        let stamp = || Stamp::of(&path, &fs::metadata(&path).unwrap()).unwrap();
        let (fresh, settled) =
            (Stamp { is_settled: false, ..stamp() }, Stamp { is_settled: true, ..stamp() });
        assert!(fresh.is_same(&settled));
        fs::write(&path, "ab").unwrap();
        assert!(!stamp().is_same(&settled));
    }
}
