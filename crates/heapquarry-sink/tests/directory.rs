//! The directory appears only when it is finished, and replaces only directories that heapquarry wrote.

mod common;

use common::{int64, read};
use heapquarry_sink::{
    Encoder, Error, ErrorKind, FileDir, Layout, ParquetDir, RowGroup, WriteOptions,
};
use heapquarry_tables::{
    IMPORT_LOG, JS_HEAP_NODES, JS_HEAP_SAMPLE, Projection, SOURCE, arrays, js_heap_sample,
};
use std::{fs, path::Path};

/// What `convert` writes of a directory with one table.
const MANIFEST: &str =
    r#"{"heapquarry_version": "0.1.0", "tables": [{"file": "js_heap_sample.parquet", "rows": 3}]}"#;
const TOKEN: &str = "0123456789abcdef";

fn create(path: &Path, force: bool) -> Result<ParquetDir, Error> {
    ParquetDir::create(path, force, Layout::Flat, Projection::all(), WriteOptions::default())
}

/// A row group of `rows` samples from number `first` on.
fn samples(first: i64, rows: i64) -> RowGroup {
    let count = rows as usize;
    let batch = js_heap_sample::Columns {
        file_id: arrays::constant_i32(Some(0), count),
        timestamp_us: int64(first..first + rows),
        last_assigned_id: int64((0..rows).map(|i| i * i)),
    }
    .into_batch();
    Encoder::new(&WriteOptions::default()).encode(&JS_HEAP_SAMPLE, &batch).unwrap()
}

/// The names in a directory, in order.
fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn fill(dir: &ParquetDir) {
    dir.declare(&JS_HEAP_SAMPLE, "").unwrap();
    dir.append(&JS_HEAP_SAMPLE, "", 0, samples(0, 3)).unwrap();
    dir.write_file("_manifest.json", MANIFEST.as_bytes()).unwrap();
}

#[test]
fn nothing_is_seen_before_the_commit_and_nothing_else_after_it() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let dir = create(&path, false).unwrap();
    fill(&dir);
    assert!(!path.exists());
    assert_eq!(names(parent.path()).len(), 2, "the directory and its lock");
    assert!(names(parent.path()).iter().all(|name| name.starts_with(".out.heapquarry-")));
    assert_eq!(dir.commit().unwrap().path, path);
    assert_eq!(names(parent.path()), ["out"]);
    assert_eq!(names(&path), ["_manifest.json", "js_heap_sample.parquet"]);
    // The commit has closed the table.
    let file = fs::read(path.join("js_heap_sample.parquet")).unwrap();
    assert_eq!(read(&JS_HEAP_SAMPLE, &file.into()).0.num_rows(), 3);
}

#[test]
fn dropping_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = create(&parent.path().join("out"), false).unwrap();
    fill(&dir);
    drop(dir);
    assert!(names(parent.path()).is_empty());
}

#[test]
fn what_exists_is_replaced_only_by_force_and_only_if_it_is_ours() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let kind = |force| match create(&path, force) {
        Ok(_) => "made",
        Err(error) => {
            assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
            match error.kind() {
                ErrorKind::Exists { .. } => "exists",
                ErrorKind::NotReplaced { .. } => "not ours",
                _ => panic!("{error}"),
            }
        }
    };
    assert_eq!([kind(false), kind(true)], ["made", "made"]);
    fs::write(&path, "a file").unwrap();
    assert_eq!([kind(false), kind(true)], ["exists", "not ours"]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!([kind(false), kind(true)], ["exists", "made"]);
    fs::write(path.join("thesis.txt"), "").unwrap();
    assert_eq!([kind(false), kind(true)], ["exists", "not ours"]);
    fs::write(path.join("_manifest.json"), MANIFEST).unwrap();
    assert_eq!([kind(false), kind(true)], ["exists", "not ours"]);
    fs::remove_file(path.join("thesis.txt")).unwrap();
    assert_eq!([kind(false), kind(true)], ["exists", "made"]);

    fs::write(path.join("views.sql"), "old").unwrap();
    let dir = create(&path, true).unwrap();
    fill(&dir);
    assert!(path.join("views.sql").exists(), "until the commit the old one stays");
    dir.commit().unwrap();
    assert_eq!(names(&path), ["_manifest.json", "js_heap_sample.parquet"]);
    assert_eq!(names(parent.path()), ["out"]);
}

/// Only what a manifest of ours describes file by file is replaced: all else may be somebody's.
#[test]
fn a_manifest_says_what_is_ours() {
    let tables = |files: &[&str]| {
        let files: Vec<_> = files.iter().map(|file| format!(r#"{{"file": "{file}"}}"#)).collect();
        format!(r#"{{"heapquarry_version": "0.1.0", "tables": [{}]}}"#, files.join(", "))
    };
    let hive = "source/source=a/part-0.parquet";
    for (manifest, files, why) in [
        ("{\"start_url\": \"/\"}", &[][..], Some("its _manifest.json is not one that heapquarry")),
        ("", &[], Some("its _manifest.json is not one that heapquarry")),
        (&"[".repeat(10_000), &[], Some("its _manifest.json is not one that heapquarry")),
        (r#"{"tables": []}"#, &[], Some("its _manifest.json is not one that heapquarry")),
        (&tables(&[]), &[], None),
        (&tables(&[]), &["views.sql"], None),
        // Of earlier versions, which kept the lock inside.
        (&tables(&["a.parquet"]), &["a.parquet", ".heapquarry.lock"], None),
        // Whoever removes a table loses nothing more.
        (&tables(&["a.parquet", "b.parquet"]), &["a.parquet"], None),
        (&tables(&["a.parquet"]), &["a.parquet", "app.heapsnapshot"], Some("app.heapsnapshot")),
        (&tables(&["a.parquet"]), &["a.parquet/thesis.txt"], Some("a.parquet")),
        (&tables(&["a.parquet"]), &["sub/a.parquet"], Some("it holds \"sub\"")),
        (&tables(&[hive]), &[hive], None),
        (&tables(&[hive]), &[hive, "source/notes.txt"], Some("source/notes.txt")),
        (&tables(&[hive]), &[hive, "source/source=b/part-0.parquet"], Some("source/source=b")),
        (&tables(&["../out/x", "/x"]), &["x"], Some("it holds \"x\"")),
    ] {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("_manifest.json"), manifest).unwrap();
        for file in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "content").unwrap();
        }
        match (create(&path, true).map(drop), why) {
            (Ok(()), None) => {}
            (Err(error), Some(why)) => {
                assert!(matches!(error.kind(), ErrorKind::NotReplaced { .. }), "{error}");
                assert!(error.to_string().contains(why), "{error}");
            }
            (result, _) => panic!("{manifest}, {files:?}: {result:?}"),
        }
        assert!(files.iter().all(|file| path.join(file).exists()));
        assert_eq!(names(parent.path()), ["out"]);
    }
}

#[test]
fn a_directory_that_holds_an_input_is_not_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    fill_and_commit(&path);
    let held =
        [path.clone(), path.join("js_heap_sample.parquet"), path.join("../out/_manifest.json")];
    let free = [parent.path().to_path_buf(), path.join("missing"), "-".into()];
    let dir = create(&path, true).unwrap();
    dir.check_inputs(&free).unwrap();
    for input in &held {
        let error = dir.check_inputs(&[&free[0], input]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotReplaced { .. }), "{error}");
        assert!(error.to_string().contains(input.to_str().unwrap()), "{error}");
    }
}

fn fill_and_commit(path: &Path) {
    let dir = create(path, true).unwrap();
    fill(&dir);
    assert!(dir.commit().unwrap().warning.is_none());
}

#[test]
fn what_was_made_meanwhile_is_not_replaced_either() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let dir = create(&path, false).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(dir.commit().unwrap_err().kind(), ErrorKind::Exists { .. }));
    assert_eq!(names(parent.path()), ["out"]);

    let dir = create(&path, true).unwrap();
    fs::write(path.join("thesis.txt"), "").unwrap();
    assert!(matches!(dir.commit().unwrap_err().kind(), ErrorKind::NotReplaced { .. }));
    assert_eq!(names(parent.path()), ["out"]);
}

#[test]
fn leftovers_of_dead_runs_are_removed_and_living_ones_stay() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let dead = parent.path().join(format!(".out.heapquarry-{TOKEN}.partial"));
    let others = [
        format!(".other.heapquarry-{TOKEN}.partial"),
        ".out.heapquarry-.partial".to_owned(),
        ".out.heapquarry-0123456789abcdeX.partial".to_owned(),
    ];
    for name in &others {
        fs::create_dir(parent.path().join(name)).unwrap();
    }
    let living = create(&path, false).unwrap();
    fill(&living);
    // Earlier versions kept the lock inside.
    let inside = dead.join(".heapquarry.lock");
    let beside = parent.path().join(format!(".out.heapquarry-{TOKEN}.lock"));
    for lock in [None, Some(inside), Some(beside)] {
        fs::create_dir_all(dead.join("js_heap_nodes")).unwrap();
        fs::write(dead.join("a.parquet"), "PAR1").unwrap();
        if let Some(lock) = lock {
            fs::write(lock, "").unwrap();
        }
        let second = create(&path, false).unwrap();
        assert!(!dead.exists());
        assert_eq!(names(parent.path()).len(), others.len() + 4);
        drop(second);
        assert_eq!(names(parent.path()).len(), others.len() + 2);
    }
    living.commit().unwrap();
    assert!(path.join("_manifest.json").exists());
}

#[test]
fn an_interrupted_replacement_is_ended_by_the_next_run() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let old = parent.path().join(format!(".out.heapquarry-{TOKEN}.old"));
    let partial = parent.path().join(format!(".out.heapquarry-{TOKEN}.partial"));
    let make = |path: &Path| {
        fs::create_dir(path).unwrap();
        fs::write(path.join("_manifest.json"), MANIFEST).unwrap();
    };
    // Between the two renames: the old one comes back.
    make(&old);
    make(&partial);
    assert!(matches!(create(&path, false).err().unwrap().kind(), ErrorKind::Exists { .. }));
    assert_eq!(names(parent.path()), ["out"]);
    // After them: it goes.
    make(&old);
    drop(create(&path, true).unwrap());
    assert_eq!(names(parent.path()), ["out"]);
    // What has the name now has not replaced it, or it is not ours any more: both stay.
    make(&old);
    fs::write(path.join("thesis.txt"), "").unwrap();
    assert!(create(&path, true).is_err());
    fs::rename(path.join("thesis.txt"), old.join("thesis.txt")).unwrap();
    drop(create(&path, true).unwrap());
    assert!(old.join("thesis.txt").exists() && path.join("_manifest.json").exists());
    // An empty directory has not replaced it.
    fs::remove_dir_all(&path).unwrap();
    fs::remove_file(old.join("thesis.txt")).unwrap();
    fs::create_dir(&path).unwrap();
    drop(create(&path, true).unwrap());
    assert!(old.join("_manifest.json").exists() && names(&path).is_empty());
}

/// A run whose directory another one removed fails. It used to make the directory again, and to publish the rest.
#[test]
fn a_directory_that_is_gone_is_not_made_again() {
    for layout in [Layout::Flat, Layout::Hive] {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        let mut dir =
            ParquetDir::create(&path, false, layout, Projection::all(), WriteOptions::default())
                .unwrap();
        let partial = hidden(parent.path(), ".partial");
        fs::remove_dir_all(parent.path().join(partial)).unwrap();
        dir.declare(&JS_HEAP_SAMPLE, "s").unwrap();
        assert!(dir.append(&JS_HEAP_SAMPLE, "s", 0, samples(0, 3)).is_err());
        assert!(dir.write_file("_manifest.json", b"{}").is_err());
        assert!(dir.close_tables(&|_, _| vec![]).is_err());
        assert!(dir.commit().is_err());
        assert!(names(parent.path()).is_empty());
    }
}

/// The hidden name with this ending.
fn hidden(parent: &Path, ending: &str) -> String {
    names(parent).into_iter().find(|name| name.ends_with(ending)).unwrap()
}

/// Whoever may write to the parent may put things under our hidden names.
#[cfg(unix)]
#[test]
fn planted_names_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let precious = parent.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("thesis.txt"), "").unwrap();
    let at = |suffix| parent.path().join(format!(".out.heapquarry-{TOKEN}{suffix}"));
    symlink(parent.path().join("made"), at(".lock")).unwrap();
    symlink(&precious, at(".partial")).unwrap();
    fill_and_commit(&path);
    fs::remove_file(at(".lock")).unwrap();
    fill_and_commit(&path);
    fs::rename(at(".partial"), at(".old")).unwrap();
    fill_and_commit(&path);
    assert!(fs::symlink_metadata(at(".old")).is_ok_and(|link| link.is_symlink()));
    assert_eq!(names(&precious), ["thesis.txt"]);
    // Nor does a link in the directory itself.
    fs::remove_file(at(".old")).unwrap();
    fs::create_dir(at(".partial")).unwrap();
    symlink(&precious, at(".partial").join("js_heap_sample")).unwrap();
    fill_and_commit(&path);
    assert_eq!(names(&precious), ["thesis.txt"]);
    assert_eq!(names(parent.path()), ["out", "precious"]);
}

/// Directories of other users are neither removed nor put back. Only root can make one.
#[cfg(unix)]
#[test]
fn leftovers_of_other_users_stay() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let at = |suffix| parent.path().join(format!(".out.heapquarry-{TOKEN}{suffix}"));
    for suffix in [".partial", ".old"] {
        fs::create_dir(at(suffix)).unwrap();
        fs::write(at(suffix).join("_manifest.json"), MANIFEST).unwrap();
        if std::os::unix::fs::chown(at(suffix), Some(65_534), None).is_err() {
            eprintln!("skipped: only root can give a directory to another user");
            return;
        }
    }
    drop(create(&path, true).unwrap());
    assert!(!path.exists() && at(".partial").exists() && at(".old").exists());
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_enter_unless_told_otherwise() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    fill_and_commit(&path);
    assert_eq!(mode(&path), 0o700);
    // A directory that is replaced hands on its permissions.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    fill_and_commit(&path);
    assert_eq!(mode(&path), 0o750);
    let mut dir = create(&path, true).unwrap();
    dir.set_mode(0o711);
    fill(&dir);
    assert_eq!(mode(&parent.path().join(hidden(parent.path(), ".partial"))), 0o700);
    dir.commit().unwrap();
    assert_eq!(mode(&path), 0o711);
    // What a parent passes on stays.
    #[cfg(target_os = "linux")]
    {
        let shared = parent.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o2755)).unwrap();
        fill_and_commit(&shared.join("out"));
        fill_and_commit(&shared.join("out"));
        assert_eq!(mode(&shared.join("out")), 0o2700);
    }
}

/// Any number of runs that replace each other leave a whole directory, and nothing else.
#[test]
fn runs_that_replace_each_other_all_succeed() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..20).for_each(|_| fill_and_commit(&path)));
        }
    });
    assert_eq!(names(parent.path()), ["out"]);
    assert_eq!(names(&path), ["_manifest.json", "js_heap_sample.parquet"]);
}

#[test]
fn runs_side_by_side_do_not_meet() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let runs = [
        create(&path, false).unwrap(),
        create(&path, false).unwrap(),
        create(&path, true).unwrap(),
    ];
    runs.iter().for_each(fill);
    let [first, second, third] = runs;
    first.commit().unwrap();
    assert!(matches!(second.commit().unwrap_err().kind(), ErrorKind::Exists { .. }));
    third.commit().unwrap();
    assert_eq!(names(parent.path()), ["out"]);
    assert_eq!(names(&path).len(), 2);
}

#[test]
fn outputs_that_cannot_be_made_are_clear_errors() {
    let parent = tempfile::tempdir().unwrap();
    fs::write(parent.path().join("file"), "").unwrap();
    for place in ["missing/out", "file/out"] {
        let error = create(&parent.path().join(place), true).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error:?}");
        assert!(error.to_string().contains(place.split('/').next().unwrap()), "{error}");
    }
    assert!(matches!(create(Path::new("/"), true).err().unwrap().kind(), ErrorKind::Name { .. }));
    assert_eq!(names(parent.path()), ["file"]);
    let dir = create(&parent.path().join("out"), false).unwrap();
    for name in ["", "a/b", "..", "a\\b", ".heapquarry.lock"] {
        assert!(matches!(dir.write_file(name, b"").unwrap_err().kind(), ErrorKind::Name { .. }));
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_and_what_it_points_to_is_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let (real, link) = (parent.path().join("real"), parent.path().join("link"));
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    assert!(matches!(create(&link, false).err().unwrap().kind(), ErrorKind::Exists { .. }));
    let dir = create(&link, true).unwrap();
    fill(&dir);
    assert_eq!(dir.commit().unwrap().path, link);
    assert!(link.is_symlink());
    assert_eq!(names(&real).len(), 2);
}

#[test]
fn declared_tables_have_files_even_without_rows() {
    for layout in [Layout::Flat, Layout::Hive] {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        let mut dir =
            ParquetDir::create(&path, false, layout, Projection::all(), WriteOptions::default())
                .unwrap();
        for part in ["s2", "s1"] {
            dir.declare(&JS_HEAP_SAMPLE, part).unwrap();
            dir.declare(&SOURCE, part).unwrap();
            dir.declare(&SOURCE, part).unwrap();
        }
        dir.append(&JS_HEAP_SAMPLE, "s2", 0, samples(0, 0)).unwrap();
        dir.append(&JS_HEAP_SAMPLE, "s2", 1, samples(0, 5)).unwrap();
        dir.append(&IMPORT_LOG, "s1", 0, empty()).unwrap();
        let written = dir
            .close_tables(&|table, _| vec![("table".to_owned(), table.name.to_owned())])
            .unwrap();
        dir.commit().unwrap();
        let files: Vec<&str> = written.iter().map(|table| table.file.as_str()).collect();
        match layout {
            Layout::Flat => {
                assert_eq!(
                    files,
                    ["source.parquet", "import_log.parquet", "js_heap_sample.parquet"]
                );
            }
            Layout::Hive => assert_eq!(
                files,
                [
                    "source/source=s1/part-0.parquet",
                    "source/source=s2/part-0.parquet",
                    "import_log/source=s1/part-0.parquet",
                    "js_heap_sample/source=s1/part-0.parquet",
                    "js_heap_sample/source=s2/part-0.parquet",
                ]
            ),
        }
        for table in &written {
            let file = fs::read(path.join(&table.file)).unwrap();
            assert_eq!(table.bytes, file.len() as u64);
            assert_eq!(table.xxh3, xxhash_rust::xxh3::xxh3_64(&file));
            let (rows, metadata) = read(table.table, &file.into());
            assert_eq!(rows.num_rows() as u64, table.rows);
            assert_eq!(metadata.num_row_groups() as u64, table.row_groups);
            let pairs = metadata.file_metadata().key_value_metadata().unwrap();
            assert_eq!(pairs[1].value.as_deref(), Some(table.table.name));
        }
        assert_eq!(written.last().unwrap().rows, 5);
    }
}

fn empty() -> RowGroup {
    let columns = IMPORT_LOG.columns.iter().map(|column| match column.ty {
        heapquarry_tables::Type::Int32 => arrays::constant_i32(None, 0),
        ty => arrays::nulls(ty, 0),
    });
    let batch = IMPORT_LOG.batch(columns.collect());
    Encoder::new(&WriteOptions::default()).encode(&IMPORT_LOG, &batch).unwrap()
}

#[test]
fn the_order_of_arrival_does_not_show() {
    let order = |seqs: &[u64]| {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        let mut dir = create(&path, false).unwrap();
        for &seq in seqs {
            let first = seq as i64 * 100;
            dir.append(&JS_HEAP_SAMPLE, "", seq, samples(first, seq as i64 * 10)).unwrap();
        }
        let written = dir.close_tables(&|_, _| vec![]).unwrap();
        dir.commit().unwrap();
        assert_eq!(written[0].row_groups, seqs.len() as u64 - 1, "the first one is empty");
        fs::read(path.join("js_heap_sample.parquet")).unwrap()
    };
    let file = order(&[0, 1, 2, 3, 4, 5]);
    assert!(file == order(&[3, 2, 1, 0, 5, 4]));
    assert!(file == order(&[5, 4, 3, 2, 1, 0]));
}

#[test]
fn workers_in_any_order_write_the_same_file() {
    let write = |workers: u64| {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        let mut dir = create(&path, false).unwrap();
        let next = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let (dir, next) = (&dir, &next);
                scope.spawn(move || {
                    let mut random = common::Random(worker);
                    loop {
                        let seq = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if seq >= 200 {
                            return;
                        }
                        let group = samples(seq as i64, seq as i64 % 50);
                        std::thread::sleep(std::time::Duration::from_micros(random.next() % 300));
                        dir.append(&JS_HEAP_SAMPLE, "", seq, group).unwrap();
                    }
                });
            }
        });
        dir.close_tables(&|_, _| vec![]).unwrap();
        dir.commit().unwrap();
        fs::read(path.join("js_heap_sample.parquet")).unwrap()
    };
    let file = write(1);
    assert!(file == write(7));
}

/// The files of many parts used to stay in memory until the end.
#[test]
fn parts_that_are_closed_early_are_the_same_files() {
    let write = |early: bool| {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        let mut dir = ParquetDir::create(
            &path,
            false,
            Layout::Hive,
            Projection::all(),
            WriteOptions::default(),
        )
        .unwrap();
        let metadata =
            |_: &heapquarry_tables::Table, part: &str| vec![("part".into(), part.into())];
        for part in ["b", "a", "c"] {
            dir.declare(&JS_HEAP_NODES, part).unwrap();
            dir.append(&JS_HEAP_SAMPLE, part, 0, samples(0, 3)).unwrap();
            if early {
                dir.close_part(part, &metadata).unwrap();
            }
        }
        let written = dir.close_tables(&metadata).unwrap();
        dir.write_file("_manifest.json", MANIFEST.as_bytes()).unwrap();
        dir.commit().unwrap();
        let read = |file: &str| fs::read(path.join(file)).unwrap();
        let bytes: Vec<_> = written.iter().map(|table| read(&table.file)).collect();
        (written, bytes)
    };
    let (whole, early) = (write(false), write(true));
    assert_eq!(whole.0.len(), 6);
    assert!(whole == early, "{:?} {:?}", whole.0, early.0);
    // What is missing is missed early too.
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let mut dir =
        ParquetDir::create(&path, false, Layout::Hive, Projection::all(), WriteOptions::default())
            .unwrap();
    dir.append(&JS_HEAP_SAMPLE, "a", 1, samples(0, 3)).unwrap();
    assert!(dir.close_part("a", &|_, _| vec![]).is_err());
}

#[test]
fn a_missing_row_group_is_an_error() {
    let parent = tempfile::tempdir().unwrap();
    let mut dir = create(&parent.path().join("out"), false).unwrap();
    dir.append(&JS_HEAP_SAMPLE, "", 1, samples(0, 3)).unwrap();
    let error = dir.close_tables(&|_, _| vec![]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Missing { row_group: 0, .. }));
    assert!(error.to_string().ends_with("there is no number 0"), "{error}");
}

#[test]
fn after_cancel_nothing_is_written() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let mut dir = create(&path, false).unwrap();
    fill(&dir);
    dir.cancel();
    assert!(dir.append(&JS_HEAP_SAMPLE, "", 1, samples(0, 1)).unwrap_err().is_cancelled());
    assert!(dir.close_tables(&|_, _| vec![]).unwrap_err().is_cancelled());
    assert!(dir.commit().unwrap_err().is_cancelled());
    assert!(names(parent.path()).is_empty());
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_ends_the_run() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let dir = create(&path, false).unwrap();
    let partial = parent.path().join(hidden(parent.path(), ".partial"));
    fs::create_dir(partial.join("js_heap_sample.parquet")).unwrap();
    let error = dir.append(&JS_HEAP_SAMPLE, "", 0, samples(0, 1)).unwrap_err();
    let file = path.join("js_heap_sample.parquet");
    assert!(matches!(error.kind(), ErrorKind::Io { path, .. } if *path == file), "{error:?}");
    assert!(dir.append(&JS_HEAP_NODES, "", 0, empty()).unwrap_err().is_cancelled());
    drop(dir);
    assert!(names(parent.path()).is_empty());
}

/// Writes a file of a directory.
fn add(dir: &mut FileDir, name: &str, text: &str, force: bool) -> Result<(), Error> {
    let mut draft = dir.create(name, force)?;
    draft.write(text.as_bytes())?;
    draft.commit().map(drop)
}

#[test]
fn files_appear_whole_beside_others() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("a/b");
    let none: [&Path; 0] = [];
    // Without a file the directory is gone again.
    let mut dir = FileDir::open(&path, &none).unwrap();
    dir.create("x", false).unwrap().write(b"half").unwrap();
    assert!(names(&path).iter().all(|name| name.starts_with('.')));
    drop(dir);
    assert!(!path.exists());
    let mut dir = FileDir::open(&path, &none).unwrap();
    add(&mut dir, "x", "one", false).unwrap();
    drop(dir);
    assert_eq!(names(&path), ["x"]);
    // What is there is replaced by force only.
    let mut dir = FileDir::open(&path, &none).unwrap();
    // That is said before the work.
    let error = dir.create("x", false).map(drop).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exists { .. }), "{error}");
    let mut late = dir.create("y", false).unwrap();
    late.write(b"late").unwrap();
    fs::write(path.join("y"), "early").unwrap();
    assert!(matches!(late.commit().unwrap_err().kind(), ErrorKind::Exists { .. }));
    add(&mut dir, "x", "two", true).unwrap();
    drop(dir);
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(
        (names(&path), read("x"), read("y")),
        (vec!["x".into(), "y".into()], "two".into(), "early".into())
    );
}

#[test]
fn a_draft_that_is_lost_is_not_a_name_that_is_taken() {
    let parent = tempfile::tempdir().unwrap();
    let none: [&Path; 0] = [];
    let mut dir = FileDir::open(parent.path(), &none).unwrap();
    let draft = dir.create("x", false).unwrap();
    fs::remove_dir_all(parent.path().join(hidden(parent.path(), ".partial"))).unwrap();
    let error = draft.commit().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
}

#[test]
fn files_of_a_directory_never_replace_an_input_or_a_directory() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path();
    fs::write(path.join("input"), "precious").unwrap();
    fs::create_dir(path.join("folder")).unwrap();
    let mut dir = FileDir::open(path, &[path.join("input")]).unwrap();
    for name in ["input", "folder"] {
        let error = add(&mut dir, name, "", true).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotReplaced { .. }), "{error}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("input", path.join("link")).unwrap();
        assert!(add(&mut dir, "link", "", true).is_err());
    }
    drop(dir);
    assert_eq!(fs::read_to_string(path.join("input")).unwrap(), "precious");
}

/// `extract` that was killed used to leave files that nobody knew.
#[test]
fn the_next_run_removes_files_that_a_dead_one_left() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path();
    let none: [&Path; 0] = [];
    let dead = path.join(format!(".extract.heapquarry-{TOKEN}.partial"));
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join("0"), "half").unwrap();
    let living = FileDir::open(path, &none).unwrap();
    assert!(!dead.exists());
    let there = names(path);
    drop(FileDir::open(path, &none).unwrap());
    assert_eq!(names(path), there, "those of a run that lives stay");
    drop(living);
    assert!(names(path).is_empty());
}

#[cfg(unix)]
#[test]
fn files_are_readable_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("files");
    let none: [&Path; 0] = [];
    let mut dir = FileDir::open(&path, &none).unwrap();
    add(&mut dir, "x", "", false).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&path), mode(&path.join("x"))], [0o700, 0o600]);
}

/// A file system that is mounted while the test runs. Only root can mount one.
#[cfg(target_os = "linux")]
struct Mounted<'p>(&'p Path);

#[cfg(target_os = "linux")]
impl<'p> Mounted<'p> {
    fn new(at: &'p Path, args: &[&str]) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let done = std::process::Command::new("mount").args(args).arg(at).output();
        if done.is_ok_and(|output| output.status.success()) {
            return Some(Mounted(at));
        }
        eprintln!("skipped: cannot mount {args:?}");
        None
    }
}

#[cfg(target_os = "linux")]
impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0).status();
    }
}

/// EBUSY and EXDEV used to be found after all work.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_renamed_is_refused_before_the_work() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let why = |path: &Path| match create(path, true) {
        Ok(dir) => {
            fill(&dir);
            dir.commit().unwrap();
            None
        }
        Err(error) => Some(error.to_string()),
    };
    if let Some(_mounted) = Mounted::new(&path, &["-t", "tmpfs", "tmpfs"]) {
        assert!(why(&path).unwrap().contains("it is a mount point"));
        assert_eq!(names(parent.path()), ["out"]);
    }
    // A directory of the lower layer can be renamed only if the system redirects it.
    let at = |name: &str| parent.path().join(name);
    for name in ["lower", "upper", "work"] {
        fs::create_dir(at(name)).unwrap();
    }
    fill_and_commit(&at("lower").join("out"));
    let shown = |name: &str| at(name).display().to_string();
    let (lower, upper, work) = (shown("lower"), shown("upper"), shown("work"));
    let layers = format!("lowerdir={lower},upperdir={upper},workdir={work},redirect_dir=off");
    let merged = at("merged");
    if let Some(_mounted) = Mounted::new(&merged, &["-t", "overlay", "overlay", "-o", &layers]) {
        let before = names(&merged.join("out"));
        assert!(why(&merged.join("out")).unwrap().contains("an overlay, cannot rename it"));
        assert_eq!((names(&merged), names(&merged.join("out"))), (vec!["out".into()], before));
    }
}
