//! What nothing is shown to hold, in snapshots of engines that do not write what a Map holds.

use crate::program::{Program, SIZE, Snapshot, leaks, only};
use heapquarry_graph::{Confidence, EdgeType, LeakKind};

/// A Map as JavaScriptCore writes it: its storage refers to nothing.
fn map(s: &mut Snapshot<'_>, of: &str, name: &str, bytes: u64) {
    s.property(of, name, name, "Map", 32);
    let storage = format!("{name} storage");
    s.node(&storage, "hidden", "Cell Butterfly", bytes);
    s.edge(name, EdgeType::Internal, "", &storage);
}

/// An entry with a key, and a function that leads back to it.
fn entry(s: &mut Snapshot<'_>, key: &str, class: &str) {
    let [function, text] = ["function", "text"].map(|part| format!("{key} {part}"));
    s.node(key, "object", class, SIZE);
    s.node(&function, "closure", "cb", 100);
    s.node(&text, "string", &text, 10);
    s.edge(key, EdgeType::Property, "cb", &function);
    s.edge(&function, EdgeType::Internal, "callee", key);
}

/// Three snapshots each: who probably holds it, what, how many, and the bytes; nothing if nothing is told.
type Told = Option<(&'static str, &'static str, [u64; 3], u64)>;
const PROGRAMS: &[(&str, Program, Told)] = &[
    (
        "entries of a Map whose storage grows",
        |round, s| {
            s.variable("shop", "Shop");
            map(s, "shop", "sessions", 100 * round as u64);
            map(s, "shop", "prices", 1000);
            (0..round * 4).for_each(|i| entry(s, &format!("s{i}"), "Session"));
        },
        Some(("Shop.sessions", "Session", [4, 8, 12], 8 * (SIZE + 110))),
    ),
    (
        "what each of them has besides, but for a few",
        |round, s| {
            s.variable("shop", "Shop");
            map(s, "shop", "sessions", 100 * round as u64);
            for i in 0..round * 4 {
                entry(s, &format!("s{i}"), "Session");
                (0..3).for_each(|n| s.node(&format!("{i} {n}"), "string", "t", 10));
            }
            (0..round / 2).for_each(|i| s.node(&format!("more {i}"), "string", "t", 10));
        },
        Some(("Shop.sessions", "Session", [4, 8, 12], 8 * (SIZE + 140) + 10)),
    ),
    (
        "no Map grows enough",
        |round, s| {
            s.variable("shop", "Shop");
            map(s, "shop", "sessions", 100);
            (0..round * 4).for_each(|i| entry(s, &format!("s{i}"), "Session"));
        },
        Some(("Session", "Session", [4, 8, 12], 8 * (SIZE + 110))),
    ),
    (
        "as many as before",
        |round, s| {
            s.variable("shop", "Shop");
            map(s, "shop", "sessions", 100);
            (0..8).for_each(|i| entry(s, &format!("s{round} {i}"), "Session"));
        },
        None,
    ),
    (
        "an engine that writes what a Map holds",
        |round, s| {
            s.variable("seen", "Map");
            s.table("seen");
            (0..round * 4).for_each(|i| entry(s, &format!("s{i}"), "Session"));
        },
        None,
    ),
    (
        "no Map at all",
        |round, s| (0..round * 4).for_each(|i| entry(s, &format!("s{i}"), "Session")),
        None,
    ),
];

#[test]
fn objects_that_nothing_holds_are_told_where_maps_are_not_written() {
    for &(what, program, expected) in PROGRAMS {
        let found = leaks(3, program);
        let Some((owner, leaked, counts, bytes)) = expected else {
            assert!(found.is_empty(), "{what}: {found:#?}");
            continue;
        };
        let leak = only(found);
        let told = (&*leak.owner, leak.leaked.as_deref(), leak.counts.as_deref(), leak.bytes);
        assert_eq!(told, (owner, Some(leaked), Some(&counts[..]), bytes), "{what}: {leak:#?}");
        assert_eq!((leak.kind, leak.confidence), (LeakKind::Unheld, Confidence::Medium), "{what}");
    }
}
