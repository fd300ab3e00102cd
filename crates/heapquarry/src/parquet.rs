//! A directory of Parquet files as a sink.

use crate::{
    ConvertOptions, Document, Error, Result, manifest,
    sink::{Handler, Sink},
};
use arrow_array::{Int32Array, Int64Array, RecordBatch};
use heapquarry_formats::{Entry, Gather, import_log};
use heapquarry_input::{
    MANIFEST,
    file_names::{Taken, token},
};
use heapquarry_process::{Isolate, Sample};
use heapquarry_rows::process::{isolate_of, sampled};
use heapquarry_sink::{
    Committed, Encoder, Layout, Pairs, ParquetDir, RowGroup, WriteOptions, WrittenTable,
};
use heapquarry_tables::{
    BATCH_INPUT, FileId, IMPORT_LOG, Projection, SCHEMA_VERSION, SOURCE, Table, arrays,
    batch_input, source, sync::unpoisoned,
};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
    time::{SystemTime, UNIX_EPOCH},
};

/// A document's first rows of a table share a row group with those of other documents if they are fewer than this.
pub const SHARED_ROWS: usize = 16 << 10;

/// What a directory has besides the rows that the options ask for.
#[derive(Clone, Default)]
pub struct Extent {
    /// Whether it has no `views.sql`.
    pub without_views: bool,
    /// Whether the directory will be read soon, and then removed: a power failure may undo it, and small row groups are
    /// not compressed.
    pub is_temporary: bool,
    /// In the hive layout, the part that all documents are in; `None` for a part for each.
    pub part: Option<String>,
    /// In the hive layout, folders above the parts.
    pub labels: String,
    /// When inputs were last written, by path. If it is known, the table `batch_input` is written.
    pub written: Option<Arc<HashMap<PathBuf, SystemTime>>>,
    /// The memory of the processes of inputs, by path. If there are any, its tables are written.
    pub processes: HashMap<PathBuf, Arc<Sample>>,
    /// The isolates that inputs are of, by path. If there are any, their table is written.
    pub isolates: HashMap<PathBuf, Arc<Isolate>>,
    /// Maximum number of rows of each document, for tables whose first rows weigh most.
    pub most_rows: &'static [(&'static Table, usize)],
}

/// Writes one Parquet file per table, or one per table and document, into a directory that appears only when it is
/// finished.
pub struct ParquetSink {
    dir: ParquetDir,
    layout: Layout,
    write: WriteOptions,
    projection: Projection,
    gather: Gather,
    extent: Extent,
    /// Folder name of the current document, or of all, in the hive layout; empty in the flat layout.
    part: String,
    /// Folder names in use.
    parts: Taken,
    tables: Mutex<Tables>,
    documents: Vec<Document>,
    /// Documents by folder name, of folders that are not complete. The footers of its files list them.
    documents_of: HashMap<String, Vec<usize>>,
}

#[derive(Default)]
struct Tables {
    /// Declared tables, in order of declaration.
    declared: Vec<&'static Table>,
    /// Number of the next row group by table.
    next: HashMap<&'static str, u64>,
    /// `next` as it was when the document began.
    at_start: HashMap<&'static str, u64>,
}

impl ParquetSink {
    /// Starts the directory `output`.
    pub fn create(
        output: &Path,
        options: &ConvertOptions,
        projection: Projection,
        gather: Gather,
        extent: Extent,
    ) -> Result<Self> {
        let ConvertOptions { force, layout, compression, encodings, row_group_rows, .. } = *options;
        let write = WriteOptions { compression, encodings };
        let projection = match extent.written {
            Some(_) => projection.with(&[&BATCH_INPUT]),
            None => projection,
        };
        let mut dir = ParquetDir::create(output, force, layout, projection.clone(), write)?;
        dir.set_max_shared_rows(row_group_rows);
        if extent.is_temporary {
            dir.set_temporary(SHARED_ROWS);
        }
        dir.set_labels(&extent.labels);
        let part = extent.part.clone().unwrap_or_default();
        Ok(ParquetSink {
            dir,
            layout,
            write,
            projection,
            gather,
            extent,
            part,
            parts: Taken::default(),
            tables: Mutex::default(),
            documents: Vec::new(),
            documents_of: HashMap::new(),
        })
    }

    /// Fails if the output would replace a directory that contains one of these files.
    pub fn check_inputs<P: AsRef<Path>>(&self, inputs: &[P]) -> Result<()> {
        Ok(self.dir.check_inputs(inputs)?)
    }

    /// Writes the tables of documents, views and manifest, and renames the directory into place.
    pub fn finish(mut self, options: &ConvertOptions) -> Result<(Committed, Vec<WrittenTable>)> {
        if self.is_shared() {
            self.write_documents(0)?;
        }
        let (documents, documents_of) = (&self.documents, &self.documents_of);
        let metadata = |table: &Table, part: &str| metadata(documents, documents_of, table, part);
        let tables = self.dir.close_tables(&metadata)?;
        // Views need all columns of their tables.
        let mut whole = std::mem::take(&mut lock(&self.tables).declared);
        whole.retain(|table| self.projection.columns(table).is_all_of(table));
        let mut digest = Sha256::new();
        self.dir.write_file_with(MANIFEST, |out| {
            let mut out = Digested { out, digest: &mut digest };
            manifest::write(&self.documents, &tables, options, &mut out)
        })?;
        if !self.extent.without_views {
            let views = heapquarry_views::portable(self.layout, &whole, &digest.finalize());
            self.dir.write_file("views.sql", views.as_bytes())?;
        }
        if let Some(mode) = options.mode {
            self.dir.set_mode(mode);
        }
        Ok((self.dir.commit()?, tables))
    }

    /// Whether documents share files.
    fn is_shared(&self) -> bool {
        self.layout == Layout::Flat || self.extent.part.is_some()
    }

    /// Starts the folders of a document, which has its own files in the hive layout.
    fn begin_part(&mut self, name: &str) {
        if self.is_shared() {
            return;
        }
        lock(&self.tables).next.clear();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let token = token(stem);
        self.part = self.parts.take(token.clone(), |n| format!("{token}_{n}"));
    }

    /// Encodes as the options say.
    pub fn encoder(&self) -> Encoder {
        Encoder::new(&self.write)
    }

    /// Takes a row group of the part that all documents are in.
    pub fn append(&self, table: &'static Table, number: u64, group: RowGroup) -> Result<()> {
        Ok(self.dir.append(table, &self.part, number, group)?)
    }

    /// Takes rows of a small document, which share row groups with those of its neighbours.
    pub fn append_rows(&self, table: &'static Table, number: u64, rows: RecordBatch) -> Result<()> {
        Ok(self.dir.append_rows(table, &self.part, number, rows)?)
    }

    /// Writes `source`, `import_log` and `batch_input` of the documents from number `first` on.
    fn write_documents(&mut self, first: usize) -> Result<()> {
        // In the hive layout all rows belong to one input; in the flat layout the name is empty.
        let (documents, first) = (&self.documents[first..], FileId::at(first));
        let mut rows = vec![
            (&SOURCE, source(documents, first)),
            (&IMPORT_LOG, import_log(&logs(documents, first))),
        ];
        if let Some(written) = &self.extent.written {
            rows.push((&BATCH_INPUT, batch_input(documents, first, written)));
        }
        for (document, at) in documents.iter().zip(0..) {
            // An input that is a snapshot has one document.
            let is_first = document.index == Some(0);
            if let Some(process) = self.extent.processes.get(&document.path).filter(|_| is_first) {
                rows.extend(sampled(first.plus(at), std::slice::from_ref(&**process)));
            }
            let isolate = self.extent.isolates.get(&document.path).filter(|_| is_first);
            rows.extend(isolate.map(|isolate| isolate_of(first.plus(at), isolate)));
        }
        rows.into_iter().try_for_each(|(table, batch)| self.rows(table, batch))
    }
}

impl Sink for ParquetSink {
    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn gather(&self) -> Gather {
        self.gather
    }

    fn begin(&mut self, name: &str, tables: &[&'static Table]) -> Result<()> {
        self.begin_part(name);
        self.dir.mark();
        {
            let tables = &mut *lock(&self.tables);
            tables.at_start.clone_from(&tables.next);
        }
        self.expect(tables)
    }

    /// Declares tables: each is written even if it stays empty.
    fn expect(&self, tables: &[&'static Table]) -> Result<()> {
        for table in tables.iter().filter(|table| self.projection.wants(table)) {
            self.dir.declare(table, &self.part)?;
            let declared = &mut lock(&self.tables).declared;
            if !declared.contains(table) {
                declared.push(table);
            }
        }
        Ok(())
    }

    fn number(&self, table: &'static Table) -> u64 {
        let mut tables = lock(&self.tables);
        let next = tables.next.entry(table.name).or_default();
        *next += 1;
        *next - 1
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        let most_rows = self.extent.most_rows;
        Box::new(Writer { dir: &self.dir, tables: &self.tables, part: &self.part, most_rows })
    }

    fn cancel(&self) {
        self.dir.cancel();
    }

    fn roll_back(&mut self) -> Result<bool> {
        self.dir.roll_back()?;
        let tables = &mut *lock(&self.tables);
        tables.next.clone_from(&tables.at_start);
        Ok(true)
    }

    fn rows(&mut self, table: &'static Table, batch: RecordBatch) -> Result<()> {
        if !self.projection.wants(table) {
            return Ok(());
        }
        self.dir.declare(table, &self.part)?;
        let batch = self.projection.project(table, batch);
        // Without runs and keys the rows of a table have one form, however many documents there are.
        let batch = table.expand(&batch).expect("few rows, little text");
        Ok(self.dir.append_rows(table, &self.part, self.number(table), batch)?)
    }

    fn end(&mut self, _: FileId, documents: &[Document]) -> Result<()> {
        let first = self.documents.len();
        self.documents.extend_from_slice(documents);
        let of_part = self.documents_of.entry(self.part.clone()).or_default();
        of_part.extend(first..self.documents.len());
        if self.is_shared() {
            return Ok(());
        }
        self.write_documents(first)?;
        let (documents, documents_of) = (&self.documents, &self.documents_of);
        let metadata = |table: &Table, part: &str| metadata(documents, documents_of, table, part);
        self.dir.close_part(&self.part, &metadata)?;
        // No other file is of this part.
        self.documents_of.remove(&self.part);
        Ok(())
    }
}

/// Passes on what is written, and digests it.
struct Digested<'a> {
    out: &'a mut dyn Write,
    digest: &'a mut Sha256,
}

impl Write for Digested<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Key-value pairs for the footer of a table's file. They list the documents whose rows the file can hold: in the flat
/// layout all documents.
fn metadata(
    documents: &[Document],
    documents_of: &HashMap<String, Vec<usize>>,
    table: &Table,
    part: &str,
) -> Pairs {
    let of_part = documents_of.get(part).into_iter().flatten().map(|&at| &documents[at]);
    let digests: Vec<&str> = of_part.clone().map(|d| d.digest.as_str()).collect();
    let mut formats: Vec<&str> = of_part.map(|d| &*d.format).collect();
    formats.sort_unstable();
    formats.dedup();
    let pairs = [
        ("heapquarry.version", env!("CARGO_PKG_VERSION").to_string()),
        ("heapquarry.schema_version", SCHEMA_VERSION.to_string()),
        ("heapquarry.table", table.name.to_string()),
        ("heapquarry.source_format", formats.join(",")),
        ("heapquarry.source_digest", digests.join(",")),
    ];
    pairs.map(|(key, value)| (key.to_string(), value)).to_vec()
}

/// A worker's handle to the files.
struct Writer<'a> {
    dir: &'a ParquetDir,
    tables: &'a Mutex<Tables>,
    part: &'a str,
    most_rows: &'static [(&'static Table, usize)],
}

impl Handler for Writer<'_> {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        let first = lock(self.tables).at_start.get(table.name).copied().unwrap_or_default();
        let batch = match self.most_rows.iter().find(|(limited, _)| *limited == table) {
            None => batch,
            Some((_, most)) if number == first => batch.slice(0, batch.num_rows().min(*most)),
            Some(_) => batch.slice(0, 0),
        };
        if number == first && batch.num_rows() < SHARED_ROWS {
            return self.dir.append_rows(table, self.part, number, batch).map_err(Error::from);
        }
        let group = self.dir.encode(table, &batch)?;
        drop(batch);
        self.dir.append(table, self.part, number, group).map_err(Error::from)
    }
}

fn lock(tables: &Mutex<Tables>) -> MutexGuard<'_, Tables> {
    unpoisoned(tables.lock())
}

fn logs(documents: &[Document], first: FileId) -> Vec<(FileId, Vec<Entry>)> {
    documents.iter().enumerate().map(|(at, d)| (first.plus(at), d.log.clone())).collect()
}

/// Rows of `batch_input`.
fn batch_input(
    documents: &[Document],
    first: FileId,
    written: &HashMap<PathBuf, SystemTime>,
) -> RecordBatch {
    let micros = |time: SystemTime| -> Option<i64> {
        i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_micros()).ok()
    };
    let times = documents.iter().map(|document| match document.captured_at {
        Some(time) => (Some(time), Some("input")),
        None => {
            let time = written.get(&document.path).copied();
            (time, time.map(|_| "file"))
        }
    });
    let (times, from): (Vec<_>, Vec<_>) = times.unzip();
    batch_input::Columns {
        file_id: FileId::columns((0..documents.len()).map(|at| first.plus(at))),
        captured_at: arrays::timestamps(times.into_iter().map(|time| micros(time?))),
        captured_at_from: arrays::labels(from),
    }
    .into_batch()
}

/// Rows of `source`.
pub(crate) fn source(documents: &[Document], first: FileId) -> RecordBatch {
    let ids = (0..documents.len()).map(|at| first.plus(at));
    let index = |d: &Document| d.index.map_or(-1, |index| index as i32);
    source::Columns {
        file_id: FileId::columns(ids),
        path: arrays::text(documents.iter().map(|d| Some(d.path.to_string_lossy()))),
        document_index: Arc::new(Int32Array::from_iter_values(documents.iter().map(index))),
        name: arrays::text(documents.iter().map(|d| Some(&d.name))),
        format: arrays::labels(documents.iter().map(|d| &*d.format)),
        producer: arrays::text(documents.iter().map(|d| d.producer.as_deref())),
        byte_size: Arc::new(Int64Array::from_iter_values(documents.iter().map(|d| d.bytes as i64))),
        status: arrays::labels(documents.iter().map(|d| d.status.name())),
        digest: arrays::text(documents.iter().map(|d| Some(&d.digest))),
    }
    .into_batch()
}
