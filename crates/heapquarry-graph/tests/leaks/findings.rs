//! What is one finding, and what comes first.

use crate::program::{SIZE, leaks, only};
use heapquarry_graph::EdgeType;

#[test]
fn the_worst_comes_first_and_second_indexes_are_one_finding() {
    let found = leaks(3, |round, s| {
        for (name, per_round) in [("few", 4), ("many", 9)] {
            s.variable(name, "Array");
            (0..round * per_round).for_each(|i| s.push(name, &format!("{name} {i}"), name));
        }
    });
    let owners: Vec<_> = found.iter().map(|leak| &*leak.owner).collect();
    assert_eq!(owners, ["many", "few"]);
    let leak = only(leaks(3, |round, s| {
        for name in ["list", "index"] {
            s.variable(name, "Array");
        }
        for i in 0..round * 4 {
            let key = format!("o{i}");
            s.push("list", &key, "Foo");
            s.element("index", &key);
        }
    }));
    let mut owners = vec![leak.owner];
    owners.extend(leak.also_held_by);
    owners.sort();
    assert_eq!(owners, ["index", "list"]);
}

/// A table of lists gets one more list; the leak is in one of them.
#[test]
fn what_is_in_a_leak_does_not_make_its_holder_one() {
    let leak = only(leaks(2, |round, s| {
        s.variable("lists", "Array");
        for list in 0..2 + round {
            let key = format!("list {list}");
            s.node(&key, "object", "TimersList", 16);
            s.element("lists", &key);
        }
        (0..round * 4).for_each(|i| s.push("list 0", &format!("t{i}"), "Timeout"));
    }));
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("lists[]", Some("Timeout")));
}

/// Each stream has its last value, another in each round.
#[test]
fn containers_that_are_leaked_are_told_not_their_changing_content() {
    let leak = only(leaks(3, |round, s| {
        s.variable("streams", "Array");
        for i in 0..round * 4 {
            let (key, values) = (format!("s{i}"), format!("values {i}"));
            s.push("streams", &key, "Stream");
            s.property(&key, "values", &values, "Array", 32);
            s.push(&values, &format!("v{i} {round}"), "Quote");
        }
    }));
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("streams", Some("Stream")));
}

/// A page has 32 bytes, and a window that other things know too: it is below nothing but the root.
#[test]
fn what_only_the_root_dominates_belongs_to_those_who_lead_to_it() {
    let leak = only(leaks(3, |round, s| {
        s.variable("pages", "Array");
        for i in 0..round * 3 {
            let (page, window, document) = (format!("p{i}"), format!("w{i}"), format!("d{i}"));
            s.node(&page, "object", "Page", 32);
            s.element("pages", &page);
            for (key, class) in [(&window, "Window"), (&document, "Document")] {
                s.node(key, "object", class, SIZE);
                s.edge("roots", EdgeType::Element, &s.nodes[key].to_string(), key);
            }
            s.edge(&page, EdgeType::Property, "window", &window);
            s.edge(&window, EdgeType::Property, "document", &document);
        }
    }));
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("pages", Some("Page")));
    assert!(leak.bytes >= 12 * SIZE, "{leak:?}");
}

/// The columns of a table: one finding, called by the variable, as a minifier named the class.
#[test]
fn fields_that_grow_together_are_one_finding() {
    let leak = only(leaks(3, |round, s| {
        s.variable("cache", "u");
        for name in ["values", "keys", "sizes"] {
            s.property("cache", name, name, "Array", 32);
        }
        s.node("size storage", "array", "(object elements)", SIZE * round as u64);
        s.edge("sizes", EdgeType::Internal, "elements", "size storage");
        for i in 0..round * 4 {
            s.push("values", &format!("v{i}"), "Profile");
            let key = format!("k{i}");
            s.node(&key, "string", "user", SIZE / 2);
            s.element("keys", &key);
        }
    }));
    assert_eq!(leak.owner, "cache.values");
    assert_eq!(leak.grows_with, ["cache.keys", "cache.sizes"]);
    let steps: Vec<i64> = leak.steps;
    assert_eq!(steps, [7 * SIZE as i64; 2]);
}
