//! Damaged and unusual documents: what import_log says of them and where, and which cells are then other than in the
//! document as it should be. Everything that a case does not name must be as before.

mod common;

use common::{
    BOTH, Cell, Reading, Tables, assert_from_end, assert_readings, assert_tables, int,
    is_misplaced, no_rows, options, read, text, usual,
};
use heapquarry_formats::{
    Buffer, Code, Input, LISTED, Severity,
    heap::{Claim, Locate, Names, Options, Scratch, Snapshot, Status},
};
use heapquarry_tables::by_name;
use std::collections::{BTreeMap, BTreeSet};

const SECTIONS: [(&str, &str); 8] = [
    (
        "snapshot",
        r#"{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],
"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string"],
"edge_fields":["type","name_or_index","to_node"],
"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],
"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],
"trace_node_fields":["id","function_info_index","count","size","children"],
"sample_fields":["timestamp_us","last_assigned_id"],
"location_fields":["object_index","script_id","line","column"]},
"node_count":4,"edge_count":4,"trace_function_count":2}"#,
    ),
    ("nodes", "[9,1,1,0,2,0,0\n,3,2,3,16,1,0,0\n,2,3,5,24,0,0,0\n,8,2,7,32,1,2,1\n]"),
    ("edges", "[1,1,7\n,5,4,14\n,2,5,14\n,4,9,21\n]"),
    ("trace_function_infos", "[0,2,1,0,0,0\n,11,3,4,6,7,8\n]"),
    ("trace_tree", "[1,0,0,0,[2,1,3,48,[]]]"),
    ("samples", "[0,5\n,100,7\n]"),
    ("locations", "[7,1,2,3\n]"),
    ("strings", r#"["<dummy>","","Foo","text","short","prop"]"#),
];
const FILES: &str = "js_heap_files";
const INFO: &str = "js_heap_info";
const NODES: &str = "js_heap_nodes";
const EDGES: &str = "js_heap_edges";
const STRINGS: &str = "js_heap_string";
const LOCATIONS: &str = "js_heap_location";
const SAMPLES: &str = "js_heap_sample";
const FUNCTIONS: &str = "js_heap_trace_function_info";
const TREE: &str = "js_heap_trace_node";
/// The counts are the last rows of `js_heap_info`.
const INFO_NODE_COUNT: usize = 10 + 1 + 7 + 2;

/// Stands where something is to be reported, and is taken out before reading.
const MARK: &str = "¶";
/// Stands for two bytes that are not UTF-8.
const INVALID: &str = "\u{e000}";

/// A document of these sections, in that order.
fn document(sections: &[(&str, &str)]) -> String {
    joined(sections, ",\n")
}

fn joined(sections: &[(&str, &str)], separator: &str) -> String {
    let members: Vec<_> =
        sections.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", members.join(separator))
}

fn whole() -> String {
    document(&SECTIONS)
}

fn section(name: &str) -> &'static str {
    SECTIONS.iter().find(|(key, _)| *key == name).expect("a section").1
}

/// The document with another text for one section.
fn with(name: &str, value: &str) -> String {
    document(&SECTIONS.map(|(key, old)| (key, if key == name { value } else { old })))
}

fn without(names: &[&str]) -> String {
    let sections: Vec<_> = SECTIONS.into_iter().filter(|(key, _)| !names.contains(key)).collect();
    document(&sections)
}

/// The document with something replaced in one section.
fn changed(name: &str, old: &str, new: &str) -> String {
    assert_eq!(section(name).matches(old).count(), 1, "{old} in {name}");
    with(name, &section(name).replace(old, new))
}

/// The document with something put before a section.
fn before(name: &str, new: &str) -> String {
    whole().replace(&format!("\"{name}\":"), &format!("{new}\"{name}\":"))
}

/// The document with something put behind its last section.
fn behind(new: &str) -> String {
    format!("{},{new}}}", whole().strip_suffix('}').expect("a brace"))
}

/// Another last string, which is the name of edge 2.
fn string(json: &str) -> String {
    with("strings", &section("strings").replace("\"prop\"", json))
}

struct Case {
    name: String,
    document: Vec<u8>,
    /// Offsets of the marks.
    marks: Vec<u64>,
    log: Vec<(&'static str, Option<u64>)>,
    marks_used: usize,
    cells: Vec<(&'static str, usize, &'static str, Cell)>,
    /// Tables that have only so many of their rows left.
    rows: Vec<(&'static str, usize)>,
    /// Rows that a table has beyond those of the whole document.
    more: Vec<(&'static str, Vec<Cell>)>,
    status: Option<Status>,
    names: Vec<Names>,
}

fn case(name: impl Into<String>, marked: impl Into<String>) -> Case {
    let marked = marked.into();
    let pieces: Vec<_> = marked.split(MARK).collect();
    let mut document: Vec<u8> = Vec::new();
    let mut marks = Vec::new();
    for (i, piece) in pieces.into_iter().enumerate() {
        if i > 0 {
            marks.push(document.len() as u64);
        }
        let mut valid = piece.split(INVALID);
        document.extend(valid.next().unwrap_or_default().bytes());
        valid.for_each(|piece| document.extend([b"\xff\xc3", piece.as_bytes()].concat()));
    }
    Case {
        name: name.into(),
        document,
        marks,
        log: Vec::new(),
        marks_used: 0,
        cells: Vec::new(),
        rows: Vec::new(),
        more: Vec::new(),
        status: None,
        names: BOTH.to_vec(),
    }
}

impl Case {
    /// The code must come, at the next mark.
    fn at(mut self, code: &'static str) -> Self {
        self.log.push((code, Some(self.marks[self.marks_used])));
        self.marks_used += 1;
        self
    }

    /// The code must come, for the document as a whole.
    fn of_all(mut self, code: &'static str) -> Self {
        self.log.push((code, None));
        self
    }

    /// The code must come at the end of the document.
    fn at_end(mut self, code: &'static str) -> Self {
        self.log.push((code, Some(self.document.len() as u64)));
        self
    }

    fn cell(mut self, table: &'static str, row: usize, column: &'static str, cell: Cell) -> Self {
        self.cells.push((table, row, column, cell));
        self
    }

    fn int(self, table: &'static str, row: usize, column: &'static str, value: i64) -> Self {
        self.cell(table, row, column, Cell::Int(value))
    }

    fn null(self, table: &'static str, row: usize, columns: &[&'static str]) -> Self {
        columns.iter().fold(self, |case, column| case.cell(table, row, column, Cell::Null))
    }

    fn text(self, table: &'static str, row: usize, column: &'static str, value: &str) -> Self {
        self.cell(table, row, column, text(Some(value)))
    }

    /// Another last string.
    fn string(self, value: &str) -> Self {
        self.text(STRINGS, 5, "string", value).text(EDGES, 2, "name", value)
    }

    fn rows(mut self, table: &'static str, rows: usize) -> Self {
        self.rows.push((table, rows));
        self
    }

    fn empty(self, tables: &[&'static str]) -> Self {
        tables.iter().fold(self, |case, table| case.rows(table, 0))
    }

    fn more(mut self, table: &'static str, row: Vec<Cell>) -> Self {
        self.more.push((table, row));
        self
    }

    fn status(mut self, status: Status) -> Self {
        self.status = Some(status);
        self
    }

    fn only(mut self, names: Names) -> Self {
        self.names = vec![names];
        self
    }

    /// With names as numbers nothing is looked up.
    fn log(&self, names: Names) -> Vec<(&'static str, Option<u64>)> {
        let looked_up = |code: &str| names == Names::Text || code != "string_out_of_range";
        let mut log: Vec<_> =
            self.log.iter().copied().filter(|(code, _)| looked_up(code)).collect();
        log.sort();
        log
    }

    fn tables(&self, names: Names) -> Tables {
        let mut tables = read(&whole(), usual(names)).expect("nothing is wrong with it").tables;
        for (table, row) in &self.more {
            tables.get_mut(table).expect("a table").push(row.clone());
        }
        for (table, row, column, cell) in &self.cells {
            let is_name = ["name", "script_name"].contains(column);
            if !(is_name && names == Names::Id) {
                let column = by_name(table).and_then(|t| t.column(column)).expect("a column");
                tables.get_mut(table).expect("a table")[*row][column] = cell.clone();
            }
        }
        for (table, rows) in &self.rows {
            tables.get_mut(table).expect("a table").truncate(*rows);
        }
        tables
    }

    fn check(&self) {
        assert_eq!(self.marks_used, self.marks.len(), "{}: marks", self.name);
        for &names in &self.names {
            let what = format!("{}, {names:?}", self.name);
            let found = read(&self.document, usual(names));
            let reading = found.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_tables(&self.tables(names), &reading.tables, &what);
            self.check_log(reading, names, &what);
            assert_from_end(&self.document, usual(names), &found, &what);
            for (rows, window) in [(1, 1), (1, 5), (2, 2), (3, 1000), (100, 3), (100, 17)] {
                // A million brackets, one by one, tell nothing that some thousand do not.
                if self.document.len() < 100_000 {
                    let what = format!("{what}, groups of {rows}, window of {window}");
                    let found_too = read(&self.document, options(names, rows, window));
                    assert_readings(&found, &found_too, false, &what);
                }
            }
        }
    }

    fn check_log(&self, reading: &Reading, names: Names, what: &str) {
        let mut log: Vec<_> = reading.log.iter().map(|e| (e.code.name(), e.offset)).collect();
        log.sort();
        assert_eq!(log, self.log(names), "{what}: {:#?}", reading.log);
        for entry in &reading.log {
            assert!(!entry.message.is_empty() && entry.occurrences == 1, "{what}: {entry:?}");
            // What is quoted stands at the offset, unless it had to be made printable.
            if let (Some(excerpt), Some(offset)) = (&entry.excerpt, entry.offset) {
                let excerpt = excerpt.trim_end_matches('…');
                let there = &self.document[offset as usize..];
                let there = &there[..excerpt.len().min(there.len())];
                let printable = there.iter().all(|b| (b' '..=b'~').contains(b));
                assert!(!printable || there == excerpt.as_bytes(), "{what}: {entry:?}");
            }
        }
        let worst = reading.log.iter().map(|e| e.code.severity()).max().unwrap_or(Severity::Info);
        let usual = if worst == Severity::Info { Status::Complete } else { Status::Repaired };
        assert_eq!(reading.status, self.status.unwrap_or(usual), "{what}");
    }
}

/// Cells of a row without the `file_id`.
fn row(cells: Vec<Cell>) -> Vec<Cell> {
    [vec![Cell::Int(common::FILE_ID.into())], cells].concat()
}

fn frame(cells: [Option<i64>; 6]) -> Vec<Cell> {
    row(cells.map(int).to_vec())
}

// -------------------------------------------------------------------------------- the document

fn document_cases() -> Vec<Case> {
    let all_names_null = |case: Case| {
        let case = (0..4)
            .fold(case, |case, row| case.null(NODES, row, &["name"]).null(EDGES, row, &["name"]));
        (0..2).fold(case, |case, row| case.null(FUNCTIONS, row, &["name", "script_name"]))
    };
    let no_nodes = |case: Case| {
        let case =
            case.empty(&[NODES]).int(FILES, 0, "node_count", 0).int(FILES, 0, "self_size", 0);
        let case = case.null(LOCATIONS, 0, &["node_index", "node_id"]);
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
            .empty(&[EDGES, LOCATIONS, SAMPLES, FUNCTIONS, TREE])
            .int(FILES, 0, "edge_count", 0)
            .status(Status::Truncated)
            .only(Names::Text),
        case("no colon", before("edges", "\"more\" ¶[],"))
            .at("malformed")
            .empty(&[EDGES, LOCATIONS, SAMPLES, FUNCTIONS, TREE])
            .int(FILES, 0, "edge_count", 0)
            .status(Status::Truncated)
            .only(Names::Text),
        case("no value", before("edges", "\"more\":¶,"))
            .at("malformed")
            .empty(&[EDGES, LOCATIONS, SAMPLES, FUNCTIONS, TREE])
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
            .of_all("edge_count_mismatch")
            .of_all("edges_missing")
            .empty(&[EDGES])
            .int(FILES, 0, "edge_count", 0),
        each_edge(no_nodes(case(
            "no nodes",
            with("edges", edge_marks)
                .replace(&format!("\"nodes\":{},\n", section("nodes")), "")
                .replace("[7,1,", "[¶7,1,"),
        )))
        .at("location_out_of_range")
        .of_all("missing_section")
        .of_all("node_count_mismatch"),
        each_edge(no_nodes(case(
            "nodes are null",
            with("edges", edge_marks)
                .replace(&format!("\"nodes\":{}", section("nodes")), "\"nodes\":null")
                .replace("[7,1,", "[¶7,1,"),
        )))
        .at("location_out_of_range")
        .of_all("node_count_mismatch")
        .missing_nodes(),
        case(
            "no sections that only some have",
            without(&["trace_function_infos", "trace_tree", "samples", "locations"]),
        )
        .of_all("trace_function_count_mismatch")
        .empty(&[FUNCTIONS, TREE, SAMPLES, LOCATIONS]),
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
        .empty(&[STRINGS, LOCATIONS, SAMPLES, FUNCTIONS, TREE])
        .int(FILES, 0, "string_count", 0)
        .status(Status::Truncated)
        .no_names(),
    ]
}

impl Case {
    /// `nodes` that is no array is reported at its key.
    fn missing_nodes(mut self) -> Self {
        let key = self.document.windows(8).position(|w| w == b"\"nodes\":").expect("nodes");
        self.log.push(("missing_section", Some(key as u64)));
        self
    }

    fn no_names(self) -> Self {
        (0..4).fold(self, |case, row| case.null(EDGES, row, &["name"]))
    }
}

/// The document with these sections first.
fn reordered(first: &[&str]) -> String {
    let mut sections = SECTIONS.to_vec();
    sections
        .sort_by_key(|(key, _)| first.iter().position(|name| name == key).unwrap_or(first.len()));
    document(&sections)
}

// -------------------------------------------------------------------------------- the header

fn header_cases() -> Vec<Case> {
    let header = |old: &str, new: &str| changed("snapshot", old, new);
    let all = |case: Case, table, rows, columns: &[&'static str]| {
        (0..rows).fold(case, |case, row| case.null(table, row, columns))
    };
    let counts = "\"node_count\":4,\"edge_count\":4,\"trace_function_count\":2";
    vec![
        case("more nodes declared", header("\"node_count\":4", "\"node_count\":4000000000"))
            .of_all("node_count_mismatch")
            .int(FILES, 0, "declared_node_count", 4_000_000_000)
            .int(INFO, INFO_NODE_COUNT, "int_value", 4_000_000_000),
        case(
            "counts of zero",
            header(counts, "\"node_count\":0,\"edge_count\":0,\"trace_function_count\":0"),
        )
        .of_all("node_count_mismatch")
        .of_all("edge_count_mismatch")
        .of_all("trace_function_count_mismatch")
        .int(FILES, 0, "declared_node_count", 0)
        .int(FILES, 0, "declared_edge_count", 0)
        .int(INFO, INFO_NODE_COUNT, "int_value", 0)
        .int(INFO, INFO_NODE_COUNT + 1, "int_value", 0)
        .int(INFO, INFO_NODE_COUNT + 2, "int_value", 0),
        case("no counts", header(&format!(",\n{counts}"), ""))
            .null(FILES, 0, &["declared_node_count", "declared_edge_count"])
            .null(INFO, INFO_NODE_COUNT, &["int_value"])
            .null(INFO, INFO_NODE_COUNT + 1, &["int_value"])
            .null(INFO, INFO_NODE_COUNT + 2, &["int_value"]),
        case("native bytes", header("\"node_count\"", "\"extra_native_bytes\":77,\"node_count\""))
            .int(FILES, 0, "extra_native_bytes", 77),
        all(
            case("unknown field", header("\"detachedness\"]", "\"colour\"]")),
            NODES,
            4,
            &["detachedness"],
        )
        .of_all("unknown_field"),
        all(
            case("no ids", header("\"id\",\"self_size\"", "\"colour\",\"self_size\"")),
            NODES,
            4,
            &["id"],
        )
        .of_all("unknown_field")
        .of_all("missing_field")
        .null(EDGES, 0, &["from_node_id", "to_node_id"])
        .null(EDGES, 1, &["from_node_id", "to_node_id"])
        .null(EDGES, 2, &["from_node_id", "to_node_id"])
        .null(EDGES, 3, &["from_node_id", "to_node_id"])
        .null(LOCATIONS, 0, &["node_id"]),
        all(
            case("no columns of samples", header("\"last_assigned_id\"", "\"last\"")),
            SAMPLES,
            2,
            &["last_assigned_id"],
        )
        .of_all("unknown_field")
        .of_all("missing_field"),
        case(
            "fields of samples as usual",
            header("\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],\n", ""),
        ),
        case(
            "a million brackets in a string of the header",
            header(
                "\"node_count\"",
                &format!("\"x\":\"{}\",\"node_count\"", "[".repeat(1_000_000)),
            ),
        ),
    ]
}

// -------------------------------------------------------------------------------- records

fn record_cases() -> Vec<Case> {
    let location = |case: Case| {
        case.at("location_out_of_range").null(LOCATIONS, 0, &["node_index", "node_id"])
    };
    vec![
        case("a comma behind nodes", changed("nodes", "1\n]", "1\n,]")),
        case(
            "a comma behind all",
            whole().replace("\n]", ",\n ]").replace("\"prop\"]", "\"prop\" , ]"),
        ),
        case("nodes, two values more", changed("nodes", "1\n]", "1\n,9,1¶]")).at("partial_record"),
        case(
            "nodes, one value less",
            changed("nodes", "2,1\n]", "2\n¶]").replace("4,9,21", "¶4,9,¶21"),
        )
        .at("partial_record")
        .at("edge_without_owner")
        .at("to_node_out_of_range")
        .of_all("node_count_mismatch")
        .rows(NODES, 3)
        .int(FILES, 0, "node_count", 3)
        .int(FILES, 0, "self_size", 40)
        .null(EDGES, 3, &["from_node_id", "to_node_id"]),
        case("edges, one value more", changed("edges", "21\n]", "21\n,9¶]")).at("partial_record"),
        case("functions, one value more", changed("trace_function_infos", "8\n]", "8\n,9¶]"))
            .at("partial_record"),
        case("samples, one value more", changed("samples", "7\n]", "7\n,9¶]")).at("partial_record"),
        case("locations, one value more", changed("locations", "3\n]", "3\n,9¶]"))
            .at("partial_record"),
        case(
            "edge counts too small",
            changed("nodes", "3,2,3,16,1", "3,2,3,16,0").replace("4,9,21", "¶4,9,21"),
        )
        .at("edge_without_owner")
        .int(NODES, 1, "edge_count", 0)
        .int(EDGES, 2, "from_node_id", 7)
        .null(EDGES, 3, &["from_node_id"]),
        case("edge counts too large", changed("nodes", "3,2,3,16,1", "3,2,3,16,5"))
            .of_all("edges_missing")
            .int(NODES, 1, "edge_count", 5)
            .int(EDGES, 3, "from_node_id", 3),
        case("edge count of two billion", changed("nodes", "3,2,3,16,1", "3,2,3,16,2000000000"))
            .of_all("edges_missing")
            .int(NODES, 1, "edge_count", 2_000_000_000)
            .int(EDGES, 3, "from_node_id", 3),
        case("edge counts beyond all sums", {
            let huge = format!("¶{}", i64::MAX);
            let nodes = section("nodes").replace(",2,0,0", &format!(",{huge},0,0"));
            with(
                "nodes",
                &nodes
                    .replace("16,1", &format!("16,{huge}"))
                    .replace("24,0", &format!("24,{huge}")),
            )
        })
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .of_all("edges_missing")
        .null(NODES, 0, &["edge_count"])
        .null(NODES, 1, &["edge_count"])
        .null(NODES, 2, &["edge_count"])
        .int(EDGES, 2, "from_node_id", 1)
        .int(EDGES, 3, "from_node_id", 1),
        case(
            "edge count below zero",
            changed("nodes", "3,2,3,16,1", "3,2,3,16,¶-1").replace("4,9,21", "¶4,9,21"),
        )
        .at("negative_number")
        .at("edge_without_owner")
        .int(NODES, 1, "edge_count", -1)
        .int(EDGES, 2, "from_node_id", 7)
        .null(EDGES, 3, &["from_node_id"]),
        case("target out of range", changed("edges", "2,5,14", "2,5,¶28"))
            .at("to_node_out_of_range")
            .null(EDGES, 2, &["to_node_id"]),
        case("target far out of range", changed("edges", "2,5,14", "2,5,¶9223372036854775806"))
            .at("to_node_unaligned")
            .null(EDGES, 2, &["to_node_id"]),
        case("target below zero", changed("edges", "2,5,14", "2,5,¶¶-7"))
            .at("negative_number")
            .at("to_node_out_of_range")
            .null(EDGES, 2, &["to_node_id"]),
        case("target unaligned", changed("edges", "2,5,14", "2,5,¶15"))
            .at("to_node_unaligned")
            .null(EDGES, 2, &["to_node_id"]),
        location(case("location out of range", changed("locations", "7,1", "¶28,1"))),
        location(case("location unaligned", changed("locations", "7,1", "¶8,1"))),
        case(
            "script of a location",
            with("locations", "[7,1,2,3,21]").replace(
                "\"line\",\"column\"]},",
                "\"line\",\"column\",\"script_object_index\"]},",
            ),
        )
        .int(LOCATIONS, 0, "script_node_index", 3),
        case(
            "script of a location out of range",
            with("locations", "[7,1,2,3,¶28]").replace(
                "\"line\",\"column\"]},",
                "\"line\",\"column\",\"script_object_index\"]},",
            ),
        )
        .at("location_out_of_range"),
        case("name of a node out of range", changed("nodes", "3,2,3,16", "3,¶6,3,16"))
            .at("string_out_of_range")
            .null(NODES, 1, &["name"])
            .int(NODES, 1, "name_id", 6),
        case("name of an edge out of range", changed("edges", "2,5,14", "2,¶4000000000,14"))
            .at("string_out_of_range")
            .null(EDGES, 2, &["name"])
            .int(EDGES, 2, "name_or_index", 4_000_000_000),
        case("name below zero", changed("edges", "2,5,14", "2,¶¶-1,14"))
            .at("negative_number")
            .at("string_out_of_range")
            .null(EDGES, 2, &["name"])
            .int(EDGES, 2, "name_or_index", -1),
        case(
            "name of a script out of range",
            changed("trace_function_infos", "11,3,4", "11,3,¶44"),
        )
        .at("string_out_of_range")
        .null(FUNCTIONS, 1, &["script_name"])
        .int(FUNCTIONS, 1, "script_name_id", 44),
        case("index of an element, whatever it is", changed("edges", "1,1,7", "1,4000000000,7"))
            .int(EDGES, 0, "name_or_index", 4_000_000_000),
        case("index of Julia", changed("edges", "1,1,7", "1,¶18446744073709551615,7"))
            .at("value_out_of_range")
            .null(EDGES, 0, &["name_or_index"]),
        case("type of a node out of range", changed("nodes", "3,2,3,16", "¶14,2,3,16"))
            .at("type_out_of_range")
            .text(NODES, 1, "type", "14"),
        case("type of an edge out of range", changed("edges", "2,5,14", "¶70000,5,14"))
            .at("type_out_of_range")
            .text(EDGES, 2, "type", "70000"),
        case("type below zero", changed("edges", "2,5,14", "¶¶-1,5,14"))
            .at("negative_number")
            .at("type_out_of_range")
            .text(EDGES, 2, "type", "-1"),
        case("type of an edge that is none", changed("edges", "2,5,14", "¶x,5,14"))
            .at("not_a_number")
            .null(EDGES, 2, &["type"]),
        // A number that is not known is not taken for the first of the types.
        case("type of an edge that is none, and the first type has numbers", {
            changed("edges", "2,5,14", "¶x,5,14")
                .replace("[\"context\",\"element\"", "[\"hidden\",\"element\"")
        })
        .at("not_a_number")
        .null(EDGES, 2, &["type"])
        .text(INFO, 11, "str_value", "hidden"),
        case("numbers that do not fit INT32", {
            let functions = changed(
                "trace_function_infos",
                "11,3,4,6,7,8",
                "11,3,4,¶3000000000,¶3000000000,¶3000000000",
            );
            let nodes = "3,2,3,16,1,¶3000000000,¶3000000000";
            let locations = "7,¶3000000000,¶3000000000,¶3000000000";
            let tree = "2,¶3000000000,3,48";
            functions
                .replace("3,2,3,16,1,0,0", nodes)
                .replace("7,1,2,3\n", locations)
                .replace("2,1,3,48", tree)
        })
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .null(NODES, 1, &["trace_node_id", "detachedness"])
        .null(FUNCTIONS, 1, &["script_id", "line_number", "column_number"])
        .null(TREE, 1, &["function_info_index"])
        .null(LOCATIONS, 0, &["script_id", "line_number", "column_number"]),
        case("names that do not fit INT32", {
            let functions =
                changed("trace_function_infos", "11,3,4", "11,¶¶3000000000,¶¶3000000000");
            functions.replace("3,2,3,16", "3,¶¶3000000000,3,16")
        })
        .at("value_out_of_range")
        .at("string_out_of_range")
        .at("value_out_of_range")
        .at("string_out_of_range")
        .at("value_out_of_range")
        .at("string_out_of_range")
        .null(NODES, 1, &["name", "name_id"])
        .null(FUNCTIONS, 1, &["name", "name_id", "script_name", "script_name_id"]),
        case("the largest sizes", changed("nodes", "3,2,3,16", "3,2,3,9223372036854775807"))
            .of_all("value_out_of_range")
            .int(NODES, 1, "self_size", i64::MAX)
            .int(FILES, 0, "self_size", i64::MAX),
        case("an id that is none", changed("nodes", "3,2,3,16", "3,2,¶x,16"))
            .at("not_a_number")
            .null(NODES, 1, &["id"])
            .null(EDGES, 0, &["to_node_id"])
            .null(EDGES, 2, &["from_node_id"])
            .null(LOCATIONS, 0, &["node_id"]),
        case("an id below zero", changed("nodes", "3,2,3,16", "3,2,¶-3,16"))
            .at("negative_number")
            .int(NODES, 1, "id", -3)
            .int(EDGES, 0, "to_node_id", -3)
            .int(EDGES, 2, "from_node_id", -3)
            .int(LOCATIONS, 0, "node_id", -3),
        case("blanks before what is odd", changed("nodes", "3,2,3,16", "3,2,3 ,\n\t ¶NaN "))
            .at("not_a_number")
            .null(NODES, 1, &["self_size"])
            .int(FILES, 0, "self_size", 56),
        case("blanks before what is out of range", changed("edges", "2,5,14", "2,5 , \n¶28 \n"))
            .at("to_node_out_of_range")
            .null(EDGES, 2, &["to_node_id"]),
        case(
            "quotes and brackets inside of words",
            changed("nodes", "3,2,3,16", "3,2,3,¶x\"1,2]\"[3,[4]]y{\"a\":\"}\"}"),
        )
        .at("not_a_number")
        .null(NODES, 1, &["self_size"])
        .int(FILES, 0, "self_size", 56),
        case("a closing brace", changed("edges", "2,5,14", "2,5,14¶}"))
            .at("malformed")
            .rows(EDGES, 2)
            .int(FILES, 0, "edge_count", 2)
            .empty(&[LOCATIONS, SAMPLES, FUNCTIONS, TREE])
            .status(Status::Truncated)
            .only(Names::Text),
        case("a colon", changed("edges", "2,5,14", "2,5¶:14"))
            .at("malformed")
            .rows(EDGES, 2)
            .int(FILES, 0, "edge_count", 2)
            .empty(&[LOCATIONS, SAMPLES, FUNCTIONS, TREE])
            .status(Status::Truncated)
            .only(Names::Text),
    ]
}

/// Everything that could stand where a number should, in every section.
fn number_cases() -> Vec<Case> {
    let huge = "9".repeat(400);
    let deep = ["[".repeat(1_000_000), "]".repeat(1_000_000)].concat();
    let values: &[(&str, &'static str, Option<i64>)] = &[
        ("0016", "", Some(16)),
        ("16.0", "number_form", Some(16)),
        ("1e3", "number_form", Some(1000)),
        ("160E-1", "number_form", Some(16)),
        ("-1.6e+1", "number_form", Some(-16)),
        ("-5", "negative_number", Some(-5)),
        ("-0", "negative_number", Some(0)),
        ("1.5", "not_an_integer", None),
        ("-25e-1", "not_an_integer", None),
        ("18446744073709551615", "value_out_of_range", None),
        ("18446744073709551616", "value_out_of_range", None),
        ("-9223372036854775809", "value_out_of_range", None),
        ("1e400", "value_out_of_range", None),
        (&huge, "value_out_of_range", None),
        ("NaN", "not_a_number", None),
        ("-Infinity", "not_a_number", None),
        ("null", "not_a_number", None),
        ("true", "not_a_number", None),
        ("\"16\"", "not_a_number", None),
        ("\"1,6\\\"]\"", "not_a_number", None),
        ("{\"a\":[1,6]}", "not_a_number", None),
        ("+16", "not_a_number", None),
        ("16.", "not_a_number", None),
        (".5", "not_a_number", None),
        ("16x", "not_a_number", None),
        ("0x10", "not_a_number", None),
        ("1_6", "not_a_number", None),
        ("16é", "not_a_number", None),
        ("\u{1}", "not_a_number", None),
        ("\\", "not_a_number", None),
        // In the tree a bracket is a list of children, and blanks are as good as commas.
        ("", "not_a_number", None),
        ("1 6", "not_a_number", None),
        ("[1,6]", "not_a_number", None),
        ("[]", "not_a_number", None),
        (&deep, "not_a_number", None),
    ];
    let mut cases = Vec::new();
    for (section, old, new, table, row, column) in [
        ("nodes", "3,2,3,16", "3,2,3,@", NODES, 1, "self_size"),
        ("edges", "1,1,7", "1,@,7", EDGES, 0, "name_or_index"),
        ("trace_function_infos", "4,6,7,8", "4,6,@,8", FUNCTIONS, 1, "line_number"),
        ("trace_tree", "3,48,[", "3,@,[", TREE, 1, "size"),
        ("samples", "100,7", "@,7", SAMPLES, 1, "timestamp_us"),
        ("locations", "7,1,2,3", "7,1,@,3", LOCATIONS, 0, "line_number"),
    ] {
        for &(json, code, value) in values {
            if section == "trace_tree"
                && (json.is_empty() || json.contains(' ') || json.starts_with('['))
            {
                continue;
            }
            let mark = if code.is_empty() { "" } else { MARK };
            let text = changed(section, old, &new.replace('@', &format!("{mark}{json}")));
            let shown = if json.len() > 40 { &json[..40] } else { json };
            let mut case =
                case(format!("{shown:?} in {section}"), text).cell(table, row, column, int(value));
            if !code.is_empty() {
                case = case.at(code);
            }
            if section == "nodes" {
                case = case.int(FILES, 0, "self_size", 56 + value.unwrap_or(0));
            }
            cases.push(case);
        }
    }
    cases
}

// -------------------------------------------------------------------------------- strings

fn string_cases() -> Vec<Case> {
    vec![
        case("every escape", string(r#""\"\\\/\b\f\n\r\t\u00e9\u6F22\ud83d\uDE00""#))
            .string("\"\\/\u{8}\u{c}\n\r\té漢😀"),
        case("raw control characters", string("\"a\n\t\u{1}\u{0}b\"")).string("a\n\t\u{1}\0b"),
        case("lone surrogate", string(r#""¶a\ud83db""#)).at("lone_surrogate").string("a\u{fffd}b"),
        case("two lone surrogates", string(r#""¶¶\ude00\ud83d""#))
            .at("lone_surrogate")
            .at("lone_surrogate")
            .string("\u{fffd}\u{fffd}"),
        case("unknown escape", string(r#""¶a\qb""#)).at("bad_escape").string("aqb"),
        case("unknown escape of a wide character", string(r#""¶a\éb""#))
            .at("bad_escape")
            .string("aéb"),
        case("broken \\u", string(r#""¶a\u12x4b""#)).at("bad_escape").string("a\u{fffd}x4b"),
        case("\\u at the end", string(r#""¶a\u1""#)).at("bad_escape").string("a\u{fffd}"),
        case("invalid UTF-8", string(&format!("\"¶a{INVALID}b\"")))
            .at("invalid_utf8")
            .string("a\u{fffd}\u{fffd}b"),
        case("invalid UTF-8 beside escapes", string(&format!("\"¶¶\\n{INVALID}\\ud83d\"")))
            .at("invalid_utf8")
            .at("lone_surrogate")
            .string("\n\u{fffd}\u{fffd}\u{fffd}"),
        case("stray quote", string("\"¶a\"b\"")).at("stray_quote").string("a\"b"),
        case("stray quotes and brackets", string("\"¶\"a\" [\"b\" x] {\"c\"}\""))
            .at("stray_quote")
            .string("\"a\" [\"b\" x] {\"c\"}"),
        case("a number among strings", string("¶12")).at("not_a_string").string("12"),
        case("null among strings", string("¶null")).at("not_a_string").string("null"),
        case("an array among strings", string("¶[\"a\",\"b]\"]"))
            .at("not_a_string")
            .string("[\"a\",\"b]\"]"),
        case("a million brackets among strings", {
            string(&format!("¶{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000)))
        })
        .at("not_a_string")
        .string(&["[".repeat(1_000_000), "]".repeat(1_000_000)].concat()),
        case(
            "numbers first and in the middle",
            with("strings", "[¶1,\"\",¶2 , ¶true,\"short\",\"prop\"]"),
        )
        .at("not_a_string")
        .at("not_a_string")
        .at("not_a_string")
        .text(STRINGS, 0, "string", "1")
        .text(STRINGS, 2, "string", "2")
        .text(STRINGS, 3, "string", "true")
        .text(NODES, 1, "name", "2")
        .text(NODES, 3, "name", "2")
        .text(NODES, 2, "name", "true")
        .text(FUNCTIONS, 0, "name", "2")
        .text(FUNCTIONS, 1, "name", "true"),
        // The numbers of the strings behind it are kept.
        case(
            "nothing between two commas",
            with("strings", "[\"<dummy>\",\"\",¶,\"text\",\"short\",\"prop\"]"),
        )
        .at("not_a_string")
        .text(STRINGS, 2, "string", "")
        .text(NODES, 1, "name", "")
        .text(NODES, 3, "name", "")
        .text(FUNCTIONS, 0, "name", ""),
        case(
            "a comma behind the last",
            with("strings", &section("strings").replace("\"]", "\" , ]")),
        ),
        case("a closing brace among strings", string("\"prop\",¶}"))
            .at("malformed")
            .status(Status::Truncated),
        // Strings are read out of turn for names; how they end must not be forgotten.
        case("a closing brace among strings, which come first", {
            let text = reordered(&["strings"]);
            text.replace("\"prop\"]", "\"prop\",¶}")
        })
        .at("malformed")
        .status(Status::Truncated),
    ]
}

// -------------------------------------------------------------------------------- the tree

fn tree_cases() -> Vec<Case> {
    let tree = |json: &str| with("trace_tree", json);
    vec![
        case("no tree", tree("[]")).empty(&[TREE]),
        case(
            "several roots and children",
            tree("[1,0,0,0,[2,1,3,48,[],3,1,4,50,[4,0,5,60,[]]],5,1,6,70,[]]"),
        )
        .more(TREE, frame([Some(3), Some(1), Some(4), Some(50), Some(1), Some(1)]))
        .more(TREE, frame([Some(4), Some(0), Some(5), Some(60), Some(3), Some(2)]))
        .more(TREE, frame([Some(5), Some(1), Some(6), Some(70), Some(-1), Some(0)])),
        case("a number for children", tree("[1,0,0,0,[2,1,3,48,¶7¶]]"))
            .at("bad_nesting")
            .at("bad_nesting"),
        case("no children", tree("[1,0,0,0,[2,1,3,48¶]]")).at("bad_nesting"),
        case("too few numbers", tree("[1,0,0,0,[2,1,¶[]]]")).at("bad_nesting").null(
            TREE,
            1,
            &["count", "size"],
        ),
        case(
            "a record without children at the end of a group",
            tree("[1,0,0,0,[2,1,3,48¶],3,1,4,50¶]"),
        )
        .at("bad_nesting")
        .at("bad_nesting")
        .more(TREE, frame([Some(3), Some(1), Some(4), Some(50), Some(-1), Some(0)])),
        case("brackets only", tree("[¶[¶[]]]"))
            .at("bad_nesting")
            .at("bad_nesting")
            .null(TREE, 0, &["id", "function_info_index", "count", "size"])
            .null(TREE, 1, &["id", "function_info_index", "count", "size", "parent_id"]),
        case("no id", tree("[¶null,0,0,0,[2,1,3,48,[]]]"))
            .at("not_a_number")
            .null(TREE, 0, &["id"])
            .null(TREE, 1, &["parent_id"]),
        case(
            "quotes and braces inside of words",
            tree("[1,0,0,0,[2,1,3,¶4x\"8,]\"{\"[\":[]},[]]]"),
        )
        .at("not_a_number")
        .null(TREE, 1, &["size"]),
        case("blanks for commas", tree("[1 0\n0\t0\r[2 1 3 48 []]]")),
        case("a closing brace", tree("[1,0,0,0,[2,1¶}]]"))
            .at("malformed")
            .rows(TREE, 1)
            .empty(&[SAMPLES, LOCATIONS])
            .status(Status::Truncated)
            .only(Names::Text),
    ]
}

#[test]
fn documents() {
    document_cases().iter().for_each(Case::check);
}

#[test]
fn headers() {
    header_cases().iter().for_each(Case::check);
}

#[test]
fn records() {
    record_cases().iter().for_each(Case::check);
}

#[test]
fn numbers() {
    number_cases().iter().for_each(Case::check);
}

#[test]
fn strings() {
    string_cases().iter().for_each(Case::check);
}

#[test]
fn trees() {
    tree_cases().iter().for_each(Case::check);
}

#[test]
fn every_code_has_a_case() {
    let cases = [
        document_cases(),
        header_cases(),
        record_cases(),
        number_cases(),
        string_cases(),
        tree_cases(),
    ];
    let shown: BTreeSet<_> =
        cases.iter().flatten().flat_map(|case| case.log.iter().map(|(code, _)| *code)).collect();
    // A document that is not packed cannot show the one, and the other is long; it has a test of its own below.
    let elsewhere = [Code::CompressedDamaged, Code::StringTooLong];
    let missing: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !elsewhere.contains(code) && !common::OF_PROFILES.contains(code))
        .filter(|code| !shown.contains(code.name()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

// -------------------------------------------------------------------------------- errors

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

// -------------------------------------------------------------------------------- much of something

#[test]
fn a_code_that_keeps_coming_is_listed_a_hundred_times() {
    let samples = format!("[{}]", vec!["NaN,1"; 1000].join(","));
    let document = with("samples", &samples);
    let start = document.find(&samples).expect("samples") as u64;
    for rows in [1, 7, 100_000] {
        let found = read(&document, options(Names::Text, rows, 100)).expect("repaired");
        let entries: Vec<_> = found.log.iter().map(|e| (e.code, e.offset, e.occurrences)).collect();
        let expected = (0..LISTED as u64).map(|i| (Code::NotANumber, Some(start + 1 + 6 * i), 1));
        let rest = (Code::NotANumber, None, 1000 - LISTED as u64);
        assert_eq!(entries, expected.chain([rest]).collect::<Vec<_>>(), "groups of {rows}");
        let expected: Vec<_> = (0..1000).map(|_| row(vec![Cell::Null, Cell::Int(1)])).collect();
        assert_eq!(found.tables[SAMPLES], expected);
    }
}

#[test]
fn a_trace_tree_may_be_200_000_calls_deep() {
    const DEPTH: i64 = 200_000;
    let open: String = (0..DEPTH).map(|i| format!("{i},{},1,2,[", i % 2)).collect();
    let document = with("trace_tree", &format!("[{open}{}]", "]".repeat(DEPTH as usize)));
    let parent = |i: i64| Some(i - 1);
    let frames =
        (0..DEPTH).map(|i| frame([Some(i), Some(i % 2), Some(1), Some(2), parent(i), Some(i)]));
    let mut expected = read(&whole(), usual(Names::Text)).expect("nothing is wrong with it");
    expected.tables.insert(TREE, frames.collect());
    expected.counts.trace_nodes = DEPTH as u64;
    assert_readings(&Ok(expected.clone()), &read(&document, usual(Names::Text)), false, "deep");
    assert_readings(
        &Ok(expected),
        &read(&document, options(Names::Text, 999, 4096)),
        false,
        "deep",
    );

    // Cut at the bottom, all that is above is there.
    let cut = &document[..document.find("]]]").expect("the bottom")];
    let found = read(&cut, usual(Names::Text)).expect("truncated");
    assert_eq!((found.tables[TREE].len(), found.status), (DEPTH as usize, Status::Truncated));
}

#[test]
fn a_million_brackets_in_the_tree_are_a_million_rows() {
    let document = with("trace_tree", &["[".repeat(1_000_001), "]".repeat(1_000_001)].concat());
    let found = read(&document, usual(Names::Text)).expect("repaired");
    assert_eq!(found.tables[TREE].len(), 1_000_000);
    assert_eq!(found.codes(), BTreeMap::from([("bad_nesting", 1_000_000)]));
    assert_eq!(found.status, Status::Repaired);
}

#[test]
fn brackets_without_end_are_a_cut() {
    for (name, table) in [
        ("nodes", NODES),
        ("edges", EDGES),
        ("trace_function_infos", FUNCTIONS),
        ("samples", SAMPLES),
        ("locations", LOCATIONS),
        ("strings", STRINGS),
    ] {
        let whole = whole();
        let (head, _) = whole.split_once(&format!("\"{name}\":")).expect("a section");
        let document = format!("{head}\"{name}\":[{}", "[".repeat(1_000_000));
        for names in BOTH {
            let found = read(&document, usual(names)).expect("truncated");
            assert_eq!(found.tables[table], no_rows()[table], "{name}");
            let mut codes = found.codes();
            let names_lost = codes.remove("string_out_of_range").is_some();
            assert_eq!(codes, BTreeMap::from([("truncated", 1)]), "{name}");
            assert_eq!(names_lost, name == "strings" && names == Names::Text);
        }
    }
}

/// A claim of strings ends after some megabytes, whatever the number of its strings.
#[test]
fn many_megabytes_of_strings_are_several_row_groups() {
    let letters = ["a", "b", "c", "d", "e", "f"];
    for separator in [",", " ,\n", "\n,"] {
        let strings = letters.map(|letter| letter.repeat(3 << 20));
        let json = format!("[{}]", strings.clone().map(|s| format!("\"{s}\"")).join(separator));
        for (names, window) in
            [(Names::Text, 128 << 10), (Names::Text, 64 << 20), (Names::Id, 1 << 20)]
        {
            let what = format!("{separator:?}, {names:?}, window of {window}");
            let found =
                read(&with("strings", &json), options(names, 1000, window)).expect("complete");
            let rows = strings.iter().zip(0..).map(|(s, i)| row(vec![Cell::Int(i), text(Some(s))]));
            assert_eq!(found.tables[STRINGS], rows.collect::<Vec<_>>(), "{what}");
            assert_eq!((found.log, found.status), (vec![], Status::Complete), "{what}");
            assert_eq!(found.groups[STRINGS], [2, 2, 2], "{what}");
            if names == Names::Text {
                assert_eq!(found.tables[EDGES][2][3], text(Some(&strings[5])), "{what}");
            }
        }
    }
}

#[test]
fn a_string_of_more_than_64_mib_is_cut() {
    const LONGEST: usize = 64 << 20;
    let fill = "x".repeat(LONGEST - 6);
    // A large window may hold the whole string before its length is looked at.
    let (small, large) = (1 << 20, 100 << 20);
    for (window, tail, kept, too_long) in [
        (small, "yyyyyy", "yyyyyy", false),
        (large, "yyyyyy", "yyyyyy", false),
        (small, "yyyyyyy", "yyyyyy", true),
        (large, "yyyyyyy", "yyyyyy", true),
        // Not within an escape, nor within a character.
        (small, r"yyyyy\nz", "yyyyy", true),
        (small, r"yyy\\\\z", "yyy", true),
        (small, r"yy\ud83d\ude00", "yy", true),
        (large, r"\ud83d\ude00z", "", true),
        (small, "yyyyyé", "yyyyy", true),
        (small, "yyy😀z", "yyy", true),
    ] {
        let strings = section("strings").replace("\"Foo\"", &format!("\"{fill}{tail}\""));
        let document = with("strings", &strings);
        let offset = document.find("\"xxx").expect("the string") as u64;
        let expected = [&fill, kept].concat();
        let what = format!("{tail}, window of {window}");
        let found = read(&document, options(Names::Text, 1000, window)).expect("repaired");
        let log: Vec<_> = found.log.iter().map(|e| (e.code, e.offset)).collect();
        let expected_log =
            if too_long { vec![(Code::StringTooLong, Some(offset))] } else { vec![] };
        assert_eq!(log, expected_log, "{what}");
        let texts: Vec<_> = found.tables[STRINGS].iter().map(|row| row[2].clone()).collect();
        let all = ["<dummy>", "", &expected, "text", "short", "prop"].map(|s| text(Some(s)));
        assert!(
            texts == all,
            "{what}: {}",
            texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        );
    }
}

#[test]
fn a_string_of_more_than_64_mib_where_a_number_should_be_is_none() {
    let long = "x,]".repeat(22 << 20);
    let document = changed("nodes", "3,2,3,16", &format!("3,2,3,\"{long}\""));
    let found = read(&document, usual(Names::Text)).expect("repaired");
    assert_eq!(found.codes(), BTreeMap::from([("not_a_number", 1)]));
    assert_eq!(found.tables[NODES][1][6], Cell::Null);
    assert_eq!(
        found.tables[NODES][3],
        read(&whole(), usual(Names::Text)).expect("whole").tables[NODES][3]
    );
}

/// A document that goes on with one byte for more than a gigabyte.
struct GoesOn {
    head: String,
    fill: u8,
}

impl Input for GoesOn {
    fn size(&self) -> u64 {
        self.head.len() as u64 + (1200 << 20)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let head = self.head.read_at(buf, offset)?;
        let n = buf.len().min((self.size() - offset) as usize);
        buf[head..n].fill(self.fill);
        Ok(n)
    }
}

#[test]
fn a_value_without_end_is_not_kept_in_memory() {
    for (section, fill, code) in [
        ("\"nodes\":[9,1,", b' ', "malformed"),
        ("\"nodes\":[9,1,", b'7', "malformed"),
        ("\"nodes\":[9,1,", b'x', "malformed"),
        ("\"nodes\":[9,1,\"", b'x', "malformed"),
        ("\"strings\":[\"a\"", b' ', "string_too_long"),
        ("\"strings\":[\"a\",", b' ', "malformed"),
        ("\"strings\":[\"a", b'x', "string_too_long"),
        ("\"trace_tree\":[1,", b' ', "truncated"),
        ("\"trace_tree\":[1,", b'7', "malformed"),
        ("\"", b'x', "malformed"),
        ("", b' ', "truncated"),
    ] {
        let head = format!("{{\"snapshot\":{},{section}", self::section("snapshot"));
        let input = GoesOn { head, fill };
        let (mut buf, mut scratch) = (Buffer::default(), Scratch::default());
        let options = options(Names::Id, 1000, 1 << 20);
        let mut snapshot = Snapshot::new(&input, 0, "", options).expect("it can be read");
        while let Claim::Task(task) = snapshot.claim(&mut buf).expect("it has a header") {
            let (_, done) = task.decode(&buf, &mut scratch);
            snapshot.complete(done);
        }
        let what = format!("{section}, then {:?}", char::from(fill));
        assert!(buf.capacity() < 600 << 20, "{what}: {} bytes kept", buf.capacity());
        let (_, summary) = snapshot.finish();
        let codes: Vec<_> = summary.log.into_entries().iter().map(|e| e.code.name()).collect();
        assert!(codes.contains(&code), "{what}: {codes:?}");
        assert_eq!(summary.status, Status::Truncated, "{what}");
    }
}

// -------------------------------------------------------------------------------- several documents

/// Strings at the end of the input are another document's, and those of the end of a document may be its second ones.
#[test]
fn the_strings_are_those_of_the_first_section_of_the_first_document() {
    let expected = |names| read(&whole(), usual(names)).expect("nothing is wrong with it").tables;
    let other = with("strings", "[\"other\",\"strings\"]");
    let other_strings = "\"strings\":[\"other\",\"strings\"]";
    for (document, codes) in [
        (format!("{}{}", whole(), whole()), vec!["trailing_data"]),
        (format!("{}\n{other}", whole()), vec!["trailing_data"]),
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
        let from_end = Options { locate: Locate::FromEnd, ..usual(Names::Text) };
        assert!(is_misplaced(&read(&document, from_end)), "{document}");
        assert!(read(&document, usual(Names::Text)).is_ok(), "{document}");
    }
}
