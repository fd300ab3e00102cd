//! Batches are pulled: their order does not depend on threads, those that nobody wants are not made, and dropping them
//! ends the work.

mod common;

use arrow_array::RecordBatchReader;
use common::{corpus, inputs, read};
use heapquarry::{
    BatchOptions, Cancel, ConvertOptions, Error, ErrorKind, Progress, RunOptions, Source, batches,
    convert, reader, recognise,
};
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

const SNAPSHOT: &str = "node22.heapsnapshot.gz";

fn options(threads: usize) -> BatchOptions {
    BatchOptions::default().batch_rows(500).run(RunOptions::default().threads(threads))
}

#[test]
fn the_order_of_batches_does_not_depend_on_threads() {
    for path in inputs() {
        let rows = |threads| -> Result<Vec<_>, String> {
            let all = batches(&[&path], &options(threads)).unwrap();
            let text = |item: Result<(&heapquarry::tables::Table, _), Error>| {
                item.map(|(table, batch)| (table.name, batch)).map_err(|e| e.to_string())
            };
            all.map(text).collect()
        };
        let expected = rows(1);
        for threads in [2, 5] {
            let found = rows(threads);
            let order = |rows: &Result<Vec<(&str, _)>, String>| -> Vec<String> {
                let rows = rows.as_ref().map(|rows: &Vec<(&str, arrow_array::RecordBatch)>| {
                    rows.iter()
                        .map(|(table, batch)| format!("{table}: {}", batch.num_rows()))
                        .collect()
                });
                rows.unwrap_or_else(|error| vec![error.clone()])
            };
            assert_eq!(order(&found), order(&expected), "{}, {threads} threads", path.display());
            assert!(found == expected, "{}, {threads} threads", path.display());
        }
    }
}

/// Counts claims, and the bytes that were read for them.
#[derive(Default)]
struct Claimed {
    claims: AtomicU64,
    bytes: AtomicU64,
}

impl Progress for Claimed {
    fn advance(&self, bytes: u64) {
        self.claims.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[test]
fn nothing_is_read_far_ahead_of_a_consumer_that_sleeps() {
    const AHEAD: u64 = 2;
    /// More than 500 nodes of this snapshot take.
    const BYTES_OF_CLAIM: u64 = 16_000;
    for threads in 1..=3 {
        let claimed = Arc::new(Claimed::default());
        let run = RunOptions::default().threads(threads).progress(claimed.clone());
        let ahead = Some(AHEAD as usize);
        let options = options(threads).run(run).names(heapquarry::Names::Id).ahead(ahead);
        let mut all = batches(&[corpus().join(SNAPSHOT)], &options).unwrap();
        all.next().unwrap().unwrap();
        // However long it sleeps, what is claimed stays what the first batches need.
        let mut claims = 0;
        while claims != claimed.claims.load(Ordering::Relaxed) {
            claims = claimed.claims.load(Ordering::Relaxed);
            thread::sleep(Duration::from_millis(50));
        }
        let bytes = claimed.bytes.load(Ordering::Relaxed);
        let rest = all.filter(Result::is_ok).count();
        assert!(rest > 100, "{rest}");
        // The batch that was pulled, those that wait, and one of each worker.
        let threads = threads as u64;
        assert!(claims <= 1 + AHEAD + threads, "{claims} claims, {threads} threads");
        // A claim that is longer than predicted reads a whole window: the first one, and one of each worker.
        let windows = (1 + threads) * heapquarry_formats::WINDOW as u64;
        assert!(bytes < windows + claims * BYTES_OF_CLAIM, "{bytes} bytes, {threads} threads");
    }
}

/// The bytes of each document, and how many of them were claimed.
#[derive(Default)]
struct Documents(Mutex<Vec<(u64, u64)>>);

impl Progress for Documents {
    fn begin(&self, _: &str, bytes: u64) {
        self.0.lock().unwrap().push((bytes, 0));
    }

    fn advance(&self, bytes: u64) {
        self.0.lock().unwrap().last_mut().unwrap().1 += bytes;
    }
}

#[test]
fn progress_ends_at_the_size_of_the_document() {
    for path in inputs() {
        let documents = Arc::new(Documents::default());
        let run = RunOptions::default().threads(2).progress(documents.clone());
        let Ok(mut all) = batches(&[&path], &options(2).run(run)) else { continue };
        let is_whole = all.all(|batch| batch.is_ok());
        let documents = documents.0.lock().unwrap();
        assert!(
            !is_whole || documents.iter().all(|(bytes, claimed)| bytes == claimed),
            "{}: {documents:?}",
            path.display()
        );
    }
}

#[test]
fn dropping_ends_the_work() {
    for path in [SNAPSHOT, "handmade/v8-timeline.heaptimeline"].map(|name| corpus().join(name)) {
        for pulled in 0..5 {
            let mut all = batches(&[&path], &options(4)).unwrap();
            assert_eq!(all.by_ref().take(pulled).filter(Result::is_ok).count(), pulled);
            // It returns when all threads have ended.
            drop(all);
        }
    }
}

#[test]
fn cancelling_is_the_last_item() {
    let cancel = Cancel::new();
    let options = options(2).run(RunOptions::default().threads(2).cancel(cancel.clone()));
    let mut all = batches(&[corpus().join(SNAPSHOT)], &options).unwrap();
    all.next().unwrap().unwrap();
    cancel.cancel();
    let error = all.by_ref().find_map(Result::err).expect("it was cancelled");
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
    assert!(all.next().is_none());
}

#[test]
fn what_cannot_be_read_is_the_last_item() {
    let cut = Source::bytes("a.json", b"nothing that is known".to_vec());
    let mut all = batches(&[cut], &BatchOptions::default()).unwrap();
    let error = all.next().unwrap().unwrap_err().to_string();
    assert!(error.contains("unknown format (a.json, byte 0): expected "), "{error}");
    assert!(all.next().is_none());
}

#[test]
fn columns_that_are_wanted_are_those_of_the_whole() {
    let columns = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    for name in [SNAPSHOT, "handmade/bun.heapsnapshot", "handmade/v8-timeline.heaptimeline"] {
        let source = || Source::path(corpus().join(name));
        let (whole, _) = read(source(), &options(2)).unwrap();
        for wanted in [
            &["js_heap_nodes.id", "js_heap_nodes.self_size"][..],
            &["js_heap_nodes.name"],
            &["js_heap_edges.to_node_id"],
            &["js_heap_edges.from_node_id", "js_heap_edges.name", "js_heap_nodes.type"],
            &["js_heap_string.string", "js_heap_location.line_number"],
        ] {
            let some = options(2).columns(columns(wanted));
            let (found, _) = read(source(), &some).unwrap();
            let mut expected = whole.clone();
            expected.retain(|table, _| wanted.iter().any(|w| w.starts_with(&format!("{table}."))));
            for (table, batch) in &mut expected {
                let positions: Vec<usize> = (0..batch.num_columns())
                    .filter(|&at| {
                        let name = format!("{table}.{}", batch.schema().field(at).name());
                        wanted.contains(&name.as_str())
                    })
                    .collect();
                *batch = batch.project(&positions).unwrap();
            }
            assert_eq!(found, expected, "{name}: {wanted:?}");
        }
    }
    for (wrong, message) in [
        ("js_heap_nodes", "invalid column (\"js_heap_nodes\"): expected TABLE.COLUMN"),
        ("js_heap_nodes.size", "unknown column (\"js_heap_nodes.size\"): expected file_id, "),
        ("js_heap.id", "unknown table (\"js_heap\"): expected "),
    ] {
        let some = options(1).columns(columns(&[wrong]));
        let error = batches(&["x"], &some).map(drop).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn converted_columns_are_those_that_were_named() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("tables");
    let columns = ["js_heap_nodes.id", "js_heap_nodes.self_size"].map(String::from);
    let options = ConvertOptions::default().columns(columns.to_vec());
    let written = convert(&[corpus().join(SNAPSHOT)], &output, &options).unwrap();
    let names: Vec<_> = written.tables.iter().map(|table| table.table.name).collect();
    assert_eq!(names, ["source", "import_log", "js_heap_nodes"]);
    let (stored, _) =
        read(Source::path(&output), &BatchOptions::default().columns(columns.to_vec())).unwrap();
    let (whole, _) = read(
        Source::path(corpus().join(SNAPSHOT)),
        &BatchOptions::default().columns(columns.to_vec()),
    )
    .unwrap();
    assert_eq!(stored, whole);
}

#[test]
fn one_table_is_a_reader_of_its_plain_schema() {
    let source = corpus().join(SNAPSHOT);
    let table = heapquarry::table("js_heap_nodes").unwrap();
    let nodes = reader(&[&source], "js_heap_nodes", &options(2)).unwrap();
    assert_eq!(nodes.schema(), table.schema());
    let (whole, _) = read(Source::path(&source), &options(1)).unwrap();
    let batches: Vec<_> = nodes.collect::<Result<_, _>>().unwrap();
    let joined = arrow_select::concat::concat_batches(&table.schema(), &batches).unwrap();
    assert_eq!(joined, whole["js_heap_nodes"]);
    let error = reader(&[&source], "js_heap_node", &options(1)).map(drop).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoTable(_)), "{error}");
}

#[test]
fn what_a_reader_logs_is_what_is_logged_of_everything() {
    let mut logged = 0;
    let small = |path: &PathBuf| path.metadata().unwrap().len() < 100_000;
    for path in inputs().into_iter().filter(small) {
        for table in ["import_log", "source"] {
            let all = batches(&[&path], &options(2).plain(true).tables(every_table())).unwrap();
            let Ok(all) = all.collect::<Result<Vec<_>, _>>() else { continue };
            let rows = all.into_iter().filter(|(t, _)| t.name == table).map(|(_, batch)| batch);
            let expected: Vec<_> = rows.collect();
            let found = reader(&[&path], table, &options(2)).unwrap();
            assert_eq!(found.collect::<Result<Vec<_>, _>>().unwrap(), expected, "{path:?} {table}");
            logged += usize::from(table == "import_log" && !expected.is_empty());
        }
    }
    assert!(logged > 3, "{logged}");
}

fn every_table() -> Vec<String> {
    let analysis = heapquarry::tables::JS_HEAP_ANALYSIS_TABLES;
    let all = heapquarry::tables::all().filter(|table| !analysis.contains(table));
    all.map(|table| table.name.into()).collect()
}

#[test]
fn who_waits_learns_when_there_is_something_to_pull() {
    // Nothing can be ready before its only byte is read.
    let (send, receive) = std::sync::mpsc::channel();
    let input = Source::stream("later.heapsnapshot", Late(receive));
    let mut batches = batches(&[input], &options(1)).unwrap();
    assert!(!batches.wait(Duration::from_millis(1)));
    drop(send);
    while !batches.wait(Duration::from_secs(1)) {}
    assert!(batches.next().unwrap().is_err());
    assert!(batches.wait(Duration::ZERO) && batches.next().is_none());
}

/// A stream that ends when its sender is gone.
struct Late(std::sync::mpsc::Receiver<()>);

impl std::io::Read for Late {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        let _ = self.0.recv();
        Ok(0)
    }
}

#[test]
fn what_an_input_is_recognised_as_is_what_is_converted() {
    let dir = tempfile::tempdir().unwrap();
    for (number, path) in inputs().into_iter().enumerate() {
        let run = RunOptions::default().threads(2);
        let recognised = recognise(&Source::path(&path), &run);
        let out = dir.path().join(number.to_string());
        let options = ConvertOptions::default().analyze(true).run(run);
        let Ok(converted) = convert(&[&path], out, &options) else { continue };
        let recognised = recognised.unwrap();
        let mut names: Vec<_> = recognised.tables.iter().map(|table| table.name).collect();
        let mut written: Vec<_> = converted.tables.iter().map(|table| table.table.name).collect();
        names.sort_unstable();
        written.sort_unstable();
        assert_eq!(names, written, "{path:?}");
    }
}
