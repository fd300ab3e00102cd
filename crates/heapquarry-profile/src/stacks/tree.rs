//! The call tree of all stacks, and sums over its nodes.

use super::{NO, Walk, add, calls::Calls};
use foldhash::fast::RandomState;
use std::hash::BuildHasher;

/// Memory of a node in bytes, about: what is known of it, and the totals of one type of values.
const PER_NODE: usize = size_of::<Node>() + 8 + 9;

/// What a walk down the tree reads of a node, in one place: it waits for memory.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The innermost node of the location that calls that of this one, or [`NO`].
    caller: u32,
    /// Position of the location.
    location: u32,
    /// Position of the line in its location; the innermost one, which comes last, has the first.
    line: u32,
    /// Position of its sums, or [`NO`].
    place: u32,
}

/// Consecutive nodes, for their rows.
#[derive(Debug, PartialEq, Eq)]
pub struct Nodes {
    /// Number of the first one.
    pub first: usize,
    /// The caller, or [`NO`].
    pub parents: Vec<u32>,
    /// Number of calls around each.
    pub depths: Vec<u32>,
    /// The location, and the position of the line in it.
    pub lines: Vec<(u32, u32)>,
}

/// The call tree. Callers come before the calls that they make.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The caller, or [`NO`], and the depth, of the nodes whose rows were made.
    pub(super) parents: Vec<u32>,
    depths: Vec<u32>,
    /// The outermost nodes of locations that do not follow their caller. Most do: nodes of a stack follow each other.
    others: Calls,
    hasher: RandomState,
    /// Sums of values over the samples with a node at the top: as many as there are types, for each place.
    sums: Vec<i64>,
    /// Most nodes and sums. A location with a thousand lines in a stack of a thousand calls is a million nodes, but
    /// takes three thousand bytes.
    most: usize,
}

impl Tree {
    /// Of a profile of that many bytes, which limit the number of nodes.
    pub fn new(bytes: u64) -> Self {
        // Real profiles have far less than one node in ten bytes.
        let most = (bytes / 2).saturating_add(1 << 16).min(u64::from(NO) - 1);
        Tree { most: most as usize, ..Tree::default() }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Memory that it takes, in bytes, about: with the totals of a type of values.
    pub fn memory(&self) -> u64 {
        let others = self.others.memory() + size_of_val(&self.sums[..]);
        (PER_NODE * self.len() + others) as u64
    }

    /// The innermost node of a location, if its nodes follow its caller.
    #[inline]
    pub(super) fn follower(&self, caller: u32, location: u32) -> Option<u32> {
        // The first node of all follows `NO`.
        self.innermost(caller.wrapping_add(1), caller, location)
    }

    /// A node that may be the outermost one of a location that does not follow its caller, or [`NO`].
    #[inline]
    pub(super) fn candidate(&self, caller: u32, location: u32) -> u32 {
        self.others.with(self.hash(caller, location)).next().unwrap_or(NO)
    }

    /// The innermost node of a location that does not follow its caller, of which this is the candidate.
    #[inline]
    pub(super) fn jump(&self, caller: u32, location: u32, candidate: u32) -> Option<u32> {
        if candidate == NO {
            return None;
        }
        self.innermost(candidate, caller, location).or_else(|| {
            let mut nodes = self.others.with(self.hash(caller, location));
            nodes.find_map(|node| self.innermost(node, caller, location))
        })
    }

    /// The innermost node of a location, if this is the outermost one.
    #[inline]
    fn innermost(&self, node: u32, caller: u32, location: u32) -> Option<u32> {
        let found = self.nodes.get(node as usize)?;
        ((found.caller, found.location) == (caller, location)).then(|| node + found.line)
    }

    #[inline]
    fn hash(&self, caller: u32, location: u32) -> u32 {
        (self.hasher.hash_one(u64::from(caller) << 32 | u64::from(location)) >> 32) as u32
    }

    /// The node of a stack that has gone down the tree; [`NO`] if it is empty. Adds what the tree does not have.
    /// `lines` is the number of lines of a location, which has one node without any. `None` if there are too many
    /// nodes.
    #[inline]
    pub fn node(
        &mut self,
        walk: &Walk,
        locations: &[u32],
        lines: impl Fn(u32) -> usize,
    ) -> Option<u32> {
        let (mut node, rest) = walk.rest(locations);
        let mut rest = rest.iter().rev();
        while let Some(&location) = rest.next() {
            // Stacks that went down beside this one may have added it.
            let known = self
                .follower(node, location)
                .or_else(|| self.jump(node, location, self.candidate(node, location)));
            if let Some(known) = known {
                node = known;
                continue;
            }
            // What is new calls nothing yet.
            node = self.add(node, location, lines(location))?;
            for &location in rest.by_ref() {
                node = self.add(node, location, lines(location))?;
            }
        }
        Some(node)
    }

    /// Adds the lines of a location below a node, the outermost one first.
    fn add(&mut self, caller: u32, location: u32, lines: usize) -> Option<u32> {
        let lines = lines.max(1);
        if self.len().checked_add(lines)? > self.most {
            return None;
        }
        let outermost = self.len() as u32;
        if outermost != caller.wrapping_add(1) {
            self.others.insert(self.hash(caller, location), outermost);
        }
        let node = |line| Node { caller, location, line, place: NO };
        self.nodes.extend((0..lines as u32).rev().map(node));
        Some(self.len() as u32 - 1)
    }

    /// Adds the values of a sample to the sums of its node. There are as many `types` in each call, and at most as many
    /// values. `overflow` is called for each sum that does not fit 64 bits.
    #[inline]
    pub fn count(&mut self, node: u32, values: &[i64], types: usize, overflow: &mut impl FnMut()) {
        let Some(Node { place, .. }) = self.nodes.get_mut(node as usize) else { return };
        if *place == NO {
            // A valid sample has a byte for each value, at least.
            if self.sums.len() + types > 2 * self.most {
                return;
            }
            *place = (self.sums.len() / types.max(1)) as u32;
            self.sums.resize(self.sums.len() + types, 0);
        }
        let sums = &mut self.sums[*place as usize * types..][..types];
        for (sum, &value) in sums.iter_mut().zip(values) {
            add(sum, value, overflow);
        }
    }

    /// The sum of a type of values over the samples with a node at the top.
    #[inline]
    pub(super) fn own(&self, node: usize, value: usize, types: usize) -> i64 {
        match self.nodes[node].place {
            NO => 0,
            place => self.sums[place as usize * types + value],
        }
    }

    /// The nodes that follow those that were taken, for their rows: this many if there are as many.
    pub fn take(&mut self, most: usize) -> Nodes {
        let first = self.parents.len();
        let end = self.len().min(first.saturating_add(most));
        for at in first..end {
            let node = self.nodes[at];
            // Lines of a location call each other.
            let before = at.checked_sub(1).map(|before| self.nodes[before]);
            let is_inlined =
                |before: Node| (before.caller, before.location) == (node.caller, node.location);
            let parent = if before.is_some_and(is_inlined) { at as u32 - 1 } else { node.caller };
            self.parents.push(parent);
            self.depths.push(self.depths.get(parent as usize).map_or(0, |depth| depth + 1));
        }
        Nodes {
            first,
            parents: self.parents[first..].to_vec(),
            depths: self.depths[first..].to_vec(),
            lines: self.nodes[first..end].iter().map(|node| (node.location, node.line)).collect(),
        }
    }

    /// Number of nodes that have not been taken.
    pub fn left(&self) -> usize {
        self.len() - self.parents.len()
    }

    /// All samples have been counted: stacks are no longer looked up.
    pub fn end_samples(&mut self) {
        self.others = Calls::default();
    }

    /// All nodes have been taken.
    pub fn end_nodes(&mut self) {
        self.depths = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacks::{Descent, Totals};
    use proptest::{collection::vec, prelude::*};
    use std::{collections::BTreeMap, sync::Arc};

    /// Locations and lines, the outermost first.
    type Stack = Vec<(u32, u32)>;

    /// Takes stacks into the tree, this many side by side. Returns their nodes.
    fn nodes(
        tree: &mut Tree,
        stacks: &[&[u32]],
        batch: usize,
        lines: &[usize],
    ) -> Vec<Option<u32>> {
        let lines_of = |location: u32| lines[location as usize];
        let (mut nodes, mut descent) = (Vec::new(), Descent::default());
        for stacks in stacks.chunks(batch) {
            let (mut walks, mut locations) = (Vec::new(), Vec::new());
            for stack in stacks {
                let start = locations.len();
                locations.extend_from_slice(stack);
                walks.push(Walk::new(start..locations.len()));
            }
            descent.run(tree, &mut walks, &locations);
            nodes.extend(walks.iter().map(|walk| tree.node(walk, &locations, lines_of)));
        }
        nodes
    }

    proptest! {
        /// A node is the stack that leads to it, and no other node is; its sums are those of all stacks that begin so.
        #[test]
        fn nodes_are_stacks(
            lines in vec(0usize..4, 5),
            stacks in vec((vec(0u32..5, 0..6), -50..50i64, -50..50i64), 0..40),
            batch in 1usize..50,
        ) {
            let mut tree = Tree::new(1000);
            let mut expected: BTreeMap<Stack, [(i64, i64); 2]> = BTreeMap::new();
            let all: Vec<&[u32]> = stacks.iter().map(|(stack, ..)| &stack[..]).collect();
            let tops = nodes(&mut tree, &all, batch, &lines);
            for ((stack, first, second), node) in stacks.iter().zip(tops) {
                let node = node.unwrap();
                tree.count(node, &[*first, *second], 2, &mut || ());
                let calls = stack.iter().rev().flat_map(|&location| {
                    (0..lines[location as usize].max(1) as u32).rev().map(move |line| (location, line))
                });
                let calls: Vec<_> = calls.collect();
                prop_assert_eq!(node == NO, calls.is_empty());
                for length in 1..=calls.len() {
                    let sums = expected.entry(calls[..length].to_vec()).or_default();
                    for (sum, value) in sums.iter_mut().zip([first, second]) {
                        sum.0 += if length == calls.len() { *value } else { 0 };
                        sum.1 += value;
                    }
                }
            }
            let taken = tree.take(usize::MAX);
            let stack = |node: u32| {
                let up = |&node: &u32| Some(taken.parents[node as usize]).filter(|&node| node != NO);
                let nodes = std::iter::successors(Some(node), up);
                let call = |node: u32| taken.lines[node as usize];
                let mut calls: Vec<_> = nodes.map(call).collect();
                calls.reverse();
                calls
            };
            let nodes: BTreeMap<_, _> = (0..tree.len() as u32).map(|node| (stack(node), node)).collect();
            prop_assert_eq!(nodes.len(), tree.len());
            prop_assert!(nodes.keys().eq(expected.keys()));
            for (calls, &node) in &nodes {
                prop_assert_eq!(taken.depths[node as usize] as usize, calls.len() - 1);
            }
            let tree = Arc::new(tree);
            for value in 0..2 {
                let totals = Totals::new(tree.clone(), value, 2, || ());
                let sums: BTreeMap<_, _> = totals
                    .of(0..tree.len())
                    .into_iter()
                    .map(|sums| (sums.node, (sums.own, sums.total)))
                    .collect();
                for (calls, expected) in &expected {
                    let found = sums.get(&nodes[calls]).copied().unwrap_or_default();
                    prop_assert_eq!(found, expected[value]);
                }
            }
        }

        /// Stacks that go side by side lead to the nodes that they lead to one by one, also where nodes run out.
        #[test]
        fn batches_make_no_difference(
            lines in vec(0usize..4, 5),
            stacks in vec(vec(0u32..5, 0..9), 0..60),
            batch in 2usize..70,
            most in 0usize..200,
        ) {
            let stacks: Vec<&[u32]> = stacks.iter().map(|stack| &stack[..]).collect();
            let [one, several] = [1, batch].map(|batch| {
                let mut tree = Tree { most, ..Tree::default() };
                let tops = nodes(&mut tree, &stacks, batch, &lines);
                (tops, tree.take(usize::MAX))
            });
            prop_assert_eq!(one, several);
        }
    }

    #[test]
    fn a_small_file_has_few_nodes() {
        let mut tree = Tree::new(1000);
        assert_eq!(nodes(&mut tree, &[&[0; 400]], 1, &[200, 1]), [None]);
        assert!(tree.len() <= (1 << 16) + 500);
        // What is there can still be used.
        assert_eq!(nodes(&mut tree, &[&[0], &[0]], 2, &[200, 1]), [Some(199); 2]);
    }
}
