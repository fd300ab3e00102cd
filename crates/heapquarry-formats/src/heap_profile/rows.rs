//! Rows of a sampling heap profile.

use super::samples::Block;
use crate::{
    document,
    profile::{Nodes, Numbers, int64, numbers},
};
use heapquarry_tables::{JS_HEAP_SAMPLING_NODE, JS_HEAP_SAMPLING_SAMPLE, Table, arrays};
use std::{ops::Range, sync::Arc};

/// The rows of one row group.
#[derive(Debug)]
pub struct Task {
    pub(super) file_id: i32,
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
        let file_id = |rows| arrays::constant_i32(Some(self.file_id), rows);
        let batch = match self.work {
            Work::Samples(block) => JS_HEAP_SAMPLING_SAMPLE.batch(vec![
                file_id(block.sizes.len()),
                int64(block.ordinals),
                int64(block.nodes),
                int64(block.sizes),
            ]),
            Work::Nodes(weighed, rows) => {
                let nodes = &weighed.nodes;
                let [name, script_id, url, line, column] = nodes.frame_columns(&rows);
                JS_HEAP_SAMPLING_NODE.batch(vec![
                    file_id(rows.len()),
                    nodes.ids(&rows),
                    name,
                    script_id,
                    url,
                    line,
                    column,
                    numbers(&nodes.tree.weights, &rows),
                    nodes.parent_ids(&rows),
                    nodes.depths(&rows),
                    numbers(&weighed.totals, &rows),
                    nodes.parent_indexes(&rows),
                    Nodes::indexes(&rows),
                ])
            }
        };
        rows.add(table, batch);
    }
}
