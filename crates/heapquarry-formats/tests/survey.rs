//! A survey counts the records of every section and tells where it stands.

mod common;

use common::{Watched, corpus, documents, handmade, read, table_of, usual};
use heapquarry_formats::{Names, heap::survey};

fn check(name: &str, document: &[u8]) {
    let tables = read(&document, usual(Names::Id)).expect("a whole document").tables;
    let surveyed = survey(&document, 4096).expect("a whole document");
    assert!(surveyed.complete, "{name}");
    let value: serde_json::Value = header(document, &surveyed);
    for section in &surveyed.sections {
        let bytes = &document[section.offset.0 as usize..][..section.bytes as usize];
        let Some(table) = table_of(&section.name) else {
            assert_eq!(section.records, None, "{name}: {section:?}");
            continue;
        };
        let expected = tables[table].len() as u64;
        assert_eq!([bytes[0], bytes[bytes.len() - 1]], *b"[]", "{name}: {section:?}");
        // What stands before the header cannot be counted.
        let snapshot =
            surveyed.sections.iter().position(|s| s.name == "snapshot").expect("a header");
        let known = surveyed.sections[snapshot].offset < section.offset;
        assert_eq!(section.records, known.then_some(expected), "{name}: {section:?}");
    }
    let fields: Vec<_> = surveyed.node_fields.iter().map(String::as_str).collect();
    assert_eq!(serde_json::json!(fields), value["meta"]["node_fields"], "{name}");
    assert_eq!(surveyed.declared_nodes, value["node_count"].as_u64(), "{name}");
    assert_eq!(surveyed.declared_edges, value["edge_count"].as_u64(), "{name}");
}

fn header(document: &[u8], survey: &heapquarry_formats::heap::Survey) -> serde_json::Value {
    let header = survey.sections.iter().find(|s| s.name == "snapshot").expect("a header");
    let bytes = &document[header.offset.0 as usize..][..header.bytes as usize];
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn surveys_count_what_is_read() {
    handmade().iter().for_each(|(name, document)| check(name, document));
    documents(&corpus(), false).iter().for_each(|(name, document)| check(name, document));
}

#[test]
fn surveys_do_not_depend_on_windows() {
    for (name, document) in handmade() {
        let expected = format!("{:?}", survey(&document, 128 << 10));
        for window in [1, 2, 3, 7, 64, 1000] {
            assert_eq!(
                format!("{:?}", survey(&document, window)),
                expected,
                "{name}, window of {window}"
            );
            // Every claim begins with a window of its own, so that large ones are read again and again.
            let reluctant = Watched::reluctant(&document, 5);
            assert_eq!(
                format!("{:?}", survey(&reluctant, window)),
                expected,
                "{name}, window of {window}"
            );
        }
    }
}

#[test]
fn a_survey_of_a_cut_document_says_so() {
    let document = &handmade()["v8-timeline.heaptimeline"];
    let whole = survey(document, 100).expect("a whole document");
    let header = &whole.sections[0];
    for end in 0..document.len() {
        let cut = &document[..end];
        let found = survey(&cut, 100);
        if (end as u64) < header.offset.0 + header.bytes {
            assert!(found.is_err(), "cut after {end} bytes");
            continue;
        }
        let found = found.expect("a header");
        assert!(!found.complete, "cut after {end} bytes");
        for (found, whole) in found.sections.iter().zip(&whole.sections) {
            assert_eq!((&found.name, found.offset), (&whole.name, whole.offset));
            assert!(found.records <= whole.records && found.bytes <= whole.bytes, "{found:?}");
        }
    }
}

#[test]
fn a_survey_tells_what_is_missing() {
    let document = |declared: [u64; 2], behind: &str| {
        let [nodes, edges] = declared;
        format!(
            r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["object"]],
            "edge_fields":["type","name_or_index","to_node"],"edge_types":[["property"]]}},
            "node_count":{nodes},"edge_count":{edges}}},
            "nodes":[0,0,1,24,1, 0,0,3,16,0],"edges":[0,1,5],"strings":["Foo","bar"]}}{behind}"#
        )
        .into_bytes()
    };
    for (document, expected) in [
        (document([2, 1], " \n"), &[][..]),
        // Counts of zero, as tools write them, say nothing.
        (document([0, 0], ""), &[]),
        (document([2, 1], "\0\0"), &[]),
        (document([26_688_716, 5], ""), &["26688714 of 26688716 nodes", "4 of 5 edges"]),
        // It is a document of its own.
        (document([2, 1], "\n{}"), &[]),
    ] {
        let found = survey(&document, 4096).expect("a whole document");
        assert!(found.complete);
        assert_eq!(found.missing(), expected);
        let next = document
            .ends_with(b"\n{}")
            .then(|| heapquarry_formats::ByteOffset(document.len() as u64 - 2));
        assert_eq!(found.next, next);
    }
}
