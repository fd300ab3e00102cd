//! Immediate dominators: for each node, the closest node on every path from the root.
//!
//! Semi-NCA (L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", 2005, 2.2) on nodes in the
//! order of a depth-first search. DevTools: `calculateDominatorsAndRetainedSizes`, which uses Lengauer and Tarjan's
//! algorithm. Dominators are unique, so any correct algorithm gives the same result.

use crate::{
    Bits, Dominated, EdgeType, Heap, NodeIndex,
    edges::{self, TYPE},
    heap::Exchanged,
    page,
};
use std::ops::Range;
use zerocopy::IntoBytes;

/// The dominator tree. Nodes are in the order of a depth-first search, or level by level, so each comes after its
/// dominator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dominators {
    /// The nodes in that order: the root first, unreachable nodes last.
    pub order: Vec<NodeIndex>,
    /// The position of each node's dominator, in the same order. It is 0 for the root and for unreachable nodes.
    pub parents: Vec<u32>,
}

impl Dominators {
    /// The dominator of each node, in file order. The root dominates itself.
    pub fn by_node(&self) -> Vec<NodeIndex> {
        self.by_node_in(Vec::new())
    }

    /// The dominator of each node, in memory whose contents do not matter.
    pub(crate) fn by_node_in(&self, memory: Vec<u32>) -> Vec<NodeIndex> {
        let mut dominators: Vec<NodeIndex> = memory.into_iter().map(NodeIndex).collect();
        dominators.resize(self.order.len(), NodeIndex(0));
        for (&node, &parent) in self.order.iter().zip(&self.parents) {
            dominators[node.position()] = self.order[parent as usize];
        }
        dominators
    }

    /// The tree of the dominator of each node, level by level. `None` if these are no tree below that root.
    pub fn from_nodes(dominators: &[NodeIndex], root: NodeIndex) -> Option<Self> {
        let nodes = dominators.len();
        if nodes == 0 {
            return Some(Dominators::default());
        }
        if dominators.get(root.position()) != Some(&root)
            || dominators.iter().any(|dominator| dominator.position() >= nodes)
        {
            return None;
        }
        let below = Dominated::new(dominators);
        let (mut order, mut parents) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
        order.push(root);
        parents.push(0);
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            order.extend_from_slice(below.of(node));
            parents.resize(order.len(), at as u32);
            at += 1;
        }
        // Each node is below one, so it comes once at most: those on circles never do.
        (order.len() == nodes).then_some(Dominators { order, parents })
    }
}

/// Memory that the second step leaves, with one entry per node or more. Its contents do not matter. What is computed of
/// the dominators takes it: new memory would come on top, as the allocator keeps what is freed for a while.
#[derive(Debug, Default)]
pub(crate) struct Left {
    pub(crate) words: Vec<u32>,
    pub(crate) pairs: Vec<[u32; 2]>,
}

/// The essential edges: without them, a node could be freed. DevTools: `computeIsEssentialEdge`. Only if `EXCHANGES` is
/// it looked up which edges are exchanged.
struct Essential<'a, const EXCHANGES: bool> {
    heap: &'a Heap,
    page: &'a Bits,
    deferred: &'a Deferred,
}

/// References that the search leaves out at first, or takes instead of others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deferred {
    /// Values of WeakMaps that the other of two edges holds.
    pub(crate) exchanged: Exchanged,
    /// All references from these nodes are left out, in the order of their indexes. The next two lists say which of
    /// them hold after all; they are made once the page is known.
    pub(crate) owners: Vec<NodeIndex>,
    /// Those of them that hold like any other. The root stands for their owner.
    pub(crate) always: Vec<NodeIndex>,
    /// Those that hold only what nothing else reaches, not even an earlier one of them.
    pub(crate) otherwise: Vec<NodeIndex>,
}

impl Deferred {
    pub(crate) const NONE: Deferred = Deferred {
        exchanged: Exchanged::NONE,
        owners: Vec::new(),
        always: Vec::new(),
        otherwise: Vec::new(),
    };

    #[inline]
    fn owns(&self, node: NodeIndex) -> bool {
        self.owners.last().is_some_and(|&last| node <= last)
            && self.owners.binary_search(&node).is_ok()
    }
}

impl<const EXCHANGES: bool> Essential<'_, EXCHANGES> {
    #[inline]
    fn owner(&self, node: NodeIndex) -> Owner {
        Owner { node, is_root: node == self.heap.root(), is_page: self.page.get(node) }
    }

    /// Whether an edge holds its target, whosever it is. The values of a WeakMap are held by its keys: that is more
    /// precise than by its table.
    #[inline]
    fn is_holding(&self, edge: usize, kind: u8) -> bool {
        match EXCHANGES {
            true => self.deferred.exchanged.holds(edge, kind),
            false => edges::holds(kind),
        }
    }

    /// Whether the page owns the target of an edge if it owns the edge's node. If edges are exchanged, only edges that
    /// hold count. Otherwise a value of a WeakMap whose key is a local variable would be held by nothing: the map's
    /// edge does not count, and neither does one that leads into the page.
    #[inline]
    fn leads_page(&self, edge: usize, kind: u8) -> bool {
        if EXCHANGES { self.is_holding(edge, kind) } else { edges::is_strong(kind) }
    }

    #[inline]
    fn holds(&self, owner: Owner, edge: usize, kind: u8, target: NodeIndex) -> bool {
        self.is_holding(edge, kind)
            && target != owner.node
            // Shortcuts count only at the root. Nodes outside of the page do not hold nodes of the page: otherwise a
            // debugger would change what it inspects.
            && (owner.is_root
                || (kind & TYPE != EdgeType::Shortcut as u8
                    && (owner.is_page || !self.page.get(target))))
    }

    /// The edges of a node: none if they are deferred.
    #[inline]
    fn edges_of(&self, node: NodeIndex) -> Range<usize> {
        if self.deferred.owns(node) { 0..0 } else { self.heap.edges().of(node) }
    }

    fn for_each(&self, node: NodeIndex, mut visit: impl FnMut(NodeIndex)) {
        let owner = self.owner(node);
        let edges = self.heap.edges();
        let range = self.edges_of(node);
        let kinds = edges.kinds[range.clone()].iter().zip(&edges.targets[range.clone()]);
        for ((&kind, &target), edge) in kinds.zip(range) {
            if self.holds(owner, edge, kind, target) {
                visit(target);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Owner {
    node: NodeIndex,
    is_root: bool,
    is_page: bool,
}

/// The dominators of a heap.
///
/// Nodes that only weak references point to count as held by the root. Nodes that are still unreachable (closed cycles
/// and the nodes below them) have the root as their dominator and dominate nothing.
pub fn dominators(heap: &Heap) -> Dominators {
    let (search, page) = Search::new(heap);
    search.dominators(heap, &page).0
}

/// Whether an edge of a node counts: the node could not be freed without it.
pub(crate) fn is_essential(heap: &Heap, page: &Bits, node: NodeIndex, edge: usize) -> bool {
    let essential = Essential::<false> { heap, page, deferred: &Deferred::NONE };
    let edges = heap.edges();
    essential.holds(essential.owner(node), edge, edges.kinds[edge], edges.targets[edge])
}

/// Visits the targets of a node's edges that count.
pub(crate) fn for_each_essential(
    heap: &Heap,
    page: &Bits,
    node: NodeIndex,
    visit: impl FnMut(NodeIndex),
) {
    Essential::<false> { heap, page, deferred: &Deferred::NONE }.for_each(node, visit);
}

/// The dominators if some references hold nothing, or only what nothing else reaches. `held` is given what the page
/// owns, and fills the lists of the references that hold after all. The contents of `spare` are ignored: it is working
/// memory, and made longer if need be.
pub(crate) fn dominators_with(
    heap: &Heap,
    deferred: Deferred,
    held: impl FnOnce(&Bits, &mut Deferred),
    spare: &mut Vec<u32>,
) -> Dominators {
    match u32::try_from(heap.edges().len()) {
        Ok(_) => deferring::<u32>(heap, deferred, held, spare),
        Err(_) => deferring::<u64>(heap, deferred, held, spare),
    }
}

fn deferring<C: Count>(
    heap: &Heap,
    mut deferred: Deferred,
    held: impl FnOnce(&Bits, &mut Deferred),
    spare: &mut Vec<u32>,
) -> Dominators {
    let (mut search, page) = SearchOf::<C>::of_page::<true>(heap, &deferred);
    held(&page, &mut deferred);
    let essential = Essential::<true> { heap, page: &page, deferred: &deferred };
    search.visit_rest(&essential);
    search.dominators(&essential, spare).0
}

/// A depth-first search: the first step.
pub(crate) enum Search {
    /// For fewer than 2^32 edges.
    Narrow(SearchOf<u32>),
    Wide(SearchOf<u64>),
}

impl Search {
    /// Also returns the nodes that are [owned by the page](crate::page_owned): the search visits what the page reaches
    /// first.
    pub(crate) fn new(heap: &Heap) -> (Self, Bits) {
        if u32::try_from(heap.edges().len()).is_ok() {
            let (search, page) = SearchOf::new(heap);
            (Search::Narrow(search), page)
        } else {
            let (search, page) = SearchOf::new(heap);
            (Search::Wide(search), page)
        }
    }

    /// The second step.
    pub(crate) fn dominators(self, heap: &Heap, page: &Bits) -> (Dominators, Left) {
        let essential = Essential::<false> { heap, page, deferred: &Deferred::NONE };
        match self {
            Search::Narrow(search) => search.dominators(&essential, &mut Vec::new()),
            Search::Wide(search) => search.dominators(&essential, &mut Vec::new()),
        }
    }
}

/// A number of edges, or a position in a list of edges or nodes.
pub(crate) trait Count: Copy + Default + PartialEq + Send + Sync {
    /// Stands for no number.
    const NONE: Self;
    fn new(count: u64) -> Self;
    fn get(self) -> u64;
    fn write(self, bytes: &mut [u8]);
    fn read(bytes: &[u8]) -> Self;
    /// The memory of pairs of 32 bits.
    fn narrow(pairs: Vec<[Self; 2]>) -> Vec<[u32; 2]>;
}

impl Count for u32 {
    const NONE: Self = u32::MAX;

    #[inline]
    fn new(count: u64) -> Self {
        count as u32
    }

    #[inline]
    fn get(self) -> u64 {
        self.into()
    }

    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_ne_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        u32::from_ne_bytes(bytes.try_into().expect("4 bytes"))
    }

    fn narrow(pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
        pairs
    }
}

impl Count for u64 {
    const NONE: Self = u64::MAX;

    #[inline]
    fn new(count: u64) -> Self {
        count
    }

    #[inline]
    fn get(self) -> u64 {
        self
    }

    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_ne_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        u64::from_ne_bytes(bytes.try_into().expect("8 bytes"))
    }

    fn narrow(_: Vec<[u64; 2]>) -> Vec<[u32; 2]> {
        Vec::new()
    }
}

pub(crate) struct SearchOf<C> {
    order: Vec<NodeIndex>,
    /// By position: the position of the parent in the search tree.
    tree: Vec<u32>,
    /// By position: the first node that points to it.
    first: Vec<u32>,
    marks: Vec<Mark<C>>,
    /// Number of edges that lead to earlier positions.
    later: usize,
    /// The remaining edges of the nodes above the current one. A search goes millions of nodes deep; everything else is
    /// found by position.
    above: Vec<(C, C)>,
    /// Nodes to which the page has strong edges that do not hold them: the page owns them, but the search may not get
    /// there.
    beyond: Bits,
}

/// What the search knows of a node: its position, and the number of edges from later positions. Both are needed
/// together at random nodes, so they are stored together.
type Mark<C> = [C; 2];

impl<C: Count> SearchOf<C> {
    fn new(heap: &Heap) -> (Self, Bits) {
        let (mut search, page) = Self::of_page::<false>(heap, &Deferred::NONE);
        search.visit_rest(&Essential::<false> { heap, page: &page, deferred: &Deferred::NONE });
        (search, page)
    }

    /// Visits the root and what the page owns, so that no search of its own is needed for that. What is deferred holds
    /// nothing yet, but leads the page on.
    fn of_page<const E: bool>(heap: &Heap, deferred: &Deferred) -> (Self, Bits) {
        let mut search = Self::empty(heap);
        let mut page = heap.no_nodes();
        if search.marks.is_empty() {
            return (search, page);
        }
        let (root, edges) = (heap.root(), heap.edges());
        search.open(root, 0);
        search.beyond = heap.no_nodes();
        let within = Essential::<E> { heap, page: &Bits::default(), deferred };
        let of_root = Owner { node: root, is_root: true, is_page: true };
        let is_held = !deferred.owns(root);
        for edge in page::entries(heap) {
            let target = edges.target(edge);
            match is_held && within.holds(of_root, edge, edges.kinds[edge], target) {
                true => search.enter::<_, true>(&within, target),
                false => search.beyond.set(target),
            }
        }
        search.order[1..].iter().for_each(|&node| page.set(node));
        if search.marks[root.position()][1] != C::default() {
            search.beyond.set(root);
        }
        let beyond = std::mem::take(&mut search.beyond);
        page::extend(heap, &mut page, &beyond, |edge, kind| within.leads_page(edge, kind));
        (search, page)
    }

    fn empty(heap: &Heap) -> Self {
        let nodes = heap.nodes().len();
        SearchOf {
            order: Vec::with_capacity(nodes),
            tree: Vec::with_capacity(nodes),
            first: Vec::with_capacity(nodes),
            marks: vec![[C::NONE, C::default()]; nodes],
            later: 0,
            above: Vec::new(),
            beyond: Bits::default(),
        }
    }

    /// Visits all that is not visited yet. The root is.
    fn visit_rest<const E: bool>(&mut self, essential: &Essential<'_, E>) {
        let heap = essential.heap;
        if self.marks.is_empty() {
            return;
        }
        essential.for_each(heap.root(), |target| self.enter::<_, false>(essential, target));
        for &target in &essential.deferred.always {
            self.enter::<_, false>(essential, target);
        }
        for &target in &essential.deferred.otherwise {
            if self.is_left(target) {
                self.visit::<_, false>(essential, target);
            }
        }
        if self.order.len() < self.marks.len() {
            self.visit_unreachable(essential);
        }
        // Names take memory until the second step.
        self.above = Vec::new();
    }

    /// Visits nodes that only weak references lead to, and what they hold.
    fn visit_unreachable<const E: bool>(&mut self, essential: &Essential<'_, E>) {
        let heap = essential.heap;
        let left: Vec<NodeIndex> = heap.nodes().all().filter(|&node| self.is_left(node)).collect();
        // Only unreachable nodes can point to other unreachable ones.
        let mut held = heap.no_nodes();
        left.iter().for_each(|&node| essential.for_each(node, |target| held.set(target)));
        for node in left {
            if self.is_left(node) && !held.get(node) {
                self.visit::<_, false>(essential, node);
            }
        }
    }

    fn is_left(&self, node: NodeIndex) -> bool {
        self.marks[node.position()][0] == C::NONE
    }

    /// Follows an edge of the root.
    fn enter<const E: bool, const PAGE: bool>(
        &mut self,
        essential: &Essential<'_, E>,
        target: NodeIndex,
    ) {
        let number = self.marks[target.position()][0];
        if number == C::NONE {
            self.visit::<E, PAGE>(essential, target);
        } else {
            self.first[number.get() as usize] = 0;
        }
    }

    /// Gives a node the next position.
    fn open(&mut self, node: NodeIndex, parent: u32) -> u32 {
        let position = self.order.len() as u32;
        self.marks[node.position()][0] = C::new(position.into());
        self.order.push(node);
        self.tree.push(parent);
        self.first.push(parent);
        position
    }

    /// The edges of a node that is opened. Those that are deferred lead the page on.
    #[inline]
    fn edges_of<const E: bool, const PAGE: bool>(
        &mut self,
        essential: &Essential<'_, E>,
        node: NodeIndex,
    ) -> Range<usize> {
        let edges = essential.heap.edges();
        if PAGE && essential.deferred.owns(node) {
            for edge in edges.of(node).filter(|&edge| essential.leads_page(edge, edges.kinds[edge]))
            {
                self.beyond.set(edges.targets[edge]);
            }
        }
        essential.edges_of(node)
    }

    /// Searches from `start`, a child of the root. Each edge is visited once, and counted with its target. If `PAGE`,
    /// the page owns all nodes that are reached.
    fn visit<const E: bool, const PAGE: bool>(
        &mut self,
        essential: &Essential<'_, E>,
        start: NodeIndex,
    ) {
        let edges = essential.heap.edges();
        let owner_of = |node: NodeIndex| match PAGE {
            // The root was opened before.
            true => Owner { node, is_root: false, is_page: true },
            false => essential.owner(node),
        };
        let mut position = self.open(start, 0);
        let (mut owner, mut left) = (owner_of(start), self.edges_of::<E, PAGE>(essential, start));
        loop {
            let next = left.find_map(|edge| {
                let (kind, target) = (edges.kinds[edge], edges.targets[edge]);
                if !essential.holds(owner, edge, kind, target) {
                    if PAGE && essential.leads_page(edge, kind) {
                        self.beyond.set(target);
                    }
                    return None;
                }
                let [number, later] = &mut self.marks[target.position()];
                if *number == C::NONE {
                    return Some(target);
                }
                if number.get() < position.into() {
                    *later = C::new(later.get() + 1);
                    self.later += 1;
                } else {
                    let first = &mut self.first[number.get() as usize];
                    *first = (*first).min(position);
                }
                None
            });
            match next {
                Some(target) => {
                    self.above.push((C::new(left.start as u64), C::new(left.end as u64)));
                    position = self.open(target, position);
                    (owner, left) = (owner_of(target), self.edges_of::<E, PAGE>(essential, target));
                }
                None => {
                    let Some((start, end)) = self.above.pop() else { return };
                    position = self.tree[position as usize];
                    owner = owner_of(self.order[position as usize]);
                    left = start.get() as usize..end.get() as usize;
                }
            }
        }
    }

    /// The second step. Besides what the search has, it needs memory only for the edges to earlier positions.
    fn dominators<const E: bool>(
        self,
        essential: &Essential<'_, E>,
        spare: &mut Vec<u32>,
    ) -> (Dominators, Left) {
        match self.order.len() <= 1 << 24 {
            true => self.with_positions_of::<3, E>(essential, spare),
            false => self.with_positions_of::<4, E>(essential, spare),
        }
    }

    /// The second step, with that many bytes for the position of each edge's owner.
    fn with_positions_of<const B: usize, const E: bool>(
        self,
        essential: &Essential<'_, E>,
        spare: &mut Vec<u32>,
    ) -> (Dominators, Left) {
        let SearchOf { mut order, tree, first, mut marks, later, .. } = self;
        let (nodes, width) = (marks.len(), size_of::<C>());
        let needed = (later * B).max(order.len() * width).div_ceil(size_of::<u32>());
        if spare.len() < needed {
            // Never both in memory.
            *spare = Vec::new();
            *spare = vec![0; needed];
        }
        let spare = spare.as_mut_bytes();
        // End of each list: its edges are inserted from there backwards. The ends are found while the marks are still
        // by node, and the memory of the lists is not used yet.
        let mut end = 0;
        for (node, bytes) in order.iter().zip(spare.chunks_exact_mut(width)) {
            end += marks[node.position()][1].get();
            C::new(end).write(bytes);
        }
        // Then the memory of the marks is for both: ends by position, and positions by node.
        let list = marks.as_flattened_mut();
        // Downwards, so that nothing is overwritten before it is read.
        (0..nodes).rev().for_each(|node| list[nodes + node] = list[2 * node]);
        let (ends, numbers) = list.split_at_mut(nodes);
        for (end, bytes) in ends.iter_mut().zip(spare.chunks_exact(width).take(order.len())) {
            *end = C::read(bytes);
        }
        let left = numbers
            .iter()
            .zip(essential.heap.nodes().all())
            .filter(|(number, _)| **number == C::NONE);
        order.extend(left.map(|(_, node)| node));
        let from = &mut spare.as_chunks_mut::<B>().0[..later];
        reverse_edges(essential, numbers, ends, from);
        let (mut parents, left) = semi_nca(tree, first, from, marks);
        parents.resize(order.len(), 0);
        (Dominators { order, parents }, left)
    }
}

/// A position in so many bytes.
fn bytes_of<const B: usize>(position: u32) -> [u8; B] {
    let bytes = position.to_le_bytes();
    std::array::from_fn(|at| bytes[at])
}

fn position_of<const B: usize>(bytes: [u8; B]) -> u32 {
    let mut all = [0; 4];
    all[..B].copy_from_slice(&bytes);
    u32::from_le_bytes(all)
}

/// Inserts each edge to an earlier position into the list of that position, whose end moves to its start. On one
/// thread: it waits for memory, and several threads that share the lists, or read all edges each, take as long.
fn reverse_edges<C: Count, const B: usize, const E: bool>(
    essential: &Essential<'_, E>,
    numbers: &[C],
    ends: &mut [C],
    from: &mut [[u8; B]],
) {
    // In file order, which is the order of the edges. Edges of unreachable nodes are irrelevant.
    for (node, &number) in essential.heap.nodes().all().zip(numbers) {
        if number == C::NONE {
            continue;
        }
        let position = bytes_of(number.get() as u32);
        essential.for_each(node, |target| {
            let to = numbers[target.position()];
            if number.get() > to.get() {
                let end = &mut ends[to.get() as usize];
                *end = C::new(end.get() - 1);
                from[end.get() as usize] = position;
            }
        });
    }
}

/// A node of the forest that has been processed: an ancestor in the forest, and the smallest semidominator on the path
/// to the ancestor, including the node itself.
type Link<C> = [C; 2];

/// The positions of the dominators, given the search tree and the first node that points to each. `from` are the later
/// positions that point to each position, as consecutive lists. The first half of `memory` is where these start, by
/// position. Links take its place: that of a position is written when it is processed, and lies behind the starts that
/// are not read yet. The link of a position that is not processed is never read.
fn semi_nca<C: Count, const B: usize>(
    tree: Vec<u32>,
    first: Vec<u32>,
    from: &[[u8; B]],
    memory: Vec<[C; 2]>,
) -> (Vec<u32>, Left) {
    let mut semi = first;
    let mut links: Vec<Link<C>> = memory;
    let mut path = Vec::new();
    let mut end = from.len();
    for at in (1..tree.len()).rev() {
        let mut best = semi[at];
        let start = links[at / 2][at % 2].get() as usize;
        for &from in &from[start..end] {
            // Up to the nodes that are not processed yet.
            let at = at as u32;
            let position = |word: C| word.get() as u32;
            let mut node = position_of(from);
            let [mut ancestor, mut smallest] = links[node as usize].map(position);
            while ancestor > at {
                path.push(node);
                node = ancestor;
                [ancestor, smallest] = links[node as usize].map(position);
            }
            while let Some(node) = path.pop() {
                let link = &mut links[node as usize];
                smallest = smallest.min(position(link[1]));
                *link = [ancestor, smallest].map(|position| C::new(position.into()));
            }
            best = best.min(smallest);
        }
        end = start;
        semi[at] = best;
        links[at] = [tree[at], best].map(|position| C::new(position.into()));
    }
    let mut parents = tree;
    for at in 1..parents.len() {
        let mut parent = parents[at];
        while parent > semi[at] {
            parent = parents[parent as usize];
        }
        parents[at] = parent;
    }
    (parents, Left { words: semi, pairs: C::narrow(links) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;

    struct Random(u32);

    impl Random {
        fn below(&mut self, limit: u32) -> u32 {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) % limit
        }
    }

    fn heap_of(nodes: u32, edges: &[[u32; 2]]) -> Heap {
        let mut builder = HeapBuilder::new();
        (0..nodes).for_each(|_| _ = builder.node("object", "", 8));
        for [from, to] in edges.iter().map(|edge| edge.map(NodeIndex)) {
            builder.edge(from, EdgeType::Property, "p", to);
        }
        builder.build()
    }

    /// Against heaps without the deferred edges, in which the root has those that count.
    #[test]
    fn deferred_references_hold_only_what_nothing_else_reaches() {
        let mut random = Random(7);
        for case in 0..400 {
            let nodes = 4 + case % 12;
            let edges = (0..nodes * 2).map(|_| [random.below(nodes), random.below(nodes)]);
            let edges: Vec<_> = edges.collect();
            let (mut kept, left): (Vec<_>, Vec<_>) =
                edges.iter().partition(|[from, _]| ![1, 3].contains(from));
            let (always, otherwise): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|_| random.below(3) == 0);
            let targets = |edges: &[[u32; 2]]| edges.iter().map(|&[_, to]| NodeIndex(to)).collect();
            let deferred = Deferred { owners: vec![NodeIndex(1), NodeIndex(3)], ..Deferred::NONE };
            let held = |_: &Bits, deferred: &mut Deferred| {
                deferred.always = targets(&always);
                deferred.otherwise = targets(&otherwise);
            };
            kept.extend(always.iter().map(|&[_, to]| [0, to]));
            for &[_, to] in &otherwise {
                let mut reached = vec![false; nodes as usize];
                let mut waiting = vec![0];
                while let Some(at) = waiting.pop() {
                    if !std::mem::replace(&mut reached[at as usize], true) {
                        waiting
                            .extend(kept.iter().filter(|edge| edge[0] == at).map(|edge| edge[1]));
                    }
                }
                if !reached[to as usize] {
                    kept.push([0, to]);
                }
            }
            let (heap, plain) = (heap_of(nodes, &edges), heap_of(nodes, &kept));
            let found = dominators_with(&heap, deferred, held, &mut Vec::new()).by_node();
            assert_eq!(found, dominators(&plain).by_node(), "{edges:?}");
        }
    }

    /// A heap of a few nodes with edges of all kinds that matter here, and pairs of WeakMaps.
    fn heap_with_a_page(random: &mut Random, nodes: u32) -> Heap {
        const KINDS: [EdgeType; 5] = [
            EdgeType::Property,
            EdgeType::Shortcut,
            EdgeType::Weak,
            EdgeType::Internal,
            EdgeType::Internal,
        ];
        let mut builder = HeapBuilder::new();
        (0..nodes).for_each(|_| _ = builder.node("object", "", 8));
        for _ in 0..2 * nodes {
            let [from, to, key, kind] = [nodes, nodes, nodes, 5].map(|limit| random.below(limit));
            let [kind, name] = [KINDS[kind as usize], KINDS[4]];
            let name = if kind == name {
                format!(
                    "2 / part of key (Foo @{}) -> value (Bar @{}) pair in WeakMap (table @{})",
                    key + 1,
                    to + 1,
                    from + 1
                )
            } else {
                "p".into()
            };
            builder.edge(NodeIndex(from), kind, &name, NodeIndex(to));
        }
        builder.build()
    }

    /// The page is found on the way: also where it goes on by edges that hold nothing, and leads back to the root.
    #[test]
    fn the_page_is_what_a_search_of_its_own_finds() {
        let (mut random, mut beyond, mut of_root) = (Random(7), 0, 0);
        for case in 0..3000 {
            let heap = heap_with_a_page(&mut random, 2 + case % 12);
            let (search, page) = Search::new(&heap);
            assert_eq!(page, page::page_owned(&heap), "case {case}");
            let Search::Narrow(search) = search else { panic!("few edges") };
            beyond += usize::from(
                search.order.iter().filter(|&&node| page.get(node)).count() != page.count(),
            );
            of_root += usize::from(page.get(heap.root()));
        }
        assert!(beyond > 10 && of_root > 10, "{beyond} {of_root}");
    }

    /// Against a page found by a search of its own, and the dominators of a heap with only the edges that count then.
    /// What is deferred leads the page on, also from the root.
    #[test]
    fn edges_that_are_deferred_or_exchanged_lead_the_page_as_they_hold() {
        let (mut random, mut pages, mut exchanges, mut of_root) = (Random(7), 0, 0, 0);
        for case in 0..3000 {
            let nodes = 2 + case % 12;
            let heap = heap_with_a_page(&mut random, nodes);
            let exchanged = heap.exchanged(|id| (id % 3) as u8);
            let owners: Vec<_> = heap.nodes().all().filter(|_| random.below(4) == 0).collect();
            let edges = heap.edges();
            let page = page::reachable(&heap, |edge, kind| exchanged.holds(edge, kind));
            let mut plain = HeapBuilder::new();
            (0..nodes).for_each(|_| _ = plain.node("object", "", 8));
            for edge in 0..edges.len() {
                let [owner, target] = [edges.owner(edge), edges.target(edge)];
                if exchanged.holds(edge, edges.kinds[edge])
                    && !owners.contains(&owner)
                    && (owner == heap.root()
                        || (edges.kind(edge) != EdgeType::Shortcut
                            && (page.get(owner) || !page.get(target))))
                {
                    plain.edge(owner, EdgeType::Property, "p", target);
                }
            }
            pages += usize::from(page.count() > 2);
            exchanges += usize::from(!exchanged.0.is_empty());
            of_root += usize::from(page.count() > 2 && owners.contains(&heap.root()));
            let deferred = Deferred { exchanged, owners, ..Deferred::NONE };
            let told = |found: &Bits, _: &mut _| assert_eq!(found, &page, "case {case}");
            let found = dominators_with(&heap, deferred, told, &mut Vec::new());
            let expected = dominators(&plain.build()).by_node();
            assert_eq!(found.by_node(), expected, "case {case}");
        }
        let counts = [pages, exchanges, of_root];
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }

    /// Heaps of 2^32 edges do not fit into a test, so the wide path is tested with few edges. Results must not depend
    /// on spare memory.
    #[test]
    fn positions_of_either_width_give_the_same() {
        let mut random = Random(7);
        for nodes in [1, 2, 5, 40, 300] {
            for edges in [0, nodes, 3 * nodes] {
                let pairs: Vec<_> =
                    (0..edges).map(|_| [random.below(nodes), random.below(nodes)]).collect();
                let heap = heap_of(nodes, &pairs);
                let (search, page) = SearchOf::<u64>::new(&heap);
                let essential =
                    Essential::<false> { heap: &heap, page: &page, deferred: &Deferred::NONE };
                let wide = search.dominators(&essential, &mut Vec::new()).0;
                let edges = edges as usize;
                for spare in [0, edges / 4, edges / 2, edges, 2 * (edges + nodes as usize)] {
                    let (spare, case) = (&mut vec![7; spare], (nodes, edges, spare));
                    let search = || SearchOf::<u32>::new(&heap).0;
                    let narrow = search().dominators(&essential, spare).0;
                    assert_eq!(narrow, wide, "nodes, edges, spare: {case:?}");
                    let found = search().with_positions_of::<4, false>(&essential, spare).0;
                    assert_eq!(found, wide, "nodes, edges, spare: {case:?}");
                    let (search, _) = SearchOf::<u64>::new(&heap);
                    let found = search.with_positions_of::<4, false>(&essential, spare).0;
                    assert_eq!(found, wide, "nodes, edges, spare: {case:?}");
                }
            }
        }
    }
}
