//! Retained sizes.

use crate::{Dominators, Packed, PackedColumn};

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

/// Whether all sums fit 32 bits, as they mostly do: then they take half of the memory. None exceeds the sum of all.
fn fit_32_bits(sizes: &PackedColumn) -> bool {
    sizes.iter().try_fold(0u32, |sum, size| sum.checked_add(size.try_into().ok()?)).is_some()
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
    use crate::NodeIndex;

    #[test]
    fn sums_of_any_size() {
        let tree = Dominators::from_nodes(&[1, 1, 0, 1, 2, 4, 4, 0].map(NodeIndex), NodeIndex(1));
        let tree = tree.unwrap();
        for (size, of_4) in
            [(3, 9), (u64::from(u32::MAX), 3 * u64::from(u32::MAX)), (u64::MAX, u64::MAX)]
        {
            let sizes: PackedColumn = [size; 8].into_iter().collect();
            assert_eq!(retained_sizes(&tree, &sizes).get(4), of_4);
        }
    }
}
