//! The small sections that are flat arrays: `samples`, `locations` and `trace_function_infos`.

use super::{
    Shared,
    claim::Records,
    graph::Graph,
    nodes,
    records::{self, Column, Place, Value},
};
use crate::{Code, Log};
use arrow_array::{Int32Array, RecordBatch};
use heapquarry_tables::{JS_HEAP_LOCATION, JS_HEAP_SAMPLE, JS_HEAP_TRACE_FUNCTION_INFO, arrays};
use std::sync::Arc;

/// Rows of `js_heap_sample`.
pub(crate) fn samples<T: Value>(
    shared: &Shared,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> Option<RecordBatch> {
    let pool = &scratch.pool;
    let header = &shared.header;
    let fields =
        ["timestamp_us", "last_assigned_id"].map(|name| (header.sample_fields.of(name), name));
    let [time, id] = records::read::<T, _>(bytes, records, fields, pool, log)?;
    let rows = records.rows;
    let file_id = arrays::constant_i32(Some(shared.file_id), rows);
    Some(JS_HEAP_SAMPLE.batch(vec![file_id, time.int64(rows, pool), id.int64(rows, pool)]))
}

/// Rows of `js_heap_location`.
pub(crate) fn locations<T: Value>(
    shared: &Shared,
    graph: &Graph,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> Option<RecordBatch> {
    let pool = &scratch.pool;
    let header = &shared.header;
    let rows = records.rows;
    if !graph.ids_fit::<T>() {
        return None;
    }
    let fields = ["object_index", "script_id", "line", "column", "script_object_index"]
        .map(|name| (header.location_fields.of(name), name));
    let [mut object, script_id, line, column, mut script] =
        records::read::<T, _>(bytes, records, fields, pool, log)?;
    let place = |field: &str| Place {
        bytes,
        records,
        field: header.location_fields.of(field).unwrap_or(0),
    };
    let width = header.node_fields.width() as u32;
    for (column, field) in [(&mut object, "object_index"), (&mut script, "script_object_index")] {
        node_indices(column, graph, width, place(field), log);
    }
    if let Some(collector) = &shared.collector {
        collector.locations(records, &object, &script_id, &line, &column);
    }
    let mut id = Column::<T>::default();
    id.values = T::take(pool, rows);
    let narrow = graph.narrow_ids();
    for (row, &node) in object.values.iter().enumerate() {
        let node = node.into() as u64;
        let known = match narrow {
            Some(ids) => ids.get(node as usize).map(|&id| T::from_narrow(id)),
            None => graph.id(node).and_then(T::from_wide),
        };
        id.values.push(known.unwrap_or_default());
        if known.is_none() || object.is_null(row as u32) {
            id.set_null(row as u32);
        }
    }
    Some(JS_HEAP_LOCATION.batch(vec![
        arrays::constant_i32(Some(shared.file_id), rows),
        object.int64(rows, pool),
        id.int64(rows, pool),
        script_id.int32(rows, place("script_id"), pool, log),
        line.int32(rows, place("line"), pool, log),
        column.int32(rows, place("column"), pool, log),
        script.int64(rows, pool),
    ]))
}

/// Replaces raw node references by node indices.
fn node_indices<T: Value>(
    column: &mut Column<T>,
    graph: &Graph,
    width: u32,
    place: Place<'_>,
    log: &mut Log,
) {
    for row in 0..column.values.len() {
        let node = column.values[row].divided(width);
        if let Some(node) = node.filter(|&node| (node.into() as u64) < graph.len()) {
            column.values[row] = node;
        } else if !column.is_null(row as u32) {
            log.add_lazily(Code::LocationOutOfRange, || {
                let (offset, raw) = place.of(row as u32);
                (Some(offset), format!("no node of {width} fields starts there"), Some(raw))
            });
            column.set_null(row as u32);
        }
    }
}

/// Rows of `js_heap_trace_function_info`.
pub(crate) fn trace_functions<T: Value>(
    shared: &Shared,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> Option<RecordBatch> {
    let pool = &scratch.pool;
    let header = &shared.header;
    let rows = records.rows;
    let fields = ["function_id", "name", "script_name", "script_id", "line", "column"]
        .map(|name| (header.trace_function_info_fields.of(name), name));
    let [function_id, name, script_name, script_id, line, column] =
        records::read::<T, _>(bytes, records, fields, pool, log)?;
    let place = |field: &str| Place {
        bytes,
        records,
        field: header.trace_function_info_fields.of(field).unwrap_or(0),
    };
    let strings = shared.strings.as_ref();
    let mut named = |column: Column<T>, field: &str| {
        nodes::named(column, rows, strings, place(field), pool, log)
    };
    let [name, name_id] = named(name, "name");
    let [script_name, script_name_id] = named(script_name, "script_name");
    let first = records.first as i32;
    Some(JS_HEAP_TRACE_FUNCTION_INFO.batch(vec![
        arrays::constant_i32(Some(shared.file_id), rows),
        Arc::new(Int32Array::from_iter_values(first..first + rows as i32)),
        function_id.int64(rows, pool),
        name,
        script_name,
        script_id.int32(rows, place("script_id"), pool, log),
        line.int32(rows, place("line"), pool, log),
        column.int32(rows, place("column"), pool, log),
        name_id,
        script_name_id,
    ]))
}
