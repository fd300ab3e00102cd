//! The call tree of all stacks, and sums over it.

use super::symbols::{NO, Symbols};
use crate::HashMap;

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
    /// The innermost node of a location below a node.
    known: HashMap<(u32, u32), u32>,
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

    /// The node of a stack of locations, the innermost one first; [`NO`] if it is empty. `None` if there are too many
    /// nodes.
    #[inline]
    pub(super) fn stack(&mut self, locations: &[u32], symbols: &Symbols) -> Option<u32> {
        let outer = locations.iter().rev();
        let same = self.last.iter().zip(outer.clone()).take_while(|((a, _), b)| a == *b).count();
        self.last.truncate(same);
        let mut node = self.last.last().map_or(NO, |&(_, node)| node);
        for &location in outer.skip(same) {
            node = match self.known.get(&(node, location)) {
                Some(&known) => known,
                None => self.add(node, location, symbols)?,
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
            node = self.len() as u32 - 1;
        }
        self.known.insert((caller, location), node);
        Some(node)
    }

    /// Adds the values of a sample to the sums of its node.
    #[inline]
    pub(super) fn count(&mut self, node: u32, values: &[i64], types: usize) {
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
        sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum = sum.saturating_add(value));
    }

    /// All samples have been counted.
    pub(super) fn end(&mut self) {
        self.known = HashMap::default();
        self.last = Vec::new();
    }

    /// The nodes with any of the values of a type: node, its own sum, and the sum of all nodes below it too.
    pub(super) fn totals(&self, value: usize, types: usize) -> Vec<(u32, i64, i64)> {
        let own = |node: usize| match self.places[node] {
            NO => 0,
            place => self.sums[place as usize * types + value],
        };
        let mut totals: Vec<i64> = (0..self.len()).map(own).collect();
        // Of nodes with and without values below them; values can be negative, and add up to 0.
        let mut any: Vec<bool> = totals.iter().map(|&own| own != 0).collect();
        for node in (0..self.len()).rev() {
            if let Some(above) = totals.get(self.parents[node] as usize) {
                let parent = self.parents[node] as usize;
                totals[parent] = above.saturating_add(totals[node]);
                any[parent] |= any[node];
            }
        }
        let nodes = (0..self.len()).filter(|&node| any[node]);
        nodes.map(|node| (node as u32, own(node), totals[node])).collect()
    }
}
