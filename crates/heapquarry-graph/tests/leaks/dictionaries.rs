//! Plain objects that are used as dictionaries.

use crate::program::{SIZE, Snapshot, leaks};
use heapquarry_graph::{EdgeType, Leak, LeakKind};

/// Kind, owner and counts of each finding.
fn told(found: &[Leak]) -> Vec<(LeakKind, &str, Option<&[u64]>)> {
    found.iter().map(|leak| (leak.kind, &*leak.owner, leak.counts.as_deref())).collect()
}

/// Adds a value under a key.
fn value(s: &mut Snapshot<'_>, of: &str, key: &str, id: &str, class: &str) {
    s.property(of, key, id, class, SIZE);
}

/// What is under all keys counts together.
#[test]
fn objects_with_60_keys_are_dictionaries() {
    for (keys, elements, counts) in
        [(60, 0, Some(&[4, 8, 12][..])), (70, 0, Some(&[4, 8, 12])), (59, 0, None), (59, 60, None)]
    {
        // Each round has messages for four other topics, so that none of them grows in every step.
        let found = leaks(3, |round, s| {
            s.variable("topics", "Object");
            for topic in 0..keys {
                let key = format!("topic {topic}");
                s.property("topics", &key, &key, "Array", 32);
            }
            for element in 0..elements {
                s.edge("topics", EdgeType::Element, &element.to_string(), "main");
            }
            for i in 0..round * 4 {
                s.push(&format!("topic {i}"), &format!("m{i}"), "Message");
            }
        });
        // One of the lists stands for all.
        let owner = "topics[\"topic 0\"]";
        let expected = counts.map(|counts| (LeakKind::Count, owner, Some(counts)));
        assert_eq!(told(&found), expected.as_slice(), "{keys} keys, {elements} elements");
    }
}

/// Fewer are one if there are more in every round, some of them under new names.
#[test]
fn objects_with_ever_new_keys_are_dictionaries() {
    type Keys = [&'static [&'static str]; 3];
    for (name, keys, is_one) in [
        ("ever more", [&["a"][..], &["a", "b"], &["a", "b", "c"]], true),
        ("ever more, of which some go", [&["a"], &["b", "c"], &["c", "d", "e"]], true),
        ("as many, under new names", [&["a", "b"], &["c", "d"], &["e", "f"]], false),
        ("no new names in the last", [&["c"], &["a", "b"], &["a", "b", "c"]], false),
    ] as [(&str, Keys, bool); 4]
    {
        let found = leaks(3, |round, s| {
            s.variable("byDay", "Object");
            for key in keys[round - 1] {
                // Values of the same key are others in each round.
                let id = format!("{round} {key}");
                value(s, "byDay", key, &id, "Day");
                s.node(&format!("data {id}"), "array", "", SIZE * round as u64);
                s.edge(&id, EdgeType::Internal, "elements", &format!("data {id}"));
            }
        });
        let counts = [1, 2, 3];
        let expected = [(LeakKind::Count, "byDay", Some(&counts[..]))];
        assert_eq!(told(&found), &expected[..usize::from(is_one)], "{name}");
    }
}

/// Keys are names again while there are less than 60.
#[test]
fn dictionaries_may_be_small_for_a_while() {
    let found = leaks(3, |round, s| {
        s.variable("cache", "Object");
        let [jobs, pages] = [[10, 60], [20, 20], [30, 60]][round - 1];
        for i in 0..jobs {
            value(s, "cache", &format!("job {i}"), &format!("job {i}"), "Job");
        }
        for i in 0..pages {
            value(s, "cache", &format!("page {i}"), &format!("page {round} {i}"), "Page");
        }
    });
    assert_eq!(told(&found), [(LeakKind::Count, "cache", Some(&[10, 20, 30][..]))]);
}

/// New days have more hits than those before: that is no leak of its own, as the lists are new.
#[test]
fn what_is_new_with_an_entry_is_part_of_it() {
    let found = leaks(3, |round, s| {
        s.variable("days", "Object");
        for day in 0..round {
            let (key, hits) = (format!("day {day}"), format!("hits {day}"));
            value(s, "days", &key, &key, "Day");
            s.property(&key, "hits", &hits, "Array", 32);
            (0..3 * 9usize.pow(day as u32))
                .for_each(|i| s.push(&hits, &format!("{day} {i}"), "Hit"));
        }
    });
    let told = told(&found);
    assert!(told.iter().all(|(_, owner, _)| *owner == "days"), "{told:?}");
}
