//! Reads documents into plain cells and compares them.
#![allow(dead_code, reason = "each test file uses its own part")]

use arrow_array::{
    RecordBatch, StringArray,
    cast::AsArray,
    types::{Float64Type, Int32Type, Int64Type},
};
use heapquarry_formats::{
    ByteOffset, Code, Entry, Error, Finished, Format, Input, Locate, Located, Names, ReadOptions,
    Reader, Status, Summary, Visit, open, read_all,
};
use heapquarry_tables::{FileId, JS_HEAP_TABLES, Table, Type};
use std::{
    collections::BTreeMap,
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// The document's number and name in all tests.
pub(crate) const FILE_ID: i32 = 3;
pub(crate) const NAME: &str = "some.heapsnapshot";

/// One value of a table, as a reader of the files sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    Text(String),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Null => write!(f, "NULL"),
            Cell::Int(value) => write!(f, "{value}"),
            Cell::Text(text) if text.len() > 200 => write!(f, "text of {} bytes", text.len()),
            Cell::Text(text) => write!(f, "{text:?}"),
        }
    }
}

pub(crate) type Row = Vec<Cell>;

/// The rows of every table.
pub(crate) type Tables = BTreeMap<&'static str, Vec<Row>>;

/// The table of a section's rows, if it has one.
pub(crate) fn table_of(section: &str) -> Option<&'static str> {
    let sections = [
        ("nodes", "js_heap_nodes"),
        ("edges", "js_heap_edges"),
        ("trace_function_infos", "js_heap_trace_function_info"),
        ("trace_tree", "js_heap_trace_node"),
        ("samples", "js_heap_sample"),
        ("locations", "js_heap_location"),
        ("scopes", "js_heap_scope"),
        ("scope_context_vars", "js_heap_scope_context_var"),
        ("scope_uses", "js_heap_scope_use"),
        ("strings", "js_heap_string"),
    ];
    sections.into_iter().find(|(name, _)| *name == section).map(|(_, table)| table)
}

/// Tables without a row.
pub(crate) fn no_rows() -> Tables {
    JS_HEAP_TABLES.iter().map(|table| (table.name, Vec::new())).collect()
}

/// Everything that reading a document gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) tables: Tables,
    /// Rows of each batch, which become row groups.
    pub(crate) groups: BTreeMap<&'static str, Vec<usize>>,
    pub(crate) log: Vec<Entry>,
    pub(crate) status: Status,
    pub(crate) format: &'static str,
    pub(crate) producer: Option<&'static str>,
    pub(crate) counts: Vec<(&'static str, u64)>,
}

impl Reading {
    pub(crate) fn new(
        batches: Vec<(&'static Table, RecordBatch)>,
        summaries: Vec<Summary>,
    ) -> Self {
        let [summary] = <[Summary; 1]>::try_from(summaries).expect("a snapshot is one document");
        assert_eq!(summary.name, None);
        let mut tables = no_rows();
        let mut groups: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        for (table, batch) in batches {
            tables.get_mut(table.name).expect("a table of heaps").extend(rows(table, &batch));
            groups.entry(table.name).or_default().push(batch.num_rows());
        }
        Reading {
            tables,
            groups,
            log: summary.log.into_entries(),
            status: summary.status,
            format: summary.format,
            producer: summary.producer,
            counts: summary.counts,
        }
    }

    /// The codes of the log, and how often each came.
    pub(crate) fn codes(&self) -> BTreeMap<&'static str, u64> {
        let mut codes = BTreeMap::new();
        for entry in &self.log {
            *codes.entry(entry.code.name()).or_default() += entry.occurrences;
        }
        codes
    }
}

/// Codes that only profiles have.
pub(crate) const OF_PROFILES: [Code; 11] = [
    Code::WrappedNumber,
    Code::RoundedTime,
    Code::IdsAssigned,
    Code::DuplicateId,
    Code::UnknownNode,
    Code::LateNode,
    Code::SecondParent,
    Code::CallCycle,
    Code::SampleCountMismatch,
    Code::UnsortedSamples,
    Code::SpreadTimes,
];

/// The batch's rows, in the plain schema.
pub(crate) fn rows(table: &'static Table, batch: &RecordBatch) -> Vec<Row> {
    let plain = table.expand(batch).expect("text of less than 2 GiB");
    let columns: Vec<Vec<Cell>> = table
        .columns
        .iter()
        .zip(plain.columns())
        .map(|(column, array)| {
            let cells: Vec<Cell> = match column.ty {
                Type::Int32 => array
                    .as_primitive::<Int32Type>()
                    .iter()
                    .map(|v| int(v.map(i64::from)))
                    .collect(),
                Type::Int64 => array.as_primitive::<Int64Type>().iter().map(int).collect(),
                // By their text, which tells them apart.
                Type::Float64 => {
                    let floats = array.as_primitive::<Float64Type>().iter();
                    floats.map(|v| text(v.map(|v| v.to_string()).as_deref())).collect()
                }
                Type::Timestamp => unreachable!("no format has times of this type"),
                Type::Text => array.as_string::<i32>().iter().map(text).collect(),
                Type::Label => {
                    let labels = array.as_dictionary::<Int32Type>();
                    let labels = labels.downcast_dict::<StringArray>().expect("labels are text");
                    labels.into_iter().map(text).collect()
                }
            };
            let nulls = cells.iter().filter(|cell| **cell == Cell::Null).count();
            assert!(nulls == 0 || column.nullable, "{}.{} is NULL", table.name, column.name);
            cells
        })
        .collect();
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    let row =
        |_| columns.iter_mut().map(|cells| cells.next().expect("a cell for each row")).collect();
    (0..batch.num_rows()).map(row).collect()
}

pub(crate) fn int(value: Option<i64>) -> Cell {
    value.map_or(Cell::Null, Cell::Int)
}

pub(crate) fn text(value: Option<impl Into<String>>) -> Cell {
    value.map_or(Cell::Null, |text| Cell::Text(text.into()))
}

/// Collects the rows of a document.
struct Batches<'a>(&'a mut Vec<(&'static Table, RecordBatch)>);

impl Visit for Batches<'_> {
    type Output = Result<Finished, Error>;

    fn visit<R: Reader>(self, reader: R) -> Self::Output {
        read_all(reader, |table, batch| {
            self.0.push((table, batch));
            Ok::<_, Error>(())
        })
    }
}

/// Reads with one worker; the error in words if there is one.
pub(crate) fn read(input: &dyn Input, options: ReadOptions) -> Result<Reading, String> {
    let document = Located { input, offset: ByteOffset(0), file_id: FileId(FILE_ID), name: NAME };
    let mut batches = Vec::new();
    let finished = open(Format::Heap, document, &options, Batches(&mut batches)).flatten();
    let Finished { documents, .. } = finished.map_err(|error| error.to_string())?;
    assert!(documents.iter().all(|summary| summary.bytes == input.size()));
    Ok(Reading::new(batches, documents))
}

pub(crate) fn options(names: Names, row_group_rows: usize, window: usize) -> ReadOptions {
    ReadOptions::default().names(names).row_group_rows(row_group_rows).window(window)
}

/// Names as text or as numbers, everything else as usual.
pub(crate) fn usual(names: Names) -> ReadOptions {
    ReadOptions::default().names(names)
}

/// With strings looked for from the end the result is the same, or it is said that this cannot be done.
#[track_caller]
pub(crate) fn assert_from_end(
    input: &dyn Input,
    options: ReadOptions,
    expected: &Result<Reading, String>,
    what: &str,
) {
    let found = read(input, options.locate(Locate::FromEnd));
    if !is_misplaced(&found) {
        assert_readings(expected, &found, true, &format!("{what}, strings from the end"));
    }
}

pub(crate) fn is_misplaced(found: &Result<Reading, String>) -> bool {
    found.as_ref().is_err_and(|error| error == "the strings are not where they were looked for")
}

pub(crate) const BOTH: [Names; 2] = [Names::Text, Names::Id];

/// The first difference between two sets of tables, in words.
pub(crate) fn difference(expected: &Tables, found: &Tables) -> Option<String> {
    for table in JS_HEAP_TABLES {
        let (expected, found) = (&expected[table.name], &found[table.name]);
        for (row, (expected, found)) in expected.iter().zip(found).enumerate() {
            assert_eq!(expected.len(), table.columns.len(), "{}: columns", table.name);
            for ((column, expected), found) in table.columns.iter().zip(expected).zip(found) {
                if expected != found {
                    let place = format!("{}.{} of row {row}", table.name, column.name);
                    return Some(format!("{place}: expected {expected}, found {found}"));
                }
            }
        }
        if expected.len() != found.len() {
            let (expected, found) = (expected.len(), found.len());
            return Some(format!("{}: expected {expected} rows, found {found}", table.name));
        }
    }
    None
}

#[track_caller]
pub(crate) fn assert_tables(expected: &Tables, found: &Tables, what: &str) {
    if let Some(difference) = difference(expected, found) {
        panic!("{difference}\nin {what}");
    }
}

/// The first difference between two readings, in words. Row groups are compared only if both have the same size.
pub(crate) fn reading_difference(
    expected: &Reading,
    found: &Reading,
    same_groups: bool,
) -> Option<String> {
    if let Some(difference) = difference(&expected.tables, &found.tables) {
        return Some(difference);
    }
    let mut logs = expected.log.iter().zip(&found.log);
    if let Some((expected, found)) = logs.find(|(expected, found)| expected != found) {
        return Some(format!("log: expected {expected:?}, found {found:?}"));
    }
    if expected.log.len() != found.log.len() {
        return Some(format!("log: expected {:?}, found {:?}", expected.log, found.log));
    }
    let mut found = found.clone();
    if !same_groups {
        found.groups = expected.groups.clone();
    }
    (*expected != found).then(|| format!("expected {}, found {}", rest(expected), rest(&found)))
}

fn rest(reading: &Reading) -> String {
    let Reading { groups, status, format, producer, counts, .. } = reading;
    format!("{groups:?} {status:?} {format} {producer:?} {counts:?}")
}

/// Two readings of one document must be equal, whatever the windows were.
#[track_caller]
pub(crate) fn assert_readings(
    expected: &Result<Reading, String>,
    found: &Result<Reading, String>,
    same_groups: bool,
    what: &str,
) {
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            if let Some(difference) = reading_difference(expected, found, same_groups) {
                panic!("{difference}\nin {what}");
            }
        }
        (Err(expected), Err(found)) => assert_eq!(expected, found, "{what}"),
        (Ok(_), Err(found)) => panic!("expected rows, found an error: {found}\nin {what}"),
        (Err(expected), Ok(_)) => panic!("expected an error: {expected}, found rows\nin {what}"),
    }
}

/// Every row group but a table's last holds as many rows as were asked for.
#[track_caller]
pub(crate) fn assert_groups(reading: &Reading, row_group_rows: usize, what: &str) {
    for (table, groups) in &reading.groups {
        // These two stand for the snapshot as a whole.
        if ["js_heap_files", "js_heap_info"].contains(table) {
            continue;
        }
        let (last, full) = groups.split_last().expect("a table is listed for its groups");
        let fits =
            full.iter().all(|rows| *rows == row_group_rows) && (1..=row_group_rows).contains(last);
        assert!(
            fits,
            "{table} has groups of {groups:?} rows, {row_group_rows} were asked for\nin {what}"
        );
    }
}

/// A document in memory that counts what is read of it, hands out little at a time, and interrupts now and then.
pub(crate) struct Watched<'a> {
    bytes: &'a [u8],
    /// Bytes handed out at once, at most.
    at_once: usize,
    /// Whether every third call is interrupted.
    interrupts: bool,
    /// Calls after which it must be an endless loop.
    patience: u64,
    calls: AtomicU64,
    read: AtomicU64,
}

impl<'a> Watched<'a> {
    /// Hands out all that is asked for.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        // A byte may be read again for each of the passes (locating, skipping, claiming), one by one.
        let patience = 100 * (bytes.len() as u64 + 100);
        let (calls, read) = Default::default();
        Watched { bytes, at_once: usize::MAX, interrupts: false, patience, calls, read }
    }

    /// Hands out so many bytes at a time at most, as `read_at` may, and fails every third time for no reason.
    pub(crate) fn reluctant(bytes: &'a [u8], at_once: usize) -> Self {
        Watched { at_once, interrupts: true, ..Watched::new(bytes) }
    }

    /// Bytes read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

impl Input for Watched<'_> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        assert!(calls < self.patience, "it reads on and on");
        if self.interrupts && calls % 3 == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = buf.len().min(self.at_once);
        let n = self.bytes.read_at(&mut buf[..most], offset)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Bytes that cannot be read beyond a place.
pub(crate) struct Broken<'a>(pub(crate) &'a [u8], pub(crate) usize);

impl Broken<'_> {
    /// Checks that the error of a reading is that.
    pub(crate) fn assert_is(&self, error: &str) {
        let (offset, reason) = error.split_once(": ").expect("an offset and a reason");
        let offset: usize = offset.trim_start_matches("byte ").parse().expect("an offset");
        let Broken(document, bad) = *self;
        assert!(offset <= bad + 1 && offset <= document.len(), "{error}, the sector is at {bad}");
        assert_eq!(reason, "cannot read: a bad sector");
    }
}

impl Input for Broken<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset + buf.len() as u64 > self.1 as u64 {
            return Err(io::Error::other("a bad sector"));
        }
        self.0.read_at(buf, offset)
    }
}

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The snapshots and timelines in a folder, and in its folders if `deep`, unpacked, by name.
pub(crate) fn documents(folder: &Path, deep: bool) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.map(|entry| entry.expect("an entry of the folder").path()) {
        let name = path.file_name().expect("entries have names").to_string_lossy().into_owned();
        if path.is_dir() && deep {
            let inner = documents(&path, deep).into_iter();
            found.extend(inner.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else if [".heapsnapshot", ".heaptimeline"]
            .iter()
            .any(|end| name.trim_end_matches(".gz").ends_with(end))
        {
            found.insert(name, unpacked(&path));
        }
    }
    found
}

fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if !bytes.starts_with(b"\x1f\x8b") {
        return bytes;
    }
    let mut out = Vec::new();
    io::copy(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut out)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    out
}

pub(crate) fn handmade() -> BTreeMap<String, Vec<u8>> {
    documents(&corpus().join("handmade"), false)
}
