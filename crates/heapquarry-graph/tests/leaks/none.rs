//! What is no leak.

use crate::program::{Program, SIZE, Snapshot, leaks};
use heapquarry_graph::{Confidence, EdgeType, LeakKind};

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
        ("an array that gets more, while what is in it gets less", 3, |round, s| {
            s.variable("jobs", "Array");
            (0..round * 4).for_each(|i| s.push("jobs", &format!("o{i}"), "Job"));
            s.node("result", "string", "", [0, 1_000, 30_000, 5_000][round]);
            s.edge("o0", EdgeType::Property, "result", "result");
        }),
        ("new containers, with more in each", 3, |round, s| {
            s.variable("pages", "Array");
            for i in 0..3 {
                let (page, rows) = (format!("{round} {i}"), format!("rows {round} {i}"));
                s.node(&page, "object", "Page", 32);
                s.element("pages", &page);
                s.property(&page, "rows", &rows, "Array", 32);
                (0..round * 4).for_each(|n| s.push(&rows, &format!("{page} {n}"), "Row"));
            }
        }),
        ("what only the engine holds", 3, |round, s| {
            s.node("cache", "code", "(code cache)", 16);
            s.edge("main", EdgeType::Internal, "cache", "cache");
            for i in 0..round * 4 {
                let key = format!("o{i}");
                s.node(&key, "object", "Template", SIZE);
                s.edge("cache", EdgeType::Internal, &i.to_string(), &key);
            }
        }),
        ("what a browser records of a page", 3, |round, s| {
            s.variable("performance", "Performance");
            s.node("timeline", "native", "Performance", 32);
            s.edge("performance", EdgeType::Internal, "cppgc_object", "timeline");
            for i in 0..round * 4 {
                let key = format!("paint {i}");
                s.node(&key, "native", "InteractionContentfulPaint", SIZE);
                s.edge("timeline", EdgeType::Element, &i.to_string(), &key);
            }
        }),
        ("a WeakMap with ever more keys", 3, |round, s| {
            s.variable("weak", "WeakMap");
            s.variable("value", "Thing");
            s.node("storage", "array", "", SIZE * round as u64);
            s.edge("weak", EdgeType::Internal, "table", "storage");
            for i in 0..round * 20 {
                s.edge("storage", EdgeType::Internal, &i.to_string(), "value");
            }
        }),
        ("references from an array that the first snapshot has not", 3, |round, s| {
            s.variable("listener", "Listener");
            if round > 1 {
                s.variable("listeners", "Array");
                s.node("storage", "array", "(object elements)", SIZE * round as u64);
                s.edge("listeners", EdgeType::Internal, "elements", "storage");
                for i in 0..round * 20 {
                    s.edge("listeners", EdgeType::Element, &i.to_string(), "listener");
                }
            }
        }),
        ("buffers that grow by 200 bytes in a step", 3, |round, s| {
            s.variable("buffer", "Uint8Array");
            s.node("data", "native", "system / JSArrayBufferData", [0, 1000, 1200, 3000][round]);
            s.edge("buffer", EdgeType::Internal, "backing_store", "data");
        }),
        ("buffers of which there is one more at the end", 3, |round, s| {
            s.variable("buffers", "Array");
            for i in 0..[0, 1, 1, 2][round] {
                let (key, data) = (format!("b{i}"), format!("data {i}"));
                s.node(&key, "object", "Uint8Array", 32);
                s.element("buffers", &key);
                s.node(&data, "native", "system / JSArrayBufferData", SIZE * round as u64);
                s.edge(&key, EdgeType::Internal, "backing_store", &data);
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

/// Growth ends soon if it is much less in one step than in another, above all in the last.
#[test]
fn growth_is_as_even_as_is_said() {
    for (counts, found) in [
        ([10, 20, 30], Some((1000, Confidence::High))),
        ([10, 14, 22], Some((500, Confidence::High))),
        ([1000, 1499, 2500], Some((498, Confidence::Medium))),
        ([10, 20, 23], Some((300, Confidence::Medium))),
        ([10, 30, 35], Some((250, Confidence::Medium))),
        ([10, 30, 34], None),
        ([10, 12, 32], Some((100, Confidence::Medium))),
        ([20, 22, 43], None),
    ] {
        let found_here = leaks(3, |round, s| {
            s.variable("all", "Array");
            (0..counts[round - 1]).for_each(|i| s.push("all", &format!("o{i}"), "Foo"));
        });
        let told = found_here.first().map(|leak| (leak.even, leak.confidence));
        assert_eq!(told, found, "{counts:?}");
    }
}

/// Of two snapshots one must have a quarter of what the other had; three are certain if half of it is left.
#[test]
fn what_is_left_of_the_first_snapshot_decides() {
    use Confidence::*;
    for (rounds, left, found) in [
        (2, 0, None),
        (2, 1, None),
        (2, 2, Some((250, Low))),
        (2, 8, Some((1000, Low))),
        (3, 0, Some((0, Medium))),
        (3, 3, Some((375, Medium))),
        (3, 4, Some((500, High))),
        (3, 8, Some((1000, High))),
    ] {
        let found_here = leaks(rounds, |round, s| {
            s.variable("batch", "Array");
            for i in 0..round * 8 {
                let is_kept = i < left || round == 1;
                let key = if is_kept { format!("o{i}") } else { format!("{round} {i}") };
                s.push("batch", &key, "Row");
            }
        });
        let told = found_here.first().map(|leak| (leak.kept.expect("counted"), leak.confidence));
        assert_eq!(told, found, "{left} left after {rounds}");
    }
}

/// Objects of a class that move between two arrays.
#[test]
fn what_moves_is_no_leak_unless_it_grows_where_it_was() {
    /// Two arrays of a container, the shorter one another in each round.
    fn swap(round: usize, s: &mut Snapshot<'_>, of: &str, count: usize, class: (&str, &str)) {
        let arrays = ["front", "back"].map(|slot| (slot, format!("{of} {slot}")));
        for (slot, array) in &arrays {
            s.property(of, slot, array, "Array", 32);
        }
        for i in 0..count {
            let key = format!("{of} {i}");
            s.node(&key, class.0, class.1, SIZE);
            if class.0 == "native" {
                s.builder.detachedness(s.nodes[&key], 2);
            }
            s.element(&arrays[if i < 2 { round % 2 } else { (round + 1) % 2 }].1, &key);
        }
    }
    const MESSAGE: (&str, &str) = ("object", "Message");
    let programs: &[(&str, Program, bool)] = &[
        (
            "objects",
            |round, s| {
                s.variable("queue", "Queue");
                swap(round, s, "queue", round * 6, MESSAGE);
            },
            true,
        ),
        (
            "five in each step",
            |round, s| {
                s.variable("queue", "Queue");
                swap(round, s, "queue", 5 + round * 5, MESSAGE);
            },
            true,
        ),
        (
            "four in a step",
            |round, s| {
                s.variable("queue", "Queue");
                swap(round, s, "queue", [0, 10, 20, 24][round], MESSAGE);
            },
            false,
        ),
        (
            "arrays, of which there are many anywhere",
            |round, s| {
                s.variable("queue", "Queue");
                swap(round, s, "queue", round * 6, ("object", "Array"));
            },
            false,
        ),
        (
            "functions",
            |round, s| {
                s.variable("queue", "Queue");
                swap(round, s, "queue", round * 6, ("closure", "handle"));
            },
            false,
        ),
        (
            "nodes that were removed from a page",
            |round, s| {
                s.variable("queue", "Queue");
                swap(round, s, "queue", round * 6, ("native", "<div>"));
            },
            false,
        ),
        (
            "in a container that is another in each round",
            |round, s| {
                s.variable("queues", "Array");
                let queue = format!("queue {round}");
                s.node(&queue, "object", "Queue", 32);
                s.element("queues", &queue);
                swap(round, s, &queue, round * 6, MESSAGE);
            },
            false,
        ),
        (
            "in containers of which there is one more in the end",
            |round, s| {
                s.variable("queues", "Array");
                for queue in 0..[0, 1, 1, 2][round] {
                    let queue = format!("queue {queue}");
                    s.node(&queue, "object", "Queue", 32);
                    s.element("queues", &queue);
                    swap(round, s, &queue, round * 6, MESSAGE);
                }
            },
            false,
        ),
    ];
    for (name, program, is_told) in programs {
        let found = leaks(3, program);
        let moving = found.iter().filter(|leak| leak.kind == LeakKind::Moving).count();
        assert_eq!(moving, usize::from(*is_told), "{name}: {found:#?}");
        assert_eq!(found.len(), moving, "{name}: {found:#?}");
    }
}
