//! What WeakMaps hold: a value is there as long as both its key and the map are.

use crate::program::{Program, leaks, only};
use heapquarry_graph::EdgeType;

/// A page's global object, and a function that runs.
fn page(s: &mut crate::program::Snapshot<'_>) {
    s.node("global", "object", "global / ", 8);
    s.edge("root", EdgeType::Shortcut, "1", "global");
    s.node("stack", "synthetic", "(Stack roots)", 0);
    s.edge("roots", EdgeType::Element, "2", "stack");
}

/// Three snapshots each, with the owner and what leads to it.
const PROGRAMS: &[(&str, Program, [&str; 2])] = &[
    (
        "map and key in variables",
        |round, s| {
            s.weak_map("meta");
            s.edge("scope", EdgeType::Context, "meta", "meta");
            s.variable("config", "Config");
            s.node("list", "object", "Array", 32);
            s.pair("meta", "config", "list");
            (0..round * 4).for_each(|i| s.push("list", &format!("o{i}"), "Item"));
        },
        ["Config.(WeakMap meta)", "variable config.(WeakMap meta) of app.js"],
    ),
    (
        "a map in the page, a key that only the stack holds",
        |round, s| {
            page(s);
            s.weak_map("meta");
            s.edge("global", EdgeType::Property, "meta", "meta");
            s.node("config", "object", "Object", 32);
            s.edge("stack", EdgeType::Internal, "7", "config");
            s.node("list", "object", "Array", 32);
            s.pair("meta", "config", "list");
            (0..round * 4).for_each(|i| s.push("list", &format!("o{i}"), "Item"));
        },
        ["(WeakMap meta)", "(Stack roots).(WeakMap meta)"],
    ),
    (
        "an old key with ever more maps",
        |round, s| {
            s.variable("constant", "Constant");
            s.variable("loaders", "Map");
            let table = s.table("loaders");
            for i in 0..round * 4 {
                let (map, value) = (format!("map {i}"), format!("compilation {i}"));
                s.weak_map(&map);
                s.edge(&table, EdgeType::Internal, &format!("{i}"), &map);
                s.node(&value, "object", "Compilation", 1000);
                s.pair(&map, "constant", &value);
            }
        },
        ["loaders", "variable loaders of app.js"],
    ),
];

#[test]
fn the_younger_of_key_and_map_holds_a_value() {
    for &(what, program, expected) in PROGRAMS {
        let leak = only(leaks(3, program));
        assert_eq!([&*leak.owner, &*leak.via], expected, "{what}: {leak:#?}");
        assert_eq!(leak.counts.as_deref(), Some(&[4, 8, 12][..]), "{what}");
    }
}
