//! The edges as flat arrays, grouped by owner: compressed sparse rows.

use crate::{Column, EdgeNames, NodeIndex, Packed, PackedColumn, StringIndex};
use std::ops::Range;

/// Kind of reference, whatever its number and position in the file's enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EdgeType {
    /// A variable of a closure.
    Context,
    /// An element of an array, by its index.
    Element,
    /// A property, by its name.
    Property,
    /// An internal reference of the engine, by a name.
    Internal,
    /// An internal reference of the engine, by a number.
    Hidden,
    /// A shortcut that the engine adds; from the root, a global object.
    Shortcut,
    /// An invisible edge, which only DevTools uses.
    Invisible,
    /// A type that this list does not name. It keeps its target alive.
    Other,
    /// A weak reference: it does not keep its target alive.
    Weak,
    /// Not an edge: the file has no such target.
    Missing,
}

impl EdgeType {
    pub(crate) const ALL: [EdgeType; 10] = [
        EdgeType::Context,
        EdgeType::Element,
        EdgeType::Property,
        EdgeType::Internal,
        EdgeType::Hidden,
        EdgeType::Shortcut,
        EdgeType::Invisible,
        EdgeType::Other,
        EdgeType::Weak,
        EdgeType::Missing,
    ];

    /// The type of that name in `meta.edge_types`.
    pub fn by_name(name: &str) -> Self {
        let named = Self::ALL.into_iter().find(|kind| kind.name() == name);
        named.filter(|kind| *kind != EdgeType::Missing).unwrap_or(EdgeType::Other)
    }

    /// The name, as V8 writes it.
    pub fn name(self) -> &'static str {
        match self {
            EdgeType::Context => "context",
            EdgeType::Element => "element",
            EdgeType::Property => "property",
            EdgeType::Internal => "internal",
            EdgeType::Hidden => "hidden",
            EdgeType::Shortcut => "shortcut",
            EdgeType::Invisible => "invisible",
            EdgeType::Other => "other",
            EdgeType::Weak => "weak",
            EdgeType::Missing => "missing",
        }
    }
}

/// Bits of an edge's kind: its type.
pub(crate) const TYPE: u8 = 0x0F;
/// It belongs to a pair of edges through which a WeakMap holds a value.
pub(crate) const PAIR: u8 = 0x10;
/// It is the edge of the pair that comes from the map's table. It does not hold the value, as the one from the key is
/// more precise, unless they are [exchanged](crate::heap::Exchanged).
pub(crate) const SPARE: u8 = 0x20;
/// Distances ignore it.
pub(crate) const NOT_FOLLOWED: u8 = 0x40;

/// Whether an edge of this kind keeps its target alive.
#[inline]
pub(crate) fn is_strong(kind: u8) -> bool {
    kind & TYPE < EdgeType::Weak as u8
}

/// Whether an edge of this kind holds its target: strong, and not the spare one of a pair.
#[inline]
pub(crate) fn holds(kind: u8) -> bool {
    kind & (TYPE | SPARE) < EdgeType::Weak as u8
}

/// Name of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeName<'a> {
    /// A name, of a property or variable.
    Text(&'a str),
    /// An index, of an element of an array.
    Index(u32),
}

impl std::fmt::Display for EdgeName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EdgeName::Text(text) => f.write_str(text),
            EdgeName::Index(index) => index.fmt(f),
        }
    }
}

/// The edges of a heap, numbered in file order, which groups them by owner.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// The first edge of each node, and the number of edges.
    pub(crate) starts: PackedColumn,
    /// Type and flags.
    pub(crate) kinds: Column<u8>,
    /// Index of a string or of an element; empty after [`analyze_in_place`](crate::analyze_in_place).
    pub(crate) names: EdgeNames,
    /// The node that each points to.
    pub(crate) targets: Column<NodeIndex>,
    /// A bit for each [`EdgeType`]: its edges have an index instead of a name.
    pub(crate) numbered: u16,
}

impl Edges {
    /// Number of edges.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The range of edges that start at a node.
    #[inline(always)]
    pub fn of(&self, node: NodeIndex) -> Range<usize> {
        let node = node.position();
        // The end first: then it is known that there is a start, too.
        match &self.starts {
            Packed::Narrow(starts) => {
                let end = starts[node + 1] as usize;
                starts[node] as usize..end
            }
            Packed::Wide(starts) => {
                let end = starts[node + 1] as usize;
                starts[node] as usize..end
            }
        }
    }

    /// The target of an edge; meaningless for [`EdgeType::Missing`].
    #[inline]
    pub fn target(&self, edge: usize) -> NodeIndex {
        self.targets[edge]
    }

    /// The name of an edge that has one; meaningless for types that [have an index](Self::is_numbered).
    ///
    /// # Panics
    /// If there is no such edge.
    #[inline(always)]
    pub(crate) fn string(&self, edge: usize) -> StringIndex {
        StringIndex(self.names.at(edge))
    }

    /// The type of an edge.
    #[inline]
    pub fn kind(&self, edge: usize) -> EdgeType {
        EdgeType::ALL[usize::from(self.kinds[edge] & TYPE).min(EdgeType::ALL.len() - 1)]
    }

    /// Whether an edge keeps its target alive.
    pub fn is_strong(&self, edge: usize) -> bool {
        is_strong(self.kinds[edge])
    }

    /// Whether an edge is that of a WeakMap's table to a value, which the key holds by another edge.
    pub fn is_spare(&self, edge: usize) -> bool {
        self.kinds[edge] & SPARE != 0
    }

    /// Whether edges of a type have an index instead of a name.
    pub fn is_numbered(&self, kind: EdgeType) -> bool {
        self.numbered >> kind as u8 & 1 != 0
    }

    /// The node that an edge starts at.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn owner(&self, edge: usize) -> NodeIndex {
        assert!(edge < self.len(), "edge {edge} of {}", self.len());
        NodeIndex::at(self.owner_between(0, self.starts.len() - 1, edge as u64))
    }

    /// The nodes that edges in file order start at, beside them: each is looked for from the one before it on.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn with_owners<'a>(
        &'a self,
        edges: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = (NodeIndex, usize)> + 'a {
        let last = self.starts.len() - 1;
        let mut low = 0;
        edges.map(move |edge| {
            assert!(edge < self.len(), "edge {edge} of {}", self.len());
            let (at, mut step) = (edge as u64, 1);
            if self.starts.get(low) > at {
                low = 0;
            }
            while low + step < last && self.starts.get(low + step) <= at {
                low += step;
                step *= 2;
            }
            low = self.owner_between(low, last.min(low + step), at);
            (NodeIndex::at(low), edge)
        })
    }

    /// Prepares for many calls of [`owner`](Self::owner) in any order.
    pub(crate) fn owners(&self) -> Owners<'_> {
        let mut starts = Vec::with_capacity(self.len() / SAMPLED + 2);
        for node in 0..self.starts.len() - 1 {
            // Nodes whose first edge is before the next sample.
            let next = self.starts.get(node + 1) as usize;
            while starts.len() * SAMPLED < next {
                starts.push(node as u32);
            }
        }
        starts.push((self.starts.len() as u32).saturating_sub(2));
        Owners { edges: self, starts }
    }

    /// The last node whose first edge is not after one, from `low` on and before `high`.
    fn owner_between(&self, mut low: usize, mut high: usize, edge: u64) -> usize {
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.starts.get(middle) <= edge { low = middle } else { high = middle }
        }
        low
    }
}

/// Edges between two whose owners are kept.
const SAMPLED: usize = 256;

/// The owners of edges, found in a few steps.
#[derive(Debug)]
pub(crate) struct Owners<'a> {
    edges: &'a Edges,
    /// The owner of each [`SAMPLED`]th edge, and the last node.
    starts: Vec<u32>,
}

impl Owners<'_> {
    /// See [`Edges::owner`].
    pub(crate) fn of(&self, edge: usize) -> NodeIndex {
        assert!(edge < self.edges.len(), "edge {edge} of {}", self.edges.len());
        let [low, high] = [0, 1].map(|next| self.starts[edge / SAMPLED + next] as usize);
        NodeIndex::at(self.edges.owner_between(low, high + 1, edge as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;

    #[test]
    fn owners_are_found_whatever_lies_between() {
        // Edges of each node in turn: none, some, more than between two samples.
        for counts in [&[][..], &[0], &[0, 3], &[1, 0, 0, 2], &[700, 0, 0, 1, 255, 256, 0, 257, 0]]
        {
            let mut builder = HeapBuilder::new();
            let nodes: Vec<NodeIndex> =
                counts.iter().map(|_| builder.node("object", "Foo", 8)).collect();
            let mut expected = Vec::new();
            for (&node, &count) in nodes.iter().zip(counts) {
                for _ in 0..count {
                    builder.edge(node, EdgeType::Property, "x", nodes[0]);
                    expected.push(node);
                }
            }
            let heap = builder.build();
            let edges = heap.edges();
            let owners = edges.owners();
            for (edge, &owner) in expected.iter().enumerate() {
                assert_eq!((owners.of(edge), edges.owner(edge)), (owner, owner), "{counts:?}");
            }
        }
    }
}
