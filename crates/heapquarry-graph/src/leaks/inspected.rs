//! What waits for a snapshot that the program takes of itself: `await session.post('HeapProfiler.takeHeapSnapshot')`.
//!
//! A session of `node:inspector` keeps a callback for each call until it is answered. The callback settles a promise,
//! and so it leads to the functions that await this promise, and to those that await these. They run, but hang from the
//! session and not from a stack.

use super::momentary::is_generator;
use crate::{EdgeName, EdgeType, HashSet, Heap, NodeIndex, NodeType, heap::internal, known::Role};

/// Nodes from the root to connections of sessions. Of Node 22 the root holds these itself.
const TO_CONNECTIONS: [&str; 3] =
    ["Node / Environment", "Node / PrincipalRealm", "Node / BaseObjectList"];
const CONNECTION: &str = "Node / JSBindingsConnection";
/// Nodes that are followed from a call, at most: who awaits whom is a short chain.
const MOST: usize = 1000;

/// Calls of sessions that are not answered.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The storage of their callbacks.
    pub(super) owners: Vec<NodeIndex>,
    /// The callbacks, and the states of functions that wait for them.
    pub(super) waiting: Vec<NodeIndex>,
}

pub(super) fn pending(heap: &Heap) -> Pending {
    let mut found = Pending::default();
    if heap.nodes().is_empty() {
        return found;
    }
    let mut on_the_way = vec![heap.root()];
    let mut seen = HashSet::default();
    while let Some(node) = on_the_way.pop() {
        for (_, target) in targets(heap, node) {
            match heap.node_name(target) {
                CONNECTION => found.owners.extend(callbacks(heap, target)),
                name if TO_CONNECTIONS.contains(&name) && seen.insert(target) => {
                    on_the_way.push(target);
                }
                _ => {}
            }
        }
    }
    found.owners.sort_unstable();
    found.owners.dedup();
    for &owner in &found.owners {
        let all = targets(heap, owner).map(|(_, target)| target);
        found.waiting.extend(all.filter(|&node| heap.nodes().kind(node) == NodeType::Closure));
    }
    let callbacks = found.waiting.clone();
    found.waiting.extend(who_await(heap, &callbacks));
    found
}

/// The storage of the callbacks of the session that has a connection.
fn callbacks(heap: &Heap, connection: NodeIndex) -> Option<NodeIndex> {
    let callback = target(heap, connection, EdgeType::Internal, "callback")?;
    let scope = internal(heap, callback, Role::ContextEdge)?;
    let session = target(heap, scope, EdgeType::Context, "this")?;
    let map = target(heap, session, EdgeType::Property, "#messageCallbacks")?;
    target(heap, map, EdgeType::Internal, "table")
}

/// The states of functions that wait for promises which those functions settle.
fn who_await(heap: &Heap, callbacks: &[NodeIndex]) -> Vec<NodeIndex> {
    let mut found = Vec::new();
    let mut seen: HashSet<NodeIndex> = callbacks.iter().copied().collect();
    let mut todo = Vec::new();
    for &callback in callbacks {
        let scope = internal(heap, callback, Role::ContextEdge);
        let variables = scope.into_iter().flat_map(|scope| targets(heap, scope));
        todo.extend(variables.map(|(_, target)| target).filter(|&node| settles(heap, node)));
    }
    while let Some(node) = todo.pop() {
        if seen.len() >= MOST {
            break;
        }
        if !seen.insert(node) {
            continue;
        }
        let mut add = |node: NodeIndex| {
            todo.extend(
                targets(heap, node).map(|(_, target)| target).filter(|&node| leads(heap, node)),
            );
        };
        if is_generator(heap, node) {
            found.push(node);
            add(node);
        } else if heap.nodes().kind(node) == NodeType::Closure {
            internal(heap, node, Role::ContextEdge).into_iter().for_each(add);
        } else {
            add(node);
        }
    }
    found
}

/// Whether a node is one of those between a promise and who awaits it.
fn leads(heap: &Heap, node: NodeIndex) -> bool {
    settles(heap, node)
        || heap.node_name(node) == "system / PromiseReaction"
        || is_generator(heap, node)
}

/// A promise, or a function of the engine that settles one: these have no name.
fn settles(heap: &Heap, node: NodeIndex) -> bool {
    match heap.nodes().kind(node) {
        NodeType::Closure => heap.node_name(node).is_empty(),
        NodeType::Object => heap.node_name(node) == "Promise",
        _ => false,
    }
}

/// What a node holds, with the edge.
fn targets(heap: &Heap, node: NodeIndex) -> impl Iterator<Item = (usize, NodeIndex)> {
    let edges = heap.edges();
    let strong = edges.of(node).filter(move |&edge| edges.kind(edge) != EdgeType::Weak);
    strong.map(move |edge| (edge, edges.target(edge)))
}

fn target(heap: &Heap, node: NodeIndex, kind: EdgeType, name: &str) -> Option<NodeIndex> {
    let is_it = |&(edge, _): &(usize, NodeIndex)| {
        heap.edges().kind(edge) == kind && heap.edge_name(edge) == EdgeName::Text(name)
    };
    targets(heap, node).find(is_it).map(|(_, target)| target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;

    /// A heap in which `take` awaits a call of a session, and `run` awaits `take`; the nodes of the names.
    fn found(way: &[&str]) -> (Pending, Vec<NodeIndex>) {
        let mut builder = HeapBuilder::new();
        let b = &mut builder;
        let mut holder = b.node("synthetic", "", 0);
        for name in way.iter().chain(&[CONNECTION]) {
            let node = b.node("native", name, 8);
            b.edge(holder, EdgeType::Internal, name, node);
            holder = node;
        }
        let mut chain = |kind: &str, class: &str, edge: EdgeType, name: &str| {
            let node = b.node(kind, class, 8);
            b.edge(holder, edge, name, node);
            holder = node;
            node
        };
        let scope = "system / Context";
        chain("closure", "onMessage", EdgeType::Internal, "callback");
        chain("object", scope, EdgeType::Internal, "context");
        chain("object", "Session", EdgeType::Context, "this");
        chain("object", "Map", EdgeType::Property, "#messageCallbacks");
        let table = chain("array", "", EdgeType::Internal, "table");
        let callback = chain("closure", "callback", EdgeType::Internal, "4");
        let variables = chain("object", scope, EdgeType::Internal, "context");
        chain("closure", "", EdgeType::Context, "resolve");
        chain("object", scope, EdgeType::Internal, "context");
        let mut states = Vec::new();
        for _ in 0..2 {
            chain("object", "Promise", EdgeType::Hidden, "1");
            chain("hidden", "system / PromiseReaction", EdgeType::Internal, "reactions_or_result");
            chain("closure", "", EdgeType::Hidden, "1");
            chain("object", scope, EdgeType::Internal, "context");
            states.push(chain("object", "Generator", EdgeType::Internal, "extension"));
        }
        // States of functions that are only variables wait for something else.
        let other = b.node("object", "Generator", 8);
        b.edge(variables, EdgeType::Context, "other", other);
        for state in states.iter().chain(&[other]) {
            let registers = b.node("array", "", 8);
            b.edge(*state, EdgeType::Internal, "parameters_and_registers", registers);
        }
        (pending(&builder.build()), [vec![table, callback], states].concat())
    }

    #[test]
    fn who_awaits_a_snapshot_is_found_from_its_call() {
        for way in [&[][..], &TO_CONNECTIONS] {
            let (found, expected) = found(way);
            assert_eq!([found.owners, found.waiting].concat(), expected, "{way:?}");
        }
    }

    #[test]
    fn other_natives_lead_to_no_call() {
        let (found, _) = found(&["Node / Worker"]);
        assert!(found.owners.is_empty() && found.waiting.is_empty(), "{found:?}");
    }
}
