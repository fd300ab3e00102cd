//! Batches: each input once, whatever the runs; rows as those of single conversions.

use heapquarry::{
    ConvertOptions, ErrorKind,
    batch::{BatchInput, BatchOptions, Batched, Keep, SUMMARY_TABLES, batch},
    convert,
};
use parquet::file::reader::SerializedFileReader;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
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
fn each_input_has_the_files_of_its_own_conversion() {
    let dir = folder();
    let report = run(dir.path(), &BatchOptions::default().jobs("2".parse().ok()));
    assert_eq!((report.done, report.before, report.failed.len()), (5, 0, 2));
    let failed: Vec<_> = report.failed.iter().map(|f| f.error.to_string()).collect();
    assert!(failed[0].contains("cut.heapsnapshot") && failed[1].contains("notes.txt"));
    let out = dir.path().join("out");
    let expected = ["source=bun", "source=deep_ark-7", "source=deep_bun"];
    assert_eq!(names(&out.join("source"))[..3], expected);
    assert_eq!(names(&out.join("js_cpu_profiler_node")), ["source=bun"]);
    let ours: Vec<_> = names(&out).into_iter().filter(|name| name.starts_with('_')).collect();
    assert_eq!(ours, ["_batch.json", "_done", "_lock", "_log"]);
    let alone = dir.path().join("alone");
    convert(&[dir.path().join("in/deep/bun.heapsnapshot")], &alone, &ConvertOptions::default())
        .unwrap();
    let tables: Vec<_> =
        names(&alone).into_iter().filter(|name| name.ends_with(".parquet")).collect();
    assert!(tables.len() > 10, "{tables:?}");
    for name in tables {
        let table = name.strip_suffix(".parquet").unwrap();
        let in_batch = fs::read(out.join(table).join("source=deep_bun/part-0.parquet"));
        assert!(in_batch.unwrap() == fs::read(alone.join(&name)).unwrap(), "{name}");
    }
    let log = fs::read_to_string(out.join("_log/inputs.jsonl")).unwrap();
    let count = |status: &str| log.matches(&format!("\"status\":\"{status}\"")).count();
    assert_eq!((count("done"), count("failed"), log.lines().count()), (5, 2, 7));
}

#[test]
fn a_pack_has_the_rows_of_all_inputs() {
    let dir = folder();
    let report = run(dir.path(), &summary());
    assert_eq!((report.done, report.failed.len()), (5, 2));
    let out = dir.path().join("out");
    let pack = |table: &str| out.join(table).join("source=pack.00000/part-0.parquet");
    assert_eq!(names(&out.join("source")), ["source=pack.00000"]);
    // The oracle: each input by itself.
    let tables = SUMMARY_TABLES.iter().map(|table| table.name.to_owned()).collect();
    let options = ConvertOptions::default().analyze(true).tables(tables).force(true);
    let mut found = 0;
    for (file_id, source) in rows(&pack("source")) {
        let path = PathBuf::from(source[0].split('|').next().unwrap().trim_matches('"'));
        let alone = dir.path().join("alone");
        convert(&[&path], &alone, &options).unwrap();
        for name in names(&alone).iter().filter(|name| name.ends_with(".parquet")) {
            let mut expected = rows(&alone.join(name)).remove("0").unwrap_or_default();
            if name == "js_heap_duplicate_string.parquet" {
                expected.truncate(100);
            }
            let table = name.strip_suffix(".parquet").unwrap();
            let packed = rows(&pack(table)).remove(&file_id).unwrap_or_default();
            assert!(packed == expected, "{name} of {}", path.display());
            found += expected.len();
        }
    }
    assert!(found > 400, "{found} rows");
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
        if options.keep == Keep::Tables {
            let names = names(&dir.path().join("out/source"));
            assert!(names.contains(&"source=bun_2".to_string()), "{names:?}");
        }
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
    // One job: several put documents into a pack in the order in which they end.
    let summary = summary().jobs("1".parse().ok());
    run(dir.path(), &summary);
    let out = dir.path().join("out");
    let part = |table: &str| out.join(table).join("source=pack.00000/part-0.parquet");
    let before = rows(&part("js_heap_class"));
    // Files of a run that died before it wrote their manifest.
    let stray = out.join("js_heap_class/source=pack.00001");
    fs::create_dir(&stray).unwrap();
    fs::copy(part("js_heap_class"), stray.join("part-0.parquet")).unwrap();
    fs::create_dir_all(out.join("_work/3")).unwrap();
    fs::write(out.join(".extract.heapquarry-0123456789abcdef.lock"), "").unwrap();
    fs::create_dir(out.join(".extract.heapquarry-0123456789abcdef.partial")).unwrap();
    assert_eq!(run(dir.path(), &summary).before, 5);
    assert!(!stray.exists() && !out.join("_work").exists());
    assert!(names(&out).iter().all(|name| !name.starts_with('.')), "{:?}", names(&out));
    // A manifest whose files are not there, as after a power failure.
    fs::remove_file(part("js_heap_class")).unwrap();
    let again = run(dir.path(), &summary);
    assert_eq!((again.done, again.before), (5, 0));
    assert!(rows(&part("js_heap_class")) == before);
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
