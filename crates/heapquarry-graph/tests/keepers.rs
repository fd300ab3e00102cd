//! Native contexts and what keeps objects alive, against the plainest way to the same answer on small random heaps.

use heapquarry_graph::{
    EdgeType, Heap, HeapBuilder, Keeper, NodeIndex, NodeType, Realm, RealmSum, Realms, UNREACHED,
    analyze_attributed, analyze_in_place, shallow_sizes,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Type, name and state.
const NODES: [(&str, &str, u8); 14] = [
    ("object", "Object", 0),
    ("object", "Foo", 0),
    ("hidden", "system / NativeContext", 0),
    ("hidden", "system / NativeContext / https://a", 0),
    ("hidden", "Detached system / NativeContext", 0),
    ("hidden", "Detached system / NativeContext / https://b", 0),
    ("object shape", "system / Map", 0),
    ("synthetic", "(Global handles)", 0),
    ("synthetic", "(Stack roots)", 0),
    ("native", "V8EventListener", 0),
    ("object", "system / Context / scope @3", 0),
    ("native", "Div", 2),
    ("closure", "f", 0),
    ("native", "V8EventListener", 2),
];
const EDGES: [(EdgeType, &str); 13] = [
    (EdgeType::Internal, "map"),
    (EdgeType::Internal, "map"),
    (EdgeType::Internal, "native_context"),
    (EdgeType::Element, "1"),
    (EdgeType::Internal, "code"),
    (EdgeType::Property, "x"),
    (EdgeType::Weak, "w"),
    (EdgeType::Shortcut, "1"),
    // The name of a shortcut is a number if it begins as one.
    (EdgeType::Shortcut, "01"),
    (EdgeType::Shortcut, "code"),
    (EdgeType::Property, "1x"),
    (EdgeType::Internal, "3 / DevTools console"),
    (EdgeType::Internal, "sloppy_function_map"),
];

#[derive(Clone, Debug)]
struct Plan {
    nodes: Vec<(usize, u64)>,
    edges: Vec<(usize, usize, usize)>,
    root: usize,
}

impl Plan {
    fn build(&self) -> Heap {
        let mut builder = HeapBuilder::new();
        for (at, &(kind, size)) in self.nodes.iter().enumerate() {
            let is_root = at == self.root;
            let (kind, name, state) = if is_root { ("synthetic", "", 0) } else { NODES[kind] };
            let node = builder.node(kind, name, size);
            builder.detachedness(node, state);
        }
        builder.root(NodeIndex::at(self.root));
        for &(from, kind, to) in &self.edges {
            let (kind, name) = EDGES[kind];
            builder.edge(NodeIndex::at(from), kind, name, NodeIndex::at(to));
        }
        builder.build()
    }
}

fn plans() -> impl Strategy<Value = Plan> {
    (2..24usize).prop_flat_map(|nodes| {
        let node = (0..NODES.len(), 0..100u64);
        let edge = (0..nodes, 0..EDGES.len(), 0..nodes);
        let root = prop_oneof![3 => Just(0), 1 => 0..nodes];
        (prop::collection::vec(node, nodes), prop::collection::vec(edge, 0..nodes * 4), root)
            .prop_map(|(nodes, edges, root)| Plan { nodes, edges, root })
    })
}

/// Owner, type, name and target of each edge.
fn edges(heap: &Heap) -> Vec<(NodeIndex, EdgeType, String, NodeIndex)> {
    let edges = heap.edges();
    let edge = |e| (edges.owner(e), edges.kind(e), heap.edge_name(e).to_string(), edges.target(e));
    (0..edges.len()).map(edge).collect()
}

fn is_context(heap: &Heap, node: NodeIndex) -> bool {
    let name = heap.node_name(node);
    name.strip_prefix("Detached ").unwrap_or(name).starts_with("system / NativeContext")
}

/// All that a node is reached from, until nothing changes.
fn naive_realms(heap: &Heap) -> Vec<Realm> {
    let all = edges(heap);
    let target = |node: NodeIndex, name: &str, wanted: &dyn Fn(NodeIndex) -> bool| {
        let is_it = |(from, kind, named, to): &&(NodeIndex, EdgeType, String, NodeIndex)| {
            *from == node && *kind == EdgeType::Internal && named == name && wanted(*to)
        };
        all.iter().find(is_it).map(|edge| edge.3)
    };
    let fixed = |node: NodeIndex| {
        if is_context(heap, node) {
            return Some(node);
        }
        let meta = target(target(node, "map", &|_| true)?, "map", &|_| true)?;
        target(meta, "native_context", &|to| is_context(heap, to))
    };
    let mut reached: Vec<BTreeSet<NodeIndex>> =
        heap.nodes().all().map(|node| fixed(node).into_iter().collect()).collect();
    loop {
        let before = reached.clone();
        for (from, kind, _, to) in &all {
            let passes = !matches!(kind, EdgeType::Weak | EdgeType::Shortcut);
            if passes && fixed(*to).is_none() {
                let more = before[from.position()].clone();
                reached[to.position()].extend(more);
            }
        }
        if reached == before {
            break;
        }
    }
    let realm = |contexts: BTreeSet<NodeIndex>| match contexts.len() {
        0 => Realm::None,
        1 => Realm::Context(*contexts.first().expect("there is one")),
        _ => Realm::Shared,
    };
    reached.into_iter().map(realm).collect()
}

/// What can be reached from the root.
fn naive_reach(
    heap: &Heap,
    passes: impl Fn(NodeIndex, &str, NodeIndex) -> bool,
) -> BTreeSet<NodeIndex> {
    let all = edges(heap);
    let mut reached = BTreeSet::from([heap.root()]);
    loop {
        let more: Vec<NodeIndex> = all
            .iter()
            .filter(|(from, kind, name, to)| {
                reached.contains(from) && *kind != EdgeType::Weak && passes(*from, name, *to)
            })
            .map(|edge| edge.3)
            .filter(|to| !reached.contains(to))
            .collect();
        if more.is_empty() {
            return reached;
        }
        reached.extend(more);
    }
}

fn naive_handlers(heap: &Heap, states: &[u8]) -> BTreeSet<NodeIndex> {
    let all = edges(heap);
    let named = |node: NodeIndex, name: &str| {
        let is_it = |edge: &&(NodeIndex, EdgeType, String, NodeIndex)| {
            let text = edge.2.trim_start_matches('0');
            edge.0 == node && name == if edge.1 == EdgeType::Shortcut { text } else { &edge.2 }
        };
        all.iter().find(is_it).map(|edge| edge.3)
    };
    let listeners = heap
        .nodes()
        .all()
        .filter(|n| heap.node_name(*n) == "V8EventListener" && states[n.position()] != 2);
    let handler = |listener: NodeIndex| {
        let callback = named(listener, "1")?;
        let below = all.iter().filter(|edge| edge.0 == callback).map(|edge| edge.3);
        let mut candidates = std::iter::once(callback).chain(below);
        Some(candidates.find(|node| named(*node, "code").is_some()).unwrap_or(callback))
    };
    listeners.filter_map(handler).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn realms_and_keepers(plan in plans()) {
        let heap = plan.build();
        let analysis = analyze_attributed(&heap, Realms::All, 2);
        let attribution = analysis.attribution.as_ref().expect("it is wanted");
        let native_contexts = attribution.native_contexts.as_ref().expect("all are wanted");
        let realms: Vec<Realm> =
            heap.nodes().all().map(|node| native_contexts.of(node)).collect();
        prop_assert_eq!(&realms, &naive_realms(&heap));
        let sizes = shallow_sizes(&heap);
        let contexts = heap.nodes().all().filter(|node| is_context(&heap, *node));
        let several = analyze_attributed(&heap, Realms::OfSeveral, 1).attribution;
        let several = several.expect("it is wanted").native_contexts;
        prop_assert_eq!(several.is_some(), contexts.clone().count() > 1);
        if let Some(several) = several {
            prop_assert_eq!(several.sums(&sizes), native_contexts.sums(&sizes));
        }
        let expected: Vec<RealmSum> = contexts
            .map(Realm::Context)
            .chain([Realm::Shared, Realm::None])
            .map(|realm| {
                let nodes = heap.nodes().all().filter(|n| realms[n.position()] == realm);
                let shallow_size = nodes.clone().map(|n| sizes.get(n.position())).sum();
                RealmSum { realm, count: nodes.count() as u64, shallow_size }
            })
            .collect();
        prop_assert_eq!(native_contexts.sums(&sizes), expected);

        let handlers = naive_handlers(&heap, &analysis.detachedness);
        let synthetic = |node| heap.nodes().kind(node) == NodeType::Synthetic;
        for keeper in Keeper::ALL {
            let reached = naive_reach(&heap, |from, name, to| match keeper {
                Keeper::DetachedNodes => analysis.detachedness[to.position()] != 2,
                Keeper::Console => !(synthetic(from) && name.ends_with(" / DevTools console")),
                Keeper::EventHandlers => !handlers.contains(&to),
                Keeper::Contexts => !heap.node_name(to).starts_with("system / Context"),
            });
            for node in heap.nodes().all() {
                let is_kept =
                    !reached.contains(&node) && analysis.distances[node.position()] != UNREACHED;
                prop_assert_eq!(attribution.retained_by.get(keeper, node), is_kept, "{:?}", keeper);
            }
        }
        let reached = naive_reach(&heap, |_, _, _| true);
        let on_stack: BTreeSet<NodeIndex> = edges(&heap)
            .into_iter()
            .filter(|(from, kind, ..)| {
                heap.node_name(*from) == "(Stack roots)" && *kind != EdgeType::Weak
            })
            .map(|edge| edge.3)
            .collect();
        for node in heap.nodes().all() {
            prop_assert_eq!(attribution.unreachable.get(node), !reached.contains(&node));
            prop_assert_eq!(attribution.stack_roots.get(node), on_stack.contains(&node));
        }
    }
}

/// More native contexts than a byte can number.
#[test]
fn hundreds_of_native_contexts() {
    for count in [252, 253, 254, 600] {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let mut own = Vec::new();
        let shared = builder.node("string", "shared", 8);
        for _ in 0..count {
            let context = builder.node("hidden", "system / NativeContext", 8);
            let text = builder.node("string", "own", 8);
            builder.edge(root, EdgeType::Element, "1", context);
            builder.edge(context, EdgeType::Internal, "text", text);
            builder.edge(context, EdgeType::Internal, "shared", shared);
            own.push((context, text));
        }
        let mut heap = builder.build();
        for in_place in [false, true] {
            let analysis = match in_place {
                true => analyze_in_place(&mut heap, true, 2),
                false => analyze_attributed(&heap, Realms::All, 1),
            };
            let attribution = analysis.attribution.expect("it is wanted");
            let realms = attribution.native_contexts.expect("all are wanted");
            assert_eq!(realms.contexts.len(), count);
            assert!(own.iter().all(|&(context, text)| realms.of(text) == Realm::Context(context)));
            assert_eq!(realms.of(shared), Realm::Shared);
            assert_eq!(realms.of(root), Realm::None);
        }
    }
}
