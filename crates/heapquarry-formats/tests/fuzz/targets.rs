//! What fuzzers run: functions that panic if anything is wrong with how some bytes are read. They belong both to
//! `tests/fuzz.rs`, which runs them with any compiler for a few seconds, and to `fuzz/`, for `cargo fuzz`.
#![allow(dead_code, reason = "each fuzz target uses one of them")]

use arrow_array::RecordBatch;
use heapquarry_formats::{
    ByteOffset, Code, Entry, Error, Finished, Gather, Gathered, Locate, Names, ReadOptions, Reader,
    Sniff, Status,
    cpu_profile::CpuProfile,
    ftrace::{Ftrace, Within},
    heap::{self, Snapshot},
    heap_profile::HeapProfile,
    jsc,
    pprof::Pprof,
    read_all,
    self_profile::SelfProfiles,
    trace,
};
use heapquarry_graph::Heap;
use heapquarry_tables::FileId;
use heapquarry_timeline::{Events, SchedEvents, analyze, schedule};

/// Names as text, windows large and small.
pub(crate) fn snapshot_text(data: &[u8]) {
    alike(data, Names::Text, 1000);
}

/// Names as numbers, windows small and smaller.
pub(crate) fn snapshot_id(data: &[u8]) {
    alike(data, Names::Id, 5);
}

/// The survey counts what there is to read.
pub(crate) fn survey(data: &[u8]) {
    let survey = |window| heap::survey(&data, window).map_err(|error| error.to_string());
    let surveyed = survey(1000);
    assert_eq!(format!("{surveyed:?}"), format!("{:?}", survey(3)));
    let (Ok(surveyed), Ok(read)) = (surveyed, read(data, options(Names::Id, 1000))) else { return };
    let odd = [Code::DuplicateSection, Code::Malformed, Code::Truncated];
    if read.log.iter().any(|entry| odd.contains(&entry.code)) {
        return;
    }
    assert!(surveyed.complete);
    for section in surveyed.sections {
        let end = section.offset + section.bytes;
        assert!(end <= ByteOffset(data.len() as u64), "{section:?}");
        let table = match section.name.as_str() {
            "nodes" => "js_heap_nodes",
            "edges" => "js_heap_edges",
            "strings" => "js_heap_string",
            "locations" => "js_heap_location",
            "samples" => "js_heap_sample",
            "trace_function_infos" => "js_heap_trace_function_info",
            "trace_tree" => "js_heap_trace_node",
            "scopes" => "js_heap_scope",
            "scope_context_vars" => "js_heap_scope_context_var",
            "scope_uses" => "js_heap_scope_use",
            _ => continue,
        };
        let batches = read.batches.iter().filter(|(name, _)| *name == table);
        let read: u64 = batches.map(|(_, batch)| batch.num_rows() as u64).sum();
        if let Some(records) = section.records {
            assert_eq!(records, read, "{section:?}");
        }
    }
}

/// More bytes never change what fewer told.
pub(crate) fn sniff(data: &[u8]) {
    let mut told = Sniff::More;
    for end in 0..=data.len().min(200) {
        let tells = heap::sniff(&data[..end]);
        assert!(told == Sniff::More || tells == told, "{told:?}, but with {end} bytes {tells:?}");
        told = tells;
    }
}

/// A profile of any kind, windows large and small.
pub(crate) fn profile(data: &[u8]) {
    let _ = heapquarry_formats::sniff(&data).expect("memory can be read");
    fn both<R: Reader>(reader: impl Fn(usize) -> Result<R, Error>) {
        let read = |window| profile_rows(reader(window).expect("memory can be read"));
        assert!(read(1000) == read(2), "windows of 1000 and 2 differ");
    }
    both(|window| {
        CpuProfile::new(&data, ByteOffset::START, FileId(0), "fuzz", &read_options(window))
    });
    both(|window| {
        HeapProfile::new(&data, ByteOffset::START, FileId(0), "fuzz", &read_options(window))
    });
    both(|window| SelfProfiles::new(&data, FileId(0), "fuzz", &read_options(window)));
}

/// A pprof profile, windows large and small.
pub(crate) fn pprof(data: &[u8]) {
    let _ = heapquarry_formats::sniff(&data).expect("memory can be read");
    let read = |window| profile_rows(Pprof::new(&data, FileId(0), "fuzz", &read_options(window)));
    assert!(read(1000) == read(2), "windows of 1000 and 2 differ");
}

/// A heap snapshot of JavaScriptCore, windows large and small, with its analysis.
pub(crate) fn jsc(data: &[u8]) {
    let _ = heapquarry_formats::sniff(&data).expect("memory can be read");
    let read = |window| {
        let snapshot = jsc::Snapshot::new(&data, FileId(0), "fuzz", &read_options(window));
        all_rows(snapshot.expect("memory can be read"))
    };
    assert!(read(1000) == read(2), "windows of 1000 and 2 differ");
}

/// Batches by table, and what is said of each document.
type ProfileRows = (Vec<(&'static str, RecordBatch)>, Vec<(Status, Vec<Entry>)>);

fn profile_rows<R: Reader>(reader: R) -> ProfileRows {
    all_rows(reader).0
}

/// All rows, and what the events of a trace mean, or how far and how large the nodes of a heap are.
fn all_rows<R: Reader>(reader: R) -> (ProfileRows, Option<String>) {
    let mut batches = Vec::new();
    let finished = read_all(reader, |table, batch| {
        batches.push((table.name, table.expand(&batch).expect("little text")));
        Ok::<_, Error>(())
    });
    // Between tables the order may be another.
    batches.sort_by_key(|(name, _)| *name);
    let Finished { documents, gathered, .. } = finished.expect("memory can be read");
    let documents = documents.into_iter();
    let logs = documents.map(|summary| (summary.status, summary.log.into_entries())).collect();
    ((batches, logs), gathered.map(meaning))
}

/// What was gathered, as the analysis understands it.
fn meaning(gathered: Gathered) -> String {
    match gathered {
        Gathered::Trace(parts) => means(parts.events, parts.scheduled),
        Gathered::Heap(parts) => {
            let heap = Heap::new(*parts, 1);
            let analysis = heapquarry_graph::analyze(&heap, 1);
            format!("{:?} {:?}", analysis.distances, analysis.retained_sizes)
        }
    }
}

fn read_options(window: usize) -> ReadOptions {
    ReadOptions::default().row_group_rows(9).window(window).gather(Gather::Always)
}

/// A trace with the text in it, windows large and small, with all that its events mean.
pub(crate) fn trace(data: &[u8]) {
    let read = |window| {
        let document =
            trace::Document::new(&data, ByteOffset::START, FileId(0), &read_options(window));
        all_rows(document.expect("memory can be read"))
    };
    assert!(read(1000) == read(2), "windows of 1000 and 2 differ");
}

/// Ftrace text, on its own and in a string, windows large and small, with all that it tells.
pub(crate) fn ftrace(data: &[u8]) {
    let read = |window| {
        let alone = Ftrace::new(&data, FileId(0), &read_options(window));
        let text = Within { offset: ByteOffset(1), ..Within::default() };
        let within = Ftrace::within(&data, FileId(0), &text, &read_options(window));
        [alone, within].map(|ftrace| all_rows(ftrace.expect("memory can be read")))
    };
    assert!(read(1000) == read(2), "windows of 1000 and 2 differ");
}

/// What events mean, as text.
fn means(events: Events, scheduled: SchedEvents) -> String {
    let timeline = analyze(events, 2);
    let schedule = schedule(scheduled, |state| state.0.is_multiple_of(2));
    let rows: Vec<_> = (0..schedule.slices()).map(|at| schedule.slice(at)).collect();
    let states: Vec<_> = (0..schedule.states()).map(|at| schedule.state(at)).collect();
    let lanes = (&timeline.processes.threads, &timeline.processes.processes);
    format!(
        "{:?} {:?} {:?} {:?} {:?} {lanes:?} {rows:?} {states:?}",
        timeline.slices, timeline.async_slices, timeline.flows, timeline.objects, timeline.issues,
    )
}

/// What reading gives.
#[derive(Debug, PartialEq)]
struct Reading {
    batches: Vec<(&'static str, RecordBatch)>,
    log: Vec<Entry>,
    status: Status,
    counts: Vec<(&'static str, u64)>,
    meaning: Option<String>,
}

fn options(names: Names, window: usize) -> ReadOptions {
    read_options(window).names(names)
}

fn read(data: &[u8], options: ReadOptions) -> Result<Reading, String> {
    let mut batches = Vec::new();
    let finished = Snapshot::new(&data, FileId(0), "fuzz", &options).and_then(|snapshot| {
        read_all(snapshot, |table, batch| {
            batches.push((table.name, table.expand(&batch).expect("little text")));
            Ok::<_, Error>(())
        })
    });
    let Finished { mut documents, gathered, .. } = finished.map_err(|error| error.to_string())?;
    let summary = documents.remove(0);
    let (log, status, counts) = (summary.log.into_entries(), summary.status, summary.counts);
    Ok(Reading { batches, log, status, counts, meaning: gathered.map(meaning) })
}

fn alike(data: &[u8], names: Names, window: usize) {
    let (large, small) = (read(data, options(names, window)), read(data, options(names, 2)));
    // Not assert_eq!, which would print both.
    assert!(large == small, "windows of {window} and 2 differ");
    let misplaced = "the strings are not where they were looked for";
    assert!(large.as_ref().err().is_none_or(|error| error != misplaced));
    let from_end = read(data, options(names, window).locate(Locate::FromEnd));
    let as_walked = from_end == large || from_end.is_err_and(|error| error == misplaced);
    assert!(as_walked, "with strings from the end it differs");
}
