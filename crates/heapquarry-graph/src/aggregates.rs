//! Totals of each class.

use crate::{Classes, Dominators, NodeIndex, PackedColumn};

/// Totals of a class. Nodes of size 0 are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// The class, as position in [`Classes::classes`].
    pub class: u32,
    /// Number of instances.
    pub count: u64,
    /// The least distance of an instance; -5 if one is unreachable.
    pub distance: i32,
    /// Sum of the instances' shallow sizes in bytes.
    pub shallow_size: u64,
    /// Bytes that freeing all instances would free: the sum of their retained sizes, without instances that another
    /// instance dominates.
    pub retained_size: u64,
}

/// Totals of each class that has instances, in the order of [`Classes::classes`]. DevTools: `buildAggregates`,
/// `calculateClassesRetainedSize`.
pub fn aggregates(
    classes: &Classes,
    distances: &[i32],
    sizes: &PackedColumn,
    retained: &PackedColumn,
    dominators: &Dominators,
) -> Vec<Aggregate> {
    let preorder = Preorder::new(dominators, Vec::new());
    let held = retained_sizes(classes, sizes, retained, preorder.nodes(&dominators.order));
    with_retained(sums(classes, distances, sizes), held)
}

/// Totals of all classes, except the retained sizes.
pub(crate) fn sums(classes: &Classes, distances: &[i32], sizes: &PackedColumn) -> Vec<Aggregate> {
    let mut aggregates: Vec<Aggregate> = (0..classes.classes.len() as u32)
        .map(|class| Aggregate {
            class,
            count: 0,
            distance: i32::MAX,
            shallow_size: 0,
            retained_size: 0,
        })
        .collect();
    for (node, &class) in classes.of.iter().enumerate() {
        let size = sizes.get(node);
        if size > 0 {
            let aggregate = &mut aggregates[class as usize];
            aggregate.count += 1;
            aggregate.distance = aggregate.distance.min(distances[node]);
            aggregate.shallow_size = aggregate.shallow_size.saturating_add(size);
        }
    }
    aggregates
}

/// Retained size of each class, given its nodes in [`Preorder`].
pub(crate) fn retained_sizes(
    classes: &Classes,
    sizes: &PackedColumn,
    retained: &PackedColumn,
    preorder: impl IntoIterator<Item = (NodeIndex, u32)>,
) -> Vec<u64> {
    let mut sums = vec![0u64; classes.classes.len()];
    // Down the dominator tree: a node below an instance of the same class is already counted with that instance.
    let mut until = vec![0u32; classes.classes.len()];
    for (at, (node, end)) in preorder.into_iter().enumerate() {
        let class = classes.of[node.position()] as usize;
        if at as u32 >= until[class] && sizes.get(node.position()) > 0 {
            sums[class] = sums[class].saturating_add(retained.get(node.position()));
            until[class] = end;
        }
    }
    sums
}

/// Totals of the classes that have instances.
pub(crate) fn with_retained(mut sums: Vec<Aggregate>, retained: Vec<u64>) -> Vec<Aggregate> {
    sums.iter_mut().zip(retained).for_each(|(sum, size)| sum.retained_size = size);
    sums.retain(|sum| sum.count > 0);
    sums
}

/// The preorder of a dominator tree.
pub(crate) struct Preorder {
    /// By position in the tree, the end of the range of nodes that it dominates. Then as many positions, in preorder.
    memory: Vec<[u32; 2]>,
}

impl Preorder {
    /// In memory whose contents do not matter.
    pub(crate) fn new(dominators: &Dominators, mut memory: Vec<[u32; 2]>) -> Self {
        let parents = &dominators.parents;
        memory.resize(parents.len(), [0; 2]);
        // How many nodes each dominates, with itself. Once it has a place, the place of the next node that it
        // dominates: in the end, the end of its range.
        let (next, positions) = memory.as_flattened_mut().split_at_mut(parents.len());
        next.fill(1);
        for at in (1..parents.len()).rev() {
            next[parents[at] as usize] += next[at];
        }
        for at in 0..parents.len() {
            let count = next[at];
            let place = if at == 0 { 0 } else { next[parents[at] as usize] };
            if at > 0 {
                next[parents[at] as usize] += count;
            }
            next[at] = place + 1;
            positions[place as usize] = at as u32;
        }
        Preorder { memory }
    }

    /// The nodes in preorder, each with the end of the range of nodes that it dominates.
    pub(crate) fn nodes(&self, order: &[NodeIndex]) -> impl Iterator<Item = (NodeIndex, u32)> {
        let (ends, positions) = self.memory.as_flattened().split_at(order.len());
        positions.iter().map(|&at| (order[at as usize], ends[at as usize]))
    }
}
