//! Batches: each input once, whatever the runs; rows as those of single conversions.

use heapquarry::{ConvertOptions, ErrorKind, RedactOptions, Redaction, RunOptions, convert};
use heapquarry_store::batch::{BatchInput, BatchOptions, Batched, Keep, SUMMARY_TABLES, batch};
use parquet::file::reader::SerializedFileReader;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

const HEAPS: [&str; 4] = [
    "handmade/bun.heapsnapshot",
    "handmade/v8-timeline.heaptimeline",
    "node24-numeric.heapsnapshot.gz",
    "handmade/ark-7.0.heapsnapshot",
];

/// A folder `in` with inputs of several kinds, two of which are none.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let to = dir.path().join("in/deep");
    fs::create_dir_all(&to).unwrap();
    for name in HEAPS {
        fs::copy(corpus.join(name), to.join(Path::new(name).file_name().unwrap())).unwrap();
    }
    let profile = corpus.join("profiles");
    let profile = fs::read_dir(profile).unwrap().map(|entry| entry.unwrap().path());
    let mut profiles: Vec<_> =
        profile.filter(|path| path.extension().is_some_and(|e| e == "cpuprofile")).collect();
    profiles.sort();
    fs::copy(&profiles[0], dir.path().join("in/bun.cpuprofile")).unwrap();
    fs::write(dir.path().join("in/notes.txt"), "no heap").unwrap();
    fs::write(to.join("cut.heapsnapshot"), "{\"snapshot\":{\"meta\":{\"node_fie").unwrap();
    dir
}

fn run(dir: &Path, options: &BatchOptions) -> Batched {
    let inputs = BatchInput::all(dir.join("in")).unwrap();
    batch(&inputs, dir.join("out"), options).unwrap()
}

fn summary() -> BatchOptions {
    BatchOptions::default().keep(Keep::Summary)
}

/// The rows of a file as text, without the first column, by the value of that.
fn rows(file: &Path) -> BTreeMap<String, Vec<String>> {
    let mut rows = BTreeMap::<_, Vec<_>>::new();
    for row in SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap() {
        let row = row.unwrap();
        let mut fields = row.get_column_iter().map(|(_, field)| field.to_string());
        let file_id = fields.next().unwrap();
        rows.entry(file_id).or_default().push(fields.collect::<Vec<_>>().join("|"));
    }
    rows
}

fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn failed_inputs_do_not_stop_the_others() {
    let dir = folder();
    let report = run(dir.path(), &BatchOptions::default().jobs("2".parse().ok()));
    assert_eq!((report.done, report.before, report.failed.len()), (5, 0, 2));
    let failed: Vec<_> = report.failed.iter().map(|f| f.error.to_string()).collect();
    assert!(failed[0].contains("cut.heapsnapshot") && failed[1].contains("notes.txt"));
    let out = dir.path().join("out");
    for table in ["source", "batch_input", "js_cpu_profiler_node", "js_heap_nodes"] {
        assert_eq!(names(&out.join(table)), ["source=pack.00000"], "{table}");
    }
    let ours: Vec<_> = names(&out).into_iter().filter(|name| name.starts_with('_')).collect();
    assert_eq!(ours, ["_batch.json", "_done", "_lock", "_log"]);
    let log = fs::read_to_string(out.join("_log/inputs.jsonl")).unwrap();
    let count = |status: &str| log.matches(&format!("\"status\":\"{status}\"")).count();
    assert_eq!((count("done"), count("failed"), log.lines().count()), (5, 2, 7));
}

/// Compares a pack with the conversions of its inputs, each by itself.
fn is_that_of_the_inputs(dir: &Path, batch: &BatchOptions, alone: &ConvertOptions) {
    let report = run(dir, batch);
    assert_eq!((report.done, report.failed.len()), (5, 2));
    let out = dir.join("out");
    let pack = |table: &str| out.join(table).join("source=pack.00000/part-0.parquet");
    assert_eq!(names(&out.join("source")), ["source=pack.00000"]);
    let (mut found, mut tables) = (0, BTreeSet::new());
    for (file_id, source) in rows(&pack("source")) {
        let path = PathBuf::from(source[0].split('|').next().unwrap().trim_matches('"'));
        let to = dir.join("alone");
        convert(&[&path], &to, &alone.clone().force(true)).unwrap();
        for name in names(&to).iter().filter(|name| name.ends_with(".parquet")) {
            let mut expected = rows(&to.join(name)).remove("0").unwrap_or_default();
            if batch.keep == Keep::Summary && name == "js_heap_duplicate_string.parquet" {
                expected.truncate(100);
            }
            let table = name.strip_suffix(".parquet").unwrap();
            let packed = rows(&pack(table)).remove(&file_id).unwrap_or_default();
            assert!(packed == expected, "{name} of {}", path.display());
            found += expected.len();
            tables.insert(table.to_owned());
        }
    }
    assert!(found > 400, "{found} rows");
    tables.insert("batch_input".into());
    let packed: BTreeSet<_> =
        names(&out).into_iter().filter(|name| !name.starts_with('_')).collect();
    assert_eq!(packed, tables);
}

#[test]
fn a_pack_of_summaries_has_the_rows_of_all_inputs() {
    let tables = SUMMARY_TABLES.iter().map(|table| table.name.to_owned()).collect();
    let alone = ConvertOptions::default().analyze(true).tables(tables);
    is_that_of_the_inputs(folder().path(), &summary(), &alone);
}

#[test]
fn a_pack_of_tables_has_the_rows_of_all_inputs() {
    // Row groups of that many rows are copied, those of few rows are not.
    for row_group_rows in [1000, 128 << 10] {
        let alone = ConvertOptions::default().row_group_rows(row_group_rows);
        let batch = BatchOptions::default().convert(alone.clone());
        is_that_of_the_inputs(folder().path(), &batch, &alone);
    }
}

#[test]
fn an_input_that_needs_the_memory_of_all_jobs_is_converted_alone() {
    // A heap of 62,767 nodes and 273,189 edges takes 6.7 MB.
    for (memory, failed) in [(None, 2), (Some(10_000_000), 2), (Some(6_000_000), 3)] {
        let dir = folder();
        let convert = ConvertOptions::default().run(RunOptions::default().memory(memory));
        let report = run(dir.path(), &summary().convert(convert).jobs(NonZero::new(4)));
        let errors: Vec<_> = report.failed.iter().map(|failed| failed.error.to_string()).collect();
        assert_eq!(errors.len(), failed, "{memory:?}: {errors:?}");
        let refused = errors.iter().any(|error| error.contains("the limit is 6000000 bytes"));
        assert_eq!(refused, failed == 3, "{memory:?}: {errors:?}");
    }
}

#[test]
fn a_redacted_batch_has_the_rows_of_redacted_inputs() {
    let dir = folder();
    let options = |key: &[u8], deny: &[&str]| {
        fs::write(dir.path().join("key"), key).unwrap();
        let redact = RedactOptions::default()
            .key(Some(dir.path().join("key")))
            .deny(deny.iter().map(ToString::to_string).collect());
        let redaction = Redaction::new(&redact).unwrap();
        ConvertOptions::default().run(RunOptions::default().redaction(redaction))
    };
    let batch = |convert| BatchOptions::default().convert(convert);
    let alone = options(b"0123456789abcdef", &[]);
    is_that_of_the_inputs(dir.path(), &batch(alone.clone()), &alone);
    let strings = dir.path().join("out/js_heap_string/source=pack.00000/part-0.parquet");
    let strings = rows(&strings).into_values().flatten().collect::<String>();
    assert!(strings.contains("⟨str len="), "{strings}");
    // Another run goes on only with the same tokens.
    let inputs = BatchInput::all(dir.path().join("in")).unwrap();
    let run =
        |convert| heapquarry_store::batch::batch(&inputs, dir.path().join("out"), &batch(convert));
    assert_eq!(run(options(b"0123456789abcdef", &[])).unwrap().before, 5);
    for other in [
        ConvertOptions::default(),
        options(b"0123456789abcdeX", &[]),
        options(b"0123456789abcdef", &["x"]),
    ] {
        let error = run(other).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Destination { .. }), "{error}");
    }
}

#[test]
fn packs_do_not_depend_on_the_number_of_jobs() {
    for options in [BatchOptions::default(), summary()] {
        let (one, four) = (folder(), folder());
        // Paths are in the tables.
        let run = |dir: &Path, jobs: &str| {
            let inputs = BatchInput::all(one.path().join("in")).unwrap();
            batch(&inputs, dir.join("out"), &options.clone().jobs(jobs.parse().ok())).unwrap()
        };
        assert_eq!((run(one.path(), "1").done, run(four.path(), "4").done), (5, 5));
        let mut tables = names(&one.path().join("out"));
        tables.retain(|name| !name.starts_with('_'));
        assert!(tables.len() > 10);
        for table in tables {
            let file = |dir: &Path| {
                fs::read(dir.join("out").join(&table).join("source=pack.00000/part-0.parquet"))
            };
            assert!(file(one.path()).unwrap() == file(four.path()).unwrap(), "{table}");
        }
    }
}

#[test]
fn a_batch_knows_when_its_inputs_were_captured() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = dir.path().join("in");
    fs::create_dir(&inputs).unwrap();
    let recording = |start: &str| {
        format!(r#"{{"metadata":{{"source":"DevTools","startTime":{start:?}}},"traceEvents":[]}}"#)
    };
    let heap = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(HEAPS[0]);
    fs::copy(heap, inputs.join("a.heapsnapshot")).unwrap();
    fs::write(inputs.join("b.json"), recording("2026-11-20T06:07:08.123Z")).unwrap();
    fs::write(inputs.join("c.json"), recording("yesterday")).unwrap();
    for name in names(&inputs) {
        let file = fs::File::options().append(true).open(inputs.join(name)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_micros(1_000_001)).unwrap();
    }
    run(
        dir.path(),
        &BatchOptions::default()
            .convert(ConvertOptions::default().tables(vec!["js_heap_files".into()])),
    );
    let table = dir.path().join("out/batch_input/source=pack.00000/part-0.parquet");
    let rows: Vec<_> = rows(&table).into_values().flatten().collect();
    assert_eq!(
        rows,
        [
            "1970-01-01 00:00:01.000001 +00:00|\"file\"",
            "2026-11-20 06:07:08.123000 +00:00|\"input\"",
            "1970-01-01 00:00:01.000001 +00:00|\"file\""
        ]
    );
}

#[test]
fn a_run_converts_what_earlier_runs_have_not() {
    for options in [BatchOptions::default(), summary()] {
        let dir = folder();
        let (extra, list) = (dir.path().join("in/deep/bun.heapsnapshot"), dir.path().join("list"));
        fs::rename(&extra, dir.path().join("later")).unwrap();
        assert_eq!(run(dir.path(), &options).done, 4);
        let again = run(dir.path(), &options);
        // What failed is tried again.
        assert_eq!((again.done, again.before, again.failed.len()), (0, 4, 2));
        fs::rename(dir.path().join("later"), &extra).unwrap();
        fs::write(dir.path().join("in/notes.txt"), fs::read(&extra).unwrap()).unwrap();
        let later = run(dir.path(), &options);
        assert_eq!((later.done, later.before, later.failed.len()), (2, 4, 1));
        // Another file of a name that is taken; and one that is listed twice.
        let other = dir.path().join("bun.heapsnapshot");
        fs::copy(&extra, &other).unwrap();
        fs::write(&list, format!("{0}\n{0}\n", other.display())).unwrap();
        let inputs = BatchInput::all(&list).unwrap();
        assert_eq!(batch(&inputs, dir.path().join("out"), &options).unwrap().done, 1);
        let log = fs::read_to_string(dir.path().join("out/_log/inputs.jsonl")).unwrap();
        assert_eq!(log.matches("\"done\"").count(), 7, "{log}");
        // A run that has something to do writes a pack.
        let packs = names(&dir.path().join("out/source"));
        assert_eq!(packs, ["source=pack.00000", "source=pack.00001", "source=pack.00002"]);
    }
}

#[test]
fn labels_are_folders_with_batches_of_their_own() {
    let dir = folder();
    let label = |release: &str| summary().labels(vec![("release".into(), release.into())]);
    assert_eq!(run(dir.path(), &label("1")).done, 5);
    assert_eq!(run(dir.path(), &label("2")).done, 5);
    assert_eq!(run(dir.path(), &label("2")).before, 5);
    let out = dir.path().join("out");
    assert_eq!(names(&out.join("js_heap_class")), ["release=1", "release=2"]);
    let part = out.join("js_heap_class/release=2/source=pack.00000/part-0.parquet");
    assert_eq!(rows(&part).len(), 4);
    let inputs = BatchInput::all(dir.path().join("in")).unwrap();
    let refused = |options: &BatchOptions, why: &str| {
        let error = batch(&inputs, &out, options).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Destination { .. }), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    };
    refused(&summary(), "it was begun with labels [\"release\"]");
    let other = label("1").convert(ConvertOptions::default().row_group_rows(1000));
    refused(&other, "it was begun with row_group_rows 131072");
    refused(&label("1").keep(Keep::Tables), "it was begun with");
    fs::write(dir.path().join("alone"), "").unwrap();
    let error = batch(&inputs, dir.path(), &summary()).unwrap_err().to_string();
    assert!(error.contains("which no batch wrote"), "{error}");
}

#[test]
fn what_no_manifest_names_is_removed() {
    let dir = folder();
    let summary = summary();
    run(dir.path(), &summary);
    let out = dir.path().join("out");
    let part = |table: &str| out.join(table).join("source=pack.00000/part-0.parquet");
    let before = rows(&part("js_heap_class"));
    // Files of a run that died before it wrote their manifest.
    let stray = out.join("js_heap_class/source=pack.00001");
    fs::create_dir(&stray).unwrap();
    fs::copy(part("js_heap_class"), stray.join("part-0.parquet")).unwrap();
    fs::create_dir_all(out.join("_work/3")).unwrap();
    assert_eq!(run(dir.path(), &summary).before, 5);
    assert!(!stray.exists() && !out.join("_work").exists());
    // A manifest whose files are not there, as after a power failure.
    fs::remove_file(part("js_heap_class")).unwrap();
    let again = run(dir.path(), &summary);
    assert_eq!((again.done, again.before), (5, 0));
    assert!(rows(&part("js_heap_class")) == before);
}

#[test]
fn what_waits_is_packed_unless_another_version_or_system_wrote_it() {
    let version = concat!("\"heapquarry_version\": \"", env!("CARGO_PKG_VERSION"), "\"");
    let other = "\"heapquarry_version\": \"0.0.0\"";
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    let mut cases = vec![(version, boot.as_deref(), 1), (other, boot.as_deref(), 0)];
    if boot.is_some() {
        cases.extend([(version, Some("another"), 0), (version, None, 0)]);
    }
    for (written_by, boot, before) in cases {
        let dir = folder();
        // A run that has done nothing makes the folder.
        let nothing = BatchInput::all(dir.path().join("in/none*")).unwrap();
        batch(&nothing, dir.path().join("out"), &BatchOptions::default()).unwrap();
        let waits = dir.path().join("out/_pending/7");
        fs::create_dir(waits.parent().unwrap()).unwrap();
        if let Some(boot) = boot {
            fs::write(waits.with_file_name("boot"), boot).unwrap();
        }
        let input = dir.path().join("in/deep/bun.heapsnapshot");
        convert(&[input], &waits, &ConvertOptions::default()).unwrap();
        let manifest = waits.join("_manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        assert!(text.contains(version));
        fs::write(&manifest, text.replace(version, written_by)).unwrap();
        let report = run(dir.path(), &BatchOptions::default());
        assert_eq!((report.before, report.done), (before, 5 - before));
        let out = dir.path().join("out");
        let sources = rows(&out.join("source/source=pack.00000/part-0.parquet"));
        assert_eq!((sources.len(), out.join("_pending").exists()), (5, false));
    }
}

#[test]
fn a_batch_does_not_read_what_it_writes() {
    let dir = folder();
    let here = |options: &BatchOptions| {
        let inputs = BatchInput::all(dir.path().join("in")).unwrap();
        batch(&inputs, dir.path().join("in/out"), options).unwrap()
    };
    assert_eq!(here(&summary()).done, 5);
    let again = here(&summary());
    assert_eq!((again.done, again.before, again.failed.len()), (0, 5, 2));
}

#[test]
fn a_batch_that_is_cancelled_goes_on() {
    let dir = folder();
    let options = summary();
    options.convert.run.cancel.cancel();
    let inputs = BatchInput::all(dir.path().join("in")).unwrap();
    let error = batch(&inputs, dir.path().join("out"), &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
    assert_eq!(run(dir.path(), &summary()).done, 5);
}
