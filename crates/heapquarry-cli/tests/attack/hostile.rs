//! Prints names that a stranger chose through every verb, form and stream, and looks at the bytes.

use super::{corpus, heapquarry};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Cursor, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use zip::{ZipWriter, write::SimpleFileOptions};

/// Everything that a terminal or a CI runner obeys, or that hides text. The word in it tells that it is shown.
const HOSTILE: &str = "::error::pwned\u{1b}[31m\u{7}\r\n::error file=x::y\n##vso[task.complete]##[add-path]\
                       \u{9b}1m\u{7f}\u{202e}\u{2066}\u{200b}\u{61c}\u{e0041}]]></system-out>|`x`<b>@a";
const SHOWN: &str = "pwned";

/// A name of a file that holds it; a name has no slash.
fn file_name(ending: &str) -> String {
    format!("{}{ending}", HOSTILE.replace('/', ""))
}

/// Puts the name before every text that `is_name` holds for, given its key.
fn poison(value: &mut Value, key: &str, is_name: &dyn Fn(&str) -> bool) {
    match value {
        Value::String(text) if is_name(key) => text.insert_str(0, HOSTILE),
        Value::Array(values) => values.iter_mut().for_each(|v| poison(v, key, is_name)),
        Value::Object(members) => {
            members.iter_mut().for_each(|(key, v)| poison(v, key, is_name));
        }
        _ => {}
    }
}

fn poisoned(input: &str, names: &[&str]) -> Value {
    let text = fs::read(corpus().join(input)).unwrap();
    let mut value = serde_json::from_slice(&text).unwrap();
    poison(&mut value, "", &|key| names.contains(&key));
    value
}

/// Checks what was printed. `of_ours` is the form whose lines are commands of ours.
fn check(what: &str, stream: &[u8], of_ours: bool) {
    let text = std::str::from_utf8(stream).unwrap_or_else(|e| panic!("{what}: {e}"));
    for c in text.chars() {
        let hides = matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        assert!(c == '\n' || !c.is_control() && !hides, "{what}: {c:?} in {text:?}");
    }
    for line in text.lines() {
        let ours = ["::error ", "::warning ", "::notice "];
        let is_ours = of_ours && ours.iter().any(|command| line.starts_with(command));
        assert!(is_ours || !line.trim_start().starts_with("::"), "{what}: {line:?}");
        if is_ours {
            // Two ends of a command: another one would begin a message of its own.
            let properties = line[2..].split("::").next().unwrap();
            assert!(properties.contains("title="), "{what}: {line:?}");
        }
        assert!(!line.contains("##vso[") && !line.contains("##["), "{what}: {line:?}");
    }
}

/// Runs it, checks both streams, and returns the result. What is printed must be hostile, or the test tests nothing.
fn run(dir: &Path, args: &[&str], codes: &[i32]) -> Output {
    let output = heapquarry(dir, args);
    let what = format!("{args:?}");
    let of_ours = args.contains(&"github");
    check(&what, &output.stdout, of_ours);
    check(&what, &output.stderr, false);
    let text = |stream: &[u8]| String::from_utf8_lossy(stream).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code().unwrap();
    assert!(codes.contains(&code), "{what}: {code}, {out}, {err}");
    assert!(out.contains(SHOWN) || err.contains(SHOWN), "{what} shows no name: {out}, {err}");
    output
}

/// The inputs, under hostile names and plain ones.
fn inputs(dir: &Path) -> Vec<(String, &'static str)> {
    let mut heap = poisoned("handmade/v8-2026-scopes.heapsnapshot", &["strings"]);
    heap[HOSTILE] = json!([1, 2]);
    let mut fields = poisoned("handmade/v8-2026-scopes.heapsnapshot", &["strings"]);
    fields["snapshot"]["meta"]["node_fields"][1] = HOSTILE.into();
    let cpu = poisoned("profiles/node12.cpuprofile", &["functionName", "url"]);
    let sampled = poisoned("profiles/node12.heapprofile", &["functionName", "url"]);
    let names = ["functionName", "url", "frames", "resources"];
    let own = poisoned("profiles/chromium.selfprofile.json", &names);
    let slice = |name: &str, ts| json!({"name": name, "cat": name, "ph": "X", "ts": ts, "dur": 5, "pid": 1, "tid": 1, "args": {name: name}});
    let process =
        json!({"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": HOSTILE}});
    let trace = json!({"traceEvents": [process, slice(HOSTILE, 1), slice("b", 10)], "metadata": {HOSTILE: HOSTILE}});
    let all = [
        ("heap", ".heapsnapshot", heap),
        ("fields", ".heapsnapshot", fields),
        ("profile", ".cpuprofile", cpu),
        ("profile", ".heapprofile", sampled),
        ("own", ".selfprofile.json", own),
        ("trace", ".trace.json", trace),
    ];
    let mut inputs = Vec::new();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (kind, ending, value) in all {
        let name = file_name(&format!("{kind}{ending}"));
        let bytes = serde_json::to_vec(&value).unwrap();
        fs::write(dir.join(&name), &bytes).unwrap();
        inputs.push((name.clone(), kind));
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.start_file(file_name(".txt"), SimpleFileOptions::default()).unwrap();
    zip.write_all(b"of no known format").unwrap();
    fs::write(dir.join(file_name(".zip")), zip.finish().unwrap().into_inner()).unwrap();
    inputs
}

#[test]
fn nothing_that_is_printed_acts() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let budget = |name: &str, rule: &str| fs::write(dir.join(name), rule).unwrap();
    budget("heap.toml", "[class.\"*\"]\ncount = 0\n");
    budget("profile.toml", "[function.\"*\"]\nself_share = \"0%\"\n");
    let forms = ["text", "json", "markdown"];
    let forms_of_checks = ["text", "json", "markdown", "junit", "github"];
    let parse = |output: &Output| {
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|e| {
            panic!("{e}: {}", String::from_utf8_lossy(&output.stdout));
        })
    };
    for (input, kind) in &inputs(dir) {
        let input = input.as_str();
        run(dir, &["info", input], &[0]);
        if *kind == "fields" {
            continue;
        }
        // JSON escapes: the value is the name itself.
        let info = parse(&run(dir, &["info", "--json", input], &[0]));
        assert_eq!(info[0]["path"], input);
        run(dir, &["convert", input, "--force", "-o", &file_name("out")], &[0]);
        run(dir, &["extract", input, "-o", &file_name("files"), "--force"], &[0]);
        run(dir, &["views", &file_name("out")], &[0]);
        for form in forms {
            let output = run(dir, &["summary", "-q", input, "--format", form], &[0]);
            if form == "json" {
                assert!(parse(&output).to_string().contains(&json!(HOSTILE).to_string()[1..40]));
            }
        }
        let is_heap = *kind == "heap";
        if is_heap {
            for form in forms {
                run(dir, &["why", "-q", input, "--class", "*", "--format", form], &[0, 2]);
            }
            run(dir, &["why", "-q", input, "--class", HOSTILE], &[0, 2]);
        }
        if is_heap || *kind == "profile" {
            let budget = if is_heap { "heap.toml" } else { "profile.toml" };
            for form in forms_of_checks {
                let output = run(
                    dir,
                    &["check", "-q", input, "--budget", budget, "--format", form],
                    &[0, 1],
                );
                if form == "junit" {
                    let xml = String::from_utf8_lossy(&output.stdout).into_owned();
                    assert_eq!(xml.matches("</system-out>").count(), 1, "{xml}");
                }
                let rule = if is_heap { "class[*].count>0" } else { "function[*].self_share>0%" };
                let diff = ["diff", "-q", input, input, "--fail-on", rule, "--format", form];
                run(dir, &diff, &[0, 1]);
            }
        }
        if ["profile", "own"].contains(kind) {
            for viewer in ["collapsed", "speedscope"] {
                run(dir, &["export", "--to", viewer, input], &[0]);
            }
        }
    }
}

/// What DuckDB prints of strings, and of names of files, passes through us.
#[test]
fn answers_of_a_database_do_not_act() {
    let Some(duckdb) = duckdb() else {
        eprintln!("skipped: there is no .venv/bin/duckdb, and HEAPQUARRY_DUCKDB names none");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let cache = dir.join("cache");
    let query = |args: &[&str], code: i32| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapquarry"));
        command.env("HEAPQUARRY_DUCKDB", &duckdb).env("HEAPQUARRY_CACHE_DIR", &cache);
        let output = command.args(args).current_dir(dir).stdin(Stdio::null()).output().unwrap();
        let what = format!("{args:?}");
        check(&what, &output.stdout, false);
        check(&what, &output.stderr, false);
        let shown = [&output.stdout[..], &output.stderr].concat();
        let shown = String::from_utf8_lossy(&shown);
        assert_eq!(output.status.code(), Some(code), "{what}: {shown}");
        assert!(shown.contains(SHOWN), "{what} shows no name: {shown}");
    };
    for (input, kind) in &inputs(dir) {
        let table = match *kind {
            "fields" => continue,
            "heap" => "js_heap_string",
            "profile" if input.ends_with(".cpuprofile") => "js_cpu_profiler_node",
            "profile" => "js_heap_sampling_node",
            "own" => "self_profile_resource",
            _ => "trace_event",
        };
        for form in ["table", "json", "markdown"] {
            let both = format!("FROM source; FROM {table}");
            let sql = if form == "table" { &both } else { &format!("FROM {table}") };
            query(&["query", "-q", input, sql, "--format", form], 0);
        }
        query(
            &["query", "-q", input, &format!("SELECT error(source.name) FROM {table}, source")],
            2,
        );
    }
    query(&["query", "-q", &file_name(".zip"), &format!("FROM \"{HOSTILE}\" x")], 2);
    query(&["cache", "list"], 0);
    query(&["cache", "list", "--json"], 0);
}

/// The command that the tests in Python use.
fn duckdb() -> Option<PathBuf> {
    let named = std::env::var_os("HEAPQUARRY_DUCKDB").map(PathBuf::from);
    let of_tests = corpus().join("../.venv/bin/duckdb").canonicalize().ok();
    named.or(of_tests).filter(|path| path.is_file())
}

/// A heap with a list of `length` objects.
fn growing(length: u64) -> Value {
    // The root, (GC roots), the global object, an array and its elements.
    let mut nodes =
        vec![9, 0, 1, 0, 1, 9, 6, 3, 0, 1, 3, 5, 5, 16, 1, 3, 3, 7, 16, 1, 1, 2, 9, 64, length];
    let mut edges = vec![1, 1, 5, 1, 2, 10, 2, 1, 15, 3, 4, 20];
    for n in 0..length {
        nodes.extend([3, 1, 11 + 2 * n, 1000, 0]);
        edges.extend([3, 7 + n, 25 + 5 * n]);
    }
    let types = [
        "hidden",
        "array",
        "string",
        "object",
        "code",
        "closure",
        "regexp",
        "number",
        "native",
        "synthetic",
    ];
    let meta = json!({
        "node_fields": ["type", "name", "id", "self_size", "edge_count"],
        "node_types": [types, "string", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"], "string_or_number", "node"],
    });
    let counts = (nodes.len() / 5, edges.len() / 3);
    let names = ["", HOSTILE, "(object elements)", "Array", "elements", "global", "(GC roots)"];
    let names = names.map(String::from).into_iter().chain((0..length).map(|n| n.to_string()));
    json!({
        "snapshot": {"meta": meta, "node_count": counts.0, "edge_count": counts.1},
        "nodes": nodes, "edges": edges, "strings": names.collect::<Vec<_>>(),
    })
}

#[test]
fn names_of_leaks_do_not_act() {
    let dir = tempfile::tempdir().unwrap();
    let names = [100, 200, 300].map(|length| {
        let name = file_name(&format!("{length}.heapsnapshot"));
        fs::write(dir.path().join(&name), growing(length).to_string()).unwrap();
        name
    });
    let names = names.each_ref().map(String::as_str);
    for form in ["text", "json", "markdown", "junit", "github"] {
        let args = [&["leaks", "-q", "--format", form][..], &names].concat();
        let output = run(dir.path(), &args, &[0, 1]);
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains("300") && !out.contains("Nothing grows"), "{form}: {out}");
    }
}

#[test]
fn errors_that_quote_a_name_are_one_line_that_does_not_act() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    inputs(dir);
    let (zip, missing) = (file_name(".zip"), file_name(".missing"));
    fs::write(dir.join(file_name(".txt")), HOSTILE).unwrap();
    let text = file_name(".txt");
    for args in [
        &["info", zip.as_str()][..],
        &["convert", "-q", "--strict", &zip, "-o", "out"],
        &["convert", &zip, "-o", "out"],
        &["extract", &zip, "-o", "files"],
    ] {
        run(dir, args, &[0, 2]);
    }
    let option = format!("--{HOSTILE}");
    let nth = format!("{zip}#99");
    for args in [
        &["summary", zip.as_str()][..],
        &["summary", &nth],
        &["convert", &missing, "-o", "x"],
        &["convert", &text, "-o", "x"],
        &["summary", &missing],
        &["extract", &missing, "-o", "x"],
        &["diff", &missing, &missing],
        &["check", &missing, "--budget", &missing],
        &["why", &missing, "--class", HOSTILE],
        &["schema", HOSTILE],
        &["views", &missing],
        &["views", HOSTILE, "--schema", HOSTILE],
        &["convert", &zip, "--tables", HOSTILE, "-o", "x"],
        &["convert", &zip, "--columns", HOSTILE, "-o", "x"],
        &["convert", &zip, "--max-spool", HOSTILE, "-o", "x"],
        &["convert", &option],
        &[&option],
    ] {
        run(dir, args, &[2]);
    }
    let output = heapquarry(dir, &["summary", &zip]);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
}
