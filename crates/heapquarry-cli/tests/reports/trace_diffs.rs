//! What `diff` and `check` say of traces that are made here; the numbers by hand.

use super::{Folder, golden, root};
use serde_json::{Value, json};
use std::fs;

/// A renderer whose main thread has a long task, a worker, a counter, frames and a GPU. Ids and start differ by
/// `shift`; what is `more` takes twice as long.
fn trace(shift: i64, more: bool) -> String {
    let (pid, tid, ts) = (10 + shift, 11 + shift, 1_000_000 * shift);
    let times = if more { 2 } else { 1 };
    let slice = |name: &str, cat: &str, tid: i64, at: i64, dur: i64| {
        let ts = ts + at;
        format!(
            r#"{{"ph":"X","name":"{name}","cat":"{cat}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur}}}"#
        )
    };
    let kernel = |at: i64, dur: i64| {
        let ts = ts + at;
        format!(
            r#"{{"ph":"X","name":"gemm","cat":"kernel","pid":0,"tid":7,"ts":{ts},"dur":{dur}}}"#
        )
    };
    let mark = |name: &str, at: i64| {
        let ts = ts + at;
        format!(
            r#"{{"ph":"I","s":"t","name":"{name}","cat":"f","pid":{pid},"tid":{tid},"ts":{ts}}}"#
        )
    };
    let meta = |name: &str, pid: i64, tid: i64, args: &str| {
        format!(r#"{{"ph":"M","name":"{name}","pid":{pid},"tid":{tid},"args":{{{args}}}}}"#)
    };
    let value = |at: i64, value: i64| {
        let ts = ts + at;
        format!(
            r#"{{"ph":"C","name":"heap","pid":{pid},"tid":{tid},"ts":{ts},"args":{{"used":{value}}}}}"#
        )
    };
    let number = shift + 3;
    let mut events = vec![
        meta("process_name", pid, tid, r#""name":"Renderer""#),
        meta("thread_name", pid, tid, r#""name":"CrRendererMain""#),
        meta("thread_name", pid, tid + 1, &format!(r#""name":"worker-{number}""#)),
        meta("process_labels", 0, 7, r#""labels":"GPU 0""#),
        meta("thread_name", 0, 7, r#""name":"stream 7 ""#),
        slice("RunTask", "toplevel", tid, 0, 60_000 + 30_000 * times),
        slice("parse", "v8", tid, 10_000, 30_000 * times),
        slice(&format!("step#{number}"), "app", tid + 1, 0, 5_000),
        slice(&format!("step#{}", number + 1), "app", tid + 1, 6_000, 7_000),
        kernel(0, 1_000),
        kernel(1_000 + 100 * times, 1_000),
        kernel(4_000, 500),
        value(0, 1_000_000),
        value(50, 2_000_000 * times),
    ];
    events.extend((0..5).map(|frame| mark("DrawFrame", 16_667 * frame)));
    events.extend(more.then(|| mark("DroppedFrame", 16_667 * 5)));
    format!("[{}]", events.join(",\n"))
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("before.json", &trace(0, false));
    folder.write("after.json", &trace(100, true));
    folder.write("same.json", &trace(200, false));
    folder
}

#[test]
fn answers_are_as_kept() {
    let folder = folder();
    for (name, args) in [
        ("trace-diff.txt", &["diff", "before.json", "after.json"][..]),
        ("trace-diff.json", &["diff", "before.json", "after.json", "--json"]),
        (
            "trace-diff-runs.md",
            &[
                "diff",
                "--before",
                "before.json",
                "same.json",
                "--after",
                "after.json",
                "after.json",
                "--format",
                "markdown",
            ],
        ),
    ] {
        golden(name, &folder.text(args));
    }
    let page = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    assert!(page.contains(&folder.text(&["diff", "before.json", "after.json"])));
    super::all_members_are_documented(&folder.text(&[
        "diff",
        "before.json",
        "after.json",
        "--json",
    ]));
}

/// Ids and starts are no difference.
#[test]
fn equal_traces_of_two_processes_do_not_differ() {
    let report = folder().json(&["diff", "before.json", "same.json", "--json"]);
    let lists = report.as_object().unwrap().values();
    let rows = lists.filter_map(|list| list.get("rows")?.as_array()).flatten();
    let rows: Vec<&Value> = rows.collect();
    assert!(rows.len() > 8, "{rows:?}");
    assert!(rows.iter().all(|row| row["change"] == "same" && row["delta"] == 0), "{rows:?}");
}

#[test]
fn figures_are_those_of_the_events() {
    let report = folder().json(&["diff", "before.json", "after.json", "--json"]);
    let figure = |list: &str, at: &str, name: &str, figure: &str| -> Value {
        let rows = super::list(&report, list);
        let row =
            rows.iter().find(|row| row[at] == name).unwrap_or_else(|| panic!("{name}: {rows:?}"));
        let of = &row["figures"][figure];
        json!([row["change"], of["before"], of["after"]])
    };
    for (list, at, name, of, expected) in [
        ("slices", "name", "parse", "self_time_ns", json!(["more", 30_000_000, 60_000_000])),
        // It is not RunTask itself that takes longer.
        ("slices", "name", "RunTask", "self_time_ns", json!(["same", 60_000_000, 60_000_000])),
        ("slices", "name", "RunTask", "total_time_ns", json!(["same", 90_000_000, 120_000_000])),
        ("slices", "name", "step#*", "count", json!(["same", 2, 2])),
        ("slices", "name", "step#*", "p50_ns", json!(["same", 5_000_000, 5_000_000])),
        ("slices", "name", "step#*", "p95_ns", json!(["same", 7_000_000, 7_000_000])),
        (
            "main_threads",
            "thread_name",
            "CrRendererMain",
            "blocking_ns",
            json!(["more", 40_000_000, 70_000_000]),
        ),
        (
            "threads",
            "thread_name",
            "CrRendererMain",
            "self_time_ns",
            json!(["more", 90_000_000, 120_000_000]),
        ),
        ("threads", "thread_name", "worker-*", "task_count", json!(["same", 2, 2])),
        ("frames", "name", "frame", "dropped_count", json!(["more", 0, 1])),
        ("frames", "name", "frame", "p50_ns", json!(["more", 16_667_000, 16_667_000])),
        ("gpus", "thread_name", "stream 7", "busy_ns", json!(["more", 2_500_000, 2_500_000])),
        // Two gaps: 100 and 1,900 us; then 200 and 1,800 us. Their sum is the same.
        (
            "gpus",
            "thread_name",
            "stream 7",
            "longest_gap_ns",
            json!(["less", 1_900_000, 1_800_000]),
        ),
        ("counters", "counter_name", "heap", "max", json!(["more", 2_000_000, 4_000_000])),
        ("counters", "counter_name", "heap", "mean", json!(["more", 1_500_000, 2_500_000])),
    ] {
        let found = figure(list, at, name, of);
        if list == "gpus" {
            // Whether the change of the gap counts is not what this is about.
            assert_eq!([&found[1], &found[2]], [&expected[1], &expected[2]], "{name}.{of}");
        } else {
            assert_eq!(found, expected, "{name}.{of}");
        }
    }
    let traces = &report["traces"];
    assert_eq!([&traces[0]["side"], &traces[1]["side"]], ["before", "after"]);
    assert_eq!(traces[1]["blocking_ns"], 70_000_000);
}

#[test]
fn exit_codes_and_limits() {
    let folder = folder();
    folder.write(
        "trace.toml",
        "[total]\nblocking = \"50 ms\"\n[slice.parse]\np95 = \"40 ms\"\n[counter.\"*/heap.used\"]\nmax = 3000000\n\
         [thread.\"*Main\"]\ntotal = \"+10%\"\n[frame.\"*\"]\ndropped = 0\n[process.Renderer]\ncount = 10\n\
         [category.v8]\nself = \"1 s\"\n",
    );
    for (args, code) in [
        (&["diff", "before.json", "after.json"][..], 0),
        (&["diff", "before.json", "same.json", "--fail-on", "any"], 0),
        (&["diff", "before.json", "after.json", "--fail-on", "any"], 1),
        (&["diff", "before.json", "after.json", "--fail-on", "any", "--noise", "500%"], 1),
        (&["diff", "before.json", "after.json", "--fail-on", "slice[RunTask].self>+1%"], 0),
        (&["diff", "before.json", "after.json", "--fail-on", "slice[parse].p95>+1%"], 1),
        (&["diff", "before.json", "after.json", "--fail-on", "worse[slices*].growth>200%"], 0),
        (&["check", "before.json", "--budget", "trace.toml", "--baseline", "same.json"], 0),
        (&["check", "after.json", "--budget", "trace.toml", "--baseline", "same.json"], 1),
    ] {
        assert_eq!(folder.answer(args).0, code, "{args:?}");
    }
    let args =
        ["check", "after.json", "--budget", "trace.toml", "--baseline", "same.json", "--json"];
    let report: Value = serde_json::from_str(&folder.answer(&args).1).unwrap();
    let outcomes: Vec<_> =
        report["checks"].as_array().unwrap().iter().map(|c| &c["outcome"]).collect();
    assert_eq!(
        outcomes,
        ["exceeded", "exceeded", "exceeded", "exceeded", "exceeded", "passed", "passed"]
    );
    // A baseline in a file is the trace itself.
    let saved = folder.run(&["check", "same.json", "--save-baseline", "base.json"]);
    assert!(saved.status.success());
    let from_file = folder.answer(&[
        "check",
        "after.json",
        "--budget",
        "trace.toml",
        "--baseline",
        "base.json",
        "--json",
    ]);
    assert_eq!(serde_json::from_str::<Value>(&from_file.1).unwrap()["checks"], report["checks"]);
}

#[test]
fn limits_of_another_kind_are_told() {
    let folder = folder();
    folder.write("heap.toml", "[class.Session]\ncount = 5\n");
    folder.write("trace.toml", "[slice.parse]\np95 = \"40 ms\"\n");
    for (args, message) in [
        (
            &["check", "before.json", "--budget", "heap.toml"][..],
            "limits do not fit the input (heap.toml): they are for heaps, found a trace",
        ),
        (
            &["check", "1.heapsnapshot", "--budget", "trace.toml"],
            "limits do not fit the input (trace.toml): they are for traces, found a heap snapshot",
        ),
        (
            &["diff", "before.json", "after.json", "--fail-on", "class[A].count>5"],
            "limits do not fit the input (class[A].count>5): they are for heaps, found a trace",
        ),
        (
            &["diff", "1.heapsnapshot", "2.heapsnapshot", "--fail-on", "slice.p95>5 ms"],
            "limits do not fit the input (slice.p95>5 ms): they are for traces, found a heap",
        ),
        (
            &["diff", "before.json", "after.json", "--fail-on", "slice[parse].p9>5 ms"],
            "expected a quantity of slice (count, self, total, p50, p95, max), found \"p9>5 ms\"",
        ),
        (
            &["diff", "before.json", "after.json", "--fail-on", "slice[pars].p95>5 ms"],
            "there is no slice \"pars\"; did you mean parse?",
        ),
        (
            &["diff", "1.heapsnapshot", "before.json"],
            "cannot compare a heap snapshot or timeline with a trace (1.heapsnapshot)",
        ),
        (
            &["diff", "--before", "1.heapsnapshot", "2.heapsnapshot", "--after", "3.heapsnapshot"],
            "wrong format (3.heapsnapshot): expected profiles or traces",
        ),
    ] {
        let error = folder.failure(args);
        assert!(error.contains(message), "{args:?}: {error}");
    }
}

#[test]
fn tables_and_scheduler_events_compare_as_files_do() {
    let folder = folder();
    for name in ["before", "after"] {
        let output = folder.run(&[
            "convert",
            &format!("{name}.json"),
            "-o",
            &format!("{name}.tables"),
            "-q",
        ]);
        assert!(output.status.success());
    }
    let of_files = folder.json(&["diff", "before.json", "after.json", "--json"]);
    let mut of_tables = folder.json(&["diff", "before.tables", "after.tables", "--json"]);
    for (row, name) in
        of_tables["traces"].as_array_mut().unwrap().iter_mut().zip(["before.json", "after.json"])
    {
        row["name"] = json!(name);
    }
    assert_eq!(of_tables, of_files);
    let line = |cpu: u8, at: &str, from: &str, state: &str, to: &str| {
        let (from, to) = (
            format!("prev_comm={from} prev_pid={}", from.len()),
            format!("next_comm={to} next_pid={}", to.len()),
        );
        format!(
            " x-1 ( 1) [00{cpu}] d..3 {at}: sched_switch: {from} prev_prio=1 prev_state={state} ==> {to} next_prio=1\n"
        )
    };
    for (name, end) in [("a.ftrace", "1.020000"), ("b.ftrace", "1.040000")] {
        let lines = [
            line(0, "1.000000", "aa", "R", "bbb"),
            line(0, end, "bbb", "S", "aa"),
            line(0, "1.050000", "aa", "D", "bbb"),
        ];
        folder.write(name, &format!("# tracer: nop\n{}", lines.concat()));
    }
    let report = folder.json(&["diff", "a.ftrace", "b.ftrace", "--json"]);
    let rows = super::list(&report, "scheduled_threads");
    let row = |name: &str| rows.iter().find(|row| row["thread_name"] == name).unwrap();
    assert_eq!(row("bbb")["figures"]["running_ns"]["after"], 40_000_000);
    assert_eq!(row("bbb")["changed"], "running_ns");
    assert_eq!(
        row("aa")["figures"]["ready_ns"],
        json!({"before": 20_000_000, "after": 40_000_000, "delta": 20_000_000})
    );
    super::all_members_are_documented(&folder.text(&["diff", "a.ftrace", "b.ftrace", "--json"]));
}
