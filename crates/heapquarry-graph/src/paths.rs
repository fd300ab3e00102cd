//! Why a node is still there: the ways by which the root reaches it.

use crate::{Heap, Retainer, Retainers, UNREACHED};
use std::collections::HashSet;

/// A step of a path: the edge by which the node before it is held, and who holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node that holds.
    pub node: u32,
    /// The edge by which it does.
    pub edge: usize,
}

/// A way from a node to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The node that is held.
    pub node: u32,
    /// Who holds it, who holds that one, and so on. The last is the root, or, if the node cannot be reached
    /// without weak references, the last that is not on the path already.
    pub steps: Vec<Step>,
    /// Whether it ends at the root.
    pub reaches_root: bool,
}

/// The shortest ways from a node to the root, one for each of up to `limit` of its retainers, those of the closest
/// retainers first. This is what DevTools' retainers view shows when it is unfolded: retainers by
/// [distance](crate::distances), weak ones left out. From each retainer on the path goes to the closest retainer.
pub fn retaining_paths(
    heap: &Heap,
    retainers: &Retainers,
    distances: &[i32],
    node: u32,
    limit: usize,
) -> Vec<Path> {
    let mut direct: Vec<Retainer> =
        retainers.view(heap, node).filter(|retainer| retainer.node != node).collect();
    direct.sort_by_key(|retainer| (closeness(distances, retainer.node), retainer.edge));
    let mut paths = Vec::new();
    if let Some(edge) = root_edge(heap, retainers, node) {
        let steps = vec![Step { node: heap.root(), edge }];
        paths.push(Path { node, steps, reaches_root: true });
    }
    for retainer in direct {
        if paths.len() >= limit {
            break;
        }
        let first = Step { node: retainer.node, edge: retainer.edge };
        paths.push(follow(heap, retainers, distances, node, first));
    }
    paths.truncate(limit);
    paths
}

/// Nodes that are not reached come last.
fn closeness(distances: &[i32], node: u32) -> (bool, i32) {
    let distance = distances[node as usize];
    (distance == UNREACHED, distance)
}

fn root_edge(heap: &Heap, retainers: &Retainers, node: u32) -> Option<usize> {
    let edges = heap.edges();
    let from_root = |edge: &usize| edges.is_strong(*edge) && edges.owner(*edge) == heap.root();
    retainers.of(node).find(from_root)
}

fn follow(heap: &Heap, retainers: &Retainers, distances: &[i32], node: u32, first: Step) -> Path {
    let mut seen = HashSet::from([node, first.node]);
    let mut path = Path { node, steps: vec![first], reaches_root: false };
    let mut at = first.node;
    loop {
        if at == heap.root() {
            path.reaches_root = true;
            return path;
        }
        let closest = retainers
            .view(heap, at)
            .filter(|retainer| !seen.contains(&retainer.node))
            .min_by_key(|retainer| (closeness(distances, retainer.node), retainer.edge));
        // A global object hangs from the root, whoever else refers to it.
        let closer = closest
            .filter(|retainer| closeness(distances, retainer.node) < closeness(distances, at));
        let step = match (closer, root_edge(heap, retainers, at), closest) {
            (Some(retainer), _, _) => Step { node: retainer.node, edge: retainer.edge },
            (None, Some(edge), _) => Step { node: heap.root(), edge },
            (None, None, Some(retainer)) => Step { node: retainer.node, edge: retainer.edge },
            (None, None, None) => return path,
        };
        seen.insert(step.node);
        path.steps.push(step);
        at = step.node;
    }
}
