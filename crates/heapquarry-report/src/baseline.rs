//! Facts as a small file, to compare later runs with: JSON with the figures by scope and name.
//!
//! ```json
//! {"heapquarry_baseline":1,"kind":"heap","scopes":{
//!   "total":{"quantities":["size"],"names":{"":[4304000]}},
//!   "class":{"quantities":["count","size"],"names":{"Session":[100,8000]},"known":["Panel"]}}}
//! ```

use crate::{Facts, Vocabulary, printable};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The first member, by which such a file is recognised.
const MARK: &str = "heapquarry_baseline";
/// The version of the format.
const VERSION: u64 = 1;

/// Whether this is the beginning of such a file.
pub fn is_baseline(beginning: &[u8]) -> bool {
    let text = beginning.trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    let text = text.trim_ascii_start().strip_prefix(b"\"").unwrap_or_default();
    text.starts_with(MARK.as_bytes())
}

/// Writes facts. `kind` says what they are of, in one word.
///
/// # Errors
/// Those of the writer.
pub fn write(facts: &Facts, kind: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"{MARK}\":{VERSION},\"kind\":")?;
    printable::json(&kind, false, out)?;
    out.write_all(b",\"scopes\":{")?;
    for (scope, declared) in facts.vocabulary().iter().enumerate() {
        let comma = if scope == 0 { "" } else { "," };
        let quantities: Vec<_> = declared.quantities.iter().map(|quantity| quantity.name).collect();
        write!(out, "{comma}\n\"{}\":", declared.name)?;
        let mut members = json!({ "quantities": quantities, "names": facts.of(scope) });
        let known: Vec<_> = facts.known(scope).collect();
        if !known.is_empty() {
            members["known"] = json!(known);
        }
        let unknown: Map<String, Value> = (0..)
            .zip(declared.quantities)
            .filter_map(|(at, quantity)| {
                Some((quantity.name.into(), facts.unknown(scope, at)?.into()))
            })
            .collect();
        if !unknown.is_empty() {
            members["unknown"] = json!(unknown);
        }
        let bounds: Vec<Value> = facts
            .all_bounds(scope)
            .map(|(quantity, name, (low, high))| {
                json!([declared.quantities[quantity].name, name, low, high])
            })
            .collect();
        if !bounds.is_empty() {
            members["bounds"] = json!(bounds);
        }
        printable::json(&members, false, out)?;
    }
    out.write_all(b"}}\n")
}

/// Reads facts of a kind.
///
/// # Errors
/// What was expected, and what was found.
pub fn read(text: &[u8], kind: &str, vocabulary: Vocabulary) -> Result<Facts, (String, String)> {
    let wrong =
        |expected: &str, found: &dyn std::fmt::Display| (expected.into(), found.to_string());
    let file: Value =
        serde_json::from_slice(text).map_err(|error| wrong("a baseline in JSON", &error))?;
    if file[MARK] != VERSION {
        return Err(wrong(&format!("a baseline of version {VERSION}"), &file[MARK]));
    }
    if file["kind"] != kind {
        return Err(wrong(&format!("a baseline of a {kind}"), &file["kind"]));
    }
    let mut facts = Facts::new(vocabulary);
    for scope in vocabulary {
        let members = &file["scopes"][scope.name];
        if members.is_null() {
            // An earlier version did not know of the scope. All other figures are as good as ever.
            for quantity in scope.quantities {
                let why = "the baseline is older than this quantity; make it again";
                facts.set_unknown(scope.name, quantity.name, why);
            }
            continue;
        }
        let positions = scope.quantities.iter().map(|quantity| {
            let names = members["quantities"].as_array().into_iter().flatten();
            let at = names.into_iter().position(|name| name == quantity.name);
            at.ok_or_else(|| {
                wrong(&format!("{}.{}", scope.name, quantity.name), &"none (make it again)")
            })
        });
        let positions = positions.collect::<Result<Vec<_>, _>>()?;
        let empty = Map::new();
        for (name, figures) in members["names"].as_object().unwrap_or(&empty) {
            let figures =
                positions.iter().map(|&at| figures[at].as_i64()).collect::<Option<Vec<_>>>();
            let figures = figures.ok_or_else(|| wrong("whole numbers", &members["names"][name]))?;
            facts.add(scope.name, name, &figures);
        }
        for name in members["known"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            facts.add_known(scope.name, name);
        }
        for bounds in members["bounds"].as_array().into_iter().flatten() {
            let found = || {
                let (low, high) = (bounds[2].as_i64()?, bounds[3].as_i64()?);
                Some((bounds[0].as_str()?, bounds[1].as_str()?, (low, high)))
            };
            let (quantity, name, bounds) =
                found().ok_or_else(|| wrong("a quantity, a name and two numbers", bounds))?;
            facts.set_bounds(scope.name, name, quantity, bounds);
        }
        for (quantity, why) in members["unknown"].as_object().unwrap_or(&empty) {
            facts.set_unknown(scope.name, quantity, why.as_str().unwrap_or_default());
        }
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::tests::VOCABULARY;
    use proptest::prelude::*;

    fn round(facts: &Facts) -> Vec<u8> {
        let mut text = Vec::new();
        write(facts, "heap", &mut text).unwrap();
        text
    }

    #[test]
    fn what_is_no_baseline_is_said() {
        let mut facts = Facts::new(&VOCABULARY);
        facts.add("total", "", &[1, 2]);
        let text = String::from_utf8(round(&facts)).unwrap();
        assert!(is_baseline(text.as_bytes()) && is_baseline(b" {\n \"heapquarry_baseline\""));
        assert!(!is_baseline(b"{\"snapshot\":") && !is_baseline(b"") && !is_baseline(b"[total]"));
        for (text, expected, found) in [
            ("{".into(), "a baseline in JSON", "EOF while parsing"),
            (text.replace(":1,", ":2,"), "a baseline of version 1", "2"),
            (text.replace("heap\"", "cpu\""), "a baseline of a heap", "\"cpu\""),
            (text.replace("\"size\"", "\"sise\""), "total.size", "none (make it again)"),
            (text.replace("[1,2]", "[1]"), "whole numbers", "[1]"),
            (text.replace("[1,2]", "[1,2.5]"), "whole numbers", "[1,2.5]"),
        ] {
            let (what, instead) = read(text.as_bytes(), "heap", &VOCABULARY).unwrap_err();
            assert!(what == expected && instead.starts_with(found), "{what}: {instead}");
        }
    }

    proptest! {
        #[test]
        fn facts_come_back(classes: Vec<(String, [i64; 2])>, known: Vec<String>) {
            let mut facts = Facts::new(&VOCABULARY);
            classes.iter().for_each(|(name, figures)| facts.add("class", name, figures));
            known.iter().for_each(|name| facts.add_known("class", name));
            facts.set_unknown("total", "count", "it was not counted");
            facts.set_bounds("total", "", "size", (-5, i64::MAX));
            let text = round(&facts);
            let back = read(&text, "heap", &VOCABULARY).unwrap();
            prop_assert_eq!(back.of(1), facts.of(1));
            prop_assert_eq!(round(&back), text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = read(text.as_bytes(), "heap", &VOCABULARY);
        }
    }
}
