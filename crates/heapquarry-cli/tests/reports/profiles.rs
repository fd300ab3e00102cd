//! Reports about profiles: small ones that are made here.

use super::{Folder, golden};
use serde_json::{Value, json};
use std::fs;

/// A call as profiles have it: name, script, line and column from 0.
type Call = (&'static str, &'static str, i64, i64);

const ROOT: Call = ("(root)", "", -1, -1);
const IDLE: Call = ("(idle)", "", -1, -1);
const GC: Call = ("(garbage collector)", "", -1, -1);
const MAIN: Call = ("main", "file:///app/src/app.js", 0, 0);
const HANDLER: Call = ("", "file:///app/src/app.js", 39, 7);
const RENDER: Call = ("render", "file:///app/src/app.js", 9, 4);
const PARSE: Call = ("parse", "file:///app/lib/parse.js", 2, 0);
const OTHER_PARSE: Call = ("parse", "file:///app/lib/other.js", 8, 0);

/// The call after `lines` empty lines were inserted at the top of its file.
fn moved((name, url, line, column): Call, lines: i64) -> Call {
    (name, url, line + lines, column)
}

/// Stacks below the root, and what each has.
fn stacks(render: i64, lines: i64) -> Vec<(Vec<Call>, i64)> {
    let app = |call: Call| moved(call, lines);
    vec![
        (vec![IDLE], 20_000),
        (vec![GC], 1_500),
        (vec![app(MAIN)], 500),
        (vec![app(MAIN), HANDLER], 1_000),
        (vec![app(MAIN), HANDLER, app(RENDER)], render),
        (vec![app(MAIN), PARSE], 3_000),
        // It calls itself, by way of another of the same name.
        (vec![app(MAIN), PARSE, OTHER_PARSE, PARSE], 2_000),
        (vec![PARSE], 500),
    ]
}

/// A tree of stacks: calls, the parents of each, and what each has itself.
fn tree(stacks: &[(Vec<Call>, i64)]) -> Vec<(Call, Option<usize>, i64)> {
    let mut nodes = vec![(ROOT, None, 0)];
    for (stack, weight) in stacks {
        let mut at = 0;
        for call in stack {
            let known = nodes.iter().position(|(c, parent, _)| c == call && *parent == Some(at));
            at = known.unwrap_or_else(|| {
                nodes.push((*call, Some(at), 0));
                nodes.len() - 1
            });
        }
        nodes[at].2 += weight;
    }
    nodes
}

fn frame((name, url, line, column): Call) -> Value {
    json!({"functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": column})
}

fn cpu_profile(stacks: &[(Vec<Call>, i64)]) -> String {
    let tree = tree(stacks);
    let nodes = tree.iter().enumerate().map(|(i, (call, _, weight))| {
        let children = (0..tree.len()).filter(|&child| tree[child].1 == Some(i));
        let children: Vec<_> = children.map(|child| child + 1).collect();
        json!({"id": i + 1, "callFrame": frame(*call), "hitCount": i64::from(*weight > 0), "children": children})
    });
    let nodes: Vec<_> = nodes.collect();
    let sampled = || tree.iter().enumerate().filter(|(_, node)| node.2 > 0);
    let samples: Vec<_> = sampled().map(|(i, _)| i + 1).collect();
    // A sample lasts until the next.
    let mut deltas: Vec<_> = sampled().map(|(_, node)| node.2).collect();
    let total: i64 = deltas.iter().sum();
    deltas.insert(0, 0);
    deltas.pop();
    json!({"nodes": nodes, "startTime": 1000, "endTime": 1000 + total, "samples": samples, "timeDeltas": deltas})
        .to_string()
}

fn heap_profile(stacks: &[(Vec<Call>, i64)]) -> String {
    let tree = tree(stacks);
    let node = |i: usize, children: Vec<Value>| {
        let (call, _, size) = tree[i];
        json!({"callFrame": frame(call), "selfSize": size, "id": i + 1, "children": children})
    };
    let mut made: Vec<Value> = vec![Value::Null; tree.len()];
    for i in (0..tree.len()).rev() {
        let children = (0..tree.len()).filter(|&child| tree[child].1 == Some(i));
        let children = children.map(|child| made[child].clone()).collect();
        made[i] = node(i, children);
    }
    let samples = tree.iter().enumerate().filter(|(_, node)| node.2 > 0);
    let samples: Vec<_> =
        samples.map(|(i, node)| json!({"size": node.2, "nodeId": i + 1, "ordinal": i})).collect();
    json!({"head": made[0], "samples": samples}).to_string()
}

/// So many samples of a page, in as many traces as there are numbers.
fn self_profiles(samples: &[usize]) -> String {
    let trace = |&count: &usize| {
        let samples: Vec<_> = (0..count)
            .map(|i| match i % 4 {
                0 => json!({"timestamp": i}),
                n => json!({"timestamp": i, "stackId": n - 1}),
            })
            .collect();
        json!({
            "resources": ["https://example.org/app.js"],
            "frames": [{"name": "main", "resourceId": 0, "line": 1, "column": 1}, {"name": "now"}],
            "stacks": [{"frameId": 0}, {"frameId": 1, "parentId": 0}, {"frameId": 0, "parentId": 1}],
            "samples": samples,
        })
        .to_string()
    };
    samples.iter().map(trace).collect::<Vec<_>>().join("\n")
}

const BUDGET: &str = r#"
[noise]
time = "100 us"

[total]
busy = ["20 ms", "+20%"]

[function.render]
self_share = ["50%", "+5pp"]

[function."*"]
total_time = "+1 ms"

[url."*/parse.js"]
self_time = "5500 us"
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    for (name, render, lines) in [("1", 2_000, 0), ("2", 2_000, 5), ("3", 9_000, 5)] {
        let stacks = stacks(render, lines);
        folder.write(&format!("{name}.cpuprofile"), &cpu_profile(&stacks));
        folder.write(&format!("{name}.heapprofile"), &heap_profile(&stacks[1..]));
    }
    folder.write("1.selfprofile.json", &self_profiles(&[8, 9, 40]));
    folder.write("2.selfprofile.json", &self_profiles(&[80]));
    folder.write("cpu.toml", BUDGET);
    folder
}

#[test]
fn answers_are_as_kept() {
    let folder = folder();
    let check = ["check", "3.cpuprofile", "--budget", "cpu.toml"];
    let grown = [&check[..], &["--baseline", "1.cpuprofile"]].concat();
    let form = |form: &'static str| [&grown[..], &["--format", form]].concat();
    for (name, code, args) in [
        ("profile-summary.txt", 0, vec!["summary", "3.cpuprofile"]),
        ("profile-summary.json", 0, vec!["summary", "3.cpuprofile", "--json"]),
        ("profile-summary-heap.txt", 0, vec!["summary", "3.heapprofile", "--top", "3"]),
        ("profile-summary-self.txt", 0, vec!["summary", "1.selfprofile.json"]),
        ("profile-diff.txt", 0, vec!["diff", "1.cpuprofile", "3.cpuprofile"]),
        ("profile-diff.json", 0, vec!["diff", "1.cpuprofile", "3.cpuprofile", "--json"]),
        ("profile-diff-heap.txt", 0, vec!["diff", "1.heapprofile", "3.heapprofile", "--top", "2"]),
        ("profile-diff-self.txt", 0, vec!["diff", "1.selfprofile.json", "2.selfprofile.json"]),
        (
            "profile-diff-fail.txt",
            1,
            vec![
                "diff",
                "1.cpuprofile",
                "2.cpuprofile",
                "3.cpuprofile",
                "--fail-on",
                "function[render].self_share>+5pp",
                "--fail-on",
                "gc>10 s",
            ],
        ),
        ("profile-check.txt", 1, grown.clone()),
        ("profile-check.md", 1, form("markdown")),
        ("profile-check.github", 1, form("github")),
        ("profile-check-alone.txt", 1, check.to_vec()),
        ("profile-check-kept.txt", 0, vec!["check", "1.cpuprofile", "--budget", "cpu.toml"]),
    ] {
        let (found, text) = folder.answer(&args);
        assert_eq!(found, code, "{args:?}: {text}");
        golden(name, &text);
    }
}

/// What was put in comes out: the numbers of functions by hand.
#[test]
fn functions_have_what_their_stacks_have() {
    let folder = folder();
    for (file, unit, parse) in [
        // In the heap there is nothing idle, so shares are parts of another whole.
        ("3.cpuprofile", "us", 5_500),
        ("3.heapprofile", "bytes", 5_500),
    ] {
        let report = folder.json(&["summary", file, "--json"]);
        assert_eq!(report["unit"], unit);
        let functions = super::list(&report, "functions");
        let of = |name: &str, url: &str| {
            let is_it = |row: &&Value| row["function_name"] == name && row["url"] == url;
            let row = functions.iter().find(is_it).unwrap();
            let number = |what: &str| row[format!("{what}_value")].as_i64().unwrap();
            (number("self"), number("total"))
        };
        assert_eq!(of("render", RENDER.1), (9_000, 9_000), "{file}");
        assert_eq!(of("(anonymous)", HANDLER.1), (1_000, 10_000));
        assert_eq!(of("main", MAIN.1), (500, 15_500));
        // Those below itself count once.
        assert_eq!(of("parse", PARSE.1), (parse, 5_500));
        assert_eq!(of("parse", OTHER_PARSE.1), (0, 2_000));
        let render = functions.iter().find(|row| row["function_name"] == "render").unwrap();
        let share = render["self_percent"].as_f64().unwrap();
        assert!((share - 100.0 * 9_000.0 / 17_500.0).abs() < 1e-3, "{share}");
        assert_eq!((render["line"].as_i64(), render["column"].as_i64()), (Some(15), Some(5)));
        let urls = super::list(&report, "urls");
        let app = urls.iter().find(|row| row["url"] == MAIN.1).unwrap();
        assert_eq!(app["total_value"], 15_500);
        assert!(functions.iter().all(|row| row["function_name"] != "(root)"));
    }
    // Idle time is in the whole and in no share.
    let report = folder.json(&["summary", "3.cpuprofile", "--json"]);
    assert_eq!(report["totals"]["value"], 37_500);
    assert_eq!(report["totals"]["busy_value"], 17_500);
    let idle = &super::list(&report, "functions")[0];
    assert_eq!((&idle["function_name"], &idle["self_percent"]), (&json!("(idle)"), &Value::Null));
}

#[test]
fn a_function_that_moved_is_the_same_function() {
    let folder = folder();
    // All lines of the script have moved, nothing takes more.
    let none = folder.json(&["diff", "1.cpuprofile", "2.cpuprofile", "--json"]);
    assert_eq!(none["functions"], json!({"total": 0, "rows": []}));
    let report = folder.json(&["diff", "1.cpuprofile", "3.cpuprofile", "--json"]);
    let first = &super::list(&report, "functions")[0];
    assert_eq!(first["function_name"], "render");
    assert_eq!(first["base_self_value"], 2_000);
    assert_eq!(first["self_value"], 9_000);
    assert_eq!(first["self_value_delta"], 7_000);
    // What calls it has grown with all that it calls, and by itself not.
    let totals: Vec<_> = super::list(&report, "functions_by_total")
        .iter()
        .map(|row| (row["function_name"].as_str().unwrap(), row["self_value_delta"].as_i64()))
        .collect();
    assert!(totals.contains(&("main", Some(0))) && totals.contains(&("render", Some(7_000))));
}

#[test]
fn any_form_of_a_profile_gives_the_same_answer() {
    let folder = folder();
    let quiet = |args: &[&str]| assert!(folder.run(args).status.success(), "{args:?}");
    quiet(&["convert", "1.cpuprofile", "3.cpuprofile", "3.heapprofile", "-o", "flat", "-q"]);
    quiet(&["convert", "3.cpuprofile", "3.heapprofile", "-o", "hive", "-q", "--layout", "hive"]);
    quiet(&["convert", "1.selfprofile.json", "-o", "page", "-q", "--row-group-rows", "2"]);
    quiet(&["convert", "3.cpuprofile", "-o", "small", "-q", "--row-group-rows", "2"]);
    for (source, file) in [
        ("flat#1", "3.cpuprofile"),
        ("hive#0", "3.cpuprofile"),
        ("small", "3.cpuprofile"),
        ("flat#2", "3.heapprofile"),
        ("hive#1", "3.heapprofile"),
        // All of its traces.
        ("page", "1.selfprofile.json"),
    ] {
        let expected = folder.json(&["summary", file, "--json"]);
        assert_eq!(folder.json(&["summary", source, "--json"]), expected, "{source}");
        for to in ["collapsed", "speedscope"] {
            // Traces of one input have numbers behind its name.
            let text = |source| {
                folder
                    .text(&["export", source, "--to", to])
                    .replace("selfprofile.json#0", "selfprofile.json")
            };
            assert_eq!(text(source), text(file), "{source} {to}");
        }
    }
    assert_eq!(folder.json(&["summary", "page#1", "--json"])["totals"]["sample_count"], 9);
    let stdin = fs::File::open(folder.write("in", &cpu_profile(&stacks(9_000, 5)))).unwrap();
    let mut piped = folder.command(&["summary", "-", "--json"]);
    let output = piped.stdin(stdin).output().unwrap().stdout;
    let output = super::anonymous(serde_json::from_slice(&output).unwrap());
    assert_eq!(output, folder.json(&["summary", "3.cpuprofile", "--json"]));
}

#[test]
fn kinds_are_not_mixed_up() {
    let folder = folder();
    folder.write("cut.cpuprofile", &cpu_profile(&stacks(1, 0))[..900]);
    folder.write("heap.toml", "[total]\nretained = \"5 MB\"\n");
    for (args, message) in [
        (
            &["diff", "1.cpuprofile", "1.heapprofile"][..],
            "cannot compare a CPU profile with a sampling heap profile (1.cpuprofile)",
        ),
        (
            &["diff", "1.heapsnapshot", "1.heapprofile"],
            "cannot compare a heap snapshot or timeline with a sampling heap profile (1.heapsnapshot)",
        ),
        (
            &["diff", "1.heapprofile", "1.heapsnapshot"],
            "cannot compare a sampling heap profile with a heap snapshot or timeline (1.heapprofile)",
        ),
        (&["why", "1.cpuprofile", "--node", "1"], "expected a heap snapshot or timeline"),
        (
            &["check", "1.cpuprofile", "--budget", "heap.toml"],
            "limits do not fit the input (heap.toml): they are for heaps, found a CPU profile",
        ),
        (
            &["check", "1.cpuprofile", "--budget", "cpu.toml", "--baseline", "1.heapprofile"],
            "cannot compare a sampling heap profile with a CPU profile (1.heapprofile)",
        ),
        (
            &["check", "cut.cpuprofile", "--budget", "cpu.toml"],
            "input is truncated (cut.cpuprofile)",
        ),
        (
            &["export", "1.heapsnapshot", "--to", "collapsed"],
            "wrong format (1.heapsnapshot): expected a CPU profile",
        ),
    ] {
        let error = folder.failure(args);
        assert!(error.contains(message), "{args:?}: {error}");
    }
    let report = folder.json(&["summary", "cut.cpuprofile", "--json"]);
    let caveats = super::caveats(&report);
    assert!(caveats[0].contains("truncated"), "{caveats:?}");
}

#[test]
fn the_documentation_shows_what_comes_and_names_every_member_of_the_json() {
    let folder = folder();
    folder.write("before.cpuprofile", &cpu_profile(&stacks(2_000, 0)));
    folder.write("after.cpuprofile", &cpu_profile(&stacks(9_000, 5)));
    let page = fs::read_to_string(super::root().join("docs/commands.md")).unwrap();
    let shown = folder.text(&["diff", "before.cpuprofile", "after.cpuprofile"]);
    assert!(page.contains(&shown), "docs/commands.md does not show:\n{shown}");
    for file in ["cpuprofile", "heapprofile", "selfprofile.json"] {
        let [first, last] = [1, 2].map(|n| format!("{n}.{file}"));
        super::all_members_are_documented(&folder.answer(&["summary", &last, "--json"]).1);
        super::all_members_are_documented(&folder.answer(&["diff", &first, &last, "--json"]).1);
    }
}
