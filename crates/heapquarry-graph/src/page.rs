//! Which nodes belong to the page, and not only to a debugger that inspects it.

use crate::{Bits, EdgeType, Heap, edges::is_strong, roots};

/// All nodes that are reachable from a window or a DOM tree of the document. DevTools: `markPageOwnedNodes`.
pub fn page_owned(heap: &Heap) -> Bits {
    let mut owned = heap.no_nodes();
    if heap.nodes().is_empty() {
        return owned;
    }
    let edges = heap.edges();
    for edge in edges.of(heap.root()) {
        let target = edges.target(edge);
        let enters = match edges.kind(edge) {
            EdgeType::Shortcut => true,
            EdgeType::Element => roots::is_dom_trees(heap, target),
            _ => false,
        };
        if enters {
            owned.set(target);
        }
    }
    // In file order, which is the order of the edges. Later nodes are visited when the loop reaches them; earlier ones
    // are pushed to a stack.
    let mut behind = Vec::new();
    for at in heap.nodes().all() {
        if !owned.get(at) {
            continue;
        }
        behind.push(at);
        while let Some(node) = behind.pop() {
            let range = edges.of(node);
            for (&kind, &target) in edges.kinds[range.clone()].iter().zip(&edges.targets[range]) {
                if is_strong(kind) && !owned.get(target) {
                    owned.set(target);
                    if target < at {
                        behind.push(target);
                    }
                }
            }
        }
    }
    owned
}
