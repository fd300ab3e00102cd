//! Heaps of any size and shape.

use crate::program::{SIZE, find, only, snapshots};
use heapquarry_graph::EdgeType;

/// Chains as long as memory allows must not go deep into anything, nor take their length squared.
#[test]
fn structures_may_be_deep() {
    let heaps = snapshots(2, |round, s| {
        s.variable("queue", "Queue");
        for i in 0..round * 50_000 {
            let (kind, key) = (if i % 2 == 0 { "Left" } else { "Right" }, format!("n{i}"));
            match i {
                0 => s.property("queue", "head", &key, kind, 100),
                i => s.property(&format!("n{}", i - 1), "next", &key, kind, 100),
            }
            s.property(&key, "owner", &format!("b{i}"), "Queue", 16);
        }
    });
    // All are one structure, as each node leads to another queue.
    assert_eq!(only(find(&heaps, 1)).owner, "queue");
}

#[test]
fn results_do_not_depend_on_threads() {
    // Enough nodes that they are split.
    let heaps = snapshots(3, |round, s| {
        let mut state = 12345u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        s.variable("v0", "Array");
        for i in 1..round * 3000 {
            let key = format!("v{i}");
            let class = ["Array", "Foo", "Bar", "Object"][random(4)];
            s.node(&key, "object", class, random(100) as u64);
            let (near, any) = (i - 1 - random(i.min(30)), random(i));
            s.edge(&format!("v{near}"), EdgeType::Property, ["a", "b", "c"][random(3)], &key);
            if i % 3 == 0 {
                s.element(&format!("v{any}"), &key);
            }
        }
    });
    assert!(heaps[2].nodes().len() > 2 * 4096);
    let one = format!("{:?}", find(&heaps, 1));
    assert_eq!(one, format!("{:?}", find(&heaps, 4)));
    assert_ne!(one, "[]");
}

/// Below 64 levels no new places are made.
#[test]
fn programs_may_nest_deep() {
    /// The function, its variables, the array and the objects.
    const ABOVE_AND_BELOW: usize = 4;
    for depth in [10, 60, 61, 62, 63, 64, 65, 100] {
        let heaps = snapshots(3, |round, s| {
            s.variable("c0", "C0");
            for level in 1..depth {
                let (class, above) = (format!("C{level}"), format!("c{}", level - 1));
                s.property(&above, "down", &format!("c{level}"), &class, 32);
            }
            s.property(&format!("c{}", depth - 1), "all", "all", "Array", 32);
            (0..round * 4).for_each(|i| s.push("all", &format!("o{i}"), "Foo"));
        });
        let leak = only(find(&heaps, 1));
        let step = 4 * SIZE as i64;
        let told = (leak.leaked.as_deref(), leak.bytes, leak.steps);
        assert_eq!(told, (Some("Foo"), 8 * SIZE, vec![step; 2]), "{depth}");
        // What is deeper counts with the objects.
        let deeper = (depth + ABOVE_AND_BELOW).saturating_sub(64) as u64;
        let counts = [4, 8, 12].map(|count| count + deeper).to_vec();
        assert_eq!(leak.counts, Some(counts), "{depth}");
    }
}
