//! Snapshots of JavaScriptCore: what leads to the variables of a file is not in them.

use crate::program::{Program, SIZE, Snapshot, find, only, snapshots_of_jsc};
use heapquarry_graph::{EdgeType, LeakKind};

/// A Map whose storage refers to nothing, in a property.
fn map(s: &mut Snapshot<'_>, of: &str, name: &str, bytes: u64) {
    s.property(of, name, name, "Map", 32);
    let storage = format!("{name} storage");
    s.node(&storage, "hidden", "Cell Butterfly", bytes);
    s.edge(name, EdgeType::Internal, "", &storage);
}

/// Three snapshots each, with the owner, the way to it, what is leaked and how it is known.
type Told = (&'static str, &'static str, &'static str, LeakKind);
const PROGRAMS: &[(&str, Program, Told)] = &[
    (
        "an array",
        |round, s| {
            s.variable("orders", "Array");
            (0..round * 4).for_each(|i| s.push("orders", &format!("o{i}"), "Order"));
        },
        ("orders", "variable orders", "Order", LeakKind::Count),
    ),
    (
        "a Map in a class, beside leaked Maps",
        |round, s| {
            s.variable("orders", "Store");
            map(s, "orders", "sessions", 100 * round as u64);
            for i in 0..round * 4 {
                let key = format!("s{i}");
                s.node(&key, "object", "Session", SIZE);
                map(s, &key, &format!("{key} tags"), 500);
            }
        },
        ("Store.sessions", "variable orders.sessions", "Session", LeakKind::Unheld),
    ),
    (
        "functions with variables of their own",
        |round, s| {
            s.variable("orders", "Array");
            for i in 0..round * 4 {
                let (function, scope) = (format!("f{i}"), format!("call {i}"));
                s.scope_of_jsc(&scope, "scope");
                s.node(&function, "closure", "handle", SIZE);
                s.edge(&function, EdgeType::Internal, "", &scope);
                s.element("orders", &function);
            }
        },
        ("orders", "variable orders", "handle()", LeakKind::Count),
    ),
    (
        "objects at addresses of what is gone",
        |round, s| {
            s.variable("orders", "Array");
            s.variable("recent", "Array");
            (0..round * 4).for_each(|i| s.push("orders", &format!("a{i}"), "Order"));
            let others = round * 4..round * 4 + 4;
            others.for_each(|i| s.push("recent", &format!("a{i}"), "Page"));
        },
        ("orders", "variable orders", "Order", LeakKind::Count),
    ),
    (
        "a field of what is in a Map",
        |round, s| {
            s.variable("orders", "Rooms");
            map(s, "orders", "rooms", 500);
            for room in 0..4 {
                let (key, messages) = (format!("room {room}"), format!("messages {room}"));
                s.node(&key, "object", "Room", 32);
                s.property(&key, "messages", &messages, "Array", 32);
                (0..round).for_each(|i| s.push(&messages, &format!("m{room} {i}"), "Message"));
            }
        },
        ("Room.messages", "messages", "Message", LeakKind::Count),
    ),
];

/// Code has the variable as a constant, or the stack has it or its scope in hand, in one of three snapshots.
#[test]
fn what_has_a_variable_by_chance_moves_nothing() {
    for &(what, program, (owner, way, leaked, kind)) in PROGRAMS {
        for (from, to) in [("", ""), ("code", "orders"), ("root", "orders"), ("root", "scope")] {
            for at in 1..=3 {
                let heaps = snapshots_of_jsc(3, |round, s| {
                    s.node("code", "code", "FunctionCodeBlock", 64);
                    s.edge("root", EdgeType::Internal, "", "code");
                    program(round, s);
                    if round == at && !from.is_empty() {
                        s.edge(from, EdgeType::Internal, "", to);
                    }
                });
                let leak = only(find(&heaps, 1));
                let told = (&*leak.owner, &*leak.via, leak.leaked.as_deref(), leak.kind);
                let case = format!("{what}, {from} has {to} in {at}: {leak:#?}");
                assert_eq!(told, (owner, way, Some(leaked), kind), "{case}");
                assert_eq!(leak.counts.as_deref(), Some(&[4, 8, 12][..]), "{case}");
            }
        }
    }
}
