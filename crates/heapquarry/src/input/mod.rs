//! Opens inputs: a path to the documents in it.
//!
//! An input is unwrapped first: a pipe, a gzip, zstd or zlib stream, the files of a zip archive are decoded into an unnamed
//! temporary file, so that everything can be read at a position. What remains is a document, or a container of several.

mod archive;
mod container;
mod file;
mod packing;
mod page;
mod recognise;
mod spool;
mod spooling;
mod watched;

pub(crate) use file::{FileInput, fingerprint};
pub(crate) use spooling::Spooling;

use crate::{Error, ErrorKind, Result, Source, source::Content};
use arrow_array::RecordBatch;
use container::{Group, Wrapped};
use heapquarry_formats::{
    Code, Input as _, Log,
    devtools::{self, LastSeen, StatsUpdate},
    htrace::{self, Section, proto::ArkTsConfig},
};
use heapquarry_tables::sync::unpoisoned;
use heapquarry_tables::{
    DEVTOOLS_TABLES, FileId, HTRACE_PLUGIN, HTRACE_SECTION, HTRACE_TABLES, JS_CONFIG,
    JS_CPU_PROFILER_TABLES, JS_HEAP_ANALYSIS_TABLES, JS_HEAP_LAST_SEEN_OBJECT_ID,
    JS_HEAP_STATS_UPDATE, JS_HEAP_TABLES, Table,
};
use packing::{Packing, Unpacked};
use spool::Spool;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
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
    /// What its container says of its times.
    pub(crate) times: Times,
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
    /// `zip`, `html`, `htrace` or `devtools`.
    pub(crate) format: &'static str,
    /// How many of the documents came in it.
    pub(crate) documents: usize,
    /// What was wrong with it.
    pub(crate) log: Log,
    /// What it says itself, if it holds messages.
    pub(crate) rows: Option<Rows>,
}

/// What a container says of a document's times, in ns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// Start of a heap, in boot time.
    pub(crate) start: Option<i64>,
    /// Its end.
    pub(crate) end: Option<i64>,
    /// What is to be added to a profile's own times to have boot time.
    pub(crate) to_boottime: Option<i64>,
}

/// What a container of messages says besides its documents.
#[derive(Default)]
pub(crate) struct Rows {
    /// Whether it has sections and records.
    htrace: bool,
    pub(crate) sections: Vec<Section>,
    sums: Vec<[u8; 32]>,
    pub(crate) plugins: BTreeMap<String, (u64, u64)>,
    configs: Vec<ArkTsConfig>,
    /// Which documents the heaps are that the rows below belong to; nothing for one of no known format.
    heaps: Vec<Option<usize>>,
    stats: Vec<StatsUpdate>,
    last_seen: Vec<LastSeen>,
}

impl Rows {
    /// The tables that a container of messages fills, empty if need be: all that its documents can fill among them.
    pub(crate) fn tables(&self) -> Vec<&'static Table> {
        let own: &[&'static Table] = if self.htrace { &HTRACE_TABLES } else { &[] };
        let groups = [
            own,
            &DEVTOOLS_TABLES,
            &JS_HEAP_TABLES,
            &JS_HEAP_ANALYSIS_TABLES,
            &JS_CPU_PROFILER_TABLES,
        ];
        groups.concat()
    }

    /// The rows, given the container's `file_id` and those of the documents.
    pub(crate) fn batches(
        &self,
        file_id: FileId,
        documents: &[FileId],
    ) -> Vec<(&'static Table, RecordBatch)> {
        let of_heap = |heap: usize| {
            let document = self.heaps.get(heap).copied().flatten();
            document.and_then(|at| documents.get(at)).copied().unwrap_or(file_id)
        };
        let mut batches = vec![
            (&JS_HEAP_STATS_UPDATE, devtools::stats_updates(&self.stats, of_heap)),
            (
                &JS_HEAP_LAST_SEEN_OBJECT_ID,
                devtools::last_seen_object_ids(&self.last_seen, of_heap),
            ),
        ];
        if self.htrace {
            batches.extend([
                (&HTRACE_SECTION, htrace::sections(file_id, &self.sections, &self.sums)),
                (&HTRACE_PLUGIN, htrace::plugins(file_id, &self.plugins)),
                (&JS_CONFIG, htrace::config(file_id, &self.configs)),
            ]);
        }
        batches
    }
}

/// Formats of containers, as in `source.format`: of their rows there are no other tables than their own.
pub(crate) const CONTAINERS: [&str; 4] = ["zip", "html", "htrace", "devtools"];

/// Packed files in packed files that are unpacked.
const LAYERS: usize = 8;

/// Containers in containers that are opened: each could hold as many as fit.
const DEPTH: usize = 3;

/// What the web viewer of .htrace files puts before them begins like this, and is a line of at most so many bytes.
const MARK: &[u8] = b"MarkPositionJSON->";
const LONGEST_MARK: u64 = 64 << 20;

/// Bytes within which atrace ends talking to its user.
const LONGEST_TALK: usize = 256;

/// Opens a source.
pub(crate) fn open(source: &Source, spooling: &Spooling<'_>) -> Result<Contents> {
    open_first(std::slice::from_ref(source), spooling, false).map(|(contents, _)| contents)
}

/// Opens the first of some inputs, with those behind it that go on with what it does not end; says how many that are. If so wanted,
/// the sums in headers are checked, which takes another thread.
pub(crate) fn open_first(
    sources: &[Source],
    spooling: &Spooling<'_>,
    check_sums: bool,
) -> Result<(Contents, usize)> {
    let mut opener = Opener {
        path: &sources[0].path,
        next: &sources[1..],
        spool: Spool::new(spooling),
        check_sums,
        depth: 0,
        documents: Vec::new(),
        containers: Vec::new(),
    };
    let opened = opener.open_source(&sources[0]);
    spooling.conclude(opened.and_then(|wrapped| opener.unwrap(wrapped, false, LAYERS)))?;
    let Opener { next, documents, containers, .. } = opener;
    Ok((Contents { documents, containers }, sources.len() - next.len()))
}

/// The one document of an input, or the one at that position.
pub(crate) fn choose(
    mut documents: Vec<Opened>,
    path: &Path,
    position: Option<usize>,
) -> Result<Opened> {
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
    /// The inputs behind it.
    next: &'a [Source],
    /// Where everything is unpacked to.
    spool: Spool<'a>,
    check_sums: bool,
    /// Containers that are being opened.
    depth: usize,
    documents: Vec<Opened>,
    containers: Vec<Container>,
}

impl Opener<'_> {
    fn fail(&self, doing: &'static str) -> impl Fn(io::Error) -> Error {
        move |source| Error::new(ErrorKind::Input { path: self.path.to_path_buf(), doing, source })
    }

    /// The input as it is, or all of a stream.
    fn open_source(&self, source: &Source) -> Result<Wrapped> {
        let path = source.path.as_path();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let taken = |error: &str| io::Error::other(error.to_owned());
        match &source.content {
            Content::Path => self.open_path(path),
            Content::At(input) => {
                let input = FileInput::of(input.clone());
                self.spool.count_packed(input.size());
                Ok(Wrapped { path: path.into(), name: name.into(), input, log: Log::default() })
            }
            Content::Stream(stream) => {
                let stream = unpoisoned(stream.lock()).take();
                let stream = stream.ok_or_else(|| taken("the stream was read before"));
                self.stream(path, &name, move || stream)
            }
        }
    }

    /// The file as it is, or all of a stream.
    fn open_path(&self, path: &Path) -> Result<Wrapped> {
        let fail = |doing| {
            move |source| Error::new(ErrorKind::Input { path: path.to_path_buf(), doing, source })
        };
        if path == Path::new("-") {
            return self.stream(path, "stdin", || Ok(io::stdin()));
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let metadata = fs::metadata(path).map_err(fail("open"))?;
        if metadata.is_dir() {
            return Err(fail("read")(io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            // A pipe is open only when it has another end.
            let opened = path.to_path_buf();
            return self.stream(path, &name, move || File::open(opened));
        }
        let file = File::open(path).map_err(fail("open"))?;
        let input = FileInput::open(file).map_err(fail("open"))?;
        // Files that a system makes up, as those of /proc, have no size before they are read.
        if input.size() == 0 && input.begins() {
            let opened = path.to_path_buf();
            return self.stream(path, &name, move || File::open(opened));
        }
        self.spool.count_packed(input.size());
        Ok(Wrapped { path: path.into(), name: name.into(), input, log: Log::default() })
    }

    /// Spools a stream, unpacked on the way.
    fn stream<R: Read>(
        &self,
        path: &Path,
        name: &str,
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> Result<Wrapped> {
        let stream = self.spool.spooling().stream(open).map_err(self.fail("read"))?;
        let mut stream = self.spool.counted(stream);
        let mut head = Vec::new();
        stream.by_ref().take(4).read_to_end(&mut head).map_err(self.fail("read"))?;
        let packing = Packing::of(&head).filter(|packing| *packing != Packing::Zlib);
        let whole = io::Cursor::new(head).chain(stream);
        let unpacked = packing::unpack(whole, packing, &self.spool);
        let (input, log) = self.known(unpacked.map_err(self.fail("spool"))?)?;
        let stem = if packing.is_some() { Packing::stem(name) } else { name };
        Ok(Wrapped { path: path.into(), name: stem.into(), input, log })
    }

    /// Takes off what is around one file; says how many layers may still be taken off.
    fn peel(&self, mut wrapped: Wrapped, layers: usize) -> Result<(Wrapped, usize)> {
        for left in (0..layers).rev() {
            let head = wrapped.input.head(32).map_err(self.fail("read"))?;
            if let Some(input) = self.behind_mark(&wrapped.input, &head)? {
                wrapped.input = input;
                continue;
            }
            if let Some(input) = self.behind_talk(&wrapped.input)? {
                wrapped.input = input;
                continue;
            }
            let Some(packing) = Packing::of(&head) else { return Ok((wrapped, left + 1)) };
            let packed = self.spool.spooling().guard(&wrapped.input).reader();
            let unpacked = packing::unpack(packed, Some(packing), &self.spool);
            let (unpacked, damage) = self.known(unpacked.map_err(self.fail("spool"))?)?;
            // Two bytes tell little: a text can begin like a zlib stream.
            if packing == Packing::Zlib && unpacked.size() == 0 {
                return Ok((wrapped, 0));
            }
            wrapped.log.merge(damage);
            wrapped.input.log_change(&mut wrapped.log);
            wrapped.name = Packing::stem(&wrapped.name).into();
            wrapped.input = unpacked;
        }
        Ok((wrapped, 0))
    }

    /// What was unpacked, if it may be of a known format.
    fn known(&self, unpacked: Unpacked) -> Result<(FileInput, Log)> {
        match unpacked {
            Unpacked::Spooled(input, log) => Ok((input, log)),
            Unpacked::Unknown(head) => Err(crate::sniff::unknown_content(self.path, &head)),
        }
    }

    /// Takes off what is around documents, and keeps what is then there.
    fn unwrap(&mut self, wrapped: Wrapped, is_part: bool, layers: usize) -> Result<()> {
        let (wrapped, layers) = self.peel(wrapped, layers)?;
        let head = wrapped.input.head(32).map_err(self.fail("read"))?;
        let layers = if self.depth < DEPTH { layers } else { 0 };
        if layers > 0 && archive::recognises(&head) {
            return self.unzip(wrapped, is_part, layers - 1);
        }
        if layers > 0 && page::recognises(&head) {
            return self.open_page(wrapped, is_part, layers - 1);
        }
        let fail = |source| Error::new(ErrorKind::Format { path: self.path.into(), source });
        let is_htrace = htrace::recognises(&head);
        if is_htrace || devtools::sniff(&wrapped.input).map_err(fail)? {
            return self.messages(wrapped, is_htrace, is_part);
        }
        let Wrapped { path, name, input, log } = wrapped;
        self.documents.push(Opened { path, name, input, log, times: Times::default(), is_part });
        Ok(())
    }

    /// The documents of a container of messages, and of those behind it that go on with what it does not end.
    fn messages(&mut self, wrapped: Wrapped, is_htrace: bool, is_part: bool) -> Result<()> {
        // Other files that go on with it are unpacked meanwhile.
        let spool = if is_part { self.spool.clone() } else { self.spool.another() };
        let mut group = Group::new(&spool, self.check_sums);
        if is_htrace {
            group.read_htrace(wrapped)?;
        } else {
            group.read_messages(wrapped)?;
        }
        while is_htrace
            && !is_part
            && group.is_open()
            && let [source, rest @ ..] = self.next
            && source.document.is_none()
            && source.is_repeatable()
        {
            let (next, _) = self.peel(self.open_source(source)?, LAYERS)?;
            if !htrace::recognises(&next.input.head(32).map_err(self.fail("read"))?) {
                break;
            }
            group.read_htrace(next)?;
            self.next = rest;
        }
        let (documents, containers) = group.finish(self.documents.len())?;
        self.documents.extend(documents);
        self.containers.extend(containers);
        Ok(())
    }

    /// What follows the line that the web viewer puts before .htrace files which it saves.
    fn behind_mark(&self, input: &FileInput, head: &[u8]) -> Result<Option<FileInput>> {
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
        let head = input.head(LONGEST_TALK).map_err(self.fail("read"))?;
        Ok(talk(&head).map(|length| input.from(length as u64)))
    }

    /// The traces of a page. One that stands alone is the input itself.
    fn open_page(&mut self, page: Wrapped, is_part: bool, layers: usize) -> Result<()> {
        let mut page = page;
        let mut parts = page::parts(&page.input, &self.spool).map_err(self.fail("spool"))?;
        page.input.log_change(&mut page.log);
        let stem = page.name.strip_suffix(".html").unwrap_or(&page.name).to_string();
        match parts.len() {
            // That it is a page is said when its format is looked for.
            0 => {
                let Wrapped { path, name, input, log } = page;
                let times = Times::default();
                self.documents.push(Opened { path, name, input, log, times, is_part });
                Ok(())
            }
            1 => {
                let (input, damage) = self.known(parts.remove(0))?;
                let mut log = page.log;
                log.merge(damage);
                let part = Wrapped { path: page.path, name: stem, input, log };
                self.unwrap(part, is_part, layers)
            }
            _ => {
                let name_of = |number| format!("{stem}#{number}");
                let parts = parts
                    .into_iter()
                    .enumerate()
                    .map(|(number, content)| archive::Entry { name: name_of(number), content });
                self.open_parts(page, parts.collect(), "html", layers)
            }
        }
    }

    /// The files of a zip archive. One that stands alone is the input itself; of several those of no known format are
    /// only logged.
    fn unzip(&mut self, wrapped: Wrapped, is_part: bool, layers: usize) -> Result<()> {
        let Wrapped { path, name, input, mut log } = wrapped;
        let entries = archive::unpack(&input, &self.spool, &mut log);
        let mut entries = entries.map_err(self.fail("spool"))?;
        input.log_change(&mut log);
        if entries.len() == 1 {
            let archive::Entry { name, content } = entries.remove(0);
            let (input, damage) = self.known(content)?;
            log.merge(damage);
            let name = file_name(&name).into();
            return self.unwrap(Wrapped { path, name, input, log }, is_part, layers);
        }
        let archive = Wrapped { path, name, input, log };
        self.open_parts(archive, entries, "zip", layers)
    }

    /// The documents of a container. Those of no known format are only logged.
    fn open_parts(
        &mut self,
        container: Wrapped,
        entries: Vec<archive::Entry>,
        format: &'static str,
        layers: usize,
    ) -> Result<()> {
        let Wrapped { path, name, input, mut log } = container;
        let first = self.documents.len();
        for entry in entries {
            let (documents, containers) = (self.documents.len(), self.containers.len());
            let archive::Entry { name: whole_name, content } = entry;
            let name = file_name(&whole_name).to_string();
            self.depth += 1;
            let opened = self.known(content).and_then(|(input, log)| {
                self.unwrap(Wrapped { path: path.clone(), name, input, log }, true, layers)
            });
            self.depth -= 1;
            let mut known = match opened {
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
                    format!("{:?} is of no format that heapquarry knows", whole_name)
                });
            }
        }
        let documents = self.documents.len() - first;
        if documents == 0 && self.containers.is_empty() {
            let what = if format == "html" { "page" } else { "zip archive" };
            let found = format!("a {what} without a file of such a format");
            return Err(crate::sniff::unknown(self.path, found));
        }
        let container = Container { path, name, input, format, documents, log, rows: None };
        self.containers.push(container);
        Ok(())
    }
}

/// Bytes up to the end of the line `TRACE:`, if what follows is compressed or the text of a tracer.
fn talk(head: &[u8]) -> Option<usize> {
    const MARK: &[u8] = b"TRACE:\n";
    let mark = memchr::memmem::find(head, MARK)?;
    let starts_line = mark == 0 || head[mark - 1] == b'\n';
    let rest = &head[mark + MARK.len()..];
    let is_trace = Packing::of(rest) == Some(Packing::Zlib) || rest.starts_with(b"# tracer:");
    (starts_line && is_trace).then_some(mark + MARK.len())
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
