//! Type numbers as names.

use super::{
    column::{Column, validity},
    locator::ValueLocator,
    value::Value,
};
use crate::{Code, Log, heap::header::Enumeration};
use arrow_array::{ArrayRef, Int32Array, StringArray};
use heapquarry_tables::{Type, arrays, pool::Pool};
use std::{collections::BTreeMap, sync::Arc};

/// The column as keys into the enumeration of the file. A number that it does not name gets itself as name.
pub(crate) fn labels<T: Value>(
    column: Column<T>,
    types: &Enumeration,
    rows: usize,
    locator: ValueLocator<'_>,
    pool: &Pool<u32>,
    log: &mut Log,
) -> ArrayRef {
    if column.values.is_empty() {
        return arrays::nulls(Type::Label, rows);
    }
    let known = types.names.len() as i64;
    if column.all_below(known as u64) {
        let keys = Int32Array::new(T::int32(column.values, pool), None);
        return arrays::keyed(keys, types.values.clone());
    }
    let mut keys: Vec<i32> = Vec::with_capacity(rows);
    let mut unknown = BTreeMap::new();
    for (row, &number) in column.values.iter().enumerate() {
        let number = number.into();
        if (0..known).contains(&number) {
            keys.push(number as i32);
            continue;
        }
        // Null rows hold 0, which an empty enumeration does not name: they too need a key.
        let next = known as i32 + unknown.len() as i32;
        keys.push(*unknown.entry(number).or_insert(next));
        if !column.is_null(row as u32) {
            log.add_lazily(Code::TypeOutOfRange, || {
                let (offset, raw) = locator.locate(row as u32);
                let message = format!("type {number} is not among the {known} types of the file");
                (Some(offset), message, Some(raw))
            });
        }
    }
    let values = if unknown.is_empty() {
        types.values.clone()
    } else {
        let mut extra: Vec<_> = unknown.into_iter().collect();
        extra.sort_unstable_by_key(|(_, key)| *key);
        let names = types.names.iter().cloned().chain(extra.iter().map(|(n, _)| n.to_string()));
        Arc::new(names.map(Some).collect::<StringArray>())
    };
    arrays::keyed(Int32Array::new(keys.into(), validity(&column.nulls, rows)), values)
}
