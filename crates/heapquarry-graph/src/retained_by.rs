//! What only detached nodes, the console, event handlers or variables of functions keep alive: what cannot be reached
//! from the root without them. DevTools: `createNamedFilter`.

use crate::{
    Bits, DETACHED, EdgeName, EdgeType, FixedBits, Heap, NodeIndex, NodeType, UNREACHED,
    edges::{NOT_FOLLOWED, PAIR, is_strong},
    heap::leading_integer,
    known::Role,
};

/// What keeps objects alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Keeper {
    /// Detached DOM nodes.
    DetachedNodes,
    /// The DevTools console: results that it shows, and what was logged.
    Console,
    /// Functions that listen to DOM events.
    EventHandlers,
    /// Contexts: the variables that functions capture.
    Contexts,
}

impl Keeper {
    /// All of them.
    pub const ALL: [Keeper; 4] =
        [Keeper::DetachedNodes, Keeper::Console, Keeper::EventHandlers, Keeper::Contexts];
}

/// For each [`Keeper`], the nodes that nothing else keeps alive.
#[derive(Clone, Debug)]
pub struct RetainedBy {
    by: [FixedBits; 4],
}

impl RetainedBy {
    /// In the order of [`Keeper::ALL`].
    pub(crate) fn from_bits(by: [FixedBits; 4]) -> Self {
        RetainedBy { by }
    }

    /// Whether nothing but this keeps a node alive.
    #[inline]
    pub fn get(&self, keeper: Keeper, node: NodeIndex) -> bool {
        self.nodes(keeper).get(node)
    }

    /// The nodes that nothing but this keeps alive.
    #[inline]
    pub fn nodes(&self, keeper: Keeper) -> &FixedBits {
        &self.by[keeper as usize]
    }
}

/// For each [`Keeper`], the nodes that the root reaches without it. None for one that there is nothing of.
#[derive(Clone, Debug)]
pub(crate) struct Keepers {
    reached: [Option<Bits>; 4],
}

/// The nodes that only a keeper keeps alive. `states` is the result of [`detachedness`](crate::detachedness),
/// `distances` that of [`distances`](crate::distances).
pub fn retained_by(heap: &Heap, states: &[u8], distances: &[i32]) -> RetainedBy {
    Keepers::new(heap, states).retained(heap, distances)
}

impl Keepers {
    pub(crate) fn new(heap: &Heap, states: &[u8]) -> Self {
        let mut detached = heap.no_nodes();
        for node in heap.nodes().all() {
            if states[node.position()] == DETACHED {
                detached.set(node);
            }
        }
        let mut handlers = heap.no_nodes();
        // DevTools marks the names of detached nodes, and then no longer takes them for listeners.
        let is_marked = |node| heap.nodes().kind(node) == NodeType::Native && detached.get(node);
        let is_listener =
            |node: &NodeIndex| heap.role(*node) == Role::EventListener && !is_marked(*node);
        let listeners = heap.nodes().all().filter(is_listener);
        listeners.filter_map(|node| handler(heap, node)).for_each(|node| handlers.set(node));
        let synthetic = |node: &NodeIndex| heap.nodes().kind(*node) == NodeType::Synthetic;
        let edges = heap.nodes().all().filter(synthetic).flat_map(|node| heap.edges().of(node));
        let console = edges.filter(|&edge| is_of_console(heap, edge)).collect();
        let mut contexts = heap.no_nodes();
        for node in heap.nodes().all().filter(|&node| heap.role(node) == Role::Scope) {
            contexts.set(node);
        }
        let without = |nodes: Bits, edges: Vec<usize>| {
            let is_nothing = nodes.count() == 0 && edges.is_empty() && has_strong_roots(heap);
            (!is_nothing).then(|| reached(heap, &nodes, &edges))
        };
        let reached = [
            without(detached, Vec::new()),
            without(heap.no_nodes(), console),
            without(handlers, Vec::new()),
            without(contexts, Vec::new()),
        ];
        Keepers { reached }
    }

    pub(crate) fn retained(self, heap: &Heap, distances: &[i32]) -> RetainedBy {
        let kept = |reached: Option<Bits>| {
            let mut kept = heap.no_nodes();
            let Some(reached) = reached else { return kept };
            for (node, &distance) in heap.nodes().all().zip(distances) {
                if distance != UNREACHED && !reached.get(node) {
                    kept.set(node);
                }
            }
            kept
        };
        RetainedBy { by: self.reached.map(|reached| kept(reached).into()) }
    }
}

/// Whether the root holds all its targets. Otherwise a global object has a distance although nothing may hold it. V8
/// writes no weak edges there.
fn has_strong_roots(heap: &Heap) -> bool {
    let edges = heap.edges();
    heap.nodes().is_empty() || edges.of(heap.root()).all(|edge| edges.is_strong(edge))
}

/// The nodes that can be reached from the root without these nodes, and without these edges of grouping nodes.
pub(crate) fn reached(heap: &Heap, without: &Bits, without_edges: &[usize]) -> Bits {
    let mut reached = heap.no_nodes();
    if heap.nodes().is_empty() {
        return reached;
    }
    reached.set(heap.root());
    spread(heap, &mut reached, |owner, edge, target| {
        !without.get(target)
            && (without_edges.is_empty()
                || heap.nodes().kind(owner) != NodeType::Synthetic
                || without_edges.binary_search(&edge).is_err())
    });
    reached
}

/// The nodes that no path of strong references from the root leads to, given the [distances](crate::distances): the
/// rules of distances ignore some references.
pub fn unreachable(heap: &Heap, distances: &[i32]) -> Bits {
    let mut unreachable = heap.no_nodes();
    if heap.nodes().is_empty() {
        return unreachable;
    }
    if !has_strong_roots(heap) {
        let reached = reached(heap, &heap.no_nodes(), &[]);
        let left = heap.nodes().all().filter(|&node| !reached.get(node));
        left.for_each(|node| unreachable.set(node));
        return unreachable;
    }
    for (node, _) in heap.nodes().all().zip(distances).filter(|(_, d)| **d == UNREACHED) {
        unreachable.set(node);
    }
    if unreachable.count() == 0 {
        return unreachable;
    }
    // Only the edges that distances ignore can lead from a node with a distance to one without.
    let edges = heap.edges();
    let is_ignored = |&(_, kind): &(usize, &u8)| kind & (NOT_FOLLOWED | PAIR) != 0;
    let ignored = edges.kinds.iter().enumerate().filter(is_ignored).map(|(edge, _)| edge);
    let enters = |&edge: &usize| {
        edges.is_strong(edge)
            && distances[edges.target(edge).position()] == UNREACHED
            && distances[edges.owner(edge).position()] != UNREACHED
    };
    let mut found: Vec<NodeIndex> = ignored.filter(enters).map(|edge| edges.target(edge)).collect();
    while let Some(node) = found.pop() {
        if unreachable.get(node) {
            unreachable.clear(node);
            let below = edges.of(node).filter(|&edge| edges.is_strong(edge));
            found.extend(below.map(|edge| edges.target(edge)).filter(|&to| unreachable.get(to)));
        }
    }
    unreachable
}

/// The nodes that the stack refers to: local variables and arguments of functions that run, and what the engine holds
/// while they do.
pub fn stack_roots(heap: &Heap) -> Bits {
    let mut found = heap.no_nodes();
    let edges = heap.edges();
    for node in heap.nodes().all().filter(|&node| heap.role(node) == Role::StackRoots) {
        if heap.nodes().kind(node) == NodeType::Synthetic {
            for edge in edges.of(node).filter(|&edge| edges.is_strong(edge)) {
                found.set(edges.target(edge));
            }
        }
    }
    found
}

/// Adds what strong references that pass lead to. In file order, which is the order of the edges; earlier nodes are
/// pushed to a stack. DevTools: `bfs`.
fn spread(heap: &Heap, reached: &mut Bits, passes: impl Fn(NodeIndex, usize, NodeIndex) -> bool) {
    let edges = heap.edges();
    let mut behind = Vec::new();
    for at in heap.nodes().all() {
        if !reached.get(at) {
            continue;
        }
        behind.push(at);
        while let Some(node) = behind.pop() {
            let range = edges.of(node);
            let ends = edges.kinds[range.clone()].iter().zip(&edges.targets[range.clone()]);
            for ((&kind, &target), edge) in ends.zip(range) {
                if is_strong(kind) && !reached.get(target) && passes(node, edge, target) {
                    reached.set(target);
                    if target < at {
                        behind.push(target);
                    }
                }
            }
        }
    }
}

/// The function of a listener, or the object with the method `handleEvent`, or what else is called.
fn handler(heap: &Heap, listener: NodeIndex) -> Option<NodeIndex> {
    let edges = heap.edges();
    let callback = named(heap, listener, "1")?;
    if named(heap, callback, "code").is_some() {
        return Some(callback);
    }
    let targets = edges.of(callback).filter(|&edge| edges.kind(edge) != EdgeType::Missing);
    let mut targets = targets.map(|edge| edges.target(edge));
    Some(targets.find(|&target| named(heap, target, "code").is_some()).unwrap_or(callback))
}

/// The target of a node's first edge with that name or index. DevTools: `getEdgeTarget`.
fn named(heap: &Heap, node: NodeIndex, name: &str) -> Option<NodeIndex> {
    let edges = heap.edges();
    let is_it = |edge: &usize| match heap.edge_name(*edge) {
        _ if edges.kind(*edge) == EdgeType::Missing => false,
        EdgeName::Index(index) => index.to_string() == name,
        EdgeName::Text(text) if edges.kind(*edge) == EdgeType::Shortcut => {
            leading_integer(text).map_or(text == name, |number| number.to_string() == name)
        }
        EdgeName::Text(text) => text == name,
    };
    edges.of(node).find(is_it).map(|edge| edges.target(edge))
}

fn is_of_console(heap: &Heap, edge: usize) -> bool {
    let kind = heap.edges().kind(edge);
    match heap.edge_name(edge) {
        EdgeName::Text(text) => {
            let is_number = kind == EdgeType::Shortcut && leading_integer(text).is_some();
            text.ends_with(" / DevTools console") && !is_number
        }
        EdgeName::Index(_) => false,
    }
}
