//! Snapshots whose ids are not those of the same objects: growth at each place is told without them.

use crate::program::{Program, SIZE, Snapshot, find, only, snapshots};
use heapquarry_graph::{Confidence, EdgeType, Heap, HeapBuilder, Leaks};
use std::collections::HashMap;

/// Snapshots of which each counts its ids from the start, in another order.
fn with_new_ids(rounds: usize, program: Program) -> Vec<Heap> {
    let snapshot = |round: usize| {
        let mut ids: HashMap<String, u64> = HashMap::new();
        // What stands before all else moves it.
        (0..round * 3).for_each(|i| _ = ids.insert(format!("other {i}"), 2 * i as u64 + 1));
        let mut snapshot = Snapshot::new(&mut ids);
        program(round, &mut snapshot);
        snapshot.builder.build()
    };
    (1..=rounds).map(snapshot).collect()
}

/// Three snapshots each, with the owner and what is leaked; nothing if nothing leaks.
const PROGRAMS: &[(&str, Program, Option<[&str; 2]>)] = &[
    (
        "an array",
        |round, s| {
            s.variable("orders", "Array");
            (0..round * 4).for_each(|i| s.push("orders", &format!("o{i}"), "Order"));
        },
        Some(["orders", "Order"]),
    ),
    (
        "sessions with items of their own: the items are not told",
        |round, s| {
            s.variable("sessions", "Array");
            for i in 0..round * 4 {
                let (session, items) = (format!("s{i}"), format!("items {i}"));
                s.push("sessions", &session, "Session");
                s.property(&session, "items", &items, "Array", 32);
                (0..5).for_each(|n| s.push(&items, &format!("{i} {n}"), "Item"));
            }
        },
        Some(["sessions", "Session"]),
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
        Some(["Room.messages", "Message"]),
    ),
    (
        "a list",
        |round, s| {
            s.variable("queue", "Queue");
            for i in 0..round * 4 {
                let key = format!("n{i}");
                match i {
                    0 => s.property("queue", "head", &key, "Node", SIZE),
                    i => s.property(&format!("n{}", i - 1), "next", &key, "Node", SIZE),
                }
            }
        },
        Some(["Queue.head", "Node"]),
    ),
    (
        "functions, each of code of its own",
        |round, s| {
            s.variable("hooks", "Array");
            for i in 0..round * 4 {
                let (key, shared) = (format!("f{i}"), format!("shared {i}"));
                s.node(&key, "closure", "hook", SIZE);
                s.node(&shared, "code", "hook", 8);
                s.edge(&key, EdgeType::Internal, "shared", &shared);
                s.edge(&shared, EdgeType::Internal, "script", "script");
                s.made(&key, 9);
                s.element("hooks", &key);
            }
        },
        Some(["hooks", "hook()"]),
    ),
    (
        "variables that two functions lead to, of which neither holds the other",
        |round, s| {
            s.node("other", "closure", "other", 32);
            s.edge("roots", EdgeType::Element, "2", "other");
            s.edge("other", EdgeType::Internal, "context", "scope");
            s.variable("orders", "Array");
            (0..round * 4).for_each(|i| s.push("orders", &format!("o{i}"), "Order"));
        },
        Some(["orders", "Order"]),
    ),
    (
        "as many in each snapshot",
        |round, s| {
            s.variable("recent", "Array");
            (0..8).for_each(|i| s.push("recent", &format!("{round} {i}"), "Order"));
        },
        None,
    ),
];

#[test]
fn growth_at_each_place_is_told_without_ids() {
    for &(what, program, expected) in PROGRAMS {
        let found = find(&with_new_ids(3, program), 1);
        let Some([owner, leaked]) = expected else {
            assert!(found.is_empty(), "{what}: {found:#?}");
            continue;
        };
        let leak = only(found);
        assert_eq!(
            (&*leak.owner, leak.leaked.as_deref()),
            (owner, Some(leaked)),
            "{what}: {leak:#?}"
        );
        assert_eq!(leak.counts.as_deref(), Some(&[4, 8, 12][..]), "{what}");
        // What stays is not known.
        assert_eq!((leak.kept, leak.confidence), (None, Confidence::Medium), "{what}");
        // With ids the same is told.
        let known = only(find(&snapshots(3, program), 1));
        assert_eq!((&*known.owner, known.leaked.as_deref()), (owner, Some(leaked)), "{what}");
        assert_eq!(known.confidence, Confidence::High, "{what}");
    }
}

#[test]
fn with_two_snapshots_nothing_is_more_than_a_guess() {
    let leak = only(find(&with_new_ids(2, PROGRAMS[0].1), 1));
    assert_eq!((leak.kept, leak.confidence), (None, Confidence::Low));
}

/// One snapshot whose ids are new makes all of them doubtful.
#[test]
fn it_is_said_that_ids_are_lost() {
    let program = PROGRAMS[0].1;
    let lasting = snapshots(3, program);
    let [first, second, _] = &lasting[..] else { panic!("three") };
    let [_, _, new] = &with_new_ids(3, program)[..] else { panic!("three") };
    let mut none = HeapBuilder::new();
    none.node("synthetic", "", 0);
    let none = none.build();
    for (heaps, is_lost) in [
        (vec![first], false),
        (vec![first, second, &lasting[2]], false),
        (vec![first, new], true),
        (vec![first, second, new], true),
        (vec![&none, &none], false),
    ] {
        let mut leaks = Leaks::new();
        heaps.iter().for_each(|heap| drop(leaks.add(heap, 1)));
        assert_eq!(leaks.lost_ids().is_some(), is_lost);
    }
}
