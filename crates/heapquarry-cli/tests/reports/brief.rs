//! `--json --brief`: answers that fit a context, whatever is asked.

use super::{Folder, root};
use serde_json::Value;

/// Bytes of 2,000 tokens.
const BYTES: usize = 6000;

/// Rows of a list, and how many there are in all.
fn list(member: &Value) -> (usize, u64) {
    let rows = member.get("rows").unwrap_or(member).as_array().map_or(0, Vec::len);
    (rows, member["total"].as_u64().unwrap_or(rows as u64))
}

#[test]
fn brief_answers_fit_and_say_what_is_left() {
    let folder = Folder::new();
    let corpus = |name: &str| root().join("corpus").join(name).to_str().unwrap().to_owned();
    let [heap, profile, trace] =
        ["chromium.heapsnapshot.gz", "profiles/node26.cpuprofile", "traces/chromium.trace.json.gz"]
            .map(corpus);
    let leak = ["leak/1.heapsnapshot.gz", "leak/2.heapsnapshot.gz", "leak/3.heapsnapshot.gz"];
    let leak = leak.map(corpus);
    let [first, second, third] = [&leak[0], &leak[1], &leak[2]];
    folder.write("heap.toml", "[class.Session]\ncount = 9999");
    for (args, is_cut) in [
        (&["summary", &heap][..], true),
        (&["summary", &profile], true),
        (&["summary", &trace], true),
        (&["find", &heap, "--class", "*"], true),
        (&["find", &heap, "--strings"], true),
        (&["show", third, "--node", "51715"], true),
        (&["show", third, "--class", "Session"], true),
        (&["why", &heap, "--class", "Object"], false),
        (&["diff", first, third], true),
        (&["leaks", first, second, third], false),
        (&["leaks", &heap], false),
        (&["check", third, "--budget", "heap.toml"], false),
        (&["summary", "3.heapsnapshot"], true),
    ] {
        let with = |more: &[&str]| folder.text(&[args, &["--json", "--quiet"], more].concat());
        let text = with(&["--brief"]);
        assert!(text.len() <= BYTES, "{args:?}: {} bytes", text.len());
        let parse = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let (brief, whole) = (parse(&text), parse(&with(&[])));
        for member in ["version", "verb"] {
            assert_eq!(brief[member], whole[member], "{args:?}");
        }
        let more = brief["more"].as_array().unwrap();
        assert_eq!(!more.is_empty(), is_cut, "{args:?}: {text}");
        for more in more {
            let name = more["list"].as_str().unwrap();
            let ((shown, _), (_, total)) = (list(&brief[name]), list(&whole[name]));
            let left = more["left"].as_u64().unwrap();
            assert_eq!(
                (more["total"].as_u64(), left),
                (Some(total), total - shown as u64),
                "{name}"
            );
        }
    }
    let alone = folder.run(&["summary", "3.heapsnapshot", "--brief"]);
    assert_eq!(alone.status.code(), Some(2));
}
