//! The `edges` section: rows of `js_heap_edges`. The owner of an edge is not written; it follows from the nodes'
//! edge counts.

use super::{
    Shared,
    claim::Records,
    graph::Graph,
    labels, nodes,
    records::{self, Place},
    strings::{Keys, Strings},
};
use crate::{Code, Log};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use heapquarry_tables::{JS_HEAP_EDGES, Type, arrays};
use std::sync::Arc;

pub(crate) fn decode(
    shared: &Shared,
    graph: &Graph,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> RecordBatch {
    let header = &shared.header;
    let rows = records.rows;
    let fields =
        ["type", "name_or_index", "to_node"].map(|name| (header.edge_fields.of(name), name));
    let [kind, name_or_index, mut to_node] =
        records::read(bytes, records, fields, &mut scratch.tokens, log);
    let place =
        |field: &str| Place { bytes, records, field: header.edge_fields.of(field).unwrap_or(0) };
    let names = match &shared.strings {
        Some(strings) if !name_or_index.values.is_empty() => {
            let numbered = &header.numbered;
            let place = place("name_or_index");
            names(&kind, &name_or_index, numbered, strings, &mut scratch.keys, place, log)
        }
        _ => arrays::nulls(Type::Text, rows),
    };
    node_ids(&mut to_node, graph, header.node_fields.width(), place("to_node"), log);
    let first = records.first as i64;
    JS_HEAP_EDGES.batch(vec![
        arrays::constant_i32(Some(shared.file_id), rows),
        Arc::new(Int64Array::from_iter_values(first..first + rows as i64)),
        labels::keys(kind, &header.edge_types, rows, place("type"), log),
        names,
        name_or_index.int64(rows),
        owners(graph, records, place("type"), log),
        to_node.int64(rows),
    ])
}

/// Ids of the owners, as runs.
fn owners(graph: &Graph, records: Records, place: Place<'_>, log: &mut Log) -> ArrayRef {
    let rows = records.rows as u64;
    let (mut ends, mut ids) = (Vec::new(), Vec::new());
    let mut end = 0;
    for (id, edges) in graph.owners(records.first) {
        end = (end + edges).min(rows);
        ends.push(end as i32);
        ids.push(id);
        if end == rows {
            break;
        }
    }
    if end < rows {
        for row in end..rows {
            log.add_lazily(Code::EdgeWithoutOwner, || {
                let message = "the nodes' edge counts add up to fewer edges";
                (Some(place.of(row as u32).0), message.into(), None)
            });
        }
        ends.push(rows as i32);
        ids.push(None);
    }
    arrays::runs(ends, Arc::new(Int64Array::from(ids)))
}

/// Replaces raw node references by ids.
fn node_ids(
    to_node: &mut records::Column,
    graph: &Graph,
    width: usize,
    place: Place<'_>,
    log: &mut Log,
) {
    let bad = match (width, graph.narrow_ids()) {
        // Known widths let the compiler divide by multiplication.
        (5, Some(ids)) => narrow_ids::<5>(&mut to_node.values, ids),
        (6, Some(ids)) => narrow_ids::<6>(&mut to_node.values, ids),
        (7, Some(ids)) => narrow_ids::<7>(&mut to_node.values, ids),
        (8, Some(ids)) => narrow_ids::<8>(&mut to_node.values, ids),
        _ => any_ids(&mut to_node.values, graph, width as i64),
    };
    for row in bad.into_iter().filter(|&row| !to_node.is_null(row)).collect::<Vec<_>>() {
        let value = to_node.values[row as usize];
        let code = if value >= 0 && value % width as i64 != 0 {
            Code::ToNodeUnaligned
        } else {
            Code::ToNodeOutOfRange
        };
        // A node without an id is no damage of the edge.
        if code == Code::ToNodeUnaligned || value < 0 || value as u64 / width as u64 >= graph.len()
        {
            log.add_lazily(code, || {
                let (offset, raw) = place.of(row);
                (Some(offset), format!("no node of {width} fields starts there"), Some(raw))
            });
        }
        to_node.set_null(row);
    }
}

/// The rows that refer to no node.
fn narrow_ids<const W: u64>(values: &mut [i64], ids: &[u32]) -> Vec<u32> {
    let mut bad = Vec::new();
    for (row, value) in values.iter_mut().enumerate() {
        let reference = *value as u64;
        match ids.get((reference / W) as usize) {
            Some(&id) if reference.is_multiple_of(W) => *value = i64::from(id),
            _ => bad.push(row as u32),
        }
    }
    bad
}

fn any_ids(values: &mut [i64], graph: &Graph, width: i64) -> Vec<u32> {
    let mut bad = Vec::new();
    for (row, value) in values.iter_mut().enumerate() {
        let aligned = *value >= 0 && *value % width == 0;
        match graph.id((*value / width) as u64).filter(|_| aligned) {
            Some(id) => *value = id,
            None => bad.push(row as u32),
        }
    }
    bad
}

/// Names of the edges that carry one.
fn names(
    kind: &records::Column,
    name_or_index: &records::Column,
    numbered: &[bool],
    strings: &Strings,
    keys: &mut Keys,
    place: Place<'_>,
    log: &mut Log,
) -> ArrayRef {
    let rows = name_or_index.values.len();
    keys.begin(strings);
    let mut row_keys: Vec<i32> = Vec::with_capacity(rows);
    let mut valid = BooleanBufferBuilder::new(rows);
    for (row, &index) in name_or_index.values.iter().enumerate() {
        let number = kind.values.get(row).is_some_and(|&kind| {
            usize::try_from(kind).ok().and_then(|kind| numbered.get(kind)).copied().unwrap_or(false)
        });
        // A type that is not known is no reason to hide what may be a name.
        let number = number && !kind.is_null(row as u32);
        let has_name = !number && !name_or_index.is_null(row as u32);
        let key = if has_name { keys.key(index) } else { None };
        if has_name && key.is_none() {
            nodes::log_missing(row as u32, place, log);
        }
        valid.append(key.is_some());
        row_keys.push(key.unwrap_or(0));
    }
    let values = keys.finish(strings);
    if values.is_empty() {
        return arrays::nulls(Type::Text, rows);
    }
    let valid = NullBuffer::new(valid.finish());
    arrays::keyed(Int32Array::new(row_keys.into(), Some(valid)), values)
}
