//! `--strict` means that nothing was lost and nothing guessed: what is repaired by a guess fails, what only has another
//! form passes.

use super::Folder;

/// A CPU profile of two functions, with further members.
fn profile(hits: [u32; 2], more: &str) -> String {
    let node = |id: u32, hits: u32, children: &str| {
        format!(
            r#"{{"id":{id},"hitCount":{hits},"callFrame":{{"functionName":"f{id}","scriptId":"1","url":"a.js","lineNumber":0,"columnNumber":0}}{children}}}"#
        )
    };
    let nodes = [node(1, hits[0], r#","children":[2]"#), node(2, hits[1], "")].join(",");
    format!(r#"{{"nodes":[{nodes}],"startTime":1000,"endTime":5000{more}}}"#)
}

fn trace(event: &str) -> String {
    let rest = r#"{"ph":"X","name":"b","ts":2,"dur":3,"pid":1,"tid":1}"#;
    format!(r#"{{"traceEvents":[{event},{rest}]}}"#)
}

#[test]
fn strict_refuses_what_was_guessed_or_lost() {
    let samples = r#","samples":[1,2,2,2]"#;
    for (what, content, code) in [
        ("times", profile([1, 3], &format!(r#"{samples},"timeDeltas":[0,1000,1000,1000]"#)), None),
        ("fractions", profile([1, 3], &format!(r#"{samples},"timeDeltas":[0,0.5,0.5,0.5]"#)), None),
        ("no times of samples", profile([1, 3], samples), Some("spread_times")),
        ("hits alone", profile([1, 3], ""), Some("spread_times")),
        (
            "fewer times than samples",
            profile([1, 3], &format!(r#"{samples},"timeDeltas":[0,1000]"#)),
            Some("sample_count_mismatch"),
        ),
        ("a time in quotes", trace(r#"{"ph":"i","name":"a","ts":"1","pid":1,"tid":1}"#), None),
        ("an end that is implied", trace(r#"{"ph":"B","name":"a","ts":1,"pid":1,"tid":1}"#), None),
        ("no time", trace(r#"{"ph":"i","name":"a","pid":1,"tid":1}"#), Some("event_without_time")),
        (
            "nanoseconds",
            trace(r#"{"ph":"X","name":"a","ts":1,"dur":1700000000000000000,"pid":1,"tid":1}"#),
            Some("time_out_of_range"),
        ),
        ("no event", trace("7"), Some("not_an_event")),
    ] {
        let folder = Folder::new();
        folder.write("in.json", &content);
        let convert = ["convert", "-q", "in.json", "-o", "out", "--strict"];
        match code {
            None => assert!(folder.run(&convert).status.success(), "{what}"),
            Some(code) => {
                let error = folder.failure(&convert);
                assert!(error.contains("in strict mode (in.json"), "{what}: {error}");
                assert!(error.contains(&format!(": {code}: ")), "{what}: {error}");
                assert!(!folder.0.path().join("out").exists(), "{what}");
            }
        }
    }
}
