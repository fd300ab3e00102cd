//! Prints names that a stranger chose through every verb, form and stream, and looks at the bytes.

use super::{STEP_SUMMARY, corpus, duckdb, heapquarry, verbs};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Cursor, Read, Write},
    net::TcpListener,
    path::Path,
    process::{Command, Output, Stdio},
};
use zip::{ZipWriter, write::SimpleFileOptions};

/// Everything that a terminal or a CI runner obeys, or that hides text. The word in it tells that it is shown.
const HOSTILE: &str = "::error::pwned\u{1b}[31m\u{7}\r\n::error file=x::y\n##vso[task.complete]##[add-path]\
                       \u{9b}1m\u{7f}\u{202e}\u{2066}\u{200b}\u{61c}\u{e0041}]]></system-out>|`x`<b>@a";
const SHOWN: &str = "pwned";

/// A name of a file that holds it; a name has no slash.
pub(crate) fn file_name(ending: &str) -> String {
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
    let is_packed = args.contains(&"pprof") && output.status.success();
    if is_packed {
        assert!(output.stdout.starts_with(b"\x1f\x8b"), "{what}: nothing but packed bytes");
    } else {
        check(&what, &output.stdout, of_ours);
    }
    check(&what, &output.stderr, false);
    let text = |stream: &[u8]| String::from_utf8_lossy(stream).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code().unwrap();
    assert!(codes.contains(&code), "{what}: {code}, {out}, {err}");
    let is_shown = is_packed || out.contains(SHOWN) || err.contains(SHOWN);
    assert!(is_shown, "{what} shows no name: {out}, {err}");
    output
}

/// The JSON with the header of a heap at its beginning, where engines write it, and `redact` needs it.
fn header_first(mut value: Value) -> String {
    let header = value.as_object_mut().unwrap().remove("snapshot");
    let rest = value.to_string();
    header.map_or(rest.clone(), |header| format!("{{\"snapshot\":{header},{}", &rest[1..]))
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
        let bytes = header_first(value).into_bytes();
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

/// A run for each input of these kinds and each value of the option; `once` is for none of them. In the arguments IN is
/// the input, BUDGET and RULE are limits of its kind, and what ends with NAME holds the hostile name.
struct Case {
    kinds: &'static [&'static str],
    args: &'static [&'static str],
    option: Option<(&'static str, &'static [&'static str])>,
    codes: &'static [i32],
}

const fn case(
    kinds: &'static [&'static str],
    args: &'static [&'static str],
    option: Option<(&'static str, &'static [&'static str])>,
    codes: &'static [i32],
) -> Case {
    Case { kinds, args, option, codes }
}

const EVERY: &[&str] = &["heap", "profile", "own", "trace"];
const HEAP: &[&str] = &["heap"];
const ONCE: &[&str] = &["once"];

const REPORTS: Option<(&str, &[&str])> = Some(("--format", &["text", "json", "markdown"]));
const CHECKS: Option<(&str, &[&str])> =
    Some(("--format", &["text", "json", "markdown", "junit", "github", "html"]));
const FIGURES: Option<(&str, &[&str])> = Some((
    "--format",
    &["text", "json", "markdown", "junit", "github", "html", "bencher", "benchmark-action"],
));

/// Every verb that prints of an input, in every form.
const CASES: &[Case] = &[
    case(&["heap", "fields", "profile", "own", "trace"], &["info", "IN"], None, &[0]),
    case(EVERY, &["info", "IN", "--json"], None, &[0]),
    case(EVERY, &["convert", "IN", "IN", "--force", "-o", "NAME"], None, &[0]),
    case(EVERY, &["views", "NAME"], None, &[0]),
    case(EVERY, &["extract", "IN", "-o", "filesNAME", "--force"], None, &[0]),
    case(EVERY, &["summary", "-q", "IN"], REPORTS, &[0]),
    case(HEAP, &["show", "-q", "IN", "--class", "*"], REPORTS, &[0]),
    case(HEAP, &["show", "-q", "IN", "--node", "@1"], REPORTS, &[0]),
    case(EVERY, &["find", "-q", "IN", "--name", "*"], REPORTS, &[0]),
    case(HEAP, &["find", "-q", "IN", "--strings", "--text", "NAME"], REPORTS, &[0]),
    case(HEAP, &["index", "IN"], None, &[0]),
    case(HEAP, &["why", "-q", "IN", "--class", "*"], REPORTS, &[0]),
    case(HEAP, &["why", "-q", "IN", "--class", "NAME"], REPORTS, &[2]),
    case(&["profile"], &["check", "-q", "IN", "--budget", "BUDGET"], FIGURES, &[0, 1]),
    case(&["profile"], &["diff", "-q", "IN", "IN", "--fail-on", "RULE"], FIGURES, &[0, 1]),
    // A heap with a section of such a name is damaged, so nothing is held against limits.
    case(&["heap"], &["check", "-q", "IN", "--budget", "BUDGET"], FIGURES, &[2]),
    case(&["heap"], &["diff", "-q", "IN", "IN", "--fail-on", "RULE"], FIGURES, &[2]),
    case(&["trace"], &["diff", "-q", "IN", "IN"], CHECKS, &[0, 1]),
    case(EVERY, &["report", "-q", "IN", "-o", "-"], None, &[0]),
    case(EVERY, &["report", "IN", "--title", "NAME", "-o", "pageNAME", "--force"], None, &[0]),
    case(
        &["profile"],
        &["export", "IN"],
        Some(("--to", &["collapsed", "speedscope", "cpuprofile", "pprof"])),
        // Samples of a heap are no times.
        &[0, 2],
    ),
    case(&["own"], &["export", "IN"], Some(("--to", &["collapsed", "speedscope", "pprof"])), &[0]),
    case(&["profile"], &["export", "IN", "IN"], Some(("--to", &["collapsed", "speedscope"])), &[0]),
    case(&["trace"], &["export", "IN"], Some(("--to", &["chrome"])), &[0]),
    case(EVERY, &["redact", "IN", "copyNAME", "--force"], None, &[0, 1]),
    case(ONCE, &["convert", "--batch", ".", "-o", "batchNAME"], None, &[0, 3]),
    case(ONCE, &["convert", "--batch", ".", "-o", "keptNAME", "--keep", "summary"], None, &[0, 3]),
    case(ONCE, &["cache", "path"], None, &[0]),
    case(ONCE, &["cache", "list"], None, &[0]),
];

/// Verbs that print nothing of an input, and those with tests of their own: below, and in Python those of a page and of
/// a server for agents.
const OTHERS: [&str; 9] =
    ["schema", "completions", "man", "leaks", "query", "capture", "watch", "open", "mcp"];

#[test]
fn nothing_that_is_printed_acts() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let budget = |name: &str, rule: &str| fs::write(dir.join(name), rule).unwrap();
    budget("heap.toml", "[class.\"*\"]\ncount = 0\n");
    budget("profile.toml", "[function.\"*\"]\nself_share = \"0%\"\n");
    let mut inputs = inputs(dir);
    inputs.push((String::new(), "once"));
    for (input, kind) in &inputs {
        let is_heap = *kind == "heap";
        let fill = |arg: &str| match arg {
            "IN" => input.clone(),
            "BUDGET" => if is_heap { "heap.toml" } else { "profile.toml" }.into(),
            "RULE" => if is_heap { "class[*].count>0" } else { "function[*].self_share>0%" }.into(),
            arg => arg
                .strip_suffix("NAME")
                .map_or(arg.into(), |prefix| prefix.to_owned() + &file_name("")),
        };
        for case in CASES.iter().filter(|case| case.kinds.contains(kind)) {
            let args: Vec<String> = case.args.iter().map(|arg| fill(arg)).collect();
            let (option, values) = case.option.unwrap_or(("", &[""]));
            for value in values {
                let option = [option, value].into_iter().filter(|word| !word.is_empty());
                let args: Vec<&str> = args.iter().map(String::as_str).chain(option).collect();
                let output = run(dir, &args, case.codes);
                if output.status.code() != Some(2) {
                    check_values(input, &args, &output.stdout);
                }
            }
        }
    }
    check("GITHUB_STEP_SUMMARY", &fs::read(dir.join(STEP_SUMMARY)).unwrap(), false);
}

/// JSON and XML escape: the value is the name itself.
fn check_values(input: &str, args: &[&str], stdout: &[u8]) {
    let text = String::from_utf8_lossy(stdout);
    let is_json =
        ["json", "--json", "bencher", "benchmark-action", "speedscope", "cpuprofile", "chrome"];
    if args.iter().any(|arg| is_json.contains(arg)) {
        let value: Value =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}: {text}"));
        let holds = |text: &str| value.to_string().contains(&json!(text).to_string()[1..40]);
        assert!(holds(HOSTILE) || holds(input), "{args:?}: {text}");
    }
    if args.contains(&"junit") {
        assert_eq!(text.matches("</system-out>").count(), 1, "{text}");
    }
}

#[test]
fn no_verb_and_no_form_is_left_out() {
    for verb in verbs::names().filter(|verb| !OTHERS.contains(&&verb[..])) {
        let cases = CASES.iter().filter(|case| case.args[0] == verb);
        let options: Vec<_> = cases.map(|case| case.option).collect();
        assert!(!options.is_empty(), "{verb}");
        for option in ["format", "to"] {
            for value in verbs::values(&verb, option) {
                let is_there = |given: &Option<(&str, &[&str])>| {
                    given.is_some_and(|(name, values)| {
                        name[2..] == *option && values.contains(&&*value)
                    })
                };
                assert!(options.iter().any(is_there), "{verb} --{option} {value}");
            }
        }
    }
    assert_eq!(verbs::values("leaks", "format"), CHECKS.unwrap().1);
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
    for form in CHECKS.unwrap().1 {
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
        &["convert", "--batch", &zip, "-o", "batch"],
    ] {
        run(dir, args, &[0, 2, 3]);
    }
    let option = format!("--{HOSTILE}");
    let nth = format!("{zip}#99");
    for args in [
        &["summary", zip.as_str()][..],
        &["summary", &nth],
        &["info", &missing],
        &["convert", &missing, "-o", "x"],
        &["convert", &text, "-o", "x"],
        &["convert", "--batch", &missing, "-o", "x"],
        &["summary", &missing],
        &["show", &missing, "--class", HOSTILE],
        &["show", &missing, "--node", HOSTILE],
        &["why", &missing, "--class", HOSTILE],
        &["find", &missing, "--regex", HOSTILE],
        &["find", &missing, "--text", HOSTILE],
        &["extract", &missing, "-o", "x"],
        &["diff", &missing, &missing],
        &["diff", &zip, &zip, "--fail-on", HOSTILE],
        &["leaks", &missing, &missing],
        &["check", &missing, "--budget", &missing],
        &["check", &missing, "--budget", &text],
        &["report", &missing, "-o", "x"],
        &["report", &missing, "-o", &text],
        &["export", &missing, "--to", "collapsed"],
        &["export", &missing, "--to", HOSTILE],
        &["redact", &missing, "x"],
        &["redact", &text, "x"],
        &["redact", &text, "x", "--deny", HOSTILE],
        &["redact", &text, "x", "--key", &missing],
        &["capture", HOSTILE],
        &["capture", "localhost:1", "--kind", HOSTILE],
        &["capture", "localhost:1", "--raw", &text],
        &["schema", HOSTILE],
        &["views", &missing],
        &["views", HOSTILE, "--schema", HOSTILE],
        &["cache", HOSTILE],
        &["completions", HOSTILE],
        &["convert", &zip, "--tables", HOSTILE, "-o", "x"],
        &["convert", &zip, "--columns", HOSTILE, "-o", "x"],
        &["convert", &zip, "--max-spool", HOSTILE, "-o", "x"],
        &["convert", &option],
        &[&option],
    ] {
        run(dir, args, &[2]);
        // Decoded, the texts of an error do not act either.
        let args = [args, &["--error-format=json"]].concat();
        let output = run(dir, &args, &[2]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let line: Value =
            serde_json::from_str(&stderr).unwrap_or_else(|e| panic!("{args:?}: {e}: {stderr}"));
        for member in ["message", "expected", "found", "advice"] {
            let text = line["error"][member].as_str().unwrap_or_default();
            check(&format!("{args:?}, {member}"), text.as_bytes(), false);
        }
    }
    let output = heapquarry(dir, &["summary", &zip]);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
}

/// A target chooses its names, and those of the pages that it has open.
#[test]
fn names_of_targets_do_not_act() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let target = |id: &str| {
        let address = format!("ws://127.0.0.1:{port}/{id}");
        json!({"id": id, "type": HOSTILE, "title": HOSTILE, "url": HOSTILE, "webSocketDebuggerUrl": address})
    };
    let targets = json!([target(HOSTILE), target("b")]).to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let is_list = request.starts_with(b"GET /json");
            let (status, body) =
                if is_list { ("200 OK", &*targets) } else { ("403 ::error::pwned\x1b", HOSTILE) };
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
        }
    });
    let dir = tempfile::tempdir().unwrap();
    let port = format!("127.0.0.1:{port}");
    run(dir.path(), &["capture", "--list", &port], &[0]);
    for args in [&["capture", &port][..], &["capture", &port, "--error-format=json"]] {
        check(&format!("{args:?}"), &heapquarry(dir.path(), args).stderr, false);
    }
}
