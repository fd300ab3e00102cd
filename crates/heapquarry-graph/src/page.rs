//! Which nodes belong to the page, and not only to the debugger that looks at it.

use crate::{Bits, EdgeType, Heap, edges::is_strong, roots};

/// Everything that can be reached from a window or a DOM tree of the document. DevTools: `markPageOwnedNodes`.
pub fn page_owned(heap: &Heap) -> Bits {
    let mut owned = heap.no_nodes();
    if heap.nodes().is_empty() {
        return owned;
    }
    let edges = heap.edges();
    let mut work = Vec::new();
    for edge in edges.of(heap.root()) {
        let target = edges.target(edge);
        let enters = match edges.kind(edge) {
            EdgeType::Shortcut => true,
            EdgeType::Element => roots::is_dom_trees(heap, target),
            _ => false,
        };
        if enters && !owned.get(target) {
            owned.set(target);
            work.push(target);
        }
    }
    while let Some(node) = work.pop() {
        for edge in edges.of(node) {
            let target = edges.targets[edge];
            if is_strong(edges.kinds[edge]) && !owned.get(target) {
                owned.set(target);
                work.push(target);
            }
        }
    }
    owned
}
