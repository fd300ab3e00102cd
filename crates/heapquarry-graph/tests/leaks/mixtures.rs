//! What a container gets more of, if that is of several classes.

use crate::program::{Snapshot, leaks, only};
use heapquarry_graph::{EdgeType, Leak};

/// A record in an array or table, with these properties.
fn record(s: &mut Snapshot<'_>, holder: &str, key: &str, properties: &[&str]) {
    match s.nodes.contains_key(holder) && holder.ends_with(" table") {
        true => s.entry(holder, key, "Object"),
        false => s.push(holder, key, "Object"),
    }
    for name in properties {
        s.property(key, name, &format!("{key} {name}"), "Date", 16);
    }
}

fn told(leak: &Leak) -> (&str, Option<u32>, &[u64]) {
    (leak.leaked.as_deref().unwrap_or(""), leak.leaked_share, leak.counts.as_deref().unwrap_or(&[]))
}

#[test]
fn records_with_optional_properties_are_one_kind() {
    let leak = only(leaks(3, |round, s| {
        s.variable("rows", "Array");
        for i in 0..round * 6 {
            let properties = ["id", "user", "note"];
            record(s, "rows", &format!("r{i}"), &properties[..1 + i % 3]);
        }
    }));
    assert_eq!(told(&leak), ("{id, user?, note?}", None, &[6, 12, 18][..]));
    assert_eq!(leak.owner, "rows");
}

#[test]
fn several_classes_are_told_by_that_of_most() {
    for container in ["Array", "Set"] {
        let leak = only(leaks(3, |round, s| {
            s.variable("all", container);
            let table = s.table("all");
            for i in 0..round * 9 {
                let class = if i % 3 == 0 { "Session" } else { "Token" };
                match container {
                    "Set" => s.entry(&table, &format!("o{i}"), class),
                    _ => s.push("all", &format!("o{i}"), class),
                }
            }
        }));
        assert_eq!(told(&leak), ("Token", Some(666), &[9, 18, 27][..]), "{container}");
    }
}

/// An Array or Set has no keys: strings in it are as good as objects.
#[test]
fn strings_beside_objects_count() {
    for container in ["Array", "Set"] {
        let leak = only(leaks(3, |round, s| {
            s.variable("seen", container);
            let table = s.table("seen");
            for i in 0..round * 9 {
                let key = format!("o{i}");
                match (i % 3, container) {
                    (0, _) => {
                        s.node(&key, "string", &key, 40);
                        let (holder, kind) = match container {
                            "Set" => (&*table, EdgeType::Internal),
                            _ => ("seen", EdgeType::Element),
                        };
                        let index = s.nodes[&key].to_string();
                        s.edge(holder, kind, &index, &key);
                    }
                    (_, "Set") => s.entry(&table, &key, "Token"),
                    _ => s.push("seen", &key, "Token"),
                }
            }
        }));
        assert_eq!(told(&leak), ("Token", Some(666), &[9, 18, 27][..]), "{container}");
    }
}

/// Of records and others the records are most, although each shape has fewer.
#[test]
fn shapes_count_together() {
    let leak = only(leaks(3, |round, s| {
        s.variable("rows", "Array");
        for i in 0..round * 10 {
            match i % 10 {
                0..4 => s.push("rows", &format!("o{i}"), "Order"),
                4..7 => record(s, "rows", &format!("o{i}"), &["id"]),
                _ => record(s, "rows", &format!("o{i}"), &["id", "text"]),
            }
        }
    }));
    assert_eq!(told(&leak), ("{id, text?}", Some(600), &[10, 20, 30][..]));
}

/// Keys and values are different things, not several kinds of one.
#[test]
fn keys_of_a_map_are_no_values() {
    for (keys, expected) in [("User", Some(666)), ("(string)", Some(666))] {
        let leak = only(leaks(3, |round, s| {
            s.variable("cache", "Map");
            let table = s.table("cache");
            for i in 0..round * 6 {
                let key = format!("k{i}");
                match keys {
                    "(string)" => {
                        s.node(&key, "string", "a key", 16);
                        let index = s.nodes[&key].to_string();
                        s.edge(&table, EdgeType::Internal, &index, &key);
                    }
                    _ => s.entry(&table, &key, keys),
                }
                s.entry(&table, &format!("v{i}"), if i % 3 == 0 { "Page" } else { "Image" });
            }
        }));
        let (leaked, share, counts) = told(&leak);
        match keys {
            // Of two columns the one that grows most is told.
            "User" => assert_eq!((leaked, share, counts), ("User", None, &[6, 12, 18][..])),
            _ => assert_eq!((leaked, share, counts), ("Image", expected, &[6, 12, 18][..])),
        }
    }
}

/// Parts of a tree are one place; here its root has them all, alone or with a part in each.
#[test]
fn the_parent_of_most_is_the_owner() {
    for (is_list, has_parts, owner, container) in [
        (false, false, "StyleSheet.clones", "Array"),
        (false, true, "StyleSheet.clones", "Array"),
        (true, false, "master", "scope"),
        (true, true, "master", "scope"),
    ] {
        let leak = only(leaks(3, |round, s| {
            s.variable("master", "StyleSheet");
            s.property("master", "clones", "clones", "Array", 32);
            let mut before = "master".to_owned();
            for i in 0..round * 6 {
                let key = format!("s{i}");
                match is_list {
                    true => s.property(&before, "next", &key, "StyleSheet", 1000),
                    false => s.push("clones", &key, "StyleSheet"),
                }
                if has_parts {
                    s.property(&key, "print", &format!("print of {key}"), "StyleSheet", 1000);
                }
                before = key;
            }
        }));
        assert_eq!((&*leak.owner, &*leak.container), (owner, container));
        assert_eq!(leak.leaked.as_deref(), Some("StyleSheet"));
    }
}

/// Several fields lead to what leaks: that of the best way is told.
#[test]
fn what_several_fields_lead_to_is_told_with_one_of_them() {
    let leak = only(leaks(3, |round, s| {
        s.variable("store", "Store");
        for field in ["view", "getters"] {
            s.property("store", field, field, "Table", 32);
        }
        for i in 0..round * 6 {
            let key = format!("o{i}");
            s.node(&key, "object", "View", 1000);
            for field in ["view", "getters"] {
                let part = format!("{field} {i}");
                s.node(&part, "object", "Part", 16);
                s.edge(field, EdgeType::Element, &i.to_string(), &part);
                s.edge(&part, EdgeType::Property, "of", &key);
            }
        }
    }));
    assert!(["Store.view", "Store.getters"].contains(&&*leak.owner), "{leak:#?}");
}
