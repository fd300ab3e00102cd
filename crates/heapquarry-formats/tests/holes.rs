//! Damage in the middle of the numbers of a heap: what follows is counted from the end, or owners are unknown. Damage
//! at random, in all formats, is in `tests/random_damage.rs` of the crate heapquarry.

mod common;

use common::{BOTH, Cell, Reading, Row, read, usual};
use heapquarry_formats::{Names, Recount, Severity};
use heapquarry_tables::{JS_HEAP_EDGES, JS_HEAP_NODES};

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
