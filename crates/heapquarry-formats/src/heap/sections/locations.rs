//! The `locations` section: rows of `js_heap_location`.

use super::{Decode, RecordTask};
use crate::{
    Code,
    heap::{
        context::Context,
        fields::{Field, FieldList},
        positions::NodePosition,
        records::{Column, Value},
        side_output::SideOutput,
    },
};
use arrow_array::{ArrayRef, RecordBatch};
use heapquarry_tables::{Type, arrays, js_heap_location};

const FIELDS: [Field; 5] = [
    Field::required("object_index"),
    Field::required("script_id"),
    Field::required("line").wrapping(),
    Field::required("column").wrapping(),
    Field::optional("script_object_index"),
];

pub(crate) struct Locations;

impl Decode for Locations {
    const FIELDS: FieldList = FieldList { key: "location_fields", fields: &FIELDS };

    fn has_side_output(context: &Context) -> bool {
        context.collector.is_some()
    }

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        if !task.context.nodes.ids_fit::<T>() {
            return None;
        }
        let [mut object, script_id, line, column, mut script] = task.read::<T, _>(&FIELDS)?;
        for (column, field) in [(&mut object, "object_index"), (&mut script, "script_object_index")]
        {
            task.node_positions(column, field, Code::LocationOutOfRange);
        }
        if let Some(collector) = &task.context.collector {
            collector.locations(task.records, &object, &script_id, &line, &column);
        }
        let id = ids(task, &object);
        let columns = js_heap_location::Columns {
            file_id: task.file_id(),
            node_index: task.int64(object),
            node_id: id,
            script_id: task.int32(script_id, "script_id"),
            line_number: task.int32(line, "line"),
            column_number: task.int32(column, "column"),
            script_node_index: task.int64(script),
            // Depend on the nodes: the analysis fills them in.
            script_name: arrays::nulls(Type::Text, task.records.rows),
            original_name: arrays::nulls(Type::Text, task.records.rows),
            original_source: arrays::nulls(Type::Text, task.records.rows),
            original_line: arrays::nulls(Type::Int32, task.records.rows),
            original_column: arrays::nulls(Type::Int32, task.records.rows),
        };
        Some((columns.into_batch(), SideOutput::None))
    }
}

/// The ids of the nodes at the positions.
fn ids<T: Value>(task: &RecordTask<'_>, object: &Column<T>) -> ArrayRef {
    let nodes = &task.context.nodes;
    let mut id = Column::<T>::default();
    id.values = T::take(task.pool, task.records.rows);
    let narrow = nodes.narrow_ids();
    for (row, &node) in object.values.iter().enumerate() {
        let node = node.into() as u64;
        let known = match narrow {
            Some(ids) => ids.get(node as usize).map(|&id| T::from_narrow(id)),
            None => nodes.id(NodePosition(node)).and_then(T::from_wide),
        };
        id.values.push(known.unwrap_or_default());
        if known.is_none() || object.is_null(row as u32) {
            id.set_null(row as u32);
        }
    }
    task.int64(id)
}
