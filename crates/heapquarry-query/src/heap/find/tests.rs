//! What is found, against a look at each node, and whether it is the same once all is prepared.

use super::*;
use crate::{Session, find::FindOrder};
use heapquarry::{RunOptions, Source};
use heapquarry_graph::{EdgeType::*, HeapBuilder};
use serde_json::json;
use std::{cmp::Reverse, collections::HashMap};

const OBJECTS: usize = 6000;

/// Objects of two classes in an array and in lists, functions and arrays with many and with few names, and strings, of
/// which some are equal and some are cut.
fn subject(threads: usize) -> Subject {
    let mut builder = HeapBuilder::new();
    let root = builder.node("synthetic", "", 0);
    let global = builder.node("object", "global / ", 8);
    builder.edge(root, Element, "1", global);
    let mut last = global;
    for at in 0..OBJECTS {
        let size = 8 + (at * 7919 % 500) as u64;
        let (kind, name) = match at % 6 {
            0 => ("object", "Foo".to_owned()),
            1 => ("object", "FooBar".into()),
            2 => ("closure", format!("run{}", at % 120)),
            3 => ("array", ["(elements)", "(properties)", "Foo"][at / 6 % 3].into()),
            4 => ("string", format!("text {}", at * 31 % 700)),
            _ => ("string", "long".repeat(256)),
        };
        let node = builder.node(kind, &name, size);
        let holder = if at % 4 == 0 { global } else { last };
        builder.edge(holder, Property, &format!("p{at}"), node);
        if kind == "object" {
            last = if at % 30 == 0 { global } else { node };
        }
    }
    Subject::of_heap(builder.build(), threads)
}

fn asked() -> Vec<Find> {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let mut asked = Vec::new();
    for sort in [FindOrder::Retained, FindOrder::Own] {
        for name in
            [&[][..], &["Foo"], &["*oo*"], &["run1*", "text 7"], &["(string)"], &["none"], &["*"]]
        {
            for (class, min) in [("", 0), ("", 100), ("Foo*", 0), ("Foo*", 300), ("", 100_000)] {
                let class = if class.is_empty() { names(&[]) } else { names(&[class]) };
                let min = (min > 0).then_some(min);
                let find = Find::default().name(names(name)).class(class).min_size(min).sort(sort);
                asked.push(find.clone());
                asked.push(find.top(7usize).offset(3usize));
            }
        }
        for text in [None, Some("text 1".to_owned()), Some("ong".into()), Some("none".into())] {
            for min in [None, Some(300), Some(5000)] {
                let find = Find::default().text(text.clone()).min_size(min).sort(sort);
                asked.push(find.clone().strings(true));
                asked.push(find.clone().strings(true).class(names(&["(string)"])));
                asked.push(find.strings(text.is_none()).top(2usize).offset(1usize));
            }
        }
    }
    asked
}

/// With the number of objects or texts, and the ids of the rows.
fn answer(subject: &Subject, asked: &Find) -> (serde_json::Value, u64, u64, Vec<i64>) {
    let session = Session::new([Source::path("x")], &RunOptions::default());
    let (caveats, found) = subject.find(&session, asked, &Filter::new(asked).unwrap()).unwrap();
    let id = |target: &Target| target.id.unwrap().0;
    let (total, size, ids) = match &found {
        FindAnswer::Objects(found) => {
            let ids = found.objects.rows.iter().map(|row| id(&row.object.target)).collect();
            (found.objects.total, found.shallow_size.0, ids)
        }
        FindAnswer::Strings(found) => {
            let ids = found.strings.rows.iter().map(|row| row.id.0).collect();
            (found.strings.total, found.shallow_size.0, ids)
        }
        other => panic!("{other:?}"),
    };
    let caveats: Vec<&str> = caveats.iter().map(|caveat| &*caveat.text).collect();
    (json!([caveats, found]), total, size, ids)
}

/// By a look at each node. Strings are told apart by their texts, and cut ones by their sizes.
fn expected(subject: &Subject, asked: &Find) -> (u64, u64, Vec<i64>) {
    let filter = Filter::new(asked).unwrap();
    let class_filter = Filter::new(&Find::default().name(asked.class.clone())).unwrap();
    let heap = &subject.heap;
    let is_string = |node| heap.nodes().kind(node) == NodeType::String;
    let min = asked.min_size.unwrap_or(0);
    let is_wanted = |&node: &NodeIndex| {
        let (class, name) = (subject.class_of(node), heap.node_name(node));
        let is_any = !asked.class.is_empty() || !asked.name.is_empty();
        (is_any || subject.is_of_the_program(node))
            && (asked.class.is_empty() || class_filter.has_name(&class))
            && (!filter.is_of_names() || filter.has_name(&class) || filter.has_name(name))
            && (!(asked.strings || filter.is_of_text()) || is_string(node))
            && filter.has_text(name)
            && (asked.strings || subject.rank(asked.sort, node) >= min)
    };
    let nodes = subject.nodes().filter(is_wanted);
    // Rank, the first of the largest, size.
    let mut rows: Vec<(Reverse<u64>, NodeIndex, u64)> = match asked.strings {
        false => nodes
            .map(|node| (Reverse(subject.rank(asked.sort, node)), node, subject.shallow(node)))
            .collect(),
        true => {
            let mut texts: HashMap<(String, u64), Vec<NodeIndex>> = HashMap::new();
            for node in nodes {
                let name = heap.node_name(node);
                let size = if name.len() < 1024 { 0 } else { subject.shallow(node) };
                texts.entry((name.into(), size)).or_default().push(node);
            }
            let row = |nodes: Vec<NodeIndex>| {
                let rank = nodes.iter().map(|&node| subject.rank(asked.sort, node)).sum();
                let size = nodes.iter().map(|&node| subject.shallow(node)).sum();
                let largest =
                    nodes.iter().min_by_key(|&&node| (Reverse(subject.retained(node)), node));
                (Reverse(rank), *largest.unwrap(), size)
            };
            texts.into_values().map(row).filter(|(Reverse(rank), ..)| *rank >= min).collect()
        }
    };
    rows.sort_unstable();
    let size = rows.iter().map(|(.., size)| size).sum();
    let ids = rows.iter().map(|&(_, node, _)| heap.nodes().id(node));
    (rows.len() as u64, size, ids.skip(asked.offset).take(asked.top).collect())
}

#[test]
fn what_is_found_is_what_a_look_at_each_node_finds() {
    let (bare, prepared) = (subject(1), subject(2));
    while prepared.prepare_next() {}
    let mut narrowed = 0;
    for asked in asked() {
        let (told, total, size, ids) = answer(&bare, &asked);
        assert_eq!((total, size, ids), expected(&bare, &asked), "{asked:?}");
        assert_eq!(answer(&prepared, &asked).0, told, "{asked:?}");
        let filter = Filter::new(&asked).unwrap();
        let is_wanted = prepared.wanted(&asked, &filter, None);
        narrowed += usize::from(
            prepared.tally_by_names(&asked, &filter, is_wanted).is_some()
                || prepared.candidates(&asked, None).is_some(),
        );
    }
    assert!(narrowed > 20, "{narrowed}");
}
