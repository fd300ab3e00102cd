//! What gathers much in one snapshot: collections, listeners of an event, timers.
//!
//! A snapshot does not tell whether these grow. A Map of 50,000 entries can be a full cache. So this is where to look,
//! and no finding.

use crate::{
    Analysis, EdgeType, HashMap, Heap, NodeIndex, NodeType, Party, Sources, StringIndex, UNREACHED,
    Ways, entries, entries::Entry,
};
use heapquarry_base::Order;
use std::cmp::Reverse;

/// Crowds of each kind that are returned, at most.
const MOST: usize = 5;
/// Largest crowds of each kind of which those that the program can change are sought.
const NAMED: usize = 50;
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
    /// Who wrote the code that holds them; nobody knows it of all objects of a class.
    pub party: Party,
    /// How many they are.
    pub count: u64,
}

/// Where emitters of Node have their listeners, where its targets of events have them, and what leads from one listener
/// of a target to the next.
const FIELDS: [&str; 3] = ["_events", "<symbol kEvents>", "next"];

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

/// Collections, emitters and kinds of timers that hold many; by kind, those of the program first, then those that hold
/// most.
pub fn crowds(heap: &Heap, analysis: &Analysis, threads: usize) -> Vec<Crowd> {
    let mut found: Vec<(CrowdKind, u64, Option<NodeIndex>, String)> = Vec::new();
    let strings = heap.strings();
    let (mut fields, mut at) = ([None; 3], 0);
    strings.each(0..strings.len(), &mut |text| {
        if let Some(field) = FIELDS.iter().position(|field| *field == text) {
            fields[field].get_or_insert(StringIndex(at));
        }
        at += 1;
    });
    let [events, targets, next] = fields;
    // No list is longer than the heap; damaged files can have many that lead to the same one.
    let mut room = heap.nodes().len() as u64;
    let mut classes: HashMap<&str, (CrowdKind, u64)> = HashMap::default();
    for node in heap.nodes().all() {
        let kind = heap.nodes().kind(node);
        // Variables of modules are far away: only the engine leads to them.
        let is_reached = analysis.distances.get(node.position()).is_some_and(|&d| d != UNREACHED);
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
        let of_target = listeners_of_target(heap, node, targets, next, &mut room);
        found.extend(
            listeners(heap, node, events)
                .chain(of_target)
                .filter(|(count, _)| *count >= LEAST_LISTENERS)
                .map(|(count, event)| (CrowdKind::Listeners, count, Some(node), event)),
        );
    }
    let of_classes = classes.into_iter().filter(|(_, (_, count))| *count >= LEAST_OBJECTS);
    found.extend(of_classes.map(|(class, (kind, count))| (kind, count, None, class.to_owned())));
    found.order_by(|a, b| (a.0, Reverse(a.1), a.2, &a.3).cmp(&(b.0, Reverse(b.1), b.2, &b.3)));
    keep(&mut found, NAMED, |(kind, ..)| *kind);
    let nodes: Vec<NodeIndex> = found.iter().filter_map(|(_, _, node, _)| *node).collect();
    let ways = (!nodes.is_empty()).then(|| (Ways::new(heap, &nodes, threads), Sources::new(heap)));
    let crowd = |(kind, count, node, name): (_, _, Option<NodeIndex>, _)| {
        let (way, party) = match (node, &ways) {
            (Some(node), Some((ways, sources))) => {
                let path = ways.path(node);
                let way = ways.text(&path, sources, &analysis.detachedness);
                (way, ways.party(&path, sources))
            }
            _ => (String::new(), Party::First(None)),
        };
        Crowd { kind, node, name, way, party, count }
    };
    let mut crowds: Vec<Crowd> = found.into_iter().map(crowd).collect();
    crowds.order_by_key(|crowd| (crowd.kind, crowd.party.rank()));
    keep(&mut crowds, MOST, |crowd| crowd.kind);
    crowds
}

/// Keeps the first so many of each kind; they are in the order of kinds.
fn keep<T>(all: &mut Vec<T>, most: usize, kind: impl Fn(&T) -> CrowdKind) {
    let (mut last, mut count) = (None, 0);
    all.retain(|one| {
        let kind = Some(kind(one));
        count = if last == kind { count + 1 } else { 1 };
        last = kind;
        count <= most
    });
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

/// The events of an EventTarget of Node, such as an AbortSignal, with the number of their listeners: a Map has a list
/// for each. Up to `room` listeners are counted, and taken from it.
fn listeners_of_target(
    heap: &Heap,
    node: NodeIndex,
    field: Option<StringIndex>,
    next: Option<StringIndex>,
    room: &mut u64,
) -> Vec<(u64, String)> {
    let edges = heap.edges();
    let property = |node: NodeIndex, name: Option<StringIndex>| {
        let is_it = |edge: &usize| {
            edges.kind(*edge) == EdgeType::Property && heap.edge_string(*edge) == name
        };
        name.and_then(|_| edges.of(node).find(is_it)).map(|edge| edges.target(edge))
    };
    let events = property(node, field).and_then(|events| entries(heap, events));
    let mut list = |first: NodeIndex| {
        let listener = |node: &NodeIndex| {
            property(*node, next).filter(|&next| heap.nodes().kind(next) == NodeType::Object)
        };
        let count = std::iter::successors(listener(&first), listener).take(*room as usize).count();
        *room -= count as u64;
        count as u64
    };
    let event = |entry: Entry| {
        let name = entry.key.map_or(String::new(), |key| heap.node_name(key).to_owned());
        Some((list(entry.value?), name))
    };
    events.into_iter().flatten().filter_map(event).collect()
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
        // What only the engine leads to counts: variables of modules.
        let roots = b.node("synthetic", "(GC roots)", 0);
        b.edge(root, EdgeType::Element, "1", roots);
        let [list, dictionary, by_id, emitter] =
            [("Array", "list"), ("Object", "byName"), ("Object", "byId"), ("Server", "server")]
                .map(|(class, name)| {
                    let node = b.node("object", class, 8);
                    let holder = if name == "byId" { roots } else { global };
                    b.edge(holder, EdgeType::Property, name, node);
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
        // A target of events has a list of them.
        let signal = b.node("object", "AbortSignal", 8);
        b.edge(global, EdgeType::Property, "signal", signal);
        let [map, table, event, list] =
            [("object", "Map"), ("array", ""), ("string", "abort"), ("object", "Object")]
                .map(|(kind, name)| b.node(kind, name, 8));
        b.edge(signal, EdgeType::Property, "<symbol kEvents>", map);
        b.edge(map, EdgeType::Internal, "table", table);
        b.edge(table, EdgeType::Internal, "5", event);
        b.edge(table, EdgeType::Internal, "6", list);
        let mut last = list;
        for _ in 0..listeners {
            let listener = b.node("object", "Listener", 8);
            b.edge(last, EdgeType::Property, "next", listener);
            last = listener;
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
                crowd(Listeners, "abort", 11),
                crowd(Timers, "Timeout", 100),
            ]
        );
    }
}
