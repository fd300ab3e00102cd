//! The `nodes` section: rows of `js_heap_nodes`, and the ids and edge counts that edges need.

use super::{
    Shared,
    claim::Records,
    graph::Part,
    labels,
    records::{self, Place},
    strings::Keys,
};
use crate::{Code, Log};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use heapquarry_tables::{JS_HEAP_NODES, Type, arrays};
use std::sync::Arc;

pub(crate) fn decode(
    shared: &Shared,
    records: Records,
    bytes: &[u8],
    scratch: &mut super::Scratch,
    log: &mut Log,
) -> (RecordBatch, Part) {
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
        records::read(bytes, records, fields, &mut scratch.tokens, log);
    let place =
        |field: &str| Place { bytes, records, field: header.node_fields.of(field).unwrap_or(0) };

    let given = |column: &records::Column, row: usize| {
        (!column.values.is_empty() && !column.is_null(row as u32)).then(|| column.values[row])
    };
    let mut part =
        Part::new(records.first, rows, |row| given(&id, row), |row| given(&edge_count, row));
    part.self_size =
        (0..self_size.values.len()).filter_map(|row| given(&self_size, row)).map(i128::from).sum();

    let names = match &shared.strings {
        None => arrays::nulls(Type::Text, rows),
        Some(strings) => named(&name, rows, &mut scratch.keys, strings, place("name"), log),
    };
    let first = records.first as i64;
    let batch = JS_HEAP_NODES.batch(vec![
        arrays::constant_i32(Some(shared.file_id), rows),
        Arc::new(Int64Array::from_iter_values(first..first + rows as i64)),
        labels::keys(kind, &header.node_types, rows, place("type"), log),
        names,
        name.int32(rows, place("name"), log),
        id.int64(rows),
        self_size.int64(rows),
        edge_count.int32(rows, place("edge_count"), log),
        trace_node_id.int32(rows, place("trace_node_id"), log),
        detachedness.int32(rows, place("detachedness"), log),
        native_size.int64(rows),
    ]);
    (batch, part)
}

/// A column of names by their string numbers.
pub(crate) fn named(
    name: &records::Column,
    rows: usize,
    keys: &mut Keys,
    strings: &super::strings::Strings,
    place: Place<'_>,
    log: &mut Log,
) -> ArrayRef {
    if name.values.is_empty() {
        return arrays::nulls(Type::Text, rows);
    }
    keys.begin(strings);
    let mut nulls = name.nulls.clone();
    let mut missing = Vec::new();
    let of = |(row, &index): (usize, &i64)| {
        keys.key(index).unwrap_or_else(|| {
            missing.push(row as u32);
            0
        })
    };
    let row_keys: Vec<i32> = name.values.iter().enumerate().map(of).collect();
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
    arrays::keyed(
        arrow_array::Int32Array::new(row_keys.into(), records::validity(&nulls, rows)),
        values,
    )
}

/// A name's number is beyond the strings.
pub(crate) fn log_missing(row: u32, place: Place<'_>, log: &mut Log) {
    log.add_lazily(Code::StringOutOfRange, || {
        let (offset, raw) = place.of(row);
        (Some(offset), "there is no string of that number".into(), Some(raw))
    });
}
