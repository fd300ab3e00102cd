//! Small programs that leak, and some that do not, as heaps made by hand.

use heapquarry_graph::{Confidence, EdgeType, Heap, HeapBuilder, Leak, LeakKind, Leaks, NodeIndex};
use std::collections::HashMap;

/// Bytes of each object of a program: steps of less than 1,000 bytes are noise.
const SIZE: u64 = 1000;

/// One snapshot of a program: a function of `app.js` with its variables. What has the same key in two snapshots is the
/// same object.
struct Snapshot<'a> {
    builder: HeapBuilder,
    ids: &'a mut HashMap<String, u64>,
    /// Nodes of this snapshot by key.
    nodes: HashMap<String, NodeIndex>,
}

const SCRIPT: i32 = 7;

impl<'a> Snapshot<'a> {
    fn new(ids: &'a mut HashMap<String, u64>) -> Self {
        let mut s = Snapshot { builder: HeapBuilder::new(), ids, nodes: HashMap::new() };
        s.node("root", "synthetic", "", 0);
        s.node("roots", "synthetic", "(GC roots)", 0);
        s.node("main", "closure", "main", 32);
        s.node("scope", "object", "system / Context", 64);
        s.node("info", "code", "system / ScopeInfo", 16);
        s.node("code", "code", "main", 16);
        s.node("script", "code", "/srv/app/app.js", 16);
        s.edge("root", EdgeType::Element, "1", "roots");
        s.edge("roots", EdgeType::Element, "1", "main");
        s.edge("main", EdgeType::Internal, "context", "scope");
        s.edge("main", EdgeType::Internal, "shared", "code");
        s.edge("code", EdgeType::Internal, "script", "script");
        s.edge("scope", EdgeType::Internal, "scope_info", "info");
        s.made("main", 1);
        s
    }

    fn node(&mut self, key: &str, kind: &str, name: &str, size: u64) {
        let node = self.builder.node(kind, name, size);
        let next = self.ids.len() as u64 * 2 + 1;
        self.builder.id(node, *self.ids.entry(key.into()).or_insert(next));
        self.nodes.insert(key.into(), node);
    }

    /// Says at which line an object was made.
    fn made(&mut self, key: &str, line: i32) {
        self.builder.location(self.nodes[key], SCRIPT, line - 1, 4);
    }

    fn edge(&mut self, from: &str, kind: EdgeType, name: &str, to: &str) {
        self.builder.edge(self.nodes[from], kind, name, self.nodes[to]);
    }

    /// A new object in a variable.
    fn variable(&mut self, name: &str, class: &str) {
        self.node(name, "object", class, 32);
        self.edge("scope", EdgeType::Context, name, name);
    }

    /// A new object in a property.
    fn property(&mut self, of: &str, name: &str, key: &str, class: &str, size: u64) {
        self.node(key, "object", class, size);
        self.edge(of, EdgeType::Property, name, key);
    }

    /// A new object of [`SIZE`], made at line 3, in an array.
    fn push(&mut self, array: &str, key: &str, class: &str) {
        self.node(key, "object", class, SIZE);
        self.made(key, 3);
        self.element(array, key);
    }

    fn element(&mut self, array: &str, key: &str) {
        let index = self.nodes[key].to_string();
        self.edge(array, EdgeType::Element, &index, key);
    }

    /// The table of a Map or Set.
    fn table(&mut self, map: &str) -> String {
        let table = format!("{map} table");
        self.node(&table, "array", "(object elements)", 128);
        self.edge(map, EdgeType::Internal, "table", &table);
        table
    }

    /// A new entry in a table.
    fn entry(&mut self, table: &str, key: &str, class: &str) {
        self.node(key, "object", class, SIZE);
        self.made(key, 3);
        let index = self.nodes[key].to_string();
        self.edge(table, EdgeType::Internal, &index, key);
    }
}

fn snapshots(rounds: usize, program: impl Fn(usize, &mut Snapshot<'_>)) -> Vec<Heap> {
    let mut ids = HashMap::new();
    let snapshot = |round| {
        let mut snapshot = Snapshot::new(&mut ids);
        program(round, &mut snapshot);
        snapshot.builder.build()
    };
    (1..=rounds).map(snapshot).collect()
}

fn find(heaps: &[Heap], threads: usize) -> Vec<Leak> {
    let mut leaks = Leaks::new();
    let folded = heaps.iter().map(|heap| leaks.add(heap, threads)).last();
    leaks.find(heaps.last().expect("a snapshot"), folded.expect("a snapshot"))
}

fn leaks(rounds: usize, program: impl Fn(usize, &mut Snapshot<'_>)) -> Vec<Leak> {
    find(&snapshots(rounds, program), 1)
}

/// Owner, class and counts of the only finding.
fn only(found: Vec<Leak>) -> Leak {
    assert_eq!(found.len(), 1, "{found:#?}");
    found.into_iter().next().expect("one")
}

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

type Program = fn(usize, &mut Snapshot<'_>);

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
fn what_grows_decides_the_kind() {
    let references = only(leaks(3, |round, s| {
        s.variable("listeners", "Array");
        s.variable("listener", "Listener");
        (0..round * 4).for_each(|i| {
            s.edge("listeners", EdgeType::Element, &i.to_string(), "listener");
        });
        let storage = format!("storage {round}");
        s.node(&storage, "array", "(object elements)", SIZE * round as u64);
        s.edge("listeners", EdgeType::Internal, "elements", &storage);
    }));
    assert_eq!(references.kind, LeakKind::References);
    assert_eq!(
        (&*references.owner, references.counts.as_deref()),
        ("listeners", Some(&[4, 8, 12][..]))
    );
    let bytes = only(leaks(3, |round, s| {
        s.variable("buffer", "Uint8Array");
        s.node("data", "native", "system / JSArrayBufferData", SIZE * round as u64);
        s.edge("buffer", EdgeType::Internal, "backing_store", "data");
    }));
    assert_eq!((bytes.kind, &*bytes.owner, bytes.counts), (LeakKind::Bytes, "buffer", None));
}

/// One value under ever more keys of a Map: its table refers to it.
#[test]
fn references_from_the_table_of_a_map_are_counted() {
    use EdgeType::*;
    for (from, kind, is_entry) in [
        ("table", Internal, true),
        ("table", Hidden, true),
        ("table", Element, true),
        ("table", Property, false),
        ("table", Weak, false),
        // What else a Map has is no table.
        ("elements", Internal, false),
    ] {
        let found = leaks(3, |round, s| {
            s.variable("users", "Map");
            s.variable("nobody", "User");
            s.node("storage", "array", "", SIZE * round as u64);
            s.edge("users", Internal, from, "storage");
            (0..round * 4).for_each(|i| s.edge("storage", kind, &i.to_string(), "nobody"));
        });
        let counts = found.iter().map(|leak| (leak.kind, leak.counts.clone()));
        let expected = match is_entry {
            true => (LeakKind::References, Some(vec![4, 8, 12])),
            // All that is known is that it grows.
            false => (LeakKind::Bytes, None),
        };
        assert_eq!(counts.collect::<Vec<_>>(), [expected], "{from} {kind:?}");
    }
}

#[test]
fn what_does_not_grow_in_every_step_is_no_leak() {
    let programs: &[(&str, usize, Program)] = &[
        ("a cache that is full", 3, |round, s| {
            s.variable("cache", "Array");
            (0..[0, 4, 8, 8][round]).for_each(|i| s.push("cache", &format!("o{i}"), "Page"));
        }),
        ("words that become rare, although some come in every step", 3, |round, s| {
            s.variable("words", "Array");
            (0..[0, 10, 50, 56][round]).for_each(|i| s.push("words", &format!("o{i}"), "Word"));
        }),
        ("an array of a fixed length, whose table has ever more room", 3, |round, s| {
            s.variable("ring", "Array");
            s.node("table", "array", "(object elements)", 1000 + 1000 * round as u64);
            s.edge("ring", EdgeType::Internal, "elements", "table");
            (0..100).for_each(|i| s.push("ring", &format!("{round} {i}"), "Sample"));
        }),
        ("what comes and goes", 3, |round, s| {
            s.variable("open", "Array");
            (0..6).for_each(|i| s.push("open", &format!("{round} {i}"), "Request"));
        }),
        ("a vocabulary: new words become rare", 3, |round, s| {
            s.variable("words", "Array");
            (0..[0, 10, 110, 119][round]).for_each(|i| s.push("words", &format!("o{i}"), "Word"));
        }),
        ("growth of less than 1,000 bytes a step", 3, |round, s| {
            s.variable("few", "Object");
            (0..round)
                .for_each(|i| s.property("few", &format!("p{i}"), &format!("o{i}"), "Foo", 500));
        }),
        ("what is filled and emptied, in two snapshots", 2, |round, s| {
            s.variable("batch", "Array");
            (0..round * 8).for_each(|i| s.push("batch", &format!("{round} {i}"), "Row"));
        }),
        ("one more large object, in two snapshots", 2, |round, s| {
            s.variable("pools", "Array");
            (1..round).for_each(|i| s.push("pools", &format!("o{i}"), "Pool"));
        }),
        ("what only weak references hold", 3, |round, s| {
            s.variable("weak", "WeakSet");
            for i in 0..round * 4 {
                let key = format!("o{i}");
                s.node(&key, "object", "Foo", SIZE);
                s.edge("weak", EdgeType::Weak, &i.to_string(), &key);
            }
        }),
        ("nothing at all", 3, |_, _| {}),
        ("one snapshot", 1, |round, s| {
            s.variable("all", "Array");
            (0..round * 4).for_each(|i| s.push("all", &format!("o{i}"), "Foo"));
        }),
    ];
    for (name, rounds, program) in programs {
        let found = leaks(*rounds, program);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

#[test]
fn the_worst_comes_first_and_second_indexes_are_one_finding() {
    let found = leaks(3, |round, s| {
        for (name, per_round) in [("few", 4), ("many", 9)] {
            s.variable(name, "Array");
            (0..round * per_round).for_each(|i| s.push(name, &format!("{name} {i}"), name));
        }
    });
    let owners: Vec<_> = found.iter().map(|leak| &*leak.owner).collect();
    assert_eq!(owners, ["many", "few"]);
    let leak = only(leaks(3, |round, s| {
        for name in ["list", "index"] {
            s.variable(name, "Array");
        }
        for i in 0..round * 4 {
            let key = format!("o{i}");
            s.push("list", &key, "Foo");
            s.element("index", &key);
        }
    }));
    let mut owners = vec![leak.owner];
    owners.extend(leak.also_held_by);
    owners.sort();
    assert_eq!(owners, ["index", "list"]);
}

#[test]
fn only_containers_with_such_members_are_counted() {
    let leak = only(leaks(3, |round, s| {
        s.variable("rooms", "Array");
        for room in 0..6 {
            let (key, messages) = (format!("room {room}"), format!("messages {room}"));
            s.push("rooms", &key, "Room");
            s.property(&key, "messages", &messages, "Array", 32);
            let count = if room < 4 { round } else { 0 };
            (0..count).for_each(|i| s.push(&messages, &format!("m{room} {i}"), "Message"));
        }
    }));
    assert_eq!((&*leak.owner, leak.containers), ("Room.messages", 4));
}

/// The first snapshot's members are in the array once more in each round.
#[test]
fn no_more_is_kept_than_there_was() {
    let leak = only(leaks(3, |round, s| {
        s.variable("all", "Array");
        (0..round * 4).for_each(|i| s.push("all", &format!("o{i}"), "Foo"));
        for again in 1..round {
            (0..4).for_each(|i| {
                s.edge("all", EdgeType::Element, &format!("9{again}{i}"), &format!("o{i}"));
            });
        }
    }));
    assert_eq!(leak.counts.as_deref(), Some(&[4, 12, 20][..]));
    assert_eq!(leak.kept, Some(1000));
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

/// An object without a place is told with that of something in it, if that is as new and belongs to the program.
#[test]
fn places_of_what_is_in_an_object_are_those_of_the_object() {
    use EdgeType::*;
    /// Type and name of a node between the object and what has a place.
    const NOTHING: Option<(&str, &str)> = None;
    for (kind, name, between, is_new, is_told) in [
        (Property, "x", NOTHING, true, true),
        (Element, "1", NOTHING, true, true),
        (Internal, "x", NOTHING, true, true),
        (Property, "__proto__", NOTHING, true, false),
        (Property, "constructor", NOTHING, true, false),
        (Weak, "x", NOTHING, true, false),
        (Property, "x", NOTHING, false, false),
        (Property, "x", Some(("object", "Object")), true, true),
        (Internal, "x", Some(("array", "")), true, true),
        (Internal, "x", Some(("code", "f")), true, false),
        (Internal, "x", Some(("hidden", "system / Map")), true, false),
        (Internal, "x", Some(("synthetic", "(Handles)")), true, false),
    ] {
        let leak = only(leaks(3, |round, s| {
            s.variable("rows", "Array");
            if !is_new {
                s.node("thing", "object", "Thing", 32);
                s.made("thing", 5);
                s.edge("main", Property, "thing", "thing");
            }
            for i in 0..round * 4 {
                let (row, mut from, mut thing) =
                    (format!("r{i}"), format!("r{i}"), format!("t{i}"));
                s.node(&row, "object", "Row", SIZE);
                s.element("rows", &row);
                if let Some((kind, name)) = between {
                    from = format!("b{i}");
                    s.node(&from, kind, name, 32);
                    s.edge(&row, Property, "between", &from);
                }
                if is_new {
                    s.node(&thing, "object", "Thing", 32);
                    s.made(&thing, 5);
                } else {
                    thing = "thing".into();
                }
                s.edge(&from, kind, name, &thing);
            }
        }));
        assert_eq!(leak.leaked.as_deref(), Some("Row"));
        // Otherwise that of the function whose variable holds it.
        let expected = if is_told { "app.js:5" } else { "app.js:1" };
        let found = leak.made_at.map(|place| place.to_string());
        assert_eq!(found.as_deref(), Some(expected), "{kind:?} {name} {between:?} {is_new}");
    }
}

/// A package's constructor says little to those who use the package: the function that they gave to it does.
#[test]
fn places_in_the_programs_own_files_come_first() {
    for (callback, expected) in [(true, "app.js:9"), (false, "router/layer.js:36")] {
        let leak = only(leaks(3, |round, s| {
            s.node("layer code", "code", "Layer", 16);
            s.node("package", "code", "/srv/node_modules/router/layer.js", 16);
            s.edge("layer code", EdgeType::Internal, "script", "package");
            s.node("Layer", "closure", "Layer", 32);
            s.edge("Layer", EdgeType::Internal, "shared", "layer code");
            s.edge("scope", EdgeType::Context, "Layer", "Layer");
            s.builder.location(s.nodes["Layer"], SCRIPT + 1, 35, 0);
            s.node("handler code", "code", "handler", 16);
            s.edge("handler code", EdgeType::Internal, "script", "script");
            s.variable("stack", "Array");
            for i in 0..round * 4 {
                let (key, handler) = (format!("l{i}"), format!("f{i}"));
                s.node(&key, "object", "Layer", SIZE);
                s.builder.location(s.nodes[&key], SCRIPT + 1, 35, 0);
                s.element("stack", &key);
                if callback {
                    s.node(&handler, "closure", "handler", 32);
                    s.edge(&handler, EdgeType::Internal, "shared", "handler code");
                    s.edge(&key, EdgeType::Property, "handle", &handler);
                    s.made(&handler, 9);
                }
            }
        }));
        assert_eq!(leak.made_at.map(|place| place.to_string()).as_deref(), Some(expected));
    }
}

/// A table of lists gets one more list; the leak is in one of them.
#[test]
fn what_is_in_a_leak_does_not_make_its_holder_one() {
    let leak = only(leaks(2, |round, s| {
        s.variable("lists", "Array");
        for list in 0..2 + round {
            let key = format!("list {list}");
            s.node(&key, "object", "TimersList", 16);
            s.element("lists", &key);
        }
        (0..round * 4).for_each(|i| s.push("list 0", &format!("t{i}"), "Timeout"));
    }));
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("lists[]", Some("Timeout")));
}

/// Each stream has its last value, another in each round.
#[test]
fn containers_that_are_leaked_are_told_not_their_changing_content() {
    let leak = only(leaks(3, |round, s| {
        s.variable("streams", "Array");
        for i in 0..round * 4 {
            let (key, values) = (format!("s{i}"), format!("values {i}"));
            s.push("streams", &key, "Stream");
            s.property(&key, "values", &values, "Array", 32);
            s.push(&values, &format!("v{i} {round}"), "Quote");
        }
    }));
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("streams", Some("Stream")));
}

/// A page has 32 bytes, and a window that other things know too: it is below nothing but the root.
#[test]
fn what_only_the_root_dominates_belongs_to_those_who_lead_to_it() {
    let leak = only(leaks(3, |round, s| {
        s.variable("pages", "Array");
        for i in 0..round * 3 {
            let (page, window, document) = (format!("p{i}"), format!("w{i}"), format!("d{i}"));
            s.node(&page, "object", "Page", 32);
            s.element("pages", &page);
            for (key, class) in [(&window, "Window"), (&document, "Document")] {
                s.node(key, "object", class, SIZE);
                s.edge("roots", EdgeType::Element, &s.nodes[key].to_string(), key);
            }
            s.edge(&page, EdgeType::Property, "window", &window);
            s.edge(&window, EdgeType::Property, "document", &document);
        }
    }));
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("pages", Some("Page")));
    assert!(leak.bytes >= 12 * SIZE, "{leak:?}");
}

/// The columns of a table: one finding, called by the variable, as a minifier named the class.
#[test]
fn fields_that_grow_together_are_one_finding() {
    let leak = only(leaks(3, |round, s| {
        s.variable("cache", "u");
        for name in ["values", "keys", "sizes"] {
            s.property("cache", name, name, "Array", 32);
        }
        s.node("size storage", "array", "(object elements)", SIZE * round as u64);
        s.edge("sizes", EdgeType::Internal, "elements", "size storage");
        for i in 0..round * 4 {
            s.push("values", &format!("v{i}"), "Profile");
            let key = format!("k{i}");
            s.node(&key, "string", "user", SIZE / 2);
            s.element("keys", &key);
        }
    }));
    assert_eq!(leak.owner, "cache.values");
    assert_eq!(leak.grows_with, ["cache.keys", "cache.sizes"]);
    let steps: Vec<i64> = leak.steps;
    assert_eq!(steps, [7 * SIZE as i64; 2]);
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

/// Chains as long as memory allows must not go deep into anything, nor take their length squared.
#[test]
fn structures_may_be_deep() {
    let heaps = snapshots(2, |round, s| {
        s.variable("queue", "Queue");
        for i in 0..round * 50_000 {
            let (kind, key) = (if i % 2 == 0 { "Left" } else { "Right" }, format!("n{i}"));
            match i {
                0 => s.property("queue", "head", &key, kind, 100),
                i => s.property(&format!("n{}", i - 1), "next", &key, kind, 100),
            }
            s.property(&key, "owner", &format!("b{i}"), "Queue", 16);
        }
    });
    // All are one structure, as each node leads to another queue.
    assert_eq!(only(find(&heaps, 1)).owner, "queue");
}

/// A job of the compiler, a handle of native code or a stack frame holds something in one of three snapshots, of a
/// program whose variables only a running function holds.
#[test]
fn what_v8_holds_for_a_moment_moves_nothing() {
    let find = |moment: Option<(usize, &str, &str)>, is_async: bool| {
        let heaps = snapshots(3, |round, s| {
            for (key, name) in [
                ("stack", "(Stack roots)"),
                ("handles", "(Handle scope)"),
                ("strong", "(Strong roots)"),
            ] {
                s.node(key, "synthetic", name, 0);
                s.edge("roots", EdgeType::Element, "2", key);
            }
            // `async function job() { const waiting = []; … reader(); … }`
            s.node("job", "closure", "job", 32);
            s.node("job scope", "object", "system / Context", 32);
            s.node("reader", "closure", "reader", 32);
            s.node("waiting", "object", "Array", 32);
            if is_async {
                s.node("state", "object", "Generator", 32);
                s.node("registers", "array", "", 32);
                s.edge("stack", EdgeType::Internal, "1", "state");
                s.edge("state", EdgeType::Internal, "parameters_and_registers", "registers");
                s.edge("state", EdgeType::Internal, "context", "job scope");
                s.edge("state", EdgeType::Internal, "function", "job");
            }
            s.edge("stack", EdgeType::Internal, "2", "job");
            s.edge("job", EdgeType::Internal, "context", "job scope");
            s.edge("job scope", EdgeType::Context, "reader", "reader");
            s.edge("job scope", EdgeType::Context, "waiting", "waiting");
            s.edge("reader", EdgeType::Internal, "context", "job scope");
            (0..round * 4).for_each(|i| s.push("waiting", &format!("o{i}"), "Request"));
            if let Some((at, from, to)) = moment
                && at == round
            {
                s.edge(from, EdgeType::Internal, "53 / IdentityMapBase", to);
            }
        });
        let mut leak = only(find(&heaps, 1));
        // What runs may hold the variables in several ways.
        leak.path.truncate(1);
        format!("{leak:?}")
    };
    for is_async in [false, true] {
        let expected = find(None, is_async);
        assert!(expected.contains("variable waiting"), "{expected}");
        for round in 1..=3 {
            for from in ["stack", "handles", "strong"] {
                for to in ["waiting", "job scope", "reader", "o1"] {
                    let found = find(Some((round, from, to)), is_async);
                    assert_eq!(found, expected, "{from} holds {to} in {round}, async: {is_async}");
                }
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    // Enough nodes that they are split.
    let heaps = snapshots(3, |round, s| {
        let mut state = 12345u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        s.variable("v0", "Array");
        for i in 1..round * 3000 {
            let key = format!("v{i}");
            let class = ["Array", "Foo", "Bar", "Object"][random(4)];
            s.node(&key, "object", class, random(100) as u64);
            let (near, any) = (i - 1 - random(i.min(30)), random(i));
            s.edge(&format!("v{near}"), EdgeType::Property, ["a", "b", "c"][random(3)], &key);
            if i % 3 == 0 {
                s.element(&format!("v{any}"), &key);
            }
        }
    });
    assert!(heaps[2].nodes().len() > 2 * 4096);
    let one = format!("{:?}", find(&heaps, 1));
    assert_eq!(one, format!("{:?}", find(&heaps, 4)));
    assert_ne!(one, "[]");
}
