//! Opens inputs: a path to the documents in it.
//!
//! An input is unwrapped first: a pipe, a gzip, zstd or zlib stream, the files of a zip archive are decoded into an unnamed
//! temporary file, so that everything can be read at a position. What remains is a document, or a container of several.

mod archive;
mod file;
mod packing;
mod page;

pub(crate) use file::{FileInput, fingerprint};

use crate::{Error, ErrorKind, Result};
use heapquarry_formats::{Code, Log};
use packing::Packing;
use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    path::{Path, PathBuf},
};

/// What is in an input.
pub(crate) struct Contents {
    /// Never empty, unless there is a container.
    pub(crate) documents: Vec<Opened>,
    /// What the documents came in, if it can hold several; the outermost last.
    pub(crate) containers: Vec<Container>,
}

/// A document that can be read at any position.
pub(crate) struct Opened {
    /// The input as given; `-` for standard input.
    pub(crate) path: PathBuf,
    /// File name, without what says that it was packed; or the name that a container gives it.
    pub(crate) name: String,
    pub(crate) input: FileInput,
    /// What was wrong with its packing.
    pub(crate) log: Log,
    /// Whether it came in a container: then it may be damaged beyond reading, and the others are still read.
    pub(crate) is_part: bool,
}

/// What documents came in.
pub(crate) struct Container {
    /// The input as given.
    pub(crate) path: PathBuf,
    /// File name.
    pub(crate) name: String,
    pub(crate) input: FileInput,
    /// `zip`, `html`, ….
    pub(crate) format: &'static str,
    /// Which of the documents came in it.
    pub(crate) documents: Range<usize>,
    /// What was wrong with it.
    pub(crate) log: Log,
}

/// Formats of containers, as in `source.format`: of their rows there are no other tables than their own.
pub(crate) const CONTAINERS: [&str; 2] = ["zip", "html"];

/// Packed files in packed files that are unpacked.
const LAYERS: usize = 8;

/// The longest line that the web viewer of .htrace files puts before them.
const LONGEST_MARK: u64 = 64 << 20;

/// Opens a file, or standard input if the path is `-`. What has to be spooled goes to `spool_dir`.
pub(crate) fn open(path: &Path, spool_dir: &Path) -> Result<Contents> {
    let mut opener = Opener { path, spool_dir, documents: Vec::new(), containers: Vec::new() };
    let (name, input, log) = opener.open_path()?;
    opener.unwrap(name, input, log, false, LAYERS)?;
    let Opener { documents, containers, .. } = opener;
    Ok(Contents { documents, containers })
}

/// Opens the one document of an input, or the one at that position, counted from 0.
pub(crate) fn open_document(
    path: &Path,
    position: Option<usize>,
    spool_dir: &Path,
) -> Result<Opened> {
    let mut documents = open(path, spool_dir)?.documents;
    match position {
        None if documents.len() == 1 => Ok(documents.remove(0)),
        Some(at) if at < documents.len() => Ok(documents.swap_remove(at)),
        _ => {
            let names = documents.into_iter().map(|document| document.name).enumerate().collect();
            Err(Error::new(ErrorKind::Document { path: path.into(), document: position, names }))
        }
    }
}

struct Opener<'a> {
    path: &'a Path,
    spool_dir: &'a Path,
    documents: Vec<Opened>,
    containers: Vec<Container>,
}

impl Opener<'_> {
    fn fail(&self, doing: &'static str) -> impl Fn(io::Error) -> Error {
        move |source| Error::new(ErrorKind::Input { path: self.path.to_path_buf(), doing, source })
    }

    /// The file as it is, or all of a stream.
    fn open_path(&self) -> Result<(String, FileInput, Log)> {
        let path = self.path;
        if path == Path::new("-") {
            return self.stream("stdin", io::stdin().lock());
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let file = File::open(path).map_err(self.fail("open"))?;
        let metadata = file.metadata().map_err(self.fail("open"))?;
        if metadata.is_dir() {
            return Err(self.fail("read")(io::ErrorKind::IsADirectory.into()));
        }
        if metadata.is_file() {
            let input = FileInput::new(file, metadata.len());
            return Ok((name.into(), input, Log::default()));
        }
        self.stream(&name, file)
    }

    /// Spools a stream, unpacked on the way.
    fn stream(&self, name: &str, mut stream: impl Read) -> Result<(String, FileInput, Log)> {
        let mut head = Vec::new();
        stream.by_ref().take(4).read_to_end(&mut head).map_err(self.fail("read"))?;
        let packing = Packing::of(&head).filter(|packing| *packing != Packing::Zlib);
        let whole = io::Cursor::new(head).chain(stream);
        let (input, log) =
            packing::spool(whole, packing, self.spool_dir).map_err(self.fail("spool"))?;
        let stem = if packing.is_some() { Packing::stem(name) } else { name };
        Ok((stem.into(), input, log))
    }

    /// Takes off what is around documents, and keeps what is then there.
    fn unwrap(
        &mut self,
        name: String,
        input: FileInput,
        mut log: Log,
        is_part: bool,
        layers: usize,
    ) -> Result<()> {
        let head = input.head(32).map_err(self.fail("read"))?;
        if layers > 0
            && let Some(input) = self.behind_mark(&input, &head)?
        {
            return self.unwrap(name, input, log, is_part, layers - 1);
        }
        if layers > 0
            && let Some(input) = self.behind_talk(&input)?
        {
            return self.unwrap(name, input, log, is_part, layers - 1);
        }
        if layers > 0
            && let Some(packing) = Packing::of(&head)
        {
            let unpacked = packing::spool(input.reader(), Some(packing), self.spool_dir);
            let (unpacked, damage) = unpacked.map_err(self.fail("spool"))?;
            // Two bytes tell little: a text can begin like a zlib stream.
            if packing != Packing::Zlib || heapquarry_formats::Input::size(&unpacked) > 0 {
                log.merge(damage);
                let name = Packing::stem(&name).to_string();
                return self.unwrap(name, unpacked, log, is_part, layers - 1);
            }
        }
        if layers > 0 && archive::recognises(&head) {
            return self.unzip(name, input, log, is_part, layers - 1);
        }
        if layers > 0 && page::recognises(&head) {
            return self.open_page(name, input, log, is_part, layers - 1);
        }
        self.documents.push(Opened { path: self.path.into(), name, input, log, is_part });
        Ok(())
    }

    /// What follows the line that the web viewer puts before .htrace files which it saves.
    fn behind_mark(&self, input: &FileInput, head: &[u8]) -> Result<Option<FileInput>> {
        const MARK: &[u8] = b"MarkPositionJSON->";
        if !head.starts_with(MARK) {
            return Ok(None);
        }
        let mut reader = io::BufReader::new(input.slice(0, LONGEST_MARK).reader());
        let mut line = Vec::new();
        io::BufRead::read_until(&mut reader, b'\n', &mut line).map_err(self.fail("read"))?;
        Ok(line.ends_with(b"\n").then(|| input.from(line.len() as u64)))
    }

    /// What follows the line `TRACE:`, with which atrace ends talking to its user, if that is compressed or the text of a
    /// tracer.
    fn behind_talk(&self, input: &FileInput) -> Result<Option<FileInput>> {
        const MARK: &[u8] = b"TRACE:\n";
        const LONGEST_TALK: usize = 256;
        let head = input.head(LONGEST_TALK).map_err(self.fail("read"))?;
        let Some(mark) = memchr::memmem::find(&head, MARK) else { return Ok(None) };
        let starts_line = mark == 0 || head[mark - 1] == b'\n';
        let rest = &head[mark + MARK.len()..];
        let is_trace = Packing::of(rest) == Some(Packing::Zlib) || rest.starts_with(b"# tracer:");
        Ok((starts_line && is_trace).then(|| input.from((mark + MARK.len()) as u64)))
    }

    /// The traces of a page. One that stands alone is the input itself.
    fn open_page(
        &mut self,
        name: String,
        page: FileInput,
        mut log: Log,
        is_part: bool,
        layers: usize,
    ) -> Result<()> {
        let mut parts = page::parts(&page, self.spool_dir).map_err(self.fail("spool"))?;
        let stem = name.strip_suffix(".html").unwrap_or(&name).to_string();
        match parts.len() {
            // That it is a page is said when its format is looked for.
            0 => {
                self.documents.push(Opened {
                    path: self.path.into(),
                    name,
                    input: page,
                    log,
                    is_part,
                });
                Ok(())
            }
            1 => {
                let part = parts.remove(0);
                log.merge(part.log);
                self.unwrap(stem, part.input, log, is_part, layers)
            }
            _ => {
                let name_of = |number| format!("{stem}#{number}");
                let parts = parts.into_iter().enumerate().map(|(number, part)| archive::Entry {
                    name: name_of(number),
                    input: part.input,
                    log: part.log,
                });
                self.open_parts(name, page, log, parts.collect(), "html", layers)
            }
        }
    }

    /// The files of a zip archive. One that stands alone is the input itself; of several those of no known format are
    /// only logged.
    fn unzip(
        &mut self,
        name: String,
        input: FileInput,
        mut log: Log,
        is_part: bool,
        layers: usize,
    ) -> Result<()> {
        let entries = archive::unpack(&input, self.spool_dir, &mut log);
        let mut entries = entries.map_err(self.fail("spool"))?;
        if entries.len() == 1 {
            let archive::Entry { name, input, log: damage } = entries.remove(0);
            log.merge(damage);
            return self.unwrap(file_name(&name).into(), input, log, is_part, layers);
        }
        self.open_parts(name, input, log, entries, "zip", layers)
    }

    /// The documents of a container. Those of no known format are only logged.
    fn open_parts(
        &mut self,
        name: String,
        input: FileInput,
        mut log: Log,
        entries: Vec<archive::Entry>,
        format: &'static str,
        layers: usize,
    ) -> Result<()> {
        let first = self.documents.len();
        for entry in entries {
            let (documents, containers) = (self.documents.len(), self.containers.len());
            let name = file_name(&entry.name).to_string();
            let mut known = match self.unwrap(name, entry.input, entry.log, true, layers) {
                Ok(()) => true,
                Err(error) if matches!(error.kind(), ErrorKind::Unknown { .. }) => false,
                Err(error) => return Err(error),
            };
            // Containers have told their documents from others themselves.
            if self.containers.len() == containers
                && let Some(document) = self.documents.get(documents)
                && crate::sniff::format(document)?.is_none()
            {
                self.documents.truncate(documents);
                known = false;
            }
            if !known {
                log.add(Code::UnknownDocument, None, || {
                    format!("{:?} is of no format that heapquarry knows", entry.name)
                });
            }
        }
        let documents = first..self.documents.len();
        if documents.is_empty() {
            let what = if format == "html" { "page" } else { "zip archive" };
            let found = format!("a {what} without a file of such a format");
            return Err(crate::sniff::unknown(self.path, found));
        }
        let path = self.path.into();
        self.containers.push(Container { path, name, input, format, documents, log });
        Ok(())
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
