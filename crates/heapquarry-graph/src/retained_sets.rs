//! What each of many disjoint sets of nodes retains: what would be freed if the whole set went.
//!
//! A node goes with a set if each path from the root to it leads through the set. Dominators alone do not tell: what
//! two nodes of a set hold together, and nothing else does, neither of them dominates. For 64 sets at once, each node
//! has a bit for each set without which it is still reached; these bits are passed on along the references.
//!
//! Dominators make the graph small first. A node that its dominator refers to, and that is of the set of its dominator,
//! goes with the same sets, so both are one. Of all references to a node only that of its dominator counts, if there is
//! one.

use crate::{
    Bits, Heap, NodeIndex, PackedColumn, dominators::for_each_essential, page::page_owned,
};
use heapquarry_base::threads;

/// Marks a node that belongs to no set.
pub const NO_SET: u32 = u32::MAX;

/// The size in bytes of all that would be freed if all nodes of a set went, for each of `count` sets. `set_of` is the
/// set of each node, or [`NO_SET`]; `dominators` and `sizes` are those of the [analysis](crate::Analysis).
///
/// # Panics
/// If the lists are not those of the heap.
pub fn retained_sets(
    heap: &Heap,
    dominators: &[NodeIndex],
    sizes: &PackedColumn,
    set_of: &[u32],
    count: usize,
    threads: usize,
) -> Vec<u64> {
    retained_on(heap, &page_owned(heap), dominators, sizes, (set_of, count), threads)
}

/// What each set retains; `page` are the nodes that the page owns. The heap needs no names.
pub(crate) fn retained_on(
    heap: &Heap,
    page: &Bits,
    dominators: &[NodeIndex],
    sizes: &PackedColumn,
    (set_of, count): (&[u32], usize),
    threads: usize,
) -> Vec<u64> {
    if heap.nodes().is_empty() || count == 0 {
        return vec![0; count];
    }
    let graph = Graph::new(heap, page, dominators);
    let regions = Regions::new(&graph, sizes, set_of);
    // What is not reached holds nothing.
    let mut retained = vec![0u64; count];
    for node in heap.nodes().all().filter(|&node| !graph.reached.get(node)) {
        if let Some(sum) = retained.get_mut(set_of[node.position()] as usize) {
            *sum = sum.saturating_add(sizes.get(node.position()));
        }
    }
    drop(graph);
    let chunks: Vec<u32> = (0..count as u32).step_by(64).collect();
    // Memory is taken by each thread, not by each chunk.
    let parts = threads.clamp(1, chunks.len());
    let shares = (0..parts).map(|part| chunks.iter().copied().skip(part).step_by(parts).collect());
    let found = threads::each(shares.collect(), |chunks: Vec<u32>| {
        let sums = |first: u32| (first as usize, regions.retained(first));
        chunks.into_iter().map(sums).collect::<Vec<_>>()
    });
    for (first, sums) in found.into_iter().flatten() {
        for (sum, more) in retained[first..].iter_mut().zip(sums) {
            *sum = sum.saturating_add(more);
        }
    }
    retained
}

/// Marks a node whose region is not known yet.
const NO_REGION: u32 = u32::MAX;

/// The references that dominators go by.
struct Graph<'a> {
    heap: &'a Heap,
    dominators: &'a [NodeIndex],
    page: &'a Bits,
    /// The nodes that are reached.
    reached: Bits,
    /// Those that nothing refers to, except weakly: the root holds them.
    loose: Vec<NodeIndex>,
    /// Those that their dominator refers to.
    direct: Bits,
}

impl<'a> Graph<'a> {
    fn new(heap: &'a Heap, page: &'a Bits, dominators: &'a [NodeIndex]) -> Self {
        let (reached, direct) = (heap.no_nodes(), heap.no_nodes());
        let mut graph = Graph { heap, dominators, page, reached, loose: Vec::new(), direct };
        graph.reach(vec![heap.root()]);
        let is_left = |&node: &NodeIndex| !graph.reached.get(node);
        let left: Vec<NodeIndex> = heap.nodes().all().filter(is_left).collect();
        // Only nodes that are not reached can refer to others of these.
        let mut held = heap.no_nodes();
        for &node in &left {
            for_each_essential(heap, page, node, |target| held.set(target));
        }
        graph.loose = left.into_iter().filter(|&node| !held.get(node)).collect();
        let is_direct = |&&node: &&NodeIndex| dominators[node.position()] == heap.root();
        graph.loose.iter().filter(is_direct).for_each(|&node| graph.direct.set(node));
        graph.reach(graph.loose.clone());
        graph
    }

    /// Reaches all that can be reached from these, and notes which nodes their dominators refer to.
    fn reach(&mut self, mut from: Vec<NodeIndex>) {
        from.iter().for_each(|&node| self.reached.set(node));
        while let Some(node) = from.pop() {
            for_each_essential(self.heap, self.page, node, |target| {
                if self.dominators[target.position()] == node {
                    self.direct.set(target);
                }
                if !self.reached.get(target) {
                    self.reached.set(target);
                    from.push(target);
                }
            });
        }
    }

    /// Visits all references between nodes that are reached.
    fn for_each(&self, mut visit: impl FnMut(NodeIndex, NodeIndex)) {
        for node in self.heap.nodes().all().filter(|&node| self.reached.get(node)) {
            for_each_essential(self.heap, self.page, node, |target| visit(node, target));
        }
        self.loose.iter().for_each(|&node| visit(self.heap.root(), node));
    }

    /// Visits the references that count, between nodes of different regions, as regions.
    fn for_each_between(&self, region_of: &[u32], mut visit: impl FnMut(u32, u32)) {
        self.for_each(|node, target| {
            let (from, to) = (region_of[node.position()], region_of[target.position()]);
            let is_direct = self.direct.get(target);
            if from != to && (!is_direct || self.dominators[target.position()] == node) {
                visit(from, to);
            }
        });
    }
}

/// The nodes that are reached, as regions of nodes that go with the same sets. The first region is that of the root;
/// each other one comes after that of its dominator.
struct Regions {
    /// The set of each region.
    set_of: Vec<u32>,
    /// What its nodes take themselves.
    sizes: Vec<u64>,
    /// For each region where its references begin in the list, and the length of the list.
    starts: Vec<usize>,
    /// The regions that each refers to.
    targets: Vec<u32>,
}

impl Regions {
    fn new(graph: &Graph<'_>, sizes: &PackedColumn, set_of: &[u32]) -> Self {
        let Graph { heap, dominators, .. } = *graph;
        let (root, of) = (heap.root(), |node: NodeIndex| set_of[node.position()]);
        let (mut set_of_region, mut sums) = (vec![of(root)], vec![sizes.get(root.position())]);
        let mut region_of = vec![NO_REGION; heap.nodes().len()];
        region_of[root.position()] = 0;
        let mut way = Vec::new();
        // What is not reached has the root as its dominator, but is not held by it.
        for node in heap.nodes().all().filter(|&node| graph.reached.get(node)) {
            // From each node up to the first that has a region, and down again. What is on the way is marked, so that a
            // circle, which only damage to a kept index makes, ends.
            let mut above = node;
            while region_of[above.position()] == NO_REGION {
                way.push(above);
                region_of[above.position()] = region_of[root.position()];
                above = dominators[above.position()];
            }
            while let Some(node) = way.pop() {
                let dominator = dominators[node.position()];
                let mut region = region_of[dominator.position()];
                if !graph.direct.get(node) || of(node) != of(dominator) {
                    region = sums.len() as u32;
                    set_of_region.push(of(node));
                    sums.push(0);
                }
                region_of[node.position()] = region;
                let sum = &mut sums[region as usize];
                *sum = sum.saturating_add(sizes.get(node.position()));
            }
        }
        let mut starts = vec![0; sums.len() + 1];
        graph.for_each_between(&region_of, |from, _| starts[from as usize] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut targets = vec![0; sum];
        // Each start moves from the end of its references to their beginning.
        graph.for_each_between(&region_of, |from, to| {
            let start = &mut starts[from as usize];
            *start -= 1;
            targets[*start] = to;
        });
        Regions { set_of: set_of_region, sizes: sums, starts, targets }
    }

    /// What the 64 sets from `first` on retain.
    fn retained(&self, first: u32) -> [u64; 64] {
        // The bit of a region's own set.
        let own = |region: usize| match self.set_of[region].wrapping_sub(first) {
            set @ 0..64 => 1u64 << set,
            _ => 0,
        };
        // For each region a bit for each set without which it is reached.
        let mut without = vec![0u64; self.sizes.len()];
        let mut changed = vec![false; self.sizes.len()];
        without[0] = !own(0);
        changed[0] = true;
        // In order, which is nearly that of the references; earlier regions are pushed to a stack.
        let mut behind = Vec::new();
        for at in 0..self.sizes.len() {
            if changed[at] {
                behind.push(at);
            }
            while let Some(region) = behind.pop() {
                changed[region] = false;
                let passed = without[region];
                for &target in &self.targets[self.starts[region]..self.starts[region + 1]] {
                    let target = target as usize;
                    let more = passed & !own(target) & !without[target];
                    if more != 0 {
                        without[target] |= more;
                        if !changed[target] {
                            changed[target] = true;
                            if target <= at {
                                behind.push(target);
                            }
                        }
                    }
                }
            }
        }
        let mut sums = [0u64; 64];
        for (&size, without) in self.sizes.iter().zip(without) {
            let mut with = !without;
            while with != 0 {
                let sum = &mut sums[with.trailing_zeros() as usize];
                *sum = sum.saturating_add(size);
                with &= with - 1;
            }
        }
        sums
    }
}
