//! Converted directories as inputs: their tables are read back by row group.

mod process;
mod reader;
mod tables;

use crate::{
    Document, Error, ErrorKind, Result, RunOptions,
    drive::drive,
    memory::{self, Further, Size},
    sink::Sink,
};
use arrow_array::RecordBatch;
use heapquarry_base::Order;
use heapquarry_formats::{Entry, Format, Gather, Gathered, Kind, Reader, Status};
use heapquarry_input::{CONTAINERS, manifest};
pub(crate) use heapquarry_rows::stored::StoredDocument;
use heapquarry_rows::stored::{Columns, ENTRIES, StoredTables, entries, heap, trace};
use heapquarry_sink::{RecordedFile, TableReader};
use heapquarry_tables::{
    FileId, IMPORT_LOG, JS_CPU_PROFILER_FILES, JS_HEAP_STRING, Projection, SOURCE, Table,
    js_cpu_profiler_files, js_heap_string,
};
use reader::StoredReader;
use std::path::{Component, Path, PathBuf};
use tables::{Tables, open};

/// A directory that [`crate::convert`] wrote.
pub struct ConvertedDir {
    path: PathBuf,
    /// Rows of `source`, by `file_id`, containers included.
    documents: Vec<StoredDocument>,
    files: Vec<RecordedFile>,
    /// Whether this version wrote it, with an analysis.
    is_analyzed: bool,
}

/// Documents of a directory that are read together.
pub(crate) struct Stored {
    dir: ConvertedDir,
    format: Format,
    /// The selected document and those that belong to it.
    file_ids: Vec<FileId>,
}

impl ConvertedDir {
    /// Opens a directory; `None` if the path is not a directory.
    ///
    /// # Errors
    ///
    /// If heapquarry did not write the directory, or it cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let Some(manifest) = manifest(path)? else { return Ok(None) };
        let files = manifest["tables"].as_array().into_iter().flatten();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let files = files.map(|written| RecordedFile {
            table: text(&written["table"]),
            file: text(&written["file"]),
            bytes: written["bytes"].as_u64().unwrap_or_default(),
            xxh3: written["xxh3"].as_str().and_then(|hex| u64::from_str_radix(hex, 16).ok()),
        });
        let is_ours = manifest["heapquarry_version"] == env!("CARGO_PKG_VERSION");
        Ok(Some(ConvertedDir {
            path: path.into(),
            documents: documents(path)?,
            files: files.collect(),
            is_analyzed: is_ours && manifest["options"]["analyze"] == true,
        }))
    }

    /// The records of all documents.
    pub fn documents(&self, run: &RunOptions) -> Result<Vec<Document>> {
        let all: Vec<FileId> = self.documents.iter().map(|document| document.file_id).collect();
        self.of(&all, run)
    }

    /// The number of rows of each existing table.
    pub(crate) fn rows(&self) -> Result<Vec<(&'static Table, u64)>> {
        let mut rows = Vec::new();
        for table in heapquarry_tables::all() {
            rows.extend(self.table(table)?.map(|open| (table, open.rows())));
        }
        Ok(rows)
    }

    /// Opens a table; `None` if the directory was written without it. It is an error if a file of it is gone.
    fn table(&self, table: &'static Table) -> Result<Option<TableReader>> {
        let mut files = self.files.iter().filter(|written| written.table == table.name);
        // What is elsewhere is no file of it.
        let is_inside = |file: &str| {
            Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
        };
        if files.any(|written| !is_inside(&written.file) || !self.path.join(&written.file).exists())
        {
            return Err(self.has_no(table));
        }
        Ok(TableReader::open(&self.path, table)?)
    }

    /// The tables of these documents, which are sorted.
    fn tables<'a>(&'a self, file_ids: Vec<FileId>, run: &'a RunOptions) -> Tables<'a> {
        Tables { dir: &self.path, file_ids, run, recorded: &[] }
    }

    fn has_no(&self, table: &'static Table) -> Error {
        Error::new(ErrorKind::NotInDirectory { path: self.path.clone(), table: table.name })
    }

    /// Fails if a table is wanted by its name that a document has and the directory does not.
    fn refuse_missing(&self, projection: &Projection) -> Result<()> {
        let formats = self.plain().filter_map(|document| Format::by_name(&document.format));
        let tables = formats.flat_map(Format::tables);
        for table in tables.filter(|table| projection.names(table)) {
            self.table(table)?.ok_or_else(|| self.has_no(table))?;
        }
        Ok(())
    }

    /// The documents without containers.
    fn plain(&self) -> impl Iterator<Item = &StoredDocument> {
        self.documents.iter().filter(|d| !CONTAINERS.contains(&d.format.as_str()))
    }

    /// Positions of the documents that are heaps.
    pub fn heaps(&self) -> impl Iterator<Item = usize> {
        let is_heap = |d: &&StoredDocument| {
            Format::by_name(&d.format).is_some_and(|format| format.kind() == Kind::Heap)
        };
        self.plain().filter(is_heap).map(|d| d.file_id.position())
    }

    /// Whether all documents are heaps.
    pub fn has_only_heaps(&self) -> bool {
        self.heaps().count() == self.plain().count()
    }

    /// The documents that are read apart from each other: all but the CPU profiles in traces.
    pub(crate) fn apart(&self, run: &RunOptions) -> Result<Vec<StoredDocument>> {
        let traces = self.plain().filter(|d| {
            Format::by_name(&d.format).is_some_and(|format| format.kind() == Kind::Trace)
        });
        let traces: Vec<FileId> = traces.map(|document| document.file_id).collect();
        let inside = self.profiles(&traces, run)?;
        Ok(self.plain().filter(|d| !inside.contains(&d.file_id)).cloned().collect())
    }

    /// The document with that number and those that belong to it, or the only document. Self-profiling traces are read
    /// together unless one is selected, because pages send many small ones.
    pub(crate) fn choose(self, number: Option<usize>) -> Result<Stored> {
        let plain: Vec<&StoredDocument> = self.plain().collect();
        let chosen: Vec<&StoredDocument> = match number {
            Some(number) => {
                let wanted = |d: &&&StoredDocument| d.file_id.position() == number;
                plain.iter().find(wanted).copied().into_iter().collect()
            }
            None if plain.len() == 1 || plain.iter().all(|d| d.format == "selfprofile") => plain,
            None if is_trace(&plain) => vec![plain[0]],
            None => Vec::new(),
        };
        let Some(first) = chosen.first() else {
            let same = |name: &str| self.plain().filter(|d| d.name == name).count() > 1;
            // The paths tell documents of one name apart.
            let name =
                |d: &StoredDocument| if same(&d.name) { d.path.clone() } else { d.name.clone() };
            let names = self.plain().map(|d| (d.file_id.position(), name(d))).collect();
            let (path, document) = (self.path.clone(), number);
            return Err(Error::new(ErrorKind::Document { path, document, names }));
        };
        let format = Format::by_name(&first.format).ok_or_else(|| {
            let what = format!("heap or profile: {} is of format {}", first.name, first.format);
            Error::new(ErrorKind::NotFound { path: self.path.clone(), what })
        })?;
        let file_ids = chosen.iter().map(|document| document.file_id).collect();
        Ok(Stored { format, file_ids, dir: self })
    }

    /// Passes the rows of all tables to a sink, except `source` and `import_log`: those are derived from the documents.
    pub(crate) fn read(&self, sink: &mut dyn Sink, run: &RunOptions) -> Result<Vec<Document>> {
        self.refuse_missing(sink.projection())?;
        self.hand_in(None, sink, run)?;
        let documents = self.documents(run)?;
        sink.end(FileId(0), &documents)?;
        Ok(documents)
    }

    /// Passes the rows of some documents, or of all, to a sink.
    fn hand_in(
        &self,
        file_ids: Option<&[FileId]>,
        sink: &mut dyn Sink,
        run: &RunOptions,
    ) -> Result<()> {
        let wanted =
            heapquarry_tables::all().filter(|table| ![&SOURCE, &IMPORT_LOG].contains(table));
        let wanted = wanted.filter(|table| sink.projection().wants(table));
        let mut tables = Vec::new();
        for table in wanted {
            tables.extend(self.table(table)?);
        }
        let declared: Vec<&'static Table> = tables.iter().map(TableReader::table).collect();
        let name = self.path.to_string_lossy();
        sink.begin(&name, &declared)?;
        run.progress.begin(&name, 0);
        let reader = StoredReader::new(tables, file_ids, sink.projection().clone());
        let failure = reader.failure();
        drive(reader, 0, &self.path, &*sink, run)?.finish();
        failure.take()
    }

    /// The CPU profiles in traces.
    fn profiles(&self, traces: &[FileId], run: &RunOptions) -> Result<Vec<FileId>> {
        use js_cpu_profiler_files::NAMES;
        let mut mine = Vec::new();
        if traces.is_empty() || TableReader::open(&self.path, &JS_CPU_PROFILER_FILES)?.is_none() {
            return Ok(mine);
        }
        let in_trace = |batch: RecordBatch| -> Vec<FileId> {
            let columns = Columns(&batch);
            let ids = |name| columns.int32s(name).iter().map(|id| id.map(FileId));
            let rows = ids(NAMES.file_id).zip(ids(NAMES.trace_file_id));
            let is_mine = |of: Option<FileId>| of.is_some_and(|of| traces.contains(&of));
            rows.filter(|(_, of)| is_mine(*of)).filter_map(|(file_id, _)| file_id).collect()
        };
        let file_ids = self.documents.iter().map(|document| document.file_id).collect();
        let tables = self.tables(file_ids, run);
        let columns = [NAMES.file_id, NAMES.trace_file_id];
        tables.each(&JS_CPU_PROFILER_FILES, &columns, in_trace, |part| mine.extend(part))?;
        Ok(mine)
    }

    /// The records of these documents.
    fn of(&self, file_ids: &[FileId], run: &RunOptions) -> Result<Vec<Document>> {
        let mut logs = self.logs(file_ids, run)?;
        let chosen = self.documents.iter().filter(|d| file_ids.contains(&d.file_id));
        let document = |stored: &StoredDocument| {
            let log: Vec<Entry> = logs
                .extract_if(.., |(id, _)| *id == stored.file_id)
                .map(|(_, entry)| entry)
                .collect();
            let lost = log.iter().filter(|e| e.code.severity() >= crate::Severity::DataLoss);
            Document {
                path: stored.path.clone().into(),
                index: u32::try_from(stored.index).ok(),
                name: stored.name.clone(),
                format: stored.format.clone().into(),
                producer: stored.producer.clone().map(Into::into),
                bytes: u64::try_from(stored.bytes).unwrap_or_default(),
                digest: stored.digest.clone(),
                status: stored.status,
                counts: Vec::new(),
                defects: lost.map(|entry| entry.occurrences).sum(),
                log,
                captured_at: None,
            }
        };
        Ok(chosen.map(document).collect())
    }

    /// Rows of `import_log`, with their documents.
    fn logs(&self, file_ids: &[FileId], run: &RunOptions) -> Result<Vec<(FileId, Entry)>> {
        let mut logs = Vec::new();
        let tables = self.tables(file_ids.to_vec(), run);
        tables.each(&IMPORT_LOG, &ENTRIES, |batch| entries(&batch), |piece| logs.extend(piece))?;
        Ok(logs)
    }
}

impl Stored {
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    pub(crate) fn path(&self) -> &Path {
        &self.dir.path
    }

    /// The name of the selected document, or of the first.
    pub(crate) fn name(&self) -> &str {
        let first = self.dir.documents.iter().find(|d| d.file_id == self.file_ids[0]);
        first.map_or("", |document| &document.name)
    }

    /// Passes the rows of the documents to a sink, and gathers what an analysis needs.
    pub(crate) fn read(&self, sink: &mut dyn Sink, run: &RunOptions) -> Result<Vec<Document>> {
        let mut file_ids = self.file_ids.clone();
        if self.format.kind() == Kind::Trace {
            file_ids.extend(self.dir.profiles(&self.file_ids, run)?);
        }
        file_ids.sort_unstable();
        self.dir.hand_in(Some(&file_ids), sink, run)?;
        let documents = self.dir.of(&file_ids, run)?;
        if sink.gather() == Gather::Always {
            let is_whole = |d: &Document| d.status == Status::Complete && d.defects == 0;
            let is_trusted = self.dir.is_analyzed && documents.iter().all(is_whole);
            let recorded = if is_trusted { self.dir.files.as_slice() } else { &[] };
            let tables = Tables { recorded, ..self.dir.tables(self.file_ids.clone(), run) };
            let gathered = match self.format.kind() {
                Kind::Heap => {
                    let first = self.dir.documents.iter().find(|d| d.file_id == self.file_ids[0]);
                    let producer = first.and_then(|document| document.producer.as_deref());
                    let check = |nodes, edges| {
                        let string = js_heap_string::NAMES.string;
                        let text = tables.stored_text(&JS_HEAP_STRING, string)?;
                        let size = Size { nodes, edges, text };
                        memory::check(&self.dir.path, size, Further::default(), run)
                    };
                    Some(Gathered::Heap(Box::new(heap::parts(&tables, producer, check)?)))
                }
                Kind::Trace => {
                    let check = |kept| memory::check_kept(&self.dir.path, kept, run);
                    let parts = trace::parts(&tables, self.format, check)?;
                    Some(Gathered::Trace(Box::new(parts)))
                }
                Kind::Profile(_) => None,
            };
            if let Some(gathered) = gathered {
                let further = Further::wanted(sink.projection());
                memory::check_gathered(&self.dir.path, &gathered, further, run)?;
                sink.gathered(gathered)?;
            }
        }
        sink.end(FileId(0), &documents)?;
        Ok(documents)
    }
}

/// Whether the documents are one trace and the CPU profiles in it.
fn is_trace(documents: &[&StoredDocument]) -> bool {
    let Some((trace, profiles)) = documents.split_first() else { return false };
    let is_part =
        |profile: &&StoredDocument| profile.format == "cpuprofile" && profile.path == trace.path;
    trace.format == "trace" && profiles.iter().all(is_part)
}

/// The rows of `source`.
fn documents(dir: &Path) -> Result<Vec<StoredDocument>> {
    let table = open(dir, &SOURCE)?;
    let mut documents = Vec::new();
    for group in 0..table.row_groups() {
        table.read(group, &StoredDocument::COLUMNS, &mut |batch| {
            documents.extend(StoredDocument::of_rows(&batch));
        })?;
    }
    documents.order_by_key(|document| document.file_id);
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_chosen_by_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let error = ConvertedDir::open(path).map(drop).unwrap_err().to_string();
        assert!(error.contains("not a heapquarry output directory"), "{error}");
        let document = |file_id: FileId| StoredDocument {
            file_id,
            name: ["a.heapsnapshot", "b.heapsnapshot"][file_id.position()].into(),
            format: "heapsnapshot".into(),
            producer: None,
            status: Status::Complete,
            path: String::new(),
            index: 0,
            bytes: 0,
            digest: String::new(),
        };
        for (count, number, expected) in [
            (1, None, Ok(0)),
            (1, Some(0), Ok(0)),
            (1, Some(1), Err("): #0 is a.heapsnapshot")),
            (2, Some(1), Ok(1)),
            (2, Some(2), Err("): #0 is a.heapsnapshot, #1 is b.heapsnapshot")),
            (2, None, Err("several documents (")),
            (0, None, Err("the input has no documents")),
        ] {
            let documents = (0..count).map(|at| document(FileId(at))).collect();
            let (files, is_analyzed) = (Vec::new(), false);
            let dir = ConvertedDir { path: path.into(), documents, files, is_analyzed };
            let found = dir.choose(number);
            let found = found.map(|stored| stored.file_ids);
            match (found, expected) {
                (Ok(found), Ok(file_id)) => assert_eq!(found, [FileId(file_id)]),
                (Err(found), Err(error)) => assert!(found.to_string().contains(error), "{found}"),
                (found, expected) => panic!("{found:?}, expected {expected:?}"),
            }
        }
    }
}
