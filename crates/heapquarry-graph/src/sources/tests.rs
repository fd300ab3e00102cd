use super::*;
use crate::{HeapBuilder, NodeIndex, Original, Originals};
use EdgeType::*;

/// Builds a heap with the nodes of functions.
struct Made {
    builder: HeapBuilder,
    root: NodeIndex,
}

impl Made {
    fn new() -> Self {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        Made { builder, root }
    }

    fn node(&mut self, kind: &str, name: &str) -> NodeIndex {
        let node = self.builder.node(kind, name, 8);
        let index = node.to_string();
        self.builder.edge(self.root, Element, &index, node);
        node
    }

    fn internal(&mut self, from: NodeIndex, name: &str, to: NodeIndex) {
        self.builder.edge(from, Internal, name, to);
    }

    fn closure(&mut self, name: &str, shared: NodeIndex) -> NodeIndex {
        let closure = self.node("closure", name);
        self.internal(closure, "shared", shared);
        closure
    }
}

#[test]
fn scripts_are_found_in_all_layouts() {
    for (edge, name, script) in [
        ("script", "/srv/app.js", Some("/srv/app.js")),
        ("script_or_debug_info", "/srv/app.js", Some("/srv/app.js")),
        ("script", "system / Script / /srv/app.js", Some("/srv/app.js")),
        ("script", "system / Script", None),
        ("script", "", None),
        ("script_or_debug_info", "system / DebugInfo", None),
        ("function_data", "/srv/app.js", None),
    ] {
        let mut made = Made::new();
        let node = made.node("code", name);
        let shared = made.node("code", "f");
        made.internal(shared, edge, node);
        let closure = made.closure("f", shared);
        made.builder.location(closure, 7, 2, 4);
        let object = made.node("object", "Foo");
        made.builder.location(object, 7, 0, 6);
        let heap = made.builder.build();
        let sources = Sources::new(&heap);
        assert_eq!(sources.script_of(closure), script, "{edge} {name}");
        assert_eq!(sources.script(7), script, "{edge} {name}");
        let place = sources.place(closure).map(|place| place.to_string());
        assert_eq!(place.as_deref(), script.map(|_| "app.js:3"));
        let place = sources.place(object).map(|place| place.to_string());
        assert_eq!(place.as_deref(), script.map(|_| "app.js:1"));
        let named = if script.is_some() { "f app.js:3:5" } else { "f" };
        assert_eq!(sources.name(&[], closure), named);
        assert_eq!(sources.name(&[], object), "Foo");
        if name.starts_with("system / Script") {
            assert_eq!(sources.name(&[], node), script.unwrap_or(name));
        }
    }
}

#[test]
fn a_script_is_known_by_any_of_its_functions() {
    let mut made = Made::new();
    let (script, debug) = (made.node("code", "/a.js"), made.node("code", "system / DebugInfo"));
    let (plain, debugged) = (made.node("code", "f"), made.node("code", "g"));
    made.internal(plain, "script", script);
    made.internal(debugged, "script", debug);
    let (g, f) = (made.closure("g", debugged), made.closure("f", plain));
    made.builder.location(g, 5, 9, 0);
    made.builder.location(f, 5, 1, 0);
    let heap = made.builder.build();
    let sources = Sources::new(&heap);
    assert_eq!(sources.script_of(g), Some("/a.js"));
    assert_eq!(sources.name(&[], g), "g a.js:10:1");
    assert_eq!(sources.scripts().collect::<Vec<_>>(), [(5, "/a.js")]);
}

#[test]
fn functions_are_called_as_javascript_calls_them() {
    let mut made = Made::new();
    let script = made.node("code", "/srv/node_modules/express/lib/app.js");
    let shared = made.node("code", "f");
    made.internal(shared, "script", script);
    let named = made.closure("f", shared);
    made.builder.location(named, 3, 0, 0);
    let unplaced = made.closure("", shared);
    let builtin = made.node("closure", "push");
    let bound = made.node("closure", "native_bind");
    made.internal(bound, "bound_function", named);
    let twice = made.node("closure", "native_bind");
    made.internal(twice, "bound_function", bound);
    let nameless = made.node("closure", "native_bind");
    made.internal(nameless, "bound_function", unplaced);
    let circle = made.node("closure", "native_bind");
    made.internal(circle, "bound_function", circle);
    let heap = made.builder.build();
    let sources = Sources::new(&heap);
    for (node, name, text) in [
        (named, Some("f"), "f express/lib/app.js:1:1"),
        (unplaced, None, "(anonymous) (express/lib/app.js)"),
        (builtin, Some("push"), "push"),
        (bound, Some("bound f"), "bound f express/lib/app.js:1:1"),
        (twice, Some("bound bound f"), "bound bound f express/lib/app.js:1:1"),
        (nameless, Some("bound (anonymous)"), "bound (anonymous) (express/lib/app.js)"),
    ] {
        assert_eq!(sources.function_name(node).as_deref(), name);
        assert_eq!(sources.name(&[], node), text);
    }
    assert!(sources.name(&[], circle).ends_with("bound native_bind"));
}

#[test]
fn variables_are_those_of_a_function() {
    let mut made = Made::new();
    let script = made.node("code", "/srv/app.js");
    let [module, named, arrow] =
        ["", "system / SharedFunctionInfo / serve", "system / SharedFunctionInfo"].map(|name| {
            let shared = made.node("code", name);
            made.internal(shared, "script", script);
            let info = made.node("code", "system / ScopeInfo");
            made.internal(shared, "name_or_scope_info", info);
            info
        });
    let native = made.node("hidden", "system / NativeContext");
    let mut scope = |name: &str, info: Option<NodeIndex>, previous: NodeIndex| {
        let scope = made.node("object", name);
        if let Some(info) = info {
            made.internal(scope, "scope_info", info);
        }
        made.internal(scope, "previous", previous);
        scope
    };
    let outermost = scope("system / Context", Some(module), native);
    let of_named = scope("system / Context / scope @9", Some(named), outermost);
    let of_arrow = scope("system / Context", Some(arrow), outermost);
    let unknown = made.node("code", "system / ScopeInfo");
    let mut scope = |info: NodeIndex, previous: NodeIndex| {
        let scope = made.node("object", "system / Context");
        made.internal(scope, "scope_info", info);
        made.internal(scope, "previous", previous);
        scope
    };
    let of_block = scope(unknown, of_named);
    let of_none = scope(unknown, native);
    // Up to V8 6 it is the closure itself.
    let shared = made.node("code", "old");
    made.internal(shared, "script", script);
    let closure = made.closure("old", shared);
    let of_old = made.node("object", "system / Context");
    made.internal(of_old, "closure", closure);
    let shared = made.node("code", "(shared function info)");
    made.internal(shared, "script", script);
    let closure = made.closure("", shared);
    let of_module = made.node("object", "system / Context");
    made.internal(of_module, "closure", closure);
    let heap = made.builder.build();
    let sources = Sources::new(&heap);
    for (node, text) in [
        (outermost, "variables of app.js"),
        (of_named, "variables of serve (app.js)"),
        (of_arrow, "variables of (anonymous) (app.js)"),
        (of_block, "variables of a block of serve (app.js)"),
        (of_none, "system / Context"),
        (of_old, "variables of old (app.js)"),
        (of_module, "variables of app.js"),
        (native, "system / NativeContext"),
    ] {
        assert_eq!(sources.name(&[], node), text);
    }
}

#[test]
fn functions_that_are_kept_are_those_of_the_heap() {
    let mut made = Made::new();
    let scripts = ["/a.js", "", "/b.js"].map(|name| made.node("code", name));
    for i in 0..40 {
        let shared = made.node("code", "");
        if i % 4 < 3 {
            made.internal(shared, "script", scripts[i % 4]);
        }
        let closure = made.closure(["f", "", "g"][i % 3], shared);
        if i % 5 == 0 {
            made.builder.location(closure, (i % 4) as i32, 1, 1);
        }
        if i % 7 == 0 {
            let bound = made.node("closure", "native_bind");
            made.internal(bound, "bound_function", closure);
        }
    }
    let heap = made.builder.build();
    let sources = Sources::new(&heap);
    let nodes = heap.nodes().len();
    let closures = heap.nodes().all().filter(|&node| heap.nodes().kind(node) == NodeType::Closure);
    let expected: Vec<_> = closures
        .map(|node| (node, sources.function_name(node), sources.script_of(node).map(String::from)))
        .filter(|(_, name, script)| name.is_some() || script.is_some())
        .collect();
    for threads in [1, 3] {
        let functions = Functions::new(&heap, threads);
        let text = |number: Option<u32>| number.map(|n| functions.texts()[n as usize].clone());
        let found = |range| functions.of(range).map(|(n, a, b)| (n, text(a), text(b)));
        assert_eq!(found(0..nodes).collect::<Vec<_>>(), expected);
        let middle = expected[9].0.position();
        let (start, end) = (found(0..middle), found(middle..nodes));
        assert_eq!(start.chain(end).collect::<Vec<_>>(), expected);
        for id in 0..5 {
            assert_eq!(text(functions.script(id)).as_deref(), sources.script(id));
        }
    }
}

#[test]
fn names_of_sources_stand_before_those_of_the_file() {
    let original = |name: Option<&str>, line| Original {
        name: name.map(String::from),
        source: "/srv/src/cache.ts".into(),
        line,
        column: 3,
        is_ignored: false,
    };
    let mut made = Made::new();
    let script = made.node("code", "/srv/dist/app.js");
    let id = "85314830-023f-4cf1-a267-535f4e37bb17";
    for (edge, kind, text) in [
        ("3", "string", "webpack-internal:///a.js"),
        ("4", "string", "app.js.map"),
        ("5", "string", id),
        ("6", "code", "other.map"),
    ] {
        let target = made.node(kind, text);
        made.builder.edge(script, Hidden, edge, target);
    }
    let mut closure = |name: &str, column: i32| {
        let shared = made.node("code", "system / SharedFunctionInfo / I");
        made.internal(shared, "script", script);
        let closure = made.closure(name, shared);
        made.builder.location(closure, 7, 0, column);
        (closure, shared)
    };
    let [put, nameless, unknown, uncovered, same] =
        [("I", 10), ("", 20), ("I", 30), ("I", 40), ("put", 10)]
            .map(|(name, at)| closure(name, at));
    let bound = made.node("closure", "native_bind");
    made.internal(bound, "bound_function", put.0);
    let info = made.node("code", "system / ScopeInfo");
    made.internal(put.1, "name_or_scope_info", info);
    let scope = made.node("object", "system / Context");
    made.internal(scope, "scope_info", info);
    let object = made.node("object", "e");
    made.builder.location(object, 7, 0, 50);
    let mut heap = made.builder.build();

    let [mappable] = &Sources::new(&heap).mappable()[..] else { panic!("one script") };
    assert_eq!((mappable.map_url, mappable.debug_id), (Some("app.js.map"), Some(id)));
    assert_eq!(mappable.places.len(), 5);

    let mut originals = Originals::default();
    originals.add_script(7);
    let place = |column| Place { script_id: 7, line: 0, column };
    originals.add(place(10), original(Some("put"), 5));
    originals.add(place(20), original(Some(""), 6));
    originals.add(place(30), original(None, 7));
    originals.add(place(50), original(Some("Cache"), 8));
    heap.set_originals(originals);
    let sources = Sources::new(&heap);
    for (node, text, at) in [
        (put.0, "put cache.ts:5:3 [I app.js:1:11]", "cache.ts:5 [app.js:1:11]"),
        (same.0, "put cache.ts:5:3 [app.js:1:11]", "cache.ts:5 [app.js:1:11]"),
        (bound, "bound put cache.ts:5:3 [bound I app.js:1:11]", "cache.ts:5 [app.js:1:11]"),
        (nameless.0, "(anonymous) cache.ts:6:3 [app.js:1:21]", "cache.ts:6 [app.js:1:21]"),
        (unknown.0, "I cache.ts:7:3 [app.js:1:31]", "cache.ts:7 [app.js:1:31]"),
        (uncovered.0, "I ?: [app.js:1:41]", "?: [app.js:1:41]"),
        (object, "Cache [e]", "cache.ts:8 [app.js:1:51]"),
    ] {
        assert_eq!(sources.name(&[], node), text);
        assert_eq!(sources.place(node).unwrap().to_string(), at, "{text}");
    }
    assert_eq!(sources.name(&[], scope), "variables of put [I] (cache.ts)");
    assert_eq!(sources.called(put.0), "put [I]");
    // What tables have is what the file says.
    assert_eq!(sources.function_name(put.0).as_deref(), Some("I"));
}

#[test]
fn places_far_to_the_right_have_columns() {
    let at = |column| SourcePlace {
        script: "/srv/app.js".into(),
        line: 3,
        column,
        what: "f".into(),
        original: None,
        has_map: false,
    };
    assert_eq!(at(500).to_string(), "app.js:3");
    assert_eq!(at(501).to_string(), "app.js:3:501");
    assert_eq!(at(7).exact(), "app.js:3:7");
}

/// Each node, and what it belongs to by package and by function.
#[test]
fn nodes_belong_to_the_code_that_they_come_from() {
    let mut made = Made::new();
    let scripts = ["/srv/app.js", "/srv/node_modules/lodash/lodash.js"];
    let [own, lodash] = scripts.map(|name| made.node("code", &format!("system / Script / {name}")));
    let shared = |made: &mut Made, name: &str, script: NodeIndex| {
        let shared = made.node("code", &format!("system / SharedFunctionInfo / {name}"));
        made.internal(shared, "script", script);
        shared
    };
    let (main, memoize) = (shared(&mut made, "main", own), shared(&mut made, "memoize", lodash));
    let closure = made.closure("memoize", memoize);
    made.builder.location(closure, 7, 1, 2);
    let info = made.node("code", "system / ScopeInfo");
    made.internal(main, "name_or_scope_info", info);
    let context = made.node("object", "system / Context");
    made.internal(context, "scope_info", info);
    // Its class is that of the closure: a constructor.
    let object = made.node("object", "Memoize");
    made.builder.location(object, 7, 1, 2);
    // Only the object holds the one, both the object and the context the other.
    let map = made.builder.node("object", "Map", 8);
    let table = made.builder.node("array", "", 8);
    let both = made.builder.node("object", "Object", 8);
    let code = made.builder.node("code", "system / BytecodeArray", 8);
    for (from, to) in
        [(object, map), (map, table), (object, both), (context, both), (memoize, code)]
    {
        made.internal(from, "x", to);
    }
    let builtin = made.node("closure", "push");
    let heap = made.builder.build();
    let sources = Sources::new(&heap);
    for (node, party) in [
        (closure, Some(Party::Third("lodash".into()))),
        (object, Some(Party::Third("lodash".into()))),
        (context, Some(Party::First(Some("(own scripts)".into())))),
        (map, None),
        (builtin, None),
    ] {
        assert_eq!(sources.party(node), party, "{node}");
    }
    let analysis = crate::analyze(&heap, 1);
    let owners = CodeOwners::new(&heap, &analysis.dominators, 1);
    let of = |node, by| owners.owner(node, by).map(|owner| owner.to_string());
    for (node, package, function) in [
        (closure, Some("lodash"), Some("memoize")),
        (memoize, Some("lodash"), Some("memoize")),
        (code, Some("lodash"), Some("memoize")),
        (lodash, Some("lodash"), Some(scripts[1])),
        (context, Some("(own scripts)"), Some("main")),
        (object, Some("lodash"), Some("memoize")),
        (map, Some("lodash"), Some("memoize")),
        (table, Some("lodash"), Some("memoize")),
        (both, None, None),
        (builtin, None, None),
        (heap.root(), None, None),
    ] {
        assert_eq!(of(node, OwnedBy::Package).as_deref(), package, "{node}");
        assert_eq!(of(node, OwnedBy::Function).as_deref(), function, "{node}");
    }
    assert_eq!(of(closure, OwnedBy::Script).as_deref(), Some(scripts[1]));
    let (dominators, sizes) = (&analysis.dominators, &analysis.shallow_sizes);
    let sums = owners.sums(&heap, dominators, sizes, OwnedBy::Package, 1, 1);
    let whole: u64 = sums.iter().map(|sum| sum.size).sum();
    assert_eq!(whole, analysis.statistics.total);
    // Only the first was asked for.
    assert_eq!(sums.iter().filter(|sum| sum.retained_size.is_some()).count(), 1);
}
