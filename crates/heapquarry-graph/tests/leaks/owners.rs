//! What owners are called.

use crate::program::{Program, SIZE, leaks, only};
use heapquarry_graph::{Confidence, EdgeType, Leak};

#[derive(Debug, PartialEq, Eq)]
struct Told<'a> {
    owner: &'a str,
    via: &'a str,
    leaked: Option<&'a str>,
    counts: Option<&'a [u64]>,
    made_at: Option<&'a str>,
}

fn told<R>(leak: &Leak, look: impl FnOnce(Told<'_>) -> R) -> R {
    let made_at = leak.made_at.as_ref().map(ToString::to_string);
    look(Told {
        owner: &leak.owner,
        via: &leak.via,
        leaked: leak.leaked.as_deref(),
        counts: leak.counts.as_deref(),
        made_at: made_at.as_deref(),
    })
}

/// Three snapshots each.
const LEAKING: &[(&str, Program, Told<'static>)] = &[
    (
        "an array in a variable",
        |round, s| {
            s.variable("orders", "Array");
            (0..round * 4).for_each(|i| s.push("orders", &format!("o{i}"), "Order"));
        },
        Told {
            owner: "orders",
            via: "variable orders of app.js",
            leaked: Some("Order"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a local variable of a function that runs",
        |round, s| {
            s.node("stack", "synthetic", "(Stack roots)", 0);
            s.edge("roots", EdgeType::Element, "2", "stack");
            s.node("rows", "object", "Array", 32);
            s.edge("stack", EdgeType::Internal, "7", "rows");
            (0..round * 4).for_each(|i| s.push("rows", &format!("o{i}"), "Row"));
        },
        Told {
            owner: "Array",
            via: "(Stack roots)",
            leaked: Some("Row"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a Map in a field",
        |round, s| {
            s.variable("store", "SessionStore");
            s.property("store", "sessions", "map", "Map", 32);
            let table = s.table("map");
            (0..round * 4).for_each(|i| s.entry(&table, &format!("o{i}"), "Session"));
        },
        Told {
            owner: "SessionStore.sessions",
            via: "variable store.sessions of app.js",
            leaked: Some("Session"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        // `state = {...state, items: [...items, more]}`
        "an array that is replaced in each round",
        |round, s| {
            s.variable("store", "Store");
            let (state, items) = (format!("state {round}"), format!("items {round}"));
            s.property("store", "state", &state, "Object", 32);
            s.property(&state, "items", &items, "Array", 32);
            (0..round * 4).for_each(|i| s.push(&items, &format!("o{i}"), "Item"));
        },
        Told {
            owner: "Store.state.items",
            via: "variable store.state.items of app.js",
            leaked: Some("Item"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "sessions with items of their own: the items are not told",
        |round, s| {
            s.variable("sessions", "Array");
            for i in 0..round * 3 {
                let (session, items) = (format!("s{i}"), format!("items {i}"));
                s.push("sessions", &session, "Session");
                s.property(&session, "items", &items, "Array", 32);
                (0..5).for_each(|n| s.push(&items, &format!("{i} {n}"), "Item"));
            }
        },
        Told {
            owner: "sessions",
            via: "variable sessions of app.js",
            leaked: Some("Session"),
            counts: Some(&[3, 6, 9]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a few in each of many containers",
        |round, s| {
            s.variable("rooms", "Array");
            for room in 0..4 {
                let (key, messages) = (format!("room {room}"), format!("messages {room}"));
                s.push("rooms", &key, "Room");
                s.property(&key, "messages", &messages, "Array", 32);
                (0..round).for_each(|i| s.push(&messages, &format!("m{room} {i}"), "Message"));
            }
        },
        Told {
            owner: "Room.messages",
            via: "variable rooms[].messages of app.js",
            leaked: Some("Message"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        // The tail is held by the queue too: it is not below the head.
        "a list",
        |round, s| {
            s.variable("queue", "Queue");
            for i in 0..round * 4 {
                s.node(&format!("n{i}"), "object", "Job", SIZE);
                s.made(&format!("n{i}"), 3);
                match i {
                    0 => s.edge("queue", EdgeType::Property, "head", "n0"),
                    i => {
                        s.edge(&format!("n{}", i - 1), EdgeType::Property, "next", &format!("n{i}"))
                    }
                }
            }
            s.edge("queue", EdgeType::Property, "tail", &format!("n{}", round * 4 - 1));
        },
        Told {
            owner: "Queue.head",
            via: "variable queue.head of app.js",
            leaked: Some("Job"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a text that is appended to",
        |round, s| {
            for i in (0..round * 4).rev() {
                s.node(&format!("t{i}"), "concatenated string", "", SIZE);
            }
            s.edge("scope", EdgeType::Context, "log", &format!("t{}", round * 4 - 1));
            for i in 1..round * 4 {
                s.edge(&format!("t{i}"), EdgeType::Internal, "first", &format!("t{}", i - 1));
            }
        },
        Told {
            owner: "log",
            via: "variable log of app.js",
            leaked: Some("(string)"),
            counts: None,
            made_at: Some("app.js:1"),
        },
    ),
    (
        "an object that is used as a dictionary",
        |round, s| {
            s.variable("usage", "Object");
            for day in 0..round {
                let key = format!("day {day}");
                s.property("usage", &key, &key, "Array", 32);
                (0..3).for_each(|i| s.push(&key, &format!("{day} {i}"), "Hit"));
            }
        },
        Told {
            owner: "usage",
            via: "variable usage of app.js",
            leaked: Some("Array of Hit"),
            counts: Some(&[1, 2, 3]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "an object with many keys",
        |round, s| {
            s.variable("cache", "Object");
            for i in 0..round * 60 {
                let key = format!("k{i}");
                s.property("cache", &key, &key, "Response", 100);
                s.made(&key, 3);
            }
        },
        Told {
            owner: "cache",
            via: "variable cache of app.js",
            leaked: Some("Response"),
            counts: Some(&[60, 120, 180]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        // What both hold is below neither: the array grows, the cache is full.
        "an array beside a cache of the same objects",
        |round, s| {
            s.variable("all", "Array");
            s.variable("cache", "Set");
            let table = s.table("cache");
            let users = round * 6;
            for i in 0..users {
                let key = format!("u{i}");
                s.push("all", &key, "User");
                if i + 3 >= users {
                    let index = i.to_string();
                    s.edge(&table, EdgeType::Internal, &index, &key);
                }
            }
        },
        Told {
            owner: "all",
            via: "variable all of app.js",
            leaked: Some("User"),
            counts: Some(&[6, 12, 18]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "functions that were made of the same code",
        |round, s| {
            s.variable("handlers", "Array");
            s.node("handle code", "code", "handle", 16);
            s.edge("handle code", EdgeType::Internal, "script", "script");
            for i in 0..round * 4 {
                let key = format!("f{i}");
                s.node(&key, "closure", "handle", SIZE);
                s.made(&key, 9);
                s.edge(&key, EdgeType::Internal, "shared", "handle code");
                s.element("handlers", &key);
            }
        },
        Told {
            owner: "handlers",
            via: "variable handlers of app.js",
            leaked: Some("handle()"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:9"),
        },
    ),
    (
        "plain objects are called by their properties",
        |round, s| {
            s.variable("settings", "Object");
            s.node("text", "string", "x", 32);
            s.edge("settings", EdgeType::Property, "colour", "text");
            s.variable("rows", "Array");
            for i in 0..round * 4 {
                let row = format!("r{i}");
                s.push("rows", &row, "Object");
                s.edge(&row, EdgeType::Property, "__proto__", "settings");
                s.edge(&row, EdgeType::Property, "name", "text");
                s.edge(&row, EdgeType::Internal, "map", "code");
                s.edge(&row, EdgeType::Property, "colour", "text");
            }
        },
        Told {
            owner: "rows",
            via: "variable rows of app.js",
            leaked: Some("{name, colour}"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "what a WeakMap has of an object",
        |round, s| {
            s.variable("server", "Server");
            s.node("list", "object", "Array", 32);
            let pair = "1 / part of key (Server @9) -> value (Array @3) pair in WeakMap (table @7)";
            s.edge("server", EdgeType::Internal, pair, "list");
            (0..round * 4).for_each(|i| s.push("list", &format!("o{i}"), "Socket"));
        },
        Told {
            owner: "Server.(WeakMap value)",
            via: "variable server.(WeakMap value) of app.js",
            leaked: Some("Socket"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a variable of which the file has only the number",
        |round, s| {
            s.node("orders", "object", "Array", 32);
            s.edge("scope", EdgeType::Hidden, "2", "orders");
            (0..round * 4).for_each(|i| s.push("orders", &format!("o{i}"), "Order"));
        },
        Told {
            owner: "(unnamed)",
            via: "variable (unnamed) of app.js",
            leaked: Some("Order"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "an array in a global variable of JavaScriptCore",
        |round, s| {
            s.node("global", "object", "GlobalObject", 32);
            s.edge("roots", EdgeType::Element, "2", "global");
            s.property("global", "orders", "orders", "Array", 32);
            (0..round * 4).for_each(|i| s.push("orders", &format!("o{i}"), "Order"));
        },
        Told {
            owner: "globalThis.orders",
            via: "globalThis.orders",
            leaked: Some("Order"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "what a page measures",
        |round, s| {
            s.variable("performance", "Performance");
            s.node("timeline", "native", "Performance", 32);
            s.edge("performance", EdgeType::Internal, "cppgc_object", "timeline");
            for i in 0..round * 4 {
                let key = format!("mark {i}");
                s.node(&key, "native", "PerformanceMark", SIZE);
                s.edge("timeline", EdgeType::Element, &i.to_string(), &key);
            }
        },
        Told {
            owner: "Performance.(cppgc_object)",
            via: "variable performance.(cppgc_object) of app.js",
            leaked: Some("PerformanceMark"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:1"),
        },
    ),
    (
        "a list in a global variable, of a global object with many",
        |round, s| {
            s.node("global", "object", "global / ", 32);
            s.edge("roots", EdgeType::Element, "2", "global");
            for i in 0..80 {
                s.property("global", &format!("builtin{i}"), &format!("b{i}"), "Builtin", 8);
            }
            for i in 0..round * 4 {
                let key = format!("n{i}");
                match i {
                    0 => s.property("global", "head", &key, "Node", SIZE),
                    i => s.property(&format!("n{}", i - 1), "next", &key, "Node", SIZE),
                }
            }
        },
        Told {
            owner: "globalThis.head",
            via: "globalThis.head",
            leaked: Some("Node"),
            counts: Some(&[4, 8, 12]),
            made_at: None,
        },
    ),
    (
        "lists of what is in a Map",
        |round, s| {
            s.variable("rooms", "Map");
            let table = s.table("rooms");
            for room in 0..4 {
                let (key, messages) = (format!("room {room}"), format!("messages {room}"));
                s.entry(&table, &key, "Room");
                s.property(&key, "messages", &messages, "Array", 32);
                (0..round).for_each(|i| s.push(&messages, &format!("m{room} {i}"), "Message"));
            }
        },
        Told {
            owner: "Room.messages",
            via: "variable rooms[].messages of app.js",
            leaked: Some("Message"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a variable that a stored function captures",
        |round, s| {
            s.variable("server", "Server");
            s.node("handler", "closure", "onRequest", 32);
            s.edge("server", EdgeType::Property, "onRequest", "handler");
            s.node("captured", "object", "system / Context", 32);
            s.edge("handler", EdgeType::Internal, "context", "captured");
            s.node("seen", "object", "Array", 32);
            s.edge("captured", EdgeType::Context, "seen", "seen");
            (0..round * 4).for_each(|i| s.push("seen", &format!("o{i}"), "Request"));
        },
        Told {
            owner: "seen",
            // Without a ScopeInfo nothing says of which function or file.
            via: "variable seen",
            leaked: Some("Request"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a property of the global object, under a symbol",
        |round, s| {
            s.node("global", "object", "global", 32);
            s.edge("roots", EdgeType::Element, "2", "global");
            s.property("global", "<symbol my.registry>", "registry", "Array", 32);
            (0..round * 4).for_each(|i| s.push("registry", &format!("o{i}"), "Plugin"));
        },
        Told {
            owner: "globalThis[Symbol(my.registry)]",
            via: "globalThis[Symbol(my.registry)]",
            leaked: Some("Plugin"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "a static field",
        |round, s| {
            s.node("class", "closure", "Registry", 32);
            s.edge("scope", EdgeType::Context, "Registry", "class");
            s.property("class", "items", "items", "Array", 32);
            (0..round * 4).for_each(|i| s.push("items", &format!("o{i}"), "Plugin"));
        },
        Told {
            owner: "Registry.items",
            via: "Registry.items",
            leaked: Some("Plugin"),
            counts: Some(&[4, 8, 12]),
            made_at: Some("app.js:3"),
        },
    ),
    (
        "objects that move between two arrays",
        |round, s| {
            s.variable("queue", "Queue");
            for slot in ["front", "back"] {
                s.property("queue", slot, slot, "Array", 32);
            }
            let (few, many) = if round % 2 == 0 { ("back", "front") } else { ("front", "back") };
            for i in 0..round * 6 {
                s.push(if i < 2 { few } else { many }, &format!("o{i}"), "Message");
            }
        },
        Told {
            owner: "Queue.{back, front}",
            via: "variable queue of app.js",
            leaked: Some("Message"),
            counts: Some(&[6, 12, 18]),
            made_at: Some("app.js:3"),
        },
    ),
];

#[test]
fn leaks_are_named_by_who_holds_what() {
    for (name, program, expected) in LEAKING {
        let leak = only(leaks(3, program));
        told(&leak, |told| assert_eq!(&told, expected, "{name}"));
        assert_eq!(leak.confidence, Confidence::High, "{name}");
        assert!(leak.bytes >= 2 * SIZE && leak.steps.len() == 2, "{name}: {leak:?}");
        assert_eq!(leak.kept.unwrap_or(1000), 1000, "{name}");
    }
}

#[test]
fn two_snapshots_are_enough_for_a_guess() {
    for (name, program, expected) in LEAKING {
        let found = leaks(2, program);
        // What moves between two arrays looks like growth of one of them.
        let start = expected.owner.split('{').next().unwrap_or_default();
        assert!(found.iter().any(|leak| leak.owner.starts_with(start)), "{name}: {found:#?}");
        assert!(found.iter().all(|leak| leak.confidence == Confidence::Low), "{name}");
    }
}

/// Some versions of Chromium write into the name of a node what others say by its state.
#[test]
fn detached_nodes_are_called_so_once() {
    for name in ["<div class=\"row\">", "Detached <div class=\"row\">"] {
        let leak = only(leaks(3, |round, s| {
            s.variable("removed", "Array");
            for i in 0..round * 4 {
                let key = format!("n{i}");
                s.node(&key, "native", name, SIZE);
                s.builder.detachedness(s.nodes[&key], 2);
                s.element("removed", &key);
            }
        }));
        assert_eq!(leak.leaked.as_deref(), Some("Detached <div>"), "{name}");
    }
}

/// What leads from a variable to the list, and what that is called.
#[test]
fn owners_are_called_by_the_way_to_them() {
    use EdgeType::*;
    /// Type and name of an edge, type and name of the node that it leads to.
    type Step = (EdgeType, &'static str, &'static str, &'static str);
    const LIST: (&str, &str) = ("object", "Array");
    const fn to(kind: EdgeType, name: &'static str, to: (&'static str, &'static str)) -> Step {
        (kind, name, to.0, to.1)
    }
    const FOO: (&str, &str) = ("object", "Foo");
    const STORAGE: (&str, &str) = ("array", "");
    const SCOPE: (&str, &str) = ("object", "system / Context");
    let cases: &[(&[Step], &str)] = &[
        (&[to(Property, "a", FOO), to(Property, "b c", LIST)], "variable top.a[\"b c\"] of app.js"),
        (&[to(Element, "1", LIST)], "variable top[] of app.js"),
        (&[to(Internal, "table", STORAGE), to(Internal, "3", LIST)], "variable top[] of app.js"),
        (&[to(Internal, "table", STORAGE), to(Hidden, "3", LIST)], "variable top[] of app.js"),
        (&[to(Internal, "elements", STORAGE), to(Element, "3", LIST)], "variable top[] of app.js"),
        (
            &[to(Internal, "properties", STORAGE), to(Internal, "3", LIST)],
            "variable top[] of app.js",
        ),
        (
            &[to(Internal, "table", STORAGE), to(Internal, "1", STORAGE), to(Internal, "1", LIST)],
            "variable top[] of app.js",
        ),
        (
            &[to(Internal, "table", STORAGE), to(Internal, "1", FOO), to(Property, "list", LIST)],
            "variable top[].list of app.js",
        ),
        (
            &[to(Internal, "state", FOO), to(Property, "list", LIST)],
            "variable top.(state).list of app.js",
        ),
        (
            &[to(Internal, "wrapper", ("native", "blink::Node")), to(Internal, "1", LIST)],
            "variable top.(wrapper) of app.js",
        ),
        (
            &[
                to(Property, "f", ("closure", "")),
                to(Internal, "context", SCOPE),
                to(Internal, "previous", SCOPE),
                to(Internal, "extension", LIST),
            ],
            "variable top.f.(extension) of app.js",
        ),
    ];
    for &(steps, via) in cases {
        let leak = only(leaks(3, |round, s| {
            s.variable("top", "Top");
            let mut from = "top".to_owned();
            for (at, &(edge, name, kind, class)) in steps.iter().enumerate() {
                let key = if at + 1 == steps.len() { "list".into() } else { format!("step {at}") };
                s.node(&key, kind, class, 32);
                s.edge(&from, edge, name, &key);
                from = key;
            }
            (0..round * 4).for_each(|i| s.push("list", &format!("o{i}"), "Row"));
        }));
        assert_eq!(leak.via, via);
    }
}

/// Of a list in a property that is called like a sentence.
#[test]
fn names_of_properties_are_no_files() {
    let leak = only(leaks(3, |round, s| {
        s.node("global", "object", "global", 32);
        s.edge("roots", EdgeType::Element, "2", "global");
        s.property("global", "list of jobs", "queue", "Object", 32);
        for i in 0..round * 4 {
            let (key, before) = (format!("n{i}"), format!("n{}", i.wrapping_sub(1)));
            s.node(&key, "object", "Job", SIZE);
            let (from, edge) = if i == 0 { ("queue", "head") } else { (&*before, "next") };
            s.edge(from, EdgeType::Property, edge, &key);
        }
    }));
    assert_eq!(leak.via, "globalThis[\"list of jobs\"].head");
}

#[test]
fn classes_are_told_as_people_know_them() {
    for (kind, name, class) in [
        ("object", "Foo", "Foo"),
        ("object", "", "(object)"),
        ("closure", "", "(anonymous)()"),
        ("closure", "run", "run()"),
        ("closure", "system / Context", "system / Context()"),
        ("string", "system / Map", "(string)"),
        ("regexp", "/a/", "RegExp"),
        ("number", "heap number", "(number)"),
        ("symbol", "s", "(symbol)"),
        ("bigint", "bigint", "(bigint)"),
        ("string", "text", "(string)"),
        ("native", "<div class=\"row\">", "<div>"),
    ] {
        let leak = only(leaks(3, |round, s| {
            s.variable("all", "Array");
            for i in 0..round * 4 {
                let key = format!("o{i}");
                s.node(&key, kind, name, SIZE);
                s.element("all", &key);
            }
        }));
        assert_eq!(leak.leaked.as_deref(), Some(class), "{kind} {name}");
    }
}

/// With many properties they are no records any more.
#[test]
fn plain_objects_are_called_by_their_first_properties() {
    for (properties, class) in [
        (0, "Object"),
        (1, "{p0}"),
        (6, "{p0, p1, p2, p3, p4, p5}"),
        (7, "{p0, p1, p2, p3, p4, p5}"),
        (20, "{p0, p1, p2, p3, p4, p5}"),
        (21, "Object"),
    ] {
        let leak = only(leaks(3, |round, s| {
            s.variable("rows", "Array");
            for i in 0..round * 4 {
                let key = format!("o{i}");
                s.push("rows", &key, "Object");
                (0..properties)
                    .for_each(|p| s.edge(&key, EdgeType::Property, &format!("p{p}"), "main"));
            }
        }));
        assert_eq!(leak.leaked.as_deref(), Some(class), "{properties} properties");
    }
}

/// What is in containers that say nothing themselves is told if it grows.
#[test]
fn content_of_leaked_arrays_is_told_if_it_grows() {
    for class in ["Array", "Object"] {
        for (per_list, content) in [(0, None), (1, Some(vec![5, 9, 13]))] {
            let leak = only(leaks(3, |round, s| {
                s.variable("lists", "Array");
                for i in 0..round * 4 {
                    let key = format!("l{i}");
                    s.push("lists", &key, class);
                    (0..per_list).for_each(|n| s.push(&key, &format!("{i} {n}"), "Row"));
                }
                s.push("l0", "constant", "Row");
            }));
            let of = if content.is_some() { " of Row" } else { "" };
            assert_eq!(leak.leaked, Some(format!("{class}{of}")));
            assert_eq!(leak.content.map(|content| content.counts), content);
        }
    }
}

/// A promise in what V8 keeps beside a function that resolves it: the way goes on to who has the function.
#[test]
fn what_the_engine_keeps_beside_its_functions_has_no_variables() {
    let leak = only(leaks(3, |round, s| {
        s.variable("iterator", "Iterator");
        s.property("iterator", "pullQueue", "queue", "Array", 32);
        s.node("resolve", "closure", "", 32);
        s.element("queue", "resolve");
        s.node("slots", "object", "system / Context", 32);
        s.edge("resolve", EdgeType::Internal, "context", "slots");
        s.node("promise", "object", "Promise", 32);
        s.edge("slots", EdgeType::Hidden, "1", "promise");
        (0..round * 4).for_each(|i| s.push("promise", &format!("r{i}"), "Reaction"));
    }));
    assert_eq!(
        (&*leak.owner, &*leak.via),
        ("Iterator.pullQueue[]", "variable iterator.pullQueue[] of app.js")
    );
}

/// Node has the listeners of an AbortSignal in a Map by event, each a list: nobody calls them so.
#[test]
fn listeners_of_an_event_target_are_called_so() {
    let found = only(leaks(3, |round, s| {
        s.variable("signal", "AbortSignal");
        s.property("signal", "<symbol kEvents>", "events", "Map", 32);
        let table = s.table("events");
        s.node("list", "object", "Object", 32);
        s.edge(&table, EdgeType::Internal, "6", "list");
        let mut last = "list".to_owned();
        for i in 0..round * 4 {
            let listener = format!("listener {i}");
            s.property(&last, "next", &listener, "Listener", SIZE);
            last = listener;
        }
    }));
    assert_eq!(
        (&*found.owner, &*found.via, found.leaked.as_deref(), &*found.container),
        ("AbortSignal event listeners", "variable signal of app.js", Some("Listener"), "")
    );
}

/// What a file exports is called as its author writes it.
#[test]
fn exports_are_those_of_their_file() {
    let found = only(leaks(3, |round, s| {
        s.variable("modules", "Array");
        s.push("modules", "module", "Module");
        s.node("file", "string", "/srv/node_modules/zod/lib/registry.js", 32);
        s.edge("module", EdgeType::Property, "filename", "file");
        s.property("module", "exports", "exports", "Object", 32);
        s.property("exports", "all", "all", "Array", 32);
        (0..round * 4).for_each(|i| s.push("all", &format!("schema {i}"), "Schema"));
    }));
    assert_eq!((&*found.owner, &*found.via), ("exports.all", "exports.all of zod/lib/registry.js"));
}
