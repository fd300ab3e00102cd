//! Which DOM nodes are part of the document, and which are only held by scripts.

use crate::{EdgeType, Heap, NodeType, edges::TYPE};

/// State of a node that is part of the document.
pub const ATTACHED: u8 = 1;
/// State of a node that is no longer, or not yet, part of the document.
pub const DETACHED: u8 = 2;

/// The state of each node after the known states of embedder nodes are propagated to the nodes below them: 0 unknown,
/// [`ATTACHED`] or [`DETACHED`]. Without states in the file, all are 0. DevTools: `propagateDOMState`.
pub fn detachedness(heap: &Heap) -> Vec<u8> {
    let nodes = heap.nodes();
    let Some(given) = &nodes.detachedness else {
        return vec![0; nodes.len()];
    };
    // Then nothing is propagated, and memory of zeros that is never written to takes none.
    if given.iter().all(|&state| state == 0) {
        return vec![0; nodes.len()];
    }
    let mut states = given.to_vec();
    let mut visited = heap.no_nodes();
    let (mut attached, mut detached) = (Vec::new(), Vec::new());
    for node in nodes.all() {
        let state = states[node.position()];
        if state == 0 {
            continue;
        }
        // A state in the file is final.
        visited.set(node);
        if nodes.kind(node) == NodeType::Native {
            match state {
                ATTACHED => attached.push(node),
                DETACHED => detached.push(node),
                _ => {}
            }
        }
    }
    for (mut work, state) in [(attached, ATTACHED), (detached, DETACHED)] {
        while let Some(node) = work.pop() {
            for edge in heap.edges().of(node) {
                let kind = heap.edges().kinds[edge] & TYPE;
                let passes = kind < EdgeType::Weak as u8
                    && kind != EdgeType::Hidden as u8
                    && kind != EdgeType::Invisible as u8;
                let target = heap.edges().targets[edge];
                if !passes || visited.get(target) {
                    continue;
                }
                visited.set(target);
                // Not through JavaScript: each embedder node below it knows its own state.
                if nodes.kind(target) == NodeType::Native {
                    states[target.position()] = state;
                    work.push(target);
                }
            }
        }
    }
    states
}
