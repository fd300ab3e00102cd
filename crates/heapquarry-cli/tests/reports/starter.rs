//! Budgets that `check --init` writes: kept by the inputs that they were made of, and exceeded by clearly worse ones.

use super::{Folder, root};
use std::fs;

/// A CPU profile of functions that were sampled so many times each, a millisecond apart.
pub(crate) fn cpu_profile(functions: &[(&str, usize)]) -> String {
    let frame = |id: usize, name: &str, children: &str| {
        let url = if id == 1 { "" } else { "file:///app.js" };
        format!(
            r#"{{"id":{id},"callFrame":{{"functionName":"{name}","scriptId":"1","url":"{url}","lineNumber":{id},"columnNumber":0}},"hitCount":0{children}}}"#
        )
    };
    let ids: Vec<String> = (2..functions.len() + 2).map(|id| id.to_string()).collect();
    let mut nodes = vec![frame(1, "(root)", &format!(r#","children":[{}]"#, ids.join(",")))];
    nodes.extend(functions.iter().zip(2..).map(|((name, _), id)| frame(id, name, "")));
    let samples =
        functions.iter().zip(2..).flat_map(|((_, hits), id)| vec![format!("{id}"); *hits]);
    let samples: Vec<String> = samples.collect();
    let deltas = vec!["1000"; samples.len()].join(",");
    format!(
        r#"{{"nodes":[{}],"startTime":0,"endTime":{},"samples":[{}],"timeDeltas":[{deltas}]}}"#,
        nodes.join(","),
        1000 * samples.len(),
        samples.join(","),
    )
}

/// A trace of a main thread with slices of these names and durations in milliseconds.
fn trace(slices: &[(&str, u64)]) -> String {
    let mut events = vec![
        r#"{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"CrRendererMain"}}"#
            .to_owned(),
    ];
    let mut ts = 1000;
    for (name, ms) in slices {
        let dur = 1000 * ms;
        events.push(format!(
            r#"{{"ph":"X","name":"{name}","cat":"app","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#
        ));
        ts += dur;
    }
    format!("[{}]", events.join(",\n"))
}

#[test]
fn a_first_budget_is_kept_and_exceeded_by_what_is_worse() {
    let folder = Folder::new();
    for (name, text) in [
        ("1.cpuprofile", cpu_profile(&[("parse", 400), ("render", 600)])),
        ("2.cpuprofile", cpu_profile(&[("parse", 420), ("render", 590), ("once", 3)])),
        ("slow.cpuprofile", cpu_profile(&[("parse", 800), ("render", 600)])),
        ("1.json", trace(&[("parse", 20), ("paint", 30)])),
        ("2.json", trace(&[("parse", 22), ("paint", 31)])),
        ("slow.json", trace(&[("parse", 60), ("paint", 30)])),
    ] {
        folder.write(name, &text);
    }
    for (runs, worse, exceeds) in [
        (&["1.heapsnapshot"][..], "3.heapsnapshot", "class Session"),
        (&["1.heapsnapshot", "1.heapsnapshot"], "2.heapsnapshot", "detached_count"),
        (&["1.cpuprofile"], "slow.cpuprofile", "function parse"),
        (&["1.cpuprofile", "2.cpuprofile"], "slow.cpuprofile", "function parse"),
        (&["1.json"], "slow.json", "slice parse"),
        (&["1.json", "2.json"], "slow.json", "slice parse"),
    ] {
        let init = ["check", "--init", "--force", "--budget", "new.toml"];
        let said = folder.text(&[&init[..], runs].concat());
        assert!(said.contains("new.toml was written") && said.contains("limits kept"), "{said}");
        for run in runs {
            folder.text(&["check", run, "--budget", "new.toml"]);
        }
        folder.text(&[&["check", "--runs", "--budget", "new.toml"], runs].concat());
        let (code, said) = folder.answer(&["check", worse, "--budget", "new.toml"]);
        let over = said.split("Within the limit").next().unwrap();
        assert!(code == 1 && over.contains(exceeds), "{worse}: {said}");
    }
}

/// Every input of the corpus whose figures are known keeps its own budget.
#[test]
fn a_first_budget_of_recorded_inputs_is_kept() {
    let folder = Folder::new();
    for input in [
        "leak/1.heapsnapshot.gz",
        "node8.heapsnapshot.gz",
        "profiles/current.cpuprofile",
        "pprof/go-heap.pb",
        "traces/chromium.trace.json.gz",
    ] {
        let input = root().join("corpus").join(input);
        let input = input.to_str().unwrap();
        folder.text(&["check", "--init", input, "--force"]);
        folder.text(&["check", input, "--budget", "budget.toml"]);
    }
}

#[test]
fn a_first_budget_replaces_nothing_unasked() {
    let folder = Folder::new();
    let input = "1.heapsnapshot";
    folder.write("mine.toml", "[total]\ncount = 1\n");
    for (args, says) in [
        (&[input, "--budget", "mine.toml"][..], "mine.toml"),
        (&[input, "--budget", input, "--force"], "it is the input"),
        (&[input, "--budget", "none/new.toml"], "its folder does not exist"),
        (&[input, "--budget", "s3://bucket/new.toml"], "write a file"),
        (&["none.heapsnapshot", "--budget", "new.toml"], "none.heapsnapshot"),
    ] {
        let error = folder.failure(&[&["check", "--init"], args].concat());
        assert!(error.contains(says), "{error}");
    }
    assert_eq!(folder.read("mine.toml"), "[total]\ncount = 1\n");
    folder.text(&["check", "--init", input, "--budget", "mine.toml", "--force"]);
    assert!(folder.read("mine.toml").contains("[class.Session]"));
    // With the figures, so that later runs can be held against their growth.
    folder.text(&["check", "--init", input, "--save-baseline", "base.json"]);
    folder.text(&["check", input, "--budget", "budget.toml", "--baseline", "base.json"]);
    for args in [
        &["check", input, "--budget", "mine.toml", "--force"][..],
        &["check", input, "--init", "--baseline", "base.json"],
    ] {
        assert_eq!(folder.run(args).status.code(), Some(2), "{args:?}");
    }
    // Of a profile without times nothing is known that it begins with.
    let profile = root().join("corpus/profiles/no-samples.cpuprofile");
    let error = folder.failure(&["check", "--init", profile.to_str().unwrap(), "--force"]);
    assert!(error.contains("cannot make a budget of input"), "{error}");
    // The input is named, not the budget, also where it has no file.
    let mut stdin = folder.command(&["check", "--init", "-", "--budget", "new.toml"]);
    let output = stdin.stdin(fs::File::open(profile).unwrap()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("(-)") && !error.contains("new.toml"), "{error}");
}

/// What docs/ci.md shows of commands and of the file that they write is what comes.
#[test]
fn examples_in_the_docs_run_as_printed() {
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let folder = Folder::new();
    fs::create_dir_all(folder.0.path().join("corpus/leak")).unwrap();
    for name in ["corpus/leak/1.heapsnapshot.gz", "corpus/leak/3.heapsnapshot.gz"] {
        fs::copy(root().join(name), folder.0.path().join(name)).unwrap();
    }
    let blocks = page.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut commands = 0;
    for block in blocks {
        let (command, expected) = block.split_once('\n').unwrap();
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[..2], ["$", "heapquarry"], "{command}");
        let (code, text) = folder.answer(&words[2..]);
        assert!(code < 2 && text == expected, "{command}: {code}\n{text}");
        commands += 1;
    }
    assert!(commands >= 2);
    assert!(page.contains(&format!("```toml\n{}```", folder.read("heap.toml"))), "{page}");
}
