//! What is counted.

use crate::program::{leaks, only};
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
