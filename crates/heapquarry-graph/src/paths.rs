//! Retaining paths: why a node is still alive.

use crate::{Heap, NodeIndex, Retainer, Retainers, UNREACHED};
use std::collections::HashSet;

/// A step of a path: the edge that holds the previous node, and the node that the edge starts at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The retainer.
    pub node: NodeIndex,
    /// The edge to the previous node.
    pub edge: usize,
}

/// A path from a node to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The retained node.
    pub node: NodeIndex,
    /// Its retainer, the retainer of that one, and so on. The last is the root. If only weak references lead from the
    /// root to the node, the last is a retainer whose own retainers are all on the path already.
    pub steps: Vec<Step>,
    /// Whether the path ends at the root.
    pub reaches_root: bool,
}

/// The shortest paths from a node to the root, one for each of up to `limit` retainers, the closest retainers first.
/// This is what DevTools' expanded retainers view shows: retainers sorted by [distance](crate::distances), without weak
/// ones. Each path continues to the closest retainer.
pub fn retaining_paths(
    heap: &Heap,
    retainers: &Retainers,
    distances: &[i32],
    node: NodeIndex,
    limit: usize,
) -> Vec<Path> {
    let mut direct: Vec<Retainer> =
        retainers.view(heap, node).filter(|retainer| retainer.node != node).collect();
    direct.sort_unstable_by_key(|retainer| (closeness(distances, retainer.node), retainer.edge));
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

/// Unreachable nodes come last.
fn closeness(distances: &[i32], node: NodeIndex) -> (bool, i32) {
    let distance = distances[node.position()];
    (distance == UNREACHED, distance)
}

fn root_edge(heap: &Heap, retainers: &Retainers, node: NodeIndex) -> Option<usize> {
    let edges = heap.edges();
    let strong = retainers.of(node).filter(|&edge| edges.is_strong(edge));
    edges.with_owners(strong).find(|&(owner, _)| owner == heap.root()).map(|(_, edge)| edge)
}

fn follow(
    heap: &Heap,
    retainers: &Retainers,
    distances: &[i32],
    node: NodeIndex,
    first: Step,
) -> Path {
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
        // A global object is a child of the root, even if other nodes refer to it.
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
