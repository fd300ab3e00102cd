//! The fold as plainly as it can be written, against the one that is fast, on small random heaps.

use super::{
    Leaks,
    counts::{Count, Held},
    labels::DICTIONARY,
    places::{Label, ROOT},
};
use crate::{
    EdgeName, EdgeType, Heap, HeapBuilder, NodeIndex,
    dominators::{Deferred, dominators_with},
};
use proptest::prelude::*;
use std::{collections::BTreeMap, ops::Range};

const NODES: [(&str, &str); 28] = [
    ("object", "Object"),
    ("object", "Foo"),
    ("object", "Bar"),
    ("object", "Array"),
    ("object", "system / Context"),
    ("array", "(object elements)"),
    ("closure", "f"),
    ("hidden", "system / Map"),
    ("hidden", "system / PropertyCell"),
    ("code", "f"),
    ("string", "s"),
    ("concatenated string", "t"),
    ("native", "blink::Node"),
    ("native", "<div>"),
    ("native", "Node / Environment"),
    ("object", "system / Foo"),
    ("hidden", "system / Context"),
    ("array", "system / ArrayList"),
    ("hidden", "system / Oddball"),
    ("number", "smi number"),
    ("symbol", "s"),
    ("bigint", "bigint"),
    ("regexp", "/a/"),
    ("object shape", "(shape)"),
    // Only objects and storage are what their names say.
    ("string", "system / Map"),
    ("concatenated string", "system / Context"),
    ("closure", "system / Context"),
    ("code", "system / ScopeInfo"),
];
const EDGES: [(EdgeType, &str); 13] = [
    (EdgeType::Property, "x"),
    (EdgeType::Property, "y"),
    (EdgeType::Property, "__proto__"),
    (EdgeType::Context, "x"),
    (EdgeType::Element, "1"),
    (EdgeType::Hidden, "2"),
    (EdgeType::Internal, "table"),
    (EdgeType::Internal, "elements"),
    (EdgeType::Internal, "shared"),
    (EdgeType::Internal, "1 / part of key (K @9) -> value (V @3) pair in WeakMap (table @7)"),
    (EdgeType::Shortcut, "s"),
    (EdgeType::Weak, "w"),
    (EdgeType::Property, "y"),
];

#[derive(Clone, Debug)]
pub(super) struct Plan {
    nodes: Vec<(usize, u64)>,
    /// From, kind, to; the first of them make a tree.
    edges: Vec<(usize, usize, usize)>,
    /// A node with so many further properties.
    many: Option<(usize, usize)>,
}

/// Any heaps, and deep ones of arrays and objects that hold each other.
pub(super) fn plans() -> impl Strategy<Value = Plan> {
    let any = plans_of(2..24, (0..NODES.len()).collect(), (0..EDGES.len()).collect(), 24);
    prop_oneof![3 => any, 1 => plans_of(8..24, vec![0, 3, 3], vec![0, 4, 4, 4], 2)]
}

/// Of these nodes and edges. Each node but the first is held strongly by one of `near` before it, and there are at most
/// `near` edges more.
fn plans_of(
    nodes: Range<usize>,
    kinds: Vec<usize>,
    edges: Vec<usize>,
    near: usize,
) -> impl Strategy<Value = Plan> {
    nodes.prop_flat_map(move |nodes| {
        let is_strong =
            |&&edge: &&usize| !matches!(EDGES[edge].0, EdgeType::Shortcut | EdgeType::Weak);
        let strong: Vec<usize> = edges.iter().filter(is_strong).copied().collect();
        let holds = |node: usize| {
            (node.saturating_sub(near)..node, prop::sample::select(strong.clone()), Just(node))
        };
        let tree = (1..nodes).map(holds).collect::<Vec<_>>();
        let kinds = prop::sample::select(kinds.clone());
        let edges = prop::sample::select(edges.clone());
        let more = prop::collection::vec((0..nodes, edges, 0..nodes), 0..=near);
        let many = prop::option::of((0..nodes, DICTIONARY - 3..DICTIONARY + 2));
        let nodes = prop::collection::vec((kinds, 0..100u64), nodes);
        (nodes, tree, more, many).prop_map(|(nodes, mut edges, more, many)| {
            edges.extend(more);
            Plan { nodes, edges, many }
        })
    })
}

impl Plan {
    pub(super) fn build(&self) -> Heap {
        let mut builder = HeapBuilder::new();
        for (at, &(kind, size)) in self.nodes.iter().enumerate() {
            let (kind, name) = if at == 0 { ("synthetic", "") } else { NODES[kind] };
            builder.node(kind, name, size);
        }
        for &(from, kind, to) in &self.edges {
            let (kind, name) = EDGES[kind];
            builder.edge(NodeIndex::at(from), kind, name, NodeIndex::at(to));
        }
        if let Some((node, count)) = self.many {
            for at in 0..count {
                let (key, value) = (format!("k{at}"), NodeIndex::at(at % self.nodes.len()));
                builder.edge(NodeIndex::at(node), EdgeType::Property, &key, value);
            }
        }
        builder.build()
    }
}

/// The variables of a function.
const SCOPE: (&str, &str) = ("object", "system / Context");

/// A step to a place: its label, and the class where that counts.
type Step = (String, Option<u32>);

/// What the plain fold finds of one snapshot.
struct Naive<'a> {
    heap: &'a Heap,
    class_of: &'a [u32],
    births: &'a [u8],
    dominators: Vec<NodeIndex>,
    /// The class of each place.
    classes: &'a mut BTreeMap<Vec<Step>, u32>,
    paths: Vec<Option<Vec<Step>>>,
    containers: Vec<Option<NodeIndex>>,
    anchors: Vec<u8>,
    strict: Vec<u8>,
    is_folded: Vec<bool>,
    /// Whether ids last; otherwise all containers count as old.
    has_births: bool,
    generic: &'a dyn Fn(u32) -> bool,
}

impl Naive<'_> {
    fn kind(&self, node: NodeIndex) -> (&str, &str) {
        (self.heap.nodes().type_name(node), self.heap.node_name(node))
    }

    fn is_visible(&self, node: NodeIndex) -> bool {
        match self.kind(node) {
            SCOPE => true,
            ("object", name) => !name.starts_with("system / "),
            ("native", name) => !name.contains("::") && !name.starts_with("Node / "),
            ("closure" | "string" | "concatenated string" | "regexp", _) => true,
            ("number" | "symbol" | "bigint", _) => true,
            _ => false,
        }
    }

    fn is_engine(&self, node: NodeIndex) -> bool {
        matches!(self.kind(node), ("code" | "object shape", _) | ("hidden", "system / Map"))
    }

    /// Neither a function's variables nor a function.
    fn is_object(&self, node: NodeIndex) -> bool {
        self.is_visible(node) && self.kind(node).0 == "object" && self.kind(node) != SCOPE
    }

    fn is_string(&self, node: NodeIndex) -> bool {
        self.kind(node).0.ends_with("string")
    }

    /// The nearest visible dominator, and whether the engine lies between.
    fn holder(&self, node: NodeIndex) -> (Option<NodeIndex>, bool) {
        let (mut at, mut via) = (node, false);
        while at != self.heap.root() {
            at = self.dominators[at.position()];
            if self.is_visible(at) {
                return (Some(at), via);
            }
            via |= self.is_engine(at);
        }
        (None, via)
    }

    fn label(&self, node: NodeIndex) -> (u8, String) {
        let (holder, via) = self.holder(node);
        let edges = self.heap.edges();
        let mut best = (9, "~".to_owned());
        for edge in 0..edges.len() {
            let (from, kind) = (edges.owner(edge), edges.kind(edge));
            if edges.target(edge) != node || matches!(kind, EdgeType::Weak | EdgeType::Shortcut) {
                continue;
            }
            let name = match self.heap.edge_name(edge) {
                EdgeName::Text(name) => name.to_owned(),
                EdgeName::Index(index) => index.to_string(),
            };
            let found = if Some(from) == holder {
                match kind {
                    EdgeType::Property if name == "__proto__" => (5, name),
                    EdgeType::Property if self.is_dictionary(from) => (1, "[]".into()),
                    EdgeType::Property | EdgeType::Context => (0, name),
                    EdgeType::Element | EdgeType::Hidden => (1, "[]".into()),
                    _ if name.contains("part of key") => (2, "(WeakMap value)".into()),
                    _ => (2, name),
                }
            } else if holder.is_some() && !self.is_visible(from) && self.holder(from).0 == holder {
                let engine = self.is_engine(from) || self.holder(from).1;
                if engine { (6, "(engine)".into()) } else { (3, "[]".into()) }
            } else {
                continue;
            };
            best = best.min(found);
        }
        if via && best.0 > 2 { (6, "(engine)".into()) } else { best }
    }

    fn place(&mut self, node: NodeIndex) {
        if self.paths[node.position()].is_some() {
            return;
        }
        let (holder, _) = self.holder(node);
        let above = holder.map_or(Vec::new(), |holder| {
            self.place(holder);
            self.paths[holder.position()].clone().expect("placed")
        });
        let class = self.class_of[node.position()];
        let (rank, label) = self.label(node);
        let is_keyed = ["[]", "~", "(engine)"].contains(&&*label);
        let at = node.position();
        let mut step = (label, is_keyed.then_some(class));
        if rank == 0 && holder.is_some_and(|holder| self.kind(holder) != SCOPE) {
            step.0 = format!(".{}", step.0);
        }
        let alike = |path: &[Step]| self.classes.get(path) == Some(&class);
        let hit = if self.is_string(node) || !(self.generic)(class) {
            (0..6)
                .filter(|up| *up < above.len())
                .map(|up| &above[..above.len() - up])
                .find(|p| alike(p))
        } else {
            let two = above.len() >= 2 && alike(&above) && alike(&above[..above.len() - 1]);
            (two && above[above.len() - 2..].iter().all(|(label, _)| *label == step.0))
                .then_some(&above[..])
        };
        if let Some(hit) = hit.map(<[Step]>::to_vec) {
            let mut instance = holder.expect("it is below a place");
            while self.paths[instance.position()].as_ref() != Some(&hit) {
                instance = self.holder(instance).0.expect("the place is above");
            }
            self.containers[at] = self.containers[instance.position()];
            self.paths[at] = Some(hit);
            self.anchors[at] = self.births[at];
            self.strict[at] = self.births[at];
            self.is_folded[at] = true;
            return;
        }
        self.containers[at] = holder;
        let above_it = |ages: &[u8]| holder.map_or(1, |holder| ages[holder.position()]);
        let birth = self.births[at];
        let (anchor, strict) =
            (birth.min(above_it(&self.anchors)), birth.min(above_it(&self.strict)));
        let is_property = step.0.starts_with('.');
        self.anchors[at] = if is_keyed { self.births[at] } else { anchor };
        self.strict[at] = if is_keyed || is_property { self.births[at] } else { strict };
        let mut path = above;
        path.push(step);
        self.classes.entry(path.clone()).or_insert(class);
        self.paths[at] = Some(path);
    }

    fn counts(&self, snapshot: u8) -> BTreeMap<Vec<Step>, Count> {
        let mut counts: BTreeMap<Vec<Step>, Count> = BTreeMap::new();
        for node in self.heap.nodes().all() {
            let at = node.position();
            let size = self.heap.nodes().self_size(node);
            let path = match (self.is_visible(node), self.holder(node).0) {
                (true, _) => self.paths[at].clone(),
                (false, holder) if self.is_engine(node) => {
                    if let Some(path) = holder.and_then(|at| self.paths[at.position()].clone()) {
                        counts.entry(path).or_default().code += size;
                    }
                    continue;
                }
                (false, _) if self.kind(node).1 == "system / ArrayList" => continue,
                (false, holder) => holder.and_then(|holder| self.paths[holder.position()].clone()),
            };
            let path = path.unwrap_or_default();
            let one_of_many = path.last().is_some_and(|(label, _)| label == "[]" || label == "~");
            let count = counts.entry(path).or_default();
            count.bytes += size;
            if !self.is_visible(node) || self.is_folded[at] && self.is_string(node) && one_of_many {
                continue;
            }
            let container = self.containers[at].map(NodeIndex::position);
            let age = |ages: &[u8]| container.map_or(1, |container| ages[container]);
            let (anchor, strict) = (age(&self.anchors), age(&self.strict));
            let is_new = self.births[at] == snapshot;
            count.members += 1;
            count.old += u32::from(self.births[at] == 1);
            count.accreted += u32::from(is_new && anchor < snapshot);
            count.accreted_strictly += u32::from(is_new && strict < snapshot);
            let is_older = |other: NodeIndex| {
                self.births[other.position()] < snapshot
                    && self.containers[other.position()] == self.containers[at]
            };
            let is_heir = container.is_some() && self.heap.nodes().all().any(is_older);
            count.carried += u32::from(is_new && anchor == snapshot && is_heir);
            if self.is_object(node) && (anchor == 1 || self.anchors[at] == 1) {
                let edges = self.heap.edges();
                count.properties += self.properties(node).len() as u32;
                count.dictionaries += u32::from(self.is_dictionary(node));
                let is_object = |edge: &usize| {
                    let target = edges.target(*edge);
                    self.is_visible(target)
                        || !self.heap.node_name(target).starts_with("system / Oddball")
                };
                let elements = edges.of(node).filter(|&e| edges.kind(e) == EdgeType::Element);
                let elements = elements.filter(is_object);
                count.entries += (elements.count() + self.table_entries(node).len()) as u32;
            }
        }
        counts
    }

    fn properties(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let edges = self.heap.edges();
        let all = edges.of(node).filter(|&edge| edges.kind(edge) == EdgeType::Property);
        all.map(|edge| edges.target(edge)).collect()
    }

    fn is_dictionary(&self, node: NodeIndex) -> bool {
        self.is_object(node) && self.properties(node).len() >= DICTIONARY
    }

    /// What the tables of a Map or Set refer to.
    fn table_entries(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let edges = self.heap.edges();
        let is_table = |edge: &usize| {
            edges.kind(*edge) == EdgeType::Internal
                && self.heap.edge_name(*edge) == EdgeName::Text("table")
                && self.kind(edges.target(*edge)).0 == "array"
        };
        let is_entry = |&edge: &usize| {
            matches!(edges.kind(edge), EdgeType::Internal | EdgeType::Hidden | EdgeType::Element)
        };
        let tables = edges.of(node).filter(is_table).map(|edge| edges.target(edge));
        let entries = tables.flat_map(|table| edges.of(table).filter(is_entry));
        entries.map(|edge| edges.target(edge)).filter(|&node| self.is_visible(node)).collect()
    }

    /// References from containers at a place to objects of a class.
    fn held(&self) -> BTreeMap<(Vec<Step>, u32), Held> {
        let edges = self.heap.edges();
        let mut held: BTreeMap<(Vec<Step>, u32), Held> = BTreeMap::new();
        for node in self.heap.nodes().all().filter(|&node| self.is_object(node)) {
            let path = self.paths[node.position()].clone().expect("placed");
            let elements = edges.of(node).filter(|&e| edges.kind(e) == EdgeType::Element);
            let mut targets: Vec<NodeIndex> = elements.map(|e| edges.target(e)).collect();
            if self.is_dictionary(node) {
                targets.extend(self.properties(node));
            }
            targets.retain(|&target| self.is_visible(target));
            targets.extend(self.table_entries(node));
            for target in targets {
                let key = (path.clone(), self.class_of[target.position()]);
                let is_old = self.births[target.position()] == 1;
                held.entry(key).or_default().add(Held { all: 1, old: is_old.into() });
            }
        }
        held
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn nodes_are_folded_as_the_plain_rules_say(plans in prop::collection::vec(plans(), 1..4)) {
        let mut leaks = Leaks::new();
        let mut classes = BTreeMap::new();
        for (snapshot, plan) in (1..).zip(&plans) {
            let heap = plan.build();
            let folded = leaks.add(&heap, 1);
            let nodes = heap.nodes().len();
            let generic = |class: u32| leaks.classes.is_generic(class);
            let of = |id: u64| heap.node_by_id(id as i64).map_or(0, |n| folded.births[n.position()]);
            let deferred = Deferred { exchanged: heap.exchanged(of), ..Deferred::NONE };
            let mut naive = Naive {
                heap: &heap,
                class_of: &folded.class_of,
                births: &folded.births,
                dominators: dominators_with(&heap, deferred, |_, _| (), &mut Vec::new()).by_node(),
                classes: &mut classes,
                paths: vec![None; nodes],
                containers: vec![None; nodes],
                anchors: vec![1; nodes],
                strict: vec![1; nodes],
                is_folded: vec![false; nodes],
                has_births: leaks.lost_ids().is_none(),
                generic: &generic,
            };
            for node in heap.nodes().all() {
                prop_assert_eq!(naive.is_visible(node), folded.kinds.is_visible(node), "{}", node);
                if naive.is_visible(node) {
                    naive.place(node);
                }
            }
            if !naive.has_births {
                naive.anchors.fill(1);
                naive.strict.fill(1);
            }
            let path = |place: u32| {
                let all = std::iter::once(place).chain(leaks.places.above(place));
                let mut path: Vec<Step> = all
                    .filter(|&place| place != ROOT)
                    .map(|place| {
                        let place = leaks.places.get(place);
                        let text = place.label.text(&leaks.texts);
                        let dot = if place.label.is_property() { "." } else { "" };
                        (format!("{dot}{text}"), place.label.is_keyed().then_some(place.class))
                    })
                    .collect();
                path.reverse();
                path
            };
            for node in heap.nodes().all().filter(|&node| folded.kinds.is_visible(node)) {
                let at = node.position();
                prop_assert_eq!(Some(path(folded.folded.places[at])), naive.paths[at].clone());
                let container = Some(folded.folded.containers[at]).filter(|&c| c != NodeIndex::NONE);
                prop_assert_eq!(container, naive.containers[at], "container of {}", node);
                prop_assert_eq!(folded.folded.anchors[at], naive.anchors[at], "age of {}", node);
                prop_assert_eq!(folded.folded.strict[at], naive.strict[at], "own age of {}", node);
            }
            let counts = leaks.counts.last().expect("added");
            let mut found: BTreeMap<Vec<Step>, Count> = BTreeMap::new();
            for (place, count) in (0..).zip(&counts.of) {
                found.insert(path(place), *count);
            }
            let mut expected = naive.counts(snapshot);
            found.retain(|_, count| *count != Count::default());
            expected.retain(|_, count| *count != Count::default());
            prop_assert_eq!(found, expected);
            let held = counts.held.iter().map(|(&(place, class), &held)| ((path(place), class), held));
            prop_assert_eq!(held.collect::<BTreeMap<_, _>>(), naive.held());
        }
    }
}

#[test]
fn labels_do_not_meet() {
    let named = Label::named(3);
    assert!(Label::property(3) != named && Label::property(3).is_property());
    assert!(!named.is_property() && !named.is_keyed() && !Label::WEAK_VALUE.is_property());
    for label in [Label::MEMBER, Label::SHARED, Label::ENGINE] {
        assert!(label.is_keyed() && !label.is_property());
    }
    assert!(!Label::PROTOTYPE.is_keyed() && !Label::PROTOTYPE.is_property());
}
