//! The last snapshot, whose objects stand for the places in what is told.

use super::{
    classes::Classes,
    fold::Folded,
    kinds::{Kinds, NOBODY},
    texts::Texts,
    words::Words,
};
use crate::{
    EdgeName, EdgeType, HashMap, Heap, NodeIndex, Nodes,
    sources::{Unbound, unbound},
};

/// A class of so few letters was named by a minifier: that says nothing.
const MINIFIED: usize = 2;

/// Whether the name of a class says nothing.
pub(super) fn is_minified(class: &str) -> bool {
    class.chars().nth(MINIFIED).is_none()
}

/// The last snapshot, folded.
pub(super) struct Last<'a> {
    pub(super) heap: &'a Heap,
    pub(super) words: &'a Words,
    pub(super) kinds: &'a Kinds,
    pub(super) holders: &'a [NodeIndex],
    pub(super) class_of: &'a [u32],
    pub(super) births: &'a [u8],
    pub(super) folded: &'a Folded,
    pub(super) classes: &'a Classes,
    pub(super) texts: &'a Texts,
}

impl Last<'_> {
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        self.heap.nodes.all()
    }

    /// The visible nodes.
    pub(super) fn visible(&self) -> impl Iterator<Item = NodeIndex> {
        self.nodes().filter(|&node| self.kinds.is_visible(node))
    }

    /// The visible node that holds what the edges of a node lead to: the node itself, or its nearest visible dominator.
    /// `None` for nodes of the engine, and where there is no such dominator.
    #[inline]
    pub(super) fn edge_holder(&self, node: NodeIndex) -> Option<NodeIndex> {
        if self.kinds.is_visible(node) {
            return Some(node);
        }
        let holder = self.holders[node.position()];
        (!self.kinds.is_engine(node) && holder != NOBODY).then_some(holder)
    }

    /// The place of a visible node.
    #[inline]
    pub(super) fn place(&self, node: NodeIndex) -> u32 {
        self.folded.places[node.position()]
    }

    /// Whether the first snapshot has it.
    #[inline]
    pub(super) fn is_old(&self, node: NodeIndex) -> bool {
        self.births[node.position()] == 1
    }

    /// The node that contains another, by places.
    pub(super) fn container(&self, node: NodeIndex) -> Option<NodeIndex> {
        Some(self.folded.containers[node.position()]).filter(|&container| container != NOBODY)
    }

    /// What holds an object that joined the place of something above it: a part of a list or tree.
    pub(super) fn parent_of_folded(&self, node: NodeIndex) -> Option<NodeIndex> {
        let is_part = self.kinds.is_folded(node) && !self.kinds.is_string(node);
        let parent = self.holders[node.position()];
        (is_part && parent != NOBODY && !self.kinds.is_scope(parent)).then_some(parent)
    }

    pub(super) fn id(&self, node: NodeIndex) -> Option<i64> {
        Some(self.heap.nodes.id(node)).filter(|&id| id != Nodes::NO_ID)
    }

    /// How many members the wanted places have that the first snapshot has not.
    pub(super) fn new_members(&self, is_wanted: &[bool]) -> HashMap<u32, u64> {
        let mut counts = HashMap::default();
        for node in self.visible().filter(|&node| !self.is_old(node)) {
            let place = self.place(node);
            if is_wanted[place as usize] {
                *counts.entry(place).or_default() += 1;
            }
        }
        counts
    }

    /// The class of a node as people know it.
    pub(super) fn class_name(&self, node: NodeIndex) -> String {
        let name = self.heap.node_name(node);
        if self.kinds.is_function(node) {
            let Unbound { closure, binds, .. } = unbound(self.heap, node);
            let name = &*self.heap.called(closure);
            let name = if name.is_empty() { "(anonymous)" } else { name };
            return format!("{}{name}()", "bound ".repeat(binds));
        }
        if self.kinds.is_scope(node) {
            return "scope".into();
        }
        let class = self.classes.name(self.class_of[node.position()], self.texts);
        let class = class.unwrap_or(name);
        // A source map may know the place and no name for it.
        if let Some(original) = self.heap.original(node).filter(|original| original.name.is_some())
        {
            return original.beside(class).into();
        }
        let given = is_minified(class).then(|| self.given_name(node)).flatten();
        given.unwrap_or(class).into()
    }

    /// The name that a program gave to a class whose constructor has none that says anything: the constructor's own
    /// property `name`.
    fn given_name(&self, node: NodeIndex) -> Option<&str> {
        let prototype = self.property(node, "__proto__")?;
        let constructor = self.property(prototype, "constructor")?;
        let name = self.property(constructor, "name").filter(|&name| self.kinds.is_string(name))?;
        Some(self.heap.node_name(name)).filter(|name| !name.is_empty())
    }

    fn property(&self, node: NodeIndex, name: &str) -> Option<NodeIndex> {
        let edges = self.heap.edges();
        let is_it = |&edge: &usize| {
            edges.kind(edge) == EdgeType::Property
                && self.heap.edge_name(edge) == EdgeName::Text(name)
        };
        edges.of(node).find(is_it).map(|edge| edges.target(edge))
    }
}
