//! The call tree of all stacks, and sums over its nodes.

use super::symbols::{NO, Symbols};
use crate::{Log, profile::add};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::{hash::BuildHasher, ops::Range};

/// Memory of a node in bytes, about: what is known of it, and the totals of one type of values.
const PER_NODE: usize = size_of::<Node>() + 12 + 9;

/// What a walk down the tree reads of a node, in one place: it waits for memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The innermost node of the location that calls that of this one, or [`NO`].
    caller: u32,
    /// Position of the location.
    pub(super) location: u32,
    /// The innermost node of the location that it called first, or [`NO`]. Most nodes call nothing else.
    first: u32,
    /// Position of its sums, or [`NO`].
    place: u32,
}

/// A stack on its way down the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Walk {
    /// The node of the calls that were found so far, or [`NO`].
    node: u32,
    /// Where the others are in a list of locations, the innermost one first.
    left: Range<usize>,
}

impl Walk {
    /// Of the stack with these locations, the innermost one first.
    pub(super) fn new(locations: Range<usize>) -> Self {
        Walk { node: NO, left: locations }
    }
}

/// The call tree. Callers come before the calls that they make.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// The caller, or [`NO`].
    pub(super) parents: Vec<u32>,
    pub(super) depths: Vec<u32>,
    /// Position of the line in its location.
    pub(super) lines: Vec<u32>,
    /// The innermost nodes of other locations below a node, and of those at the bottom of stacks.
    others: HashTable<u32>,
    hasher: RandomState,
    /// Positions of walks that may go on.
    walking: Vec<u32>,
    /// Sums of values over the samples with a node at the top: as many as there are types, for each place.
    sums: Vec<i64>,
    /// Most nodes and sums. A location with a thousand lines in a stack of a thousand calls is a million nodes, but
    /// takes three thousand bytes.
    most: usize,
}

impl Tree {
    /// Of a profile of that many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        // Real profiles have far less than one node in ten bytes.
        let most = (bytes / 2).saturating_add(1 << 16).min(u64::from(NO) - 1);
        Tree { most: most as usize, ..Tree::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Memory that it takes, in bytes, about: with the totals of a type of values.
    pub(super) fn memory(&self) -> u64 {
        let others = 8 * (self.others.len() + self.sums.len());
        (PER_NODE * self.len() + others) as u64
    }

    /// Lets stacks go down the tree as far as it has their calls. They go call by call side by side: one would wait for
    /// memory at each call.
    pub(super) fn descend(&mut self, walks: &mut [Walk], locations: &[u32]) {
        let mut walking = std::mem::take(&mut self.walking);
        walking.extend(0..walks.len() as u32);
        while !walking.is_empty() {
            walking.retain(|&walk| self.step(&mut walks[walk as usize], locations));
        }
        self.walking = walking;
    }

    /// Takes the next call of a stack. Returns whether there is one that the tree has.
    #[inline]
    fn step(&self, walk: &mut Walk, locations: &[u32]) -> bool {
        let Some(&location) = locations[walk.left.clone()].last() else { return false };
        let Some(called) = self.called(walk.node, location) else { return false };
        walk.node = called;
        walk.left.end -= 1;
        true
    }

    /// The innermost node of a location below a node.
    #[inline]
    fn called(&self, caller: u32, location: u32) -> Option<u32> {
        let first = self.nodes.get(caller as usize).map_or(NO, |caller| caller.first);
        if self.nodes.get(first as usize).is_some_and(|first| first.location == location) {
            return Some(first);
        }
        let is_it = |&node: &u32| {
            let node = &self.nodes[node as usize];
            (node.caller, node.location) == (caller, location)
        };
        self.others.find(self.hash(caller, location), is_it).copied()
    }

    #[inline]
    fn hash(&self, caller: u32, location: u32) -> u64 {
        self.hasher.hash_one(u64::from(caller) << 32 | u64::from(location))
    }

    /// The node of a stack of locations; [`NO`] if it is empty. Adds what the tree does not have. `None` if there are
    /// too many nodes.
    #[inline]
    pub(super) fn stack(
        &mut self,
        walk: &mut Walk,
        locations: &[u32],
        symbols: &Symbols,
    ) -> Option<u32> {
        // Stacks that went down beside this one may have added some of its calls.
        while self.step(walk, locations) {}
        let mut node = walk.node;
        for &location in locations[walk.left.clone()].iter().rev() {
            node = self.add(node, location, symbols)?;
        }
        Some(node)
    }

    /// Adds the lines of a location below a node, the outermost one first.
    fn add(&mut self, caller: u32, location: u32, symbols: &Symbols) -> Option<u32> {
        let lines = symbols.lines_of(location as usize).len().max(1);
        if self.len().checked_add(lines)? > self.most {
            return None;
        }
        let mut node = caller;
        for line in (0..lines as u32).rev() {
            let depth = if node == NO { 0 } else { self.depths[node as usize] + 1 };
            self.nodes.push(Node { caller, location, first: NO, place: NO });
            self.parents.push(node);
            self.depths.push(depth);
            self.lines.push(line);
            node = self.len() as u32 - 1;
        }
        match self.nodes.get_mut(caller as usize) {
            Some(caller) if caller.first == NO => caller.first = node,
            _ => {
                let Tree { nodes, others, hasher, .. } = self;
                let hash = |&node: &u32| {
                    let Node { caller, location, .. } = nodes[node as usize];
                    hasher.hash_one(u64::from(caller) << 32 | u64::from(location))
                };
                others.insert_unique(hash(&node), node, hash);
            }
        }
        Some(node)
    }

    /// Adds the values of a sample to the sums of its node.
    #[inline]
    pub(super) fn count(&mut self, node: u32, values: &[i64], types: usize, log: &mut Log) {
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
            add(sum, value, "self_value", log);
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

    /// All samples have been counted.
    pub(super) fn end(&mut self) {
        self.others = HashTable::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ByteOffset,
        pprof::{
            totals::Totals,
            wire::{Field, Value},
        },
    };
    use proptest::{collection::vec, prelude::*};
    use std::{collections::BTreeMap, sync::Arc};

    /// Locations and lines, the outermost first.
    type Stack = Vec<(u32, u32)>;

    /// Locations with these numbers of lines.
    fn symbols(lines: &[usize]) -> Symbols {
        let (mut symbols, at) = (Symbols::default(), ByteOffset::START);
        for (id, &lines) in lines.iter().enumerate() {
            let mut message = vec![0x08, id as u8 + 1];
            (0..lines).for_each(|line| message.extend([0x22, 2, 0x10, line as u8 % 100]));
            let field = Field { at, end: at, number: 4, value: Value::Bytes(&message) };
            symbols.take(field, &mut Log::default());
        }
        symbols
    }

    /// Takes stacks into the tree, this many side by side. Returns their nodes.
    fn nodes(
        tree: &mut Tree,
        stacks: &[&[u32]],
        batch: usize,
        symbols: &Symbols,
    ) -> Vec<Option<u32>> {
        let mut nodes = Vec::new();
        for stacks in stacks.chunks(batch) {
            let (mut walks, mut locations) = (Vec::new(), Vec::new());
            for stack in stacks {
                let start = locations.len();
                locations.extend_from_slice(stack);
                walks.push(Walk::new(start..locations.len()));
            }
            tree.descend(&mut walks, &locations);
            nodes.extend(walks.iter_mut().map(|walk| tree.stack(walk, &locations, symbols)));
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
            let symbols = symbols(&lines);
            let mut tree = Tree::new(1000);
            let mut expected: BTreeMap<Stack, [(i64, i64); 2]> = BTreeMap::new();
            let all: Vec<&[u32]> = stacks.iter().map(|(stack, ..)| &stack[..]).collect();
            let tops = nodes(&mut tree, &all, batch, &symbols);
            for ((stack, first, second), node) in stacks.iter().zip(tops) {
                let node = node.unwrap();
                tree.count(node, &[*first, *second], 2, &mut Log::default());
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
            let stack = |node: u32| {
                let up = |&node: &u32| Some(tree.parents[node as usize]).filter(|&node| node != NO);
                let nodes = std::iter::successors(Some(node), up);
                let call = |node: u32| (tree.nodes[node as usize].location, tree.lines[node as usize]);
                let mut calls: Vec<_> = nodes.map(call).collect();
                calls.reverse();
                calls
            };
            let nodes: BTreeMap<_, _> = (0..tree.len() as u32).map(|node| (stack(node), node)).collect();
            prop_assert_eq!(nodes.len(), tree.len());
            prop_assert!(nodes.keys().eq(expected.keys()));
            for (calls, &node) in &nodes {
                prop_assert_eq!(tree.depths[node as usize] as usize, calls.len() - 1);
            }
            let tree = Arc::new(tree);
            for value in 0..2 {
                let totals = Totals::new(tree.clone(), value, 2, &mut Log::default());
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
            let symbols = symbols(&lines);
            let stacks: Vec<&[u32]> = stacks.iter().map(|stack| &stack[..]).collect();
            let [one, several] = [1, batch].map(|batch| {
                let mut tree = Tree { most, ..Tree::default() };
                let tops = nodes(&mut tree, &stacks, batch, &symbols);
                let locations: Vec<u32> = tree.nodes.iter().map(|node| node.location).collect();
                (tops, locations, tree.parents, tree.depths, tree.lines)
            });
            prop_assert_eq!(one, several);
        }
    }

    #[test]
    fn a_small_file_has_few_nodes() {
        let symbols = symbols(&[200, 1]);
        let mut tree = Tree::new(1000);
        assert_eq!(nodes(&mut tree, &[&[0; 400]], 1, &symbols), [None]);
        assert!(tree.len() <= (1 << 16) + 500);
        // What is there can still be used.
        assert_eq!(nodes(&mut tree, &[&[0], &[0]], 2, &symbols), [Some(199); 2]);
    }
}
