//! Whose the memory of the engine's own helpers is: storage of arrays, tables of properties and the like.

use crate::{Heap, NodeType, Packed, edges::is_strong, known::Role, roots};

/// The helper is reached from nowhere.
const NOBODY: u32 = u32::MAX;
/// The helper belongs to several.
const SEVERAL: u32 = u32::MAX - 1;

/// Whether a node belongs to whoever alone holds it.
fn is_helper(heap: &Heap, node: u32) -> bool {
    match heap.nodes().kind(node) {
        NodeType::Hidden | NodeType::Array => true,
        NodeType::Native => heap.role(node) == Role::ExternalStringData,
        _ => false,
    }
}

/// For each node the one that owns its memory: itself, or, for a helper, the only node that is no helper and reaches
/// it through helpers; `None` where several or none do. DevTools: `calculateShallowSizes`.
pub fn owners(heap: &Heap) -> impl Iterator<Item = Option<u32>> {
    raw_owners(heap).into_iter().map(|owner| (owner < SEVERAL).then_some(owner))
}

fn raw_owners(heap: &Heap) -> Vec<u32> {
    let edges = heap.edges();
    let nodes = 0..heap.nodes().len() as u32;
    // Most edges lead to nodes that are no helpers: these bits fit into a cache, the owners do not.
    let mut helpers = heap.no_nodes();
    let first_owner = |node: u32| {
        if !is_helper(heap, node) {
            return node;
        }
        helpers.set(node);
        NOBODY
    };
    let mut owners: Vec<u32> = nodes.clone().map(first_owner).collect();
    // The order of the work does not change the result. A helper comes twice at most: when it gets an owner, and when
    // it turns out to have several. It is done in file order, as the edges lie, but for helpers that are behind.
    let mut behind = Vec::new();
    for at in nodes {
        if owners[at as usize] == NOBODY {
            continue;
        }
        behind.push(at);
        while let Some(node) = behind.pop() {
            let owner = owners[node as usize];
            let range = edges.of(node);
            for (&kind, &target) in edges.kinds[range.clone()].iter().zip(&edges.targets[range]) {
                if !is_strong(kind) || !helpers.get(target) {
                    continue;
                }
                let known = &mut owners[target as usize];
                if *known == owner || *known == SEVERAL {
                    continue;
                }
                *known = if *known == NOBODY { owner } else { SEVERAL };
                if target <= at {
                    behind.push(target);
                }
            }
        }
    }
    owners
}

/// The size of each node with its helpers' in it, which have none left, in bytes. Memory of the root and of groups stays
/// where it is, and all of it does if there is no [user root](crate::user_roots). DevTools: `calculateShallowSizes`.
pub fn shallow_sizes(heap: &Heap) -> Packed {
    with_helpers(heap, heap.nodes().self_sizes.clone())
}

/// The same, given the sizes as they are in the file.
pub(crate) fn with_helpers(heap: &Heap, mut sizes: Packed) -> Packed {
    if !roots::has_user_root(heap) {
        return sizes;
    }
    for (node, owner) in raw_owners(heap).into_iter().enumerate() {
        if owner >= SEVERAL
            || owner == node as u32
            || owner == heap.root()
            || heap.nodes().kind(owner) == NodeType::Synthetic
        {
            continue;
        }
        let size = sizes.get(node);
        if size > 0 {
            sizes.set(node, 0);
            sizes.set(owner as usize, sizes.get(owner as usize).saturating_add(size));
        }
    }
    sizes
}
