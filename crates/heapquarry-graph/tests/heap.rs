//! What a heap tells of its nodes and edges.

use heapquarry_graph::{
    Confidence, EdgeType, Heap, HeapBuilder, Locations, NodeIndex, NodeType, Nodes, Place,
    Statistics, Strings, detachedness,
};

/// A root that is not the first node, with an element, a property and a hidden reference to a `Thing`.
fn heap() -> (Heap, [NodeIndex; 2]) {
    let mut builder = HeapBuilder::new();
    let thing = builder.node("object", "Thing", 24);
    let root = builder.node("synthetic", "(root)", 0);
    builder.root(root);
    builder.id(thing, 7);
    builder.edge(root, EdgeType::Element, "5", thing);
    builder.edge(root, EdgeType::Property, "thing", thing);
    builder.edge(root, EdgeType::Hidden, "9", thing);
    builder.edge(thing, EdgeType::Weak, "root", root);
    builder.native_size(root, 100);
    (builder.build(), [thing, root])
}

#[test]
fn nodes_are_found_by_their_id() {
    let (heap, [thing, root]) = heap();
    assert_eq!(heap.root(), root);
    let by_id = |id| heap.node_by_id(id);
    assert_eq!([7, 3, 1, 0, Nodes::NO_ID].map(by_id), [Some(thing), Some(root), None, None, None]);
}

#[test]
fn edges_have_an_owner_and_a_name_or_an_index() {
    let (heap, [thing, root]) = heap();
    let edges = heap.edges();
    assert_eq!((edges.of(thing), edges.of(root)), (0..1, 1..4));
    let owners: Vec<NodeIndex> = (0..edges.len()).map(|edge| edges.owner(edge)).collect();
    assert_eq!(owners, [thing, root, root, root]);
    let names: Vec<String> =
        (0..edges.len()).map(|edge| heap.edge_name(edge).to_string()).collect();
    assert_eq!(names, ["root", "5", "thing", "9"]);
    let text = |edge| heap.edge_string(edge).map(|name| heap.strings().get(name));
    assert_eq!([0, 1, 2, 3].map(text), [Some("root"), None, Some("thing"), None]);
    use EdgeType::*;
    let numbered = [Context, Element, Property, Internal, Hidden, Shortcut, Weak];
    let numbered = numbered.map(|kind| edges.is_numbered(kind));
    assert_eq!(numbered, [false, true, false, false, true, false, false]);
}

#[test]
fn what_only_some_files_have() {
    let (heap, [thing, root]) = heap();
    assert_eq!([thing, root].map(|node| heap.nodes().native_size(node)), [Some(0), Some(100)]);
    assert!(!heap.nodes().have_states());
    let mut builder = HeapBuilder::new();
    let node = builder.node("native", "div", 8);
    builder.detachedness(node, 1);
    let heap = builder.build();
    assert!(heap.nodes().have_states());
    assert_eq!(heap.nodes().native_size(node), None);
}

#[test]
fn empty_is_what_has_nothing() {
    let nothing = HeapBuilder::new().build();
    assert!(nothing.nodes().is_empty() && nothing.edges().is_empty());
    assert!(Strings::is_empty(&Vec::<String>::new()) && nothing.strings().is_empty());
    let (something, _) = heap();
    assert!(!something.nodes().is_empty() && !something.edges().is_empty());
    assert!(!something.strings().is_empty());
    let place = |line| Place { script_id: 1, line, column: 0 };
    for count in 0..3 {
        let locations: Locations = (0..count).map(|at| (NodeIndex(at), place(at as i32))).collect();
        assert_eq!((locations.len(), locations.is_empty()), (count as usize, count == 0));
    }
}

#[test]
fn objects_and_functions_have_a_place() {
    for (name, has_place) in
        [("object", true), ("closure", true), ("string", false), ("code", false), ("?", false)]
    {
        assert_eq!(NodeType::by_name(name).has_place(), has_place, "{name}");
    }
}

#[test]
fn reports_use_these_words() {
    let statistics = Statistics {
        total: 1,
        native: 2,
        typed_arrays: 3,
        v8_heap: 4,
        code: 5,
        strings: 6,
        js_arrays: 7,
        system: 8,
    };
    let expected = [
        ("total", 1),
        ("native", 2),
        ("typed_arrays", 3),
        ("v8_heap", 4),
        ("code", 5),
        ("strings", 6),
        ("js_arrays", 7),
        ("system", 8),
    ];
    assert_eq!(statistics.categories(), expected);
    let words = [Confidence::High, Confidence::Medium, Confidence::Low].map(Confidence::name);
    assert_eq!(words, ["high", "medium", "low"]);
}

/// A state passes on to the native objects below that have none: not by weak and hidden references, nor through
/// JavaScript.
#[test]
fn native_objects_have_the_state_of_what_holds_them() {
    use EdgeType::*;
    for (kind, passes) in [
        (Context, true),
        (Element, true),
        (Property, true),
        (Internal, true),
        (Shortcut, true),
        (Hidden, false),
        (Weak, false),
    ] {
        for state in [1, 2] {
            let mut builder = HeapBuilder::new();
            let [top, below, deep, other] =
                ["a", "b", "c", "d"].map(|name| builder.node("native", name, 8));
            let object = builder.node("object", "Object", 8);
            let behind = builder.node("native", "e", 8);
            builder.detachedness(top, state);
            builder.detachedness(other, 3 - state);
            builder.edge(top, kind, "1", below);
            builder.edge(top, kind, "1", other);
            builder.edge(top, kind, "1", object);
            builder.edge(below, kind, "1", deep);
            builder.edge(object, kind, "1", behind);
            let passed = if passes { state } else { 0 };
            let expected = [state, passed, passed, 3 - state, 0, 0];
            assert_eq!(detachedness(&builder.build()), expected, "{kind:?} {state}");
        }
    }
}
