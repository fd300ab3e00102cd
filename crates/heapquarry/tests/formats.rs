//! Profiles, traces and containers through the library, against a naive reading of the same JSON.

mod common;

use arrow_array::{Array, RecordBatch, cast::AsArray, types::Int64Type};
use common::{Tables, corpus, read};
use flate2::read::GzDecoder;
use heapquarry::{BatchOptions, Fact, RunOptions, Source, Status, extract, info};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read, Write},
    path::Path,
};

fn rows(source: impl Into<Source>) -> (Tables, Vec<heapquarry::Document>) {
    read(source.into(), &BatchOptions::default()).unwrap()
}

fn int64(batch: &RecordBatch, column: &str) -> Vec<Option<i64>> {
    batch[column].as_primitive::<Int64Type>().iter().collect()
}

/// The JSON of a file, packed or not.
fn json(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    let mut text = Vec::new();
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => drop(GzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap()),
        false => text = bytes,
    }
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn cpu_profiles_have_the_nodes_and_times_of_their_json() {
    for name in ["node8", "node12", "node18", "node26", "current"] {
        let path = corpus().join(format!("profiles/{name}.cpuprofile"));
        let (tables, documents) = rows(&path);
        let profile = json(&path);
        let nodes = profile["nodes"].as_array().unwrap();
        assert_eq!(tables["js_cpu_profiler_node"].num_rows(), nodes.len(), "{name}");
        let samples = profile["samples"].as_array().map_or(0, Vec::len);
        assert_eq!(documents[0].counts[1], ("samples", samples as u64), "{name}");
        let mut hits: Vec<i64> = nodes.iter().filter_map(|n| n["hitCount"].as_i64()).collect();
        let found = int64(&tables["js_cpu_profiler_node"], "hit_count");
        let mut found: Vec<i64> = found.into_iter().flatten().collect();
        hits.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, hits, "{name}");
        assert_eq!(documents[0].status, Status::Complete, "{name}");
    }
}

#[test]
fn heap_profiles_have_the_sizes_of_their_json() {
    for name in ["node8", "node12", "node26", "no-ids"] {
        let path = corpus().join(format!("profiles/{name}.heapprofile"));
        let (tables, _) = rows(&path);
        let mut expected = Vec::new();
        let profile = json(&path);
        let mut open = vec![&profile["head"]];
        while let Some(node) = open.pop() {
            expected.push(node["selfSize"].as_i64());
            open.extend(node["children"].as_array().into_iter().flatten());
        }
        let mut found = int64(&tables["js_heap_sampling_node"], "self_size");
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn traces_have_the_events_of_their_json() {
    for name in ["node18", "node26", "tsc", "chromium"] {
        let path = corpus().join(format!("traces/{name}.trace.json.gz"));
        let (tables, documents) = rows(&path);
        let trace = json(&path);
        let events = trace.as_array().or_else(|| trace["traceEvents"].as_array()).unwrap();
        let mut phases = BTreeMap::<&str, usize>::new();
        for event in events {
            *phases.entry(event["ph"].as_str().unwrap_or_default()).or_default() += 1;
        }
        let found = &tables["trace_event"];
        assert_eq!(found.num_rows(), events.len(), "{name}");
        let phases_found = texts(&found["ph"]);
        let mut counted = BTreeMap::<&str, usize>::new();
        phases_found.iter().for_each(|phase| *counted.entry(phase).or_default() += 1);
        assert_eq!(counted, phases, "{name}");
        // Each complete event is a slice, and each end closes one.
        let expected = phases.get("X").copied().unwrap_or(0);
        let slices = tables.get("slice").map_or(0, RecordBatch::num_rows);
        let begins = phases.get("B").copied().unwrap_or(0);
        assert!((expected..=expected + begins).contains(&slices), "{name}: {slices} slices");
        assert_eq!(documents[0].counts[0], ("events", events.len() as u64), "{name}");
    }
}

/// `info` wants no rows, but their numbers. What a caller wants of a trace does not change what it gets of the text in
/// it: their clock comes from events that it may not want.
#[test]
fn info_has_the_numbers_of_what_is_read() {
    let ftrace = "# tracer: nop\n app-77 [000] .... 1.000000: tracing_mark_write: B|77|a\n \
        app-77 [000] .... 1.000001: tracing_mark_write: E|77\n";
    let ftrace = ftrace.to_owned()
        + " app-77 [000] .... 1.000002: tracing_mark_write: trace_event_clock_sync: name=x\n";
    let within = format!(
        r#"{{"traceEvents":[{{"ph":"c","name":"clock_sync","ts":9,"args":{{"sync_id":"x","issue_ts":8}}}}],"systemTraceEvents":{ftrace:?}}}"#
    );
    let mut sources = vec![
        Source::bytes("two.ftrace", ftrace.as_bytes().to_vec()),
        Source::bytes("within.json", within.into_bytes()),
    ];
    let names = ["irq-info", "legacy", "odd", "script", "tgid"];
    let files = names.map(|name| corpus().join(format!("ftrace/{name}.ftrace")));
    sources.extend(files.into_iter().map(Source::from));
    for source in sources {
        let (tables, documents) = rows(source.clone());
        let contents = info(&source, &RunOptions::default()).unwrap();
        let some = BatchOptions::default().columns(vec!["ftrace_event.ts".into()]);
        let (wanted, _) = read(source.clone(), &some).unwrap();
        let times = int64(&wanted["ftrace_event"], "ts");
        assert_eq!(times, int64(&tables["ftrace_event"], "ts"), "{source}");
        if source.to_string() == "within.json" {
            assert_eq!(times.last(), Some(&Some(8_000)), "the clock of the trace");
        }
        let events = tables["ftrace_event"].num_rows() as u64;
        assert!(events > 0, "{source}");
        assert_eq!(contents.facts["ftrace_events"], Fact::Count(Some(events)), "{source}");
        for (what, count) in &documents[0].counts {
            assert_eq!(contents.facts[*what], Fact::Count(Some(*count)), "{source}: {what}");
        }
    }
}

/// The texts of a column of labels or of text.
fn texts(column: &dyn Array) -> Vec<String> {
    match column.as_dictionary_opt::<arrow_array::types::Int32Type>() {
        Some(labels) => {
            let names = labels.values().as_string::<i32>();
            let text = |key: Option<i32>| key.map_or("", |key| names.value(key as usize)).into();
            labels.keys().iter().map(text).collect()
        }
        None => column.as_string::<i32>().iter().map(|t| t.unwrap_or("").into()).collect(),
    }
}

/// A zip archive of files of the corpus.
fn archive(files: &[&str]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for name in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(corpus().join(name)).unwrap()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const ARCHIVED: [&str; 3] =
    ["handmade/bun.heapsnapshot", "profiles/node12.cpuprofile", "traces/tsc.trace.json.gz"];

#[test]
fn documents_of_an_archive_have_the_rows_of_their_files() {
    let source = || Source::bytes("all.zip", archive(&ARCHIVED));
    let (_, documents) = rows(source());
    let formats: Vec<_> = documents.iter().map(|d| (&*d.format, d.index)).collect();
    let expected = [("heapsnapshot", 0), ("cpuprofile", 1), ("trace", 2)];
    let mut expected = expected.map(|(format, index)| (format, Some(index))).to_vec();
    expected.push(("zip", None));
    assert_eq!(formats, expected);
    for (number, name) in ARCHIVED.iter().enumerate() {
        let (mut found, _) = rows(source().document(number));
        let (mut alone, _) = rows(corpus().join(name));
        for tables in [&mut found, &mut alone] {
            // They hold names, which an archive gives with folders.
            tables.retain(|table, _| *table != "source" && !table.ends_with("_files"));
        }
        assert_eq!(found, alone, "{name}");
    }
    let contents = info(&source(), &RunOptions::default()).unwrap();
    assert_eq!(contents.documents.len(), 3);
    assert!(contents.complete);
}

#[test]
fn extracted_documents_are_byte_for_byte_those_of_the_archive() {
    let dir = tempfile::tempdir().unwrap();
    let source = Source::bytes("all.zip", archive(&ARCHIVED[..2]));
    let paths = extract(&source, dir.path(), false, &RunOptions::default()).unwrap().paths;
    assert_eq!(paths.len(), 2);
    for (path, name) in paths.iter().zip(ARCHIVED) {
        assert_eq!(fs::read(path).unwrap(), fs::read(corpus().join(name)).unwrap(), "{name}");
    }
}

/// What DevTools sends of a heap: JSON in strings of JSON, in pieces that end anywhere.
#[test]
fn a_heap_in_messages_has_the_rows_of_its_file() {
    let path = corpus().join("handmade/strings-of-every-kind.heapsnapshot");
    let text = fs::read_to_string(&path).unwrap();
    let mut messages = String::new();
    let (mut rest, mut size) = (text.as_str(), 1);
    while !rest.is_empty() {
        let mut end = rest.len().min(size);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (chunk, others) = rest.split_at(end);
        let message = serde_json::json!({
            "method": "HeapProfiler.addHeapSnapshotChunk", "params": {"chunk": chunk},
        });
        messages += &format!("{message}\n");
        (rest, size) = (others, size * 2 % 1009 + 1);
    }
    let (mut found, documents) = rows(Source::bytes("messages.json", messages.into_bytes()));
    assert_eq!(documents.last().unwrap().format, "devtools");
    let (mut alone, _) = rows(&path);
    for tables in [&mut found, &mut alone] {
        tables.retain(|table, _| *table != "source" && !table.ends_with("_files"));
    }
    assert_eq!(found, alone);
}
