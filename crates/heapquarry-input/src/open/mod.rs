//! Opens inputs: from a path to its documents.
//!
//! Outer layers come off first: pipes, compressed streams (gzip, zstd, zlib) and the files of zip archives are decoded
//! into an unnamed temporary file, so that everything can be read at a position. Files of tar archives and documents in
//! lists are read in place. What remains is a document, or a container of several.

mod archive;
mod container;
mod head;
mod list;
mod packing;
mod page;
mod preamble;
mod recognise;
mod redacting;
mod spool;
mod tarball;
mod utf16;
mod watched;

pub use head::Head;
pub use list::Sequence;

use crate::{
    Error, ErrorKind, FileInput, Result, Source, Spooling,
    contents::{Container, Contents, Opened, Times},
    devtools, htrace, sniff,
    source::Content,
    url::url,
};
use container::{Group, Layer};
use heapquarry_formats::{ByteOffset, Code, Input, Log};
use heapquarry_tables::sync::unpoisoned;
use packing::{Packing, Unpacked};
use spool::Spool;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
    sync::Arc,
};

/// Layers of compression that are taken off.
const MAX_LAYERS: usize = 8;

/// Nesting of containers that are opened. Each level could multiply the number of files.
const MAX_DEPTH: usize = 3;

/// The web viewer of .htrace files puts a line before those that it saves. This is the start of that line;
/// `MAX_VIEWER_LINE` is its maximum length in bytes.
const VIEWER_LINE: &[u8] = b"MarkPositionJSON->";
const MAX_VIEWER_LINE: u64 = 64 << 20;

/// Bytes within which the preamble of atrace ends.
const MAX_PREAMBLE: usize = 256;

/// The files of an archive: unpacked to the spool, or in place. What is lost is logged.
type Files = fn(&FileInput, &Spool<'_>, &mut Log) -> io::Result<Vec<archive::Entry>>;

/// Opens a source. Documents behind a heap or profile in JSON are found only if a document is selected or they are
/// redacted, because all of the input must be read for that. Otherwise whoever reads the first one finds where the
/// [next](Sequence) one begins.
pub fn open(source: &Source, spooling: &Spooling<'_>) -> Result<Contents> {
    open_first(std::slice::from_ref(source), spooling, false).map(|(contents, _)| contents)
}

/// Opens a source, and finds all of its documents.
pub fn open_all(source: &Source, spooling: &Spooling<'_>) -> Result<Contents> {
    let sources = std::slice::from_ref(source);
    open_some(sources, spooling, false, true).map(|(contents, _)| contents)
}

/// Opens the first of `sources` together with those that continue its unfinished heaps. Also returns how many sources
/// were opened. `check_sums` verifies the checksums in headers, on another thread.
pub fn open_first(
    sources: &[Source],
    spooling: &Spooling<'_>,
    check_sums: bool,
) -> Result<(Contents, usize)> {
    let all = sources[0].document.is_some() || spooling.redaction.is_some();
    open_some(sources, spooling, check_sums, all)
}

/// Opens the first of `sources`, with those that continue it. `all`: documents that follow others are found.
fn open_some(
    sources: &[Source],
    spooling: &Spooling<'_>,
    check_sums: bool,
    all: bool,
) -> Result<(Contents, usize)> {
    if let Content::Opened(opened, _) = &sources[0].content {
        let documents = vec![Opened::clone(opened)];
        return Ok((Contents { documents, containers: Vec::new() }, 1));
    }
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
    let opened = opened.and_then(|layer| opener.open_documents(layer, false, MAX_LAYERS));
    let opened = opened.and_then(|()| if all { opener.find_sequences() } else { Ok(()) });
    spooling.conclude(opened.and_then(|()| opener.redact(sources[0].document)))?;
    let Opener { next, documents, containers, .. } = opener;
    Ok((Contents { documents, containers }, sources.len() - next.len()))
}

/// The only document of an input, or the one at the position.
pub fn choose(mut documents: Vec<Opened>, path: &Path, position: Option<usize>) -> Result<Opened> {
    match position {
        None if documents.len() == 1 => Ok(documents.remove(0)),
        // Only a container of messages can be read and hold nothing.
        _ if documents.is_empty() => {
            let found = "messages that hold no heap, profile or trace";
            Err(sniff::unknown(path, found.into()))
        }
        Some(at) if at < documents.len() => Ok(documents.swap_remove(at)),
        _ => {
            let names = documents.into_iter().map(|document| document.name).enumerate().collect();
            Err(Error::new(ErrorKind::Document { path: path.into(), document: position, names }))
        }
    }
}

struct Opener<'a> {
    path: &'a Path,
    /// The inputs that follow.
    next: &'a [Source],
    /// Where everything is decompressed to.
    spool: Spool<'a>,
    check_sums: bool,
    /// Nesting of the container that is being opened.
    depth: usize,
    documents: Vec<Opened>,
    containers: Vec<Container>,
}

impl Opener<'_> {
    fn fail(&self, doing: &'static str) -> impl Fn(io::Error) -> Error {
        move |source| Error::new(ErrorKind::Input { path: self.path.to_path_buf(), doing, source })
    }

    /// Finds documents that follow others.
    fn find_sequences(&mut self) -> Result<()> {
        // Rows of messages tell documents by their numbers.
        if self.containers.iter().any(|container| container.rows.is_some()) {
            return Ok(());
        }
        let mut found = Vec::new();
        for document in std::mem::take(&mut self.documents) {
            match Sequence::find(&document, self.spool.spooling())? {
                Some(Sequence { documents, container }) => {
                    self.documents.extend(documents);
                    found.push(container);
                }
                None => self.documents.push(document),
            }
        }
        self.containers.splice(0..0, found);
        Ok(())
    }

    /// Redacts the documents, if that is asked for: one of them, or all.
    fn redact(&mut self, wanted: Option<usize>) -> Result<()> {
        let Some(redaction) = &self.spool.spooling().redaction else { return Ok(()) };
        // The numbers of a trace are those of the profiles in it.
        let wanted = wanted.filter(|_| self.documents.len() > 1);
        for (number, document) in self.documents.iter_mut().enumerate() {
            if wanted.is_none_or(|wanted| wanted == number) {
                redacting::redact(document, redaction, &self.spool)?;
            }
        }
        Ok(())
    }

    /// A file as it is, or a spooled stream.
    fn open_source(&self, source: &Source) -> Result<Layer> {
        let path = source.path.as_path();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let taken = |error: &str| io::Error::other(error.to_owned());
        match &source.content {
            Content::Path => self.open_path(path),
            Content::At(input) => {
                let input = FileInput::of(input.clone());
                self.spool.count_packed(input.size());
                Ok(Layer { path: path.into(), name: name.into(), input, log: Log::default() })
            }
            Content::Opened(..) => unreachable!("it is handed out as it is"),
            Content::Stream(stream) => {
                let stream = unpoisoned(stream.lock()).take();
                let stream = stream.ok_or_else(|| taken("the stream was read before"));
                self.stream(path, &name, move || stream)
            }
        }
    }

    /// A file as it is, or a spooled stream.
    fn open_path(&self, path: &Path) -> Result<Layer> {
        let fail = |doing| {
            move |source| Error::new(ErrorKind::Input { path: path.to_path_buf(), doing, source })
        };
        if path == Path::new("-") {
            return self.stream(path, "stdin", || Ok(io::stdin()));
        }
        if let Some(url) = url(path) {
            let input = FileInput::of(object(url, self.spool.spooling()).map_err(fail("open"))?);
            self.spool.count_packed(input.size());
            let name = file_name(url).to_owned();
            return Ok(Layer { path: path.into(), name, input, log: Log::default() });
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let metadata = fs::metadata(path).map_err(fail("open"))?;
        if metadata.is_dir() {
            return Err(fail("read")(io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            // Opening a pipe blocks until its other end is opened: the reading thread does it.
            let opened = path.to_path_buf();
            return self.stream(path, &name, move || File::open(opened));
        }
        let file = File::open(path).map_err(fail("open"))?;
        let input = FileInput::open(file).map_err(fail("open"))?;
        // Virtual files, such as those in /proc, report size 0.
        if input.size() == 0 && input.begins() {
            let opened = path.to_path_buf();
            return self.stream(path, &name, move || File::open(opened));
        }
        self.spool.count_packed(input.size());
        Ok(Layer { path: path.into(), name: name.into(), input, log: Log::default() })
    }

    /// Spools a stream and decompresses it on the way.
    fn stream<R: Read>(
        &self,
        path: &Path,
        name: &str,
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> Result<Layer> {
        let stream = self.spool.spooling().stream(open).map_err(self.fail("read"))?;
        let mut stream = self.spool.counted(stream);
        let mut head = Vec::new();
        stream.by_ref().take(4).read_to_end(&mut head).map_err(self.fail("read"))?;
        let packing = Packing::of(&head).filter(|packing| *packing != Packing::Zlib);
        let whole = io::Cursor::new(head).chain(stream);
        let unpacked = packing::unpack(whole, packing, &self.spool);
        let (input, log) = self.known(unpacked.map_err(self.fail("spool"))?)?;
        let stem = if packing.is_some() { Packing::stem(name) } else { name };
        Ok(Layer { path: path.into(), name: stem.into(), input, log })
    }

    /// Takes the layers off one input. Also returns how many more layers may be taken off.
    fn decode_layers(&self, mut layer: Layer, layers: usize) -> Result<(Layer, usize)> {
        for left in (0..layers).rev() {
            let head = layer.input.head(32).map_err(self.fail("read"))?;
            if let Some(input) = self.strip_viewer_line(&layer.input, &head)? {
                layer.input = input;
                continue;
            }
            if let Some(input) = self.strip_atrace_preamble(&layer.input)? {
                layer.input = input;
                continue;
            }
            let Some(packing) = Packing::of(&head) else {
                self.strip_preamble(&mut layer, &head)?;
                return Ok((layer, left + 1));
            };
            let packed = self.spool.spooling().guard(&layer.input).reader();
            let unpacked = packing::unpack(packed, Some(packing), &self.spool);
            let (unpacked, damage) = self.known(unpacked.map_err(self.fail("spool"))?)?;
            // The two bytes of a zlib header prove little: text can begin with them.
            if packing == Packing::Zlib && unpacked.size() == 0 {
                return Ok((layer, 0));
            }
            layer.log.merge(damage);
            layer.input.log_change(&mut layer.log);
            layer.name = Packing::stem(&layer.name).into();
            layer.input = unpacked;
        }
        Ok((layer, 0))
    }

    /// The spooled content; an error if its start shows that the format is not supported.
    fn known(&self, unpacked: Unpacked) -> Result<(FileInput, Log)> {
        match unpacked {
            Unpacked::Spooled(input, log) => Ok((input, log)),
            Unpacked::Unknown(head) => Err(sniff::unknown_content(self.path, &head)),
        }
    }

    /// Takes the layers off an input and keeps the documents inside.
    fn open_documents(&mut self, layer: Layer, is_part: bool, layers: usize) -> Result<()> {
        let (layer, layers) = self.decode_layers(layer, layers)?;
        let head = layer.input.head(tarball::BLOCK).map_err(self.fail("read"))?;
        let layers = if self.depth < MAX_DEPTH { layers } else { 0 };
        if layers > 0 && archive::recognises(&head) {
            return self.open_archive(layer, ("zip", archive::unpack), is_part, layers - 1);
        }
        if layers > 0 && tarball::recognises(&head) {
            return self.open_archive(layer, ("tar", tarball::list), is_part, layers - 1);
        }
        if layers > 0 && page::recognises(&head) {
            return self.open_page(layer, is_part, layers - 1);
        }
        let fail = |source| Error::new(ErrorKind::Format { path: self.path.into(), source });
        if layers > 0
            && let Some(at) = list::start(&head, &layer.input).map_err(fail)?
        {
            return self.open_list(layer, at, is_part, layers - 1);
        }
        let is_htrace = htrace::recognises(&head);
        if is_htrace || devtools::sniff(&layer.input).map_err(fail)? {
            return self.messages(layer, is_htrace, is_part);
        }
        let Layer { path, name, input, log } = layer;
        self.documents.push(Opened { path, name, input, log, times: Times::default(), is_part });
        Ok(())
    }

    /// Reads the documents of a container of messages, and of the inputs after it that continue its unfinished heaps.
    fn messages(&mut self, layer: Layer, is_htrace: bool, is_part: bool) -> Result<()> {
        // Inputs that continue it are decompressed while this spool is being written.
        let spool = if is_part { self.spool.clone() } else { self.spool.another() };
        let mut group = Group::new(&spool, self.check_sums);
        if is_htrace {
            group.read_htrace(layer)?;
        } else {
            group.read_messages(layer)?;
        }
        while is_htrace
            && !is_part
            && group.is_open()
            && let [source, rest @ ..] = self.next
            && source.document.is_none()
            && source.is_repeatable()
        {
            let (next, _) = self.decode_layers(self.open_source(source)?, MAX_LAYERS)?;
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

    /// What follows the line that the web viewer puts before .htrace files when it saves them.
    fn strip_viewer_line(&self, input: &FileInput, head: &[u8]) -> Result<Option<FileInput>> {
        if !head.starts_with(VIEWER_LINE) {
            return Ok(None);
        }
        let mut reader = io::BufReader::new(input.slice(0, MAX_VIEWER_LINE).reader());
        let mut line = Vec::new();
        io::BufRead::read_until(&mut reader, b'\n', &mut line).map_err(self.fail("read"))?;
        Ok(line.ends_with(b"\n").then(|| input.from(line.len() as u64)))
    }

    /// What follows the line `TRACE:`, the last of atrace's preamble, if that is compressed or the text of a tracer.
    fn strip_atrace_preamble(&self, input: &FileInput) -> Result<Option<FileInput>> {
        let head = input.head(MAX_PREAMBLE).map_err(self.fail("read"))?;
        Ok(atrace_preamble(&head).map(|length| input.from(length as u64)))
    }

    /// Takes off text that stands before a document.
    fn strip_preamble(&self, layer: &mut Layer, head: &[u8]) -> Result<()> {
        // Nearly all inputs are told by their first bytes, and most text by its first lines.
        const FIRST_BYTES: usize = 1 << 10;
        let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        let is_json = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        let is_known =
            |head: &[u8]| heapquarry_formats::sniff(&head).is_ok_and(|found| found.is_some());
        if is_json || page::recognises(head) || htrace::recognises(head) {
            return Ok(());
        }
        let mut head = Vec::new();
        for bytes in [FIRST_BYTES, preamble::HEAD] {
            head = layer.input.head(bytes).map_err(self.fail("read"))?;
            if is_known(&head) || tarball::recognises(&head) {
                return Ok(());
            }
        }
        if let Some(length) = preamble::length(&head) {
            layer.input = layer.input.from(length as u64);
            // The text is not quoted: headers of HTTP hold cookies.
            layer.log.add(Code::LeadingText, ByteOffset::START, || {
                format!("{length} bytes of text stand before the document")
            });
        }
        Ok(())
    }

    /// Opens the traces of an HTML page. A single one is treated as the input itself.
    fn open_page(&mut self, page: Layer, is_part: bool, layers: usize) -> Result<()> {
        let mut page = page;
        let mut parts = page::parts(&page.input, &self.spool).map_err(self.fail("spool"))?;
        page.input.log_change(&mut page.log);
        let stem = page.name.strip_suffix(".html").unwrap_or(&page.name).to_string();
        match parts.len() {
            // Detection reports later that this is a page without traces.
            0 => {
                let Layer { path, name, input, log } = page;
                let times = Times::default();
                self.documents.push(Opened { path, name, input, log, times, is_part });
                Ok(())
            }
            1 => {
                let (input, damage) = self.known(parts.remove(0))?;
                let mut log = page.log;
                log.merge(damage);
                let part = Layer { path: page.path, name: stem, input, log };
                self.open_documents(part, is_part, layers)
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

    /// Opens the documents of a list, which begins at `at`. A single one is treated as the input itself.
    fn open_list(&mut self, list: Layer, at: u64, is_part: bool, layers: usize) -> Result<()> {
        let Layer { path, name, input, mut log } = list;
        let guarded = self.spool.spooling().guard(&input);
        let documents = list::documents(&input, &guarded, at, list::MOST, &mut log);
        let documents = documents.map_err(self.fail("read"))?;
        if let [document] = &documents[..] {
            let input = document.clone();
            return self.open_documents(Layer { path, name, input, log }, is_part, layers);
        }
        let part = |(number, document)| archive::Entry {
            name: format!("{name}#{number}"),
            content: Unpacked::Spooled(document, Log::default()),
        };
        let parts = documents.into_iter().enumerate().map(part).collect();
        self.open_parts(Layer { path, name: name.clone(), input, log }, parts, "list", layers)
    }

    /// Opens the files of an archive. A single one is treated as the input itself. Of several, those of no known format
    /// are only logged.
    fn open_archive(
        &mut self,
        layer: Layer,
        (format, files): (&'static str, Files),
        is_part: bool,
        layers: usize,
    ) -> Result<()> {
        let Layer { path, name, input, mut log } = layer;
        let entries = files(&input, &self.spool, &mut log);
        let mut entries = entries.map_err(self.fail("spool"))?;
        input.log_change(&mut log);
        if entries.len() == 1 {
            let archive::Entry { name, content } = entries.remove(0);
            let (input, damage) = self.known(content)?;
            log.merge(damage);
            let name = file_name(&name).into();
            return self.open_documents(Layer { path, name, input, log }, is_part, layers);
        }
        let archive = Layer { path, name, input, log };
        self.open_parts(archive, entries, format, layers)
    }

    /// Opens the documents of a container. Those of no known format are only logged.
    fn open_parts(
        &mut self,
        container: Layer,
        entries: Vec<archive::Entry>,
        format: &'static str,
        layers: usize,
    ) -> Result<()> {
        let Layer { path, name, input, mut log } = container;
        let first = self.documents.len();
        for entry in entries {
            let (documents, containers) = (self.documents.len(), self.containers.len());
            let archive::Entry { name: whole_name, content } = entry;
            let name = file_name(&whole_name).to_string();
            self.depth += 1;
            let opened = self.known(content).and_then(|(input, log)| {
                self.open_documents(Layer { path: path.clone(), name, input, log }, true, layers)
            });
            self.depth -= 1;
            let mut known = match opened {
                Ok(()) => true,
                Err(error) if matches!(error.kind(), ErrorKind::Unknown { .. }) => false,
                Err(error) => return Err(error),
            };
            // Containers have already rejected documents of unknown formats themselves.
            if self.containers.len() == containers
                && let Some(document) = self.documents.get(documents)
                && sniff::format(document)?.is_none()
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
            let what = match format {
                "html" => "page".into(),
                "list" => "list".into(),
                archive => format!("{archive} archive"),
            };
            let found = format!("a {what} without a file of such a format");
            return Err(sniff::unknown(self.path, found));
        }
        let container = Container { path, name, input, format, documents, log, rows: None };
        self.containers.push(container);
        Ok(())
    }
}

/// Length of the preamble up to the end of the line `TRACE:`, if what follows is compressed or the text of a tracer.
fn atrace_preamble(head: &[u8]) -> Option<usize> {
    const MARK: &[u8] = b"TRACE:\n";
    let mark = memchr::memmem::find(head, MARK)?;
    let starts_line = mark == 0 || head[mark - 1] == b'\n';
    let rest = &head[mark + MARK.len()..];
    let is_trace = Packing::of(rest) == Some(Packing::Zlib) || rest.starts_with(b"# tracer:");
    (starts_line && is_trace).then_some(mark + MARK.len())
}

/// The object at an address.
#[cfg(feature = "cloud")]
fn object(url: &str, spooling: &Spooling<'_>) -> io::Result<Arc<dyn Input>> {
    let cancel = spooling.cancel.cloned().unwrap_or_default();
    Ok(Arc::new(crate::cloud::Object::open(url, &cancel)?))
}

#[cfg(not(feature = "cloud"))]
fn object(_: &str, _: &Spooling<'_>) -> io::Result<Arc<dyn Input>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, crate::url::WITHOUT))
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
