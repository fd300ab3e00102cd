//! By what a node is held: the best of the references from its nearest visible dominator, or from that one's storage.

use super::{
    kinds::{Kinds, NOBODY},
    names::is_global,
    words::{Word, Words},
};
use crate::{
    EdgeType, Heap, NodeIndex, StringIndex,
    edges::{EdgeType::*, PAIR, TYPE},
};
use heapquarry_base::threads;
use std::cmp::Ordering;

/// An object with so many properties is a dictionary: its values are elements of a collection.
pub(super) const DICTIONARY: usize = 60;

/// How a node is held, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Rank {
    /// By a property or a variable, of that name.
    Named,
    /// By an element, or by a key of a dictionary.
    Member,
    /// By an internal reference, of that name.
    Internal,
    /// By storage: an entry of a Map or Set.
    Stored,
    Prototype,
    /// By what belongs to the engine.
    Engine,
    /// By none of them: more than one holds it.
    Shared,
}

/// The best reference to each node.
pub(super) struct Labels {
    ranks: Vec<Rank>,
    names: Vec<StringIndex>,
}

/// For ranks that have no name.
const NO_NAME: StringIndex = StringIndex(0);

/// Stands for the names by which values of WeakMaps are held: they carry ids.
pub(super) const WEAK_VALUE: StringIndex = StringIndex(u32::MAX - 1);

impl Labels {
    #[inline]
    pub(super) fn get(&self, node: NodeIndex) -> (Rank, StringIndex) {
        (self.ranks[node.position()], self.names[node.position()])
    }

    /// Each thread reads all edges and takes those to its part of the nodes.
    pub(super) fn new(
        heap: &Heap,
        words: &Words,
        kinds: &Kinds,
        holders: &[NodeIndex],
        threads: usize,
    ) -> Self {
        let nodes = heap.nodes.len();
        let mut ranks = vec![Rank::Shared; nodes];
        let mut names = StringIndex::zeroed(nodes);
        // More threads would do little but read.
        let parts: Vec<_> = {
            let (mut ranks, mut names) = (ranks.as_mut_slice(), names.as_mut_slice());
            threads::bounds(nodes, threads.min(4))
                .map(|range| {
                    let (my_ranks, rest) = std::mem::take(&mut ranks).split_at_mut(range.len());
                    ranks = rest;
                    let (my_names, rest) = std::mem::take(&mut names).split_at_mut(range.len());
                    names = rest;
                    Part { first: range.start, ranks: my_ranks, names: my_names }
                })
                .collect()
        };
        threads::each(parts, |mut part| part.sweep(heap, words, kinds, holders));
        Labels { ranks, names }
    }
}

struct Part<'a> {
    first: usize,
    ranks: &'a mut [Rank],
    names: &'a mut [StringIndex],
}

impl Part<'_> {
    fn sweep(&mut self, heap: &Heap, words: &Words, kinds: &Kinds, holders: &[NodeIndex]) {
        let edges = heap.edges();
        let mine = self.ranks.len();
        for node in heap.nodes().all() {
            let is_visible = kinds.is_visible(node);
            let holder = if is_visible { node } else { holders[node.position()] };
            if holder == NOBODY {
                continue;
            }
            let stored = match kinds.is_engine(node) || kinds.is_via_engine(node) {
                true => Rank::Engine,
                false => Rank::Stored,
            };
            let range = edges.of(node);
            let property = match is_visible && is_dictionary(heap, kinds, node) {
                true => Rank::Member,
                false => Rank::Named,
            };
            let targets = edges.targets[range.clone()].iter().zip(range);
            for (&target, edge) in targets {
                let at = target.position().wrapping_sub(self.first);
                if at >= mine || holders[target.position()] != holder || !kinds.is_visible(target) {
                    continue;
                }
                let kind = edges.kinds[edge];
                if !counts(kind) {
                    continue;
                }
                let name = edges.string(edge);
                let (rank, name) =
                    if is_visible { by(kind, name, words, property) } else { (stored, NO_NAME) };
                self.offer(at, rank, name, heap);
            }
        }
    }

    #[inline]
    fn offer(&mut self, at: usize, rank: Rank, name: StringIndex, heap: &Heap) {
        let order = rank.cmp(&self.ranks[at]).then_with(|| {
            let known = self.names[at];
            if name == known { Ordering::Equal } else { text(heap, name).cmp(text(heap, known)) }
        });
        if order.is_lt() {
            self.ranks[at] = rank;
            self.names[at] = name;
        }
    }
}

fn text(heap: &Heap, name: StringIndex) -> &str {
    if name == WEAK_VALUE { "(WeakMap value)" } else { heap.strings().get(name) }
}

/// How an edge of a visible node holds.
#[inline]
fn by(kind: u8, name: StringIndex, words: &Words, property: Rank) -> (Rank, StringIndex) {
    match kind & TYPE {
        t if t == Property as u8 && words.get(name) == Word::Proto => (Rank::Prototype, NO_NAME),
        t if t == Property as u8 => match property {
            Rank::Named => (Rank::Named, name),
            rank => (rank, NO_NAME),
        },
        t if t == Context as u8 => (Rank::Named, name),
        t if t == Element as u8 || t == Hidden as u8 => (Rank::Member, NO_NAME),
        _ if kind & PAIR != 0 => (Rank::Internal, WEAK_VALUE),
        // JavaScriptCore names no internal references.
        _ if name == StringIndex::NONE => (Rank::Stored, NO_NAME),
        _ => (Rank::Internal, name),
    }
}

/// Whether an edge means anything here: weak ones and shortcuts do not.
#[inline]
pub(super) fn counts(kind: u8) -> bool {
    kind & TYPE < EdgeType::Weak as u8 && kind & TYPE != EdgeType::Shortcut as u8
}

/// Whether an object has so many properties that they are entries. Those of a global object are variables.
#[inline]
pub(super) fn is_dictionary(heap: &Heap, kinds: &Kinds, node: NodeIndex) -> bool {
    kinds.is_object(node)
        && heap.edges().of(node).len() >= DICTIONARY
        && properties(heap, node) >= DICTIONARY
        && !is_global(heap, kinds, node)
}

/// How many properties a node has.
#[inline]
pub(super) fn properties(heap: &Heap, node: NodeIndex) -> usize {
    let kinds = &heap.edges().kinds[heap.edges().of(node)];
    kinds.iter().filter(|&&kind| kind & TYPE == Property as u8).count()
}
