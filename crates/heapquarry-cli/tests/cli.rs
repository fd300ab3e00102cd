//! What the command prints and how it exits. What it writes is tested in `tests/python`, with the engines that
//! read it.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

fn heapquarry(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heapquarry")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = heapquarry(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{args:?} writes to standard error");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn schema_page_is_what_the_tables_declare() {
    let path = root().join("docs/schema.md");
    let now = stdout(&["schema", "--format", "markdown"]);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page == now, "docs/schema.md is out of date: run this test with UPDATE_GOLDEN=1");
}

/// The help of a verb is its own, not that of a group of options. That of questions is held against their declarations
/// (`generated`).
#[test]
fn each_verb_says_what_it_does() {
    let mut said = HashSet::new();
    for (verb, says) in [
        ("convert", "Convert inputs to a directory of Parquet files"),
        ("report", "Draw a heap, profile, trace or watch as one HTML file"),
        ("export", "Convert a profile or a trace for a viewer"),
        ("query", "Ask in SQL"),
    ] {
        let help = stdout(&[verb, "--help"]);
        let first = help.lines().next().unwrap();
        assert!(first.contains(says) && said.insert(first.to_owned()), "{verb}: {first}");
    }
}

#[test]
fn help_completions_and_man_page_name_every_flag_of_convert() {
    let help = stdout(&["convert", "--help"]);
    for page in [help, stdout(&["completions", "bash"]), stdout(&["completions", "zsh"])] {
        for flag in [
            "--output",
            "--force",
            "--mode",
            "--max-spool",
            "--tables",
            "--names",
            "--strict",
            "--compression",
            "--encodings",
            "--layout",
            "--row-group-rows",
            "--threads",
            "--quiet",
            "--batch",
            "--keep",
            "--label",
            "--jobs",
        ] {
            assert!(page.contains(flag), "{flag}");
        }
    }
    // How to name several.
    let help = stdout(&["convert", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("separated by commas, or repeated"), "{help}");
    assert!(stdout(&["man"]).contains(".TH heapquarry"));
    assert!(stdout(&["--help"]).contains("Exit codes:"));
    // Options of the output and of the run belong to no part of a trace.
    for verb in ["summary", "diff", "check", "export"] {
        let help = stdout(&[verb, "--help"]);
        let part = help.split_once("Part of a trace:").unwrap().1;
        let part = part.split("\nValues of").next().unwrap();
        let flags: Vec<&str> = part
            .lines()
            .filter_map(|line| line.trim().strip_prefix("--"))
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        assert_eq!(flags, ["process", "thread", "category", "from", "until"], "{verb}");
    }
    assert!(stdout(&["--version"]).starts_with("heapquarry "));
}

#[test]
fn schema_prints_one_table_or_all_in_every_format() {
    for format in ["text", "json", "sql", "markdown"] {
        let all = stdout(&["schema", "--format", format]);
        let one = stdout(&["schema", "js_heap_nodes", "--format", format]);
        assert!(all.contains("js_heap_edges") && all.contains("import_log"), "{format}");
        assert!(one.contains("trace_node_id") && !one.contains("last_assigned_id"), "{format}");
    }
    let json = stdout(&["schema", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["tables"][0]["columns"][0]["type"], "INT32");
}

#[test]
fn info_counts_what_is_there() {
    let path = root().join("corpus/handmade/hermes-zero-counts.heapsnapshot");
    let path = path.to_str().unwrap();
    let json: serde_json::Value = serde_json::from_str(&stdout(&["info", "--json", path])).unwrap();
    assert_eq!(json[0]["declared_nodes"], 0);
    assert_eq!(json[0]["complete"], true);
    let nodes = json[0]["sections"].as_array().unwrap().iter().find(|s| s["name"] == "nodes");
    assert_eq!(nodes.unwrap()["records"], 11);
    assert!(stdout(&["info", path]).contains("heapsnapshot"));
}

#[test]
fn failures_exit_with_2_and_one_clear_line() {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_string()
    };
    let (empty, png) = (file("empty", b""), file("png", b"\x89PNG\r\n\x1a\n"));
    let cut = file("cut", br#"{"snapshot":{"meta":{"node_fields":["type""#);
    let old = file("old", br#"{"snapshot":{"title":"x","uid":1},"nodes":[{"type":"object"}]}"#);
    let folder = scratch.path().to_str().unwrap().to_string();
    let output = scratch.path().join("never");
    let output = output.to_str().unwrap();
    for (input, message) in [
        (empty.as_str(), "input is empty"),
        (&png, "found a PNG image"),
        (
            &cut,
            "byte 42): expected the rest of the header (\"snapshot\"), found the end of the document",
        ),
        (&old, "expected snapshot.meta.node_fields"),
        (&folder, "is a directory"),
        ("no-such-file", "cannot open input"),
    ] {
        let result = heapquarry(&["convert", input, "-o", output]);
        let error = String::from_utf8(result.stderr).unwrap();
        assert_eq!(result.status.code(), Some(2), "{input}: {error}");
        assert!(error.contains(message) && error.contains(input), "{input}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(!Path::new(output).exists());
    }
    for usage in [
        &["convert"][..],
        &["schema", "no_such_table"],
        &["convert", &empty, "--compression", "brotli"],
        &["convert", &empty, "--row-group-rows", "0"],
        &["convert", &empty, "--tables", "no_such_table", "-o", output],
    ] {
        assert_eq!(heapquarry(usage).status.code(), Some(2), "{usage:?}");
    }
}

#[test]
fn errors_are_json_on_request() {
    let scratch = tempfile::tempdir().unwrap();
    let cut = scratch.path().join("cut\u{1b}[31m");
    std::fs::write(&cut, r#"{"snapshot":{"meta":{"node_fields":["type""#).unwrap();
    let cut = cut.to_str().unwrap();
    let budget = scratch.path().join("heap.toml");
    std::fs::write(&budget, "[total]\nsise = 1\n").unwrap();
    let budget = budget.to_str().unwrap();
    let snapshot = root().join("corpus/handmade/v8-timeline.heaptimeline");
    let snapshot = snapshot.to_str().unwrap();
    let null = serde_json::Value::Null;
    for (args, kind, path, offset, line) in [
        (&["summary", cut, "--error-format", "json"][..], "malformed", Some(cut), Some(42), None),
        (&[cut, "--error-format=json"], "malformed", Some(cut), Some(42), None),
        (&["summary", "none", "--error-format=json"], "unreadable", Some("none"), None, None),
        (&["summary", "--error-format=json"], "usage", None, None, None),
        (&["summary", "x", "--\u{1b}", "--error-format=json"], "usage", None, None, None),
        (
            &["check", snapshot, "--budget", budget, "--error-format=json"],
            "budget",
            Some(budget),
            None,
            Some(2),
        ),
    ] {
        let result = heapquarry(args);
        let text = String::from_utf8(result.stderr).unwrap();
        assert_eq!(result.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.lines().count() == 1 && !text.contains('\u{1b}'), "{args:?}: {text}");
        let error: serde_json::Value = serde_json::from_str::<serde_json::Value>(&text).unwrap();
        let error = &error["error"];
        assert_eq!(error["kind"], kind, "{args:?}: {text}");
        assert_eq!(error["path"].as_str(), path, "{text}");
        assert_eq!(error["offset"].as_u64(), offset, "{text}");
        assert_eq!(error["line"].as_u64(), line, "{text}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{text}");
        if kind == "malformed" {
            assert_eq!(error["expected"], "the rest of the header (\"snapshot\")", "{text}");
            assert_eq!(error["found"], "the end of the document", "{text}");
        } else {
            assert_eq!(error["found"], null, "{text}");
        }
    }
    // After `--` come inputs only.
    let result = heapquarry(&["summary", "--", "--error-format=json"]);
    assert!(result.stderr.starts_with(b"error: cannot open input"));
}

/// Wrong usage is told with what was perhaps meant; what a user types next is in the message.
#[test]
fn messages_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    std::fs::write(at("empty"), "").unwrap();
    std::fs::write(at("hello"), "hello").unwrap();
    let heap = root().join("corpus/node24-numeric.heapsnapshot.gz");
    let heap = heap.to_str().unwrap();
    let cpu = root().join("corpus/profiles/node26.cpuprofile");
    let cpu = cpu.to_str().unwrap();
    for folder in ["a", "c"] {
        std::fs::create_dir(at(folder)).unwrap();
        std::fs::copy(cpu, at(&format!("{folder}/b.cpuprofile"))).unwrap();
    }
    std::fs::write(at("clas"), "[clas.A]\ncount = 1").unwrap();
    std::fs::write(at("siz"), "[total]\nsiz = 1").unwrap();
    std::fs::write(at("heap"), "[class.A]\ncount = 1").unwrap();
    let told = |args: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_heapquarry"))
            .args(args)
            .current_dir(dir.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (args, code, message) in [
        (
            &["sumary", "x"][..],
            2,
            "no command and no file of this name (sumary): did you mean summary?",
        ),
        (
            &["schema", "js_heap_node"],
            2,
            "unknown table or view (\"js_heap_node\"): did you mean js_heap_nodes",
        ),
        (&["schema", "heap_nodes"], 2, "did you mean heap_node"),
        (&["schema", "zzzzzzzz"], 2, "(\"zzzzzzzz\"); `heapquarry schema` lists them\n"),
        (&["convert", heap, "--tables", "js_heap_edge"], 2, "did you mean js_heap_edges?"),
        (
            &["info", "empty"],
            2,
            "input is empty (empty): expected one of a heap snapshot or timeline, a heap snapshot of ",
        ),
        (
            &["info", "hello"],
            2,
            "unknown format (hello, byte 0): expected one of a heap snapshot or timeline, ",
        ),
        (
            &["summary", heap, "--threads", "0"],
            2,
            "'--threads <N>': expected a whole number of at least 1",
        ),
        (&["why", heap, "--class", "Objekt"], 2, "no object of class \"Objekt\"; did you mean "),
        (&["convert", heap, "-o", "heap.tables"], 0, "next: heapquarry "),
        (&["convert", heap, "-o", "heap.tables"], 2, "use --force to replace it"),
        (&["convert", heap, "-o", "heap.tables", "--force"], 0, " tables without rows\n"),
        (&["convert", "heap.tables"], 2, "it has been converted already; query its tables"),
        (&["extract", "heap.tables#0", "-o", "out"], 2, "it has been converted already"),
        (&["info", "heap.tables#1"], 2, "no document #1 (heap.tables): #0 is node24"),
        (
            &["convert", cpu, cpu, "a/b.cpuprofile", "-o", "cpu.tables"],
            0,
            "warning: input is given more than once (",
        ),
        (&["convert", "a/b.cpuprofile", "c/b.cpuprofile", "-o", "same.tables"], 0, "next: "),
        (
            &["summary", "same.tables"],
            2,
            "#0 is a/b.cpuprofile, #1 is c/b.cpuprofile; select one with INPUT#N",
        ),
        (&["extract", "a/b.cpuprofile", "-o", "out"], 0, ""),
        (&["extract", "a/b.cpuprofile", "-o", "out"], 2, "use --force to replace it"),
        (
            &["diff", cpu, heap],
            2,
            "cannot compare a CPU profile with a heap snapshot or timeline (",
        ),
        (&["check", heap, "--budget", "clas"], 2, "found \"clas\"; did you mean class?"),
        (&["check", heap, "--budget", "siz"], 2, "found \"siz\"; did you mean size?"),
        (&["check", cpu, "--budget", "heap"], 2, "they are for heaps, found a CPU profile"),
        (&["diff", heap, heap, "--fail-on", "clas[A].count>1"], 2, "; did you mean class?\n"),
        (&["diff", heap, heap, "--fail-on", "class[A].cout>1"], 2, "; did you mean count?\n"),
    ] {
        let (exit, text) = told(args);
        assert_eq!(exit, Some(code), "{args:?}: {text}");
        assert!(text.contains(message), "{args:?}: {text}");
        assert!(!text.contains(" 0 rows "), "{text}");
        assert!(code == 0 || text.starts_with("error: "), "one prefix: {text}");
    }
}

/// A mistake in a pattern must not look like a night's work.
#[test]
fn a_batch_of_nothing_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let (pattern, out) = (dir.path().join("*.heapsnapshot"), dir.path().join("out"));
    let [pattern, out] = [&pattern, &out].map(|path| path.to_str().unwrap());
    let output = heapquarry(&["convert", "-q", "--batch", pattern, "-o", out]);
    assert!(output.status.success());
    let warning = String::from_utf8(output.stderr).unwrap();
    let expected = format!("warning: nothing to convert ({pattern}): there are no inputs\n");
    assert_eq!(warning, expected);
}
