//! Sums of a type of values over the call tree.

use super::{Tree, add};
use std::{ops::Range, sync::Arc};

/// Sums of a type of values over the samples with a node anywhere in their stacks.
#[derive(Debug)]
pub struct Totals {
    tree: Arc<Tree>,
    /// Position of the type, and the number of types that are added up.
    value: usize,
    types: usize,
    totals: Vec<i64>,
    /// Whether a node has values, or any below it has: values can be negative, and add up to 0.
    any: Vec<bool>,
}

/// A node with its sums: of the samples with it at the top, and of all samples with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The node.
    pub node: u32,
    /// Of the samples with it at the top.
    pub own: i64,
    /// Of all samples with it.
    pub total: i64,
}

impl Totals {
    /// Of the type of values at a position, of as many types as [`Tree::count`] was given. `overflow` is called for
    /// each sum that does not fit 64 bits.
    pub fn new(tree: Arc<Tree>, value: usize, types: usize, mut overflow: impl FnMut()) -> Self {
        let own = |node: usize| tree.own(node, value, types);
        let mut totals: Vec<i64> = (0..tree.len()).map(own).collect();
        let mut any: Vec<bool> = totals.iter().map(|&own| own != 0).collect();
        for (node, &parent) in tree.parents.iter().enumerate().rev() {
            let (parent, total) = (parent as usize, totals[node]);
            if let Some(above) = totals.get_mut(parent) {
                add(above, total, &mut overflow);
                any[parent] |= any[node];
            }
        }
        Totals { tree, value, types, totals, any }
    }

    /// Position of the type.
    pub fn value(&self) -> usize {
        self.value
    }

    /// The nodes of the next rows, from this node on: as many as have this number of rows. `None` if no row is left.
    pub fn part(&self, from: usize, rows: usize) -> Option<Range<usize>> {
        let mut with = (from..self.any.len()).filter(|&node| self.any[node]).take(rows);
        let first = with.next()?;
        Some(first..with.last().unwrap_or(first) + 1)
    }

    /// The sums of those of these nodes that have values, or call any that have.
    pub fn of(&self, nodes: Range<usize>) -> Vec<Sums> {
        let own = |node: usize| self.tree.own(node, self.value, self.types);
        let sums =
            |node: usize| Sums { node: node as u32, own: own(node), total: self.totals[node] };
        nodes.filter(|&node| self.any[node]).map(sums).collect()
    }
}
