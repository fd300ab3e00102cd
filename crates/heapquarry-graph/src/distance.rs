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

/// Most nodes of one distance that are kept as a list. More are bits: these need less memory, and lead through the
/// edges in file order, which is faster.
const FEW: usize = 1 << 14;

/// Distance of an unreachable node.
pub const UNREACHED: i32 = -5;
/// Distance of the root, and lower bound for nodes that only the engine holds.
pub const SYSTEM: i32 = 100_000_000;

/// The number of edges on the shortest path from a global object, which itself has distance 1; [`SYSTEM`] and more for
/// nodes that are reachable only from the root; [`UNREACHED`] for all others. DevTools: `calculateDistances`, `bfs`.
pub fn distances(heap: &Heap) -> Vec<i32> {
    distances_in(heap, Vec::new())
}

/// The [distances], in memory whose contents do not matter.
pub(crate) fn distances_in(heap: &Heap, memory: Vec<i32>) -> Vec<i32> {
    with_lists_of(FEW, heap, memory)
}

/// The distances, found with lists of at most so many nodes.
fn with_lists_of(few: usize, heap: &Heap, mut distances: Vec<i32>) -> Vec<i32> {
    distances.clear();
    distances.resize(heap.nodes().len(), NONE);
    if distances.is_empty() {
        return distances;
    }
    let users = roots::user_roots(heap);
    for &node in &users {
        distances[node.position()] = 1;
    }
    let base = if users.is_empty() { 0 } else { SYSTEM };
    let few = if pairs_have_one_target(heap) { few } else { usize::MAX };
    let (seen, half_seen) = (heap.no_nodes(), HashSet::default());
    let mut search = Search { heap, distances, seen, half_seen, few };
    users.iter().for_each(|&node| search.seen.set(node));
    search.run(users, 1);
    search.distances[heap.root().position()] = base;
    search.seen.set(heap.root());
    search.run(vec![heap.root()], base);
    search.distances
}

/// Whether both edges of each pair of a WeakMap lead to the same node, as they do unless a file is damaged. Then the
/// order of nodes of one distance does not matter.
fn pairs_have_one_target(heap: &Heap) -> bool {
    let mut targets = Vec::new();
    heap.pairs.iter().all(|&(edge, pair)| {
        let (pair, target) = (pair as usize, heap.edges().target(edge));
        if targets.len() <= pair {
            targets.resize(pair + 1, NodeIndex::NONE);
        }
        let known = std::mem::replace(&mut targets[pair], target);
        known == NodeIndex::NONE || known == target
    })
}

struct Search<'a> {
    heap: &'a Heap,
    distances: Vec<i32>,
    /// The nodes that have a distance: these bits fit into a cache, the distances do not.
    seen: Bits,
    /// Pairs of which one edge has been followed. The second search continues with those that the first has left.
    half_seen: HashSet<u32>,
    /// Most nodes of a list.
    few: usize,
}

/// Nodes of one distance, each once.
#[derive(Default)]
struct Level {
    list: Vec<NodeIndex>,
    /// If they are too many for the list, all of them.
    bits: Bits,
    is_wide: bool,
}

impl Level {
    #[inline]
    fn push(&mut self, node: NodeIndex, heap: &Heap, few: usize) {
        if self.is_wide {
            return self.bits.set(node);
        }
        self.list.push(node);
        if self.list.len() > few {
            if self.bits.words().is_empty() {
                self.bits = heap.no_nodes();
            }
            self.list.drain(..).for_each(|node| self.bits.set(node));
            self.is_wide = true;
        }
    }
}

impl Search<'_> {
    /// Searches from nodes of one distance, then of the next, and so on.
    fn run(&mut self, nodes: Vec<NodeIndex>, mut distance: i32) {
        let mut level = Level { list: nodes, ..Level::default() };
        let mut next = Level::default();
        while level.is_wide || !level.list.is_empty() {
            distance += 1;
            if std::mem::take(&mut level.is_wide) {
                let mut some = Vec::with_capacity(TOGETHER);
                level.bits.drain(|node| {
                    some.push(node);
                    if some.len() == TOGETHER {
                        self.visit_all(&some, distance, &mut next);
                        some.clear();
                    }
                });
                self.visit_all(&some, distance, &mut next);
            }
            for some in level.list.chunks(TOGETHER) {
                self.visit_all(some, distance, &mut next);
            }
            level.list.clear();
            std::mem::swap(&mut level, &mut next);
        }
    }

    fn visit_all(&mut self, nodes: &[NodeIndex], distance: i32, next: &mut Level) {
        self.load(nodes);
        nodes.iter().for_each(|&node| self.visit(node, distance, next));
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

    fn visit(&mut self, node: NodeIndex, distance: i32, next: &mut Level) {
        let Search { heap, distances, seen, half_seen, few } = self;
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
            next.push(target, heap, *few);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeType, HeapBuilder};

    /// The order of nodes of one distance does not matter, unless edges of a pair lead to different nodes.
    #[test]
    fn lists_and_bits_find_the_same() {
        let mut state = 7u32;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % limit
        };
        let mut damaged = 0;
        for case in 0..600 {
            let nodes = 2 + case % 70;
            let mut builder = HeapBuilder::new();
            (0..nodes).for_each(|_| _ = builder.node("object", "", 8));
            for _ in 0..2 * nodes {
                let [from, to] = [below(nodes), below(nodes)];
                let value = if case % 5 == 0 { below(nodes) } else { to };
                let (kind, name) = match below(3) {
                    0 => (EdgeType::Property, "p".into()),
                    1 => (EdgeType::Shortcut, "p".into()),
                    _ => {
                        let [key, table] = [value % 3 + 1, value % 2 + 1];
                        let name = format!(
                            "{} / part of key (Foo @{key}) -> value (Bar @{value}) pair in WeakMap (table @{table})",
                            below(9)
                        );
                        (EdgeType::Internal, name)
                    }
                };
                builder.edge(NodeIndex(from), kind, &name, NodeIndex(to));
            }
            let heap = builder.build();
            damaged += usize::from(!pairs_have_one_target(&heap));
            let expected = with_lists_of(usize::MAX, &heap, Vec::new());
            for few in [0, 1, 4, 20] {
                assert_eq!(with_lists_of(few, &heap, vec![7; few]), expected, "case {case}, {few}");
            }
        }
        assert!((50..300).contains(&damaged), "{damaged}");
    }
}
