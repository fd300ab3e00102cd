//! Rows of a sampling heap profile.

use super::samples::Block;
use crate::{
    document,
    profile::{Nodes, Numbers, int64, numbers},
};
use heapquarry_tables::{
    FileId, JS_HEAP_SAMPLING_NODE, JS_HEAP_SAMPLING_SAMPLE, Table, Type, arrays,
    js_heap_sampling_node, js_heap_sampling_sample,
};
use std::{ops::Range, sync::Arc};

/// The rows of one row group.
#[derive(Debug)]
pub struct Task {
    pub(super) file_id: FileId,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    Samples(Block),
    Nodes(Arc<Weighed>, Range<usize>),
}

/// Nodes with their sums.
#[derive(Debug)]
pub(super) struct Weighed {
    pub(super) nodes: Nodes,
    pub(super) totals: Numbers,
}

impl Task {
    fn table(&self) -> &'static Table {
        match self.work {
            Work::Samples(_) => &JS_HEAP_SAMPLING_SAMPLE,
            Work::Nodes(..) => &JS_HEAP_SAMPLING_NODE,
        }
    }
}

impl document::Task for Task {
    type Done = ();
    type Scratch = ();

    fn tables(&self) -> Vec<&'static Table> {
        vec![self.table()]
    }

    fn decode(self, _: &[u8], (): &mut (), rows: &mut document::Rows<'_>) {
        let table = self.table();
        let file_id = |rows| self.file_id.column(rows);
        let batch = match self.work {
            Work::Samples(block) => js_heap_sampling_sample::Columns {
                file_id: file_id(block.sizes.len()),
                ordinal: int64(block.ordinals),
                node_id: int64(block.nodes),
                size: int64(block.sizes),
            }
            .into_batch(),
            Work::Nodes(weighed, rows) => {
                let nodes = &weighed.nodes;
                let [name, script_id, url, line, column] = nodes.frame_columns(&rows);
                js_heap_sampling_node::Columns {
                    file_id: file_id(rows.len()),
                    node_id: nodes.ids(&rows),
                    function_name: name,
                    script_id,
                    url,
                    line_number: line,
                    column_number: column,
                    self_size: numbers(&nodes.tree.weights, &rows),
                    parent_id: nodes.parent_ids(&rows),
                    depth: nodes.depths(&rows),
                    total_size: numbers(&weighed.totals, &rows),
                    parent_index: nodes.parent_indexes(&rows),
                    node_index: Nodes::indexes(&rows),
                    // Source maps tell them, once the document is complete.
                    original_name: arrays::nulls(Type::Text, rows.len()),
                    original_source: arrays::nulls(Type::Text, rows.len()),
                    original_line: arrays::nulls(Type::Int32, rows.len()),
                    original_column: arrays::nulls(Type::Int32, rows.len()),
                }
                .into_batch()
            }
        };
        rows.add(table, batch);
    }
}
