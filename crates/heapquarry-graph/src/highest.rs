//! The nodes that rank highest, in one pass.

use crate::NodeIndex;
use std::{cmp::Reverse, collections::BinaryHeap};

/// The nodes with the highest ranks so far: of equal ones the first in the file.
#[derive(Debug)]
pub struct Highest {
    most: usize,
    /// The lowest comes first.
    found: BinaryHeap<(Reverse<u64>, NodeIndex)>,
}

impl Highest {
    /// At most so many.
    pub fn new(most: usize) -> Self {
        Highest { most, found: BinaryHeap::new() }
    }

    /// Adds a node, if it is among them.
    #[inline]
    pub fn add(&mut self, node: NodeIndex, rank: u64) {
        let new = (Reverse(rank), node);
        if self.found.len() < self.most {
            self.found.push(new);
        } else if let Some(mut lowest) = self.found.peek_mut()
            && *lowest > new
        {
            *lowest = new;
        }
    }

    /// Adds those of another part of the nodes.
    pub fn join(&mut self, other: Self) {
        other.found.into_iter().for_each(|(Reverse(rank), node)| self.add(node, rank));
    }

    /// The highest first.
    pub fn sorted(self) -> impl Iterator<Item = (NodeIndex, u64)> {
        self.found.into_sorted_vec().into_iter().map(|(Reverse(rank), node)| (node, rank))
    }
}

/// The nodes with the highest ranks, the highest first, of equal ones the first in the file. Rank 0 is none.
pub fn highest(ranks: impl Iterator<Item = (NodeIndex, u64)>, top: usize) -> Vec<(NodeIndex, u64)> {
    let mut highest = Highest::new(top);
    ranks.filter(|(_, rank)| *rank > 0).for_each(|(node, rank)| highest.add(node, rank));
    highest.sorted().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_come_first_and_of_equal_ones_the_first() {
        let ranks = [(0, 5), (1, 9), (2, 0), (3, 9), (4, 7), (5, 5)];
        for (top, expected) in [
            (0, &[][..]),
            (1, &[(1, 9)]),
            (4, &[(1, 9), (3, 9), (4, 7), (0, 5)]),
            (9, &[(1, 9), (3, 9), (4, 7), (0, 5), (5, 5)]),
        ] {
            let ranks = ranks.into_iter().map(|(node, rank)| (NodeIndex(node), rank));
            let found = highest(ranks, top).into_iter().map(|(node, rank)| (node.0, rank));
            assert_eq!(found.collect::<Vec<_>>(), expected, "{top}");
        }
    }
}
