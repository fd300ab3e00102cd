//! What to read: a file, a converted directory, bytes, a stream, or one document of these.

use crate::{
    Error, ErrorKind, FileInput, Opened, Part, Result,
    manifest::manifest,
    url::{shown, url},
};
use heapquarry_formats::Input;
use heapquarry_process::{Isolate, Sample};
use std::{
    ffi::{OsStr, OsString},
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// An input, or one document of it: a file of any supported format, compressed or not, `-` for standard input, a
/// directory that heapquarry wrote, bytes in memory, a stream, or anything that can be read at a position.
///
/// `INPUT#2` selects a document by number: `document_index` of a file, `file_id` of a directory, both from 0. In a file
/// that is one trace, numbers from 1 on select its CPU profiles, as in a directory converted from it.
///
/// ```
/// use heapquarry_input::Source;
///
/// let file = Source::from("app.heapsnapshot");
/// let third = Source::from("all.zip#2");
/// let memory = Source::bytes("app.heapsnapshot", br#"{"snapshot":{}}"#.to_vec());
/// assert_eq!((third.document, memory.to_string()), (Some(2), "app.heapsnapshot".to_string()));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Source {
    /// The file or directory; for bytes, a stream or a reader, a name to show.
    pub path: PathBuf,
    /// Number of the selected document, from 0.
    pub document: Option<usize>,
    /// The selected part of a trace; `None` for all of it.
    pub part: Option<Part>,
    /// The type of values to read of a pprof profile, such as `alloc_space`; `None` for the default type of the
    /// profile.
    pub sample_type: Option<String>,
    /// The memory of the process that it was taken of, if it was given.
    pub(crate) process: Option<Arc<Sample>>,
    /// Which isolate of a process it is of, if that was given.
    pub(crate) isolate: Option<Arc<Isolate>>,
    pub(crate) content: Content,
}

/// Where the bytes come from.
#[derive(Clone)]
pub enum Content {
    /// In the file system.
    Path,
    /// Behind a positional reader.
    At(Arc<dyn Input>),
    /// In a stream, which can be read once.
    Stream(Arc<Mutex<Option<Box<dyn Read + Send>>>>),
    /// A document that has been opened already; its number, if its input has several.
    Opened(Arc<Opened>, Option<usize>),
}

impl Source {
    /// A path that is taken literally: a `#` is part of the name. Credentials in an address are forgotten at once: to
    /// read it is an error, whose message must not show them.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Source {
            path: shown(&path.into()),
            document: None,
            part: None,
            sample_type: None,
            process: None,
            isolate: None,
            content: Content::Path,
        }
    }

    /// A document of this input that has been opened. It can be read again without opening the input again.
    pub fn opened(&self, document: Opened, number: Option<usize>) -> Self {
        Source { content: Content::Opened(Arc::new(document), number), ..self.clone() }
    }

    /// Where its bytes come from.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Whether it is a whole file, or a directory, in the file system.
    pub fn is_plain_file(&self) -> bool {
        matches!(self.content, Content::Path) && self.document.is_none()
    }

    /// What it is read from in the file system, which no output may replace; `None` for what only has a name: bytes, a
    /// stream, a reader.
    pub fn on_disk(&self) -> Option<&Path> {
        match self.content {
            Content::Path | Content::Opened(..) => Some(&self.path),
            Content::At(_) | Content::Stream(_) => None,
        }
    }

    /// Whether it is a directory, as opposed to something in memory that has the name of one.
    pub fn is_directory(&self) -> bool {
        matches!(self.content, Content::Path) && self.path.is_dir()
    }

    /// Bytes in memory.
    pub fn bytes(
        name: impl Into<PathBuf>,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Self {
        Source::positional(name, bytes)
    }

    /// Anything that can be read at a position by several threads: an object store, a device.
    pub fn positional(name: impl Into<PathBuf>, input: impl Input + 'static) -> Self {
        Source { content: Content::At(Arc::new(input)), ..Source::path(name) }
    }

    /// An open file that nobody else changes, such as an unnamed temporary one.
    ///
    /// # Errors
    /// If its size cannot be told.
    pub fn file(name: impl Into<PathBuf>, file: File) -> io::Result<Self> {
        Ok(Source::positional(name, FileInput::open(file)?))
    }

    /// A stream, which is first decompressed into an unnamed temporary file. It can be read once.
    pub fn stream(name: impl Into<PathBuf>, stream: impl Read + Send + 'static) -> Self {
        let stream: Box<dyn Read + Send> = Box::new(stream);
        let content = Content::Stream(Arc::new(Mutex::new(Some(stream))));
        Source { content, ..Source::path(name) }
    }

    /// Selects the document with this number.
    #[must_use]
    pub fn document(mut self, document: usize) -> Self {
        self.document = Some(document);
        self
    }

    /// Selects a part of a trace, for the questions `summary`, `diff`, `check` and `export` of `heapquarry-query`.
    /// Other functions refuse it, and so do these unless the source is a trace.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        self.part = Some(part).filter(|part| !part.is_whole());
        self
    }

    /// Selects the values of a pprof profile that the questions of `heapquarry-query` are about: the name of a sample
    /// type. Other profiles have one type.
    #[must_use]
    pub fn sample_type(mut self, name: impl Into<String>) -> Self {
        self.sample_type = Some(name.into());
        self
    }

    /// Returns an error if a part of a trace is selected, where it cannot be.
    pub fn refuse_part(&self, why: &'static str) -> Result<()> {
        match self.part {
            None => Ok(()),
            Some(_) => Err(Error::new(ErrorKind::Part { path: self.path.clone(), why })),
        }
    }

    /// The error of reading it as a file, as it is a directory.
    pub fn directory(&self) -> Error {
        let source = match manifest(&self.path) {
            Ok(Some(_)) => io::Error::other("it has been converted already; query its tables"),
            _ => io::ErrorKind::IsADirectory.into(),
        };
        Error::new(ErrorKind::Input { path: self.path.clone(), doing: "read", source })
    }

    /// Whether the source can be read more than once.
    pub fn is_repeatable(&self) -> bool {
        match self.content {
            Content::Path => self.path.is_file() || url(&self.path).is_some(),
            Content::At(_) | Content::Opened(..) => true,
            Content::Stream(_) => false,
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.to_string()).finish()
    }
}

impl From<OsString> for Source {
    /// The number after the last `#` selects a document, unless a file with the whole name exists.
    fn from(text: OsString) -> Self {
        let whole = || Source::path(&text);
        let Some((path, document)) = text.to_str().and_then(|text| text.rsplit_once('#')) else {
            return whole();
        };
        match document.parse() {
            Ok(document) if !path.is_empty() && !Path::new(&text).exists() => {
                Source::path(path).document(document)
            }
            _ => whole(),
        }
    }
}

impl<T: AsRef<OsStr> + ?Sized> From<&T> for Source {
    fn from(path: &T) -> Self {
        path.as_ref().to_owned().into()
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        path.into_os_string().into()
    }
}

impl From<String> for Source {
    fn from(path: String) -> Self {
        OsString::from(path).into()
    }
}

/// A path, as on a command line.
impl<'de> serde::Deserialize<'de> for Source {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Source::from)
    }
}

impl From<&Source> for Source {
    fn from(source: &Source) -> Self {
        source.clone()
    }
}

/// Shows the source as it was given.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        let number = match self.content {
            Content::Opened(_, number) => number,
            _ => self.document,
        };
        number.map_or(Ok(()), |number| write!(f, "#{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_behind_the_last_hash_is_a_document() {
        let dir = tempfile::tempdir().unwrap();
        let there = dir.path().join("there#2");
        std::fs::write(&there, "").unwrap();
        for (text, path, document) in [
            ("all.tables", "all.tables", None),
            ("all.tables#2", "all.tables", Some(2)),
            ("a#b.tables#10", "a#b.tables", Some(10)),
            ("a#b", "a#b", None),
            ("#2", "#2", None),
            ("a#", "a#", None),
            ("a#-1", "a#-1", None),
            (there.to_str().unwrap(), there.to_str().unwrap(), None),
        ] {
            let source = Source::from(OsString::from(text));
            assert_eq!((source.path.as_path(), source.document), (Path::new(path), document));
            assert_eq!(source.to_string(), text);
        }
    }
}
