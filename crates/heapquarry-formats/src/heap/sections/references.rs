//! References to nodes, which are offsets in fields of node records.

use super::RecordTask;
use crate::{
    Code,
    heap::{
        positions::NodePosition,
        records::{Column, Value},
    },
};

impl RecordTask<'_> {
    /// Replaces raw node references by node positions. A reference to no node becomes null and is logged with `code`.
    pub(crate) fn node_positions<T: Value>(
        &mut self,
        references: &mut Column<T>,
        field: &str,
        code: Code,
    ) {
        let width = self.context.header.node_fields.width() as u32;
        let locator = self.locator(field);
        for row in 0..references.values.len() {
            let node = references.values[row].divided(width);
            let is_node = |node: &T| self.context.nodes.has(NodePosition((*node).into() as u64));
            if let Some(node) = node.filter(is_node) {
                references.values[row] = node;
            } else if !references.is_null(row as u32) {
                self.log.add_lazily(code, || {
                    let (offset, raw) = locator.locate(row as u32);
                    (Some(offset), format!("no node of {width} fields starts there"), Some(raw))
                });
                references.set_null(row as u32);
            }
        }
    }
}
