//! Profiles of several runs before a change and after it.

use super::{Folder, caveats, list, starter::cpu_profile};
use serde_json::{Value, json};

/// Five runs before and five after, in which `render` takes a tenth longer, and `parse` nothing.
fn folder() -> Folder {
    let folder = Folder::new();
    for run in 0..5 {
        let profile = |parse, render| cpu_profile(&[("parse", parse), ("render", render)]);
        folder.write(&format!("a{run}.cpuprofile"), &profile(3000 + 9 * run, 6000 + 10 * run));
        folder.write(&format!("b{run}.cpuprofile"), &profile(3030 - 9 * run, 6600 + 10 * run));
    }
    folder
}

const BEFORE: [&str; 5] =
    ["a0.cpuprofile", "a1.cpuprofile", "a2.cpuprofile", "a3.cpuprofile", "a4.cpuprofile"];
const AFTER: [&str; 5] =
    ["b0.cpuprofile", "b1.cpuprofile", "b2.cpuprofile", "b3.cpuprofile", "b4.cpuprofile"];

fn sides<'a>(before: &[&'a str], after: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["diff", "--before"], before, &["--after"], after, more].concat()
}

#[test]
fn what_got_slower_between_runs_is_told() {
    let folder = folder();
    let (code, text) = folder.answer(&sides(&BEFORE, &AFTER, &["--fail-on", "any"]));
    assert_eq!(code, 1, "{text}");
    for says in [
        "a0.cpuprofile → b4.cpuprofile",
        "medians of 5 and 5 runs",
        "Functions whose self time changed",
        "worse functions render file:///app.js:4",
        "1 of 1 limit exceeded",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert!(!text.contains("parse"), "{text}");
    let answer = folder.json(&sides(&BEFORE, &AFTER, &["--json"]));
    assert_eq!(answer["changed_count"], 1);
    let [render, parse] = list(&answer, "functions") else { panic!("{answer:#}") };
    let told = |row: &Value| json!([row["function_name"], row["change"], row["p_value"]]);
    assert_eq!(told(render), json!(["render", "more", 0.0079]));
    assert_eq!(told(parse), json!(["parse", "same", 0.6905]));
    assert_eq!(render["base_self_value"], 6_019_000);
    assert_eq!(render["self_value"], 6_619_000);
    assert_eq!(render["runs_before"].as_array().unwrap().len(), 5);
    assert_eq!(render["runs_after"][0], 6_599_000);
    let side = answer["profiles"].as_array().unwrap().iter().map(|row| row["side"].as_str());
    assert_eq!(side.clone().filter(|side| *side == Some("before")).count(), 5);
    assert_eq!(side.filter(|side| *side == Some("after")).count(), 5);
}

#[test]
fn what_is_noise_is_no_change() {
    let folder = folder();
    let same = "nothing beyond noise";
    for (before, after, more, code) in [
        (&BEFORE[..], &BEFORE[..], &[][..], 0),
        (&BEFORE, &AFTER, &["--noise", "12%"], 0),
        (&AFTER, &BEFORE, &[], 0),
        (&BEFORE, &AFTER, &[], 1),
        (&BEFORE[..1], &AFTER[..1], &[], 1),
    ] {
        let more = [&["--fail-on", "any"], more].concat();
        let (found, text) = folder.answer(&sides(before, after, &more));
        assert_eq!(found, code, "{before:?} {after:?} {more:?}: {text}");
        assert!(!more.contains(&"--noise") || text.contains(same), "{text}");
    }
    // Two profiles are compared alike, and so are several runs with one base.
    let any = ["--fail-on", "any"];
    let pair = [&["diff", "a0.cpuprofile", "b0.cpuprofile"], &any[..]].concat();
    assert_eq!(folder.answer(&pair).0, 1);
    let runs = [&["diff", "--before", "a0.cpuprofile", "--after"], &AFTER[..], &any].concat();
    assert_eq!(folder.answer(&runs).0, 1);
    let few = folder.json(&sides(&BEFORE[..3], &AFTER[..3], &["--json"]));
    assert!(caveats(&few).iter().any(|text| text.contains("too few for the rank test")), "{few}");
}

/// Waiting is not work, and anonymous functions on one line are several.
#[test]
fn what_got_worse_is_each_function_that_works() {
    let folder = Folder::new();
    let profile = |name, idle, first, second| {
        let functions = [("(idle)", idle), ("", first), ("", second)];
        let text = cpu_profile(&functions).replacen("file:///app.js", "", 1);
        // Those of a bundle have the line in common.
        let text = text
            .replace(r#""lineNumber":3,"columnNumber":0"#, r#""lineNumber":3,"columnNumber":7"#);
        folder.write(name, &text.replace(r#""lineNumber":4"#, r#""lineNumber":3"#));
    };
    profile("a.cpuprofile", 2000, 4000, 4000);
    profile("idle.cpuprofile", 9000, 4000, 4000);
    profile("both.cpuprofile", 2000, 6000, 6400);
    for (after, limit, code, says) in [
        ("idle.cpuprofile", "any", 0, "1 limit kept"),
        ("both.cpuprofile", "worse.growth > 70%", 0, "1 limit kept"),
        ("both.cpuprofile", "worse.growth > 55%", 1, "functions (anonymous) file:///app.js:4:1 "),
        ("both.cpuprofile", "worse.growth > 45%", 1, "functions (anonymous) file:///app.js:4:8 "),
    ] {
        let (found, text) = folder.answer(&["diff", "a.cpuprofile", after, "--fail-on", limit]);
        assert_eq!(found, code, "{limit}: {text}");
        assert!(text.contains(says), "{limit}: {text}");
    }
}

/// Files of two folders can have one name: each function has its own growth.
#[test]
fn what_got_worse_is_known_by_the_whole_address() {
    let folder = Folder::new();
    let profile = |name, first, second| {
        let text = cpu_profile(&[("render", first), ("render", second)]);
        let text = text.replacen("file:///app.js", "file:///srv/a/lib/app.js", 1);
        folder.write(name, &text.replace("file:///app.js", "file:///srv/b/lib/app.js"));
    };
    profile("a.cpuprofile", 4000, 4000);
    profile("b.cpuprofile", 5000, 5000);
    for (limit, code) in [
        ("worse[functions render file:///srv/a/lib/app.js:3].growth > 26%", 0),
        ("worse[functions render file:///srv/b/lib/app.js:4].growth > 26%", 0),
        ("worse[functions render file:///srv/b/lib/app.js:4].growth > 24%", 1),
    ] {
        let (found, text) =
            folder.answer(&["diff", "a.cpuprofile", "b.cpuprofile", "--fail-on", limit]);
        assert_eq!(found, code, "{limit}: {text}");
    }
}

#[test]
fn limits_hold_the_medians_of_runs() {
    let folder = folder();
    for (limit, code) in [
        ("function[render].self_time > 6.63 s", 0),
        ("function[render].self_time > 6.61 s", 1),
        ("function[render].self_time > +10%", 0),
        ("function[render].self_time > +9%", 1),
        ("worse[functions render*].growth > 20%", 0),
        ("worse.growth > 5%", 1),
    ] {
        let (found, text) = folder.answer(&sides(&BEFORE, &AFTER, &["--fail-on", limit]));
        assert_eq!(found, code, "{limit}: {text}");
    }
    let error = folder.failure(&sides(&BEFORE, &["1.heapsnapshot"], &[]));
    assert!(error.contains("expected profiles or traces"), "{error}");
}
