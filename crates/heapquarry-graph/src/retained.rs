//! Retained sizes.

use crate::{Dominators, PackedColumn};

/// The size in bytes of each node and all nodes that it dominates. DevTools: `calculateDominatorsAndRetainedSizes`.
pub fn retained_sizes(dominators: &Dominators, sizes: &PackedColumn) -> Vec<u64> {
    let Dominators { order, parents } = dominators;
    // By position first: a dominator is stored close to the nodes that it dominates.
    let mut retained: Vec<u64> = order.iter().map(|&node| sizes.get(node.position())).collect();
    for at in (1..order.len()).rev() {
        let size = retained[at];
        let parent = &mut retained[parents[at] as usize];
        *parent = parent.saturating_add(size);
    }
    let mut by_node = vec![0; order.len()];
    for (&node, &size) in order.iter().zip(&retained) {
        by_node[node.position()] = size;
    }
    by_node
}
