//! What cannot be worked around.

use super::*;

#[test]
fn what_cannot_be_worked_around_is_one_error() {
    let none = "expected a header (\"snapshot\") with the fields of nodes and edges, found ";
    let old = "found none (snapshots written before 2012 have another format)";
    let header = |old: &str, new: &str| changed("snapshot", old, new);
    let fields = "[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_id\",\"detachedness\"]";
    for (document, at, message) in [
        (String::new(), 0, format!("{none}the end of the document")),
        (" \n ".into(), 0, format!("{none} \\n ")),
        ("{}".into(), 0, format!("{none}{{}}")),
        ("{".into(), 0, format!("{none}{{")),
        ("[1,2]".into(), 0, format!("{none}[1,2]")),
        ("<!DOCTYPE html>".into(), 0, format!("{none}<!DOCTYPE html>")),
        ("\u{feff}".into(), 3, format!("{none}the end of the document")),
        ("[".repeat(1_000_000), 0, format!("{none}{}", "[".repeat(40))),
        ("{\"a\":".repeat(1_000_000), 5, format!("{none}{}", "{\"a\":".repeat(8))),
        (without(&["snapshot"]), without(&["snapshot"]).len() as u64 - 1, format!("{none}}}")),
        ("{\"snapshot\":".into(), 0, format!("{none}{{\"snapshot\":")),
        (
            "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"na".into(),
            46,
            "expected the rest of the header (\"snapshot\"), found the end of the document".into(),
        ),
        ("{\"snapshot\":5}".into(), 12, format!("expected snapshot.meta.node_fields, {old}")),
        ("{\"snapshot\":[]}".into(), 12, format!("expected snapshot.meta.node_fields, {old}")),
        ("{\"snapshot\":{}}".into(), 12, format!("expected snapshot.meta.node_fields, {old}")),
        ("{\"snapshot\":{\"meta\":null}}".into(), 12, format!("expected snapshot.meta.node_fields, {old}")),
        (header(fields, "[]"), 12, format!("expected snapshot.meta.node_fields, {old}")),
        (header(fields, "\"type\""), 12, format!("expected snapshot.meta.node_fields, {old}")),
        (header("\"edge_fields\"", "\"edge\""), 12, format!("expected snapshot.meta.edge_fields, {old}")),
        (
            "{\"snapshot\":{\"title\":\"Snapshot\",\"uid\":1},\"nodes\":[{\"fields\":[\"type\"],\"types\":[]},0],\"strings\":[\"\"]}"
                .into(),
            12,
            format!("expected snapshot.meta.node_fields, {old}"),
        ),
    ] {
        let expected = Err(format!("byte {at}: {message}"));
        for (names, window) in BOTH.into_iter().flat_map(|names| [1, 3, 1000].map(|window| (names, window))) {
            if document.len() > 100_000 && window < 1000 {
                continue;
            }
            let found = read(&document, options(names, 10, window));
            let shown: String = document.chars().take(60).collect();
            assert_readings(&expected, &found, true, &format!("{shown}, {names:?}, window of {window}"));
        }
    }
}

#[test]
fn a_header_that_is_no_json_is_an_error_with_its_place() {
    let deep = |n: usize| {
        changed(
            "snapshot",
            "{\"meta\"",
            &format!("{{\"deep\":{}{},\"meta\"", "[".repeat(n), "]".repeat(n)),
        )
    };
    for (document, place) in [
        (changed("snapshot", ":4,\"edge_count\"", ":nope,\"edge_count\""), "nope"),
        (changed("snapshot", "\"node_count\":4", "\"node_count\" 4"), " 4,\"edge"),
        (changed("snapshot", "\"node_count\":4", "\"node_count\":4 4"), "4,\"edge"),
        (changed("snapshot", "\"node_count\":4", "\"node\\q_count\":4"), "\\q_"),
        (changed("snapshot", "\"node_count\":4", "\"node\\ud83d_count\":4"), "\\ud83d"),
    ] {
        // Within strings the parser does not tell where.
        let place =
            if place.starts_with('\\') { 12 } else { document.find(place).expect("the place") };
        for names in BOTH {
            let error = read(&document, usual(names)).expect_err("no JSON");
            let (at, message) = error.split_once(": ").expect("an offset");
            let at: usize = at.trim_start_matches("byte ").parse().expect("an offset");
            assert!(at.abs_diff(place) < 30, "{error}, but it stands at {place}");
            assert!(
                message.starts_with("expected valid JSON in the header (\"snapshot\"), found "),
                "{error}"
            );
        }
    }
    // Some nesting is harmless, a million levels are not worth a try.
    assert_eq!(read(&deep(500), usual(Names::Text)), read(&whole(), usual(Names::Text)));
    let error = read(&deep(1_000_000), usual(Names::Text)).expect_err("too deep");
    assert!(error.contains("expected valid JSON in the header (\"snapshot\")"), "{error}");
}

#[test]
fn a_header_of_more_than_64_mib_is_an_error() {
    let long = changed(
        "snapshot",
        "\"node_count\"",
        &format!("\"x\":\"{}\",\"node_count\"", "x".repeat(64 << 20)),
    );
    let error = read(&long, usual(Names::Id)).expect_err("too long");
    assert!(
        error.starts_with(
            "byte 12: expected a header (\"snapshot\") of at most 67108864 bytes, found 67109"
        ),
        "{error}"
    );
}
