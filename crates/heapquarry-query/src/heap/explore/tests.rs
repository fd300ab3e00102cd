//! Pages of lists, each against a whole list that is made in the simplest way.

use super::*;
use crate::{Explored, Why, answer::List, heap::show::Instance};
use heapquarry::{RunOptions, Source};
use heapquarry_graph::EdgeType;
use serde_json::{Value, json};
use std::collections::HashMap;

const ALL: Page = Page { offset: 0, top: usize::MAX };

fn corpus(name: &str) -> HeapExplorer {
    let path = format!("{}/../../corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let session = Session::new([Source::path(path)], &RunOptions::default());
    match Explored::open(&session) {
        Ok(Explored::Heap(explorer)) => *explorer,
        other => panic!("{name}: {:?}", other.map(|other| other.kind())),
    }
}

/// A large heap of V8, and small ones of several engines.
const HEAPS: [&str; 5] = [
    "node8.heapsnapshot.gz",
    "handmade/bun.heapsnapshot",
    "handmade/v8-2026-scopes.heapsnapshot",
    "handmade/root-last.heapsnapshot",
    "handmade/ark-7.0.heapsnapshot",
];

/// Some nodes of a heap, and its root.
fn some(explorer: &HeapExplorer) -> Vec<NodeIndex> {
    let heap = &explorer.heap.heap;
    let step = (heap.nodes().len() / 20).max(1);
    heap.nodes().all().step_by(step).chain([heap.root()]).collect()
}

fn ids<T>(list: &List<T>, id: impl Fn(&T) -> Option<crate::answer::NodeId>) -> Vec<i64> {
    list.rows.iter().map(|row| id(row).unwrap().0).collect()
}

#[test]
fn pages_put_together_are_the_whole_list() {
    let explorer = corpus(HEAPS[0]);
    let pages = |page: &dyn Fn(Page) -> Value| {
        let whole = page(ALL);
        let total = whole["total"].as_u64().unwrap() as usize;
        assert_eq!(whole["rows"].as_array().unwrap().len(), total);
        assert!(total > 5, "{total}");
        let top = total / 3;
        let parts = (0..total).step_by(top).flat_map(|offset| {
            let part = page(Page { offset, top });
            assert_eq!(part["total"], json!(total));
            part["rows"].as_array().unwrap().clone()
        });
        assert_eq!(Value::from_iter(parts), whole["rows"]);
        assert_eq!(page(Page { offset: total + 1, top })["rows"], json!([]));
    };
    let json = |list: serde_json::Result<Value>| list.unwrap();
    pages(&|page| {
        let answer = explorer.classes("", ClassOrder::Name, true, page);
        json(serde_json::to_value(answer.answer.classes))
    });
    pages(&|page| {
        let answer = explorer.objects(",Array", ObjectOrder::Retained, false, page).unwrap();
        json(serde_json::to_value(answer.answer.objects))
    });
    let busiest = most_held(&explorer);
    pages(&|page| {
        let answer = explorer.retainers(busiest, page).unwrap();
        json(serde_json::to_value(answer.answer.retainers))
    });
    pages(&|page| {
        let answer = explorer.dominated(None, page).unwrap();
        json(serde_json::to_value(answer.answer.dominated))
    });
}

/// The id of the node with the most edges to it.
fn most_held(explorer: &HeapExplorer) -> i64 {
    let heap = &explorer.heap.heap;
    let mut counts = vec![0; heap.nodes().len()];
    (0..heap.edges().len()).for_each(|edge| counts[heap.edges().target(edge).position()] += 1);
    let node = heap.nodes().all().max_by_key(|node| counts[node.position()]).unwrap();
    heap.nodes().id(node)
}

#[test]
fn classes_are_those_of_the_summary_in_any_order() {
    for name in HEAPS {
        let explorer = corpus(name);
        let expected = explorer.heap.summary(None, None).classes;
        let found = explorer.classes("", ClassOrder::Retained, false, ALL).answer.classes;
        assert_eq!(found, expected, "{name}");
        for (by, ascending) in [
            (ClassOrder::Name, true),
            (ClassOrder::Count, false),
            (ClassOrder::Distance, true),
            (ClassOrder::Shallow, false),
            (ClassOrder::Retained, true),
        ] {
            let found = explorer.classes("", by, ascending, ALL).answer.classes;
            let mut naive = expected.rows.clone();
            // A stable sort by the least important first.
            naive.sort_by(|a, b| a.class_key.cmp(&b.class_key));
            naive.sort_by(|a, b| {
                let order = match by {
                    ClassOrder::Name => a.class_name.cmp(&b.class_name),
                    ClassOrder::Count => a.count.cmp(&b.count),
                    ClassOrder::Distance => a.distance.cmp(&b.distance),
                    ClassOrder::Shallow => a.shallow_size.cmp(&b.shallow_size),
                    ClassOrder::Retained => a.retained_size.cmp(&b.retained_size),
                };
                if ascending { order } else { order.reverse() }
            });
            assert_eq!(found.rows, naive, "{name} {by:?}");
        }
    }
}

#[test]
fn objects_are_those_of_show_in_any_order() {
    let explorer = corpus(HEAPS[0]);
    let nodes = explorer.heap.heap.nodes();
    let places: HashMap<i64, NodeIndex> = nodes.all().map(|node| (nodes.id(node), node)).collect();
    for class in ["Array", "Object", "(string)", "Function"] {
        let show = Show::default().class([class.to_string()]).top(usize::MAX);
        let ShowAnswer::Class(shown) = show.ask(explorer.session()).unwrap().answer else {
            panic!()
        };
        let key = format!(",{class}");
        let objects =
            |by, ascending| explorer.objects(&key, by, ascending, ALL).unwrap().answer.objects;
        assert_eq!(objects(ObjectOrder::Retained, false), shown.objects, "{class}");
        for by in [ObjectOrder::Id, ObjectOrder::Distance, ObjectOrder::Shallow] {
            let id = |row: &Instance| row.target.id.unwrap().0;
            let mut naive = shown.objects.rows.clone();
            // A stable sort by the least important first.
            naive.sort_by_key(|row| places[&id(row)]);
            naive.sort_by_key(|row| match by {
                ObjectOrder::Id => id(row),
                ObjectOrder::Distance => row.distance.0.into(),
                _ => row.shallow_size.0 as i64,
            });
            assert_eq!(objects(by, true).rows, naive, "{class} {by:?}");
        }
    }
}

#[test]
fn retainers_are_the_strong_edges_to_an_object() {
    for name in HEAPS {
        let explorer = corpus(name);
        let heap = &explorer.heap.heap;
        let edges = heap.edges();
        for node in some(&explorer) {
            let id = heap.nodes().id(node);
            let found = explorer.retainers(id, ALL).unwrap().answer.retainers;
            let naive = (0..edges.len()).filter(|&edge| {
                let is_shown = edges.is_strong(edge) && edges.kind(edge) != EdgeType::Invisible;
                edges.target(edge) == node && is_shown && edges.owner(edge) != heap.root()
            });
            let mut naive: Vec<i64> =
                naive.map(|edge| heap.nodes().id(edges.owner(edge))).collect();
            naive.sort_unstable();
            let mut ids: Vec<i64> = found.rows.iter().map(|row| row.step.id.0).collect();
            ids.sort_unstable();
            assert_eq!(ids, naive, "{name} @{id}");
            let distances: Vec<i32> =
                found.rows.iter().map(|row| row.step.distance.0).filter(|d| *d >= 0).collect();
            assert!(distances.is_sorted(), "{name} @{id}: {distances:?}");
            // `why` counts the same ones.
            let why = Why::default().node(id).ask(explorer.session()).unwrap();
            assert_eq!(found.total, why.answer.objects[0].object.retainer_count, "{name} @{id}");
        }
    }
}

#[test]
fn dominated_objects_are_those_of_show() {
    for name in HEAPS {
        let explorer = corpus(name);
        let heap = &explorer.heap.heap;
        for node in some(&explorer) {
            let id = heap.nodes().id(node);
            let show = Show::default().node(id).top(usize::MAX).ask(explorer.session()).unwrap();
            let ShowAnswer::Object(shown) = show.answer else { panic!() };
            let found = explorer.dominated(Some(id), ALL).unwrap().answer;
            assert_eq!(found.object.dominated_count, shown.dominated.total, "{name} @{id}");
            assert_eq!(
                ids(&found.dominated, |row| row.target.id),
                ids(&shown.dominated, |row| row.target.id),
                "{name} @{id}"
            );
            // What is below an object, and itself, is what it retains.
            let below: u64 = found
                .dominated
                .rows
                .iter()
                .filter_map(|row| row.target.retained_size)
                .map(|size| size.0)
                .sum();
            let whole = found.object.target.retained_size.unwrap().0;
            assert_eq!(below + found.object.shallow_size.0, whole, "{name} @{id}");
            // Each of its dominators has it below.
            let chain = explorer.dominators(id, ALL).unwrap().answer.dominators;
            assert_eq!(chain.rows.first().and_then(|row| row.target.id), shown.object.dominator_id);
            if node != heap.root() {
                let last = chain.rows.last().and_then(|row| row.target.id);
                assert_eq!(last.map(|id| id.0), Some(heap.nodes().id(heap.root())), "{name} @{id}");
            }
        }
    }
}

#[test]
fn an_object_is_shown_as_by_the_command() {
    for name in HEAPS {
        let explorer = corpus(name);
        for node in some(&explorer) {
            let id = explorer.heap.heap.nodes().id(node);
            for page in [ALL, Page { offset: 1, top: 3 }] {
                let show = Show::default().node(id).offset(page.offset).top(page.top);
                let expected = show.ask(explorer.session()).unwrap();
                let found = explorer.object(id, page).unwrap();
                assert_eq!((found.verb, &found.inputs), (expected.verb, &expected.inputs));
                assert_eq!(found.answer, expected.answer, "{name} @{id}");
            }
        }
    }
}

#[test]
fn what_is_not_there_is_an_error() {
    let explorer = corpus("handmade/bun.heapsnapshot");
    for error in [
        explorer.objects(",NoSuchClass", ObjectOrder::Id, true, ALL).err(),
        explorer.object(-7, ALL).err(),
        explorer.retainers(-7, ALL).err(),
        explorer.dominated(Some(-7), ALL).err(),
        explorer.dominators(-7, ALL).err(),
    ] {
        let error = error.unwrap();
        assert!(matches!(error.kind(), ErrorKind::NotFound { .. }), "{error}");
    }
    let empty = corpus("handmade/empty.heapsnapshot");
    assert!(empty.dominated(None, ALL).is_err());
    assert_eq!(empty.classes("", ClassOrder::default(), false, ALL).answer.classes.total, 0);
}

#[test]
fn ids_are_found_as_in_the_file() {
    for name in HEAPS {
        let explorer = corpus(name);
        let heap = &explorer.heap.heap;
        for node in some(&explorer) {
            let id = heap.nodes().id(node);
            assert_eq!(explorer.node(id).ok(), heap.node_by_id(id), "{name} @{id}");
        }
    }
}
