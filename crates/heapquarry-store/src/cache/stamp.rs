//! Whether a file is the one of an earlier run, told without reading it.

use super::{entry::Key, folder::Folder};
use std::{
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// More than the resolution of any file system's times: FAT counts in steps of 2 s.
pub(super) const RESOLUTION: Duration = Duration::from_secs(3);

/// Files of a directory that is looked at. One of a batch can have many more.
const MOST_FILES: usize = 10_000;

/// Path, device, inode, size, and times of the last change to the content and to the inode; of a directory those of
/// each file in it. The last cannot be set by a program, so a file that was changed and given its old times back is
/// found out.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    path: PathBuf,
    /// The path below, empty for a file itself; device, inode, size, and the two times in seconds and nanoseconds.
    files: Vec<(PathBuf, [u64; 7])>,
    /// Whether its last change was so long ago that another change would have another time.
    pub(super) is_settled: bool,
}

impl Stamp {
    /// `None` if the system does not tell the times, or they are before 1970; of directories also if they hold links,
    /// or too many files.
    pub(super) fn of(path: &Path, metadata: &Metadata) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let files = match metadata.is_dir() {
            true => files_in(&path)?,
            false => vec![(PathBuf::new(), numbers(metadata)?)],
        };
        // The latest of their times, which are seconds since 1970.
        let changed = files.iter().map(|(_, numbers)| numbers[3].max(numbers[5])).max()?;
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(changed);
        let age = SystemTime::now().duration_since(changed).ok();
        Some(Stamp { path, files, is_settled: age.is_some_and(|age| age > RESOLUTION) })
    }

    /// Of all files below a directory that is there.
    pub(crate) fn of_dir(dir: &Path) -> Option<Self> {
        Stamp::of(dir, &fs::metadata(dir).ok()?)
    }

    /// What tells its files from others, in words.
    pub(super) fn files(&self) -> String {
        format!("{:?} {:?}", self.path, self.files)
    }

    /// Whether no file has changed between the two. They may have become settled.
    pub(crate) fn is_same(&self, other: &Stamp) -> bool {
        (&self.path, &self.files) == (&other.path, &other.files)
    }

    pub(super) fn key(&self, folder: &Folder, made_of: &str) -> Key {
        let mut bytes = Vec::new();
        for (name, numbers) in &self.files {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            bytes.extend(name.as_os_str().as_encoded_bytes());
        }
        bytes.extend(self.path.as_os_str().as_encoded_bytes());
        bytes.push(0);
        bytes.extend(made_of.as_bytes());
        Key::hash(folder, &bytes)
    }
}

/// All files below a directory.
fn files_in(dir: &Path) -> Option<Vec<(PathBuf, [u64; 7])>> {
    let (mut files, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(dir.join(&folder)).ok()? {
            let entry = entry.ok()?;
            let (name, metadata) = (folder.join(entry.file_name()), entry.metadata().ok()?);
            match metadata.file_type() {
                kind if kind.is_dir() => folders.push(name),
                kind if kind.is_file() => files.push((name, numbers(&metadata)?)),
                _ => return None,
            }
            if files.len() + folders.len() > MOST_FILES {
                return None;
            }
        }
    }
    files.sort_unstable();
    Some(files)
}

/// Device, inode, size, and the times of the last change to content and inode, in seconds and nanoseconds. Where there
/// are no inodes, 0 and the time of creation are in their place.
#[cfg(unix)]
pub(super) fn numbers(metadata: &Metadata) -> Option<[u64; 7]> {
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
pub(super) fn numbers(metadata: &Metadata) -> Option<[u64; 7]> {
    let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
    let (modified, created) = (since(metadata.modified().ok()?)?, since(metadata.created().ok()?)?);
    let [(a, b), (c, d)] = [modified, created].map(|t| (t.as_secs(), u64::from(t.subsec_nanos())));
    Some([0, 0, metadata.len(), a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn each_file_of_a_directory_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tables");
        let stamp = || Stamp::of(&path, &fs::metadata(&path).unwrap());
        fs::create_dir_all(path.join("a/b")).unwrap();
        assert!(stamp().is_none(), "nothing in it");
        fs::write(path.join("a/b/one"), "1").unwrap();
        let mut before = stamp().unwrap();
        assert!(before.is_same(&stamp().unwrap()));
        for (name, content) in [("a/b/one", "12"), ("two", ""), ("two", "2")] {
            fs::write(path.join(name), content).unwrap();
            let after = stamp().unwrap();
            assert!(!before.is_same(&after), "{name}");
            before = after;
        }
        fs::rename(path.join("two"), path.join("three")).unwrap();
        assert!(!before.is_same(&stamp().unwrap()));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("three", path.join("link")).unwrap();
            assert!(stamp().is_none(), "what a link leads to may change");
        }
    }
}
