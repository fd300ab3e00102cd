//! What `capture` stores beside its files: of a heap snapshot the memory of its process when it was taken, of all the
//! source maps of the scripts.

use crate::{Error, ErrorKind, Result, Source, source::Content, url::url};
use heapquarry_names::StoredMap;
use heapquarry_process::{Isolate, Sample};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    borrow::Cow,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

/// What the name of a snapshot is followed by, for the memory of its process.
pub(crate) const PROCESS: &str = ".process.json";

/// What the name of a capture is followed by, for its source maps.
pub(crate) const MAPS: &str = ".maps.json";

/// Longest file with the memory of a process that is read: a sample has 64 spaces at most.
const LONGEST_PROCESS: u64 = 1 << 20;

/// Longest file with source maps that is read: `capture` stores 512 MiB of maps at most, without their escapes.
const LONGEST_MAPS: u64 = 2 << 30;

const VERSION: u32 = 1;

/// The content of such a file.
#[derive(Serialize, Deserialize)]
struct Beside<T> {
    version: u32,
    /// Size of the capture's file: one of another size is another one, of which nothing is known.
    file_bytes: u64,
    #[serde(flatten)]
    content: T,
}

/// The memory of a process.
#[derive(Serialize, Deserialize)]
pub(crate) struct OfProcess {
    pub(crate) process: Sample,
}

/// The source maps of scripts.
#[derive(Serialize, Deserialize)]
pub(crate) struct OfScripts<'a> {
    pub(crate) source_maps: Cow<'a, [StoredMap]>,
}

/// The file beside a capture whose name ends so.
pub(crate) fn file(capture: &Path, ending: &str) -> PathBuf {
    let mut name = capture.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The capture that a file would stand beside; `None` if its name says that it is none of these files.
pub fn capture_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let name = [PROCESS, MAPS].iter().find_map(|ending| name.strip_suffix(ending))?;
    Some(file.with_file_name(name))
}

/// The text of a file beside a capture that has been written.
///
/// # Errors
/// If the size of the capture cannot be told.
pub(crate) fn text<T: Serialize>(capture: &Path, content: T) -> io::Result<String> {
    let file_bytes = fs::metadata(capture)?.len();
    let beside = Beside { version: VERSION, file_bytes, content };
    Ok(serde_json::to_string_pretty(&beside)? + "\n")
}

/// Reads a file beside a capture. `None` if there is none, or it is of another capture. `what` it should have.
fn read<T: DeserializeOwned>(
    capture: &Path,
    ending: &str,
    longest: u64,
    what: &str,
) -> Result<Option<T>> {
    if url(capture).is_some() || !capture.is_file() {
        return Ok(None);
    }
    let path = file(capture, ending);
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
    file.take(longest).read_to_end(&mut text).map_err(fail)?;
    let beside: Beside<T> = serde_json::from_slice(&text).map_err(|error| {
        // Without what was found: it can be of anything.
        let (line, column) = (error.line(), error.column());
        let why = format!("it has no {what} (line {line}, column {column}); remove it");
        fail(io::Error::other(why))
    })?;
    if beside.version != VERSION {
        let why = format!("it is of version {}, not {VERSION}; remove it", beside.version);
        return Err(fail(io::Error::other(why)));
    }
    let size = fs::metadata(capture).map_err(fail)?.len();
    Ok((size == beside.file_bytes).then_some(beside.content))
}

/// What is where `capture` stores source maps beside a file, whatever it is; `None` if nothing is.
pub fn maps_file(capture: &Path) -> Option<PathBuf> {
    let path = (url(capture).is_none() && capture.is_file()).then(|| file(capture, MAPS))?;
    let is_nothing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    (!fs::symlink_metadata(&path).is_err_and(|error| is_nothing(&error))).then_some(path)
}

/// The source maps that `capture` stored beside a file; none if it stored none.
///
/// # Errors
/// If they are there, and cannot be read.
pub fn maps_beside(capture: &Path) -> Result<Vec<StoredMap>> {
    let found = read::<OfScripts<'static>>(capture, MAPS, LONGEST_MAPS, "source maps")?;
    Ok(found.map_or_else(Vec::new, |found| found.source_maps.into_owned()))
}

impl Source {
    /// With the memory of the process that it was taken of.
    #[must_use]
    pub fn process(mut self, process: impl Into<Arc<Sample>>) -> Self {
        self.process = Some(process.into());
        self
    }

    /// Marks it as a capture of one of several isolates of a process.
    #[must_use]
    pub fn of_isolate(mut self, isolate: impl Into<Arc<Isolate>>) -> Self {
        self.isolate = Some(isolate.into());
        self
    }

    /// Which isolate of a process it is of, if that was given.
    pub fn isolate(&self) -> Option<&Arc<Isolate>> {
        self.isolate.as_ref()
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
        if !matches!(self.content, Content::Path | Content::Opened(..)) {
            return Ok(None);
        }
        let found = read::<OfProcess>(&self.path, PROCESS, LONGEST_PROCESS, "memory of a process")?;
        Ok(found.map(|found| Arc::new(found.process)))
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
        assert_eq!(file(&path, PROCESS), beside);
        assert_eq!((capture_of(&beside), capture_of(&path)), (Some(path.clone()), None));
        assert_eq!(source.process_beside().unwrap(), None);
        let text = text(&path, OfProcess { process: sample.clone() }).unwrap();
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

    #[test]
    fn a_capture_has_its_source_maps_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cpuprofile");
        fs::write(&path, "{}").unwrap();
        let maps =
            vec![StoredMap { script: "file:///a.js".into(), map: "{\"version\":3}\n".into() }];
        let beside = dir.path().join("a.cpuprofile.maps.json");
        assert_eq!((file(&path, MAPS), capture_of(&beside)), (beside.clone(), Some(path.clone())));
        assert_eq!(maps_beside(&path).unwrap(), []);
        assert_eq!(maps_file(&path), None);
        fs::write(&beside, text(&path, OfScripts { source_maps: maps.clone().into() }).unwrap())
            .unwrap();
        assert_eq!(maps_beside(&path).unwrap(), maps);
        assert_eq!(maps_file(&path).as_deref(), Some(&*beside));
        assert_eq!(maps_beside(Path::new("https://example.org/a.cpuprofile")).unwrap(), []);
        // Another capture has been written over it.
        fs::write(&path, "{\"a\":1}").unwrap();
        assert_eq!(maps_beside(&path).unwrap(), []);
        fs::write(&beside, "x").unwrap();
        let error = maps_beside(&path).unwrap_err().to_string();
        assert!(error.contains("no source maps") && error.contains("remove it"), "{error}");
    }
}
