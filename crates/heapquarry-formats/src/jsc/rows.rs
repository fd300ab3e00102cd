//! Rows of the tables, from the heap.

use super::{
    build::{Built, Data},
    edges::{EdgeColumns, NO_DATA, NO_TYPE},
    nodes::{NO_ID, NO_NAME, NO_NODE},
};
use crate::{
    Log, Names, Summary,
    heap::{
        records::{sequence, validity},
        strings,
    },
    profile::status,
};
use arrow_array::{
    Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array, cast::AsArray,
};
use arrow_buffer::NullBuffer;
use heapquarry_graph::{NodeIndex, Packed};
use heapquarry_tables::{
    FileId, JS_HEAP_FILES, JS_HEAP_INFO, Table, Type, arrays, js_heap_edges, js_heap_files,
    js_heap_info, js_heap_nodes, pool::Pool,
};
use std::{ops::Range, sync::Arc};

/// Rows of `js_heap_string`.
pub(super) fn strings(file_id: FileId, built: &Built, range: Range<usize>) -> RecordBatch {
    let strings = built.strings.array().slice(range.start, range.len());
    strings::rows(file_id, range.start as u64, strings.as_string())
}

/// Rows of `js_heap_nodes`.
pub(super) fn nodes(
    file_id: FileId,
    built: &Built,
    range: Range<usize>,
    names: Names,
) -> RecordBatch {
    let (parts, rows) = (&built.parts, range.len());
    let kinds = parts.node_types[range.clone()].iter().map(|&kind| i32::from(kind));
    let kinds = Int32Array::from_iter_values(kinds);
    let types = Arc::new(StringArray::from(parts.node_type_names.clone()));
    let name_ids = parts.node_names[range.clone()].iter();
    let name_ids: Int32Array =
        name_ids.map(|name| (name.0 != NO_NAME).then_some(name.0 as i32)).collect();
    let first = range.start as u32;
    let without_size = &built.without_size;
    let from = without_size.partition_point(|&node| node < first);
    let without_size = without_size[from..].iter().map(|node| node - first);
    let without_size: Vec<u32> = without_size.take_while(|&row| (row as usize) < rows).collect();
    let starts = &parts.edge_starts;
    let counts = range.clone().map(|node| starts.get(node + 1) - starts.get(node));
    let counts: Int32Array = counts.map(|count| i32::try_from(count).ok()).collect();
    js_heap_nodes::Columns {
        file_id: file_id.column(rows),
        node_index: sequence(range.start as u64, rows, &Pool::default()),
        r#type: arrays::keyed(kinds, types),
        name: match names {
            Names::Text => built.strings.column(name_ids.clone()),
            Names::Id => arrays::nulls(Type::Text, rows),
        },
        name_id: Arc::new(name_ids),
        id: ids(&parts.node_ids, range.clone().map(Some)),
        self_size: sizes(&parts.self_sizes, range, validity(&without_size, rows)),
        edge_count: Arc::new(counts),
        trace_node_id: arrays::nulls(Type::Int32, rows),
        detachedness: arrays::nulls(Type::Int32, rows),
        native_size: arrays::nulls(Type::Int64, rows),
    }
    .into_batch()
}

/// Rows of `js_heap_edges`, of edges that have been kept.
pub(super) fn kept_edges(
    file_id: FileId,
    built: &Built,
    range: Range<usize>,
    names: Names,
) -> RecordBatch {
    let parts = &built.parts;
    let edges = Edges {
        first: range.start as u64,
        types: &parts.edge_types[range.clone()],
        targets: &parts.edge_targets[range.clone()],
        data: &parts.edge_names.of(range).collect::<Vec<_>>(),
    };
    edges.rows(file_id, built, names)
}

/// Rows of `js_heap_edges`, of edges that have just been decoded. The first is at this position.
pub(super) fn decoded_edges(
    file_id: FileId,
    built: &Built,
    first: u64,
    mut edges: EdgeColumns,
    names: Names,
    log: &mut Log,
) -> RecordBatch {
    built.edge_data.name(&mut edges, log);
    let EdgeColumns { types, targets, data, .. } = &edges;
    Edges { first, types, targets, data }.rows(file_id, built, names)
}

/// Edges in the order of their owners.
struct Edges<'a> {
    /// Position of the first.
    first: u64,
    types: &'a [u8],
    targets: &'a [NodeIndex],
    data: &'a [u32],
}

impl Edges<'_> {
    fn rows(&self, file_id: FileId, built: &Built, names: Names) -> RecordBatch {
        let &Edges { first, types, targets, data } = self;
        let (parts, rows) = (&built.parts, types.len());
        let uses = &built.edge_data.uses;
        let name = |(&kind, &value): (&u8, &u32)| {
            let is_name = uses.get(usize::from(kind)) == Some(&Data::Name) && value != NO_DATA;
            is_name.then_some(value as i32)
        };
        let targets = targets.iter().map(|&node| (node != NO_NODE).then(|| node.position()));
        js_heap_edges::Columns {
            file_id: file_id.column(rows),
            edge_index: sequence(first, rows, &Pool::default()),
            r#type: edge_types(types, &parts.edge_type_names),
            name: match names {
                Names::Text => built.strings.column(types.iter().zip(data).map(name).collect()),
                Names::Id => arrays::nulls(Type::Text, rows),
            },
            name_or_index: Arc::new(
                data.iter().map(|&v| (v != NO_DATA).then_some(v)).collect::<UInt32Array>(),
            ),
            from_node_id: owners(built, first..first + rows as u64),
            to_node_id: ids(&parts.node_ids, targets),
        }
        .into_batch()
    }
}

/// Types of edges as labels. A number that the file does not name is its own name.
fn edge_types(kinds: &[u8], names: &[String]) -> ArrayRef {
    let largest = kinds.iter().copied().filter(|&kind| kind != NO_TYPE).max();
    let numbers = names.len()..largest.map_or(0, |kind| usize::from(kind) + 1);
    let names = names.iter().cloned().chain(numbers.map(|number| number.to_string()));
    let keys = kinds.iter().map(|&kind| (kind != NO_TYPE).then_some(i32::from(kind)));
    arrays::keyed(keys.collect(), Arc::new(StringArray::from_iter_values(names)))
}

/// Ids of the owners of these edges, as runs.
fn owners(built: &Built, range: Range<u64>) -> ArrayRef {
    let starts = &built.parts.edge_starts;
    // The last node that begins at the first edge or before it.
    let mut node = starts.partition_point(|start| start <= range.start).saturating_sub(1);
    let (mut ends, mut nodes) = (Vec::new(), Vec::new());
    let mut at = range.start;
    while at < range.end {
        let owned = (node < built.node_count()).then(|| starts.get(node + 1));
        // What follows the last node has no owner.
        let next = owned.unwrap_or(range.end).min(range.end);
        if next > at {
            ends.push((next - range.start) as i32);
            nodes.push(owned.map(|_| node));
            at = next;
        }
        node += 1;
    }
    arrays::runs(ends, ids(&built.parts.node_ids, nodes.into_iter()))
}

/// The ids of nodes.
fn ids(ids: &Packed, nodes: impl Iterator<Item = Option<usize>>) -> ArrayRef {
    match ids {
        Packed::Narrow(ids) => {
            Arc::new(nodes.map(|node| node.map(|node| ids[node])).collect::<UInt32Array>())
        }
        Packed::Wide(ids) => {
            let id = |node: usize| (ids[node] != NO_ID).then_some(ids[node] as i64);
            Arc::new(nodes.map(|node| node.and_then(id)).collect::<Int64Array>())
        }
    }
}

fn sizes(sizes: &Packed, range: Range<usize>, valid: Option<NullBuffer>) -> ArrayRef {
    match sizes {
        Packed::Narrow(sizes) => Arc::new(UInt32Array::new(sizes[range].to_vec().into(), valid)),
        Packed::Wide(sizes) => {
            let sizes: Vec<i64> = sizes[range].iter().map(|&size| size as i64).collect();
            Arc::new(Int64Array::new(sizes.into(), valid))
        }
    }
}

impl Built {
    /// The rows about the snapshot as a whole, and its summary.
    pub(super) fn finish(
        &self,
        file_id: FileId,
        name: &str,
        bytes: u64,
        node_width: usize,
        log: Log,
    ) -> (Vec<(&'static Table, RecordBatch)>, Summary) {
        let one = |value: i64| -> ArrayRef { Arc::new(Int64Array::from(vec![value])) };
        let (nodes, edges) = (self.node_count(), self.edge_count);
        let self_size = self.parts.self_sizes.iter().fold(0u64, u64::saturating_add);
        let files = js_heap_files::Columns {
            file_id: file_id.column(1),
            file_name: arrays::text([Some(name)]),
            start_time_ns: arrays::nulls(Type::Int64, 1),
            end_time_ns: arrays::nulls(Type::Int64, 1),
            self_size: one(i64::try_from(self_size).unwrap_or(i64::MAX)),
            node_count: one(nodes as i64),
            edge_count: one(edges as i64),
            string_count: one(self.string_count() as i64),
            declared_node_count: arrays::nulls(Type::Int64, 1),
            declared_edge_count: arrays::nulls(Type::Int64, 1),
            extra_native_bytes: arrays::nulls(Type::Int64, 1),
            node_field_count: arrays::constant_i32(Some(node_width as i32), 1),
            root_node_index: one(i64::from(self.parts.root.0)),
        };
        let batches =
            vec![(&JS_HEAP_FILES, files.into_batch()), (&JS_HEAP_INFO, self.info(file_id))];
        let summary = Summary {
            name: None,
            format: "jscsnapshot",
            producer: Some("jsc"),
            bytes,
            status: status(&log),
            counts: vec![
                ("nodes", nodes as u64),
                ("edges", edges),
                ("strings", self.string_count() as u64),
            ],
            log,
        };
        (batches, summary)
    }

    /// Rows of `js_heap_info`: the types of nodes and of edges.
    fn info(&self, file_id: FileId) -> RecordBatch {
        let lists = [
            ("node_types", &self.parts.node_type_names),
            ("edge_types", &self.parts.edge_type_names),
        ];
        let rows: Vec<(&str, i32, &str)> = lists
            .into_iter()
            .flat_map(|(key, names)| names.iter().zip(0..).map(move |(name, n)| (key, n, &**name)))
            .collect();
        js_heap_info::Columns {
            file_id: file_id.column(rows.len()),
            key: arrays::text(rows.iter().map(|(key, ..)| Some(*key))),
            r#type: arrays::constant_i32(Some(0), rows.len()),
            int_value: Arc::new(Int64Array::from(vec![-1; rows.len()])),
            str_value: arrays::text(rows.iter().map(|(.., name)| Some(*name))),
            ordinal: Arc::new(Int32Array::from_iter_values(rows.iter().map(|(_, n, _)| *n))),
        }
        .into_batch()
    }
}
