//! The call tree of all stacks, and sums over it.

use super::symbols::{NO, Symbols};
use crate::{HashMap, Log, profile::add};

/// Sums of a type of values: of the samples with a node at the top, and of all nodes below it too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    pub(super) node: u32,
    pub(super) own: i64,
    pub(super) total: i64,
}

/// Memory of a node in bytes, about: what is known of it, and the sums of one type of values.
const PER_NODE: usize = 28 + 9 + size_of::<Sums>();

/// The call tree. Callers come before the calls that they make.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The caller, or [`NO`].
    pub(super) parents: Vec<u32>,
    pub(super) depths: Vec<u32>,
    /// Position of the location.
    pub(super) locations: Vec<u32>,
    /// Position of the line in its location.
    pub(super) lines: Vec<u32>,
    /// The location that each node called first, and its innermost node. Most nodes call nothing else.
    first: Vec<(u32, u32)>,
    /// The innermost nodes of other locations below a node, and of those at the bottom of stacks.
    others: HashMap<(u32, u32), u32>,
    /// The stack of the last sample, the outermost location first, with its innermost nodes.
    last: Vec<(u32, u32)>,
    /// Position of the sums of each node, or [`NO`].
    places: Vec<u32>,
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
        self.parents.len()
    }

    /// Memory that it takes, in bytes, about: with the sums of a type of values.
    pub(super) fn memory(&self) -> u64 {
        let others = 24 * self.others.len() + 8 * self.sums.len();
        (PER_NODE * self.len() + others) as u64
    }

    /// The node of a stack of locations, the innermost one first; [`NO`] if it is empty. `None` if there are too many
    /// nodes.
    #[inline]
    pub(super) fn stack(&mut self, locations: &[u32], symbols: &Symbols) -> Option<u32> {
        let outer = locations.iter().rev();
        let same = self.last.iter().zip(outer.clone()).take_while(|((a, _), b)| a == *b).count();
        self.last.truncate(same);
        let mut node = self.last.last().map_or(NO, |&(_, node)| node);
        for &location in outer.skip(same) {
            node = match self.first.get(node as usize) {
                Some(&(first, called)) if first == location => called,
                _ => match self.others.get(&(node, location)) {
                    Some(&called) => called,
                    None => self.add(node, location, symbols)?,
                },
            };
            self.last.push((location, node));
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
            self.parents.push(node);
            self.depths.push(depth);
            self.locations.push(location);
            self.lines.push(line);
            self.places.push(NO);
            self.first.push((NO, NO));
            node = self.len() as u32 - 1;
        }
        match self.first.get_mut(caller as usize) {
            Some(first) if first.1 == NO => *first = (location, node),
            _ => drop(self.others.insert((caller, location), node)),
        }
        Some(node)
    }

    /// Adds the values of a sample to the sums of its node.
    #[inline]
    pub(super) fn count(&mut self, node: u32, values: &[i64], types: usize, log: &mut Log) {
        let Some(place) = self.places.get_mut(node as usize) else { return };
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

    /// All samples have been counted.
    pub(super) fn end(&mut self) {
        self.first = Vec::new();
        self.others = HashMap::default();
        self.last = Vec::new();
    }

    /// The nodes that have, or call any that have, values of a type.
    pub(super) fn totals(&self, value: usize, types: usize, log: &mut Log) -> Vec<Sums> {
        let own = |node: usize| match self.places[node] {
            NO => 0,
            place => self.sums[place as usize * types + value],
        };
        let mut totals: Vec<i64> = (0..self.len()).map(own).collect();
        // Of nodes with and without values below them; values can be negative, and add up to 0.
        let mut any: Vec<bool> = totals.iter().map(|&own| own != 0).collect();
        for node in (0..self.len()).rev() {
            let (parent, total) = (self.parents[node] as usize, totals[node]);
            if let Some(above) = totals.get_mut(parent) {
                add(above, total, "total_value", log);
                any[parent] |= any[node];
            }
        }
        let nodes = (0..self.len()).filter(|&node| any[node]);
        let sums = |node: usize| Sums { node: node as u32, own: own(node), total: totals[node] };
        nodes.map(sums).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ByteOffset,
        pprof::wire::{Field, Value},
    };
    use proptest::{collection::vec, prelude::*};
    use std::collections::BTreeMap;

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

    proptest! {
        /// A node is the stack that leads to it, and no other node is; its sums are those of all stacks that begin so.
        #[test]
        fn nodes_are_stacks(
            lines in vec(0usize..4, 5),
            stacks in vec((vec(0u32..5, 0..6), -50..50i64, -50..50i64), 0..40),
        ) {
            let symbols = symbols(&lines);
            let mut tree = Tree::new(1000);
            let mut expected: BTreeMap<Stack, [(i64, i64); 2]> = BTreeMap::new();
            for (stack, first, second) in &stacks {
                let node = tree.stack(stack, &symbols).unwrap();
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
                let call = |node: u32| (tree.locations[node as usize], tree.lines[node as usize]);
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
            for value in 0..2 {
                let sums: BTreeMap<_, _> = tree
                    .totals(value, 2, &mut Log::default())
                    .into_iter()
                    .map(|sums| (sums.node, (sums.own, sums.total)))
                    .collect();
                for (calls, expected) in &expected {
                    let found = sums.get(&nodes[calls]).copied().unwrap_or_default();
                    prop_assert_eq!(found, expected[value]);
                }
            }
        }
    }

    #[test]
    fn a_small_file_has_few_nodes() {
        let symbols = symbols(&[200, 1]);
        let mut tree = Tree::new(1000);
        assert_eq!(tree.stack(&[0; 400], &symbols), None);
        assert!(tree.len() <= (1 << 16) + 500);
        // What is there can still be used.
        assert_eq!(tree.stack(&[0], &symbols), Some(199));
    }
}
