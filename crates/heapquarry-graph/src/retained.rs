//! Retained sizes.

use crate::{Dominators, NodeIndex, PackedColumn};

/// The size in bytes of each node and all nodes that it dominates. DevTools: `calculateDominatorsAndRetainedSizes`.
pub fn retained_sizes(dominators: &Dominators, sizes: &PackedColumn) -> Vec<u64> {
    retained_sizes_in(dominators, sizes, &mut Vec::new(), Vec::new())
}

/// The [retained sizes](retained_sizes), in memory whose contents do not matter.
pub(crate) fn retained_sizes_in(
    dominators: &Dominators,
    sizes: &PackedColumn,
    words: &mut Vec<u32>,
    longs: Vec<u64>,
) -> Vec<u64> {
    // Results stay: they should not hold much more memory than they need.
    let (nodes, room) = (dominators.order.len(), longs.capacity());
    let by_node = if room <= nodes + nodes / 4 { longs } else { Vec::new() };
    match fit_32_bits(sizes) {
        true => sums(dominators, |node| sizes.get(node) as u32, |a, b| a + b, words, by_node),
        false => {
            let size = |node| sizes.get(node);
            sums(dominators, size, u64::saturating_add, &mut Vec::new(), by_node)
        }
    }
}

/// The [sizes](retained_sizes) by the dominator of each node, with the nodes in an order in which each comes after its
/// dominator.
pub(crate) fn retained_sizes_by_node(
    order: &[NodeIndex],
    dominators: &[NodeIndex],
    sizes: &PackedColumn,
) -> Vec<u64> {
    match fit_32_bits(sizes) {
        true => {
            let sizes = sizes.iter().map(|size| size as u32).collect();
            sums_by_node(order, dominators, sizes, |a, b| a + b)
                .into_iter()
                .map(Into::into)
                .collect()
        }
        false => sums_by_node(order, dominators, sizes.iter().collect(), u64::saturating_add),
    }
}

/// Whether all sums fit 32 bits, as they mostly do: then they take half of the memory. None exceeds the sum of all.
fn fit_32_bits(sizes: &PackedColumn) -> bool {
    sizes.iter().try_fold(0u32, |sum, size| sum.checked_add(size.try_into().ok()?)).is_some()
}

/// The sum of each node and all that it dominates, out of the sizes.
fn sums_by_node<N: Copy>(
    order: &[NodeIndex],
    dominators: &[NodeIndex],
    mut sizes: Vec<N>,
    add: impl Fn(N, N) -> N,
) -> Vec<N> {
    for &node in order.iter().skip(1).rev() {
        let size = sizes[node.position()];
        let sum = &mut sizes[dominators[node.position()].position()];
        *sum = add(*sum, size);
    }
    sizes
}

/// The sum of each node and all that it dominates.
fn sums<N: Copy + Into<u64>>(
    Dominators { order, parents }: &Dominators,
    size: impl Fn(usize) -> N,
    add: impl Fn(N, N) -> N,
    retained: &mut Vec<N>,
    mut by_node: Vec<u64>,
) -> Vec<u64> {
    // By position first: a dominator is stored close to the nodes that it dominates.
    retained.clear();
    retained.extend(order.iter().map(|&node| size(node.position())));
    for at in (1..order.len()).rev() {
        let size = retained[at];
        let parent = &mut retained[parents[at] as usize];
        *parent = add(*parent, size);
    }
    by_node.resize(order.len(), 0);
    for (&node, &size) in order.iter().zip(&*retained) {
        by_node[node.position()] = size.into();
    }
    by_node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_level;

    #[test]
    fn sums_are_the_same_by_position_and_by_node() {
        let by_node = [1, 1, 0, 1, 2, 4, 4, 0].map(NodeIndex);
        let order = by_level(&by_node, NodeIndex(1)).unwrap();
        let position = |node: &NodeIndex| order.iter().position(|other| other == node).unwrap();
        let parents = order.iter().map(|node| position(&by_node[node.position()]) as u32);
        let tree = Dominators { parents: parents.collect(), order: order.clone() };
        assert_eq!(tree.by_node(), by_node);
        for (size, of_4) in
            [(3, 9), (u64::from(u32::MAX), 3 * u64::from(u32::MAX)), (u64::MAX, u64::MAX)]
        {
            let sizes: PackedColumn = [size; 8].into_iter().collect();
            let found = retained_sizes_by_node(&order, &by_node, &sizes);
            assert_eq!(found, retained_sizes(&tree, &sizes));
            assert_eq!(found[4], of_4);
        }
    }
}
