//! What is one finding, and what comes first.

use crate::program::{SCRIPT, SIZE, Snapshot, leaks, only};
use heapquarry_graph::{EdgeType, SourcePlace};

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

/// Bytes count as much as growth is even: from a quarter for none to all.
#[test]
fn uneven_growth_comes_behind() {
    // Steps of 4 and 8 objects are half as even as two of 60, so that their bytes count 625 in 1,000.
    for (size, first) in [(15_500, "even"), (16_500, "uneven")] {
        let found = leaks(3, |round, s| {
            s.variable("even", "Array");
            (0..round * 60).for_each(|i| s.push("even", &format!("e{i}"), "Even"));
            s.variable("uneven", "Array");
            for i in 0..[0, 2, 6, 14][round] {
                let key = format!("u{i}");
                s.node(&key, "object", "Uneven", size);
                s.element("uneven", &key);
            }
        });
        let told: Vec<_> = found.iter().map(|leak| (&*leak.owner, leak.even)).collect();
        let mut expected = vec![("even", 1000), ("uneven", 500)];
        expected.sort_by_key(|(owner, _)| *owner != first);
        assert_eq!(told, expected, "{size}");
    }
}

/// What a field of an object holds that grows beside an array of objects, and whether it is part of that leak.
#[test]
fn only_what_serves_the_objects_is_part_of_their_leak() {
    /// An array of old or of new strings or objects.
    fn list(s: &mut Snapshot<'_>, array: &str, count: usize, what: &str) {
        for i in 0..count {
            let key = format!("{array} {what} {i}");
            match what {
                "strings" => {
                    s.node(&key, "string", "x", SIZE / 2);
                    s.element(array, &key);
                }
                "references" => {
                    let index = i.to_string();
                    s.edge(array, EdgeType::Element, &index, "main");
                }
                _ => s.push(array, &key, what),
            }
        }
    }
    type Grow = fn(usize, &mut Snapshot<'_>);
    let cases: &[(&str, bool, Grow)] = &[
        ("keys of the same number", true, |round, s| {
            s.property("cache", "other", "other", "Array", 32);
            list(s, "other", round * 4, "strings");
        }),
        ("strings of another number", false, |round, s| {
            s.property("cache", "other", "other", "Array", 32);
            list(s, "other", round * 5, "strings");
        }),
        ("objects of the same number", false, |round, s| {
            s.property("cache", "other", "other", "Array", 32);
            list(s, "other", round * 4, "Other");
        }),
        ("numbers", true, |round, s| {
            s.property("cache", "other", "other", "Float64Array", SIZE * round as u64);
        }),
        ("a text", false, |round, s| {
            s.node("other", "string", "x", SIZE * round as u64);
            s.edge("cache", EdgeType::Property, "other", "other");
        }),
        ("references of the same number", true, |round, s| {
            s.property("cache", "other", "other", "Array", SIZE * round as u64);
            list(s, "other", round * 4, "references");
        }),
        ("references of another number", false, |round, s| {
            s.property("cache", "other", "other", "Array", SIZE * round as u64);
            list(s, "other", round * 5, "references");
        }),
        ("keys in another object", false, |round, s| {
            s.variable("second", "Cache");
            s.property("second", "other", "other", "Array", 32);
            list(s, "other", round * 4, "strings");
        }),
        ("keys in another variable", false, |round, s| {
            s.variable("other", "Array");
            list(s, "other", round * 4, "strings");
        }),
    ];
    for (name, is_part, grow) in cases {
        let found = leaks(3, |round, s| {
            s.variable("cache", "Cache");
            s.property("cache", "values", "values", "Array", 32);
            list(s, "values", round * 4, "Profile");
            grow(round, s);
        });
        let told: Vec<_> = found.iter().map(|leak| (&*leak.owner, leak.grows_with.len())).collect();
        let expected = if *is_part { 1 } else { 2 };
        assert_eq!(told.len(), expected, "{name}: {found:#?}");
        let values = found.iter().find(|leak| leak.owner == "Cache.values").expect("told");
        assert_eq!(!values.grows_with.is_empty(), *is_part, "{name}: {told:?}");
    }
    // Two columns of numbers have no objects that they serve.
    let found = leaks(3, |round, s| {
        s.variable("cache", "Cache");
        for name in ["first", "second"] {
            s.property("cache", name, name, "Float64Array", SIZE * round as u64);
        }
    });
    assert_eq!(found.len(), 2, "{found:#?}");
}

/// Leaked streams have values. As many for each stream as before, up to a tenth more, are no second leak.
#[test]
fn what_each_leaked_container_has_more_of_is_a_leak_too() {
    for (values, is_told) in
        [([100, 200, 300], false), ([100, 210, 330], false), ([100, 215, 331], true)]
    {
        let found = leaks(3, |round, s| {
            s.variable("streams", "Array");
            for i in 0..round * 10 {
                let (key, list) = (format!("s{i}"), format!("values {i}"));
                s.push("streams", &key, "Stream");
                s.property(&key, "values", &list, "Array", 32);
                let all = values[round - 1];
                let mine = (0..all).filter(|value| value % (round * 10) == i);
                for value in mine {
                    // Each has its first value from the start.
                    s.push(&list, &format!("v{i} {}", value / (round * 10)), "Quote");
                }
            }
        });
        let owners: Vec<_> = found.iter().map(|leak| &*leak.owner).collect();
        let expected = if is_told { vec!["streams", "Stream.values"] } else { vec!["streams"] };
        assert_eq!(owners.len(), expected.len(), "{values:?}: {owners:?}");
    }
}

/// Who holds at least half of what is new must let go too.
#[test]
fn those_who_hold_half_of_what_is_new_are_told_beside_the_owner() {
    let leak = only(leaks(3, |round, s| {
        for name in ["all", "even", "odd", "less", "old"] {
            s.variable(name, "Array");
        }
        for i in 0..round * 8 {
            let key = format!("o{i}");
            s.push("all", &key, "Foo");
            s.element(["even", "odd"][i % 2], &key);
            if i % 8 < 3 {
                s.element("less", &key);
            }
            if i < 8 {
                s.element("old", &key);
            }
        }
    }));
    assert_eq!(
        (&*leak.owner, leak.also_held_by),
        ("all", vec!["even".to_owned(), "odd".to_owned()])
    );
    assert_eq!(leak.counts.as_deref(), Some(&[8, 16, 24][..]));
}

/// Neither of two Maps with the same objects dominates them: their tables say who holds them.
#[test]
fn objects_in_two_maps_are_one_finding() {
    let leak = only(leaks(3, |round, s| {
        let tables = ["byName", "byId"].map(|name| {
            s.variable(name, "Map");
            s.table(name)
        });
        for i in 0..round * 4 {
            let key = format!("o{i}");
            s.entry(&tables[0], &key, "User");
            s.edge(&tables[1], EdgeType::Internal, &i.to_string(), &key);
        }
    }));
    assert_eq!((&*leak.owner, leak.also_held_by), ("byName", vec!["byId".to_owned()]));
}

/// An emitter of a package stores a callback of the program: both places are told, and that of who holds them.
#[test]
fn places_of_the_program_and_of_the_package_are_told() {
    const PACKAGE: i32 = SCRIPT + 1;
    let leak = only(leaks(3, |round, s| {
        s.node("file", "code", "/srv/app/node_modules/emitter/index.js", 8);
        for (key, line) in [("Emitter", 10), ("Listener", 20)] {
            let code = format!("{key} code");
            s.node(key, "closure", key, 8);
            s.node(&code, "code", key, 8);
            s.edge("scope", EdgeType::Context, key, key);
            s.edge(key, EdgeType::Internal, "shared", &code);
            s.edge(&code, EdgeType::Internal, "script", "file");
            s.builder.location(s.nodes[key], PACKAGE, line - 1, 4);
        }
        s.variable("emitter", "Emitter");
        s.builder.location(s.nodes["emitter"], PACKAGE, 9, 4);
        s.property("emitter", "listeners", "listeners", "Array", 32);
        for i in 0..round * 4 {
            let (key, callback) = (format!("l{i}"), format!("callback {i}"));
            s.push("listeners", &key, "Listener");
            s.builder.location(s.nodes[&*key], PACKAGE, 19, 4);
            s.node(&callback, "closure", "onEvent", 32);
            s.edge(&callback, EdgeType::Internal, "shared", "code");
            s.made(&callback, 5);
            s.edge(&key, EdgeType::Property, "callback", &callback);
        }
    }));
    let told = |place: Option<SourcePlace>| place.map(|place| format!("{place} {}", place.what));
    let places = [leak.made_at, leak.stored_by, leak.held_at].map(told);
    let expected =
        ["app.js:5 onEvent()", "emitter/index.js:20 Listener", "emitter/index.js:10 Emitter"];
    assert_eq!(places, expected.map(|place| Some(place.to_owned())));
}

/// Each listener of a signal leads to a further signal: chains are one place, but it is the listeners that leak.
#[test]
fn what_leaked_members_bring_along_is_no_leak_of_its_own() {
    let leak = only(leaks(3, |round, s| {
        s.variable("shutdown", "Controller");
        s.property("shutdown", "signal", "signal", "Signal", 32);
        s.property("signal", "listeners", "listeners", "Array", 32);
        for i in 0..round * 4 {
            let (listener, signal) = (format!("l{i}"), format!("s{i}"));
            s.push("listeners", &listener, "Listener");
            s.property(&listener, "signal", &signal, "Signal", 2 * SIZE);
        }
    }));
    assert_eq!((&*leak.owner, leak.leaked.as_deref()), ("Signal.listeners", Some("Listener")));
    assert_eq!(leak.bytes, 24 * SIZE);
}

/// Node keeps what it records of requests within limits; a program's own list of the same is a leak.
#[test]
fn what_node_records_is_no_leak() {
    for (name, expected) in [("resourceTimingBuffer", 0), ("slow", 1)] {
        let found = leaks(3, |round, s| {
            s.variable(name, "Array");
            (0..round * 4)
                .for_each(|i| s.push(name, &format!("r{i}"), "PerformanceResourceTiming"));
        });
        assert_eq!(found.len(), expected, "{name}");
    }
}
