//! The `nodes` section: rows of `js_heap_nodes`, and what edges need of the nodes.

use super::{Decode, RecordTask};
use crate::heap::{
    collect::NodeFields,
    context::Context,
    fields::{Field, FieldList},
    node_index::NodePart,
    records::{Column, Value},
    side_output::SideOutput,
};
use arrow_array::RecordBatch;
use heapquarry_tables::js_heap_nodes;

const FIELDS: [Field; 8] = [
    Field::required("type"),
    Field::required("name"),
    Field::required("id"),
    Field::required("self_size"),
    Field::required("edge_count"),
    Field::optional("trace_node_id"),
    Field::optional("detachedness"),
    Field::optional("native_size"),
];

pub(crate) struct Nodes;

impl Decode for Nodes {
    const FIELDS: FieldList = FieldList { key: "node_fields", fields: &FIELDS };

    fn reserve(context: &Context, most: u64) {
        if let Some(collector) = &context.collector {
            let nodes = context.header.node_count.unwrap_or(0).min(most);
            collector.expect_nodes(nodes as usize, &context.header);
        }
    }

    fn has_side_output(_: &Context) -> bool {
        true
    }

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        let (columns, part) = read::<T>(task)?;
        let [kind, name, id, self_size, edge_count, trace_node_id, detachedness, native_size] =
            columns;
        let (header, wanted) = (&task.context.header, js_heap_nodes::wanted(task.columns));
        let [name, name_id] = match wanted.name || wanted.name_id {
            true => task.names(name, "name").map(Some),
            false => [None, None],
        };
        let columns = js_heap_nodes::Of {
            file_id: wanted.file_id.then(|| task.file_id()),
            node_index: wanted.node_index.then(|| task.positions()),
            r#type: wanted.r#type.then(|| task.labels(kind, &header.node_types)),
            name: name.filter(|_| wanted.name),
            name_id: name_id.filter(|_| wanted.name_id),
            id: wanted.id.then(|| task.int64(id)),
            self_size: wanted.self_size.then(|| task.int64(self_size)),
            edge_count: wanted.edge_count.then(|| task.int32(edge_count, "edge_count")),
            trace_node_id: wanted.trace_node_id.then(|| task.int32(trace_node_id, "trace_node_id")),
            detachedness: wanted.detachedness.then(|| task.int32(detachedness, "detachedness")),
            native_size: wanted.native_size.then(|| task.int64(native_size)),
        };
        Some((columns.into_batch(), SideOutput::Nodes(part)))
    }

    fn decode_side_output<T: Value>(task: &mut RecordTask<'_>) -> Option<SideOutput> {
        let (columns, part) = read::<T>(task)?;
        columns.into_iter().for_each(|column| T::give(column.values, task.pool));
        Some(SideOutput::Nodes(part))
    }
}

/// Reads the columns, and keeps what later sections and the analysis need.
fn read<T: Value>(task: &mut RecordTask<'_>) -> Option<([Column<T>; 8], NodePart)> {
    let columns = task.read::<T, _>(&FIELDS)?;
    let [kind, name, id, self_size, edge_count, _, detachedness, native_size] = &columns;
    let records = task.records;
    let part = NodePart::new(records.first, records.rows, id, edge_count, self_size);
    if let Some(collector) = &task.context.collector {
        collector.nodes(
            records,
            &NodeFields { kind, name, id, self_size, edge_count, detachedness, native_size },
        );
    }
    Some((columns, part))
}
