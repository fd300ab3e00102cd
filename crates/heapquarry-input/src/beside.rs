//! What is stored beside a heap snapshot: the memory of its process when it was taken.

use crate::{Error, ErrorKind, Result, Source, source::Content, url::url};
use heapquarry_process::Sample;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

/// What the name of a snapshot is followed by.
const ENDING: &str = ".process.json";

/// Longest file that is read: a sample has 64 spaces at most.
const LONGEST: u64 = 1 << 20;

const VERSION: u32 = 1;

/// The content of such a file.
#[derive(Serialize, Deserialize)]
struct Beside {
    version: u32,
    /// Size of the snapshot's file: one of another size is another one, of which nothing is known.
    file_bytes: u64,
    process: Sample,
}

/// The file beside a snapshot.
pub(crate) fn process_file(snapshot: &Path) -> PathBuf {
    let mut name = snapshot.as_os_str().to_owned();
    name.push(ENDING);
    name.into()
}

/// The snapshot that a file would stand beside; `None` if its name says that it is none of these files.
pub fn snapshot_of(process_file: &Path) -> Option<PathBuf> {
    let name = process_file.file_name()?.to_str()?.strip_suffix(ENDING)?;
    Some(process_file.with_file_name(name))
}

/// The text of the file beside a snapshot that has been written.
///
/// # Errors
/// If the size of the snapshot cannot be told.
pub(crate) fn process_text(snapshot: &Path, process: &Sample) -> io::Result<String> {
    let file_bytes = fs::metadata(snapshot)?.len();
    let beside = Beside { version: VERSION, file_bytes, process: process.clone() };
    Ok(serde_json::to_string_pretty(&beside)? + "\n")
}

impl Source {
    /// With the memory of the process that it was taken of.
    #[must_use]
    pub fn process(mut self, process: Sample) -> Self {
        self.process = Some(Arc::new(process));
        self
    }

    /// The memory of the process that it was taken of: as it was given, or as a file beside it says. `None` if there is
    /// none, or it is of another snapshot.
    ///
    /// # Errors
    /// If the file is there, and cannot be read.
    pub fn process_beside(&self) -> Result<Option<Arc<Sample>>> {
        if self.process.is_some() {
            return Ok(self.process.clone());
        }
        let is_file = matches!(self.content, Content::Path | Content::Opened(..));
        if !is_file || url(&self.path).is_some() || !self.path.is_file() {
            return Ok(None);
        }
        let path = process_file(&self.path);
        let fail = |source: io::Error| {
            Error::new(ErrorKind::Input { path: path.clone(), doing: "read", source })
        };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
            Ok(data) if data.is_file() => {}
            // A FIFO could never open, and a link leads elsewhere.
            Ok(_) => return Err(fail(io::Error::other("it is no plain file; remove it"))),
        }
        let mut text = Vec::new();
        let file = File::open(&path).map_err(fail)?;
        file.take(LONGEST).read_to_end(&mut text).map_err(fail)?;
        let beside: Beside = serde_json::from_slice(&text).map_err(|error| {
            // Without what was found: it can be of anything.
            let (line, column) = (error.line(), error.column());
            let why =
                format!("it has no memory of a process (line {line}, column {column}); remove it");
            fail(io::Error::other(why))
        })?;
        if beside.version != VERSION {
            let why = format!("it is of version {}, not {VERSION}; remove it", beside.version);
            return Err(fail(io::Error::other(why)));
        }
        let size = fs::metadata(&self.path).map_err(fail)?.len();
        Ok((size == beside.file_bytes).then(|| Arc::new(beside.process)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_process::Inside;

    #[test]
    fn a_snapshot_has_its_process_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.heapsnapshot");
        fs::write(&path, "{}").unwrap();
        let inside = Inside { rss: Some(7), ..Inside::default() };
        let took = std::time::Duration::from_micros(3);
        let sample = Sample { time_us: 5, took, inside, ..Sample::default() };
        let source = Source::path(&path);
        let beside = dir.path().join("a.heapsnapshot.process.json");
        assert_eq!(process_file(&path), beside);
        assert_eq!((snapshot_of(&beside), snapshot_of(&path)), (Some(path.clone()), None));
        assert_eq!(source.process_beside().unwrap(), None);
        let text = process_text(&path, &sample).unwrap();
        fs::write(&beside, &text).unwrap();
        assert_eq!(source.process_beside().unwrap().as_deref(), Some(&sample));
        for (name, text) in [
            ("nonsense", "x".to_owned()),
            ("empty", String::new()),
            ("of a later version", text.replace("\"version\": 1", "\"version\": 2")),
        ] {
            fs::write(&beside, &text).unwrap();
            let error = source.process_beside().unwrap_err().to_string();
            assert!(
                error.contains("process.json") && error.contains("remove it"),
                "{name}: {error}"
            );
        }
        #[cfg(unix)]
        {
            fs::rename(&beside, dir.path().join("other")).unwrap();
            std::os::unix::fs::symlink(dir.path().join("other"), &beside).unwrap();
            let error = source.process_beside().unwrap_err().to_string();
            assert!(error.contains("no plain file"), "{error}");
            fs::remove_file(&beside).unwrap();
        }
        // Of members that are not known to us the rest is read.
        fs::write(&beside, r#"{"version": 1, "file_bytes": 2, "process": {"new": 1}}"#).unwrap();
        assert_eq!(source.process_beside().unwrap().as_deref(), Some(&Sample::default()));
        // Another snapshot has been written over it.
        fs::write(&beside, text).unwrap();
        fs::write(&path, "{\"a\":1}").unwrap();
        assert_eq!(source.process_beside().unwrap(), None);
        let given = Source::bytes("a", "{}").process(sample.clone());
        assert_eq!(given.process_beside().unwrap().as_deref(), Some(&sample));
    }
}
