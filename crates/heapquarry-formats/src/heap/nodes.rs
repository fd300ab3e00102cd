//! The `nodes` section: rows of `js_heap_nodes`, and the ids and edge counts that edges need.

use super::{
    Shared,
    claim::Records,
    graph::Part,
    labels,
    records::{self, Column, Place, Value},
    strings::{Keys, Strings},
};
use crate::{Code, Log};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use heapquarry_tables::{JS_HEAP_NODES, Type, arrays, pool::Pool};

/// `None` if a value does not fit a `T`.
pub(crate) fn decode<T: Value>(
    shared: &Shared,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> Option<(RecordBatch, Part)> {
    let super::Scratch { pool, keys } = scratch;
    let header = &shared.header;
    let rows = records.rows;
    let fields = [
        "type",
        "name",
        "id",
        "self_size",
        "edge_count",
        "trace_node_id",
        "detachedness",
        "native_size",
    ]
    .map(|name| (header.node_fields.of(name), name));
    let [kind, name, id, self_size, edge_count, trace_node_id, detachedness, native_size] =
        records::read::<T, _>(bytes, records, fields, pool, log)?;
    let place =
        |field: &str| Place { bytes, records, field: header.node_fields.of(field).unwrap_or(0) };

    let mut part = Part::new(records.first, rows, &id, &edge_count);
    part.self_size = self_size.sum();

    let names = match &shared.strings {
        None => arrays::nulls(Type::Text, rows),
        Some(strings) => named(&name, rows, keys, strings, place("name"), pool, log),
    };
    let batch = JS_HEAP_NODES.batch(vec![
        arrays::constant_i32(Some(shared.file_id), rows),
        records::sequence(records.first, rows, pool),
        labels::keys(kind, &header.node_types, rows, place("type"), pool, log),
        names,
        name.int32(rows, place("name"), pool, log),
        id.int64(rows, pool),
        self_size.int64(rows, pool),
        edge_count.int32(rows, place("edge_count"), pool, log),
        trace_node_id.int32(rows, place("trace_node_id"), pool, log),
        detachedness.int32(rows, place("detachedness"), pool, log),
        native_size.int64(rows, pool),
    ]);
    Some((batch, part))
}

/// A column of names by their string numbers.
pub(crate) fn named<T: Value>(
    name: &Column<T>,
    rows: usize,
    keys: &mut Keys,
    strings: &Strings,
    place: Place<'_>,
    pool: &Pool<u32>,
    log: &mut Log,
) -> ArrayRef {
    if name.values.is_empty() {
        return arrays::nulls(Type::Text, rows);
    }
    keys.begin(strings);
    let mut nulls = name.nulls.clone();
    let mut missing = Vec::new();
    let mut row_keys = pool.take(rows);
    row_keys.extend(name.values.iter().enumerate().map(|(row, &index)| {
        keys.key(index.into()).unwrap_or_else(|| {
            missing.push(row as u32);
            0
        })
    }));
    // Rows without a value hold 0, which may be no string either.
    missing.retain(|row| !name.is_null(*row));
    for &row in &missing {
        log_missing(row, place, log);
    }
    nulls.extend(missing);
    nulls.sort_unstable();
    let values = keys.finish(strings);
    if values.is_empty() {
        return arrays::nulls(Type::Text, rows);
    }
    let valid = records::validity(&nulls, rows);
    arrays::keyed(Int32Array::new(pool.buffer(row_keys), valid), values)
}

/// A name's number is beyond the strings.
pub(crate) fn log_missing(row: u32, place: Place<'_>, log: &mut Log) {
    log.add_lazily(Code::StringOutOfRange, || {
        let (offset, raw) = place.of(row);
        (Some(offset), "there is no string of that number".into(), Some(raw))
    });
}
