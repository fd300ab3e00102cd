//! Retained sizes.

use crate::{Dominators, PackedColumn};

/// The size in bytes of each node and all nodes that it dominates. DevTools: `calculateDominatorsAndRetainedSizes`.
pub fn retained_sizes(dominators: &Dominators, sizes: &PackedColumn) -> Vec<u64> {
    // No sum exceeds the sum of all sizes. If that fits 32 bits, as it mostly does, the sums take half of the memory.
    match sizes.iter().try_fold(0u32, |sum, size| sum.checked_add(size.try_into().ok()?)) {
        Some(_) => sums(dominators, |node| sizes.get(node) as u32, |a, b| a + b),
        None => sums(dominators, |node| sizes.get(node), u64::saturating_add),
    }
}

/// The sum of each node and all that it dominates.
fn sums<N: Copy + Into<u64>>(
    Dominators { order, parents }: &Dominators,
    size: impl Fn(usize) -> N,
    add: impl Fn(N, N) -> N,
) -> Vec<u64> {
    // By position first: a dominator is stored close to the nodes that it dominates.
    let mut retained: Vec<N> = order.iter().map(|&node| size(node.position())).collect();
    for at in (1..order.len()).rev() {
        let size = retained[at];
        let parent = &mut retained[parents[at] as usize];
        *parent = add(*parent, size);
    }
    let mut by_node = vec![0; order.len()];
    for (&node, &size) in order.iter().zip(&retained) {
        by_node[node.position()] = size.into();
    }
    by_node
}
