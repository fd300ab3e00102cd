//! The `nodes` section: rows of `js_heap_nodes`, and the ids and edge counts that edges need.

use super::{
    Shared,
    claim::Records,
    graph::Part,
    labels,
    records::{self, Column, Place, Value},
    strings::Strings,
};
use crate::{Code, Log};
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, cast::AsArray, types::Int32Type};
use arrow_buffer::NullBuffer;
use heapquarry_tables::{JS_HEAP_NODES, Type, arrays, pool::Pool};

/// Fields of a record that become columns.
const FIELDS: [&str; 8] = [
    "type",
    "name",
    "id",
    "self_size",
    "edge_count",
    "trace_node_id",
    "detachedness",
    "native_size",
];

/// Reads the columns and keeps what later sections need. `None` if a value does not fit a `T`.
fn read<T: Value>(
    shared: &Shared,
    records: Records,
    bytes: &[u8],
    pool: &Pool<u32>,
    log: &mut Log,
) -> Option<([Column<T>; 8], Part)> {
    let fields = FIELDS.map(|name| (shared.header.node_fields.of(name), name));
    let columns = records::read::<T, _>(bytes, records, fields, pool, log)?;
    let [kind, name, id, self_size, edge_count, _, detachedness, native_size] = &columns;
    let rows = records.rows;
    let mut part = Part::new(records.first, rows, id, edge_count);
    part.self_size = self_size.sum();
    if let Some(collector) = &shared.collector {
        collector.nodes(
            records.first,
            rows,
            kind,
            name,
            id,
            self_size,
            edge_count,
            detachedness,
            native_size,
        );
    }
    Some((columns, part))
}

/// Only what later sections need. `None` if a value does not fit a `T`.
pub(crate) fn skim<T: Value>(
    shared: &Shared,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> Option<Part> {
    let (columns, part) = read::<T>(shared, records, bytes, &scratch.pool, log)?;
    columns.into_iter().for_each(|column| T::give(column.values, &scratch.pool));
    Some(part)
}

/// `None` if a value does not fit a `T`.
pub(crate) fn decode<T: Value>(
    shared: &Shared,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> Option<(RecordBatch, Part)> {
    let pool = &scratch.pool;
    let header = &shared.header;
    let rows = records.rows;
    let (columns, part) = read::<T>(shared, records, bytes, pool, log)?;
    let [kind, name, id, self_size, edge_count, trace_node_id, detachedness, native_size] = columns;
    let place =
        |field: &str| Place { bytes, records, field: header.node_fields.of(field).unwrap_or(0) };

    let strings = shared.strings.as_ref();
    let [names, name_ids] = named(name, rows, strings, place("name"), pool, log);
    let batch = JS_HEAP_NODES.batch(vec![
        arrays::constant_i32(Some(shared.file_id), rows),
        records::sequence(records.first, rows, pool),
        labels::keys(kind, &header.node_types, rows, place("type"), pool, log),
        names,
        name_ids,
        id.int64(rows, pool),
        self_size.int64(rows, pool),
        edge_count.int32(rows, place("edge_count"), pool, log),
        trace_node_id.int32(rows, place("trace_node_id"), pool, log),
        detachedness.int32(rows, place("detachedness"), pool, log),
        native_size.int64(rows, pool),
    ]);
    Some((batch, part))
}

/// A column of names and one of their numbers.
pub(crate) fn named<T: Value>(
    name: Column<T>,
    rows: usize,
    strings: Option<&Strings>,
    place: Place<'_>,
    pool: &Pool<u32>,
    log: &mut Log,
) -> [ArrayRef; 2] {
    let Some(strings) = strings.filter(|_| !name.values.is_empty()) else {
        return [arrays::nulls(Type::Text, rows), name.int32(rows, place, pool, log)];
    };
    let mut missing = Vec::new();
    if !name.all_below(strings.len()) {
        let rows =
            (0..rows).filter(|&row| name.get(row).is_some_and(|value| !strings.has(value as u64)));
        missing.extend(rows.map(|row| row as u32));
        missing.iter().for_each(|&row| log_missing(row, place, log));
    }
    let indices = name.int32(rows, place, pool, log);
    let Some(numbers) = indices.as_primitive_opt::<Int32Type>() else {
        return [arrays::nulls(Type::Text, rows), indices];
    };
    let valid = NullBuffer::union(numbers.nulls(), records::validity(&missing, rows).as_ref());
    let names = strings.column(Int32Array::new(numbers.values().clone(), valid));
    [names, indices]
}

/// A name's number is beyond the strings.
pub(crate) fn log_missing(row: u32, place: Place<'_>, log: &mut Log) {
    log.add_lazily(Code::StringOutOfRange, || {
        let (offset, raw) = place.of(row);
        (Some(offset), "there is no string of that number".into(), Some(raw))
    });
}
