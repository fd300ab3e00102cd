//! The text of a heap counts for `--memory`, whatever asks for it, and wherever the heap comes from.

use super::heapquarry;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const LEN: usize = 1400;

/// A heap that is nearly all text: so many strings of 1.4 kB, each with a node of its own.
pub(super) fn heap_of_strings(path: &Path, strings: usize) {
    let mut text = String::from(
        r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["synthetic","object","string"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element"],"string_or_number","node"]},"#,
    );
    write!(text, r#""node_count":{},"edge_count":{}}},"#, strings + 2, strings + 1).unwrap();
    write!(text, r#""nodes":[0,0,1,0,1,1,1,3,16,{strings}"#).unwrap();
    (0..strings).for_each(|n| write!(text, ",2,{},{},{LEN},0", n + 2, 2 * n + 5).unwrap());
    text.push_str(r#"],"edges":[0,0,5"#);
    (0..strings).for_each(|n| write!(text, ",0,{n},{}", 5 * (n + 2)).unwrap());
    text.push_str(r#"],"strings":["","Object""#);
    (0..strings).for_each(|n| write!(text, r#","{n:0LEN$}""#).unwrap());
    text.push_str("]}");
    fs::write(path, text).unwrap();
}

/// Inputs with the same heap: a snapshot, a converted directory.
fn inputs(dir: &Path) -> [PathBuf; 2] {
    let [snapshot, converted] = ["a.heapsnapshot", "converted"].map(|name| dir.join(name));
    heap_of_strings(&snapshot, 300);
    let [from, to] = [&snapshot, &converted].map(|path| path.to_str().unwrap());
    let made = heapquarry(dir, &["convert", "-q", "--names", "id", from, "-o", to]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    [snapshot, converted]
}

/// What it needs by the estimate, from a refusal.
fn needed(error: &str) -> u64 {
    let (_, rest) = error.split_once("takes about ").expect(error);
    rest.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn text_counts_for_the_memory_of_every_verb() {
    let (dir, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [snapshot, converted] = inputs(kept.path());
    let [snapshot, converted] = [&snapshot, &converted].map(|path| path.to_str().unwrap());
    let budget = kept.path().join("budget.toml");
    fs::write(&budget, "[total]\nsize = \"1 GB\"\n").unwrap();
    let budget = budget.to_str().unwrap();
    for args in [
        &["convert", "-q", snapshot, "-o", "out"][..],
        &["convert", "-q", "--analyze", snapshot, "-o", "out"],
        &["convert", "-q", "--analyze", "--names", "id", snapshot, "-o", "out"],
        &["summary", "-q", snapshot],
        &["why", "-q", snapshot, "--class", "Object"],
        &["show", "-q", snapshot, "--class", "Object"],
        &["find", "-q", snapshot, "--class", "Object"],
        &["check", "-q", snapshot, "--budget", budget],
        &["report", "-q", snapshot, "-o", "out"],
        &["leaks", "-q", snapshot, snapshot],
        &["diff", "-q", snapshot, snapshot],
        &["open", "-q", "--no-browser", snapshot],
        &["summary", "-q", converted],
        &["find", "-q", converted, "--class", "Object"],
        &["leaks", "-q", converted, converted],
        &["diff", "-q", converted, converted],
        // The last one: what it keeps serves the others, and takes less.
        &["index", "-q", snapshot],
    ] {
        let with = |memory: u64| {
            let run = heapquarry(dir.path(), &[args, &["--memory", &memory.to_string()]].concat());
            (run.status.code(), String::from_utf8(run.stderr).unwrap())
        };
        // More than nodes and edges take, less than the text.
        let (code, error) = with(200_000);
        assert_eq!(code, Some(2), "{args:?}: {error}");
        assert!(error.starts_with("error: not enough memory ("), "{args:?}: {error}");
        assert!(error.contains("302 strings with 42"), "{args:?}: {error}");
        let advice = "; use --memory SIZE to set another limit\n";
        assert!(error.ends_with(advice) && error.lines().count() == 1, "{args:?}: {error}");
        let left = fs::read_dir(&dir).unwrap().filter(|entry| {
            entry.as_ref().is_ok_and(|entry| !entry.file_name().to_string_lossy().contains("cache"))
        });
        assert_eq!(left.count(), 0, "{args:?}: something is left");
        let needed = needed(&error);
        assert!(needed > 420_000 + 302 * 16, "{args:?}: {error}");
        // It runs for ever, or two heaps are in memory.
        if matches!(args[0], "open" | "diff") {
            continue;
        }
        assert_eq!(with(needed - 1).0, Some(2), "{args:?}");
        assert_eq!(with(needed), (Some(0), String::new()), "{args:?}");
        let _ = fs::remove_dir_all(dir.path().join("out"));
        let _ = fs::remove_file(dir.path().join("out"));
    }
    // It keeps no strings.
    let plain = ["convert", "-q", "--names", "id", "--memory", "1kB", snapshot, "-o", "out"];
    assert!(heapquarry(dir.path(), &plain).status.success());
}

/// What `index` has kept is mapped: edges and text take no memory, what questions make of each node does. So it is when
/// its checksums are to be checked again, and when it is not used, the input counts as it does without one.
#[test]
fn text_of_an_index_takes_no_memory() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = dir.path().join("a.heapsnapshot");
    heap_of_strings(&snapshot, 300);
    let snapshot = snapshot.to_str().unwrap();
    assert!(heapquarry(dir.path(), &["index", "-q", snapshot]).status.success());
    // The first question says what the index saves.
    assert!(heapquarry(dir.path(), &["summary", "-q", snapshot]).status.success());
    let cases = [
        (&["summary", "-q", snapshot][..], 40),
        (&["find", "-q", snapshot, "--class", "Object"], 40),
        (&["leaks", "-q", snapshot], 86),
    ];
    let with = |args: &[&str], memory: u64| {
        let run = heapquarry(dir.path(), &[args, &["--memory", &memory.to_string()]].concat());
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    let files = files_below(dir.path());
    let named = |name: &str| files.iter().find(|path| path.ends_with(name)).unwrap();
    for is_checked in [true, false] {
        for (args, per_node) in cases {
            if !is_checked {
                fs::remove_file(named("checked")).unwrap();
            }
            let most = 302 * per_node;
            let (code, error) = with(args, most - 1);
            let expected = format!("takes about {most} bytes");
            assert!(code == Some(2) && error.contains(&expected), "{error}");
            assert_eq!(with(args, most), (Some(0), String::new()), "{args:?}");
        }
    }
    // Nothing but the times of its file is another, which is enough.
    let index = fs::File::options().append(true).open(named("heap.index")).unwrap();
    index.set_modified(index.metadata().unwrap().modified().unwrap()).unwrap();
    for (args, _) in cases {
        let (code, error) = with(args, 200_000);
        assert!(code == Some(2) && error.contains("302 strings with 420006 bytes"), "{error}");
        assert!(error.contains("is not the one that was written here"), "{error}");
    }
}

/// All files below a folder.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { &mut folders } else { &mut files }.push(path);
        }
    }
    files
}

/// Long strings go to a temporary file where they are most of a heap, as far as `--max-spool` allows.
#[test]
fn text_outside_of_memory_changes_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = dir.path().join("a.heapsnapshot");
    heap_of_strings(&snapshot, 10_000);
    let snapshot = snapshot.to_str().unwrap();
    for args in [
        &["summary", "-q", snapshot, "--json"][..],
        &["find", "-q", snapshot, "--text", "99", "--json"],
        &["find", "-q", snapshot, "--class", "0000*", "--json"],
        &["show", "-q", snapshot, "--class", "Object", "--json"],
        &["diff", "-q", snapshot, snapshot, "--json"],
        &["leaks", "-q", snapshot, snapshot, "--json"],
    ] {
        let with = |spool: &str, memory: &str| {
            let limits = ["--no-cache", "--max-spool", spool, "--memory", memory];
            heapquarry(dir.path(), &[args, &limits].concat())
        };
        // In memory, and in a file.
        let [memory, file] = ["1kB", "1GB"].map(|spool| with(spool, "1GB"));
        for run in [&memory, &file] {
            let error = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success() && error.is_empty(), "{args:?}: {error}");
        }
        assert!(memory.stdout == file.stdout, "{args:?}");
        // The estimate knows where it goes.
        let [memory, file] = ["1kB", "1GB"].map(|spool| {
            let refused = with(spool, "1MB");
            assert_eq!(refused.status.code(), Some(2), "{args:?}");
            needed(&String::from_utf8(refused.stderr).unwrap())
        });
        assert!(memory > 14_000_000 && file < 13_000_000, "{args:?}: {memory} {file}");
    }
    // What is kept of it is the same.
    let kept = ["1kB", "1GB"].map(|spool| {
        let own = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| heapquarry(own.path(), args);
        let indexed = run(&["index", "-q", snapshot, "--max-spool", spool, "--memory", "1GB"]);
        assert!(indexed.status.success(), "{}", String::from_utf8_lossy(&indexed.stderr));
        (indexed.stdout, run(&["find", "-q", snapshot, "--text", "99", "--json"]).stdout)
    });
    assert!(kept[0] == kept[1] && !kept[0].1.is_empty());
}

/// Text cannot be put into a folder that does not exist: the estimate says so before it is read.
#[test]
fn text_counts_where_no_temporary_file_can_be_made() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = dir.path().join("a.heapsnapshot");
    heap_of_strings(&snapshot, 10_000);
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapquarry"));
    command.args(["summary", "-q", "--no-cache", "--memory", "1MB"]).arg(&snapshot);
    let none = dir.path().join("none");
    command.envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &none)));
    let refused = command.output().unwrap();
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(needed(&error) > 14_000_000, "{error}");
}

/// Row groups have few enough rows for long names, wherever the text is, and whoever encodes them.
#[test]
fn text_outside_of_memory_changes_no_table() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = dir.path().join("a.heapsnapshot");
    heap_of_strings(&snapshot, 10_000);
    let snapshot = snapshot.to_str().unwrap();
    for options in [&[][..], &["--analyze"]] {
        let tables = [["1kB", "1"], ["1GB", "1"], ["1GB", "3"]].map(|[spool, threads]| {
            let out = dir.path().join(format!("out {spool} {threads}"));
            let limits = ["--max-spool", spool, "--threads", threads];
            let to = ["-o", out.to_str().unwrap(), "--force"];
            let args = [&["convert", "-q", snapshot][..], options, &limits, &to].concat();
            let run = heapquarry(dir.path(), &args);
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            let files = fs::read_dir(&out).unwrap().map(|file| {
                let path = file.unwrap().path();
                (path.file_name().unwrap().to_owned(), fs::read(path).unwrap())
            });
            files.collect::<BTreeMap<_, _>>()
        });
        let [memory, others @ ..] = &tables;
        assert!(memory.len() > 10, "{options:?}");
        for other in others {
            let differ = memory.iter().filter(|(name, bytes)| other.get(*name) != Some(*bytes));
            let differ: Vec<_> = differ.map(|(name, _)| name).collect();
            assert!(differ.is_empty() && other.len() == memory.len(), "{options:?}: {differ:?}");
        }
    }
    // The estimate knows where it goes.
    let [memory, file] = ["1kB", "1GB"].map(|spool| {
        let args = ["convert", "-q", snapshot, "-o", "out", "--memory", "1MB", "--max-spool"];
        let refused = heapquarry(dir.path(), &[&args[..], &[spool]].concat());
        assert_eq!(refused.status.code(), Some(2));
        needed(&String::from_utf8(refused.stderr).unwrap())
    });
    assert!(memory > 14_000_000 && file < 13_000_000, "{memory} {file}");
}
