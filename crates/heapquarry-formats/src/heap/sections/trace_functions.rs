//! The `trace_function_infos` section: rows of `js_heap_trace_function_info`.

use super::{Decode, RecordTask};
use crate::heap::{
    fields::{Field, FieldList},
    records::Value,
    side_output::SideOutput,
};
use arrow_array::{Int32Array, RecordBatch};
use heapquarry_tables::{Type, arrays, js_heap_trace_function_info};
use std::sync::Arc;

const FIELDS: [Field; 6] = [
    Field::required("function_id"),
    Field::required("name"),
    Field::required("script_name"),
    Field::required("script_id"),
    Field::required("line").wrapping(),
    Field::required("column").wrapping(),
];

pub(crate) struct TraceFunctions;

impl Decode for TraceFunctions {
    const FIELDS: FieldList = FieldList { key: "trace_function_info_fields", fields: &FIELDS };

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        let [function_id, name, script_name, script_id, line, column] =
            task.read::<T, _>(&FIELDS)?;
        let [name, name_id] = task.names(name, "name");
        let [script_name, script_name_id] = task.names(script_name, "script_name");
        let first = i32::try_from(task.records.first).unwrap_or(i32::MAX);
        let rows = 0..task.records.rows as i32;
        let positions = Int32Array::from_iter_values(rows.map(|row| first.saturating_add(row)));
        let columns = js_heap_trace_function_info::Columns {
            file_id: task.file_id(),
            function_index: Arc::new(positions),
            function_id: task.int64(function_id),
            name,
            script_name,
            script_id: task.int32(script_id, "script_id"),
            line_number: task.int32(line, "line"),
            column_number: task.int32(column, "column"),
            name_id,
            script_name_id,
            // Source maps tell them, once the document is complete.
            original_name: arrays::nulls(Type::Text, task.records.rows),
            original_source: arrays::nulls(Type::Text, task.records.rows),
            original_line: arrays::nulls(Type::Int32, task.records.rows),
            original_column: arrays::nulls(Type::Int32, task.records.rows),
        };
        Some((columns.into_batch(), SideOutput::None))
    }
}
