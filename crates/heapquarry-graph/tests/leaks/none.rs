//! What is no leak.

use crate::program::{Program, SIZE, leaks};
use heapquarry_graph::EdgeType;

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
