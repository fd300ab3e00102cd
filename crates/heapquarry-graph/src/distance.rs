//! Distances of nodes from the global objects.

use crate::{
    Bits, HashSet, Heap, NodeIndex, UNREACHED as NONE,
    edges::{NOT_FOLLOWED, PAIR, is_strong},
    roots,
};
use std::hint::black_box;

/// Nodes whose edges are read together before they are visited. They are far apart, and the processor waits for several
/// at a time if nothing is decided in between.
const TOGETHER: usize = 16;

/// Distance of an unreachable node.
pub const UNREACHED: i32 = -5;
/// Distance of the root, and lower bound for nodes that only the engine holds.
pub const SYSTEM: i32 = 100_000_000;

/// The number of edges on the shortest path from a global object, which itself has distance 1; [`SYSTEM`] and more for
/// nodes that are reachable only from the root; [`UNREACHED`] for all others. DevTools: `calculateDistances`, `bfs`.
pub fn distances(heap: &Heap) -> Vec<i32> {
    let mut distances = vec![NONE; heap.nodes().len()];
    if distances.is_empty() {
        return distances;
    }
    let users = roots::user_roots(heap);
    for &node in &users {
        distances[node.position()] = 1;
    }
    let base = if users.is_empty() { 0 } else { SYSTEM };
    let mut search =
        Search { heap, distances, seen: heap.no_nodes(), half_seen: HashSet::default() };
    users.iter().for_each(|&node| search.seen.set(node));
    search.run(users, 1);
    search.distances[heap.root().position()] = base;
    search.seen.set(heap.root());
    search.run(vec![heap.root()], base);
    search.distances
}

struct Search<'a> {
    heap: &'a Heap,
    distances: Vec<i32>,
    /// The nodes that have a distance: these bits fit into a cache, the distances do not.
    seen: Bits,
    /// Pairs of which one edge has been followed. The second search continues with those that the first has left.
    half_seen: HashSet<u32>,
}

impl Search<'_> {
    /// Searches from nodes of one distance, then of the next, and so on.
    fn run(&mut self, mut nodes: Vec<NodeIndex>, mut distance: i32) {
        let mut next = Vec::new();
        while !nodes.is_empty() {
            distance += 1;
            for some in nodes.chunks(TOGETHER) {
                self.load(some);
                for &node in some {
                    self.visit(node, distance, &mut next);
                }
            }
            nodes.clear();
            std::mem::swap(&mut nodes, &mut next);
        }
    }

    /// Reads the first edge of each of these nodes, so that it is in the cache when they are visited.
    fn load(&self, nodes: &[NodeIndex]) {
        let edges = self.heap.edges();
        let mut starts = [0; TOGETHER];
        for (start, &node) in starts.iter_mut().zip(nodes) {
            *start = edges.of(node).start;
        }
        let first = |&start: &usize| match (edges.kinds.get(start), edges.targets.get(start)) {
            (Some(&kind), Some(target)) => target.0 ^ u32::from(kind),
            _ => 0,
        };
        black_box(starts[..nodes.len()].iter().map(first).fold(0, |all, edge| all ^ edge));
    }

    fn visit(&mut self, node: NodeIndex, distance: i32, next: &mut Vec<NodeIndex>) {
        let Search { heap, distances, seen, half_seen } = self;
        let edges = heap.edges();
        let range = edges.of(node);
        let ends = edges.kinds[range.clone()].iter().zip(&edges.targets[range.clone()]);
        for (i, (&kind, &target)) in ends.enumerate() {
            if !is_strong(kind) || seen.get(target) {
                continue;
            }
            if kind & (NOT_FOLLOWED | PAIR) != 0 {
                if kind & NOT_FOLLOWED != 0 {
                    continue;
                }
                // The distance of a WeakMap's value is the larger of table's and key's, so the first of its two edges
                // is ignored.
                let pair = heap.pair(range.start + i);
                if !half_seen.remove(&pair) {
                    half_seen.insert(pair);
                    continue;
                }
            }
            seen.set(target);
            distances[target.position()] = distance;
            next.push(target);
        }
    }
}
