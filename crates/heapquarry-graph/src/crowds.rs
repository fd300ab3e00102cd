//! What gathers much in one snapshot: collections, listeners of an event, timers.
//!
//! A snapshot does not tell whether these grow. A Map of 50,000 entries can be a full cache. So this is where to look,
//! and no finding.

use crate::{
    Analysis, EdgeType, HashMap, Heap, NodeIndex, NodeType, Sources, StringIndex, Ways,
    distance::SYSTEM, entries,
};
use std::cmp::Reverse;

/// Crowds of each kind that are returned, at most.
const MOST: usize = 5;
/// Entries from which on a collection is told: the engine and its libraries have tables of some hundreds.
const LEAST_ENTRIES: u64 = 1000;
/// Listeners of one event of one emitter: Node itself warns at more than 10.
const LEAST_LISTENERS: u64 = 11;
/// Listeners of pages, and timers, all of them together.
const LEAST_OBJECTS: u64 = 100;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrowdKind {
    /// Entries of a Map or Set, elements of an array, properties of an object that is used as a dictionary.
    Collection,
    /// Listeners of an event, or listeners of a page.
    Listeners,
    /// Timers that wait.
    Timers,
}

/// Many of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// What is counted.
    pub kind: CrowdKind,
    /// Who holds them; `None` for all objects of a class.
    pub node: Option<NodeIndex>,
    /// Of collections the class; of listeners of an emitter the event; otherwise the class of the objects.
    pub name: String,
    /// The way from the root to who holds them; empty for all objects of a class.
    pub way: String,
    /// How many they are.
    pub count: u64,
}

/// Classes of listeners of pages, and of timers in Node and pages.
const CLASSES: [(&str, CrowdKind); 8] = [
    ("EventListener", CrowdKind::Listeners),
    ("V8EventListener", CrowdKind::Listeners),
    ("JSEventListener", CrowdKind::Listeners),
    ("Timeout", CrowdKind::Timers),
    ("Immediate", CrowdKind::Timers),
    ("Timer", CrowdKind::Timers),
    ("DOMTimer", CrowdKind::Timers),
    ("ScheduledAction", CrowdKind::Timers),
];

/// Collections, emitters and kinds of timers that hold many; by kind, those that hold most first.
pub fn crowds(heap: &Heap, analysis: &Analysis, threads: usize) -> Vec<Crowd> {
    let mut found: Vec<(CrowdKind, u64, Option<NodeIndex>, String)> = Vec::new();
    let strings = heap.strings();
    let is_events = |&at: &usize| strings.get(StringIndex(at as u32)) == "_events";
    let events = (0..strings.len()).find(is_events).map(|at| StringIndex(at as u32));
    let mut classes: HashMap<&str, (CrowdKind, u64)> = HashMap::default();
    for node in heap.nodes().all() {
        let kind = heap.nodes().kind(node);
        let is_reached =
            analysis.distances.get(node.position()).is_some_and(|d| (0..SYSTEM).contains(d));
        if !is_reached || !matches!(kind, NodeType::Object | NodeType::Native) {
            continue;
        }
        let name = heap.node_name(node);
        if let Some((class, kind)) = CLASSES.iter().find(|(class, _)| *class == name) {
            classes.entry(class).or_insert((*kind, 0)).1 += 1;
        }
        if kind != NodeType::Object {
            continue;
        }
        let count = members(heap, node, name);
        if count >= LEAST_ENTRIES {
            found.push((CrowdKind::Collection, count, Some(node), name.to_owned()));
        }
        found.extend(
            listeners(heap, node, events)
                .filter(|(count, _)| *count >= LEAST_LISTENERS)
                .map(|(count, event)| (CrowdKind::Listeners, count, Some(node), event)),
        );
    }
    let of_classes = classes.into_iter().filter(|(_, (_, count))| *count >= LEAST_OBJECTS);
    found.extend(of_classes.map(|(class, (kind, count))| (kind, count, None, class.to_owned())));
    found.sort_unstable_by(|a, b| {
        (a.0, Reverse(a.1), a.2, &a.3).cmp(&(b.0, Reverse(b.1), b.2, &b.3))
    });
    let mut of_kind = (CrowdKind::Collection, 0);
    found.retain(|(kind, ..)| {
        of_kind = if of_kind.0 == *kind { (*kind, of_kind.1 + 1) } else { (*kind, 1) };
        of_kind.1 <= MOST
    });
    let nodes: Vec<NodeIndex> = found.iter().filter_map(|(_, _, node, _)| *node).collect();
    if nodes.is_empty() {
        let none =
            |(kind, count, node, name)| Crowd { kind, node, name, way: String::new(), count };
        return found.into_iter().map(none).collect();
    }
    let (ways, sources) = (Ways::new(heap, &nodes, threads), Sources::new(heap));
    let crowd = |(kind, count, node, name): (_, _, Option<NodeIndex>, _)| {
        let way = |node| ways.text(&ways.path(node), &sources, &analysis.detachedness);
        Crowd { kind, node, name, way: node.map_or(String::new(), way), count }
    };
    found.into_iter().map(crowd).collect()
}

/// Entries of a Map or Set, elements of an array, properties of another object. References to `null` and to small
/// integers are not in a snapshot, or hold nothing.
fn members(heap: &Heap, node: NodeIndex, class: &str) -> u64 {
    let edges = heap.edges();
    match class {
        // A table has three references for an entry at most.
        "Map" | "Set" => {
            let tables = edges.of(node).filter(|&edge| edges.kind(edge) == EdgeType::Internal);
            let longest = tables.map(|edge| edges.of(edges.target(edge)).len()).max().unwrap_or(0);
            if (longest as u64) < LEAST_ENTRIES {
                return 0;
            }
            entries(heap, node).map_or(0, |entries| entries.len() as u64)
        }
        class => {
            // Keys of dictionaries that are whole numbers are elements.
            let is_wanted = |kind| match kind {
                EdgeType::Element => true,
                kind => kind == EdgeType::Property && class != "Array",
            };
            let all = edges.of(node);
            if (all.len() as u64) < LEAST_ENTRIES {
                return 0;
            }
            let is_value = |edge: &usize| {
                let kind = heap.nodes().kind(edges.target(*edge));
                is_wanted(edges.kind(*edge)) && kind.is_of_the_program()
            };
            all.filter(is_value).count() as u64
        }
    }
}

/// The events of an emitter of Node with the number of their listeners: `_events` has a function for one, an array for
/// several. `field` is the string of that name.
fn listeners(
    heap: &Heap,
    node: NodeIndex,
    field: Option<StringIndex>,
) -> impl Iterator<Item = (u64, String)> {
    let edges = heap.edges();
    let is_field =
        |edge: &usize| edges.kind(*edge) == EdgeType::Property && heap.edge_string(*edge) == field;
    let events = field.and_then(|_| edges.of(node).find(is_field));
    let events = events.map(|edge| edges.of(edges.target(edge)));
    events.into_iter().flatten().filter_map(move |edge| {
        let listeners = edges.target(edge);
        let is_array = heap.nodes().kind(listeners) == NodeType::Object
            && heap.node_name(listeners) == "Array";
        if edges.kind(edge) != EdgeType::Property || !is_array {
            return None;
        }
        let is_one = |edge: &usize| edges.kind(*edge) == EdgeType::Element;
        let count = edges.of(listeners).filter(is_one).count() as u64;
        Some((count, heap.edge_name(edge).to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapBuilder, analyze};

    /// A program with so many of each.
    fn found(entries: usize, listeners: usize, timers: usize) -> Vec<(CrowdKind, String, u64)> {
        let mut b = HeapBuilder::new();
        let root = b.node("synthetic", "", 0);
        let global = b.node("object", "global", 8);
        b.edge(root, EdgeType::Property, "globalThis", global);
        let value = b.node("object", "Foo", 8);
        let [list, dictionary, by_id, emitter] =
            [("Array", "list"), ("Object", "byName"), ("Object", "byId"), ("Server", "server")]
                .map(|(class, name)| {
                    let node = b.node("object", class, 8);
                    b.edge(global, EdgeType::Property, name, node);
                    node
                });
        let null = b.node("hidden", "system / Oddball", 8);
        for at in 0..entries {
            b.edge(list, EdgeType::Element, &at.to_string(), value);
            b.edge(list, EdgeType::Element, &(entries + at).to_string(), null);
            b.edge(dictionary, EdgeType::Property, &format!("key {at}"), value);
            b.edge(by_id, EdgeType::Element, &at.to_string(), value);
        }
        let events = b.node("object", "Object", 8);
        let of_event = b.node("object", "Array", 8);
        b.edge(emitter, EdgeType::Property, "_events", events);
        b.edge(events, EdgeType::Property, "close", of_event);
        let listener = b.node("closure", "onClose", 8);
        for at in 0..listeners {
            b.edge(of_event, EdgeType::Element, &at.to_string(), listener);
        }
        for at in 0..timers {
            let timer = b.node("object", "Timeout", 8);
            b.edge(global, EdgeType::Property, &format!("timer {at}"), timer);
            // What nothing reaches is garbage.
            b.node("object", "Timeout", 8);
        }
        let heap = b.build();
        let analysis = analyze(&heap, 1);
        let found = crowds(&heap, &analysis, 2);
        assert!(
            found.iter().all(|crowd| crowd.way.is_empty() == crowd.node.is_none()),
            "{found:?}"
        );
        found.into_iter().map(|crowd| (crowd.kind, crowd.name, crowd.count)).collect()
    }

    #[test]
    fn much_of_something_is_told_and_little_is_not() {
        use CrowdKind::*;
        assert_eq!(found(999, 10, 99), []);
        let crowd = |kind, name: &str, count| (kind, name.to_owned(), count);
        assert_eq!(
            found(1000, 11, 100),
            [
                crowd(Collection, "Array", 1000),
                crowd(Collection, "Object", 1000),
                crowd(Collection, "Object", 1000),
                crowd(Listeners, "close", 11),
                crowd(Timers, "Timeout", 100),
            ]
        );
    }
}
