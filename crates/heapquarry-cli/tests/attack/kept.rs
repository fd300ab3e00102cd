//! The text of traces and profiles counts for `--memory`, in each format, whatever asks for it, and wherever it comes
//! from: what needs more is refused before it is in memory.

use super::{duckdb, failing, heapquarry};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

const NAMES: usize = 300;
const LEN: usize = 1400;
/// Less than the text of the names, more than all else of each input.
const TOO_LITTLE: &str = "200kB";
const ENOUGH: &str = "100MB";

/// The name of a function or an event, as long as real ones never are.
fn name(number: usize) -> String {
    format!("{number:0LEN$}")
}

/// The names, each in what `around` makes of it, separated by `separator`.
fn each(separator: &str, around: impl Fn(usize, &str) -> String) -> String {
    let all = (0..NAMES).map(|number| around(number, &name(number)));
    all.collect::<Vec<_>>().join(separator)
}

fn frame(name: &str, line: usize) -> String {
    format!(
        r#"{{"functionName":"{name}","scriptId":"1","url":"file:///a.js","lineNumber":{line},"columnNumber":1}}"#
    )
}

/// Nodes of a CPU profile: a root, and a function of each name below it.
fn cpu_nodes() -> String {
    let ids: Vec<String> = (0..NAMES).map(|number| (number + 2).to_string()).collect();
    let node = |number: usize, name: &str| {
        format!(r#"{{"id":{},"callFrame":{},"hitCount":1}}"#, number + 2, frame(name, number))
    };
    let root = frame("(root)", 0);
    format!(
        r#"[{{"id":1,"callFrame":{root},"hitCount":0,"children":[{}]}},{}]"#,
        ids.join(","),
        each(",", node)
    )
}

fn cpu_profile() -> String {
    let numbers = |of: fn(usize) -> usize| {
        (0..NAMES).map(|number| of(number).to_string()).collect::<Vec<_>>().join(",")
    };
    format!(
        r#"{{"nodes":{},"startTime":0,"endTime":9000,"samples":[{}],"timeDeltas":[{}]}}"#,
        cpu_nodes(),
        numbers(|number| number + 2),
        numbers(|_| 10)
    )
}

fn heap_profile() -> String {
    let node = |number: usize, name: &str| {
        format!(
            r#"{{"callFrame":{},"selfSize":8,"id":{},"children":[]}}"#,
            frame(name, number),
            number + 2
        )
    };
    format!(
        r#"{{"head":{{"callFrame":{},"selfSize":0,"id":1,"children":[{}]}},"samples":[]}}"#,
        frame("(root)", 0),
        each(",", node)
    )
}

fn self_profile() -> String {
    let list = |of: &dyn Fn(usize) -> String| (0..NAMES).map(of).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"resources":["https://a.test/a.js"],"frames":[{}],"stacks":[{}],"samples":[{}]}}"#,
        each(",", |line, name| format!(
            r#"{{"name":"{name}","resourceId":0,"line":{line},"column":1}}"#
        )),
        list(&|number| format!(r#"{{"frameId":{number}}}"#)),
        list(&|number| format!(r#"{{"timestamp":{number},"stackId":{number}}}"#)),
    )
}

/// A number as Protocol Buffers write it.
fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 127) as u8;
        number >>= 7;
        bytes.push(if number == 0 { low } else { low | 128 });
        if number == 0 {
            return bytes;
        }
    }
}

/// Functions of all names.
fn pprof() -> Vec<u8> {
    let names: Vec<String> = (0..NAMES).map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    pprof_of(NAMES, &names, |number| number + 2)
}

/// So many functions, of which `name` says the text, from 3 on; each is sampled.
fn pprof_of(functions: usize, names: &[&str], name: impl Fn(usize) -> usize) -> Vec<u8> {
    let field = |number: usize, bytes: &[u8]| {
        [varint(number << 3 | 2), varint(bytes.len()), bytes.to_vec()].concat()
    };
    let numbers = |numbers: &[(usize, usize)]| -> Vec<u8> {
        numbers.iter().flat_map(|&(field, n)| [varint(field << 3), varint(n)].concat()).collect()
    };
    let mut profile: Vec<u8> = field(1, &numbers(&[(1, 1), (2, 2)]));
    for number in 1..=functions {
        profile.extend(field(2, &[field(1, &varint(number)), field(2, &varint(7))].concat()));
        let line = field(4, &numbers(&[(1, number), (2, 5)]));
        profile.extend(field(4, &[numbers(&[(1, number)]), line].concat()));
        let function = [(1, number), (2, name(number)), (5, number)];
        profile.extend(field(5, &numbers(&function)));
    }
    for text in ["", "cpu", "nanoseconds"] {
        profile.extend(field(6, text.as_bytes()));
    }
    names.iter().for_each(|name| profile.extend(field(6, name.as_bytes())));
    profile
}

fn trace() -> String {
    let event = |number: usize, name: &str| {
        format!(r#"{{"ph":"X","name":"{name}","ts":{number}0,"dur":5,"pid":1,"tid":1}}"#)
    };
    format!("[{}]", each(",\n", event))
}

/// A trace without much of its own: its text is that of a CPU profile in it.
fn trace_with_profile() -> String {
    let event = |name: &str, data: &str| {
        format!(
            r#"{{"ph":"P","name":"{name}","id":"0x1","ts":1,"pid":1,"tid":1,"args":{{"data":{data}}}}}"#
        )
    };
    let ids: Vec<String> = (0..NAMES).map(|number| (number + 2).to_string()).collect();
    let chunk = format!(
        r#"{{"cpuProfile":{{"nodes":{},"samples":[{}]}},"timeDeltas":[{}]}}"#,
        cpu_nodes(),
        ids.join(","),
        vec!["10"; NAMES].join(",")
    );
    format!("[{},{}]", event("Profile", r#"{"startTime":1}"#), event("ProfileChunk", &chunk))
}

fn ftrace() -> String {
    let mut text = String::from("# tracer: nop\n#\n");
    for number in 0..NAMES {
        let time = format!("{:.6}", number as f64 / 1000.0 + 1.0);
        let task = "          <...>-1     [000] ....";
        writeln!(text, "{task}     {time}: tracing_mark_write: B|1|{}", name(number)).unwrap();
        writeln!(text, "{task}     {time}: tracing_mark_write: E|1").unwrap();
    }
    text
}

/// An input with its path, and whether it has functions.
struct Case {
    path: PathBuf,
    has_functions: bool,
}

/// One of each format, and what `convert` makes of it.
fn inputs(dir: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (file, bytes, has_functions) in [
        ("a.json", trace().into_bytes(), false),
        ("b.json", trace_with_profile().into_bytes(), true),
        ("c.ftrace", ftrace().into_bytes(), false),
        ("d.cpuprofile", cpu_profile().into_bytes(), true),
        ("e.heapprofile", heap_profile().into_bytes(), true),
        ("f.selfprofile.json", self_profile().into_bytes(), true),
        ("g.pb", pprof(), true),
    ] {
        let (path, tables) = (dir.join(file), dir.join(format!("{file}.tables")));
        fs::write(&path, bytes).unwrap();
        let [from, to] = [&path, &tables].map(|path| path.to_str().unwrap());
        let made = heapquarry(dir, &["convert", "-q", from, "-o", to]);
        assert!(made.status.success(), "{file}: {}", String::from_utf8_lossy(&made.stderr));
        cases.extend([path, tables].map(|path| Case { path, has_functions }));
    }
    cases
}

#[test]
fn text_of_traces_and_profiles_counts_in_every_verb() {
    let (dir, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let budget = kept.path().join("budget.toml");
    for Case { path, has_functions } in inputs(kept.path()) {
        let input = path.to_str().unwrap();
        let is_stored = path.is_dir();
        let is_trace = ["a.", "b.", "c."]
            .iter()
            .any(|start| path.file_name().unwrap().to_str().unwrap().starts_with(start));
        fs::write(
            &budget,
            if is_trace { "[total]\nevents = 0\n" } else { "[total]\nfunctions = 0\n" },
        )
        .unwrap();
        let mut verbs = vec![
            vec!["summary", "-q", input],
            vec!["diff", "-q", input, input],
            vec!["report", "-q", input, "-o", "out"],
            vec!["open", "-q", "--no-browser", input],
            vec!["check", "-q", input, "--budget", budget.to_str().unwrap()],
        ];
        if !is_stored {
            verbs.push(vec!["convert", "-q", input, "-o", "out"]);
        }
        if duckdb().is_some() && !is_stored {
            verbs.push(vec!["query", "-q", input, "SELECT 1"]);
        }
        if has_functions {
            verbs.push(vec!["export", input, "--to", "collapsed"]);
        }
        if !is_trace {
            verbs.push(vec!["find", "-q", input, "--text", "1"]);
        }
        for args in verbs {
            let with = |memory| [&args[..], &["--memory", memory]].concat();
            let refused = failing(dir.path(), &with(TOO_LITTLE));
            let error = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{args:?}: {error}");
            assert!(error.starts_with("error: not enough memory ("), "{args:?}: {error}");
            let advice = "; use --memory SIZE to set another limit\n";
            assert!(error.ends_with(advice) && error.lines().count() == 1, "{args:?}: {error}");
            let left = fs::read_dir(&dir).unwrap().filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                !name.to_string_lossy().contains("cache")
            });
            assert_eq!(left.count(), 0, "{args:?}: something is left");
            // It runs for ever.
            if args[0] == "open" {
                continue;
            }
            let done = heapquarry(dir.path(), &with(ENOUGH));
            let error = String::from_utf8_lossy(&done.stderr);
            // More is there than the budget allows.
            let expected = if args[0] == "check" { 1 } else { 0 };
            assert_eq!(done.status.code(), Some(expected), "{args:?}: {error}");
            let _ = fs::remove_dir_all(dir.path().join("out"));
            let _ = fs::remove_file(dir.path().join("out"));
        }
    }
}

/// A name that functions share is in memory once, however many there are: the file has it once, too.
#[test]
fn a_name_that_functions_share_counts_once() {
    const LONG: usize = 20_000;
    const FUNCTIONS: usize = 1_000;
    let dir = tempfile::tempdir().unwrap();
    let long = "x".repeat(LONG);
    fs::write(dir.path().join("a.pb"), pprof_of(FUNCTIONS, &[long.as_str()], |_| 3)).unwrap();
    let frames: Vec<String> = (0..FUNCTIONS)
        .map(|line| format!(r#"{{"name":"f","resourceId":0,"line":{line},"column":1}}"#))
        .collect();
    let list = |of: &dyn Fn(usize) -> String| (0..FUNCTIONS).map(of).collect::<Vec<_>>().join(",");
    let own = format!(
        r#"{{"resources":["{long}"],"frames":[{}],"stacks":[{}],"samples":[{}]}}"#,
        frames.join(","),
        list(&|number| format!(r#"{{"frameId":{number}}}"#)),
        list(&|number| format!(r#"{{"timestamp":{number},"stackId":{number}}}"#)),
    );
    fs::write(dir.path().join("a.selfprofile.json"), own).unwrap();
    fs::write(dir.path().join("budget.toml"), "[total]\nfunctions = \"1_000_000\"\n").unwrap();
    for input in ["a.pb", "a.selfprofile.json"] {
        for args in [
            &["summary", "-q", input, "--top", "1", "--json"][..],
            &["find", "-q", input, "--name", "y"],
            &["diff", "-q", input, input, "--top", "1"],
            &["check", "-q", input, "--budget", "budget.toml"],
            &["convert", "-q", input, "-o", "out"],
            &["export", input, "--to", "pprof"],
        ] {
            // Of copies it would be a tenth.
            let run = heapquarry(dir.path(), &[args, &["--memory", "2MB"]].concat());
            let error = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(0), "{args:?}: {error}");
            let _ = fs::remove_dir_all(dir.path().join("out"));
        }
    }
}

/// What a trace leaves counts while the text in it is read: each part alone would be allowed.
#[test]
fn a_trace_counts_beside_the_text_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let values = each(",", |number, name| format!(r#""{number}":"{name}""#));
    let lines = ftrace().replace('\n', "\\n");
    let with = |values: &str, lines: &str| {
        let text = format!(
            r#"{{"traceEvents":[{}],"metadata":{{{values}}},"systemTraceEvents":"{lines}"}}"#,
            r#"{"ph":"X","name":"a","ts":1,"dur":5,"pid":1,"tid":1}"#
        );
        fs::write(dir.path().join("a.json"), text).unwrap();
        let run = heapquarry(dir.path(), &["summary", "-q", "a.json", "--memory", "1200kB"]);
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    assert_eq!(with(&values, ""), (Some(0), String::new()));
    assert_eq!(with("", &lines), (Some(0), String::new()));
    let (code, error) = with(&values, &lines);
    assert!(code == Some(2) && error.starts_with("error: not enough memory ("), "{error}");
}

/// Samples that are out of order are sorted in memory: 48 bytes for each, of which the file has four.
#[test]
fn samples_that_must_be_sorted_count() {
    let dir = tempfile::tempdir().unwrap();
    let samples = 200_000;
    let profile = format!(
        r#"{{"nodes":[{{"id":1,"callFrame":{}}}],"startTime":0,"samples":[{}],"timeDeltas":[{}]}}"#,
        frame("f", 1),
        vec!["1"; samples].join(","),
        vec!["2,-1"; samples / 2].join(",")
    );
    fs::write(dir.path().join("a.cpuprofile"), profile).unwrap();
    let summary =
        |memory| heapquarry(dir.path(), &["summary", "-q", "a.cpuprofile", "--memory", memory]);
    let refused = summary("2MB");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.starts_with("error: not enough memory (a.cpuprofile): "), "{error}");
    assert_eq!(summary(ENOUGH).status.code(), Some(0));
}

/// Maps that are not used are not ignored silently.
#[test]
fn source_maps_that_are_not_used_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let map = r#"{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}"#;
    fs::write(dir.path().join("a.js.map"), map).unwrap();
    fs::write(dir.path().join("a.pb"), pprof()).unwrap();
    let with = |args: &[&str]| {
        let run = heapquarry(dir.path(), &[args, &["--source-map", "a.js.map"]].concat());
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stderr).unwrap()
    };
    with(&["convert", "a.pb", "-o", "out", "--compression", "none"]);
    let log = fs::read(dir.path().join("out/import_log.parquet")).unwrap();
    let told = b"source maps are not used: tables of pprof profiles have no columns for them";
    assert!(log.windows(told.len()).any(|part| part == told));
    if duckdb().is_some() {
        let error = with(&["query", "out", "SELECT 1"]);
        assert!(error.contains("source maps are not used for out: its tables"), "{error}");
    }
}
