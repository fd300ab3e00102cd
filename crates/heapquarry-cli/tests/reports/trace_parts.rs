//! Parts of traces: what `--process`, `--thread`, `--category`, `--from` and `--until` leave, and traces that are
//! exported.

use super::{Folder, root};
use serde_json::{Value, json};
use std::fs;

/// Two processes; a slice within another, one that begins before the window and one that ends after it; an operation.
const TRACE: &str = r#"[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"Browser"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
{"ph":"M","name":"process_name","pid":2,"args":{"name":"Renderer"}},
{"ph":"B","name":"outer","cat":"app,top","pid":1,"tid":1,"ts":0},
{"ph":"X","name":"inner","cat":"v8","pid":1,"tid":1,"ts":100000,"dur":50000},
{"ph":"I","s":"t","name":"start","cat":"mark","pid":1,"tid":1,"ts":120000},
{"ph":"X","name":"late","cat":"v8","pid":1,"tid":1,"ts":200000,"dur":100000},
{"ph":"E","pid":1,"tid":1,"ts":400000},
{"ph":"X","name":"job","cat":"app","pid":1,"tid":2,"ts":150000,"dur":10000,"args":{"x":[1,{"y":"ü\n"}]}},
{"ph":"C","name":"heap","pid":1,"tid":1,"ts":130000,"args":{"used":7}},
{"ph":"C","name":"heap","pid":2,"tid":5,"ts":130000,"args":{"used":9}},
{"ph":"b","name":"load","cat":"net","id":"0x1","pid":2,"tid":5,"ts":50000},
{"ph":"e","name":"load","cat":"net","id":"0x1","pid":2,"tid":5,"ts":250000},
{"ph":"X","name":"paint","cat":"gpu","pid":2,"tid":5,"ts":500000,"dur":1000.5}
]"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("trace.json", TRACE);
    folder
}

/// Names and counts of some rows of a report.
fn rows(report: &Value, section: &str) -> Vec<Value> {
    let name = if section == "counters" { "process_name" } else { "name" };
    let rows = super::list(report, section).iter();
    rows.map(|row| json!([row[name], row["count"]])).collect()
}

#[test]
fn only_what_is_asked_for_is_summed_up() {
    let folder = folder();
    for (args, slices, operations, counters, totals) in [
        (
            &[][..],
            json!([["outer", 1], ["late", 1], ["inner", 1], ["job", 1], ["paint", 1]]),
            json!([["load", 1]]),
            json!([["Browser", 1], ["Renderer", 1]]),
            json!([15, 501_000_500]),
        ),
        (
            &["--process", "Browser"],
            json!([["outer", 1], ["late", 1], ["inner", 1], ["job", 1]]),
            json!([]),
            json!([["Browser", 1]]),
            json!([10, 400_000_000]),
        ),
        (
            &["--thread", "main"],
            json!([["outer", 1], ["late", 1], ["inner", 1]]),
            json!([]),
            json!([["Browser", 1]]),
            json!([7, 400_000_000]),
        ),
        // By id, and by pattern.
        (
            &["--process", "2", "--thread", "*"],
            json!([["paint", 1]]),
            json!([["load", 1]]),
            json!([["Renderer", 1]]),
            json!([4, 451_000_500]),
        ),
        (
            &["--category", "v8"],
            json!([["late", 1], ["inner", 1]]),
            json!([]),
            json!([]),
            json!([2, 200_000_000]),
        ),
        (&["--category", "top"], json!([["outer", 1]]), json!([]), json!([]), json!([1, 0])),
        (
            &["--from", "0.1", "--until", "0.15"],
            json!([["inner", 1], ["job", 1]]),
            json!([]),
            json!([["Browser", 1], ["Renderer", 1]]),
            json!([5, 60_000_000]),
        ),
        // From a mark to the end of a slice.
        (
            &["--from", "start", "--until", "late", "--category", "v8", "--category", "app"],
            json!([["late", 1], ["job", 1]]),
            json!([]),
            json!([]),
            json!([2, 150_000_000]),
        ),
        (
            &["--until", "load", "--process", "Renderer"],
            json!([]),
            json!([["load", 1]]),
            json!([["Renderer", 1]]),
            json!([3, 200_000_000]),
        ),
    ] {
        let report = folder.json(&[&["summary", "trace.json", "--json"], args].concat());
        assert_eq!(json!(rows(&report, "slices")), slices, "{args:?}");
        assert_eq!(json!(rows(&report, "operations")), operations, "{args:?}");
        assert_eq!(json!(rows(&report, "counters")), counters, "{args:?}");
        let found = &report["totals"];
        assert_eq!(json!([found["event_count"], found["duration_ns"]]), totals, "{args:?}");
        assert_eq!(super::caveats(&report).len(), usize::from(!args.is_empty()));
        let of_threads = super::list(&report, "threads").iter();
        let events: u64 = of_threads.map(|row| row["event_count"].as_u64().unwrap()).sum();
        assert!(events <= found["event_count"].as_u64().unwrap(), "{args:?}");
    }
    let report =
        folder.json(&["summary", "trace.json", "--json", "--thread", "main", "--from", "0.1"]);
    assert_eq!(super::caveats(&report), ["trace.json: only thread main, from 0.1 s"]);
    // The time of nested slices is theirs, asked for or not.
    let report = folder.json(&["summary", "trace.json", "--json", "--category", "app"]);
    assert_eq!(super::list(&report, "slices")[0]["self_time_ns"], 250_000_000);
    assert_eq!(super::list(&report, "threads")[0]["self_time_ns"], 400_000_000);
}

#[test]
fn comparisons_and_limits_are_about_the_part() {
    let folder = folder();
    folder.write("slow.json", &TRACE.replace("\"dur\":1000.5", "\"dur\":99000"));
    let compare = |args: &[&str]| {
        folder
            .run(&[&["diff", "trace.json", "slow.json", "--fail-on", "any"], args].concat())
            .status
            .code()
    };
    assert_eq!(compare(&[]), Some(1));
    assert_eq!(compare(&["--process", "Browser"]), Some(0));
    assert_eq!(compare(&["--process", "Renderer"]), Some(1));
    assert_eq!(compare(&["--until", "0.45"]), Some(0));
    folder.write("trace.toml", "[total]\nslices = 3\n");
    for (args, code) in [(&[][..], 1), (&["--thread", "main"], 0), (&["--process", "1"], 1)] {
        let args = [&["check", "trace.json", "--budget", "trace.toml"], args].concat();
        assert_eq!(folder.answer(&args).0, code, "{args:?}");
    }
}

#[test]
fn what_cannot_be_selected_is_told() {
    let folder = folder();
    for (args, message) in [
        (
            &["summary", "trace.json", "--process", "Brwoser"][..],
            "no process \"Brwoser\" in this trace; did you mean Browser? (trace.json)",
        ),
        (
            &["summary", "trace.json", "--thread", "zzzzzzzz"],
            "no thread \"zzzzzzzz\" in this trace (trace.json)",
        ),
        (
            &["summary", "trace.json", "--category", "v9"],
            "no category \"v9\" in this trace; did you mean v8?",
        ),
        (
            &["summary", "trace.json", "--from", "strat"],
            "no event \"strat\" in this trace; did you mean start?",
        ),
        (
            &["summary", "trace.json", "--from", "2", "--until", "1"],
            "no time between 2 and 1 (trace.json)",
        ),
        (
            &["summary", "1.heapsnapshot", "--thread", "main"],
            "no part of this input can be selected (1.heapsnapshot): it is no trace",
        ),
        (
            &["export", "trace.json", "--to", "collapsed", "--thread", "main"],
            "no part of this input can be selected (trace.json)",
        ),
        (
            &["export", "1.heapsnapshot", "--to", "chrome"],
            "wrong format (1.heapsnapshot): expected a trace",
        ),
    ] {
        let error = folder.failure(args);
        assert!(error.contains(message), "{args:?}: {error}");
    }
}

/// The profiler's own thread is no work of the program.
#[test]
fn the_thread_of_the_profiler_of_pytorch_is_left_out_of_sums() {
    let folder = folder();
    folder.write(
        "kineto.json",
        r#"{"traceEvents":[
{"ph":"X","cat":"Trace","ts":0,"dur":1000,"pid":"Spans","tid":"PyTorch Profiler","name":"PyTorch Profiler (0)"},
{"ph":"X","cat":"cpu_op","ts":10,"dur":100,"pid":7,"tid":7,"name":"aten::add"}]}"#,
    );
    let report = folder.json(&["summary", "kineto.json", "--json"]);
    assert_eq!(json!(rows(&report, "slices")), json!([["aten::add", 1]]));
    assert_eq!(super::list(&report, "slices")[0]["self_percent"], 100.0);
    let note = "kineto.json: sums of slices leave out the profiler's own thread (PyTorch Profiler)";
    assert_eq!(super::caveats(&report), [note]);
}

/// What was exported says the same as what it was exported from.
#[test]
fn exported_traces_are_the_traces() {
    let folder = folder();
    let mut sources = vec![folder.0.path().join("trace.json")];
    let files = fs::read_dir(root().join("corpus/traces")).unwrap();
    sources.extend(files.map(|file| file.unwrap().path()));
    let mut parts: Vec<(&str, Vec<&str>)> =
        sources.iter().map(|source| (source.to_str().unwrap(), Vec::new())).collect();
    parts.push(("trace.json", vec!["--thread", "main"]));
    parts.push(("trace.json", vec!["--process", "Renderer"]));
    parts.push(("trace.json", vec!["--thread", "worker", "--from", "0.1"]));
    for (source, part) in parts {
        let exported = folder.text(&[&["export", source, "--to", "chrome"], &part[..]].concat());
        serde_json::from_str::<Value>(&exported).unwrap();
        folder.write("exported.json", &exported);
        let answer = |args: &[&str]| {
            let mut report = folder.json(&[&["summary"], args, &["--json"]].concat());
            // Where repairs were, and what cannot be told from events.
            for section in ["caveats", "issues", "cpu_profiles"] {
                report[section].take();
            }
            if !part.is_empty() {
                // Names of other threads remain.
                for section in ["totals", "threads", "processes"] {
                    report[section].take();
                }
            }
            report
        };
        let expected = answer(&[&[source], &part[..]].concat());
        assert_eq!(answer(&["exported.json"]), expected, "{source} {part:?}");
    }
    let exported = folder.text(&["export", "trace.json", "--to", "chrome", "--thread", "worker"]);
    let events: Value = serde_json::from_str(&exported).unwrap();
    let events = events["traceEvents"].as_array().unwrap();
    let job = events.iter().find(|event| event["name"] == "job").unwrap();
    let expected = json!({
        "ph": "X", "name": "job", "cat": "app", "ts": 150_000.0, "dur": 10_000.0, "pid": 1, "tid": 2,
        "args": {"x": [1, {"y": "ü\n"}]},
    });
    assert_eq!(*job, expected);
    assert!(events.iter().all(|event| event["ph"] == "M" || event["tid"] == 2), "{events:?}");
    // Tables are as good as the file, and a stream cannot be read twice.
    assert!(folder.run(&["convert", "trace.json", "-o", "tables", "-q"]).status.success());
    assert_eq!(
        folder.text(&["export", "tables", "--to", "chrome", "--thread", "worker"]),
        exported
    );
    let stdin = fs::File::open(folder.0.path().join("trace.json")).unwrap();
    let output = folder.command(&["export", "-", "--to", "chrome"]).stdin(stdin).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("no second reading of a stream: save it to a file first (-)"),
        "{error}"
    );
}
