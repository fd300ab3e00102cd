//! What is wrong with the members of a document.

use super::*;

pub(crate) fn document_cases() -> Vec<Case> {
    let all_names_null = |case: Case| {
        let case = (0..4)
            .fold(case, |case, row| case.null(NODES, row, &["name"]).null(EDGES, row, &["name"]));
        (0..2).fold(case, |case, row| {
            let case = case.null(SCOPE_VARS, row, &["name"]);
            case.null(FUNCTIONS, row, &["name", "script_name"])
        })
    };
    let no_nodes = |case: Case| {
        let case =
            case.empty(&[NODES]).int(FILES, 0, "node_count", 0).int(FILES, 0, "self_size", 0);
        let case = case.null(LOCATIONS, 0, &["node_index", "node_id"]);
        let case = (0..2).fold(case, |case, row| case.null(SCOPES, row, &["script_node_index"]));
        (0..4).fold(case, |case, row| case.null(EDGES, row, &["from_node_id", "to_node_id"]))
    };
    let edge_marks = "[¶1,1,¶7\n,¶5,4,¶14\n,¶2,5,¶14\n,¶4,9,¶21\n]";
    let each_edge = |case: Case| {
        (0..4).fold(case, |case, _| case.at("edge_without_owner").at("to_node_out_of_range"))
    };
    vec![
        case("nothing wrong", whole()),
        case("blanks around it", format!(" \n\t{} \r\n\t\n", whole())),
        case("text behind it", format!("{}\n¶extra", whole())).at("trailing_data"),
        case("NUL bytes behind it", format!("{}¶{}", whole(), "\0".repeat(100)))
            .at("trailing_data"),
        case("another document behind it", format!("{}\n{{\"snapshot\":{{}}}}", whole())),
        case("a list behind it", format!("{}[]", whole())),
        case("a second closing brace", format!("{}¶}}", whole())).at("trailing_data"),
        case("byte order mark", format!("¶\u{feff}{}", whole())).at("byte_order_mark"),
        case("no closing brace", whole().strip_suffix('}').expect("a brace"))
            .at_end("truncated")
            .status(Status::Truncated),
        case(
            "cut in the last string",
            whole().replace("2,5,14", "2,¶5,14").strip_suffix("rop\"]}").expect("strings"),
        )
        .at("string_out_of_range")
        .at_end("truncated")
        .rows(STRINGS, 5)
        .null(EDGES, 2, &["name"])
        .int(FILES, 0, "string_count", 5)
        .status(Status::Truncated),
        case("cut behind the header", format!("{{\"snapshot\":{}", section("snapshot")))
            .at_end("truncated")
            .empty(&[NODES, EDGES, STRINGS, LOCATIONS, SAMPLES, FUNCTIONS, TREE])
            .empty(&[SCOPES, SCOPE_VARS, SCOPE_USES])
            .int(FILES, 0, "node_count", 0)
            .int(FILES, 0, "edge_count", 0)
            .int(FILES, 0, "string_count", 0)
            .int(FILES, 0, "self_size", 0)
            .status(Status::Truncated),
        case("unknown section", before("edges", "¶\"more\":{\"strings\":[[[\"]\"]]]},"))
            .at("unknown_section"),
        case(
            "unknown scalars",
            before("edges", "¶\"a\":1,¶\"b\":null,¶\"c\":\"\\\"nodes\\\":[\","),
        )
        .at("unknown_section")
        .at("unknown_section")
        .at("unknown_section"),
        case("unknown section, a million brackets deep", {
            let deep = ["[".repeat(1_000_000), "]".repeat(1_000_000)].concat();
            before("edges", &format!("¶\"more\":{deep},"))
        })
        .at("unknown_section"),
        case("unknown section, a million braces deep", {
            let deep = ["{\"a\":".repeat(1_000_000), "1".into(), "}".repeat(1_000_000)].concat();
            before("edges", &format!("¶\"more\":{deep},"))
        })
        .at("unknown_section"),
        case("no commas between sections", joined(&SECTIONS, "\n")),
        case("commas around sections", {
            let text = joined(&SECTIONS, ",,\n,");
            format!("{{,{},,}}", &text[1..text.len() - 1])
        }),
        case("keys with escapes", whole().replace("\"nodes\":", "\"n\\u006fdes\":")),
        case("a key that ends like another", before("edges", "¶\"x\\\"strings\":[\"no\"],"))
            .at("unknown_section"),
        case("a last key that ends like another", behind("¶\"x\\\"strings\":[\"no\"]"))
            .at("unknown_section"),
        case("duplicate nodes", before("edges", "¶\"nodes\":[1,2,3],")).at("duplicate_section"),
        case("duplicate header", before("edges", "¶\"snapshot\":{\"meta\":{}},"))
            .at("duplicate_section"),
        case("duplicate strings", behind("¶\"strings\":[\"a\"]")).at("duplicate_section"),
        // What stands behind the garbage is not read, but strings at the end are looked for from there.
        case("garbage between sections", before("edges", "¶@@@,"))
            .at("malformed")
            .empty(&[EDGES, LOCATIONS, SAMPLES, FUNCTIONS, TREE, SCOPES, SCOPE_VARS, SCOPE_USES])
            .int(FILES, 0, "edge_count", 0)
            .status(Status::Truncated)
            .only(Names::Text),
        case("no colon", before("edges", "\"more\" ¶[],"))
            .at("malformed")
            .empty(&[EDGES, LOCATIONS, SAMPLES, FUNCTIONS, TREE, SCOPES, SCOPE_VARS, SCOPE_USES])
            .int(FILES, 0, "edge_count", 0)
            .status(Status::Truncated)
            .only(Names::Text),
        case("no value", before("edges", "\"more\":¶,"))
            .at("malformed")
            .empty(&[EDGES, LOCATIONS, SAMPLES, FUNCTIONS, TREE, SCOPES, SCOPE_VARS, SCOPE_USES])
            .int(FILES, 0, "edge_count", 0)
            .status(Status::Truncated)
            .only(Names::Text),
        all_names_null(case("no strings", without(&["strings"])))
            .of_all("missing_section")
            .empty(&[STRINGS])
            .int(FILES, 0, "string_count", 0),
        all_names_null(case(
            "strings are no array",
            with("strings", "{\"a\":[]}").replace("\"strings\"", "¶\"strings\""),
        ))
        .at("missing_section")
        .empty(&[STRINGS])
        .int(FILES, 0, "string_count", 0),
        case("no edges", without(&["edges"]))
            .of_all("missing_section")
            .of_all("edges_missing")
            .empty(&[EDGES])
            .int(FILES, 0, "edge_count", 0),
        each_edge(no_nodes(case(
            "no nodes",
            with("edges", edge_marks)
                .replace(&format!("\"nodes\":{},\n", section("nodes")), "")
                .replace("[7,1,", "[¶7,1,")
                .replace("[7,-2,", "[¶7,-2,")
                .replace(",7,30,", ",¶7,30,"),
        )))
        .at("location_out_of_range")
        .at("scope_out_of_range")
        .at("scope_out_of_range")
        .of_all("missing_section")
        .of_all("nodes_missing"),
        each_edge(no_nodes(case(
            "nodes are null",
            with("edges", edge_marks)
                .replace(&format!("\"nodes\":{}", section("nodes")), "\"nodes\":null")
                .replace("[7,1,", "[¶7,1,")
                .replace("[7,-2,", "[¶7,-2,")
                .replace(",7,30,", ",¶7,30,"),
        )))
        .at("location_out_of_range")
        .at("scope_out_of_range")
        .at("scope_out_of_range")
        .of_all("nodes_missing")
        .missing_nodes(),
        case(
            "no sections that only some have",
            without(&[
                "trace_function_infos",
                "trace_tree",
                "samples",
                "locations",
                "scopes",
                "scope_context_vars",
                "scope_uses",
            ]),
        )
        .of_all("trace_function_count_mismatch")
        .empty(&[FUNCTIONS, TREE, SAMPLES, LOCATIONS, SCOPES, SCOPE_VARS, SCOPE_USES]),
        case("no variables and uses of scopes", without(&["scope_context_vars", "scope_uses"]))
            .of_all("scope_records_missing")
            .of_all("scope_records_missing")
            .empty(&[SCOPE_VARS, SCOPE_USES]),
        case(
            "no scopes",
            without(&["scopes"])
                .replace("[4\n,4\n]", "[¶4\n,¶4\n]")
                .replace("[-2,0,-2,1,-2,0\n]", "[¶-2,0,¶-2,1,¶-2,0\n]"),
        )
        .at("record_without_scope")
        .at("record_without_scope")
        .at("record_without_scope")
        .at("record_without_scope")
        .at("record_without_scope")
        .empty(&[SCOPES])
        .null(SCOPE_VARS, 0, &["scope_index", "slot_index"])
        .null(SCOPE_VARS, 1, &["scope_index", "slot_index"])
        .null(SCOPE_USES, 0, &["scope_index"])
        .null(SCOPE_USES, 1, &["scope_index"])
        .null(SCOPE_USES, 2, &["scope_index"]),
        case(
            "scopes behind what belongs to them",
            reordered(&["snapshot", "scope_uses", "scope_context_vars", "scopes"]),
        ),
        case(
            "edges before nodes",
            reordered(&["snapshot", "edges", "locations", "nodes", "strings"]),
        ),
        case(
            "header last",
            reordered(&[
                "strings",
                "edges",
                "locations",
                "nodes",
                "trace_tree",
                "samples",
                "trace_function_infos",
                "snapshot",
            ]),
        ),
        // Edges have no owner yet, but what there is of them before the cut is there.
        each_edge(no_nodes(case("cut in edges before nodes", {
            let edges = edge_marks.strip_suffix(']').expect("a bracket");
            let text = document(&[("snapshot", section("snapshot")), ("edges", edges)]);
            text.strip_suffix('}').expect("a brace").to_string()
        })))
        .at_end("truncated")
        .empty(&[STRINGS, LOCATIONS, SAMPLES, FUNCTIONS, TREE, SCOPES, SCOPE_VARS, SCOPE_USES])
        .int(FILES, 0, "string_count", 0)
        .status(Status::Truncated)
        .no_names(),
    ]
}

impl Case {
    /// `nodes` that is no array is reported at its key.
    pub(crate) fn missing_nodes(mut self) -> Self {
        let key = self.document.windows(8).position(|w| w == b"\"nodes\":").expect("nodes");
        self.log.push(("missing_section", Some(key as u64)));
        self
    }

    pub(crate) fn no_names(self) -> Self {
        (0..4).fold(self, |case, row| case.null(EDGES, row, &["name"]))
    }
}

/// The document with these sections first.
pub(crate) fn reordered(first: &[&str]) -> String {
    let mut sections = SECTIONS.to_vec();
    sections
        .sort_by_key(|(key, _)| first.iter().position(|name| name == key).unwrap_or(first.len()));
    document(&sections)
}

/// Strings at the end of the input are another document's, and those of the end of a document may be its second ones.
#[test]
fn the_strings_are_those_of_the_first_section_of_the_first_document() {
    let expected = |names| read(&whole(), usual(names)).expect("nothing is wrong with it").tables;
    let other = with("strings", "[\"other\",\"strings\"]");
    let other_strings = "\"strings\":[\"other\",\"strings\"]";
    for (document, codes) in [
        (format!("{}{}", whole(), whole()), vec![]),
        (format!("{}\n{other}", whole()), vec![]),
        // A shorter document was written over a longer one.
        (format!("{}{}", whole(), &other[other.len() - 60..]), vec!["trailing_data"]),
        (behind(other_strings), vec!["duplicate_section"]),
        (
            behind(&format!("{other_strings},\"more\":{{}}")),
            vec!["duplicate_section", "unknown_section"],
        ),
        (behind(&format!("\"more\":{{{other_strings}}}")), vec!["unknown_section"]),
    ] {
        for names in BOTH {
            let found = read(&document, usual(names));
            let what = format!("{document}, {names:?}");
            let reading = found.as_ref().expect("complete");
            assert_tables(&expected(names), &reading.tables, &what);
            assert_eq!(reading.codes(), codes.iter().map(|code| (*code, 1)).collect(), "{what}");
            assert_from_end(&document, usual(names), &found, &what);
        }
    }
}

#[test]
fn strings_from_the_end_that_are_not_the_documents_are_found_out() {
    let other_strings = "\"strings\":[\"other\",\"strings\"]";
    let cut = format!("{{\"snapshot\":{},\"more\":{{{other_strings}}}", section("snapshot"));
    for document in [
        format!("{}{}", whole(), whole()),
        behind(other_strings),
        with("strings", "null").replace("null}", &format!("null,{other_strings}}}")),
        // The end of an inner object looks like the end of a document.
        cut,
    ] {
        let from_end = usual(Names::Text).locate(Locate::FromEnd);
        assert!(is_misplaced(&read(&document, from_end)), "{document}");
        assert!(read(&document, usual(Names::Text)).is_ok(), "{document}");
    }
}

/// What waits for a section that waits for another one that does not come.
#[test]
fn scopes_without_nodes_own_what_stands_before_them() {
    let order = ["snapshot", "scope_uses", "scope_context_vars", "edges", "scopes"];
    let document = reordered(&order).replace(&format!("\"nodes\":{},\n", section("nodes")), "");
    let whole = read(&whole(), usual(Names::Text)).expect("nothing is wrong with it").tables;
    for (names, rows) in BOTH.into_iter().flat_map(|names| [1, 100].map(|rows| (names, rows))) {
        let found = read(&document, options(names, rows, 100)).expect("repaired").tables;
        assert_eq!(found[SCOPE_USES], whole[SCOPE_USES], "{names:?}, groups of {rows}");
        let scopes = found[SCOPE_VARS].iter().map(|row| &row[2..4]);
        assert!(scopes.eq(whole[SCOPE_VARS].iter().map(|row| &row[2..4])), "{found:?}");
        assert_eq!(found[SCOPES].len(), whole[SCOPES].len());
    }
}
