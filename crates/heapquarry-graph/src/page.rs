//! Which nodes belong to the page, and not only to a debugger that inspects it.

use crate::{Bits, EdgeType, Heap, NodeIndex, edges::is_strong, roots};

/// All nodes that are reachable from a window or a DOM tree of the document. DevTools: `markPageOwnedNodes`.
pub fn page_owned(heap: &Heap) -> Bits {
    reachable(heap, |_, kind| is_strong(kind))
}

/// All nodes that the page reaches by edges that are followed.
pub(crate) fn reachable(heap: &Heap, follows: impl Fn(usize, u8) -> bool) -> Bits {
    let mut owned = heap.no_nodes();
    if heap.nodes().is_empty() {
        return owned;
    }
    let edges = heap.edges();
    entries(heap).for_each(|edge| owned.set(edges.target(edge)));
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
            let targets = edges.kinds[range.clone()].iter().zip(&edges.targets[range.clone()]);
            for ((&kind, &target), edge) in targets.zip(range) {
                if follows(edge, kind) && !owned.get(target) {
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

/// The edges of the root by which the page is entered. Of a heap without nodes there are none.
pub(crate) fn entries(heap: &Heap) -> impl Iterator<Item = usize> + '_ {
    let edges = heap.edges();
    let of_root = if heap.nodes().is_empty() { 0..0 } else { edges.of(heap.root()) };
    of_root.filter(move |&edge| match edges.kind(edge) {
        EdgeType::Shortcut => true,
        EdgeType::Element => roots::is_dom_trees(heap, edges.target(edge)),
        _ => false,
    })
}

/// Adds nodes to the page, and all that they reach by edges that are followed. However many edges lead to a node, it
/// waits once.
pub(crate) fn extend(
    heap: &Heap,
    owned: &mut Bits,
    more: &Bits,
    follows: impl Fn(usize, u8) -> bool,
) {
    let edges = heap.edges();
    let mut add = |node| {
        let is_new = !owned.get(node);
        owned.set(node);
        is_new
    };
    let mut nodes: Vec<NodeIndex> = more.nodes().filter(|&node| add(node)).collect();
    while let Some(node) = nodes.pop() {
        let followed = edges.of(node).filter(|&edge| follows(edge, edges.kinds[edge]));
        nodes.extend(followed.map(|edge| edges.target(edge)).filter(|&node| add(node)));
    }
}
