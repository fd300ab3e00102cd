//! Limits in CI: no green by mistake, several runs, baselines, and figures for histories.

use super::{BUDGET, Folder, golden, root};
use serde_json::{Value, json};

const SNAPSHOT: &str = "3.heapsnapshot";

#[test]
fn a_limit_that_applies_to_nothing_is_an_error() {
    let folder = Folder::new();
    for (limit, says) in [
        ("[class.Sesion]\ncount = 100", "did you mean Session?"),
        ("[class.Sesion]\ncount = 100", "heap.toml:2: class[Sesion].count > 100"),
        ("[class.Sesion]\ncount = 100", "`optional = true`"),
        ("[class.session]\nretained = \"+5%\"", "did you mean Session?"),
        ("[class.\"Sesion*\"]\ncount = 100", "did you mean Session?"),
        ("[class.t]\ncount = 100", "there is no class \"t\"; if"),
        ("[type.strings]\ncount = 1", "did you mean string?"),
    ] {
        folder.write("heap.toml", limit);
        let error = folder.failure(&["check", SNAPSHOT, "--budget", "heap.toml"]);
        assert!(error.contains(says), "{limit}: {error}");
    }
    for limit in [
        "[class.Sesion]\ncount = 100\noptional = true",
        // A constructor without instances, and what only the baseline has.
        "[class.handler]\ncount = 0",
        "[class.\"*\"]\ncount = 1000",
        "[category.code]\nsize = 0",
    ] {
        folder.write("heap.toml", limit);
        folder.text(&["check", SNAPSHOT, "--budget", "heap.toml"]);
    }
    for (optional, error) in [
        ("[class.A]\ncount = 1\noptional = 1", "expected true or false, found an integer"),
        ("[total]\nsize = 1\noptional = true", "expected a quantity of total"),
        ("[class.A]\noptional = true", "expected at least one limit, found none"),
    ] {
        folder.write("heap.toml", optional);
        let said = folder.failure(&["check", SNAPSHOT, "--budget", "heap.toml"]);
        assert!(said.contains(error), "{said}");
    }
    let diff = ["diff", "1.heapsnapshot", SNAPSHOT, "--fail-on"];
    let error = folder.failure(&[&diff[..], &["class[Sesion].count>+0"]].concat());
    assert!(error.contains("did you mean Session?") && error.contains("class[Sesion]?.count"));
    assert_eq!(folder.answer(&[&diff[..], &["class[Sesion]?.count>+0"]].concat()).0, 0);
    // The name of a class in `leaks` must be right too; leaks come and go.
    let leaks = ["leaks", "1.heapsnapshot", "2.heapsnapshot", SNAPSHOT, "--fail-on"];
    let error = folder.failure(&[&leaks[..], &["class[Sesion].count>+0"]].concat());
    assert!(error.contains("did you mean Session?"), "{error}");
    folder.text(&[&leaks[..], &["leak[Nobody].growth > 1"]].concat());
}

#[test]
fn what_is_kept_has_values_and_room() {
    let folder = Folder::new();
    folder.write("heap.toml", BUDGET);
    let check = ["check", "1.heapsnapshot", "--budget", "heap.toml"];
    let with = |more: &[&'static str]| folder.text(&[&check[..], more].concat());
    let text = with(&[]);
    assert!(text.contains("Within the limit") && text.contains("Room"), "{text}");
    let github = with(&["--format", "github"]);
    assert!(github.contains("total: size is 2.7 kB, the limit is 10 kB, 7.3 kB left"), "{github}");
    let checks: Value = serde_json::from_str(&with(&["--json"])).unwrap();
    assert_eq!(checks["checks"][0]["closest"]["room"], json!(10_000 - 2668));
    let junit = with(&["--format", "junit"]);
    assert!(junit.contains(r#"name="total: size is at most 10 kB""#), "{junit}");
    assert!(junit.contains(r#"name="class Session: count grows by at most 2""#), "{junit}");
    // Of many, the nearest.
    folder.write("all.toml", "[class.\"*\"]\nretained = \"1 GB\"\n");
    let text = folder.text(&["check", SNAPSHOT, "--budget", "all.toml"]);
    assert!(text.contains("closest of"), "{text}");
}

/// What may be absent, and is, is in every form for people: a limit that nobody sees is one that nobody misses.
#[test]
fn a_limit_on_what_is_absent_is_listed() {
    let folder = Folder::new();
    folder.write("heap.toml", "[class.\"Sesion*\"]\ncount = 100\noptional = true\n");
    for (form, says) in [
        ("text", "class Sesion*  count     none  100"),
        ("markdown", "| `class Sesion*` | count | none | 100 |"),
        ("github", "class Sesion*: there is none, the limit is 100"),
        ("html", "class Sesion*"),
        ("junit", "class Sesion*: count is at most 100"),
    ] {
        let text = folder.text(&["check", SNAPSHOT, "--budget", "heap.toml", "--format", form]);
        assert!(text.contains(says), "{form}: {text}");
    }
}

#[test]
fn a_page_lists_exceeded_and_kept_limits() {
    let folder = Folder::new();
    folder.write("heap.toml", "[total]\nsize = \"10 kB\"\n[class.Session]\ncount = 1\n");
    let check = ["check", "1.heapsnapshot", "--budget", "heap.toml", "--format", "html"];
    let (code, page) = folder.answer(&check);
    assert_eq!(code, 1);
    let (over, within) = (page.find("Over the limit"), page.find("Within the limit"));
    assert!(over < within && over.is_some(), "{page}");
    assert!(page.contains("class Session") && page.contains("10 kB"), "{page}");
}

/// The budgets in docs/ci.md, as printed, are understood for any input of their kind: what a stranger's program may not
/// have is optional in them.
#[test]
fn budgets_of_the_docs_apply_to_any_input() {
    let docs = std::fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let blocks = docs.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let named: Vec<(&str, &str)> = blocks
        .filter_map(|block| Some((block.strip_prefix("# ")?.split_once('\n')?.0, block)))
        .collect();
    let folder = Folder::new();
    for (name, input) in [
        ("heap.toml", "corpus/leak/1.heapsnapshot.gz"),
        ("cpu.toml", "corpus/profiles/current.cpuprofile"),
        ("trace.toml", "corpus/traces/chromium.trace.json.gz"),
    ] {
        let (_, budget) = named.iter().find(|(found, _)| *found == name).expect(name);
        folder.write(name, budget);
        let input = root().join(input);
        let input = input.to_str().unwrap();
        for more in [&[][..], &["--baseline", input]] {
            let output = folder.run(&[&["check", input, "--budget", name], more].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code().unwrap() < 2, "{name}: {said}");
        }
    }
}

#[test]
fn forms_without_limits_say_so() {
    let folder = Folder::new();
    let diff = ["diff", "1.heapsnapshot", SNAPSHOT, "--format"];
    let github = folder.text(&[&diff[..], &["github"]].concat());
    assert!(github.starts_with("::notice ") && github.contains("no limits were given"), "{github}");
    let junit = folder.text(&[&diff[..], &["junit"]].concat());
    assert!(junit.contains(r#"tests="1""#) && junit.contains("no limits were given"), "{junit}");
}

#[test]
fn one_leak_is_one_finding() {
    let folder = Folder::new();
    folder.write(
        "heap.toml",
        "[class.\"*\"]\ncount = \"+0\"\nretained = \"+10%\"\nsize = \"+10%\"\n",
    );
    let check = ["check", SNAPSHOT, "--budget", "heap.toml", "--baseline", "1.heapsnapshot"];
    let (code, text) = folder.answer(&[&check[..], &["--json"]].concat());
    assert_eq!(code, 1);
    let report: Value = serde_json::from_str(&text).unwrap();
    for check in report["checks"].as_array().unwrap() {
        let findings = check["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 1, "{check}");
        assert_eq!(findings[0]["name"], "Session", "{check}");
        let with = findings[0]["with"].as_array().unwrap();
        assert!(with.contains(&json!("Detached <div>")), "{check}");
    }
    let (_, text) = folder.answer(&check);
    assert!(text.contains("With it"), "{text}");
    // An object for each finding, as the annotations of a change.
    let (_, text) = folder.answer(&[&check[..], &["--format", "github"]].concat());
    assert_eq!(text.matches("::error ").count(), 3, "{text}");
    assert!(text.contains("; with it Detached <div>"), "{text}");
}

#[test]
fn of_several_runs_the_median_counts() {
    let folder = Folder::new();
    let runs = ["1.heapsnapshot", "2.heapsnapshot", SNAPSHOT];
    let check = |budget: &str, more: &[&str]| {
        folder.write("heap.toml", budget);
        folder.answer(&[&["check"], &runs[..], &["--budget", "heap.toml"], more].concat())
    };
    // 2, 5 and 9 sessions.
    for (limit, code) in [("5", 0), ("4", 1)] {
        let budget = format!("[class.Session]\ncount = {limit}\n");
        let (found, text) = check(&budget, &["--runs"]);
        assert_eq!(found, code, "{text}");
        assert!(text.contains("median of 3 runs") && text.contains("Least"), "{text}");
        let report: Value = serde_json::from_str(&check(&budget, &["--runs", "--json"]).1).unwrap();
        let closest = &report["checks"][0]["closest"];
        assert_eq!([&closest["least"], &closest["actual"], &closest["most"]], [2, 5, 9]);
    }
    let error = folder.failure(&[&["check"], &runs[..], &["--budget", "heap.toml"]].concat());
    assert!(error.contains("no runs of one program"), "{error}");
    // Runs are no steps: nothing grows from one to the next.
    let diff = ["diff", "--before", runs[0], "--after", runs[2], runs[0], runs[1], "--fail-on"];
    assert_eq!(folder.answer(&[&diff[..], &["class[Session].count>+3"]].concat()).0, 0);
    let (code, text) = folder.answer(&[&diff[..], &["class[Session].count>+2"]].concat());
    assert!(code == 1 && !text.contains("grows in every step"), "{text}");
}

#[test]
fn a_baseline_is_a_small_file() {
    let folder = Folder::new();
    folder.write("heap.toml", BUDGET);
    folder.text(&["check", "1.heapsnapshot", "--save-baseline", "base.json"]);
    let check = |baseline: &str| {
        let args = ["check", SNAPSHOT, "--budget", "heap.toml", "--json", "--baseline", baseline];
        let (code, text) = folder.answer(&args);
        assert_eq!(code, 1);
        let mut answer = serde_json::from_str::<Value>(&text).unwrap();
        assert_eq!(answer["baseline"].take(), baseline);
        answer
    };
    assert_eq!(check("base.json"), check("1.heapsnapshot"));
    // It is replaced whole, and made together with a check; of several runs it has the median.
    let all = ["1.heapsnapshot", "2.heapsnapshot", SNAPSHOT, "--runs"];
    let save = ["--budget", "heap.toml", "--baseline", "base.json", "--save-baseline", "base.json"];
    let (code, _) = folder.answer(&[&["check"], &all[..], &save].concat());
    assert_eq!(code, 1);
    assert_eq!(check("base.json"), check("2.heapsnapshot"));
    // What is no baseline is an error.
    folder.write("profile.cpuprofile", r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0}],"startTime":0,"endTime":1,"samples":[1],"timeDeltas":[1]}"#);
    folder.text(&["check", "profile.cpuprofile", "--save-baseline", "cpu.json"]);
    folder.write("broken.json", "{\"heapquarry_baseline\":1,");
    for (baseline, says) in [
        (
            "cpu.json",
            "wrong baseline (cpu.json): expected a baseline of a heap, found \"cpu_profile\"",
        ),
        ("broken.json", "wrong baseline (broken.json): expected a baseline in JSON"),
        ("none.json", "cannot open input (none.json)"),
        ("heap.toml", "unknown format (heap.toml"),
    ] {
        let args = ["check", SNAPSHOT, "--budget", "heap.toml", "--baseline", baseline];
        let error = folder.failure(&args);
        assert!(error.contains(says), "{error}");
    }
    let error = folder.failure(&["check", SNAPSHOT, "--save-baseline", "none/base.json"]);
    assert!(error.contains("cannot write"), "{error}");
}

/// A history has a figure in each run, whether its limit is kept, exceeded or not checked.
#[test]
fn figures_with_a_limit_are_in_every_run() {
    let folder = Folder::new();
    folder.write(
        "heap.toml",
        "[class.Session]\ncount = [5, \"+1\"]\n[class.Nobody]\ncount = 1\noptional = true\n",
    );
    for (input, more, code, sessions) in [
        ("1.heapsnapshot", &[][..], 0, 2),
        (SNAPSHOT, &[], 1, 9),
        (SNAPSHOT, &["--baseline", "1.heapsnapshot"], 1, 9),
    ] {
        let check = ["check", input, "--budget", "heap.toml", "--format", "bencher"];
        let (found, text) = folder.answer(&[&check[..], more].concat());
        let figures: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(found, code, "{text}");
        assert_eq!(figures["class/Session"]["count"]["value"], json!(sessions), "{text}");
        assert_eq!(figures["class/Nobody"]["count"]["value"], json!(0), "{text}");
    }
}

#[test]
fn figures_for_histories_are_as_kept() {
    let folder = Folder::new();
    folder.write("heap.toml", BUDGET);
    let check = ["check", SNAPSHOT, "--budget", "heap.toml", "--baseline", "1.heapsnapshot"];
    let runs = ["check", "1.heapsnapshot", SNAPSHOT, "--runs", "--budget", "heap.toml"];
    let diff = ["diff", "1.heapsnapshot", SNAPSHOT];
    for (name, code, args) in [
        ("check.bencher.json", 1, &[&check[..], &["--format", "bencher"]].concat()),
        ("runs.bencher.json", 1, &[&runs[..], &["--format", "bencher"]].concat()),
        (
            "check.benchmark-action.json",
            1,
            &[&check[..], &["--format", "benchmark-action"]].concat(),
        ),
        ("runs.benchmark-action.json", 1, &[&runs[..], &["--format", "benchmark-action"]].concat()),
        ("diff.bencher.json", 0, &[&diff[..], &["--format", "bencher"]].concat()),
    ] {
        let (found, text) = folder.answer(args);
        assert_eq!(found, code, "{text}");
        golden(name, &text);
    }
}
