//! Reversed edges.

use crate::{EdgeType, Heap, NodeIndex, Packed, PackedColumn};
use std::ops::Range;

/// A node that points to another, and the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retainer {
    /// The node that the edge starts at.
    pub node: NodeIndex,
    /// The edge.
    pub edge: usize,
}

/// The incoming edges of each node, including weak ones, in file order. DevTools: `buildRetainers`.
#[derive(Clone, Debug, Default)]
pub struct Retainers {
    pub(crate) starts: PackedColumn,
    pub(crate) edges: PackedColumn,
}

impl Retainers {
    /// Reverses the edges of a heap.
    pub fn new(heap: &Heap) -> Self {
        let edges = heap.edges();
        let is_edge = |edge: &usize| edges.kind(*edge) != EdgeType::Missing;
        let mut starts = vec![0u64; heap.nodes().len() + 1];
        for edge in (0..edges.len()).filter(is_edge) {
            starts[edges.target(edge).position()] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut from = if u32::try_from(edges.len()).is_ok() {
            Packed::Narrow(vec![0; sum as usize])
        } else {
            Packed::Wide(vec![0; sum as usize])
        };
        for edge in (0..edges.len()).rev().filter(is_edge) {
            let start = &mut starts[edges.target(edge).position()];
            *start -= 1;
            from.set(*start as usize, edge as u64);
        }
        Retainers { starts: starts.into_iter().collect(), edges: from.into() }
    }

    fn range(&self, node: NodeIndex) -> Range<usize> {
        let node = node.position();
        self.starts.get(node) as usize..self.starts.get(node + 1) as usize
    }

    /// Number of incoming edges of a node.
    pub fn count(&self, node: NodeIndex) -> usize {
        self.range(node).len()
    }

    /// The incoming edges of a node.
    pub fn of(&self, node: NodeIndex) -> impl Iterator<Item = usize> + '_ {
        self.range(node).map(|at| self.edges.get(at) as usize)
    }

    /// The retainers that DevTools' view shows: those that keep a node alive, without the root. DevTools:
    /// `retainingEdgesFilter`.
    pub fn view<'a>(
        &'a self,
        heap: &'a Heap,
        node: NodeIndex,
    ) -> impl Iterator<Item = Retainer> + 'a {
        let edges = heap.edges();
        let shown =
            |edge: &usize| edges.is_strong(*edge) && edges.kind(*edge) != EdgeType::Invisible;
        edges
            .with_owners(self.of(node).filter(shown))
            .map(|(node, edge)| Retainer { node, edge })
            .filter(|retainer| retainer.node != heap.root())
    }
}
