//! Immediate dominators: for each node the closest one that every path from the root goes through.
//!
//! Semi-NCA (L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", 2005, 2.2) on nodes
//! numbered in the order of a depth-first search. DevTools: `calculateDominatorsAndRetainedSizes`, which uses Lengauer
//! and Tarjan's algorithm: dominators are unique, so that any right algorithm gives the same.

use crate::{
    Bits, EdgeType, Heap, Packed,
    edges::{FROM_TABLE, TYPE},
};

/// A node that has no number yet.
const NONE: u32 = u32::MAX;

/// The dominator tree. Nodes stand in the order of a depth-first search, so that each stands behind its dominator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dominators {
    /// The nodes in that order: first the root, last those that cannot be reached.
    pub order: Vec<u32>,
    /// For each of them, in the same order, the position of its dominator. The root's own is 0, as is that of nodes
    /// which cannot be reached.
    pub parents: Vec<u32>,
}

impl Dominators {
    /// The dominator of each node, in file order. The root dominates itself.
    pub fn by_node(&self) -> Vec<u32> {
        let mut dominators = vec![0; self.order.len()];
        for (&node, &parent) in self.order.iter().zip(&self.parents) {
            dominators[node as usize] = self.order[parent as usize];
        }
        dominators
    }
}

/// The edges that matter: those without which a node could be freed. DevTools: `computeIsEssentialEdge`.
struct Essential<'a> {
    heap: &'a Heap,
    page: &'a Bits,
}

impl Essential<'_> {
    /// Targets of a node's essential edges from `edge` on, each with the edge after it.
    #[inline]
    fn next(&self, node: Owner, edge: usize, end: usize) -> Option<(u32, usize)> {
        let edges = self.heap.edges();
        (edge..end).find_map(|edge| {
            let target = edges.targets[edge];
            self.holds(node, edges.kinds[edge], target).then_some((target, edge + 1))
        })
    }

    #[inline]
    fn owner(&self, node: u32) -> Owner {
        Owner { node, is_root: node == self.heap.root(), is_page: self.page.get(node) }
    }

    #[inline]
    fn holds(&self, owner: Owner, kind: u8, target: u32) -> bool {
        // Weak ones, and those from the table of a WeakMap: the edges from its keys tell more.
        kind & (TYPE | FROM_TABLE) < EdgeType::Weak as u8
            && target != owner.node
            // Shortcuts mean something at the root only, and what is not the page's does not hold what is: a debugger
            // would change what it looks at.
            && (owner.is_root
                || (kind & TYPE != EdgeType::Shortcut as u8
                    && (owner.is_page || !self.page.get(target))))
    }

    fn for_each(&self, node: u32, mut visit: impl FnMut(u32)) {
        let owner = self.owner(node);
        let edges = self.heap.edges();
        let range = edges.of(node);
        for (&kind, &target) in edges.kinds[range.clone()].iter().zip(&edges.targets[range]) {
            if self.holds(owner, kind, target) {
                visit(target);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Owner {
    node: u32,
    is_root: bool,
    is_page: bool,
}

/// The dominators of a heap, given which nodes are [owned by the page](crate::page_owned).
///
/// Nodes that nothing but weak references point to count as held by the root. Those that still cannot be
/// reached, closed cycles and what hangs from them, have the root for their dominator and dominate nothing.
pub fn dominators(heap: &Heap, page: &Bits) -> Dominators {
    let essential = Essential { heap, page };
    let Search { order, tree, numbers, reached } = search(&essential);
    let predecessors = Predecessors::new(&essential, &order[..reached], &tree, &numbers);
    drop(numbers);
    let parents = semi_nca(tree, reached, &predecessors);
    Dominators { order, parents }
}

/// A depth-first search.
struct Search {
    order: Vec<u32>,
    /// The position of the node that each was reached from.
    tree: Vec<u32>,
    /// The position of each node.
    numbers: Vec<u32>,
    /// How many of `order` were reached.
    reached: usize,
}

fn search(essential: &Essential<'_>) -> Search {
    let nodes = essential.heap.nodes().len();
    let mut search = Search {
        order: Vec::with_capacity(nodes),
        tree: Vec::with_capacity(nodes),
        numbers: vec![NONE; nodes],
        reached: 0,
    };
    if nodes == 0 {
        return search;
    }
    search.visit(essential, essential.heap.root());
    if search.order.len() < nodes {
        // Only nodes that are not reached can point to others that are not.
        let mut held = Bits::new(nodes);
        for node in 0..nodes as u32 {
            if search.numbers[node as usize] == NONE {
                essential.for_each(node, |target| held.set(target));
            }
        }
        for node in 0..nodes as u32 {
            if search.numbers[node as usize] == NONE && !held.get(node) {
                search.visit(essential, node);
            }
        }
    }
    search.reached = search.order.len();
    for node in 0..nodes as u32 {
        if search.numbers[node as usize] == NONE {
            search.order.push(node);
            search.tree.push(0);
        }
    }
    search
}

impl Search {
    /// Searches from `start`, which hangs from the root.
    fn visit(&mut self, essential: &Essential<'_>, start: u32) {
        let edges = essential.heap.edges();
        let open = |node: u32| {
            let range = edges.of(node);
            (essential.owner(node), range.start, range.end)
        };
        let mut stack = vec![open(start)];
        self.number(start, 0);
        while let Some((owner, edge, end)) = stack.last_mut() {
            let Some((target, after)) = essential.next(*owner, *edge, *end) else {
                stack.pop();
                continue;
            };
            *edge = after;
            if self.numbers[target as usize] == NONE {
                let parent = self.numbers[owner.node as usize];
                self.number(target, parent);
                stack.push(open(target));
            }
        }
    }

    fn number(&mut self, node: u32, parent: u32) {
        self.numbers[node as usize] = self.order.len() as u32;
        self.order.push(node);
        self.tree.push(parent);
    }
}

/// For each reached node, by position, the positions of those that point to it, without its parent in the search tree.
struct Predecessors {
    starts: Packed,
    from: Vec<u32>,
}

impl Predecessors {
    fn new(essential: &Essential<'_>, order: &[u32], tree: &[u32], numbers: &[u32]) -> Self {
        let mut counts = vec![0u64; order.len() + 1];
        for (position, &node) in order.iter().enumerate() {
            essential.for_each(node, |target| {
                let target = numbers[target as usize] as usize;
                if tree[target] != position as u32 {
                    counts[target] += 1;
                }
            });
        }
        let mut sum = 0;
        for count in &mut counts {
            sum += *count;
            *count = sum;
        }
        let mut from = vec![0; sum as usize];
        for (position, &node) in order.iter().enumerate() {
            essential.for_each(node, |target| {
                let target = numbers[target as usize] as usize;
                if tree[target] != position as u32 {
                    counts[target] -= 1;
                    from[counts[target] as usize] = position as u32;
                }
            });
        }
        Predecessors { starts: Packed::Wide(counts), from }
    }

    fn of(&self, position: usize) -> &[u32] {
        &self.from[self.starts.get(position) as usize..self.starts.get(position + 1) as usize]
    }
}

/// The dominators' positions, given the search tree.
fn semi_nca(tree: Vec<u32>, reached: usize, predecessors: &Predecessors) -> Vec<u32> {
    let mut semi: Vec<u32> = (0..reached as u32).collect();
    let mut label = semi.clone();
    let mut ancestor = tree[..reached].to_vec();
    let mut path = Vec::new();
    for at in (1..reached).rev() {
        let mut best = tree[at];
        for &from in predecessors.of(at) {
            let candidate = if from as usize <= at {
                from
            } else {
                // The smallest semidominator on the way up to the nodes that are not processed yet.
                let at = at as u32;
                let mut top = from;
                while ancestor[top as usize] > at {
                    path.push(top);
                    top = ancestor[top as usize];
                }
                let (mut smallest, root) = (label[top as usize], ancestor[top as usize]);
                while let Some(node) = path.pop() {
                    let own = label[node as usize];
                    if semi[own as usize] <= semi[smallest as usize] {
                        smallest = own;
                    }
                    label[node as usize] = smallest;
                    ancestor[node as usize] = root;
                }
                semi[smallest as usize]
            };
            best = best.min(candidate);
        }
        semi[at] = best;
    }
    drop((label, ancestor));
    let mut parents = tree;
    for at in 1..reached {
        let mut parent = parents[at];
        while parent > semi[at] {
            parent = parents[parent as usize];
        }
        parents[at] = parent;
    }
    parents
}
