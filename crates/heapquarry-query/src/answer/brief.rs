//! The JSON form of an answer, cut to a size.

use super::{Caveat, CaveatKind};
use heapquarry_report::{
    brief::{self, BYTES, Brief, More},
    printable,
};
use serde_json::{Map, Value, json};
use std::io;

/// Of an answer what fits [`BYTES`], in one line. Its member `more` has the lists that were cut.
///
/// # Errors
/// If it is no JSON.
pub(crate) fn text(answer: Value) -> io::Result<Vec<u8>> {
    let members = match answer {
        Value::Object(members) => members,
        answer => Map::from_iter([("answer".into(), answer)]),
    };
    let fits = |brief: &Brief| line(brief).is_ok_and(|text| text.len() <= BYTES);
    let found = brief::brief(&members, brief::ROWS, fits);
    match fits(&found) {
        true => line(&found),
        false => line(&refused(members)),
    }
}

fn line(brief: &Brief) -> io::Result<Vec<u8>> {
    let more = |more: &More| json!({ "list": more.list, "total": more.total, "left": more.left });
    let mut members = brief.members.clone();
    members.insert("more".into(), brief.more.iter().map(more).collect());
    let mut text = Vec::new();
    printable::json(&members, false, &mut text)?;
    text.push(b'\n');
    Ok(text)
}

/// What is said of an answer that does not fit without a row, either.
fn refused(mut members: Map<String, Value>) -> Brief {
    let text =
        format!("the answer does not fit {BYTES} bytes: ask for a part of it, or for all of it");
    let caveat = Caveat { kind: CaveatKind::Remark, input: None, text };
    members.retain(|name, _| name == "version" || name == "verb");
    members.insert("caveats".into(), json!([caveat]));
    Brief { members, more: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_says_so() {
        let names = |count| (0..count).map(|n| (format!("member {n}"), json!(n)));
        for (count, is_told) in [(10, true), (2000, false)] {
            let inner: Map<String, Value> = names(count).collect();
            let answer =
                json!({ "version": 2, "verb": "summary", "inputs": ["a"], "inner": inner });
            let text = text(answer).unwrap();
            assert!(text.len() <= BYTES, "{count}: {} bytes", text.len());
            let told: Value = serde_json::from_slice(&text).unwrap();
            assert_eq!((&told["version"], &told["verb"]), (&json!(2), &json!("summary")));
            assert_eq!(told.get("inner").is_some(), is_told, "{count}");
            let caveat = told["caveats"][0]["text"].as_str();
            assert_eq!(caveat.is_some_and(|text| text.contains("does not fit")), !is_told);
        }
    }
}
