//! Damage in the middle of real files: each cell is that of the whole file, or NULL, or an error says that it may not
//! be.
//!
//! `HEAPQUARRY_HOLES` is the number of holes that are tried in each file; 20 without it.

mod common;

use common::{BOTH, Cell, Reading, Row, corpus, documents, handmade, read, usual};
use heapquarry_formats::{Names, Recount, Severity};
use heapquarry_tables::{JS_HEAP_EDGES, JS_HEAP_NODES};
use std::env;

/// What happens to some bytes.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Zeros,
    Lost,
}

fn damaged(document: &[u8], at: usize, len: usize, damage: Damage) -> Vec<u8> {
    let mut bytes = document.to_vec();
    let range = at..(at + len).min(bytes.len());
    match damage {
        Damage::Zeros => bytes[range].fill(0),
        Damage::Lost => drop(bytes.drain(range)),
    }
    bytes
}

fn recounted(document: &[u8], names: Names) -> Result<Reading, String> {
    read(&document, usual(names).recount(Recount::First))
}

/// A snapshot of 400 objects that refer to each other, and one that holds a large text.
fn ring() -> Vec<u8> {
    let (count, each) = (400, 6);
    let mut nodes = vec!["3,0,1,0,401,0".to_string()];
    let mut edges: Vec<String> = (1..=count).map(|node| format!("1,{node},{}", node * 6)).collect();
    edges.push(format!("2,1,{}", (count + 1) * 6));
    for node in 1..=count {
        nodes.push(format!("3,1,{},{},{each},0", node * 2 + 1, 16 + node));
        edges.extend(
            (0..each).map(|e| format!("2,{},{}", 2 + e % 2, ((node * 7 + e * 13) % count + 1) * 6)),
        );
    }
    nodes.push(format!("3,2,{},16,1,0", count * 2 + 3));
    nodes.push(format!("2,3,{},100000,0,0", count * 2 + 5));
    edges.push(format!("2,3,{}", (count + 2) * 6));
    let (node_count, edge_count) = (nodes.len(), edges.len());
    let head = r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","detachedness"],"node_types":[["hidden","array","string","object"],"string","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property"],"string_or_number","node"]}"#;
    let [nodes, edges] = [nodes, edges].map(|rows| rows.join("\n,"));
    format!(
        "{head},\"node_count\":{node_count},\"edge_count\":{edge_count}}},\n\"nodes\":[{nodes}],\n\
         \"edges\":[{edges}],\n\"strings\":[\"\",\n\"Item\",\n\"Owner\",\n\"the payload\"]}}"
    )
    .into_bytes()
}

/// Cells of a table that are neither those of the whole file nor NULL.
fn wrong(whole: &[Row], found: &[Row]) -> usize {
    let cells = whole.iter().flatten().zip(found.iter().flatten());
    let differ = cells.filter(|(whole, found)| whole != found && **found != Cell::Null).count();
    differ + whole.len().abs_diff(found.len())
}

#[test]
fn what_follows_a_hole_of_zeros_is_counted_from_the_end() {
    let document = ring();
    let text = String::from_utf8(document.clone()).expect("text");
    for (section, table, other) in [
        ("\"edges\"", &JS_HEAP_EDGES, &JS_HEAP_NODES),
        ("\"nodes\"", &JS_HEAP_NODES, &JS_HEAP_EDGES),
    ] {
        let start = text.find(section).expect("a section");
        for (at, len) in [(500, 1), (1000, 7), (2000, 1024), (3001, 2000)] {
            for names in BOTH {
                let what = format!("{len} bytes at {at} of {section}, {names:?}");
                let whole = read(&document, usual(names)).expect("nothing is wrong with it");
                let bytes = damaged(&document, start + at, len, Damage::Zeros);
                let found = recounted(&bytes, names).expect(&what);
                for table in [table.name, other.name] {
                    assert_eq!(
                        wrong(&whole.tables[table], &found.tables[table]),
                        0,
                        "{what}: {table}"
                    );
                }
                let is_whole = |(whole, found): &(&Row, &Row)| whole == found;
                let pairs = whole.tables[table.name].iter().zip(&found.tables[table.name]);
                let lost = pairs.filter(|pair| !is_whole(pair)).count();
                assert!(lost > 0 && lost < 3 + len / 8, "{what}: {lost} records lost");
                // A byte that stands for a digit takes one value, and no other is missing.
                let is_error = found.log.iter().any(|e| e.code.severity() == Severity::Error);
                assert_eq!(is_error, len > 1, "{what}: {:?}", found.codes());
            }
        }
    }
}

#[test]
fn owners_are_unknown_if_bytes_are_lost() {
    let document = ring();
    let text = String::from_utf8(document.clone()).expect("text");
    let start = text.find("\"edges\"").expect("edges");
    for len in [9, 100, 1024] {
        let found = recounted(&damaged(&document, start + 2000, len, Damage::Lost), Names::Id);
        let found = found.expect("it can be read");
        let owner = JS_HEAP_EDGES.column("from_node_id").expect("a column");
        assert!(found.tables[JS_HEAP_EDGES.name].iter().all(|row| row[owner] == Cell::Null));
        assert_eq!(found.codes().get("owners_unknown"), Some(&1), "{len}: {:?}", found.codes());
    }
}

/// Whether these bytes are all of nodes or all of edges.
fn is_counted(document: &[u8], at: usize, len: usize) -> bool {
    let before = String::from_utf8_lossy(&document[..at]);
    let last =
        ["nodes", "edges", "trace_function_infos", "trace_tree", "samples", "locations", "scopes"]
            .into_iter()
            .max_by_key(|name| before.rfind(&format!("\"{name}\"")).map_or(0, |at| at + 1));
    let within = document.get(at..at + len).is_some_and(|bytes| !bytes.contains(&b'\"'));
    within && matches!(last, Some("nodes" | "edges"))
}

/// Numbers without a pattern.
fn random(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

#[test]
fn no_cell_of_a_damaged_file_is_wrong_without_a_word() {
    let holes = env::var("HEAPQUARRY_HOLES").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let mut files = handmade();
    if holes > 20 {
        files.extend(documents(&corpus(), false));
    }
    files.insert("ring".into(), ring());
    for (name, document) in files {
        let whole = read(&document, usual(Names::Id)).expect("nothing is wrong with it");
        let mut seed = document.len() as u64;
        let key = |name: &[u8]| document.windows(name.len()).position(|bytes| bytes == name);
        let numbers = key(b"\"nodes\"").unwrap_or(0)..key(b"\"strings\"").unwrap_or(document.len());
        for _ in 0..holes {
            // Nothing says how many strings there are.
            if numbers.is_empty() {
                break;
            }
            let at = numbers.start + random(&mut seed) % (numbers.end - numbers.start);
            let len = (1 << (random(&mut seed) % 13)).min(numbers.end - at);
            let damage = [Damage::Zeros, Damage::Lost][random(&mut seed) % 2];
            // A digit less makes another number. Only of nodes and edges it is known how many there are.
            if matches!(damage, Damage::Lost) && (len < 64 || !is_counted(&document, at, len)) {
                continue;
            }
            // What cannot be read at all is an error.
            let Ok(found) = recounted(&damaged(&document, at, len, damage), Names::Id) else {
                continue;
            };
            let loses = found.log.iter().any(|e| e.code.severity() >= Severity::DataLoss);
            for (table, rows) in &whole.tables {
                let wrong = wrong(rows, &found.tables[table]);
                assert!(
                    loses || wrong == 0,
                    "{name}: {damage:?} of {len} bytes at {at}: {wrong} cells of {table}: {:?}",
                    found.codes()
                );
            }
        }
    }
}
