//! Owners of the engine's helper objects: storage of arrays, tables of properties and the like.

use crate::{
    Heap, NodeIndex, NodeType, Packed, PackedColumn, edges::is_strong, known::Role, roots,
};

/// No node reaches the helper.
const NO_OWNER: NodeIndex = NodeIndex::NONE;
/// Several nodes own the helper.
const MANY_OWNERS: NodeIndex = NodeIndex(NodeIndex::NONE.0 - 1);

/// Whether a node is a helper, which belongs to the only node that holds it.
fn is_helper(heap: &Heap, node: NodeIndex) -> bool {
    match heap.nodes().kind(node) {
        NodeType::Hidden | NodeType::Array => true,
        NodeType::Native => heap.role(node) == Role::ExternalStringData,
        _ => false,
    }
}

/// For each node, the owner of its memory: the node itself, or for a helper the only non-helper node that reaches it
/// through helpers; `None` if several or none do. DevTools: `calculateShallowSizes`.
pub fn owners(heap: &Heap) -> impl Iterator<Item = Option<NodeIndex>> {
    raw_owners(heap).into_iter().map(|owner| (owner < MANY_OWNERS).then_some(owner))
}

fn raw_owners(heap: &Heap) -> Vec<NodeIndex> {
    let edges = heap.edges();
    let nodes = heap.nodes().all();
    // Most edges lead to nodes that are not helpers: these bits fit into a cache, the owners do not.
    let mut helpers = heap.no_nodes();
    let first_owner = |node: NodeIndex| {
        if !is_helper(heap, node) {
            return node;
        }
        helpers.set(node);
        NO_OWNER
    };
    let mut owners: Vec<NodeIndex> = nodes.clone().map(first_owner).collect();
    // The order of the work does not change the result. A helper is visited at most twice: when it gets an owner, and
    // when it turns out to have several. Helpers are visited in file order, which is the order of the edges, except
    // those that come earlier in the file.
    let mut behind = Vec::new();
    for at in nodes {
        if owners[at.position()] == NO_OWNER {
            continue;
        }
        behind.push(at);
        while let Some(node) = behind.pop() {
            let owner = owners[node.position()];
            let range = edges.of(node);
            for (&kind, &target) in edges.kinds[range.clone()].iter().zip(&edges.targets[range]) {
                if !is_strong(kind) || !helpers.get(target) {
                    continue;
                }
                let known = &mut owners[target.position()];
                if *known == owner || *known == MANY_OWNERS {
                    continue;
                }
                *known = if *known == NO_OWNER { owner } else { MANY_OWNERS };
                if target <= at {
                    behind.push(target);
                }
            }
        }
    }
    owners
}

/// The size of each node in bytes, with the sizes of its helpers, which then have size 0. Memory of the root and of
/// grouping nodes is not moved; without a [user root](crate::user_roots), nothing is. DevTools:
/// `calculateShallowSizes`.
pub fn shallow_sizes(heap: &Heap) -> PackedColumn {
    with_helpers(heap, heap.nodes().self_sizes.clone())
}

/// The [shallow sizes](shallow_sizes) of the nodes, given their sizes in the file.
pub(crate) fn with_helpers(heap: &Heap, sizes: PackedColumn) -> PackedColumn {
    if !roots::has_user_root(heap) {
        return sizes;
    }
    let mut sizes = Packed::from(sizes);
    for (node, owner) in heap.nodes().all().zip(raw_owners(heap)) {
        if owner >= MANY_OWNERS
            || owner == node
            || owner == heap.root()
            || heap.nodes().kind(owner) == NodeType::Synthetic
        {
            continue;
        }
        let size = sizes.get(node.position());
        if size > 0 {
            sizes.set(node.position(), 0);
            sizes.set(owner.position(), sizes.get(owner.position()).saturating_add(size));
        }
    }
    sizes.into()
}
