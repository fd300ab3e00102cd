//! Values that are kept: those of a property of a class.

use super::layout::NodeUse;
use crate::rules::Policy;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// Numbers of rules, by the index of a string that fits one of their patterns.
type Fits = HashMap<u32, Vec<usize>, FixedState>;

/// A node: the index of its name, and whether that is a value, perhaps of several parts.
#[derive(Clone, Copy)]
struct Node {
    name: u32,
    is_value: bool,
    has_parts: bool,
}

/// Which nodes have values that are kept.
#[derive(Default)]
pub(super) struct Kept {
    classes: Fits,
    properties: Fits,
    nodes: Vec<Node>,
    kept: HashSet<u32, FixedState>,
    /// Nodes that have parts, and nodes to which they refer.
    parts: Vec<(u32, u32)>,
}

impl Kept {
    /// Before all else: notes what patterns a string fits.
    pub(super) fn find(&mut self, string: u32, text: &str, policy: &Policy) {
        for (rule, [class, property]) in policy.kept_values.iter().enumerate() {
            for (pattern, fits) in [(class, &mut self.classes), (property, &mut self.properties)] {
                if pattern.is_match(text) {
                    fits.entry(string).or_default().push(rule);
                }
            }
        }
    }

    pub(super) fn add_node(&mut self, name: u32, of: NodeUse, has_parts: bool) {
        self.nodes.push(Node { name, is_value: of == NodeUse::Value, has_parts });
    }

    /// An edge of a node, which has a number from 1; `name` is the index of its name if it has one.
    pub(super) fn add_edge(&mut self, owner: u32, name: Option<u32>, to: u32) {
        let Some(owner) = owner.checked_sub(1) else { return };
        let Some(&from) = self.nodes.get(owner as usize) else { return };
        let is_one = |to: u32| self.nodes.get(to as usize).is_some_and(|node| node.is_value);
        let fits = |name| {
            let properties = self.properties.get(&name)?;
            let classes = self.classes.get(&from.name)?;
            Some(properties.iter().any(|rule| classes.contains(rule)))
        };
        if from.has_parts && is_one(to) {
            self.parts.push((owner, to));
        } else if !from.is_value && name.and_then(fits) == Some(true) && is_one(to) {
            self.kept.insert(to);
        }
    }

    /// After the last edge: of a value that is kept, all parts are.
    pub(super) fn add_parts(&mut self) {
        self.parts.sort_unstable();
        let mut next: Vec<_> = self.kept.iter().copied().collect();
        while let Some(node) = next.pop() {
            let first = self.parts.partition_point(|(owner, _)| *owner < node);
            let parts = self.parts[first..].iter().take_while(|(owner, _)| *owner == node);
            next.extend(parts.map(|(_, part)| *part).filter(|part| self.kept.insert(*part)));
        }
        self.parts = Vec::new();
    }

    /// Whether the value of a node is kept.
    pub(super) fn has(&self, node: u64) -> bool {
        u32::try_from(node).is_ok_and(|node| self.kept.contains(&node))
    }

    /// The indices of values, and whether each is kept.
    pub(super) fn values(&self) -> impl Iterator<Item = (u32, bool)> {
        let nodes = self.nodes.iter().enumerate().filter(|(_, node)| node.is_value);
        nodes.map(|(at, node)| (node.name, self.has(at as u64)))
    }
}
