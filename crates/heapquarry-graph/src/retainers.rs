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

/// For each node where its incoming edges begin, and the number of edges; the edges of all nodes. `narrow` and `wide`
/// turn positions into numbers and back.
fn reversed<N: Copy + Default>(
    heap: &Heap,
    narrow: impl Fn(usize) -> N,
    wide: impl Fn(N) -> usize,
) -> [Vec<N>; 2] {
    let edges = heap.edges();
    let is_edge = |edge: &usize| edges.kind(*edge) != EdgeType::Missing;
    let mut starts = vec![N::default(); heap.nodes().len() + 1];
    for edge in (0..edges.len()).filter(is_edge) {
        let count = &mut starts[edges.target(edge).position()];
        *count = narrow(wide(*count) + 1);
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += wide(*start);
        *start = narrow(sum);
    }
    let mut from = vec![N::default(); sum];
    // Each start moves from the end of its edges to their beginning.
    for edge in (0..edges.len()).rev().filter(is_edge) {
        let start = &mut starts[edges.target(edge).position()];
        *start = narrow(wide(*start) - 1);
        from[wide(*start)] = narrow(edge);
    }
    [starts, from]
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
        // Nothing is made wider first: that would take as much memory again.
        if u32::try_from(heap.edges().len()).is_ok() {
            let [starts, edges] = reversed(heap, |at| at as u32, |at| at as usize);
            Retainers { starts: Packed::Narrow(starts).into(), edges: Packed::Narrow(edges).into() }
        } else {
            let [starts, edges] = reversed(heap, |at| at as u64, |at| at as usize);
            Retainers { starts: Packed::Wide(starts).into(), edges: Packed::Wide(edges).into() }
        }
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
        edges.with_owners(self.shown(heap, node)).map(|(node, edge)| Retainer { node, edge })
    }

    /// Number of retainers that DevTools' view shows. Whose the references are is not looked for.
    pub fn view_count(&self, heap: &Heap, node: NodeIndex) -> usize {
        self.shown(heap, node).count()
    }

    /// The references of [`view`](Self::view).
    fn shown<'a>(&'a self, heap: &'a Heap, node: NodeIndex) -> impl Iterator<Item = usize> + 'a {
        let edges = heap.edges();
        let of_root = edges.of(heap.root());
        let is_shown = move |edge: &usize| {
            edges.is_strong(*edge)
                && edges.kind(*edge) != EdgeType::Invisible
                && !of_root.contains(edge)
        };
        self.of(node).filter(is_shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;

    #[test]
    fn each_edge_is_in_the_list_of_its_target_whatever_the_width_of_numbers() {
        let mut builder = HeapBuilder::new();
        let nodes: Vec<NodeIndex> = (0..9).map(|_| builder.node("object", "Foo", 8)).collect();
        for (from, to) in [(0, 1), (0, 2), (1, 2), (2, 1), (2, 2), (5, 0), (8, 2), (8, 8)] {
            builder.edge(nodes[from], EdgeType::Property, "x", nodes[to]);
        }
        let heap = builder.build();
        let retainers = Retainers::new(&heap);
        for &node in &nodes {
            let edges = heap.edges();
            let naive: Vec<usize> =
                (0..edges.len()).filter(|&edge| edges.target(edge) == node).collect();
            assert_eq!(retainers.of(node).collect::<Vec<_>>(), naive, "{node}");
            let shown = retainers.view(&heap, node).count();
            assert_eq!(retainers.view_count(&heap, node), shown, "{node}");
        }
        let narrow = reversed(&heap, |at| at as u32, |at| at as usize);
        let wide = reversed(&heap, |at| at as u64, |at| at as usize);
        assert_eq!(narrow.map(|list| list.into_iter().map(u64::from).collect::<Vec<_>>()), wide);
    }
}
