//! User roots, which the program itself holds: the targets of the root that are not grouping nodes.

use crate::{Heap, NodeIndex, NodeType, known::Role};

/// Whether a node that the root points to is a user root: a global object. DevTools: `JSHeapSnapshot.isUserRoot`.
fn is_user_root(heap: &Heap, node: NodeIndex) -> bool {
    heap.nodes().kind(node) != NodeType::Synthetic || is_dom_trees(heap, node)
}

/// DevTools: `isDocumentDOMTreesRoot`.
pub(crate) fn is_dom_trees(heap: &Heap, node: NodeIndex) -> bool {
    heap.nodes().kind(node) == NodeType::Synthetic && heap.role(node) == Role::DocumentDomTrees
}

/// The user roots, in the order of the root's edges; a node can occur more than once.
pub fn user_roots(heap: &Heap) -> Vec<NodeIndex> {
    if heap.nodes().is_empty() {
        return Vec::new();
    }
    let edges = heap.edges();
    let targets = edges
        .of(heap.root())
        .filter(|&edge| edges.kind(edge) != crate::EdgeType::Missing)
        .map(|edge| edges.target(edge));
    targets.filter(|&node| is_user_root(heap, node)).collect()
}

/// Whether there are any. Without them (snapshots with `exposeInternals`, from d8, of other engines), sizes are not
/// [attributed](crate::shallow_sizes) to owners.
pub fn has_user_root(heap: &Heap) -> bool {
    !user_roots(heap).is_empty()
}
