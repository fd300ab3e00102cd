//! Inputs to a directory of Parquet files.

use crate::{
    Error, ErrorKind, Result,
    heap::{self as loading, NodeRows},
    input::{self, Container, Contents, Opened, Spooling},
    manifest, sniff, times,
    trace::{self, TraceRows, conclude},
    views,
    workers::{self, Around, Handler, Progress, Sequence, Worker},
};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_formats::{
    Code, Entry, Format, Input, Log, Reader, Severity, Status, Summary,
    cpu_profile::{self, CpuProfile},
    heap::{self, Locate, Names, Snapshot},
    heap_profile::{self, HeapProfile},
    import_log,
    self_profile::{self, SelfProfiles},
    trace::Options as TraceOptions,
};
use heapquarry_graph::{self as graph, Analysis};
use heapquarry_sink::{
    Compression, Encoder, Encodings, Layout, ParquetDir, WriteOptions, WrittenTable,
};
use heapquarry_tables::{
    FTRACE_TABLES, IMPORT_LOG, JS_CPU_PROFILER_TABLES, JS_HEAP_ANALYSIS, JS_HEAP_ANALYSIS_TABLES,
    MEMORY_TABLES, SCHEMA_VERSION, SOURCE, TIMELINE_TABLES, Table, arrays,
};
use std::{
    collections::{HashMap, HashSet},
    num::NonZero,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// How [`convert`] works. `Default` is what the command does without flags.
#[derive(Clone, Copy)]
pub struct ConvertOptions<'a> {
    /// Replace the output directory if there is one; only one that heapquarry wrote, or an empty one.
    pub force: bool,
    /// Write these tables only, besides `source` and `import_log`; all if empty.
    pub tables: &'a [&'a str],
    /// Names as text, or as numbers of the string table.
    pub names: Names,
    /// Also write the tables of the analysis. Takes about 120 bytes of memory for each node with its edges.
    pub analyze: bool,
    /// Fail, and write nothing, if anything could not be kept.
    pub strict: bool,
    /// Compression of the pages.
    pub compression: Compression,
    /// Encodings that every reader knows, or those of recent ones.
    pub encodings: Encodings,
    /// One file for each table, or one for each table and document.
    pub layout: Layout,
    /// Rows of a row group, 1 to 2^24.
    pub row_group_rows: usize,
    /// Worker threads; `None` for as many as there are cores.
    pub threads: Option<NonZero<usize>>,
    /// Bytes read at a time. The output does not depend on it.
    pub read_window: usize,
    /// Hears how far the work is.
    pub progress: &'a dyn Progress,
    /// Stops the work when set: [`ErrorKind::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for ConvertOptions<'_> {
    fn default() -> Self {
        let heap = heap::Options::default();
        ConvertOptions {
            force: false,
            tables: &[],
            names: Names::default(),
            analyze: false,
            strict: false,
            compression: Compression::default(),
            encodings: Encodings::default(),
            layout: Layout::default(),
            row_group_rows: heap.row_group_rows,
            threads: None,
            read_window: heap.window,
            progress: &(),
            cancel: None,
        }
    }
}

/// What [`convert`] did.
#[derive(Debug)]
pub struct Report {
    /// The output directory.
    pub path: PathBuf,
    /// The documents, by `file_id`.
    pub documents: Vec<Document>,
    /// The files written, `_manifest.json` and `views.sql` aside.
    pub tables: Vec<WrittenTable>,
}

/// A document that was read: a row of `source`.
#[derive(Debug)]
pub struct Document {
    /// The input as given.
    pub path: PathBuf,
    /// Its position in its input; `None` for a container that documents came in.
    pub index: Option<u32>,
    /// File name, or the name that its input gives it.
    pub name: String,
    /// `heapsnapshot`, `heaptimeline`, `cpuprofile`, ….
    pub format: &'static str,
    /// Who wrote it, as far as its content tells.
    pub producer: Option<&'static str>,
    /// Size in bytes, unpacked.
    pub bytes: u64,
    /// Fingerprint of the content.
    pub digest: String,
    /// Whether it was whole.
    pub status: Status,
    /// How much of what was read: nodes, edges, samples, ….
    pub counts: Vec<(&'static str, u64)>,
    /// Occurrences that lost data.
    pub defects: u64,
    /// The rows of `import_log`.
    pub log: Vec<Entry>,
    /// Token of its folders in the hive layout; empty in the flat one.
    pub(crate) part: String,
}

/// Converts inputs, which may be of any known format, compressed, or `-` for standard input, to Parquet files in
/// the directory `output`. It appears whole or not at all.
///
/// # Errors
/// If an input cannot be read or is of no known format, or the output cannot be written: [`ErrorKind`] says
/// which. Damage that can be worked around is no error, but rows of `import_log`.
pub fn convert<P: AsRef<Path>>(
    inputs: &[P],
    output: impl AsRef<Path>,
    options: &ConvertOptions<'_>,
) -> Result<Report> {
    let run = |locate| Conversion::begin(output.as_ref(), options, locate)?.run(inputs);
    // What cannot be read twice must be read right the first time.
    if !inputs.iter().all(|input| input.as_ref().is_file()) {
        return run(Locate::Walk);
    }
    match run(Locate::FromEnd) {
        Err(error) if error.is_misplaced() => run(Locate::Walk),
        result => result,
    }
}

struct Conversion<'a> {
    options: &'a ConvertOptions<'a>,
    locate: Locate,
    write: WriteOptions,
    dir: ParquetDir,
    wanted: Wanted,
    /// The tables of the formats that were met.
    declared: Vec<&'static Table>,
    spooling: Spooling<'a>,
    sequence: Sequence,
    parts: HashSet<String>,
    documents: Vec<Document>,
    /// Documents of the input that is read, containers aside.
    read: u32,
    /// Rows of tables that have one or a few for each document; written together at the end.
    small: Vec<(&'static Table, RecordBatch)>,
}

/// The tables that are to be written if their format is met.
#[derive(Clone)]
struct Wanted {
    /// Those that were named; all if there are none.
    named: Arc<Vec<&'static Table>>,
    /// Whether all means those of the analysis too.
    analyze: bool,
}

impl Wanted {
    fn new(names: &[&str], analyze: bool) -> Result<Self> {
        let named = names.iter().map(|name| crate::table(name)).collect::<Result<_>>()?;
        Ok(Wanted { named: Arc::new(named), analyze })
    }

    /// Whether heaps are to be analysed.
    fn analysis(&self) -> bool {
        JS_HEAP_ANALYSIS_TABLES.iter().any(|table| self.has(table))
    }

    fn has(&self, table: &'static Table) -> bool {
        if [&SOURCE, &IMPORT_LOG].contains(&table) {
            return true;
        }
        if self.named.is_empty() {
            return self.analyze || !JS_HEAP_ANALYSIS_TABLES.contains(&table);
        }
        // Whoever names one wants it.
        self.named.contains(&table)
    }
}

/// A worker's way to the output.
struct Writer<'a> {
    dir: &'a ParquetDir,
    encoder: Encoder,
    wanted: Wanted,
    part: String,
}

impl Handler for Writer<'_> {
    fn wants(&self, table: &'static Table) -> bool {
        self.wanted.has(table)
    }

    fn handle(&mut self, table: &'static Table, seq: u64, batch: RecordBatch) -> Result<()> {
        let group = self.encoder.encode(table, &batch)?;
        drop(batch);
        Ok(self.dir.append(table, &self.part, seq, group)?)
    }
}

impl<'a> Conversion<'a> {
    fn begin(output: &Path, options: &'a ConvertOptions<'a>, locate: Locate) -> Result<Self> {
        let wanted = Wanted::new(options.tables, options.analyze)?;
        let write = WriteOptions { compression: options.compression, encodings: options.encodings };
        let dir = ParquetDir::create(output, options.force, options.layout, write)?;
        let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
        Ok(Conversion {
            options,
            locate,
            write,
            dir,
            wanted,
            declared: Vec::new(),
            // Beside the output there is room for much data.
            spooling: Spooling {
                dir: parent.unwrap_or(Path::new(".")).into(),
                cancel: options.cancel,
            },
            sequence: Sequence::new(),
            parts: HashSet::new(),
            documents: Vec::new(),
            read: 0,
            small: Vec::new(),
        })
    }

    fn run<P: AsRef<Path>>(mut self, inputs: &[P]) -> Result<Report> {
        let mut rest = inputs;
        while !rest.is_empty() {
            let (contents, read) = input::open_first(rest, &self.spooling, true)?;
            self.read_input(contents)?;
            rest = &rest[read..];
        }
        if self.options.layout == Layout::Flat {
            self.write_small_tables(0)?;
        }
        let documents = self.documents;
        let digests: Vec<&str> = documents.iter().map(|d| d.digest.as_str()).collect();
        let mut formats: Vec<&str> = documents.iter().map(|d| d.format).collect();
        formats.sort_unstable();
        formats.dedup();
        let metadata = |table: &Table| {
            let pairs = [
                ("heapquarry.version", env!("CARGO_PKG_VERSION").to_string()),
                ("heapquarry.schema_version", SCHEMA_VERSION.to_string()),
                ("heapquarry.table", table.name.to_string()),
                ("heapquarry.source_format", formats.join(",")),
                ("heapquarry.source_digest", digests.join(",")),
            ];
            pairs.map(|(key, value)| (key.to_string(), value)).to_vec()
        };
        let tables = self.dir.close_tables(&metadata)?;
        self.dir
            .write_file("views.sql", views::sql(self.options.layout, &self.declared).as_bytes())?;
        let manifest = manifest::json(&documents, &tables, self.options);
        self.dir.write_file("_manifest.json", manifest.as_bytes())?;
        let path = self.dir.commit()?;
        Ok(Report { path, documents, tables })
    }

    fn read_input(&mut self, contents: Contents) -> Result<()> {
        let Contents { documents, containers } = contents;
        let mut ids = Vec::new();
        // Documents of each path: files that go on with each other are read together.
        let mut read = HashMap::new();
        for opened in &documents {
            self.read = read.get(&opened.path).copied().unwrap_or(0);
            ids.push(self.documents.len() as i32);
            let part = self.part(&opened.name);
            match self.read(opened, &part) {
                Err(error) if opened.is_part && !self.options.strict => {
                    let summary = unreadable(opened, error)?;
                    self.keep(Vec::new(), vec![summary], opened, &part)?;
                }
                result => result?,
            }
            read.insert(&opened.path, self.read);
        }
        containers.into_iter().try_for_each(|container| self.keep_container(container, &ids))
    }

    fn read(&mut self, opened: &Opened, part: &str) -> Result<()> {
        let found = sniff::sniff(opened)?;
        self.declare(found.format, part)?;
        let file_id = i32::try_from(self.documents.len()).expect("fewer than 2^31 documents");
        let fail = |source| Error::new(ErrorKind::Format { path: opened.path.clone(), source });
        let (input, name) = (&opened.input, &opened.name);
        let (row_group_rows, window) = (self.row_group_rows(), self.options.read_window.max(1));
        match found.format {
            Format::Heap => {
                let (names, locate) = (self.options.names, self.locate);
                let collect = self.wanted.analysis();
                let options = heap::Options { names, locate, row_group_rows, window, collect };
                let snapshot = Snapshot::new(input, file_id, name, options).map_err(fail)?;
                self.read_heap(snapshot, file_id, opened, part)
            }
            Format::CpuProfile => {
                let options = cpu_profile::Options { row_group_rows, window };
                let profile = CpuProfile::new(input, found.offset, file_id, name, options);
                self.read_all(profile.map_err(fail)?, opened, part)
            }
            Format::HeapProfile => {
                let options = heap_profile::Options { row_group_rows, window };
                let profile = HeapProfile::new(input, found.offset, file_id, name, options);
                self.read_all(profile.map_err(fail)?, opened, part)
            }
            Format::SelfProfile => {
                let options = self_profile::Options { row_group_rows, window };
                let profiles = SelfProfiles::new(input, file_id, name, options);
                self.read_all(profiles.map_err(fail)?, opened, part)
            }
            Format::Trace | Format::Ftrace => {
                let options = TraceOptions {
                    row_group_rows,
                    window,
                    collect: self.wants(&TIMELINE_TABLES) || self.wants(&FTRACE_TABLES),
                    profiles: self.wants(&JS_CPU_PROFILER_TABLES),
                    memory: self.wants(&MEMORY_TABLES),
                };
                self.read_trace(opened, found.format, file_id, options, part)
            }
            _ => unreachable!("all formats that are recognised are read"),
        }
    }

    /// Every table that a format defines is written, empty if need be.
    fn declare(&mut self, format: Format, part: &str) -> Result<()> {
        self.declare_tables(&sniff::tables(format), part)
    }

    fn declare_tables(&mut self, tables: &[&'static Table], part: &str) -> Result<()> {
        let tables = [&SOURCE, &IMPORT_LOG].into_iter().chain(tables.iter().copied());
        for table in tables.filter(|table| self.wanted.has(table)) {
            self.dir.declare(table, part)?;
            if !self.declared.contains(&table) {
                self.declared.push(table);
            }
        }
        Ok(())
    }

    /// Reads an input of any format.
    fn read_all<R: Reader>(&mut self, reader: R, opened: &Opened, part: &str) -> Result<()> {
        let (batches, summaries) = self.work(reader, opened, part)?.finish();
        self.keep(batches, summaries, opened, part)
    }

    /// Reads a heap, and analyses it if that is wanted.
    fn read_heap(
        &mut self,
        snapshot: Snapshot<'_>,
        file_id: i32,
        opened: &Opened,
        part: &str,
    ) -> Result<()> {
        let (batches, mut summary) = self.work(snapshot, opened, part)?.finish();
        if let Some(parts) = summary.heap.take() {
            let threads = self.threads();
            let mut heap = loading::assemble(&opened.path, parts, threads)?;
            let analysis = graph::analyze_and_forget(&mut heap, threads);
            self.write_totals(file_id, &analysis, part)?;
            let rows = NodeRows::new(file_id, &heap, &analysis);
            let (nodes, size) = (heap.nodes().len(), self.row_group_rows());
            let groups = (0..nodes).step_by(size).map(|start| start..nodes.min(start + size));
            let groups = groups.map(|group| (&JS_HEAP_ANALYSIS, group)).collect();
            self.write_groups(groups, |group| rows.batch(group.clone()), part)?;
        }
        let summary = summary.of_document(opened.input.size());
        self.keep(batches, vec![summary], opened, part)
    }

    /// Reads a trace, and concludes from its events what they mean if that is wanted.
    fn read_trace(
        &mut self,
        opened: &Opened,
        format: Format,
        file_id: i32,
        options: TraceOptions,
        part: &str,
    ) -> Result<()> {
        let mut running = Running { conversion: self, opened, part };
        let trace::Read { batches, mut summary, profiles, collected } =
            trace::read(opened, format, file_id, options, &mut running)?;
        if let Some(collected) = collected {
            let timeline = conclude(collected, &mut summary.log);
            let rows = TraceRows::new(file_id, &timeline, self.row_group_rows());
            let groups = rows.groups().into_iter().map(|group| (group.table, group));
            self.write_groups(groups.collect(), |group| rows.batch(group), part)?;
        }
        let summaries = std::iter::once(summary).chain(profiles).collect();
        self.keep(batches, summaries, opened, part)
    }

    /// Whether any of these tables are wanted.
    fn wants(&self, tables: &[&'static Table]) -> bool {
        tables.iter().any(|table| self.wanted.has(table))
    }

    fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.options.threads.map_or_else(cores, NonZero::get)
    }

    /// Runs a reader to its end, with all threads.
    fn work<R: Reader>(&mut self, reader: R, opened: &Opened, part: &str) -> Result<R> {
        self.options.progress.begin(&opened.name, opened.input.size());
        let writer = || Writer {
            dir: &self.dir,
            encoder: Encoder::new(&self.write),
            wanted: self.wanted.clone(),
            part: part.into(),
        };
        let mut workers: Vec<_> = (0..self.threads()).map(|_| Worker::new(writer())).collect();
        let around = Around {
            progress: self.options.progress,
            cancel: self.options.cancel,
            stop: &|| self.dir.cancel(),
        };
        workers::run(reader, &opened.path, &mut workers, &mut self.sequence, around)
    }

    /// Writes the other tables of the analysis.
    fn write_totals(&mut self, file_id: i32, analysis: &Analysis, part: &str) -> Result<()> {
        let mut encoder = Encoder::new(&self.write);
        for (table, batch) in loading::totals(file_id, analysis, self.row_group_rows()) {
            if self.wanted.has(table) {
                let group = encoder.encode(table, &batch)?;
                let seq = workers::next(&mut self.sequence, table);
                self.dir.append(table, part, seq, group)?;
            }
        }
        Ok(())
    }

    fn row_group_rows(&self) -> usize {
        self.options.row_group_rows.clamp(1, 1 << 24)
    }

    /// Writes row groups side by side, those of a table in their order.
    fn write_groups<G: Sync>(
        &mut self,
        groups: Vec<(&'static Table, G)>,
        batch: impl Fn(&G) -> RecordBatch + Sync,
        part: &str,
    ) -> Result<()> {
        let wanted = groups.into_iter().filter(|(table, _)| self.wanted.has(table));
        let groups: Vec<_> = wanted
            .map(|(table, group)| (table, workers::next(&mut self.sequence, table), group))
            .collect();
        let next = AtomicUsize::new(0);
        let work = || -> Result<()> {
            let mut encoder = Encoder::new(&self.write);
            while let Some((table, seq, group)) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.options.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                    return Err(Error::new(ErrorKind::Cancelled));
                }
                let batch = batch(group);
                let encoded = encoder.encode(table, &batch)?;
                drop(batch);
                self.dir.append(table, part, *seq, encoded)?;
            }
            Ok(())
        };
        // Whoever waits for the row group of one that failed must return.
        let work = || work().inspect_err(|_| self.dir.cancel());
        let results = thread::scope(|scope| {
            let others = self.threads().min(groups.len());
            let others: Vec<_> = (1..others).map(|_| scope.spawn(work)).collect();
            let mut results = vec![work()];
            results.extend(others.into_iter().map(|other| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }));
            results
        });
        // The echo of an error is not the error.
        let is_echo =
            |error: &Error| matches!(error.kind(), ErrorKind::Output(e) if e.is_cancelled());
        let mut errors: Vec<Error> = results.into_iter().filter_map(Result::err).collect();
        errors.sort_by_key(is_echo);
        errors.into_iter().next().map_or(Ok(()), Err)
    }

    /// Keeps what is to be said of the documents of an input, and their small tables.
    fn keep(
        &mut self,
        batches: Vec<(&'static Table, RecordBatch)>,
        summaries: Vec<Summary>,
        opened: &Opened,
        part: &str,
    ) -> Result<()> {
        let timed = |(table, batch)| (table, times::put(table, batch, &opened.times));
        self.small.extend(batches.into_iter().map(timed));
        let fail = |source| {
            let path = opened.path.clone();
            Error::new(ErrorKind::Input { path, doing: "read", source })
        };
        let digest = input::fingerprint(&opened.input).map_err(fail)?;
        let first = self.documents.len();
        for summary in summaries {
            let document = self.document(summary, opened, &digest, part)?;
            self.documents.push(document);
            self.read += 1;
        }
        if self.options.layout == Layout::Hive {
            self.write_small_tables(first)?;
        }
        Ok(())
    }

    /// Keeps what is to be said of a container when its documents have been read.
    fn keep_container(&mut self, container: Container, ids: &[i32]) -> Result<()> {
        let Container { path, name, input, format, documents, log, rows } = container;
        let part = self.part(&name);
        if let Some(rows) = &rows {
            self.declare_tables(&rows.tables(), &part)?;
            let file_id = i32::try_from(self.documents.len()).expect("fewer than 2^31 documents");
            self.small.extend(rows.batches(file_id, ids));
        } else {
            self.declare_tables(&[], &part)?;
        }
        let fail =
            |source| Error::new(ErrorKind::Input { path: path.clone(), doing: "read", source });
        let digest = input::fingerprint(&input).map_err(fail)?;
        let is_cut = log.has(Code::Truncated);
        let (defects, log) = self.settle(&path, log)?;
        let first = self.documents.len();
        self.documents.push(Document {
            index: None,
            format,
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
            part,
        });
        if self.options.layout == Layout::Hive {
            self.write_small_tables(first)?;
        }
        Ok(())
    }

    /// A log's rows, and how many of them lost data, which may be an error.
    fn settle(&self, path: &Path, log: Log) -> Result<(u64, Vec<Entry>)> {
        let defects = log.count(Severity::DataLoss);
        let log = log.into_entries();
        if self.options.strict
            && let Some(first) = log.iter().find(|e| e.code.severity() >= Severity::DataLoss)
        {
            let (path, first) = (path.to_path_buf(), first.clone());
            return Err(Error::new(ErrorKind::Strict { path, defects, first }));
        }
        Ok((defects, log))
    }

    fn document(
        &self,
        summary: Summary,
        opened: &Opened,
        digest: &str,
        part: &str,
    ) -> Result<Document> {
        let Opened { path, name, log: unpacking, .. } = opened;
        let mut log = summary.log;
        log.merge(unpacking.clone());
        let (defects, log) = self.settle(path, log)?;
        let unpacked = unpacking.count(Severity::DataLoss) == 0;
        Ok(Document {
            index: Some(self.read),
            format: summary.format,
            producer: summary.producer,
            bytes: summary.bytes,
            digest: digest.into(),
            status: if unpacked { summary.status } else { Status::Truncated },
            counts: summary.counts,
            path: path.clone(),
            name: summary.name.unwrap_or_else(|| name.clone()),
            defects,
            log,
            part: part.into(),
        })
    }

    /// Token of a document's folders.
    fn part(&mut self, name: &str) -> String {
        if self.options.layout == Layout::Flat {
            return String::new();
        }
        // Each document has files of its own.
        self.sequence.clear();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let mut token: String = stem.chars().map(plain).collect();
        // Engines read a token of digits as a number.
        if !token.starts_with(|c: char| c.is_ascii_alphabetic()) {
            token.insert_str(0, "s_");
        }
        let unique = (1..).map(|n| if n == 1 { token.clone() } else { format!("{token}_{n}") });
        // Some disks do not tell upper from lower case.
        let is_new = |t: &String| !self.parts.contains(&t.to_ascii_lowercase());
        let token = unique.into_iter().find(is_new).unwrap_or_default();
        self.parts.insert(token.to_ascii_lowercase());
        token
    }

    /// Writes the tables that hold a few rows for each document, from the document `first` on.
    fn write_small_tables(&mut self, first: usize) -> Result<()> {
        let documents = &self.documents[first..];
        // All of one input in the hive layout; in the flat one it is empty.
        let part = documents.first().map(|document| document.part.clone()).unwrap_or_default();
        let mut batches: Vec<(&'static Table, Vec<RecordBatch>)> = vec![
            (&SOURCE, vec![source(documents, first)]),
            (&IMPORT_LOG, vec![import_log(&logs(documents, first))]),
        ];
        for (table, batch) in self.small.drain(..) {
            match batches.iter_mut().find(|(t, _)| *t == table) {
                Some((_, rows)) => rows.push(batch),
                None => batches.push((table, vec![batch])),
            }
        }
        let mut encoder = Encoder::new(&self.write);
        for (table, rows) in batches {
            if !self.wanted.has(table) {
                continue;
            }
            self.dir.declare(table, &part)?;
            let rows: Vec<_> =
                rows.iter().map(|b| table.expand(b)).collect::<Result<_, _>>().expect("small");
            let batch =
                arrow_select::concat::concat_batches(&table.schema(), &rows).expect("one schema");
            if batch.num_rows() > 0 {
                let group = encoder.encode(table, &batch)?;
                let seq = workers::next(&mut self.sequence, table);
                self.dir.append(table, &part, seq, group)?;
            }
        }
        Ok(())
    }
}

/// Runs the readers of a trace.
struct Running<'r, 'a> {
    conversion: &'r mut Conversion<'a>,
    opened: &'r Opened,
    part: &'r str,
}

impl trace::Run for Running<'_, '_> {
    type Error = Error;

    fn run<R: Reader>(&mut self, reader: R) -> Result<R> {
        self.conversion.work(reader, self.opened, self.part)
    }

    fn expect(&mut self, tables: &[&'static Table]) -> Result<()> {
        self.conversion.declare_tables(tables, self.part)
    }
}

/// What is to be said of a document of a container that is so broken that nothing of it can be kept.
fn unreadable(opened: &Opened, error: Error) -> Result<Summary> {
    let ErrorKind::Format { source, .. } = error.kind() else { return Err(error) };
    let heapquarry_formats::ErrorKind::Malformed { offset, expected, found } = source.kind() else {
        return Err(error);
    };
    let mut log = Log::default();
    log.add(Code::Malformed, *offset, || format!("expected {expected}, found {found}"));
    Ok(Summary {
        name: None,
        format: sniff::sniff(opened)?.format.name(),
        producer: None,
        bytes: opened.input.size(),
        status: Status::Truncated,
        counts: Vec::new(),
        log,
    })
}

fn logs(documents: &[Document], first: usize) -> Vec<(i32, Vec<Entry>)> {
    documents.iter().zip(first as i32..).map(|(d, id)| (id, d.log.clone())).collect()
}

/// Rows of `source`.
fn source(documents: &[Document], first: usize) -> RecordBatch {
    let ids = first as i32..(first + documents.len()) as i32;
    let index = |d: &Document| d.index.map_or(-1, |index| index as i32);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter_values(ids)),
        arrays::text(documents.iter().map(|d| Some(d.path.to_string_lossy()))),
        Arc::new(Int32Array::from_iter_values(documents.iter().map(index))),
        arrays::text(documents.iter().map(|d| Some(&d.name))),
        arrays::labels(documents.iter().map(|d| d.format)),
        arrays::text(documents.iter().map(|d| d.producer)),
        Arc::new(Int64Array::from_iter_values(documents.iter().map(|d| d.bytes as i64))),
        arrays::labels(documents.iter().map(|d| d.status.name())),
        arrays::text(documents.iter().map(|d| Some(&d.digest))),
    ];
    SOURCE.batch(columns)
}
