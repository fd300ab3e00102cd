//! Limits of the system are errors, not signals.

use super::{corpus, heapquarry};
use std::{fs, process::Command};

/// SIGXFSZ used to end the process, and to leave a partial directory.
#[test]
fn a_limit_for_the_size_of_files_is_an_error() {
    for (input, blocks) in
        [("node18.heapsnapshot.gz", 200), ("handmade/v8-timeline.heaptimeline", 1)]
    {
        let dir = tempfile::tempdir().unwrap();
        let input = fs::canonicalize(corpus().join(input)).unwrap();
        let limited = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
        let output = Command::new("sh")
            .args(["-c", &limited, env!("CARGO_BIN_EXE_heapquarry"), "convert", "-q"])
            .arg(&input)
            .args(["-o", "out"])
            .current_dir(&dir)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{input:?}: {error}");
        assert!(error.contains("File too large") && error.lines().count() == 1, "{error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{input:?}: something is left");
    }
}

#[test]
fn temporary_files_have_a_limit_whatever_the_verb() {
    let (dir, inputs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let input = fs::canonicalize(corpus().join("node18.heapsnapshot.gz")).unwrap();
    let input = input.to_str().unwrap();
    let budget = inputs.path().join("budget.toml");
    fs::write(&budget, "[total]\nsize = \"1 GB\"\n").unwrap();
    for args in [
        &["convert", "-q", input, "-o", "out"][..],
        &["convert", "-q", "--analyze", input, "-o", "out"],
        &["summary", "-q", input],
        &["why", "-q", input, "--class", "Object"],
        &["show", "-q", input, "--class", "Object"],
        &["find", "-q", input, "--text", "a"],
        &["diff", "-q", input, input],
        &["leaks", "-q", input, input],
        &["check", "-q", input, "--budget", budget.to_str().unwrap()],
        &["report", "-q", input, "-o", "out"],
        &["info", input],
        &["extract", input, "-o", "out"],
        &["export", input, "--to", "collapsed"],
        &["redact", "-q", input, "out"],
        &["redact", "-q", input, "--audit"],
    ] {
        let refused = heapquarry(dir.path(), &[args, &["--max-spool", "10kB"]].concat());
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains("would exceed 10000 bytes; use --max-spool"), "{args:?}: {error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{args:?}: something is left");
    }
}

/// A packed snapshot with its header as the last member.
fn header_last(packed: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let extracted = heapquarry(dir.path(), &["extract", packed, "-o", "."]);
    let path = String::from_utf8(extracted.stdout).unwrap();
    let text = fs::read_to_string(dir.path().join(path.trim_end())).unwrap();
    let nodes = text.find("\"nodes\":").unwrap();
    let header = text[1..nodes].trim_end().trim_end_matches(',');
    let rest = text[nodes..].trim_end().strip_suffix('}').unwrap();
    format!("{{{rest},{header}}}")
}

#[test]
fn an_analysis_that_needs_more_memory_than_allowed_is_refused() {
    let (dir, inputs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let input = fs::canonicalize(corpus().join("node18.heapsnapshot.gz")).unwrap();
    let input = input.to_str().unwrap();
    // Its header comes last, so nothing tells before how much there is.
    let reversed = inputs.path().join("reversed.heapsnapshot");
    fs::write(&reversed, header_last(input)).unwrap();
    let converted = inputs.path().join("converted");
    let made = ["convert", "-q", "--names", "id", input, "-o", converted.to_str().unwrap()];
    assert!(heapquarry(dir.path(), &made).status.success());
    let [reversed, converted] = [&reversed, &converted].map(|path| path.to_str().unwrap());
    for args in [
        &["convert", "-q", "--analyze", input, "-o", "out"][..],
        &["summary", "-q", input],
        &["why", "-q", input, "--class", "Object"],
        &["diff", "-q", input, input],
        &["leaks", "-q", input, input],
        &["convert", "-q", "--analyze", reversed, "-o", "out"],
        &["summary", "-q", reversed],
        &["summary", "-q", converted],
        &["diff", "-q", converted, converted],
    ] {
        let with = |memory| heapquarry(dir.path(), &[args, &["--memory", memory]].concat());
        let refused = with("100kB");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.starts_with("error: not enough memory ("), "{error}");
        assert!(error.contains("the limit is 100000 bytes"), "{error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{args:?}: something is left");
        let done = with("1GB");
        let error = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{args:?}: {error}");
        let _ = fs::remove_dir_all(dir.path().join("out"));
    }
    // Two heaps that are compared are in memory at the same time.
    let stderr = |args: &[&str], memory: u64| {
        let run = heapquarry(dir.path(), &[args, &["--memory", &memory.to_string()]].concat());
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    let number_after = |words: &str, error: &str| -> u64 {
        let (_, number) = error.split_once(words).expect(error);
        number.split([' ', ';']).next().unwrap().parse().unwrap()
    };
    let (_, error) = stderr(&["summary", "-q", input], 1);
    let needed = number_after("takes about ", &error);
    let nodes = number_after("the analysis of ", &error);
    let (two, three) = (&["diff", "-q", input, input][..], &["diff", "-q", input, input, input]);
    let (_, error) = stderr(two, needed);
    let held = number_after("of which other inputs take about ", &error);
    assert!((needed / 2..needed).contains(&held), "{error}");
    // What is kept of the first one of several.
    let base = 32 * nodes;
    for (args, memory, held) in
        [(two, needed + held, held), (three, needed + held + base, held + base)]
    {
        let expected = format!("of which other inputs take about {held};");
        let (code, error) = stderr(args, memory - 1);
        assert!(code == Some(2) && error.contains(&expected), "{error}");
        assert_eq!(stderr(args, memory), (Some(0), String::new()), "{args:?}");
    }
    for (args, memory) in [
        (&["summary", "-q", input][..], needed),
        // Which reads one after the other.
        (&["leaks", "-q", input, input, input], needed),
    ] {
        assert_eq!(stderr(args, memory), (Some(0), String::new()), "{args:?}");
    }
    let trace = fs::canonicalize(corpus().join("traces/node26.trace.json.gz")).unwrap();
    let trace = trace.to_str().unwrap();
    for args in [
        &["convert", "-q", trace, "-o", "out"][..],
        &["summary", "-q", trace],
        &["diff", "-q", trace, trace],
    ] {
        let with = |memory| heapquarry(dir.path(), &[args, &["--memory", memory]].concat());
        let refused = with("1kB");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(" events takes about ") && error.contains("1000 bytes"), "{error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{args:?}: something is left");
        let done = with("100MB");
        let error = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{args:?}: {error}");
        let _ = fs::remove_dir_all(dir.path().join("out"));
    }
    // A trace that is read with few claims: other threads may have found its end before its events are gathered.
    let ftrace = fs::canonicalize(corpus().join("ftrace/tgid.ftrace")).unwrap();
    let ftrace = ftrace.to_str().unwrap();
    for threads in ["1", "2", "3", "4"] {
        let args = ["convert", "-q", "--memory", "10kB", "--threads", threads, ftrace, "-o", "out"];
        let refused = heapquarry(dir.path(), &args);
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{threads} threads: {error}");
        let expected = "the analysis of the first 251 events takes about 10040 bytes";
        assert!(error.contains(expected), "{threads} threads: {error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{threads} threads: something is left");
    }
    let tables =
        ["convert", "-q", "--memory", "1kB", "--tables", "trace_event", trace, "-o", "out"];
    let plain = heapquarry(dir.path(), &tables);
    assert_eq!(plain.status.code(), Some(0), "{}", String::from_utf8_lossy(&plain.stderr));
    fs::remove_dir_all(dir.path().join("out")).unwrap();
    // Without an analysis and names as text a heap takes no more memory than its row groups.
    let ids = ["convert", "-q", "--memory", "1kB", "--names", "id", input, "-o", "out"];
    let plain = heapquarry(dir.path(), &ids);
    assert_eq!(plain.status.code(), Some(0), "{}", String::from_utf8_lossy(&plain.stderr));
}
