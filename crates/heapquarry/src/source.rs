//! Which document is asked about: a file, a converted directory, or one of several documents in it.

use crate::{
    Error, ErrorKind, Result, RunOptions,
    input::{self, CONTAINERS, Opened, Spooling},
    sniff,
};
use heapquarry_formats::{Format, Found};
use serde_json::Value;
use std::{
    ffi::OsString,
    fmt, fs,
    path::{Path, PathBuf},
};

/// An input of the commands that answer questions: a file of any known format, packed or not, `-` for standard input,
/// or a directory that [`crate::convert`] wrote. Of several documents in it, `INPUT#2` is the one of that number:
/// `document_index` of a file, `file_id` of a directory. Both count from 0. Of a file that is one trace, 1 and those
/// behind it are the CPU profiles in it, as in a directory made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file or directory.
    pub path: PathBuf,
    /// Which document of several, counted from 0.
    pub document: Option<usize>,
}

impl From<OsString> for Source {
    /// What stands behind the last `#` is the document, unless there is a file of the whole name.
    fn from(text: OsString) -> Self {
        let whole = || Source { path: PathBuf::from(&text), document: None };
        let Some((path, document)) = text.to_str().and_then(|text| text.rsplit_once('#')) else {
            return whole();
        };
        match document.parse() {
            Ok(document) if !path.is_empty() && !Path::new(&text).exists() => {
                Source { path: path.into(), document: Some(document) }
            }
            _ => whole(),
        }
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        path.as_os_str().to_owned().into()
    }
}

/// As it was given.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.document.map_or(Ok(()), |document| write!(f, "#{document}"))
    }
}

/// A document of a converted directory, as its manifest describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) file_id: i32,
    pub(crate) name: String,
    pub(crate) format: String,
    /// The input that it came from.
    path: String,
}

/// A source that is there, and known by its format.
pub(crate) enum Located {
    /// A file, unpacked.
    File(Opened, Found),
    /// A trace, and the number of a CPU profile in it, counted from 1.
    InTrace(Opened, usize),
    /// Documents of a converted directory: one, or the traces of an input that has many.
    Stored(Format, Vec<Stored>),
}

impl Located {
    pub(crate) fn format(&self) -> Format {
        match self {
            Located::File(_, found) => found.format,
            Located::InTrace(..) => Format::CpuProfile,
            Located::Stored(format, _) => *format,
        }
    }

    /// The number of the CPU profile in a trace that is meant, counted from 1.
    pub(crate) fn number(&self) -> Option<usize> {
        match self {
            Located::InTrace(_, number) => Some(*number),
            _ => None,
        }
    }
}

impl Source {
    /// Opens the source and tells its format. Of a file that is one trace a number is that of a CPU profile in it. A
    /// directory of self-profiling traces stands for all of them, unless one is named: pages send many small ones.
    pub(crate) fn locate(&self, options: &RunOptions) -> Result<Located> {
        if self.path.is_dir() && self.document.is_none() {
            let documents = self.documents()?;
            if documents.len() > 1 && documents.iter().all(|d| d.format == "selfprofile") {
                return Ok(Located::Stored(Format::SelfProfile, documents));
            }
        }
        if let Some(document) = self.stored()? {
            let format = Format::by_name(&document.format).ok_or_else(|| {
                let what =
                    format!("heap or profile: {} is of format {}", document.name, document.format);
                Error::new(ErrorKind::NotThere { path: self.path.clone(), what })
            })?;
            return Ok(Located::Stored(format, vec![document]));
        }
        let spooling = Spooling::to_temp(Some(&options.cancel));
        let mut documents = input::open(&self.path, &spooling)?.documents;
        if let (Some(number @ 1..), [document]) = (self.document, &documents[..])
            && sniff::sniff(document)?.format == Format::Trace
        {
            return Ok(Located::InTrace(documents.remove(0), number));
        }
        let opened = input::choose(documents, &self.path, self.document)?;
        let found = sniff::sniff(&opened)?;
        Ok(Located::File(opened, found))
    }

    /// The document of a converted directory that is meant: the one that it names, or the only one, which may be a trace with
    /// profiles in it. `None` if this is no directory.
    pub(crate) fn stored(&self) -> Result<Option<Stored>> {
        if !self.path.is_dir() {
            return Ok(None);
        }
        let mut documents = self.documents()?;
        match self.document {
            None if documents.len() == 1 => Ok(documents.pop()),
            None if is_trace(&documents) => Ok(Some(documents.swap_remove(0))),
            Some(n) => match documents.iter().position(|d| i32::try_from(n) == Ok(d.file_id)) {
                Some(at) => Ok(Some(documents.swap_remove(at))),
                None => Err(self.no_such(documents)),
            },
            None => Err(self.no_such(documents)),
        }
    }

    fn no_such(&self, documents: Vec<Stored>) -> Error {
        let names = documents.into_iter().map(|d| (d.file_id as usize, d.name)).collect();
        let (path, document) = (self.path.clone(), self.document);
        Error::new(ErrorKind::Document { path, document, names })
    }

    /// The documents of a converted directory.
    fn documents(&self) -> Result<Vec<Stored>> {
        let manifest = self.path.join("_manifest.json");
        let text = fs::read_to_string(&manifest).map_err(|source| {
            Error::new(match source.kind() {
                std::io::ErrorKind::NotFound => ErrorKind::NotConverted(self.path.clone()),
                _ => ErrorKind::Input { path: manifest, doing: "read", source },
            })
        })?;
        let documents = serde_json::from_str(&text).ok().and_then(|json: Value| stored(&json));
        documents.ok_or_else(|| Error::new(ErrorKind::NotConverted(self.path.clone())))
    }
}

/// Whether it is one trace, with the CPU profiles in it.
fn is_trace(documents: &[Stored]) -> bool {
    let Some((trace, profiles)) = documents.split_first() else { return false };
    let is_part = |profile: &Stored| profile.format == "cpuprofile" && profile.path == trace.path;
    trace.format == "trace" && profiles.iter().all(is_part)
}

fn stored(manifest: &Value) -> Option<Vec<Stored>> {
    let document = |input: &Value| {
        Some(Stored {
            file_id: i32::try_from(input["file_id"].as_i64()?).ok()?,
            name: input["name"].as_str()?.into(),
            format: input["format"].as_str()?.into(),
            path: input["path"].as_str().unwrap_or_default().into(),
        })
    };
    let documents: Option<Vec<_>> = manifest["inputs"].as_array()?.iter().map(document).collect();
    let mut documents = documents?;
    documents.retain(|document| !CONTAINERS.contains(&document.format.as_str()));
    Some(documents)
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
            assert_eq!(source, Source { path: path.into(), document });
            assert_eq!(source.to_string(), text);
        }
    }

    #[test]
    fn documents_are_chosen_by_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let source = |document| Source { path: path.into(), document };
        let error = source(None).stored().unwrap_err().to_string();
        assert!(error.contains("is no directory that heapquarry wrote"), "{error}");
        let inputs: Vec<_> = ["a.heapsnapshot", "b.heapsnapshot"]
            .iter()
            .enumerate()
            .map(|(i, name)| {
                serde_json::json!({"file_id": i, "name": name, "format": "heapsnapshot"})
            })
            .collect();
        for (count, document, expected) in [
            (1, None, Ok(0)),
            (1, Some(0), Ok(0)),
            (1, Some(1), Err("holds 1 document, there is no #1: #0 is a.heapsnapshot")),
            (2, Some(1), Ok(1)),
            (
                2,
                Some(2),
                Err(
                    "holds 2 documents, there is no #2: #0 is a.heapsnapshot, #1 is b.heapsnapshot",
                ),
            ),
            (
                2,
                None,
                Err("holds 2 documents, say which: #0 is a.heapsnapshot, #1 is b.heapsnapshot"),
            ),
            (0, None, Err("holds no document")),
        ] {
            let manifest = serde_json::json!({"inputs": inputs[..count]});
            std::fs::write(path.join("_manifest.json"), manifest.to_string()).unwrap();
            let found = source(document).stored();
            match (found, expected) {
                (Ok(found), Ok(file_id)) => assert_eq!(found.unwrap().file_id, file_id),
                (Err(found), Err(error)) => assert!(found.to_string().contains(error), "{found}"),
                (found, expected) => panic!("{found:?}, expected {expected:?}"),
            }
        }
    }
}
