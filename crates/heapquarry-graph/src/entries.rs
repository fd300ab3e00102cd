//! The entries of Maps, Sets, WeakMaps and WeakSets.

use crate::{EdgeType, Heap, NodeIndex, edges::PAIR};

/// An entry of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, or the member of a set; `None` if it is a small integer, `null` or another constant: V8 says nothing of
    /// those in a table.
    pub key: Option<NodeIndex>,
    /// The value; `None` in sets, and of the same values.
    pub value: Option<NodeIndex>,
}

/// What a collection holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Collection {
    Map,
    Set,
}

impl Collection {
    /// Fields of an entry in the table, the number of the next one in its bucket included.
    fn width(self) -> usize {
        match self {
            Collection::Map => 3,
            Collection::Set => 2,
        }
    }
}

/// Numbers in front of the buckets of a table: elements, deleted elements, buckets.
const PREFIX: usize = 3;
/// Header of a table and size of a field in bytes, without and with compressed pointers.
const LAYOUTS: [(u64, u64); 2] = [(16, 8), (8, 4)];

/// The entries of a Map, Set, WeakMap or WeakSet; `None` if the node is none, or has no table. In the order of the
/// table: of Maps and Sets that in which they were added. Entries of nothing but such integers and constants are not in
/// a snapshot.
pub fn entries(heap: &Heap, node: NodeIndex) -> Option<Vec<Entry>> {
    let collection = match heap.node_name(node) {
        "Map" => Collection::Map,
        "Set" => Collection::Set,
        "WeakMap" => return Some(weak(heap, table(heap, node)?, Collection::Map)),
        "WeakSet" => return Some(weak(heap, table(heap, node)?, Collection::Set)),
        _ => return None,
    };
    let table = table(heap, node)?;
    let mut slots: Vec<(usize, NodeIndex)> = slots(heap, table).collect();
    slots.sort_unstable();
    let first = first_slot(heap.nodes().self_size(table), collection)
        .or(slots.first().map(|(slot, _)| *slot))?;
    let mut entries: Vec<(usize, Entry)> = Vec::new();
    for (slot, target) in slots {
        let Some(at) = slot.checked_sub(first) else { continue };
        let (number, field) = (at / collection.width(), at % collection.width());
        if entries.last().is_none_or(|(last, _)| *last != number) {
            entries.push((number, Entry { key: None, value: None }));
        }
        let (_, entry) = entries.last_mut().expect("it was added");
        match (field, collection) {
            (0, _) => entry.key = Some(target),
            (1, Collection::Map) => entry.value = Some(target),
            _ => {}
        }
    }
    let held = |entry: &Entry| entry.key.is_some() || entry.value.is_some();
    Some(entries.into_iter().map(|(_, entry)| entry).filter(held).collect())
}

fn table(heap: &Heap, node: NodeIndex) -> Option<NodeIndex> {
    let edges = heap.edges();
    let is_table = |edge: &usize| {
        edges.kind(*edge) == EdgeType::Internal && heap.edge_name(*edge).to_string() == "table"
    };
    edges.of(node).find(is_table).map(|edge| edges.target(edge))
}

/// The numbered fields of a table that hold something.
fn slots(heap: &Heap, table: NodeIndex) -> impl Iterator<Item = (usize, NodeIndex)> {
    let edges = heap.edges();
    edges.of(table).filter(|&edge| edges.is_strong(edge)).filter_map(move |edge| {
        Some((heap.edge_name(edge).to_string().parse().ok()?, edges.target(edge)))
    })
}

/// The field of a table's first entry. A table of `b` buckets, a power of two, has `2 b` entries, and its size says how
/// many fields it has.
fn first_slot(size: u64, collection: Collection) -> Option<usize> {
    let per_bucket = 1 + 2 * collection.width() as u64;
    LAYOUTS.iter().find_map(|(header, field)| {
        let fields = size.checked_sub(*header)?;
        let in_buckets = (fields / field).checked_sub(PREFIX as u64)?;
        let buckets = in_buckets / per_bucket;
        let fits = fields.is_multiple_of(*field) && in_buckets.is_multiple_of(per_bucket);
        (fits && buckets.is_power_of_two()).then_some(PREFIX + buckets as usize)
    })
}

/// The entries of a table that holds its keys weakly: each has an edge that names both, and the key has another one.
fn weak(heap: &Heap, table: NodeIndex, collection: Collection) -> Vec<Entry> {
    let edges = heap.edges();
    let pairs = edges.of(table).filter(|&edge| edges.kinds[edge] & PAIR != 0);
    let entry = |edge: usize| {
        let name = heap.edge_name(edge).to_string();
        let key = key_id(&name);
        // Keys are held weakly by the table.
        let holds = |edge: &usize| heap.nodes().id(edges.target(*edge)) == key.unwrap_or_default();
        let key = edges.of(table).filter(|&e| edges.kind(e) == EdgeType::Weak).find(holds);
        let value = edges.target(edge);
        let value = Some(value).filter(|_| collection == Collection::Map);
        Entry { key: key.map(|edge| edges.target(edge)), value }
    };
    pairs.map(entry).collect()
}

/// The id of the key, out of `2 / part of key (Foo @31) -> value (Bar @33) pair in WeakMap (table @7)`.
fn key_id(name: &str) -> Option<i64> {
    let (key, _) = name.split_once(") -> value (")?;
    key.rsplit_once('@')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;
    use EdgeType::*;

    #[test]
    fn tables_are_read_as_v8_lays_them_out() {
        // Sizes and first entries as Node 20 and Chromium have them.
        for (size, collection, first) in [
            (152, Collection::Map, Some(5)),
            (936, Collection::Map, Some(19)),
            (120, Collection::Set, Some(5)),
            (680, Collection::Set, Some(19)),
            (8 + 4 * (3 + 4 + 8 * 3), Collection::Map, Some(7)),
            (100, Collection::Map, None),
            (0, Collection::Set, None),
        ] {
            assert_eq!(first_slot(size, collection), first, "{size}");
        }
    }

    #[test]
    fn keys_and_values_stand_in_the_order_of_the_table() {
        let entry = |key, value| (key, value);
        for (class, size, slots, expected) in [
            (
                "Map",
                152,
                &[(6, 1), (5, 0), (9, 2), (11, 3)][..],
                vec![entry(Some(0), Some(1)), entry(None, Some(2)), entry(Some(3), None)],
            ),
            ("Set", 120, &[(5, 0), (7, 1)], vec![entry(Some(0), None), entry(Some(1), None)]),
            // A size that says nothing: the first field is a key.
            ("Map", 1, &[(4, 0), (5, 1)], vec![entry(Some(0), Some(1))]),
            ("Set", 120, &[], vec![]),
        ] {
            let mut builder = HeapBuilder::new();
            let root = builder.node("synthetic", "", 0);
            let map = builder.node("object", class, 32);
            let table = builder.node("array", "", size);
            builder.edge(root, Element, "1", map);
            builder.edge(map, Internal, "map", root);
            builder.edge(map, Property, "table", root);
            builder.edge(map, Internal, "table", table);
            let targets = [0; 4].map(|_| builder.node("object", "X", 8));
            for &(slot, target) in slots {
                builder.edge(table, Internal, &slot.to_string(), targets[target]);
            }
            builder.edge(table, Internal, "map", root);
            let heap = builder.build();
            let node = |at: usize| targets[at];
            let entry = |(key, value): (Option<usize>, Option<usize>)| Entry {
                key: key.map(node),
                value: value.map(node),
            };
            let expected: Vec<Entry> = expected.into_iter().map(entry).collect();
            assert_eq!(entries(&heap, map), Some(expected), "{class} {size}");
            assert_eq!(entries(&heap, table), None);
        }
    }

    #[test]
    fn weak_entries_have_both() {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let map = builder.node("object", "WeakMap", 32);
        let set = builder.node("object", "WeakSet", 32);
        let table = builder.node("array", "", 104);
        let [key, value] = ["Key", "Value"].map(|name| builder.node("object", name, 8));
        let oddball = builder.node("hidden", "system / Oddball", 8);
        builder.edge(root, Element, "1", map);
        builder.edge(map, Internal, "table", table);
        builder.edge(table, Weak, "3", key);
        builder.edge(table, Weak, "4", value);
        builder.edge(set, Internal, "table", table);
        for target in [value, oddball] {
            let ids = [key, target, table].map(|node| 2 * node.0 + 1);
            let [key, value, table_id] = ids;
            let name = format!(
                "3 / part of key (Key @{key}) -> value (V @{value}) pair in WeakMap (table @{table_id})"
            );
            builder.edge(table, Internal, &name, target);
        }
        let heap = builder.build();
        for (node, values) in [(map, [Some(value), Some(oddball)]), (set, [None, None])] {
            let expected = values.map(|value| Entry { key: Some(key), value });
            assert_eq!(entries(&heap, node), Some(expected.into()));
        }
    }
}
