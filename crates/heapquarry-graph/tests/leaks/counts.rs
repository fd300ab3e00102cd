//! What is counted.

use crate::program::{SIZE, leaks, only};
use heapquarry_graph::EdgeType;

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

/// Functions of one name are of one class only if they were made of the same code, variables if of the same function.
#[test]
fn functions_of_other_code_do_not_count() {
    let leak = only(leaks(3, |round, s| {
        s.variable("handlers", "Array");
        for code in ["growing", "constant"] {
            s.node(code, "code", "handle", 16);
            s.edge(code, EdgeType::Internal, "script", "script");
        }
        for i in 0..round * 4 + 5 {
            let key = format!("f{i}");
            s.node(&key, "closure", "handle", SIZE);
            let code = if i < 5 { "constant" } else { "growing" };
            s.edge(&key, EdgeType::Internal, "shared", code);
            s.element("handlers", &key);
        }
    }));
    assert_eq!(leak.counts.as_deref(), Some(&[4, 8, 12][..]));
}

/// An array of texts that were put together counts texts, not their pieces.
#[test]
fn pieces_of_texts_are_no_texts() {
    let leak = only(leaks(3, |round, s| {
        s.variable("lines", "Array");
        for i in 0..round * 4 {
            let (key, piece) = (format!("t{i}"), format!("p{i}"));
            s.node(&key, "concatenated string", "", SIZE);
            s.element("lines", &key);
            s.node(&piece, "string", "x", 32);
            s.edge(&key, EdgeType::Internal, "first", &piece);
        }
    }));
    assert_eq!(leak.counts.as_deref(), Some(&[4, 8, 12][..]));
    assert_eq!(leak.groups[0].counts, [4, 8, 12]);
}

/// A list counts what is in it, not what else its owner has, nor another list of the same class.
#[test]
fn only_what_is_in_the_list_is_counted() {
    let leak = only(leaks(3, |round, s| {
        for (queue, count) in [("growing", round * 4), ("constant", 3)] {
            s.variable(queue, "Queue");
            s.property(queue, "name", &format!("{queue} name"), "Name", 32);
            for i in 0..count {
                let (key, before) =
                    (format!("{queue} {i}"), format!("{queue} {}", i.wrapping_sub(1)));
                s.node(&key, "object", "Job", SIZE);
                let (from, edge) = if i == 0 { (queue, "head") } else { (&*before, "next") };
                s.edge(from, EdgeType::Property, edge, &key);
            }
            let last = format!("{queue} {}", count - 1);
            s.edge(queue, EdgeType::Property, "tail", &last);
        }
    }));
    assert_eq!((&*leak.owner, leak.counts.as_deref()), ("Queue.head", Some(&[4, 8, 12][..])));
}

/// Nothing can be kept of what was not there.
#[test]
fn leaks_may_begin_after_the_first_snapshot() {
    let leak = only(leaks(3, |round, s| {
        s.variable("all", "Array");
        (4..round * 4).for_each(|i| s.push("all", &format!("o{i}"), "Foo"));
    }));
    assert_eq!((leak.counts.as_deref(), leak.kept), (Some(&[0, 4, 8][..]), None));
}

/// Objects that move between two arrays are counted in these alone.
#[test]
fn what_moves_is_counted_where_it_moves() {
    let leak = only(leaks(3, |round, s| {
        s.variable("queue", "Queue");
        s.variable("other", "Array");
        (0..7).for_each(|i| s.push("other", &format!("other {i}"), "Message"));
        for slot in ["front", "back"] {
            s.property("queue", slot, slot, "Array", 32);
        }
        let (few, many) = if round % 2 == 0 { ("back", "front") } else { ("front", "back") };
        for i in 0..round * 6 {
            s.push(if i < 2 { few } else { many }, &format!("o{i}"), "Message");
        }
    }));
    assert_eq!(
        (&*leak.owner, leak.counts.as_deref()),
        ("Queue.{back, front}", Some(&[6, 12, 18][..]))
    );
    let mut counts: Vec<_> = leak.groups.into_iter().map(|group| group.counts).collect();
    counts.sort();
    assert_eq!(counts, [[2, 10, 2], [4, 2, 16]]);
    assert_eq!(leak.bytes, 12 * SIZE);
}

/// A queue has one function, another one in each round, which leads to a chain that gets longer at its head; or to no
/// more than before, or to nothing of the one before.
#[test]
fn what_a_new_container_takes_over_from_the_one_before_is_a_leak() {
    for (takes_over, grows, is_leak) in
        [(true, true, true), (false, true, false), (true, false, false)]
    {
        let found = leaks(3, |round, s| {
            s.variable("queue", "Array");
            let head = format!("head {round}");
            s.node(&head, "object", "Array", 32);
            s.element("queue", &head);
            let first = if grows { 0 } else { (round - 1) * 4 };
            for i in first..round * 4 {
                let key = if takes_over { format!("o{i}") } else { format!("o{round} {i}") };
                s.push(&head, &key, "Foo");
            }
        });
        let leak = found.iter().find(|leak| leak.leaked.is_some());
        assert_eq!(leak.is_some(), is_leak, "{takes_over} {grows}: {found:?}");
        if let Some(leak) = leak {
            assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("queue[]", Some("Foo")));
            assert_eq!((leak.counts.as_deref(), leak.kept), (Some(&[4, 8, 12][..]), Some(1000)));
        }
    }
}

/// A service that is replaced in each round takes over the one before, as its parent.
#[test]
fn new_containers_with_something_old_grow_with_their_number() {
    let found = leaks(3, |round, s| {
        s.variable("all", "Array");
        for i in 0..round * 4 {
            let (key, parts) = (format!("session {i}"), format!("parts {i}"));
            s.push("all", &key, "Session");
            s.property(&key, "parts", &parts, "Array", 32);
            // Sessions of the next round take what the first one had.
            s.push(&parts, &format!("part {}", i.saturating_sub(4)), "Part");
            s.push(&parts, &format!("own {i}"), "Part");
        }
    });
    let leak = only(found);
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("all", Some("Session")));
}
