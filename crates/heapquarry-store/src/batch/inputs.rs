//! The inputs of a batch.

use heapquarry::{Cancel, Error, ErrorKind, Result};
use heapquarry_base::Order;
use heapquarry_input::{
    capture_of,
    url::{shown, url},
};
use heapquarry_report::Pattern;
use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::{self, File, Metadata},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Longest line of a list in bytes.
const LONGEST_LINE: u64 = 32 << 10;

/// An input of a batch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchInput {
    /// Where it is. Of an address without credentials, which it must not have.
    pub path: PathBuf,
    /// Size of the file in bytes, as it is; 0 if unknown.
    pub bytes: u64,
    /// When the file or object was last written.
    pub written: Option<SystemTime>,
}

impl BatchInput {
    /// A file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = shown(&path.into());
        let metadata = fs::metadata(&path).ok();
        BatchInput::of(path, metadata.as_ref())
    }

    fn of(path: PathBuf, metadata: Option<&Metadata>) -> Self {
        let bytes = metadata.map_or(0, Metadata::len);
        let written = metadata.and_then(|metadata| metadata.modified().ok());
        BatchInput { path, bytes, written }
    }

    /// The inputs that a text stands for. Each file comes once. The text is one of these:
    ///
    /// * a folder, or an address that ends with `/` (`s3://bucket/prefix/`): all files below it;
    /// * a path or an address with `*`: all files that it matches;
    /// * a file: a list of inputs, one on each line;
    /// * `-`: such a list on standard input.
    ///
    /// # Errors
    ///
    /// If the folder or the list cannot be read, or the file is no list.
    pub fn all(text: impl AsRef<OsStr>) -> Result<Vec<Self>> {
        BatchInput::all_until(text, &Cancel::new())
    }

    /// The inputs that a text stands for. Object storage is listed until the work is cancelled.
    ///
    /// # Errors
    ///
    /// The errors of [`BatchInput::all`].
    pub fn all_until(text: impl AsRef<OsStr>, cancel: &Cancel) -> Result<Vec<Self>> {
        let path = Path::new(text.as_ref());
        let pattern = path.to_str().filter(|text| text.contains('*') && !path.exists());
        let mut inputs = match (pattern, url(path)) {
            _ if path == Path::new("-") => listed(io::stdin().lock(), path)?,
            (_, Some(url)) => objects(url, cancel)?,
            (Some(pattern), None) => matching(pattern)?,
            (None, None) if path.is_dir() => below(path)?,
            (None, None) => {
                let file = File::open(path).map_err(fail(path, "open"))?;
                listed(BufReader::new(file), path)?
            }
        };
        let mut seen = HashSet::new();
        inputs.retain(|input| seen.insert(input.path.clone()));
        Ok(inputs)
    }
}

fn fail(path: &Path, doing: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::new(ErrorKind::Input { path: shown(path), doing, source })
}

/// The files that a list names.
fn listed(mut list: impl BufRead, path: &Path) -> Result<Vec<BatchInput>> {
    let mut inputs = Vec::new();
    for number in 1.. {
        let mut line = Vec::new();
        let read = list.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.map_err(fail(path, "read"))? == 0 {
            break;
        }
        let is_cut = line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n");
        let is_other = is_cut || number == 1 && is_json(&line);
        let text = std::str::from_utf8(&line).ok().filter(|_| !is_other).ok_or_else(|| {
            let why = format!("line {number} is no path: a list has one input on each line");
            fail(path, "read")(io::Error::new(io::ErrorKind::InvalidData, why))
        })?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        match text {
            "" => {}
            // Not standard input.
            "-" => inputs.push(BatchInput::new("./-")),
            text => inputs.push(BatchInput::new(text)),
        }
    }
    Ok(inputs)
}

/// Whether a line begins a JSON text: a snapshot has a line for each node, which all could be paths.
fn is_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    matches!(line, b"{" | b"[") || line.starts_with(b"{\"") || line.starts_with(b"[{")
}

/// The files that a path with `*` matches, which stands for any text.
fn matching(text: &str) -> Result<Vec<BatchInput>> {
    let star = text.find('*').unwrap_or(text.len());
    let folder = text[..star].rfind(['/', '\\']).map_or("", |at| &text[..=at]);
    let pattern = Pattern::new(text);
    let mut inputs = below(Path::new(folder))?;
    inputs.retain(|input| pattern.matches(&input.path.to_string_lossy()));
    Ok(inputs)
}

/// Fills in size and time of those that are objects and whose listing did not tell. What cannot be looked at stays as
/// it is: to convert it will say why.
#[cfg(feature = "cloud")]
pub(super) fn look_at<'a>(inputs: impl Iterator<Item = &'a mut BatchInput>, cancel: &Cancel) {
    let mut unknown: Vec<_> =
        inputs.filter(|input| input.written.is_none() && url(&input.path).is_some()).collect();
    let urls: Vec<&str> = unknown.iter().filter_map(|input| url(&input.path)).collect();
    let seen = heapquarry_input::cloud::look_at(&urls, cancel);
    for (input, seen) in unknown.iter_mut().zip(seen) {
        if let Some((bytes, written)) = seen {
            (input.bytes, input.written) = (bytes, written);
        }
    }
}

#[cfg(not(feature = "cloud"))]
pub(super) fn look_at<'a>(_: impl Iterator<Item = &'a mut BatchInput>, _: &Cancel) {}

/// The objects below an address, or that an address with `*` matches, sorted. As in folders, those with names that
/// begin with a dot are left out.
#[cfg(feature = "cloud")]
fn objects(text: &str, cancel: &Cancel) -> Result<Vec<BatchInput>> {
    let star = text.find('*').unwrap_or(text.len());
    // Stores list whole folders.
    let end = text[..star].rfind('/').unwrap_or(star);
    let base = if star < text.len() { &text[..end] } else { text.trim_end_matches('/') };
    let pattern = Pattern::new(text);
    let failed = |source| match cancel.is_cancelled() {
        true => Error::new(ErrorKind::Cancelled),
        false => fail(Path::new(text), "list")(source),
    };
    let mut listed = heapquarry_input::cloud::list(base, cancel).map_err(failed)?;
    listed.retain(|object| !object.name.split('/').any(|name| name.starts_with('.')));
    let inputs = listed.into_iter().map(|object| BatchInput {
        path: format!("{base}/{}", object.name).into(),
        bytes: object.bytes,
        written: object.modified,
    });
    let is_wanted =
        |input: &BatchInput| star == text.len() || pattern.matches(&input.path.to_string_lossy());
    Ok(snapshots(inputs.collect()).into_iter().filter(is_wanted).collect())
}

#[cfg(not(feature = "cloud"))]
use without as objects;

/// Why there are no objects, of a build without object storage.
#[cfg(any(test, not(feature = "cloud")))]
fn without(text: &str, _: &Cancel) -> Result<Vec<BatchInput>> {
    let source = io::Error::new(io::ErrorKind::Unsupported, heapquarry_input::url::WITHOUT);
    Err(fail(Path::new(text), "list")(source))
}

/// All plain files below a folder, sorted, except those with names that begin with a dot. Links to files are followed,
/// links to folders are not.
fn below(folder: &Path) -> Result<Vec<BatchInput>> {
    let here = |folder: &Path| match folder.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => folder.to_owned(),
    };
    let (mut inputs, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(relative) = folders.pop() {
        let at = folder.join(&relative);
        let fail = fail(&at, "list");
        for entry in fs::read_dir(here(&at)).map_err(&fail)? {
            let entry = entry.map_err(&fail)?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let (path, relative) = (at.join(&name), relative.join(&name));
            if entry.file_type().map_err(&fail)?.is_dir() {
                folders.push(relative);
                continue;
            }
            // A file that is gone by now is an input that fails.
            let metadata = fs::metadata(&path).ok();
            // Folders that links lead to; a FIFO would never end.
            if metadata.as_ref().is_some_and(|found| !found.is_file()) {
                continue;
            }
            inputs.push(BatchInput::of(path, metadata.as_ref()));
        }
    }
    inputs.order_by(|a, b| a.path.cmp(&b.path));
    Ok(snapshots(inputs))
}

/// The inputs without the files that stand beside some of them, and are read with these.
fn snapshots(inputs: Vec<BatchInput>) -> Vec<BatchInput> {
    let paths: HashSet<PathBuf> = inputs.iter().map(|input| input.path.clone()).collect();
    let is_beside = |input: &BatchInput| {
        capture_of(&input.path).is_some_and(|capture| paths.contains(&capture))
    };
    inputs.into_iter().filter(|input| !is_beside(input)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_object_storage_says_so() {
        let error = without("s3://heaps/in/", &Cancel::default()).unwrap_err().to_string();
        assert!(
            error.contains("s3://heaps/in/") && error.contains(heapquarry_input::url::WITHOUT),
            "{error}"
        );
    }

    #[test]
    fn folders_patterns_and_lists_name_files() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("v1.2/.hidden")).unwrap();
        for file in [
            "b.heapsnapshot.gz",
            "b.heapsnapshot.gz.process.json",
            "other.process.json",
            "v1.2/a.cpuprofile",
            ".no",
            "v1.2/.hidden/no",
        ] {
            fs::write(root.join(file), file).unwrap();
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("..", root.join("v1.2/loop")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(root.join("a.cpuprofile")).status();
            assert!(made.unwrap().success());
        }
        let list = dir.path().join("v1.2/.list");
        fs::write(&list, format!("{0}/b.heapsnapshot.gz\r\n\n{0}/gone\n{0}/gone", root.display()))
            .unwrap();
        let found = |text: &Path| {
            let inputs = BatchInput::all(text).unwrap().into_iter();
            let paths = inputs.map(|input| input.path.strip_prefix(root).unwrap().to_owned());
            paths.map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        // What stands beside a snapshot is read with it.
        let all = ["b.heapsnapshot.gz", "other.process.json", "v1.2/a.cpuprofile"];
        assert_eq!(found(root), all);
        assert_eq!(found(&root.join("*.json")), ["other.process.json"]);
        assert_eq!(found(&root.join("v*.cpuprofile")), ["v1.2/a.cpuprofile"]);
        assert_eq!(found(&root.join("*.none")), [""; 0]);
        assert_eq!(found(&list), ["b.heapsnapshot.gz", "gone"]);
        let [file, gone] = &BatchInput::all(&list).unwrap()[..] else { panic!() };
        assert!(file.bytes == 17 && file.written.is_some());
        assert!(gone.bytes == 0 && gone.written.is_none());
    }

    #[test]
    fn a_snapshot_is_no_list() {
        let dir = tempfile::tempdir().unwrap();
        for content in [
            &b"{\"snapshot\":".repeat(9000)[..],
            b"{\"snapshot\":{},\n\"nodes\":[0\n,1\n]}\n",
            b"  {\n  \"nodes\": []\n}\n",
            b"[{\"ph\":\"X\"},\n",
            b"[\n{\"ph\":\"X\"}]\n",
            b"a\n\xff\n",
        ] {
            let path = dir.path().join("x");
            fs::write(&path, content).unwrap();
            let error = BatchInput::all(&path).unwrap_err().to_string();
            assert!(error.contains("is no path: a list has one input on each line"), "{error}");
        }
        let gone = BatchInput::all(dir.path().join("gone")).unwrap_err();
        assert!(gone.to_string().starts_with("cannot open input"), "{gone}");
    }
}
