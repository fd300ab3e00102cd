//! Dominators turned around.

use crate::{Column, NodeIndex};

/// The nodes that each node dominates directly, in file order: its children in the tree of dominators.
#[derive(Clone, Debug)]
pub struct Dominated {
    /// For each node where its own begin in the list, and the length of the list.
    pub(crate) starts: Column<u32>,
    pub(crate) nodes: Column<NodeIndex>,
}

impl Dominated {
    /// Turns [`Analysis::dominators`](crate::Analysis::dominators) around. What dominates itself, the root, is no child
    /// of its own.
    pub fn new(dominators: &[NodeIndex]) -> Self {
        let all = dominators.iter().enumerate();
        let below = || all.clone().map(|(at, by)| (NodeIndex::at(at), by)).filter(|(n, d)| n != *d);
        let mut starts = vec![0u32; dominators.len() + 1];
        for (_, dominator) in below() {
            starts[dominator.position()] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut nodes = NodeIndex::zeroed(sum as usize);
        // Each start moves from the end of its nodes to their beginning.
        for (node, dominator) in below().rev() {
            let start = &mut starts[dominator.position()];
            *start -= 1;
            nodes[*start as usize] = node;
        }
        Dominated { starts: starts.into(), nodes: nodes.into() }
    }

    /// The nodes that a node dominates directly.
    pub fn of(&self, node: NodeIndex) -> &[NodeIndex] {
        let at = node.position();
        &self.nodes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All nodes looked at for each.
    fn naive(dominators: &[NodeIndex], of: NodeIndex) -> Vec<NodeIndex> {
        let all = NodeIndex::each(0..dominators.len());
        all.filter(|&node| node != of && dominators[node.position()] == of).collect()
    }

    #[test]
    fn each_node_is_below_its_dominator() {
        for dominators in [
            &[][..],
            &[0],
            &[0, 0, 0, 0],
            &[0, 0, 1, 2, 3],
            &[0, 2, 0, 2, 0, 2],
            // The root need not be the first.
            &[1, 1, 0, 1, 2, 4, 4, 0],
        ] {
            let dominators: Vec<NodeIndex> = dominators.iter().copied().map(NodeIndex).collect();
            let dominated = Dominated::new(&dominators);
            for node in NodeIndex::each(0..dominators.len()) {
                assert_eq!(dominated.of(node), naive(&dominators, node), "{dominators:?} {node}");
            }
        }
    }
}
