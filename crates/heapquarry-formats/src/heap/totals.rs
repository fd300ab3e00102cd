//! Rows about the snapshot as a whole: `js_heap_files` and `js_heap_info`.

use super::{
    header::{Enumeration, Header},
    sections::{EDGES, NODES, STRINGS},
    summary::Counts,
};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{FileId, Type, arrays, js_heap_files, js_heap_info};
use std::sync::Arc;

/// The row of `js_heap_files`.
pub(crate) fn files(
    file_id: FileId,
    name: &str,
    header: &Header,
    counts: &Counts,
    self_size: i64,
) -> RecordBatch {
    let int64 = |value: Option<u64>| -> ArrayRef {
        Arc::new(Int64Array::from(vec![value.and_then(|v| i64::try_from(v).ok())]))
    };
    js_heap_files::Columns {
        file_id: file_id.column(1),
        file_name: arrays::text([Some(name)]),
        start_time_ns: arrays::nulls(Type::Int64, 1),
        end_time_ns: arrays::nulls(Type::Int64, 1),
        self_size: Arc::new(Int64Array::from(vec![self_size])),
        node_count: int64(Some(counts.of(&NODES))),
        edge_count: int64(Some(counts.of(&EDGES))),
        string_count: int64(Some(counts.of(&STRINGS))),
        declared_node_count: int64(header.node_count),
        declared_edge_count: int64(header.edge_count),
        extra_native_bytes: int64(header.extra_native_bytes),
        node_field_count: arrays::constant_i32(Some(header.node_fields.width() as i32), 1),
        root_node_index: int64(Some(header.root())),
    }
    .into_batch()
}

/// The rows of `js_heap_info`, as TraceStreamer writes them.
pub(crate) fn info(file_id: FileId, header: &Header) -> RecordBatch {
    struct Row<'a> {
        key: &'a str,
        kind: i32,
        int_value: Option<i64>,
        str_value: &'a str,
        ordinal: usize,
    }
    fn names<'a>(key: &'a str, types: &'a Enumeration) -> impl Iterator<Item = Row<'a>> {
        let lists = [&types.names, &types.rest].into_iter().zip(0..);
        lists.flat_map(move |(list, kind)| {
            list.iter().enumerate().map(move |(ordinal, name)| Row {
                key,
                kind,
                int_value: Some(-1),
                str_value: name,
                ordinal,
            })
        })
    }
    let counts = [
        ("node_count", header.node_count),
        ("edge_count", header.edge_count),
        ("trace_function_count", header.trace_function_count),
    ];
    let counts = counts.into_iter().map(|(key, count)| Row {
        key,
        kind: 0,
        int_value: count.and_then(|c| i64::try_from(c).ok()),
        str_value: "",
        ordinal: 0,
    });
    let rows: Vec<Row<'_>> = names("node_types", &header.node_types)
        .chain(names("edge_types", &header.edge_types))
        .chain(counts)
        .collect();
    let ordinals = rows.iter().map(|r| r.ordinal as i32);
    js_heap_info::Columns {
        file_id: file_id.column(rows.len()),
        key: arrays::text(rows.iter().map(|r| Some(r.key))),
        r#type: Arc::new(Int32Array::from_iter_values(rows.iter().map(|r| r.kind))),
        int_value: Arc::new(rows.iter().map(|r| r.int_value).collect::<Int64Array>()),
        str_value: arrays::text(rows.iter().map(|r| Some(r.str_value))),
        ordinal: Arc::new(Int32Array::from_iter_values(ordinals)),
    }
    .into_batch()
}
