//! Containers to which another way leads in each snapshot.

use crate::program::{Program, leaks, only};
use heapquarry_graph::EdgeType;

/// Three snapshots each, and what is counted.
const PROGRAMS: &[(&str, Program, &[u64])] = &[
    (
        "a buffer that a timer leads to",
        |round, s| {
            s.variable("timers", "Timers");
            let (timer, state) = (format!("timer {round}"), format!("state {round}"));
            s.property("timers", &timer, &timer, "Timeout", 32);
            s.property(&timer, "state", &state, "State", 32);
            s.node("buffer", "object", "Array", 32);
            s.edge(&state, EdgeType::Property, "buffer", "buffer");
            (0..round * 4).for_each(|i| s.push("buffer", &format!("o{i}"), "Item"));
        },
        &[4, 8, 12],
    ),
    (
        "a buffer that hangs from something else each time",
        |round, s| {
            let name = ["waiting", "running", "done"][round - 1];
            s.variable(name, ["Waiting", "Running", "Done"][round - 1]);
            s.node("buffer", "object", "Array", 32);
            s.edge(name, EdgeType::Property, "buffer", "buffer");
            (0..round * 4).for_each(|i| s.push("buffer", &format!("o{i}"), "Item"));
        },
        &[4, 8, 12],
    ),
    (
        "in one snapshot it is somewhere else",
        |round, s| {
            let name = if round == 2 { "running" } else { "waiting" };
            s.variable(name, "Queue");
            s.node("buffer", "object", "Array", 32);
            s.edge(name, EdgeType::Property, "buffer", "buffer");
            (0..round * 4).for_each(|i| s.push("buffer", &format!("o{i}"), "Item"));
        },
        &[4, 8, 12],
    ),
];

#[test]
fn a_container_is_one_place_wherever_it_is() {
    for &(what, program, counts) in PROGRAMS {
        let leak = only(leaks(3, program));
        let told = (leak.leaked.as_deref(), leak.counts.as_deref(), leak.kept);
        assert_eq!(told, (Some("Item"), Some(counts), Some(1000)), "{what}: {leak:#?}");
    }
}

/// Two arrays that change their places are no container that moves: each has its own content.
#[test]
fn containers_that_change_places_are_not_one() {
    let found = leaks(3, |round, s| {
        s.variable("queue", "Queue");
        for (at, name) in ["front", "back"].into_iter().enumerate() {
            let key = format!("list {}", (at + round) % 2);
            s.property("queue", name, &key, "Array", 32);
            (0..4).for_each(|i| s.push(&key, &format!("{key} {i}"), "Job"));
        }
    });
    assert!(found.is_empty(), "{found:#?}");
}
