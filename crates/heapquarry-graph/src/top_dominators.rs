//! The top of a dominator tree: the nodes that retain most.
//!
//! A node never retains more than its dominator. So the nodes that retain more than some number of bytes form a tree
//! with the root, and one pass over all nodes finds them, without sorting. What they dominate besides is summed by
//! class.

use crate::{Analysis, Bits, EdgeType, HashMap, Heap, NodeIndex, bound_of_largest};
use heapquarry_base::Order;
use std::cmp::Reverse;

/// The nodes that retain most, as a tree.
#[derive(Debug)]
pub struct TopDominators {
    /// In preorder; of siblings those that retain more come first, of equal ones the first in the file.
    pub nodes: Vec<NodeIndex>,
    /// For each of them the position of its dominator; of the root its own.
    pub parents: Vec<u32>,
    /// The positions of nodes.
    positions: HashMap<NodeIndex, u32>,
    /// Quick to ask.
    is_kept: Bits,
}

/// Nodes of a class that a kept node dominates directly, and that are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DominatedGroup {
    /// Position of the kept node.
    pub parent: u32,
    /// Index of the class in [`Analysis::classes`].
    pub class: u32,
    /// How many they are.
    pub count: u64,
    /// What they retain together, in bytes.
    pub retained: u64,
    /// What the largest of them retains.
    pub max: u64,
}

/// A reference between top nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Position of the node that refers to the other.
    pub from: u32,
    /// Position of the other.
    pub to: u32,
    /// Index of the edge in the heap.
    pub edge: usize,
}

impl TopDominators {
    /// The `most` nodes that retain most, and the root. Of those that retain as little as the last, the first in the
    /// file are kept, and only below nodes that retain more.
    pub fn new(heap: &Heap, analysis: &Analysis, most: usize) -> Self {
        let retained = &analysis.retained_sizes;
        let mut kept = TopDominators {
            nodes: Vec::new(),
            parents: Vec::new(),
            positions: HashMap::default(),
            is_kept: Bits::new(retained.len()),
        };
        if retained.is_empty() {
            return kept;
        }
        let least = bound_of_largest(retained.iter(), most);
        let is_larger =
            |node: NodeIndex| node == heap.root() || retained.get(node.position()) > least;
        let larger = heap.nodes().all().filter(|&node| is_larger(node)).count();
        let mut room = most.saturating_sub(larger);
        let mut children: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::default();
        for node in heap.nodes().all().filter(|&node| node != heap.root()) {
            let dominator = analysis.dominators[node.position()];
            let is_last = |size: u64| size == least && size > 0 && is_larger(dominator);
            if is_larger(node) {
                children.entry(dominator).or_default().push(node);
            } else if room > 0 && is_last(retained.get(node.position())) {
                room -= 1;
                children.entry(dominator).or_default().push(node);
            }
        }
        for siblings in children.values_mut() {
            siblings.sort_unstable_by_key(|&node| (retained.get(node.position()), Reverse(node)));
        }
        let mut stack = vec![(heap.root(), 0)];
        while let Some((node, parent)) = stack.pop() {
            let position = kept.nodes.len() as u32;
            kept.nodes.push(node);
            kept.parents.push(parent);
            kept.positions.insert(node, position);
            kept.is_kept.set(node);
            // The last comes out first.
            let below = children.remove(&node).unwrap_or_default();
            stack.extend(below.into_iter().map(|child| (child, position)));
        }
        kept
    }

    /// The position of a node; `None` if it is not among them.
    pub fn position(&self, node: NodeIndex) -> Option<u32> {
        if !self.is_kept.get(node) {
            return None;
        }
        self.positions.get(&node).copied()
    }

    /// What is not kept, by its dominator and class, sorted by these. Groups below 0.1 % of what their dominator
    /// retains are left out, and the smallest if there are more than `most`.
    pub fn groups(&self, analysis: &Analysis, most: usize) -> Vec<DominatedGroup> {
        let mut found: HashMap<(u32, u32), DominatedGroup> = HashMap::default();
        for (at, &dominator) in analysis.dominators.iter().enumerate() {
            let Some(parent) = self.position(dominator) else { continue };
            if self.is_kept.get(NodeIndex::at(at)) {
                continue;
            }
            let (class, retained) = (analysis.classes.of[at], analysis.retained_sizes.get(at));
            let group = found.entry((parent, class));
            let group =
                group.or_insert(DominatedGroup { parent, class, count: 0, retained: 0, max: 0 });
            group.count += 1;
            group.retained = group.retained.saturating_add(retained);
            group.max = group.max.max(retained);
        }
        let mut groups: Vec<DominatedGroup> = found.into_values().collect();
        groups.retain(|group| {
            let whole = analysis.retained_sizes.get(self.nodes[group.parent as usize].position());
            group.retained > 0 && group.retained >= whole / 1000
        });
        groups.order_by_key(|group| (Reverse(group.retained), group.parent, group.class));
        groups.truncate(most);
        groups.order_by_key(|group| (group.parent, Reverse(group.retained), group.class));
        groups
    }

    /// References between top nodes, sorted by where they start, then in file order: of each node the first `each`,
    /// and the one through which it is closest to the root. Also returns how many there are in all.
    pub fn references(
        &self,
        heap: &Heap,
        analysis: &Analysis,
        each: usize,
    ) -> (Vec<Reference>, u64) {
        let edges = heap.edges();
        let mut references = Vec::new();
        let mut all = 0;
        // For each node the distance of the retainer that is closest to the root, and the reference.
        let mut closest: Vec<Option<(i32, Reference)>> = vec![None; self.nodes.len()];
        for (from, &node) in (0..).zip(&self.nodes) {
            let mut count = 0;
            for edge in edges.of(node) {
                let target = edges.target(edge);
                if edges.kind(edge) == EdgeType::Missing || target == node {
                    continue;
                }
                let Some(to) = self.position(target) else { continue };
                all += 1;
                let reference = Reference { from, to, edge };
                let distance = analysis.distances[node.position()];
                let best = &mut closest[to as usize];
                if edges.is_strong(edge) && best.is_none_or(|(least, _)| distance < least) {
                    *best = Some((distance, reference));
                }
                if count < each {
                    references.push(reference);
                    count += 1;
                }
            }
        }
        references.extend(closest.into_iter().flatten().map(|(_, reference)| reference));
        references.order_by_key(|reference| (reference.from, reference.edge));
        references.dedup();
        (references, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapBuilder, analyze};

    /// root → a (100) → b (50) → c (10), and a → two more of 10, root → d (30).
    fn made() -> (Heap, Analysis) {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let a = builder.node("object", "A", 100);
        let b = builder.node("object", "B", 50);
        let c = builder.node("object", "C", 10);
        let d = builder.node("object", "D", 30);
        builder.edge(root, EdgeType::Shortcut, "1", a);
        builder.edge(a, EdgeType::Property, "b", b);
        builder.edge(b, EdgeType::Property, "c", c);
        builder.edge(root, EdgeType::Shortcut, "2", d);
        for name in ["x", "y"] {
            let more = builder.node("object", "C", 10);
            builder.edge(a, EdgeType::Property, name, more);
        }
        let heap = builder.build();
        let analysis = analyze(&heap, 1);
        (heap, analysis)
    }

    #[test]
    fn kept_nodes_are_a_tree_and_the_rest_is_summed() {
        let (heap, analysis) = made();
        for (most, nodes, groups) in [
            (0, vec![0], vec![(0, 1, 180), (0, 1, 30)]),
            (4, vec![0, 1, 2, 4], vec![(1, 2, 20), (2, 1, 10)]),
            // Those of 10 are equal: the first in the file.
            (5, vec![0, 1, 2, 3, 4], vec![(1, 2, 20)]),
            (6, vec![0, 1, 2, 3, 5, 4], vec![(1, 1, 10)]),
            (100, vec![0, 1, 2, 3, 5, 6, 4], vec![]),
        ] {
            let kept = TopDominators::new(&heap, &analysis, most);
            let found: Vec<u32> = kept.nodes.iter().map(|node| node.0).collect();
            assert_eq!(found, nodes, "{most}");
            let found = kept.groups(&analysis, 100);
            let found: Vec<_> = found.iter().map(|g| (g.parent, g.count, g.retained)).collect();
            assert_eq!(found, groups, "{most}");
            // Each byte is in a kept node or in a group.
            let own = kept.nodes.iter().map(|&n| analysis.shallow_sizes.get(n.position()));
            let sum: u64 = own.sum::<u64>() + found.iter().map(|g| g.2).sum::<u64>();
            assert_eq!(sum, 210);
        }
    }

    #[test]
    fn references_keep_the_way_to_the_root() {
        let (heap, analysis) = made();
        let kept = TopDominators::new(&heap, &analysis, 100);
        for (each, count) in [(0, 6), (1, 6), (9, 6)] {
            let (references, all) = kept.references(&heap, &analysis, each);
            assert_eq!((references.len(), all), (count, 6), "{each}");
        }
    }
}
