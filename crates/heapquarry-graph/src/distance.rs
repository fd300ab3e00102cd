//! How far nodes are from the global objects.

use crate::{
    HashSet, Heap, UNREACHED as NONE,
    edges::{NOT_FOLLOWED, PAIR, is_strong},
    roots,
};

/// Distance of a node that cannot be reached.
pub const UNREACHED: i32 = -5;
/// Distance of the root, and lower bound for nodes that only the engine holds.
pub const SYSTEM: i32 = 100_000_000;

/// The number of edges on the shortest way from a global object, which itself has distance 1; from [`SYSTEM`] on for
/// nodes that are only reached from the root; [`UNREACHED`] for all others. DevTools: `calculateDistances`, `bfs`.
pub fn distances(heap: &Heap) -> Vec<i32> {
    let mut distances = vec![NONE; heap.nodes().len()];
    if distances.is_empty() {
        return distances;
    }
    let mut queue = roots::user_roots(heap);
    for &node in &queue {
        distances[node as usize] = 1;
    }
    let base = if queue.is_empty() { 0 } else { SYSTEM };
    // The second search goes on with the pairs that the first has left half seen.
    let mut half_seen = HashSet::default();
    search(heap, &mut queue, &mut distances, &mut half_seen);
    distances[heap.root() as usize] = base;
    queue.clear();
    queue.push(heap.root());
    search(heap, &mut queue, &mut distances, &mut half_seen);
    distances
}

fn search(heap: &Heap, queue: &mut Vec<u32>, distances: &mut [i32], half_seen: &mut HashSet<u32>) {
    let edges = heap.edges();
    let mut next = 0;
    while next < queue.len() {
        let node = queue[next];
        next += 1;
        let distance = distances[node as usize] + 1;
        let range = edges.of(node);
        let targets = &edges.targets[range.clone()];
        for (i, (&kind, &target)) in edges.kinds[range.clone()].iter().zip(targets).enumerate() {
            if !is_strong(kind) || distances[target as usize] != NONE {
                continue;
            }
            if kind & (NOT_FOLLOWED | PAIR) != 0 {
                if kind & NOT_FOLLOWED != 0 {
                    continue;
                }
                // A value of a WeakMap is as far as the farther of table and key: the first of its two edges
                // that is met does not count.
                let pair = heap.pair(range.start + i);
                if !half_seen.remove(&pair) {
                    half_seen.insert(pair);
                    continue;
                }
            }
            distances[target as usize] = distance;
            queue.push(target);
        }
    }
}
