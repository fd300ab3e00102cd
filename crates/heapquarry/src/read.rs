//! Reads all documents of the inputs into a sink, one after the other.

use crate::{
    Document, Error, ErrorKind, Result, RunOptions, Source,
    deferred::{Deferred, wants_originals},
    derive,
    drive::{drive, hand_in},
    located::readable,
    maps::{self, Maps},
    memory::{self, Further},
    originals::profile::{ScriptMaps, translate},
    room,
    sink::Sink,
    times,
};
use arrow_array::RecordBatch;
use heapquarry_formats::{
    self as formats, ByteOffset, Code, Entry, Finished, Format, Found, Input, Kind, Located, Log,
    Names, ROW_GROUP_ROWS, Reader, Severity, Status, Summary, Visit, WINDOW, open,
};
use heapquarry_input::{
    self as input, Container, Contents, Opened, ScratchFile, Sequence, Spooling, options, sniff,
};
use heapquarry_rows::{captured_at, profile::Unnamed};
use heapquarry_tables::{FileId, IMPORT_LOG, SOURCE, Table};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// How documents are read.
pub(crate) struct Job<'a> {
    /// Read options of the formats. The sink decides on projection and gathering.
    pub(crate) options: formats::ReadOptions,
    pub(crate) run: &'a RunOptions,
    /// Whether a loss of data is an error.
    pub(crate) strict: bool,
    /// Where the text of long strings is put.
    pub(crate) spool_dir: PathBuf,
}

impl<'a> Job<'a> {
    pub(crate) fn new(options: formats::ReadOptions, run: &'a RunOptions) -> Self {
        let spool_dir = run.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
        Job { options, run, strict: false, spool_dir }
    }
}

options! {
    /// How [`read`] works.
    #[derive(Clone, Debug)]
    pub struct ReadOptions {
        /// Names as text, or as indices of the string table.
        pub names: Names,
        /// Rows per row group, 1 to 2^24.
        pub row_group_rows: usize,
        /// Size of a read in bytes. It does not change the rows.
        pub read_window: usize,
        /// Whether a loss of data is an error.
        pub strict: bool,
        /// Threads, progress, cancellation.
        pub run: RunOptions,
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            names: Names::default(),
            row_group_rows: ROW_GROUP_ROWS,
            read_window: WINDOW,
            strict: false,
            run: RunOptions::default(),
        }
    }
}

/// Reads inputs on all threads into a [`Sink`] of your own. [`convert`](crate::convert()) and
/// [`batches`](crate::batches()) are such sinks. A converted directory must be the only input.
///
/// Returns the documents, by `file_id`.
///
/// # Errors
///
/// If an input cannot be read or is of no known format, and any error of the sink.
pub fn read<I: Clone + Into<Source>>(
    inputs: &[I],
    sink: &mut dyn Sink,
    options: &ReadOptions,
) -> Result<Vec<Document>> {
    let inputs: Vec<Source> = inputs.iter().cloned().map(Into::into).collect();
    let formats = formats::ReadOptions::default()
        .row_group_rows(options.row_group_rows)
        .window(options.read_window)
        .names(options.names);
    let job = Job { strict: options.strict, ..Job::new(formats, &options.run) };
    read_sources(&inputs, &job, &Spooling::of(&options.run), sink)
}

/// Reads all documents of the inputs, or the selected ones.
pub(crate) fn read_sources(
    inputs: &[Source],
    job: &Job<'_>,
    spooling: &Spooling<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Document>> {
    for input in inputs {
        input.refuse_part("all of it is read here; select rows of the tables instead")?;
    }
    if let [input] = inputs
        && let Some(dir) = readable(input, job.run)?
    {
        maps::unused_for_tables(&input.path, job.run);
        return match input.document {
            None => dir.read(sink, job.run),
            document => dir.choose(document)?.read(sink, job.run),
        };
    }
    let mut reading = Reading::new(job, sink);
    let mut rest = inputs;
    while let [input, ..] = rest {
        let (mut contents, read) = input::open_first(rest, spooling, true)?;
        if input.document.is_some() {
            let opened = input::choose(contents.documents, &input.path, input.document)?;
            contents = Contents { documents: vec![opened], containers: Vec::new() };
        }
        reading.read_contents(contents)?;
        rest = &rest[read..];
    }
    Ok(reading.documents)
}

/// Reads one opened document as `file_id`.
///
/// # Errors
/// If others follow in its input, of which one must be selected.
pub(crate) fn read_document(
    opened: &Opened,
    file_id: FileId,
    job: &Job<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Document>> {
    let (documents, sequence) = read_first(opened, file_id, job, sink)?;
    let Some(Sequence { documents: all, .. }) = sequence else { return Ok(documents) };
    let (path, names) = (opened.path.clone(), all.into_iter().map(|one| one.name));
    let names = names.enumerate().collect();
    Err(Error::new(ErrorKind::Document { path, document: None, names }))
}

/// Reads one opened document as `file_id`. Also returns those that follow it in its input.
pub(crate) fn read_first(
    opened: &Opened,
    file_id: FileId,
    job: &Job<'_>,
    sink: &mut dyn Sink,
) -> Result<(Vec<Document>, Option<Sequence>)> {
    let mut reading = Reading::new(job, sink);
    reading.first = file_id;
    let sequence = reading.read(opened)?;
    Ok((reading.documents, sequence))
}

/// The state of reading several inputs.
struct Reading<'a> {
    job: &'a Job<'a>,
    options: formats::ReadOptions,
    sink: &'a mut dyn Sink,
    /// `file_id` of the first document.
    first: FileId,
    documents: Vec<Document>,
    /// Number of documents read from the current input, without containers.
    index: u32,
}

impl<'a> Reading<'a> {
    fn new(job: &'a Job<'a>, sink: &'a mut dyn Sink) -> Self {
        let mut options = job.options.clone();
        options.projection = sink.projection().clone();
        options.gather = sink.gather();
        Reading { job, options, sink, first: FileId(0), documents: Vec::new(), index: 0 }
    }

    /// The next `file_id`.
    fn file_id(&self) -> FileId {
        self.first.plus(self.documents.len())
    }

    fn read_contents(&mut self, contents: Contents) -> Result<()> {
        let Contents { documents, containers } = contents;
        let mut ids = Vec::new();
        // Number of documents read per path: files that continue one another are read together.
        let mut read = HashMap::new();
        let mut found = Vec::new();
        for opened in &documents {
            self.index = read.get(&opened.path).copied().unwrap_or(0);
            ids.push(self.file_id());
            if let Some(Sequence { documents, container }) = self.read(opened)? {
                for document in &documents[1..] {
                    self.read(document)?;
                }
                found.push(container);
            }
            read.insert(&opened.path, self.index);
        }
        let containers = found.into_iter().chain(containers);
        containers.into_iter().try_for_each(|container| self.read_container(container, &ids))
    }

    /// Reads a document. If others follow, it is the first one of those that are returned.
    fn read(&mut self, opened: &Opened) -> Result<Option<Sequence>> {
        let found = sniff::sniff(opened)?;
        self.begin(&opened.name, &found.format.tables())?;
        let maps = Maps::of(&opened.path, self.job.run);
        let further = Further::wanted(&self.options.projection);
        // A new one for each attempt.
        let scratch = || {
            let (dir, size) = (self.job.spool_dir.clone(), opened.input.size());
            Arc::new(ScratchFile::new(dir, self.job.run, size))
        };
        let mut text = scratch();
        let mut options = self.options.clone().scratch(Some(text.clone()));
        if found.format.kind() == Kind::Heap {
            room::check(opened, found.format, &options, self.job.run)?;
        }
        let (mut read, mut held) = self.decode(opened, &found, &options, maps.is_some());
        // Each reason happens once at most.
        while let Some(again) = read.as_ref().err().and_then(|error| error.retry(&options))
            && self.sink.roll_back()?
        {
            text = scratch();
            options = again.scratch(Some(text.clone()));
            (read, held) = self.decode(opened, &found, &options, maps.is_some());
        }
        let Finished { batches, mut documents, gathered, next } = match read {
            Err(error) if opened.is_part && !self.job.strict && !error.is_of_memory() => {
                let documents = vec![unreadable(opened, found.format.name(), error)?];
                Finished { documents, ..Finished::default() }
            }
            read => read?,
        };
        if let Some(gathered) = &gathered {
            memory::check_gathered(&opened.path, gathered, further, self.job.run)?;
        }
        let mut scripts = ScriptMaps::default();
        if let Some(gathered) = gathered
            && let Some(gathered) = self.sink.gathered(gathered)?
        {
            let mut unused = Log::default();
            let document = derive::Document {
                path: &opened.path,
                file_id: self.file_id(),
                row_group_rows: self.options.row_group_rows,
                log: documents.first_mut().map_or(&mut unused, |document| &mut document.log),
                locations: derive::take_locations(&mut held),
                maps: maps.as_ref(),
                scripts: &mut scripts,
            };
            derive::derive(gathered, document, &*self.sink, self.job.run)?;
        }
        if let Some(source) = text.take_failure() {
            let (path, doing) = (opened.path.clone(), "read the text that was put aside of");
            return Err(Error::new(ErrorKind::Input { path, doing, source }));
        }
        if let Some(maps) = &maps
            && !held.is_empty()
        {
            let taken = held.iter().map(|(_, rows)| rows.get_array_memory_size() as u64).sum();
            let mut unnamed = Unnamed::new(held);
            let notes = translate(&mut unnamed.functions, maps, &scripts, taken);
            // Of a heap, more was said of all its scripts.
            if let Some(document) = documents.first_mut()
                && !document.log.has(Code::SourceMap)
            {
                notes.into_iter().for_each(|note| document.log.add(Code::SourceMap, None, || note));
            }
            held = unnamed.named();
        }
        let is_analyzed = options.gathers(&found.format.derived());
        let unused = match found.format {
            Format::Pprof if self.job.run.source_maps.is_some() => {
                Some("source maps are not used: tables of pprof profiles have no columns for them")
            }
            Format::Heap
                if maps.is_some() && !is_analyzed && wants_originals(&options.projection) =>
            {
                Some("js_heap_location has no names of sources, as the heap is not analysed")
            }
            _ => None,
        };
        if let Some(why) = unused
            && let Some(document) = documents.first_mut()
        {
            document.log.add(Code::SourceMap, None, || why.into());
        }
        // Those of a heap that could not be read to its end have no names, but are rows all the same.
        hand_in(held, RecordBatch::clone, &*self.sink, self.job.run)?;
        let captured_at = captured_at(&batches);
        for (table, batch) in batches {
            self.hand_over(table, times::put(table, batch, &opened.times))?;
        }
        let spooling = Spooling::of(self.job.run);
        let sequence = match next {
            Some(next) => Sequence::of(opened, next, &spooling)?,
            // A reader does not see where what surrounds its document ends.
            None if found.offset != ByteOffset::START && found.format.is_one_object() => {
                Sequence::find(opened, &spooling)?
            }
            None => None,
        };
        match (next, &sequence, documents.first_mut()) {
            (_, Some(Sequence { documents, .. }), Some(document)) => {
                document.bytes = documents[0].input.size();
            }
            (Some(next), None, Some(document)) => {
                document.status = Status::Truncated;
                document.log.add(Code::SecondDocument, next, || {
                    "a document of no known format follows; it is not read".into()
                });
            }
            _ => {}
        }
        let opened = sequence.as_ref().map_or(opened, |sequence| &sequence.documents[0]);
        let fail = |source| {
            let path = opened.path.clone();
            Error::new(ErrorKind::Input { path, doing: "read", source })
        };
        let digest = input::fingerprint(&opened.input).map_err(fail)?;
        let mut unpacking = opened.log.clone();
        opened.input.log_change(&mut unpacking);
        let first = self.documents.len();
        for summary in documents {
            let document = self.document(summary, opened, &unpacking, &digest)?;
            self.documents.push(Document { captured_at, ..document });
            self.index += 1;
        }
        self.sink.end(self.first.plus(first), &self.documents[first..])?;
        Ok(sequence)
    }

    /// Decodes a document into the sink. `has_maps`: there are source maps for it. Returns its summary and the rows
    /// that wait for the analysis.
    fn decode(
        &self,
        opened: &Opened,
        found: &Found,
        options: &formats::ReadOptions,
        has_maps: bool,
    ) -> (Result<Finished>, Vec<(&'static Table, RecordBatch)>) {
        let document = Located {
            input: &opened.input,
            offset: found.offset,
            file_id: self.file_id(),
            name: &opened.name,
        };
        let fail = |source| Error::new(ErrorKind::Format { path: opened.path.clone(), source });
        let is_gathered = options.gathers(&found.format.derived());
        let deferred = Deferred::new(&*self.sink, is_gathered, has_maps);
        let drive = Drive { opened, sink: &deferred, run: self.job.run };
        let read = open(found.format, document, options, drive).map_err(fail).flatten();
        (read, deferred.into_rows())
    }

    /// Declares the tables of a document: each is written even if it stays empty.
    fn begin(&mut self, name: &str, tables: &[&'static Table]) -> Result<()> {
        let tables = [&SOURCE, &IMPORT_LOG].into_iter().chain(tables.iter().copied());
        let tables: Vec<_> = tables.filter(|t| self.options.projection.wants(t)).collect();
        self.sink.begin(name, &tables)
    }

    /// Passes the rows of a small table to the sink, if they are wanted.
    fn hand_over(&mut self, table: &'static Table, batch: arrow_array::RecordBatch) -> Result<()> {
        let projection = &self.options.projection;
        if !projection.wants(table) {
            return Ok(());
        }
        self.sink.rows(table, projection.project(table, batch))
    }

    /// Records a container after its documents have been read.
    fn read_container(&mut self, container: Container, ids: &[FileId]) -> Result<()> {
        let Container { path, name, input, format, documents, mut log, rows } = container;
        let tables = rows.as_ref().map(|rows| rows.tables()).unwrap_or_default();
        self.begin(&name, &tables)?;
        let batches = rows.iter().flat_map(|rows| rows.batches(self.file_id(), ids));
        let batches = batches.filter(|(table, _)| tables.contains(table));
        for (table, batch) in batches.collect::<Vec<_>>() {
            self.hand_over(table, batch)?;
        }
        let fail =
            |source| Error::new(ErrorKind::Input { path: path.clone(), doing: "read", source });
        let digest = input::fingerprint(&input).map_err(fail)?;
        input.log_change(&mut log);
        let is_cut = log.has(Code::Truncated) || log.has(Code::InputChanged);
        let (defects, log) = self.settle(&path, log)?;
        let first = self.documents.len();
        self.documents.push(Document {
            index: None,
            format: format.into(),
            producer: None,
            bytes: input.size(),
            digest,
            status: match defects {
                0 => Status::Complete,
                _ if is_cut => Status::Truncated,
                _ => Status::Repaired,
            },
            counts: vec![("documents", documents as u64)],
            path,
            name,
            defects,
            log,
            captured_at: None,
        });
        self.sink.end(self.first.plus(first), &self.documents[first..])
    }

    /// Returns the number of occurrences that lost data and the rows of a log. With `strict`, such an occurrence is an
    /// error.
    fn settle(&self, path: &Path, log: Log) -> Result<(u64, Vec<Entry>)> {
        let defects = log.count(Severity::DataLoss);
        let log = log.into_entries();
        if self.job.strict
            && let Some(first) = log.iter().find(|e| e.code.severity() >= Severity::DataLoss)
        {
            let (path, first) = (path.to_path_buf(), first.clone());
            return Err(Error::new(ErrorKind::Strict { path, defects, first }));
        }
        Ok((defects, log))
    }

    /// A document's record; `log` holds the damage found while decompressing it.
    fn document(
        &self,
        summary: Summary,
        opened: &Opened,
        unpacking: &Log,
        digest: &str,
    ) -> Result<Document> {
        let Opened { path, name, .. } = opened;
        let mut log = summary.log;
        log.merge(unpacking.clone());
        let (defects, log) = self.settle(path, log)?;
        let unpacked = unpacking.count(Severity::DataLoss) == 0;
        Ok(Document {
            index: Some(self.index),
            format: summary.format.into(),
            producer: summary.producer.map(Into::into),
            bytes: summary.bytes,
            digest: digest.into(),
            status: if unpacked { summary.status } else { Status::Truncated },
            counts: summary.counts,
            path: path.clone(),
            name: summary.name.unwrap_or_else(|| name.clone()),
            defects,
            log,
            captured_at: None,
        })
    }
}

/// Drives the reader of a document, for every format.
struct Drive<'a> {
    opened: &'a Opened,
    sink: &'a dyn Sink,
    run: &'a RunOptions,
}

impl Visit for Drive<'_> {
    type Output = Result<Finished>;

    fn visit<R: Reader>(self, reader: R) -> Result<Finished> {
        let Drive { opened, sink, run } = self;
        let bytes = opened.input.size();
        run.progress.begin(&opened.name, bytes);
        Ok(drive(reader, bytes, &opened.path, sink, run)?.finish())
    }
}

/// The summary of a document in a container that is too damaged to keep anything.
fn unreadable(opened: &Opened, format: &'static str, error: Error) -> Result<Summary> {
    let ErrorKind::Format { source, .. } = error.kind() else { return Err(error) };
    let heapquarry_formats::ErrorKind::Malformed { offset, expected, found } = source.kind() else {
        return Err(error);
    };
    let mut log = Log::default();
    log.add(Code::Malformed, *offset, || format!("expected {expected}, found {found}"));
    Ok(Summary {
        name: None,
        format,
        producer: None,
        bytes: opened.input.size(),
        status: Status::Truncated,
        counts: Vec::new(),
        log,
    })
}
