//! Retained sizes.

use crate::{Dominators, NodeIndex, Packed, PackedColumn};

/// The size in bytes of each node and all nodes that it dominates. DevTools: `calculateDominatorsAndRetainedSizes`.
pub fn retained_sizes(dominators: &Dominators, sizes: &PackedColumn) -> PackedColumn {
    retained_sizes_in(dominators, sizes, &mut Vec::new())
}

/// The [retained sizes](retained_sizes), with working memory whose contents do not matter.
pub(crate) fn retained_sizes_in(
    dominators: &Dominators,
    sizes: &PackedColumn,
    work: &mut Vec<u32>,
) -> PackedColumn {
    if fit_32_bits(sizes) {
        let size = |node| sizes.get(node) as u32;
        Packed::Narrow(sums(dominators, size, |a, b| a + b, work).into())
    } else {
        let size = |node| sizes.get(node);
        let add = u64::saturating_add;
        Packed::Wide(sums(dominators, size, add, &mut Vec::new()).into())
    }
}

/// The [sizes](retained_sizes) by the dominator of each node, with the nodes in an order in which each comes after its
/// dominator.
pub(crate) fn retained_sizes_by_node(
    order: &[NodeIndex],
    dominators: &[NodeIndex],
    sizes: &PackedColumn,
) -> PackedColumn {
    if fit_32_bits(sizes) {
        let sizes = sizes.iter().map(|size| size as u32).collect();
        Packed::Narrow(sums_by_node(order, dominators, sizes, |a, b| a + b).into())
    } else {
        let sizes = sizes.iter().collect();
        Packed::Wide(sums_by_node(order, dominators, sizes, u64::saturating_add).into())
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
fn sums<N: Copy + Default>(
    Dominators { order, parents }: &Dominators,
    size: impl Fn(usize) -> N,
    add: impl Fn(N, N) -> N,
    retained: &mut Vec<N>,
) -> Vec<N> {
    // By position first: a dominator is stored close to the nodes that it dominates.
    retained.clear();
    retained.extend(order.iter().map(|&node| size(node.position())));
    for at in (1..order.len()).rev() {
        let size = retained[at];
        let parent = &mut retained[parents[at] as usize];
        *parent = add(*parent, size);
    }
    let mut by_node = vec![N::default(); order.len()];
    for (&node, &size) in order.iter().zip(&*retained) {
        by_node[node.position()] = size;
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
            assert_eq!(found.get(4), of_4);
        }
    }
}
