//! Names: positions of strings, and the text at them.

use super::RecordTask;
use crate::{
    Code, Log,
    heap::{
        positions::StringPosition,
        records::{Column, Value, ValueLocator, validity},
    },
};
use arrow_array::{Array, ArrayRef, Int32Array, cast::AsArray, types::Int32Type};
use arrow_buffer::NullBuffer;
use heapquarry_tables::{Type, arrays};

impl RecordTask<'_> {
    /// A column with the names and one with their positions, from the field `field`.
    pub(crate) fn names<T: Value>(&mut self, name: Column<T>, field: &str) -> [ArrayRef; 2] {
        let rows = self.records.rows;
        let locator = self.locator(field);
        let strings = self.context.strings.as_ref().filter(|_| !name.values.is_empty());
        let Some(strings) = strings else {
            return [arrays::nulls(Type::Text, rows), self.int32(name, field)];
        };
        let mut missing = Vec::new();
        if !name.all_below(strings.len()) {
            let is_missing = |value: i64| !strings.has(StringPosition(value as u64));
            let rows = (0..rows).filter(|&row| name.get(row).is_some_and(is_missing));
            missing.extend(rows.map(|row| row as u32));
            missing.iter().for_each(|&row| log_missing(row, locator, self.log));
        }
        let positions = self.int32(name, field);
        let Some(numbers) = positions.as_primitive_opt::<Int32Type>() else {
            return [arrays::nulls(Type::Text, rows), positions];
        };
        let valid = NullBuffer::union(numbers.nulls(), validity(&missing, rows).as_ref());
        let names = strings.column(Int32Array::new(numbers.values().clone(), valid));
        [names, positions]
    }
}

/// Logs a name whose position is beyond the strings.
pub(crate) fn log_missing(row: u32, locator: ValueLocator<'_>, log: &mut Log) {
    log.add_lazily(Code::StringOutOfRange, || {
        let (offset, raw) = locator.locate(row);
        (Some(offset), "there is no string of that number".into(), Some(raw))
    });
}
