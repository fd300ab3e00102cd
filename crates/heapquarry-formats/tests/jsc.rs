//! Heap snapshots of JavaScriptCore that are damaged or unusual: what is kept of each, and what the log says.

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{Int32Type, Int64Type},
};
use heapquarry_formats::{
    Entry, Error, Gather, Gathered, ReadOptions, Status, jsc::Snapshot, read_all,
};
use heapquarry_graph::Heap;
use heapquarry_tables::FileId;
use std::collections::BTreeMap;

/// Rows as text: nodes as `id:type:name:size`, edges as `from>to:type:name or index`; what is missing is `-`.
#[derive(Debug, PartialEq)]
struct Read {
    nodes: Vec<String>,
    edges: Vec<String>,
    status: Status,
    log: Vec<Entry>,
}

fn cell(batch: &RecordBatch, column: &str, row: usize) -> String {
    let array = batch.column_by_name(column).expect("a column");
    if array.is_null(row) {
        return "-".into();
    }
    if let Some(numbers) = array.as_primitive_opt::<Int64Type>() {
        return numbers.value(row).to_string();
    }
    if let Some(numbers) = array.as_primitive_opt::<Int32Type>() {
        return numbers.value(row).to_string();
    }
    if let Some(labels) = array.as_dictionary_opt::<Int32Type>() {
        let key = labels.keys().value(row) as usize;
        return labels.values().as_string::<i32>().value(key).into();
    }
    array.as_string::<i32>().value(row).into()
}

/// Reads a document twice: with the heap for the analysis, and without, where edges are not kept.
fn read(document: &[u8], rows: usize, window: usize) -> Read {
    let kept = read_with(document, rows, window, Gather::Always);
    assert_eq!(read_with(document, rows, window, Gather::Never), kept);
    kept
}

fn read_with(document: &[u8], rows: usize, window: usize, gather: Gather) -> Read {
    let options = ReadOptions::default().row_group_rows(rows).window(window).gather(gather);
    let snapshot =
        Snapshot::new(&document, FileId(0), "some", &options).expect("memory can be read");
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let finished = read_all(snapshot, |table, batch| {
        let batch = table.expand(&batch).expect("little text");
        let text = |row, columns: &[&str]| columns.iter().map(|c| cell(&batch, c, row)).collect();
        for row in 0..batch.num_rows() {
            let line = |columns: &[&str]| -> Vec<String> { text(row, columns) };
            match table.name {
                "js_heap_nodes" => {
                    nodes.push(line(&["id", "type", "name", "self_size"]).join(":"));
                }
                "js_heap_edges" => {
                    let ends = line(&["from_node_id", "to_node_id"]).join(">");
                    let [kind, name, index]: [String; 3] =
                        line(&["type", "name", "name_or_index"]).try_into().expect("three");
                    edges.push(format!("{ends}:{kind}:{}", if name == "-" { index } else { name }));
                }
                _ => {}
            }
        }
        Ok::<_, Error>(())
    });
    let mut finished = finished.expect("memory can be read");
    let summary = finished.documents.remove(0);
    assert!(summary.counts.contains(&("edges", edges.len() as u64)));
    match finished.gathered {
        Some(Gathered::Heap(parts)) => {
            let heap = Heap::new(*parts, 1);
            assert_eq!((heap.nodes().len(), heap.edges().len()), (nodes.len(), edges.len()));
        }
        gathered => assert!(gather == Gather::Never && gathered.is_none()),
    }
    Read { nodes, edges, status: summary.status, log: summary.log.into_entries() }
}

/// A document of this much, with the usual names.
fn document(nodes: &str, edges: &str) -> String {
    format!(
        r#"{{"version":3,"type":"Inspector","nodes":[{nodes}],"nodeClassNames":["<root>","Foo","Bar"],"edges":[{edges}],"edgeTypes":["Internal","Property","Index","Variable"],"edgeNames":["a","b"]}}"#
    )
}

struct Case {
    document: String,
    nodes: &'static [&'static str],
    edges: &'static [&'static str],
    log: &'static [(&'static str, u64)],
    status: Status,
}

#[test]
fn what_is_kept_of_damage() {
    const ROOT: &str = "0:synthetic:<root>:0";
    let foo = "0,0,0,0,7,10,1,0";
    let whole = |nodes: &str, edges: &str| document(nodes, edges);
    let cut = |text: &str, at: &str| {
        let end = text.find(at).expect("it is there") + at.len();
        text[..end].to_owned()
    };
    let without = |text: &str, from: &str, to: &str| {
        let (start, end) = (text.find(from).expect("a start"), text.find(to).expect("an end"));
        format!("{}{}", &text[..start], &text[end..])
    };
    let plain = whole(foo, "0,7,1,1,7,0,2,5");
    let cases = [
        Case {
            document: plain.clone(),
            nodes: &[ROOT, "7:object:Foo:10"],
            edges: &["0>7:property:b", "7>0:element:5"],
            log: &[],
            status: Status::Complete,
        },
        // Nodes in any order, edges in any order.
        Case {
            document: whole("9,1,2,0,7,10,1,0,0,0,0,0", "9,7,2,1,0,9,0,0,9,0,3,0,0,7,0,0"),
            nodes: &[ROOT, "7:object:Foo:10", "9:object:Bar:1"],
            edges: &["0>9:internal:-", "0>7:internal:-", "9>7:element:1", "9>0:context:a"],
            log: &[],
            status: Status::Complete,
        },
        // Ids that leave gaps too large for a list of all.
        Case {
            document: whole("0,0,0,0,9007199254740991,1,1,0", "9007199254740991,0,2,0,1,0,2,0"),
            nodes: &[ROOT, "9007199254740991:object:Foo:1"],
            edges: &["9007199254740991>0:element:0", "->0:element:0"],
            log: &[("edge_without_owner", 1)],
            status: Status::Repaired,
        },
        Case {
            document: whole("", ""),
            nodes: &[],
            edges: &[],
            log: &[],
            status: Status::Complete,
        },
        Case {
            document: whole("7,10,1,0", "0,7,1,0"),
            nodes: &["0:synthetic:-:0", "7:object:Foo:10"],
            edges: &["0>7:property:a"],
            log: &[("unknown_node", 1)],
            status: Status::Repaired,
        },
        Case {
            document: whole("0,0,0,0,7,10,1,0,7,11,2,0", "7,7,2,0"),
            nodes: &[ROOT, "7:object:Foo:10", "7:object:Bar:11"],
            edges: &["7>7:element:0"],
            log: &[("duplicate_id", 1)],
            status: Status::Repaired,
        },
        Case {
            document: whole("0,0,0,0,null,10,1,0,-3,5,1,0", "null,0,2,0,0,null,2,1"),
            nodes: &[ROOT, "-:object:Foo:10", "-3:object:Foo:5"],
            edges: &["0>-:element:1", "->0:element:0"],
            log: &[("edge_without_owner", 1), ("negative_number", 1), ("not_a_number", 3)],
            status: Status::Repaired,
        },
        Case {
            document: whole("0,0,0,0,7,18446744073709551615,1,0,8,-4,9,0", "0,7,1,9,0,8,8,0"),
            nodes: &[ROOT, "7:object:Foo:-", "8:object:-:0"],
            edges: &["0>7:property:-", "0>8:8:-"],
            log: &[
                ("negative_number", 1),
                ("string_out_of_range", 2),
                ("type_out_of_range", 1),
                ("value_out_of_range", 1),
            ],
            status: Status::Repaired,
        },
        // Whole records before a cut stay, and what they name if the names are there.
        Case {
            document: cut(&plain, "7,10,1,"),
            nodes: &["0:synthetic:-:0"],
            edges: &[],
            log: &[("truncated", 1)],
            status: Status::Truncated,
        },
        Case {
            document: cut(&plain, "0,7,1,1,"),
            nodes: &[ROOT, "7:object:Foo:10"],
            edges: &["0>7:property:-"],
            log: &[("truncated", 1)],
            status: Status::Truncated,
        },
        Case {
            document: plain.replace("7,0,2,5", "7,0}"),
            nodes: &[ROOT, "7:object:Foo:10"],
            edges: &["0>7:property:-"],
            log: &[("malformed", 1)],
            status: Status::Truncated,
        },
        Case {
            document: without(&plain, "\"nodes\"", "\"nodeClassNames\""),
            nodes: &[],
            edges: &["->-:property:b", "->-:element:5"],
            log: &[("edge_without_owner", 2), ("missing_section", 1), ("unknown_node", 2)],
            status: Status::Repaired,
        },
        Case {
            document: without(&plain, "\"edges\"", "\"edgeNames\""),
            nodes: &[ROOT, "7:object:Foo:10"],
            edges: &[],
            log: &[("missing_section", 2)],
            status: Status::Repaired,
        },
        Case {
            document: without(&plain, "\"edgeTypes\"", "\"edgeNames\""),
            nodes: &[ROOT, "7:object:Foo:10"],
            edges: &["0>7:property:b", "7>0:element:5"],
            log: &[("missing_section", 1)],
            status: Status::Repaired,
        },
        Case {
            document: plain.replace("\"edgeNames\":[\"a\",\"b\"]", "\"edgeNames\":7").to_string()
                + "x",
            nodes: &[ROOT, "7:object:Foo:10"],
            edges: &["0>7:property:-", "7>0:element:5"],
            log: &[("missing_section", 1), ("string_out_of_range", 1), ("trailing_data", 1)],
            status: Status::Repaired,
        },
        // Other types of edges, and a size beyond 32 bits.
        Case {
            document: whole("0,0,0,0,7,4294967296,1,0", "0,7,3,1,0,7,0,9").replace(
                r#"["Internal","Property","Index","Variable"]"#,
                r#"["Weird","x","Index","Internal"]"#,
            ),
            nodes: &[ROOT, "7:object:Foo:4294967296"],
            edges: &["0>7:internal:-", "0>7:Weird:-"],
            log: &[("string_out_of_range", 1)],
            status: Status::Repaired,
        },
        // For debugging: addresses are the ids, as far as they are some. Functions have labels.
        Case {
            document: whole(
                concat!(
                    r#"0,0,0,0,0,"0x0","0x0",8,1,1,0,1,"0x3ff0","0x7f",7,2,2,0,1,"0xFFFFFFFFFFFFFFFF","0x0","#,
                    r#"9,3,2,0,0,"3ff0","0x0",6,4,2,0,9,"0x4000","0x0""#
                ),
                "0,7,2,1,0,8,1,0,9,8,2,0",
            )
            .replace(r#""Foo","Bar"],"#, r#""Foo","Function"],"labels":["","run"],"#),
            nodes: &[ROOT, "16384:closure:Function:4", "-:closure:run:2", "16368:object:Foo:1", "-:closure:Function:3"],
            edges: &["0>-:element:1", "0>16368:property:a", "->16368:element:0"],
            log: &[("not_a_number", 2)],
            status: Status::Repaired,
        },
        // Types by class and flags.
        Case {
            document: whole(
                "0,0,0,0,1,1,1,0,2,1,2,0,3,1,3,1,4,1,4,1,5,1,1,1,6,1,1,4,8,1,1,255,7,1,5,0",
                "",
            )
            .replace(
                r#""<root>","Foo","Bar""#,
                r#""<root>","Foo","string","symbol","EvalExecutable","Function""#,
            ),
            nodes: &[
                ROOT,
                "1:object:Foo:1",
                "2:string:-:1",
                "3:symbol:symbol:1",
                "4:code:EvalExecutable:1",
                "5:hidden:Foo:1",
                "6:native:Foo:1",
                "7:closure:Function:1",
                "8:native:Foo:1",
            ],
            edges: &[],
            log: &[],
            status: Status::Complete,
        },
    ];
    for Case { document, nodes, edges, log, status } in cases {
        let found = read(document.as_bytes(), 100, 1000);
        let mut codes = BTreeMap::new();
        for entry in &found.log {
            *codes.entry(entry.code.name()).or_insert(0) += entry.occurrences;
        }
        assert_eq!(found.nodes, nodes, "{document}");
        assert_eq!(found.edges, edges, "{document}");
        assert_eq!(codes.into_iter().collect::<Vec<_>>(), log, "{document}");
        assert_eq!(found.status, status, "{document}");
        for (rows, window) in [(1, 1000), (3, 7), (100, 1)] {
            assert_eq!(
                read(document.as_bytes(), rows, window),
                found,
                "{rows} {window} {document}"
            );
        }
    }
}

/// Every start of a document is read without an error, and more bytes never give fewer rows.
#[test]
fn every_cut_keeps_what_is_before_it() {
    let text = document("0,0,0,0,7,10,1,0,8,3,2,2", "0,7,1,1,7,8,2,5,8,7,3,0");
    let (mut nodes, mut edges) = (0, 0);
    for end in 0..=text.len() {
        let found = read(&text.as_bytes()[..end], 2, 5);
        assert!(found.nodes.len() >= nodes && found.edges.len() >= edges, "{end}");
        (nodes, edges) = (found.nodes.len(), found.edges.len());
        let expected = if end == text.len() { Status::Complete } else { Status::Truncated };
        assert_eq!(found.status, expected, "{end}");
    }
    assert_eq!((nodes, edges), (3, 3));
}
