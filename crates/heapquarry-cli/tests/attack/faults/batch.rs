//! A batch fails or dies before a call, and is started again: then each input is there once, with the same rows.

use super::{
    EIO, ENOSPC, KILL, runs,
    scenario::{Fault, calls, sample, shim, start},
};
use parquet::file::reader::SerializedFileReader;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::UNIX_EPOCH,
};

const TABLES: &[&str] = &["convert", "-q", "--batch", "in", "--jobs", "2"];
const SUMMARY: &[&str] = &["convert", "-q", "--batch", "in", "--jobs", "2", "--keep", "summary"];

const INPUTS: [&str; 6] = [
    "bun.heapsnapshot",
    "v8-timeline.heaptimeline",
    "julia-1.11.heapsnapshot",
    "v8-2026-scopes.heapsnapshot",
    "ark-7.0.heapsnapshot",
    "strings-first.heapsnapshot",
];

/// The rows of all tables, with the input in place of the number of the document; sorted.
type Rows = BTreeMap<String, Vec<String>>;

fn inputs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    fs::create_dir(dir.path().join("in")).unwrap();
    for name in INPUTS {
        let to = dir.path().join("in").join(name);
        fs::copy(corpus.join(name), &to).unwrap();
        // Tables tell when a file was written.
        fs::File::options().append(true).open(&to).unwrap().set_modified(UNIX_EPOCH).unwrap();
    }
    dir
}

fn rows(out: &Path) -> Rows {
    let names = |folder: &Path| {
        let names = fs::read_dir(folder).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<_>>()
    };
    let read = |table: &str, part: &str| {
        let file = fs::File::open(out.join(table).join(part).join("part-0.parquet")).unwrap();
        let rows = SerializedFileReader::new(file).unwrap().into_iter().map(|row| {
            let row = row.unwrap();
            let fields = row.get_column_iter().map(|(name, field)| format!("{name}: {field}"));
            fields.collect::<Vec<_>>()
        });
        rows.collect::<Vec<_>>()
    };
    let mut sources = BTreeMap::new();
    for part in names(&out.join("source")) {
        for row in read("source", &part) {
            sources.insert((part.clone(), row[0].clone()), row[1].clone());
        }
    }
    let mut rows = Rows::new();
    for table in names(out) {
        if table.starts_with('_') {
            let ours = ["_batch.json", "_done", "_log", "_lock"];
            assert!(ours.contains(&table.as_str()), "{table} is left");
            continue;
        }
        let of_table = rows.entry(table.clone()).or_default();
        for part in names(&out.join(&table)) {
            for row in read(&table, &part) {
                let source = &sources[&(part.clone(), row[0].clone())];
                of_table.push(source.clone() + &row[1..].join(", "));
            }
        }
        of_table.sort();
    }
    rows
}

fn started_again(args: &[&str], whats: &[&str]) {
    if shim().is_none() {
        return;
    }
    let dir = inputs();
    let whole = start_without_faults(dir.path(), args);
    assert!(whole.len() > 5 && whole["source"].len() == INPUTS.len());
    fs::remove_dir_all(dir.path().join("out")).unwrap();
    let (calls, _) = calls(dir.path(), args);
    assert!(calls.len() > 100, "the calls are not seen");
    let numbers: Vec<usize> = sample(calls.len(), runs() / 4).collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
            let what = whats[number % whats.len()];
            let dir = inputs();
            let code = start(dir.path(), args, &[Fault::any(number, what)]).code;
            let is_expected = match what {
                KILL => code.is_none_or(|code| code == 0),
                _ => code.is_some_and(|code| [0, 2, 3].contains(&code)),
            };
            if !is_expected || start_without_faults(dir.path(), args) != whole {
                failures.lock().unwrap().push((number, what, code));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    assert!(failures.lock().unwrap().is_empty(), "{failures:?}");
}

/// Runs until nothing is left to do, and reads the rows.
fn start_without_faults(dir: &Path, args: &[&str]) -> Rows {
    let outcome = start(dir, args, &[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let log = fs::read_to_string(dir.join("out/_log/inputs.jsonl")).unwrap();
    assert_eq!(log.matches("\"status\":\"done\"").count(), INPUTS.len(), "{log}");
    rows(&dir.join("out"))
}

#[test]
fn a_batch_of_tables_that_died_goes_on() {
    started_again(TABLES, &[KILL]);
}

#[test]
fn a_batch_of_summaries_that_died_goes_on() {
    started_again(SUMMARY, &[KILL]);
}

#[test]
fn a_batch_that_failed_goes_on() {
    started_again(SUMMARY, &[EIO, ENOSPC]);
}
