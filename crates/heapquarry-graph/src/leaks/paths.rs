//! The way to an object that a program would write. It is usually not the shortest path: that leads through caches of
//! the engine and its handles.

use super::{jsc, kinds::Kinds, names::is_global, words::Word, words::Words};
use crate::{
    Column,
    EdgeType::*,
    HashSet, Heap, NodeIndex, NodeType, Packed, PackedColumn,
    edges::{TYPE, is_strong},
    known::Role,
};
use std::ops::Deref;

/// What a step over the engine costs.
const ENGINE: u32 = 60;
/// What a step costs from what V8 holds for a moment to an object: the variable that holds it says more.
const MOMENT: u32 = 4 * ENGINE;
/// What the root's shortcut to a global object costs, and in JavaScriptCore a step from the root or from code to an
/// object: such steps are used only if no other path exists.
const SHORTCUT: u32 = 10 * ENGINE;
/// No step costs more.
const MOST: u32 = SHORTCUT + ENGINE;
const UNSEEN: u32 = u32::MAX;
/// Steps of a path that are told.
const LONGEST: usize = 60;

/// The cheapest ways from the root.
#[derive(Clone, Debug)]
pub(crate) struct Cheapest {
    pub(crate) costs: Column<u32>,
    /// The edge by which each node is reached; the number of edges where a way begins.
    pub(crate) edges: PackedColumn,
}

/// A step from a node up to the one that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Up {
    pub(crate) edge: usize,
    /// The node that is held.
    pub(crate) node: NodeIndex,
    pub(crate) holder: NodeIndex,
}

impl Cheapest {
    /// Searches until all of these nodes are reached as cheaply as they can be. Nodes of one cost are taken in the
    /// order in which they are found.
    ///
    /// In JavaScriptCore ways also begin at variables of files, to which nothing leads; they cost as much as what V8
    /// holds for a moment. What is not reached from there has a way from what has it as a field.
    pub(crate) fn new(heap: &Heap, words: &Words, kinds: &Kinds, wanted: &[NodeIndex]) -> Self {
        let mut starts: Vec<(NodeIndex, u32)> =
            jsc::files(heap).into_iter().map(|scope| (scope, MOMENT)).collect();
        let found = Self::search(heap, words, kinds, wanted.iter().copied(), &starts, 0);
        let is_left = |node: NodeIndex| found.cost(node).is_none();
        if !jsc::is_of_jsc(heap) || !wanted.iter().any(|&node| is_left(node)) {
            return found;
        }
        let left: HashSet<NodeIndex> =
            wanted.iter().copied().filter(|&node| is_left(node)).collect();
        let edges = heap.edges();
        let has_one = |node: &NodeIndex| {
            edges.of(*node).any(|edge| {
                matches!(edges.kind(edge), Property | Context) && left.contains(&edges.target(edge))
            })
        };
        let holders = heap.nodes().all().filter(|&node| is_left(node)).filter(has_one);
        starts.extend(holders.map(|node| (node, MOST)));
        Self::search(heap, words, kinds, wanted.iter().copied(), &starts, 0)
    }

    /// Searches like [`Self::new`]. A step from a root of the engine to an object costs at least `handle`, unless that
    /// is a global one: no program writes such a step.
    pub(crate) fn with_handles(
        heap: &Heap,
        words: &Words,
        kinds: &Kinds,
        wanted: impl Iterator<Item = NodeIndex>,
        handle: u32,
    ) -> Self {
        Self::search(heap, words, kinds, wanted, &[], handle)
    }

    fn search(
        heap: &Heap,
        words: &Words,
        kinds: &Kinds,
        wanted: impl Iterator<Item = NodeIndex>,
        starts: &[(NodeIndex, u32)],
        handle: u32,
    ) -> Self {
        debug_assert!(handle <= MOST, "the queue is that long");
        let nodes = heap.nodes.len();
        let mut edges = if u32::try_from(heap.edges().len()).is_ok() {
            Packed::Narrow(vec![0; nodes])
        } else {
            Packed::Wide(vec![0; nodes])
        };
        let mut costs = vec![UNSEEN; nodes];
        let mut is_wanted = heap.no_nodes();
        let mut left = 0usize;
        for node in wanted {
            left += usize::from(!is_wanted.get(node));
            is_wanted.set(node);
        }
        if nodes == 0 {
            return Cheapest { costs: costs.into(), edges: edges.into() };
        }
        let mut settled = heap.no_nodes();
        // Costs in the queue lie less than this far apart.
        let mut queue: Vec<Vec<NodeIndex>> = vec![Vec::new(); MOST as usize + 1];
        costs[heap.root().position()] = 0;
        queue[0].push(heap.root());
        for &(start, cost) in starts {
            costs[start.position()] = cost;
            edges.set(start.position(), heap.edges().len() as u64);
            queue[cost as usize].push(start);
        }
        let (mut cost, mut queued) = (0u32, 1 + starts.len());
        while queued > 0 && left > 0 {
            let bucket = std::mem::take(&mut queue[cost as usize % (MOST as usize + 1)]);
            queued -= bucket.len();
            for node in bucket {
                if settled.get(node) || costs[node.position()] != cost {
                    continue;
                }
                settled.set(node);
                left -= usize::from(is_wanted.get(node));
                for edge in heap.edges().of(node) {
                    let target = heap.edges().targets[edge];
                    if !is_strong(heap.edges().kinds[edge]) || settled.get(target) {
                        continue;
                    }
                    let step = step_cost(heap, words, kinds, node, edge, target, handle);
                    let next = cost.saturating_add(step);
                    if next < costs[target.position()] {
                        costs[target.position()] = next;
                        edges.set(target.position(), edge as u64);
                        queue[next as usize % (MOST as usize + 1)].push(target);
                        queued += 1;
                    }
                }
            }
            cost = cost.saturating_add(1);
        }
        Cheapest { costs: costs.into(), edges: edges.into() }
    }

    /// The way up from a node.
    pub(super) fn up(&self, heap: &Heap, node: NodeIndex) -> Vec<Up> {
        let mut steps = Vec::new();
        let mut at = node;
        while steps.len() < LONGEST
            && let Some(up) = self.step_up(heap, at)
        {
            steps.push(up);
            at = up.holder;
        }
        steps
    }

    /// The last step of the way to a node; `None` for the root and what is not reached.
    pub(crate) fn step_up(&self, heap: &Heap, node: NodeIndex) -> Option<Up> {
        let edge = self.edge_up(heap, node)?;
        Some(Up { edge, node, holder: heap.edges().owner(edge) })
    }

    /// The edge of the last step of the way to a node; `None` for the root and what is not reached.
    pub(crate) fn edge_up(&self, heap: &Heap, node: NodeIndex) -> Option<usize> {
        if node == heap.root() || self.costs[node.position()] == UNSEEN {
            return None;
        }
        Some(self.edges.get(node.position()) as usize).filter(|&edge| edge < heap.edges().len())
    }

    /// What the way to a node costs, if it is reached.
    pub(crate) fn cost(&self, node: NodeIndex) -> Option<u32> {
        Some(self.costs[node.position()]).filter(|&cost| cost != UNSEEN)
    }
}

/// What a step costs; at least `handle` if it leads from a root of the engine to an object, unless to a global one.
pub(crate) fn step_cost(
    heap: &Heap,
    words: &Words,
    kinds: &Kinds<impl Deref<Target = [u8]>>,
    node: NodeIndex,
    edge: usize,
    target: NodeIndex,
    handle: u32,
) -> u32 {
    if handle > 0
        && heap.nodes.kind(node) == NodeType::Synthetic
        && kinds.is_visible(target)
        && !is_global(heap, kinds, target)
    {
        return handle;
    }
    if kinds.is_object(target) && is_momentary(heap.role(node)) {
        return MOMENT.max(handle);
    }
    if kinds.is_object(target) && is_by_chance(heap, kinds, node, target) {
        return SHORTCUT.max(handle);
    }
    let word = words.get(heap.edges().string(edge));
    let cost = match heap.edges().kinds[edge] & TYPE {
        t if t == Property as u8 => match word {
            Word::Proto | Word::Constructor => 20,
            _ if kinds.is_function(node) => 4,
            _ => 2,
        },
        t if t == Context as u8 => 2,
        t if t == Element as u8 => 3,
        t if t == Shortcut as u8 => SHORTCUT,
        t if t == Internal as u8 => match word {
            Word::Previous => 6,
            Word::Context
            | Word::Table
            | Word::Elements
            | Word::Properties
            | Word::Reactions
            | Word::NativeContext => 2,
            _ if !kinds.is_engine(target) && !kinds.is_engine(node) => 3,
            _ => ENGINE,
        },
        _ => ENGINE,
    };
    if kinds.is_engine(target) { cost + ENGINE } else { cost }
}

/// Whether a node is a root that holds what V8 works with. See [`super::momentary`].
fn is_momentary(root: Role) -> bool {
    matches!(root, Role::StackRoots | Role::HandleScope | Role::StrongRoots)
}

/// Whether it is by chance that JavaScriptCore has a reference to an object: in code, or from the root, which leads to
/// what stacks and native code have in hand.
fn is_by_chance(
    heap: &Heap,
    kinds: &Kinds<impl Deref<Target = [u8]>>,
    node: NodeIndex,
    target: NodeIndex,
) -> bool {
    let is_by_root = || jsc::is_of_jsc(heap) && !is_global(heap, kinds, target);
    (kinds.is_engine(node) && jsc::is_code(heap, node)) || (node == heap.root() && is_by_root())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;

    const OBJECT: (&str, &str) = ("object", "Foo");
    const CLOSURE: (&str, &str) = ("closure", "f");
    const ARRAY: (&str, &str) = ("array", "");
    const CODE: (&str, &str) = ("code", "f");
    const CODE_BLOCK: (&str, &str) = ("code", "FunctionCodeBlock");
    const ROOT_OF_JSC: (&str, &str) = ("synthetic", "<root>");
    const STACK: (&str, &str) = ("synthetic", "(Stack roots)");
    const HANDLES: (&str, &str) = ("synthetic", "(Global handles)");
    const PAIR: &str = "1 / part of key (K @9) -> value (V @3) pair in WeakMap (table @7)";

    #[test]
    fn steps_that_a_program_would_write_are_cheap() {
        type End = (&'static str, &'static str);
        let cases: [(End, crate::EdgeType, &str, End, u32); 30] = [
            (OBJECT, Property, "x", OBJECT, 2),
            (CLOSURE, Property, "x", OBJECT, 4),
            (OBJECT, Property, "__proto__", OBJECT, 20),
            (CLOSURE, Property, "constructor", OBJECT, 20),
            (OBJECT, Property, "x", CODE, 2 + ENGINE),
            (OBJECT, Context, "x", OBJECT, 2),
            (OBJECT, Element, "1", OBJECT, 3),
            (OBJECT, Shortcut, "1", OBJECT, SHORTCUT),
            (OBJECT, Internal, "previous", OBJECT, 6),
            (CLOSURE, Internal, "context", OBJECT, 2),
            (OBJECT, Internal, "table", ARRAY, 2),
            (OBJECT, Internal, "elements", ARRAY, 2),
            (OBJECT, Internal, "properties", ARRAY, 2),
            (OBJECT, Internal, "reactions_or_result", OBJECT, 2),
            (OBJECT, Internal, "native_context", OBJECT, 2),
            (OBJECT, Internal, PAIR, OBJECT, 3),
            (ARRAY, Internal, "1", OBJECT, 3),
            (CODE, Internal, "1", OBJECT, ENGINE),
            (OBJECT, Internal, "code", CODE, 2 * ENGINE),
            (CODE, Internal, "code", CODE, 2 * ENGINE),
            (ARRAY, Hidden, "1", OBJECT, ENGINE),
            // More than a way through the engine.
            (STACK, Internal, "1", OBJECT, 240),
            (CODE_BLOCK, Internal, "0", OBJECT, SHORTCUT),
            (CODE_BLOCK, Internal, "0", CLOSURE, ENGINE),
            (ROOT_OF_JSC, Internal, "", OBJECT, SHORTCUT),
            (ROOT_OF_JSC, Internal, "", CLOSURE, 3),
            (ROOT_OF_JSC, Internal, "", ("object", "GlobalObject"), 3),
            (STACK, Internal, "1", CLOSURE, 3),
            (HANDLES, Internal, "1", OBJECT, 3),
            (HANDLES, Element, "1", CODE, 3 + ENGINE),
        ];
        for (from, kind, name, to, expected) in cases {
            let found = cost(from, kind, name, to, 0);
            assert_eq!(found, expected, "{from:?} {kind:?} {name} {to:?}");
            assert!(found <= MOST);
        }
    }

    #[test]
    fn handles_cost_what_is_said() {
        const GLOBAL: (&str, &str) = ("object", "Window / https://a");
        for (from, to, expected) in [
            (HANDLES, OBJECT, 500),
            (STACK, OBJECT, 500),
            // A handle of a global object costs what any step does.
            (HANDLES, GLOBAL, 3),
            (STACK, GLOBAL, 500),
            // No objects of the program.
            (HANDLES, ARRAY, 3),
            (HANDLES, CODE, 3 + ENGINE),
            (OBJECT, OBJECT, 3),
        ] {
            assert_eq!(cost(from, Element, "1", to, 500), expected, "{from:?} {to:?}");
        }
    }

    /// The costs are those found by trying all edges again and again, and each step costs the difference of two costs.
    fn check(heap: &Heap, handle: u32) {
        let words = Words::new(heap.strings(), 1);
        let kinds = Kinds::new(heap, &words, 1);
        let all: Vec<NodeIndex> = heap.nodes().all().collect();
        let edges = heap.edges();
        let step = |edge: usize| {
            let (node, target) = (edges.owner(edge), edges.target(edge));
            step_cost(heap, &words, &kinds, node, edge, target, handle)
        };
        let mut naive: Vec<Option<u32>> = vec![None; all.len()];
        naive[heap.root().position()] = Some(0);
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for edge in (0..edges.len()).filter(|&edge| edges.kind(edge) != Weak) {
                let Some(cost) = naive[edges.owner(edge).position()] else { continue };
                let known = &mut naive[edges.target(edge).position()];
                if known.is_none_or(|known| cost + step(edge) < known) {
                    *known = Some(cost + step(edge));
                    has_changed = true;
                }
            }
        }
        let found = Cheapest::with_handles(heap, &words, &kinds, all.iter().copied(), handle);
        for &node in &all {
            let cost = naive[node.position()];
            assert_eq!(found.cost(node), cost, "{node}");
            match found.step_up(heap, node) {
                Some(up) => {
                    let above = naive[up.holder.position()].expect("reached");
                    assert_eq!(Some(above + step(up.edge)), cost, "{node}");
                }
                None => assert!(node == heap.root() || cost.is_none(), "{node}"),
            }
            // Nothing else need be reached.
            let alone =
                Cheapest::with_handles(heap, &words, &kinds, [node, node].into_iter(), handle);
            assert_eq!(alone.cost(node), cost, "{node}");
        }
    }

    proptest::proptest! {
        #[test]
        fn ways_are_as_cheap_as_can_be(
            plan in crate::leaks::oracle::plans(),
            handle in proptest::sample::select(&[0, 30, MOST]),
        ) {
            check(&plan.build(), handle);
        }
    }

    /// The queue begins again after the most that a step costs.
    #[test]
    fn ways_may_cost_more_than_the_queue_is_long() {
        let mut builder = HeapBuilder::new();
        let nodes: Vec<NodeIndex> = (0..500).map(|_| builder.node("object", "Foo", 8)).collect();
        for pair in nodes.windows(2) {
            builder.edge(pair[0], Property, "next", pair[1]);
        }
        let code = builder.node("code", "f", 8);
        builder.edge(nodes[499], Shortcut, "f", code);
        check(&builder.build(), 0);
    }

    #[test]
    fn the_first_of_equal_ways_is_taken() {
        let mut builder = HeapBuilder::new();
        let [root, a, b, c] = [(); 4].map(|()| builder.node("object", "Foo", 8));
        for (from, to) in [(root, a), (root, b), (b, c), (a, c)] {
            builder.edge(from, Property, "x", to);
        }
        let heap = builder.build();
        let words = Words::new(heap.strings(), 1);
        let kinds = Kinds::new(&heap, &words, 1);
        let holders =
            Cheapest::new(&heap, &words, &kinds, &[c]).up(&heap, c).into_iter().map(|up| up.holder);
        assert_eq!(holders.collect::<Vec<_>>(), [a, root]);
    }

    fn cost(
        from: (&str, &str),
        kind: crate::EdgeType,
        name: &str,
        to: (&str, &str),
        handle: u32,
    ) -> u32 {
        let mut builder = HeapBuilder::new();
        let [node, target] = [from, to].map(|(kind, name)| builder.node(kind, name, 8));
        builder.edge(node, kind, name, target);
        let heap = builder.build();
        let words = Words::new(heap.strings(), 1);
        let kinds = Kinds::new(&heap, &words, 1);
        step_cost(&heap, &words, &kinds, node, 0, target, handle)
    }
}
