//! Where the tables of a batch are: a local folder, or object storage.

use heapquarry::Cancel;
use heapquarry_input::url::url;
use std::{
    collections::HashMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// A destination. Names are paths below it, with `/`.
pub(super) trait Store: Send + Sync {
    /// The files whose names begin so, with their sizes in bytes.
    fn files(&self, prefix: &str) -> io::Result<HashMap<String, u64>>;

    /// The content of a file; `None` if there is none.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>>;

    /// Moves a local file to its place. It appears whole.
    fn put(&self, file: &Path, name: &str) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes all this survive a power failure, if the system can.
    fn sync(&self) {}
}

/// The store of a folder or an address. The error says why there is none.
pub(super) fn open(destination: &Path, cancel: &Cancel) -> Result<Box<dyn Store>, String> {
    match url(destination) {
        None => Ok(Box::new(Local(destination.into()))),
        Some(url) => remote(url, cancel),
    }
}

#[cfg(feature = "cloud")]
fn remote(url: &str, cancel: &Cancel) -> Result<Box<dyn Store>, String> {
    Ok(Box::new(Remote(url.trim_end_matches('/').into(), cancel.clone())))
}

#[cfg(not(feature = "cloud"))]
use without as remote;

/// Why there is no such store, of a build without object storage.
#[cfg(any(test, not(feature = "cloud")))]
fn without(_: &str, _: &Cancel) -> Result<Box<dyn Store>, String> {
    Err(heapquarry_input::url::WITHOUT.into())
}

/// A local folder.
pub(super) struct Local(pub(super) PathBuf);

impl Store for Local {
    fn files(&self, prefix: &str) -> io::Result<HashMap<String, u64>> {
        let (mut found, mut folders) = (HashMap::new(), vec![String::new()]);
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(self.0.join(&folder)) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                // What we write has names of ASCII.
                let Ok(name) = entry.file_name().into_string() else { continue };
                let name = format!("{folder}{name}");
                if entry.file_type()?.is_dir() {
                    let name = name + "/";
                    if name.starts_with(prefix) || prefix.starts_with(&name) {
                        folders.push(name);
                    }
                } else if name.starts_with(prefix) {
                    found.insert(name, entry.metadata()?.len());
                }
            }
        }
        Ok(found)
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.0.join(name)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            content => content.map(Some),
        }
    }

    fn put(&self, file: &Path, name: &str) -> io::Result<()> {
        let to = self.0.join(name);
        if let Some(folder) = to.parent() {
            super::folder::make(folder, None)?;
        }
        fs::rename(file, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let file = self.0.join(name);
        match fs::remove_file(&file) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        // The folder of a part has nothing else.
        let _ = file.parent().map(fs::remove_dir);
        Ok(())
    }

    fn sync(&self) {
        let _ = File::open(&self.0).and_then(|folder| folder.sync_all());
    }
}

/// Object storage below an address, until the work is cancelled.
#[cfg(feature = "cloud")]
pub(super) struct Remote(String, Cancel);

#[cfg(feature = "cloud")]
impl Store for Remote {
    fn files(&self, prefix: &str) -> io::Result<HashMap<String, u64>> {
        // Stores list whole folders.
        let (folder, _) = prefix.rsplit_once('/').unwrap_or(("", prefix));
        let (url, below) = match folder {
            "" => (self.0.clone(), String::new()),
            _ => (format!("{}/{folder}", self.0), format!("{folder}/")),
        };
        let listed = heapquarry_input::cloud::list(&url, &self.1)?.into_iter();
        let named = listed.map(|object| (format!("{below}{}", object.name), object.bytes));
        Ok(named.filter(|(name, _)| name.starts_with(prefix)).collect())
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        heapquarry_input::cloud::read(&self.0, name, &self.1)
    }

    fn put(&self, file: &Path, name: &str) -> io::Result<()> {
        heapquarry_input::cloud::put(&self.0, name, file, &self.1)?;
        fs::remove_file(file)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        heapquarry_input::cloud::remove(&self.0, name, &self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_object_storage_says_so() {
        let error = without("s3://heaps/out", &Cancel::default()).err();
        assert_eq!(error.as_deref(), Some(heapquarry_input::url::WITHOUT));
    }

    #[test]
    fn files_are_listed_by_how_their_names_begin() {
        let dir = tempfile::tempdir().unwrap();
        let store = Local(dir.path().join("out"));
        assert!(store.files("").unwrap().is_empty());
        let made = dir.path().join("made");
        for name in ["a/x=1/p", "a/x=2/p", "a/y", "b/x=1/p", "c"] {
            fs::write(&made, name).unwrap();
            store.put(&made, name).unwrap();
        }
        let names = |prefix: &str| {
            let mut names: Vec<_> = store.files(prefix).unwrap().into_keys().collect();
            names.sort();
            names
        };
        assert_eq!(names("a/x="), ["a/x=1/p", "a/x=2/p"]);
        assert_eq!(names("a"), ["a/x=1/p", "a/x=2/p", "a/y"]);
        assert_eq!(names("").len(), 5);
        assert_eq!(store.read("c").unwrap().unwrap(), b"c");
        store.remove("a/x=1/p").unwrap();
        store.remove("a/x=1/p").unwrap();
        assert!(store.read("a/x=1/p").unwrap().is_none() && !store.0.join("a/x=1").exists());
    }
}
