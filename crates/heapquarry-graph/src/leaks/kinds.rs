//! Which nodes are a program's own, which belong to the engine, and which are mere storage.

use super::words::{Word, Words};
use crate::{Dominators, Heap, NodeIndex, NodeType};
use std::ops::Deref;

/// No node.
pub(super) const NOBODY: NodeIndex = NodeIndex::NONE;

/// What a program made: objects, functions, strings, the variables of functions.
const VISIBLE: u8 = 1;
/// Code, maps, templates: they pay nobody, and what hangs from them is the engine's.
const ENGINE: u8 = 2;
const STRING: u8 = 4;
const FUNCTION: u8 = 8;
/// The variables of a function.
const SCOPE: u8 = 16;
/// An object that is no scope.
const OBJECT: u8 = 32;
/// Between it and its nearest visible dominator stands a node of the engine.
const VIA_ENGINE: u8 = 64;
/// It shares the place of something like it above it.
const FOLDED: u8 = 128;

/// What each node is. What is neither visible nor the engine's is storage: elements, hash tables, C++ parts.
/// An index has their flags in its file.
#[derive(Clone, Debug)]
pub(crate) struct Kinds<F = Vec<u8>> {
    /// Flags of each node.
    pub(crate) of: F,
}

impl Kinds {
    pub(crate) fn new(heap: &Heap, words: &Words, threads: usize) -> Self {
        let by_type: Vec<u8> = heap.nodes.type_names.iter().map(|name| of_type(name)).collect();
        let parts = heap.by_nodes(threads, |nodes| {
            let of = |node: NodeIndex| {
                let number = usize::from(heap.nodes.types[node.position()]);
                of_node(heap, words, node, by_type.get(number).copied().unwrap_or(0))
            };
            NodeIndex::each(nodes).map(of).collect::<Vec<_>>()
        });
        Kinds { of: parts.concat() }
    }
}

impl<F: Deref<Target = [u8]>> Kinds<F> {
    #[inline]
    fn has(&self, node: NodeIndex, flag: u8) -> bool {
        self.of[node.position()] & flag != 0
    }

    #[inline]
    pub(crate) fn is_visible(&self, node: NodeIndex) -> bool {
        self.has(node, VISIBLE)
    }

    #[inline]
    pub(super) fn is_engine(&self, node: NodeIndex) -> bool {
        self.has(node, ENGINE)
    }

    #[inline]
    pub(super) fn is_string(&self, node: NodeIndex) -> bool {
        self.has(node, STRING)
    }

    #[inline]
    pub(super) fn is_function(&self, node: NodeIndex) -> bool {
        self.has(node, FUNCTION)
    }

    #[inline]
    pub(crate) fn is_scope(&self, node: NodeIndex) -> bool {
        self.has(node, SCOPE)
    }

    #[inline]
    pub(super) fn is_object(&self, node: NodeIndex) -> bool {
        self.has(node, OBJECT)
    }

    #[inline]
    pub(super) fn is_via_engine(&self, node: NodeIndex) -> bool {
        self.has(node, VIA_ENGINE)
    }

    #[inline]
    pub(super) fn is_folded(&self, node: NodeIndex) -> bool {
        self.has(node, FOLDED)
    }
}

impl Kinds {
    #[inline]
    pub(super) fn fold(&mut self, node: NodeIndex) {
        self.of[node.position()] |= FOLDED;
    }

    /// The nearest visible dominator of each node, [`NOBODY`] where there is none.
    pub(super) fn visible_dominators(&mut self, dominators: Dominators) -> Vec<NodeIndex> {
        /// No position.
        const NONE: u32 = u32::MAX;
        let Dominators { order, mut parents } = dominators;
        let mut nearest = vec![NOBODY; order.len()];
        // A dominator stands before what it dominates, so its own nearest is known; it is kept in its place.
        for at in 0..order.len() {
            let parent = parents[at] as usize;
            if parent == at {
                parents[at] = NONE;
                continue;
            }
            let holder = self.of[order[parent].position()];
            let node = order[at].position();
            if holder & VISIBLE != 0 {
                parents[at] = parent as u32;
            } else {
                parents[at] = parents[parent];
                if holder & (ENGINE | VIA_ENGINE) != 0 {
                    self.of[node] |= VIA_ENGINE;
                }
            }
            if parents[at] != NONE {
                nearest[node] = order[parents[at] as usize];
            }
        }
        nearest
    }
}

fn of_type(name: &str) -> u8 {
    match NodeType::by_name(name) {
        NodeType::Object => VISIBLE | OBJECT,
        NodeType::Closure => VISIBLE | FUNCTION,
        NodeType::RegExp | NodeType::Native => VISIBLE,
        NodeType::String | NodeType::ConsString | NodeType::SlicedString => VISIBLE | STRING,
        NodeType::Code => ENGINE,
        NodeType::Hidden | NodeType::Array | NodeType::Synthetic => 0,
        NodeType::Other => match name {
            "number" | "symbol" | "bigint" | "wasm object" => VISIBLE,
            "object shape" => ENGINE,
            _ => 0,
        },
    }
}

fn of_node(heap: &Heap, words: &Words, node: NodeIndex, flags: u8) -> u8 {
    if flags & (STRING | FUNCTION | ENGINE) != 0 {
        return flags;
    }
    let kind = heap.nodes.kind(node);
    match (kind, words.get(heap.nodes.name_id(node))) {
        (NodeType::Hidden, Word::Engine) => ENGINE,
        (_, Word::Scope) if flags & VISIBLE != 0 => VISIBLE | SCOPE,
        (_, Word::Engine | Word::Bookkeeping | Word::Oddball | Word::System) => 0,
        (NodeType::Native, _) if is_cpp(heap.node_name(node)) => 0,
        _ => flags,
    }
}

/// Parts of the embedder: `blink::HeapVectorBacking<…>`, `Node / Environment`.
fn is_cpp(name: &str) -> bool {
    name.starts_with("Node / ") || name.contains("::")
}
