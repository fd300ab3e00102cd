//! What `summary` says of a trace that is made here, and what cannot be said of traces.

use super::{Folder, golden, root};
use serde_json::{Value, json};
use std::fs;

/// Two processes, one without a name; slices that nest, call themselves, do not end and end twice.
const TRACE: &str = r#"[
{"ph":"M","name":"process_name","pid":10,"tid":10,"args":{"name":"Browser"}},
{"ph":"M","name":"process_labels","pid":10,"tid":10,"args":{"labels":"shop.example"}},
{"ph":"M","name":"thread_name","pid":10,"tid":10,"args":{"name":"CrBrowserMain"}},
{"ph":"M","name":"thread_name","pid":10,"tid":12345,"args":{"name":"worker"}},
{"ph":"X","name":"Task","cat":"toplevel","pid":10,"tid":10,"ts":1000,"dur":5000},
{"ph":"X","name":"parse","cat":"v8","pid":10,"tid":10,"ts":1500,"dur":2000},
{"ph":"X","name":"parse","cat":"v8","pid":10,"tid":10,"ts":2000,"dur":500.5},
{"ph":"B","name":"parse","cat":"app","pid":10,"tid":12345,"ts":1000},
{"ph":"E","pid":10,"tid":12345,"ts":1250},
{"ph":"E","pid":10,"tid":12345,"ts":1300},
{"ph":"B","name":"loop","cat":"app","pid":20,"tid":"main","ts":3000},
{"ph":"C","name":"heap","pid":10,"tid":10,"ts":1000,"args":{"used":1048576,"ratio":0.5}},
{"ph":"C","name":"heap","pid":10,"tid":10,"ts":4000,"args":{"used":3145728,"ratio":0.25}},
{"ph":"C","name":"heap","pid":10,"tid":10,"ts":2000,"args":{"used":2097152}},
{"ph":"C","name":"heap","pid":20,"id":"7","ts":2000,"args":{"used":-5}},
{"ph":"b","name":"fetch","cat":"net","id":1,"pid":10,"tid":10,"ts":1000},
{"ph":"b","name":"fetch","cat":"net","id":2,"pid":10,"tid":10,"ts":1100},
{"ph":"n","name":"sent","cat":"net","id":2,"pid":10,"tid":10,"ts":1200},
{"ph":"e","name":"fetch","cat":"net","id":2,"pid":10,"tid":10,"ts":4000},
{"ph":"i","name":"click","cat":"input","pid":10,"tid":10,"ts":1700,"s":"t"},
{"ph":"s","name":"flow","cat":"f","id":3,"pid":10,"tid":10,"ts":1600},
{"ph":"f","name":"flow","cat":"f","id":3,"pid":10,"tid":12345,"ts":1100,"bp":"e"}
]"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("trace.json", TRACE);
    folder
}

#[test]
fn answers_are_as_kept() {
    let folder = folder();
    for (name, args) in [
        ("trace-summary.txt", &["summary", "trace.json"][..]),
        ("trace-summary.json", &["summary", "trace.json", "--json"]),
        ("trace-summary-top.md", &["summary", "trace.json", "--top", "1", "--format", "markdown"]),
    ] {
        golden(name, &folder.text(args));
    }
}

/// What was put in comes out: the numbers by hand.
#[test]
fn sums_are_those_of_the_events() {
    let report = folder().json(&["summary", "trace.json", "--json"]);
    let rows = |section: &str, columns: &[&str]| -> Vec<Value> {
        let of = |row: &Value| columns.iter().map(|column| row[column].clone()).collect();
        super::list(&report, section).iter().map(of).collect()
    };
    assert_eq!(
        rows(
            "slices",
            &["name", "category", "count", "self_time_ns", "total_time_ns", "longest_ns"]
        ),
        [
            json!(["Task", "toplevel", 1, 3_000_000, 5_000_000, 5_000_000]),
            // The inner one counts once in the total.
            json!(["parse", "v8", 2, 2_000_000, 2_000_000, 2_000_000]),
            json!(["parse", "app", 1, 250_000, 250_000, 250_000]),
            json!(["loop", "app", 1, 0, 0, null]),
        ]
    );
    assert_eq!(
        rows("processes", &["process_name", "pid", "thread_count", "slice_count", "self_time_ns"]),
        [json!(["Browser", 10, 2, 4, 5_250_000]), json!([null, 20, 2, 1, 0])]
    );
    assert_eq!(
        rows("counters", &["counter_name", "id", "series", "pid", "count", "min", "max", "last"]),
        [
            json!(["heap", null, "used", 10, 3, 1_048_576, 3_145_728, 3_145_728]),
            json!(["heap", null, "ratio", 10, 2, 0.25, 0.5, 0.25]),
            json!(["heap", "7", "used", 20, 1, -5, -5, -5]),
        ]
    );
    assert_eq!(
        rows("operations", &["name", "category", "count", "unended_count", "total_time_ns"]),
        [json!(["fetch", "net", 2, 1, 2_900_000])]
    );
    let issues = rows("issues", &["code", "severity", "count"]);
    for expected in [json!(["unmatched_end", "info", 1]), json!(["unclosed_slice", "info", 2])] {
        assert!(issues.contains(&expected), "{issues:?}");
    }
}

/// A text of the kernel's tracer: two CPUs, a thread that waits for its turn, and a slice in a slice.
const FTRACE: &str = "\
# tracer: nop
 a-5 ( 5) [000] d..3 1.000000: sched_switch: prev_comm=a prev_pid=5 prev_prio=1 prev_state=R ==> next_comm=b next_pid=6 next_prio=1
 b-6 ( 5) [000] d..3 1.001000: print: B|5|outer
 b-6 ( 5) [000] d..3 1.002000: print: B|5|inner
 b-6 ( 5) [000] d..3 1.003000: print: E|5
 b-6 ( 5) [000] d..3 1.004000: print: E|5
 b-6 ( 5) [000] d..3 1.005000: print: C|5|queue|3
 b-6 ( 5) [000] d..3 1.010000: sched_switch: prev_comm=b prev_pid=6 prev_prio=1 prev_state=D ==> next_comm=a next_pid=5 next_prio=1
 x-0 (--) [001] d..3 1.010500: sched_waking: comm=b pid=6 prio=1
 a-5 ( 5) [000] d..3 1.012000: sched_switch: prev_comm=a prev_pid=5 prev_prio=1 prev_state=S ==> next_comm=b next_pid=6 next_prio=1
 b-6 ( 5) [000] d..3 1.020000: sched_switch: prev_comm=b prev_pid=6 prev_prio=1 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=1
 x-0 ( 0) [000] d..3 1.024000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=1 prev_state=R ==> next_comm=b next_pid=6 next_prio=1
";

#[test]
fn what_the_scheduler_did_is_added_up() {
    let folder = folder();
    folder.write("rows.ftrace", FTRACE);
    let report = folder.json(&["summary", "rows.ftrace", "--json"]);
    assert_eq!(
        json!(super::list(&report, "cpus")),
        json!([{"cpu": 0, "switch_count": 5, "busy_ns": 20_000_000, "busy_percent": 83.3333}])
    );
    let thread = |name, tid, times, running, ready, longest: Value, blocked| {
        json!({
            "thread_name": name, "tid": tid, "process_name": "a", "pid": 5, "run_count": times, "running_ns": running,
            "ready_ns": ready, "longest_ready_ns": longest, "blocked_ns": blocked,
        })
    };
    assert_eq!(
        json!(super::list(&report, "scheduled_threads")),
        json!([
            thread("b", 6, 3, 18_000_000, 1_500_000, json!(1_500_000), 500_000),
            thread("a", 5, 1, 2_000_000, 10_000_000, json!(10_000_000), 0),
        ])
    );
    assert_eq!(super::list(&report, "slices")[0]["self_time_ns"], 2_000_000);
    assert_eq!(super::list(&report, "counters")[0]["last"], 3);
    super::all_members_are_documented(&folder.text(&["summary", "rows.ftrace", "--json"]));
}

/// Those that overlap count once; an end that is not known hides nothing.
#[test]
fn time_in_slices_counts_once() {
    let folder = folder();
    let slice = |tid: u8, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","name":"s","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
    };
    let slices =
        [slice(1, 0, 10), slice(1, 5, 10), slice(1, 6, 1), slice(1, 20, 5), slice(2, 0, 10)];
    let open = r#"{"ph":"B","name":"open","pid":1,"tid":2,"ts":20}"#;
    let events = format!("[{},{open},{}]", slices.join(","), slice(2, 30, 5));
    folder.write("overlaps.json", &events);
    let report = folder.json(&["summary", "overlaps.json", "--json"]);
    let times = |section: &str| -> Vec<Value> {
        super::list(&report, section).iter().map(|row| row["self_time_ns"].clone()).collect()
    };
    assert_eq!(times("threads"), [json!(20_000), json!(15_000)]);
    assert_eq!(times("processes"), [json!(35_000)]);
}

#[test]
fn tables_give_the_same_answer_as_the_file() {
    let folder = folder();
    let text = serde_json::to_string(FTRACE).unwrap();
    folder.write("rows.ftrace", FTRACE);
    folder.write("both.json", &format!("{{\"systemTraceEvents\":{text},\"traceEvents\":{TRACE}}}"));
    let mut sources: Vec<_> =
        ["trace.json", "rows.ftrace", "both.json"].map(|name| folder.0.path().join(name)).into();
    for corpus in ["corpus/traces", "corpus/ftrace"] {
        let files = fs::read_dir(root().join(corpus)).unwrap();
        sources.extend(files.map(|file| file.unwrap().path()));
    }
    for source in sources {
        let name = source.to_str().unwrap();
        let output = folder.run(&["convert", name, "-o", "tables", "-q", "--force"]);
        assert!(output.status.success());
        let answer = |of: &str| {
            let mut report = folder.json(&["summary", of, "--json"]);
            // It names the source.
            report["caveats"].take();
            report
        };
        // Profiles in it are documents behind it.
        assert_eq!(answer("tables#0"), answer(name), "{name}");
    }
}

#[test]
fn any_form_of_a_trace_gives_the_same_answer() {
    let folder = folder();
    let expected = folder.json(&["summary", "trace.json", "--json"]);
    folder.write("object.json", &format!("{{\"traceEvents\":{TRACE}}}"));
    for source in ["object.json", "trace.json#0"] {
        assert_eq!(folder.json(&["summary", source, "--json"]), expected, "{source}");
    }
    let mut piped = folder.command(&["summary", "-", "--json"]);
    let stdin = fs::File::open(folder.0.path().join("trace.json")).unwrap();
    let output = piped.stdin(stdin).output().unwrap().stdout;
    assert_eq!(super::anonymous(serde_json::from_slice(&output).unwrap()), expected);
    // As far as it goes.
    folder.write("cut.json", &TRACE[..TRACE.find("\"ph\":\"s\"").unwrap() + 20]);
    let cut = folder.json(&["summary", "cut.json", "--json"]);
    assert_eq!(cut["slices"], expected["slices"]);
    assert_eq!(super::caveats(&cut).len(), 1, "{}", cut["caveats"]);
}

#[test]
fn what_is_not_for_traces_is_said() {
    let folder = folder();
    folder.write("rows.ftrace", "# tracer: nop\n");
    folder.write("heap.toml", "[total]\nsize = \"5 MB\"\n");
    for (args, message) in [
        (
            &["diff", "trace.json", "1.heapsnapshot"][..],
            "cannot compare a trace with a heap snapshot or timeline (trace.json)",
        ),
        (
            &["check", "trace.json", "--budget", "heap.toml"],
            "limits do not fit the input (heap.toml): they are for heaps, found a trace",
        ),
        (
            &["why", "trace.json", "--node", "1"],
            "wrong format (trace.json): expected a heap snapshot",
        ),
        (
            &["export", "trace.json", "--to", "collapsed"],
            "no CPU profile in this trace (trace.json)",
        ),
        (
            &["export", "rows.ftrace", "--to", "collapsed"],
            "wrong format (rows.ftrace): expected a CPU prof",
        ),
        (&["summary", "trace.json#1"], "no document #1 (trace.json): #0 is trace.json"),
    ] {
        let error = folder.failure(args);
        assert!(error.contains(message), "{args:?}: {error}");
    }
}

#[test]
fn the_documentation_shows_what_comes_and_names_every_member_of_the_json() {
    let folder = folder();
    super::all_members_are_documented(&folder.text(&["summary", "trace.json", "--json"]));
    // What it shows is what comes.
    let page = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    assert!(page.contains(&folder.text(&["summary", "trace.json"])));
}
