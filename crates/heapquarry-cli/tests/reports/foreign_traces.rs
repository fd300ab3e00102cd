//! Traces of other producers: sums among the events, samples outside of them, times in another unit.

use super::Folder;
use serde_json::{Value, json};

/// The answer to `summary` about a file with that content.
fn summary(content: &str, args: &[&str]) -> Value {
    let folder = Folder::new();
    folder.write("trace.json", content);
    folder.json(&[&["summary", "trace.json", "--json"], args].concat())
}

fn rows(report: &Value, section: &str, columns: &[&str]) -> Vec<Value> {
    let of = |row: &Value| columns.iter().map(|column| row[column].clone()).collect();
    super::list(report, section).iter().map(of).collect()
}

/// A trace of `clang -ftime-trace`: a compile of one second, and totals by name on threads of their own.
const CLANG: &str = r#"{"traceEvents":[
{"pid":40,"tid":40,"ph":"X","ts":0,"dur":1000000,"name":"ExecuteCompiler"},
{"pid":40,"tid":40,"ph":"X","ts":1000,"dur":600000,"name":"Frontend"},
{"pid":40,"tid":40,"ph":"X","ts":2000,"dur":500000,"name":"Source","args":{"detail":"big.h"}},
{"pid":40,"tid":40,"ph":"X","ts":620000,"dur":300000,"name":"Backend"},
{"pid":40,"tid":41,"ph":"X","ts":0,"dur":1000000,"name":"Total ExecuteCompiler","args":{"count":1,"avg ms":1000}},
{"pid":40,"tid":42,"ph":"X","ts":0,"dur":600000,"name":"Total Frontend","args":{"count":1,"avg ms":600}},
{"cat":"","pid":40,"tid":40,"ts":0,"ph":"M","name":"process_name","args":{"name":"clang"}}]}"#;

#[test]
fn sums_among_the_events_are_no_work() {
    let bazel = r#"{"otherData":{"bazel_version":"8.0"},"traceEvents":[
{"name":"thread_name","ph":"M","pid":1,"tid":0,"args":{"name":"Critical Path"}},
{"cat":"action processing","name":"compile","ph":"X","ts":5,"dur":70,"pid":1,"tid":9},
{"cat":"critical path component","name":"action 'compile'","ph":"X","ts":5,"dur":70,"pid":1,"tid":0}]}"#;
    for (content, slices, busy, note) in [
        (
            CLANG,
            json!([
                ["Source", 500_000_000, 50.0],
                ["Backend", 300_000_000, 30.0],
                ["ExecuteCompiler", 100_000_000, 10.0],
                ["Frontend", 100_000_000, 10.0]
            ]),
            1_000_000_000,
            "clang's totals by name (Total …)",
        ),
        (
            bazel,
            json!([["compile", 70_000, 100.0]]),
            70_000,
            "Bazel's copies of actions (thread Critical Path)",
        ),
    ] {
        let report = summary(content, &[]);
        let found = rows(&report, "slices", &["name", "self_time_ns", "self_percent"]);
        assert_eq!(json!(found), slices);
        assert_eq!(super::list(&report, "processes")[0]["self_time_ns"], busy);
        let expected = format!("trace.json: sums of slices leave out {note}");
        assert_eq!(super::caveats(&report), [expected]);
    }
}

/// Hermes writes 10 ms between samples, and nothing that ends the last one.
#[test]
fn samples_outside_of_events_are_profiles() {
    let content = r#"{"traceEvents":[
{"name":"mqt_js","cat":"mqt_js","ph":"X","dur":0,"pid":9,"ts":"1000","tid":"3","args":{}}],
"samples":[
{"cpu":"-1","name":"","ts":"10000","pid":9,"tid":"3","weight":"1","sf":2},
{"cpu":"-1","name":"","ts":"20000","pid":9,"tid":"3","weight":"1","sf":3},
{"cpu":"-1","name":"","ts":"30000","pid":9,"tid":"3","weight":"1","sf":3},
{"cpu":"-1","name":"","ts":"40000","pid":9,"tid":"3","weight":"1","sf":3},
{"cpu":"-1","name":"","ts":"15000","pid":9,"tid":"4","weight":"1","sf":1}],
"stackFrames":{
"1":{"line":"1","column":"1","funcLine":"1","funcColumn":"1","name":"[root]","category":"root"},
"2":{"line":"4","column":"2","funcLine":"3","funcColumn":"1","name":"render","category":"JavaScript","parent":1},
"3":{"line":"12","column":"5","funcLine":"11","funcColumn":"1","name":"layout","category":"JavaScript","parent":2}}}"#;
    let report = summary(content, &[]);
    let columns = ["function_name", "line", "column", "self_value", "total_value"];
    assert_eq!(
        json!(rows(&report["cpu_profiles"], "functions", &columns)),
        json!([
            ["layout", 11, 1, 20_000, 20_000],
            ["render", 3, 1, 10_000, 30_000],
            ["[root]", 1, 1, 0, 30_000]
        ])
    );
    assert_eq!(report["cpu_profiles"]["totals"]["profile_count"], 2);
    assert_eq!(report["cpu_profiles"]["totals"]["sample_count"], 5);
    // Each thread is a document of its own.
    let folder = Folder::new();
    folder.write("trace.json", content);
    let stacks = folder.text(&["export", "trace.json#1", "--to", "collapsed"]);
    assert_eq!(stacks, "[root];render 10000\n[root];render;layout 20000\n");
    // Samples that name their CPU are no clock of the thread.
    let report = summary(&content.replace("\"cpu\":\"-1\"", "\"cpu\":0"), &[]);
    assert_eq!(report["cpu_profiles"]["totals"]["sample_count"], 5);
    assert_eq!(report["cpu_profiles"]["totals"]["value"], 5);
    assert_eq!(report["cpu_profiles"]["unit"], "count");
    assert!(super::caveats(&report).iter().any(|text| text.contains("samples")), "{report}");
}

/// Hermes puts what runs behind the name of a function, and tells of bytecode only addresses.
#[test]
fn functions_of_hermes_have_one_name_and_place() {
    let content = r#"{"traceEvents":[],"samples":[
{"name":"","ts":"10000","pid":9,"tid":"3","sf":3},{"name":"","ts":"20000","pid":9,"tid":"3","sf":4},
{"name":"","ts":"30000","pid":9,"tid":"3","sf":5},{"name":"","ts":"40000","pid":9,"tid":"3","sf":6}],
"stackFrames":{
"1":{"name":"[root]","category":"root"},
"2":{"line":"9","column":"8","funcLine":"3","funcColumn":"1","name":"(http://a/b.js?c=1:9:8)","parent":1},
"3":{"line":"4","column":"2","funcLine":"3","funcColumn":"7","name":"work(http://a/b.js?c=1:4:2)","parent":2},
"4":{"line":"5","column":"2","funcLine":"3","funcColumn":"7","name":"work(http://a/b.js?c=1:5:2)","parent":2},
"5":{"funcVirtAddr":"315","offset":"33","name":"p","category":"JavaScript","parent":1},
"6":{"line":"4","column":"2","name":"odd(a.js:4:3)","parent":1}}}"#;
    let report = summary(content, &[]);
    let columns = ["function_name", "url", "line", "column", "self_value"];
    assert_eq!(
        json!(rows(&report["cpu_profiles"], "functions", &columns)),
        json!([
            ["work", "http://a/b.js?c=1", 3, 7, 20_000],
            ["p", "(bytecode)", 1, 316, 10_000],
            ["[root]", "", null, null, 0],
            ["(anonymous)", "http://a/b.js?c=1", 3, 1, 0],
            ["odd(a.js:4:3)", "", null, null, 0]
        ])
    );
}

#[test]
fn times_beyond_the_range_are_a_loss() {
    let folder = Folder::new();
    folder.write(
        "trace.json",
        r#"{"traceEvents":[
{"name":"load","ph":"X","ts":1700000000000000000,"dur":5000000,"pid":1,"tid":1},
{"name":"none","ph":"X","dur":5,"pid":1,"tid":1}]}"#,
    );
    let report = folder.json(&["summary", "trace.json", "--json"]);
    assert_eq!(report["totals"]["duration_ns"], Value::Null);
    let issues = rows(&report, "issues", &["code", "severity", "count"]);
    for expected in [
        json!(["time_out_of_range", "data_loss", 1]),
        json!(["event_without_time", "data_loss", 2]),
    ] {
        assert!(issues.contains(&expected), "{issues:?}");
    }
    let expected = "trace.json: the times of 2 events are unknown: they are in no slice and no sum";
    assert_eq!(super::caveats(&report), [expected]);
    assert_eq!(report["caveats"][0]["kind"], "values");
    // No budget is kept by what is unknown.
    folder.write("budget.toml", "[total]\nblocking = \"1 s\"\n");
    let output = folder.run(&["check", "trace.json", "--budget", "budget.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 events are unknown"), "{output:?}");
    let output = folder.run(&["convert", "--strict", "trace.json", "-q"]);
    assert_ne!(output.status.code(), Some(0));
}

#[test]
fn totals_are_those_of_the_part() {
    let content = r#"[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5},{"ph":"X","name":"b","pid":1,"tid":2,"ts":0,"dur":5},
{"ph":"X","name":"c","pid":2,"tid":3,"ts":0,"dur":5},{"ph":"C","name":"n","pid":2,"tid":3,"ts":1,"args":{"x":1}},
{"ph":"s","name":"f","cat":"f","id":1,"pid":1,"tid":1,"ts":1},{"ph":"f","bp":"e","name":"f","cat":"f","id":1,"pid":1,"tid":1,"ts":2},
{"ph":"s","name":"f","cat":"f","id":2,"pid":1,"tid":1,"ts":1},{"ph":"f","bp":"e","name":"f","cat":"f","id":2,"pid":1,"tid":2,"ts":2}]"#;
    for (args, expected) in [
        (&[][..], json!([2, 3, 3, 2, 1])),
        (&["--thread", "1"], json!([1, 1, 1, 1, 0])),
        (&["--process", "1"], json!([1, 2, 2, 2, 0])),
        (&["--thread", "3"], json!([1, 1, 1, 0, 1])),
    ] {
        let totals = &summary(content, args)["totals"];
        let keys = ["process_count", "thread_count", "slice_count", "flow_count", "counter_count"];
        assert_eq!(json!(keys.map(|key| totals[key].clone())), expected, "{args:?}");
    }
}
