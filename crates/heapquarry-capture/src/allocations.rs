//! A sampling profile of allocations, as the protocol tells it: a tree of calls, and the samples that live.

use crate::message::{after, key, members, next, value};
use heapquarry_process::AllocationCall;
use serde::Deserialize;
use std::collections::HashMap;

/// Bytes of a profile that are read: one of a large program takes a few MB.
const LONGEST: usize = 32 << 20;
/// Calls of a stack that are read: V8 tells 128.
const DEEPEST: usize = 256;
/// Calls of a profile that are read.
const MOST: usize = 1 << 18;
/// Characters of a name that are kept.
const LONGEST_NAME: usize = 1000;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Frame {
    function_name: String,
    url: String,
    line_number: i64,
    column_number: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    size: f64,
    node_id: u64,
    ordinal: f64,
}

/// What lives, by call; without calls below which nothing lives. `None` if it cannot be told.
pub(crate) fn calls(profile: &str) -> Option<Vec<AllocationCall>> {
    if profile.len() > LONGEST {
        return None;
    }
    let (mut head, mut samples) = (None, None);
    for (name, value) in members(profile) {
        match name {
            "head" => head = Some(value),
            "samples" => samples = serde_json::from_str::<Vec<Sample>>(value).ok(),
            _ => {}
        }
    }
    let (mut calls, ids) = tree(head?)?;
    let samples = samples?;
    // Of what was allocated, as far as the newest that lives.
    let last = samples.iter().map(|sample| sample.ordinal).fold(0.0, f64::max);
    for Sample { size, node_id, ordinal } in samples {
        let call = &mut calls[*ids.get(&node_id)?];
        let size = size.max(0.0) as u64;
        call.size = call.size.saturating_add(size);
        call.sample_count += 1;
        if ordinal <= last / 2.0 {
            call.early_size = call.early_size.saturating_add(size);
        }
    }
    Some(pruned(calls))
}

/// All calls, callers before those that they call, and their positions by their ids. Each byte is read once: the values
/// of members, but those of `children`, whose calls are entered instead.
fn tree(head: &str) -> Option<(Vec<AllocationCall>, HashMap<u64, usize>)> {
    let (mut calls, mut ids) = (vec![AllocationCall::default()], HashMap::new());
    // The calls whose children are being read, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut rest = after(head, '{')?;
    let mut at = 0;
    loop {
        match key(rest) {
            Some(("children", list)) => {
                open.push(at);
                rest = after(list, '[')?;
            }
            Some((name, text)) => {
                let found = value(text)?;
                rest = &text[found.len()..];
                match name {
                    "callFrame" => called(&mut calls[at], serde_json::from_str(found).ok()?),
                    "id" => _ = ids.insert(found.parse().ok()?, at),
                    _ => {}
                }
                continue;
            }
            None if open.is_empty() => return Some((calls, ids)),
            None => rest = after(rest, '}')?,
        }
        // Elements of the innermost list, up to one that is an object, or to its end.
        loop {
            rest = next(rest);
            if let Some(end) = after(rest, ']') {
                (at, rest) = (open.pop()?, end);
                break;
            }
            if calls.len() == MOST || open.len() > DEEPEST {
                return None;
            }
            calls
                .push(AllocationCall { caller: open.last().copied(), ..AllocationCall::default() });
            if let Some(members) = after(rest, '{') {
                (at, rest) = (calls.len() - 1, members);
                break;
            }
            rest = &rest[value(rest)?.len()..];
        }
    }
}

fn called(call: &mut AllocationCall, frame: Frame) {
    let name = |text: String| text.chars().take(LONGEST_NAME).collect();
    call.function = name(frame.function_name);
    call.url = name(frame.url);
    call.line = u32::try_from(frame.line_number).ok();
    call.column = u32::try_from(frame.column_number).ok();
}

/// Without calls below which nothing lives.
fn pruned(calls: Vec<AllocationCall>) -> Vec<AllocationCall> {
    let mut is_kept: Vec<bool> = calls.iter().map(|call| call.sample_count > 0).collect();
    for at in (0..calls.len()).rev() {
        if let (true, Some(caller)) = (is_kept[at], calls[at].caller) {
            is_kept[caller] = true;
        }
    }
    let mut places = vec![0; calls.len()];
    let mut kept = Vec::new();
    for (at, mut call) in calls.into_iter().enumerate().filter(|(at, _)| is_kept[*at]) {
        places[at] = kept.len();
        call.caller = call.caller.map(|caller| places[caller]);
        kept.push(call);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn node(id: u64, name: &str, children: &[Value]) -> Value {
        let frame = json!({"functionName": name, "scriptId": "7", "url": "a.js", "lineNumber": id, "columnNumber": -1});
        json!({"callFrame": frame, "selfSize": 5, "id": id, "children": children})
    }

    #[test]
    fn what_lives_is_told_by_call() {
        let head =
            node(1, "(root)", &[node(2, "dead", &[]), node(3, "tick", &[node(4, "leak", &[])])]);
        let sample =
            |node, ordinal, size| json!({"size": size, "nodeId": node, "ordinal": ordinal});
        let samples = [sample(4, 10, 100), sample(4, 60, 50), sample(3, 90, 30)];
        let found = calls(&json!({"head": head, "samples": samples}).to_string()).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|call| (&*call.function, call.caller, call.size, call.early_size, call.line))
            .collect();
        let expected = [
            ("(root)", None, 0, 0, Some(1)),
            ("tick", Some(0), 30, 0, Some(3)),
            ("leak", Some(1), 150, 100, Some(4)),
        ];
        assert_eq!(told, expected);
        assert_eq!((found[2].sample_count, found[2].column, &*found[2].url), (2, None, "a.js"));
    }

    /// A chain of calls as deep as is read, each with much text.
    #[test]
    fn deep_calls_with_much_text_are_read() {
        let text = "x".repeat(1 << 16);
        let deep = |levels: usize| {
            let open = format!(r#"{{"x":"{text}","id":1,"children":["#).repeat(levels);
            let head = format!(r#"{open}{{"id":2,"children":[]}}{}"#, "]}".repeat(levels));
            format!(r#"{{"head":{head},"samples":[{{"size":8,"nodeId":2,"ordinal":1}}]}}"#)
        };
        let found = calls(&deep(DEEPEST)).unwrap();
        assert_eq!((found.len(), found[DEEPEST].size), (DEEPEST + 1, 8));
        assert!(found.iter().enumerate().all(|(at, call)| call.caller == at.checked_sub(1)));
    }

    /// A process can say what it likes.
    #[test]
    fn what_is_no_profile_tells_nothing() {
        let deep = |depth| {
            let open = r#"{"id":1,"children":["#.repeat(depth);
            format!(r#"{{"samples":[],"head":{open}{{"id":1}}{}}}"#, "]}".repeat(depth))
        };
        let wide = |calls: usize| {
            format!(
                r#"{{"samples":[],"head":{{"id":1,"children":[{}{{}}]}}}}"#,
                "1,".repeat(calls - 1)
            )
        };
        let head = node(1, "(root)", &[]);
        let other = json!({"size": 1, "nodeId": 2, "ordinal": 3});
        for (text, expected) in [
            (String::new(), None),
            ("{}".into(), None),
            (json!({"head": head}).to_string(), None),
            (json!({"head": head, "samples": [other]}).to_string(), None),
            (json!({"head": head, "samples": []}).to_string(), Some(0)),
            (json!({"head": {"id": 1, "callFrame": 7}, "samples": []}).to_string(), None),
            (deep(DEEPEST), Some(0)),
            (deep(DEEPEST + 1), None),
            (deep(5_000), None),
            (" ".repeat(LONGEST + 1), None),
            (wide(MOST - 1), Some(0)),
            (wide(MOST), None),
        ] {
            assert_eq!(calls(&text).map(|calls| calls.len()), expected, "{:.100}", text);
        }
    }
}
