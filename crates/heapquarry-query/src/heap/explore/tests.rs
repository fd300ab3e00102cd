//! Pages of lists, each against a whole list that is made in the simplest way.

use super::*;
use crate::profile::explore::FunctionOrder;
use crate::{
    Diff, Difference, Explored, Leaks, Why,
    answer::{BytesChange, CountChange, List},
    heap::show::Instance,
};
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use heapquarry::{BatchOptions, RunOptions, Source, batches};
use heapquarry_graph::EdgeType;
use serde_json::{Value, json};
use std::{collections::HashMap, sync::LazyLock};

const ALL: Page = Page { offset: 0, top: usize::MAX };

fn source(name: &str) -> Source {
    Source::path(format!("{}/../../corpus/{name}", env!("CARGO_MANIFEST_DIR")))
}

fn corpus(name: &str) -> HeapExplorer {
    let session = Session::new([source(name)], &RunOptions::default());
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
    let (nodes, edges) = (explorer.heap.heap.nodes(), explorer.heap.heap.edges());
    let fullest = nodes.all().max_by_key(|&node| edges.of(node).len()).unwrap();
    let fullest = nodes.id(fullest);
    pages(&|page| {
        let answer = explorer.contained(Some(fullest), page).unwrap();
        json(serde_json::to_value(answer.answer.contained))
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
        let classes = |by, ascending| {
            let found = explorer.classes("", by, ascending, ALL).answer.classes;
            assert!(found.rows.iter().all(|row| row.growth.is_none()), "{name}");
            let rows = found.rows.into_iter().map(|row| row.class).collect();
            List { total: found.total, offset: found.offset, rows }
        };
        assert_eq!(classes(ClassOrder::Retained, false), expected, "{name}");
        for (by, ascending) in [
            (ClassOrder::Name, true),
            (ClassOrder::Count, false),
            (ClassOrder::Distance, true),
            (ClassOrder::Shallow, false),
            (ClassOrder::Retained, true),
        ] {
            let mut naive = expected.rows.clone();
            // A stable sort by the least important first.
            naive.sort_by(|a, b| a.class_key.cmp(&b.class_key));
            naive.sort_by(|a, b| {
                let order = match by {
                    ClassOrder::Name => a.class_name.cmp(&b.class_name),
                    ClassOrder::Count => a.count.cmp(&b.count),
                    ClassOrder::Distance => a.distance.cmp(&b.distance),
                    ClassOrder::Shallow => a.shallow_size.cmp(&b.shallow_size),
                    _ => a.retained_size.cmp(&b.retained_size),
                };
                if ascending { order } else { order.reverse() }
            });
            assert_eq!(classes(by, ascending).rows, naive, "{name} {by:?}");
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
        let objects = |by, ascending| -> Vec<Instance> {
            let found = explorer.objects(&key, by, ascending, ALL).unwrap().answer.objects;
            assert_eq!(found.total, shown.objects.total);
            assert!(found.rows.iter().all(|row| row.growth.is_none()));
            found.rows.into_iter().map(|row| row.object).collect()
        };
        assert_eq!(objects(ObjectOrder::Retained, false), shown.objects.rows, "{class}");
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
            assert_eq!(objects(by, true), naive, "{class} {by:?}");
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
            let none = Page { offset: 0, top: 0 };
            let counted = explorer.retainers(id, none).unwrap().answer.retainers;
            assert_eq!((counted.total, counted.rows.len()), (found.total, 0), "{name} @{id}");
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
        explorer.contained(Some(-7), ALL).err(),
        explorer.dominated(Some(-7), ALL).err(),
        explorer.dominators(-7, ALL).err(),
        explorer.growth(ALL).err(),
    ] {
        let error = error.unwrap();
        assert!(matches!(error.kind(), ErrorKind::NotFound { .. }), "{error}");
    }
    let empty = corpus("handmade/empty.heapsnapshot");
    assert!(empty.contained(None, ALL).is_err());
    assert!(empty.dominated(None, ALL).is_err());
    assert_eq!(empty.classes("", ClassOrder::default(), false, ALL).answer.classes.total, 0);
}

#[test]
fn contained_objects_are_all_that_is_referred_to() {
    for name in HEAPS {
        let explorer = corpus(name);
        let (heap, edges) = (&explorer.heap.heap, explorer.heap.heap.edges());
        let root = explorer.contained(None, ALL).unwrap().answer.object;
        assert_eq!(root.target.id.unwrap().0, heap.nodes().id(heap.root()), "{name}");
        for node in some(&explorer) {
            let id = heap.nodes().id(node);
            let found = explorer.contained(Some(id), ALL).unwrap().answer;
            assert_eq!(found.object.shallow_size.0, explorer.heap.shallow(node), "{name} @{id}");
            let mut naive: Vec<(u64, usize, i64)> = (0..edges.len())
                .filter(|&edge| edges.owner(edge) == node)
                .filter(|&edge| !["invisible", "missing"].contains(&edges.kind(edge).name()))
                .map(|edge| {
                    let to = edges.target(edge);
                    (explorer.heap.retained(to), edge, heap.nodes().id(to))
                })
                .collect();
            // A stable sort: those of one size stay in the order of the file.
            naive.sort_by_key(|&(retained, ..)| Reverse(retained));
            let naive: Vec<i64> = naive.into_iter().map(|(.., id)| id).collect();
            assert_eq!(ids(&found.contained, |row| row.object.target.id), naive, "{name} @{id}");
            for row in found.contained.rows.iter().take(5) {
                let to = row.object.target.id.map(|id| id.0);
                let below = explorer.contained(to, ALL).unwrap().answer.contained;
                assert_eq!(row.reference_count, below.total, "{name} {row:?}");
            }
        }
    }
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

/// Three snapshots of a program that leaks.
const SERIES: [&str; 3] =
    ["leak/1.heapsnapshot.gz", "leak/2.heapsnapshot.gz", "leak/3.heapsnapshot.gz"];

fn series(sources: impl IntoIterator<Item = Source>) -> (Session, HeapExplorer) {
    let session = Session::new(sources, &RunOptions::default());
    match Explored::open(&session) {
        Ok(Explored::Heap(explorer)) => (session, *explorer),
        other => panic!("{:?}", other.map(|other| other.kind())),
    }
}

/// That series, which several tests ask.
static LEAK: LazyLock<(Session, HeapExplorer)> = LazyLock::new(|| series(SERIES.map(source)));

#[test]
fn a_series_has_the_growth_that_diff_and_leaks_tell() {
    let (session, explorer) = &*LEAK;
    let Difference::Heap(diff) = Diff::default().ask(session).unwrap().answer.found else {
        panic!()
    };
    let answered = explorer.classes("", ClassOrder::RetainedDelta, false, ALL);
    assert_eq!(answered.inputs.len(), 3);
    let classes = answered.answer.classes;
    // Each class of `diff` as it is there, the others unchanged.
    let mut changes: HashMap<String, _> =
        diff.classes.rows.iter().map(|row| (row.class_key.clone(), row)).collect();
    let deltas = |row: &ListedClass| {
        let change = &row.growth.as_ref().unwrap().change;
        (change.count_delta.0, change.retained_delta.0)
    };
    for row in &classes.rows {
        let growth = row.growth.as_ref().unwrap();
        match changes.remove(&row.class.class_key) {
            Some(change) => assert_eq!(growth.change, *change),
            None => assert_eq!(growth.change.count_delta, CountChange(0), "{row:?}"),
        }
        let [first, .., last] = growth.counts[..] else { panic!("{row:?}") };
        assert_eq!(last, row.class.count, "{row:?}");
        assert_eq!(last as i64 - first as i64, growth.change.count_delta.0, "{row:?}");
    }
    assert!(changes.is_empty(), "{changes:?}");
    assert!(classes.rows.is_sorted_by_key(|row| Reverse(deltas(row).1)));
    let by_count = explorer.classes("", ClassOrder::CountDelta, true, ALL).answer.classes;
    assert!(by_count.rows.is_sorted_by_key(|row| deltas(row).0));

    let growth = explorer.growth(ALL).unwrap().answer;
    assert_eq!(growth.snapshots, diff.snapshots);
    let leaks = Leaks::default().ask(session).unwrap().answer;
    assert_eq!(growth.findings.unwrap().rows, leaks.findings);
    // The last one is what else is looked at.
    assert_eq!(explorer.session().names(), session.names()[2..]);
}

#[test]
fn classes_of_a_series_that_are_gone_are_listed() {
    // An object of the first heap has another class in the last.
    let heap = |name: &str| {
        let text = format!(
            r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],
            "node_types":[["synthetic","object"],"string","number","number","number"],
            "edge_fields":["type","name_or_index","to_node"],
            "edge_types":[["property"],"string_or_number","node"]}},"node_count":2,"edge_count":1}},
            "nodes":[0,0,1,0,1,1,1,3,16,0],"edges":[0,2,5],"strings":["","{name}","a"]}}"#
        );
        Source::bytes(format!("{name}.heapsnapshot"), text.into_bytes())
    };
    let (_, explorer) = series(["Old", "Other", "New"].map(heap));
    let classes = explorer.classes("", ClassOrder::RetainedDelta, false, ALL).answer.classes;
    let row = |row: &ListedClass| {
        let ListedClass { class, growth: Some(growth) } = row else { panic!("{row:?}") };
        let change = &growth.change;
        let name = class.class_name.clone();
        (name, class.retained_size.0, growth.counts.clone(), change.retained_delta.0)
    };
    let rows: Vec<_> = classes.rows.iter().map(row).collect();
    let expected =
        [("New".to_string(), 16, vec![0, 0, 1], 16), ("Old".to_string(), 0, vec![1, 0, 0], -16)];
    assert_eq!(rows, expected);
    let key = &classes.rows[1].class.class_key;
    assert!(explorer.objects(key, ObjectOrder::Id, true, ALL).is_err());
}

#[test]
fn objects_of_a_series_are_new_or_were_there() {
    let (_, explorer) = &*LEAK;
    let first = corpus(SERIES[0]);
    let nodes = first.heap.heap.nodes();
    let before: HashMap<i64, u64> =
        nodes.all().map(|node| (nodes.id(node), first.heap.retained(node))).collect();
    let sessions = explorer.classes("Session", ClassOrder::Name, true, ALL).answer.classes;
    let key = sessions.rows.into_iter().find(|row| row.class.class_name == "Session").unwrap();
    let (key, growth) = (key.class.class_key, key.growth.unwrap());
    let objects = explorer.objects(&key, ObjectOrder::RetainedDelta, false, ALL).unwrap().answer;
    let mut new = 0;
    for ListedObject { object, growth } in &objects.objects.rows {
        let (growth, now) = (growth.as_ref().unwrap(), object.target.retained_size.unwrap().0);
        let then = before.get(&object.target.id.unwrap().0).copied();
        assert_eq!(growth.base_retained_size.map(|bytes| bytes.0), then);
        assert_eq!(growth.retained_delta, BytesChange(now as i64 - then.unwrap_or(0) as i64));
        new += u64::from(then.is_none());
    }
    assert_eq!(new, growth.change.added_count);
    let delta = |row: &ListedObject| Reverse(row.growth.as_ref().unwrap().retained_delta.0);
    assert!(objects.objects.rows.is_sorted_by_key(delta));
}

#[test]
fn of_heaps_of_several_processes_no_object_is_called_new() {
    let (_, explorer) = series(["node18.heapsnapshot.gz", "node8.heapsnapshot.gz"].map(source));
    let classes = explorer.classes("", ClassOrder::default(), false, ALL);
    assert!(classes.caveats.iter().any(|caveat| caveat.text.contains("different processes")));
    let objects = explorer.objects(",Array", ObjectOrder::RetainedDelta, true, ALL).unwrap();
    assert!(objects.answer.objects.rows.iter().all(|row| row.growth.is_none()));
    assert_eq!(objects.caveats, classes.caveats);
}

#[test]
fn heaps_are_no_series_with_others() {
    let names = [SERIES[0], "profiles/node26.cpuprofile"];
    for order in [[0, 1], [1, 0]] {
        let sources = order.map(|at| source(names[at]));
        let session = Session::new(sources, &RunOptions::default());
        assert!(Explored::open(&session).is_err(), "{order:?}");
    }
}

/// The first rows are found without an order of all objects, those after them in it: in all orders they are the same.
#[test]
fn the_first_objects_are_those_of_the_whole_order() {
    for name in [HEAPS[0], HEAPS[3]] {
        let explorer = corpus(name);
        let class =
            &explorer.classes("", ClassOrder::Count, false, ALL).answer.classes.rows[0].class;
        for by in
            [ObjectOrder::Id, ObjectOrder::Distance, ObjectOrder::Shallow, ObjectOrder::Retained]
        {
            for ascending in [false, true] {
                let rows = |offset, top| {
                    let page = Page { offset, top };
                    explorer
                        .objects(&class.class_key, by, ascending, page)
                        .unwrap()
                        .answer
                        .objects
                        .rows
                };
                // The second page makes the order, in which the third is.
                let (first, rest, again) = (rows(0, 7), rows(7, usize::MAX), rows(0, usize::MAX));
                assert_eq!(
                    first.into_iter().chain(rest).collect::<Vec<_>>(),
                    again,
                    "{name} {by:?} {ascending}"
                );
            }
        }
    }
}

/// A map has the largest objects, each after what holds it; the sum of a part is never more than the whole.
#[test]
fn a_map_has_the_largest_objects() {
    for name in HEAPS {
        let explorer = corpus(name);
        let heap = &explorer.heap;
        let root = heap.heap.root();
        for most in [0, 1, 2, 10, 300, 4000] {
            let MapAnswer { boxes, groups } = explorer.map(None, most).unwrap().answer;
            assert_eq!(
                (boxes[0].above, boxes[0].object.target.id),
                (None, Some(heap.node_id(root)))
            );
            assert!(boxes.len() <= most.max(1), "{name}");
            let node = |at: usize| explorer.node(boxes[at].object.target.id.unwrap().0).unwrap();
            for (at, drawn) in boxes.iter().enumerate().skip(1) {
                let above = drawn.above.unwrap() as usize;
                assert!(
                    above < at
                        && boxes[above].object.target.retained_size
                            >= drawn.object.target.retained_size
                );
                assert_eq!(
                    heap.analysis.dominators[node(at).position()],
                    node(above),
                    "{name} {at}"
                );
            }
            // With the groups nothing is counted twice.
            let (mut sizes, mut counts) = (vec![0; boxes.len()], vec![0; boxes.len()]);
            for drawn in boxes.iter().skip(1) {
                sizes[drawn.above.unwrap() as usize] +=
                    drawn.object.target.retained_size.unwrap().0;
                counts[drawn.above.unwrap() as usize] += 1;
            }
            for group in &groups {
                sizes[group.above as usize] += group.retained_size.0;
                counts[group.above as usize] += group.count;
            }
            for (at, drawn) in boxes.iter().enumerate() {
                let own = drawn.object.shallow_size.0;
                assert!(
                    sizes[at] + own <= drawn.object.target.retained_size.unwrap().0,
                    "{name} {at}"
                );
                assert!(counts[at] <= drawn.object.dominated_count, "{name} {at}");
            }
            // What is not drawn is small, or there was no more room.
            let drawn: Vec<NodeIndex> = (0..boxes.len()).map(node).collect();
            let least = heap.retained(root) / (4 * most.max(1) as u64);
            let is_missing =
                |node: &NodeIndex| heap.retained(*node) > least && !drawn.contains(node);
            if boxes.len() < most {
                let below = heap.nodes().filter(|&node| {
                    node != root && heap.analysis.dominators[node.position()] == root
                });
                assert_eq!(below.filter(is_missing).count(), 0, "{name} {most}");
            }
        }
    }
}

/// What is looked up for all nodes at once tells the ways that a search for one node finds.
#[test]
fn ways_of_an_explorer_are_those_of_the_command() {
    for name in HEAPS {
        let explorer = corpus(name);
        let session = Session::new([source(name)], &RunOptions::default());
        for node in some(&explorer) {
            let id = explorer.heap.heap.nodes().id(node);
            for shortest in [false, true] {
                let found = explorer.why(id, shortest, 3).unwrap();
                let asked = Why::default().node(id).shortest(shortest).ask(&session).unwrap();
                assert_eq!(json!(found), json!(asked), "{name} {id} {shortest}");
            }
        }
    }
}

/// What the tables say of stacks of allocations: of each its own size and function, and of each node its stack.
#[test]
fn stacks_of_a_timeline_are_those_of_its_tables() {
    for (name, has_stacks) in [
        ("handmade/v8-timeline.heaptimeline", true),
        ("node12-insession.heaptimeline.gz", true),
        ("handmade/v8-deep-trace-tree.heaptimeline", true),
        (HEAPS[2], false),
    ] {
        let explorer = corpus(name);
        let Some(profile) = explorer.allocations() else {
            assert!(!has_stacks, "{name}");
            let nothing = explorer.allocated(1, ALL).unwrap().answer.stack;
            assert_eq!((nothing.total, nothing.rows), (0, vec![]), "{name}");
            continue;
        };
        assert!(has_stacks, "{name}");
        let how = BatchOptions::default().plain(true);
        let mut columns: HashMap<String, Vec<Option<String>>> = HashMap::new();
        for batch in batches(&[source(name)], &how).unwrap() {
            let (table, batch) = batch.unwrap();
            for field in batch.schema().fields() {
                let values = column_text(&batch, field.name());
                let key = format!("{}.{}", table.name, field.name());
                columns.entry(key).or_default().extend(values);
            }
        }
        let text = |name: &str, row: usize| columns[name][row].clone();
        let number = |name: &str, row| text(name, row).and_then(|text| text.parse::<i64>().ok());
        let stacks = columns["js_heap_trace_node.id"].len();
        let size = |row| number("js_heap_trace_node.size", row).unwrap_or(0);
        let whole: i64 = (1..stacks).map(size).sum();
        let functions = profile.functions(None, "", FunctionOrder::Own, false, ALL).unwrap();
        let functions = functions.answer.functions.rows;
        assert_eq!(functions.iter().map(|row| row.value.self_value.number).sum::<i64>(), whole);
        // The stack of each node, from the innermost call out.
        let by_id: HashMap<Option<i64>, usize> =
            (0..stacks).rev().map(|row| (number("js_heap_trace_node.id", row), row)).collect();
        for row in (0..columns["js_heap_nodes.id"].len()).step_by(7) {
            let id = number("js_heap_nodes.id", row).unwrap();
            let mut expected = Vec::new();
            let mut at = by_id.get(&number("js_heap_nodes.trace_node_id", row));
            while let Some(&stack) = at.filter(|&&stack| stack > 0) {
                let of = number("js_heap_trace_node.function_info_index", stack).unwrap();
                let name = text("js_heap_trace_function_info.name", of as usize);
                expected.push(name.filter(|name| !name.is_empty()).unwrap_or("(anonymous)".into()));
                at = by_id.get(&number("js_heap_trace_node.parent_id", stack));
            }
            let found = explorer.allocated(id, ALL).unwrap().answer.stack.rows;
            let found: Vec<String> = found.into_iter().map(|frame| frame.function_name).collect();
            assert_eq!(found, expected, "{name} {id}");
        }
    }
}

fn column_text(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap();
    let (long, short) = (
        column.as_any().downcast_ref::<Int64Array>(),
        column.as_any().downcast_ref::<Int32Array>(),
    );
    let text = column.as_any().downcast_ref::<StringArray>();
    let value = |row: usize| {
        let value = long.map(|it| it.value(row).to_string());
        let value = value.or_else(|| short.map(|it| it.value(row).to_string()));
        value.or_else(|| text.map(|it| it.value(row).to_string()))
    };
    (0..batch.num_rows()).map(|row| value(row).filter(|_| column.is_valid(row))).collect()
}

#[test]
fn what_holds_the_memory_is_what_the_tables_have() {
    for name in HEAPS {
        let explorer = corpus(name);
        let Subject { heap, analysis, .. } = &*explorer.heap;
        let ways = |nodes: &[NodeIndex]| heapquarry_graph::Ways::new(heap, nodes, 1);
        let sources = heapquarry_graph::Sources::new(heap);
        let most = heapquarry_graph::SUSPECTS;
        let found = heapquarry_graph::suspects(heap, analysis, most, &sources, ways);
        let HoldersAnswer { verdict, id, points } = explorer.holders().answer;
        let told: Vec<_> =
            points.rows.iter().map(|row| (row.id.0, &row.way, row.own_size.0)).collect();
        let expected: Vec<_> = found
            .iter()
            .map(|point| (heap.nodes().id(point.node), &point.way, point.own))
            .collect();
        assert_eq!(told, expected, "{name}");
        // What the verdict names is one of them.
        match id {
            Some(id) => assert!(points.rows.iter().any(|row| row.id == id), "{name}: {verdict}"),
            None => assert!(verdict.starts_with("The memory is spread"), "{name}: {verdict}"),
        }
    }
}

#[test]
fn owners_are_those_of_the_summary() {
    for name in HEAPS {
        let explorer = corpus(name);
        for by in [By::Package, By::Script, By::Function] {
            let asked = crate::Summary::default().by(by).top(MOST_OWNERS);
            let expected = asked.ask(explorer.session()).unwrap();
            let crate::SummaryAnswer::Heap(summary) = expected.answer else { panic!("{name}") };
            let found = explorer.owners(by).unwrap();
            assert_eq!(found.caveats, expected.caveats, "{name} {by:?}");
            assert_eq!(Some(found.answer), summary.owners, "{name} {by:?}");
        }
    }
}

#[test]
fn owners_of_edges_are_found_from_one_to_the_next() {
    for name in HEAPS {
        let explorer = corpus(name);
        let edges = explorer.heap.heap.edges();
        let len = edges.len();
        // In file order, with gaps, and back again.
        for step in [1, 7, 1000] {
            let order = || (0..len).step_by(step).chain((0..len).rev().step_by(step));
            let expected = order().map(|edge| (edges.owner(edge), edge));
            assert!(edges.with_owners(order()).eq(expected), "{name} {step}");
        }
    }
}
