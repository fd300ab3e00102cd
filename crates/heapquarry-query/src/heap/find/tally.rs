//! The first rows of a list, and the number and size of all, in one pass through nodes.

use super::super::Subject;
use crate::find::Find;
use heapquarry_base::threads::ranges;
use heapquarry_graph::{Highest, NodeIndex};

/// What a pass has found.
pub(super) struct Tally {
    pub(super) count: u64,
    /// The shallow sizes together, in bytes.
    pub(super) size: u64,
    pub(super) first: Highest,
}

impl Tally {
    /// With so many rows at most.
    pub(super) fn new(rows: usize) -> Self {
        Tally { count: 0, size: 0, first: Highest::new(rows) }
    }

    pub(super) fn add(&mut self, node: NodeIndex, size: u64, rank: u64) {
        self.count += 1;
        self.size = self.size.saturating_add(size);
        self.first.add(node, rank);
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.size = self.size.saturating_add(other.size);
        self.first.join(other.first);
    }

    /// The rows after so many, those with the highest rank first, of equal ones the first in the file.
    pub(super) fn rows(self, offset: usize) -> Vec<NodeIndex> {
        self.first.sorted().skip(offset).map(|(node, _)| node).collect()
    }
}

impl Subject {
    /// What is wanted of so many nodes, found by all threads.
    pub(super) fn tally(
        &self,
        count: usize,
        node: impl Fn(usize) -> NodeIndex + Sync,
        asked: &Find,
        is_wanted: impl Fn(NodeIndex) -> bool + Sync,
    ) -> Tally {
        let rows = asked.offset.saturating_add(asked.top);
        let parts = ranges(count, self.threads, |range| {
            let mut tally = Tally::new(rows);
            let nodes = self.heap.parts(range).flatten().map(&node);
            for node in nodes.filter(|&node| is_wanted(node)) {
                tally.add(node, self.shallow(node), self.rank(asked.sort, node));
            }
            tally
        });
        let mut all = Tally::new(rows);
        parts.into_iter().for_each(|part| all.join(part));
        all
    }
}
