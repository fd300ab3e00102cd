//! The fold as plainly as it can be written, against the one that is fast, on small random heaps.

use super::{
    Leaks,
    counts::Count,
    places::{Label, ROOT},
};
use crate::{EdgeName, EdgeType, Heap, HeapBuilder, NodeIndex, dominators, page_owned};
use proptest::prelude::*;
use std::collections::BTreeMap;

const NODES: [(&str, &str); 14] = [
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
struct Plan {
    nodes: Vec<(usize, u64)>,
    /// From, kind, to; the first of them make a tree.
    edges: Vec<(usize, usize, usize)>,
}

fn plans() -> impl Strategy<Value = Plan> {
    (2..24usize).prop_flat_map(|nodes| {
        let tree = (1..nodes).map(|node| (0..node, 0..10usize, Just(node))).collect::<Vec<_>>();
        let more = prop::collection::vec((0..nodes, 0..EDGES.len(), 0..nodes), 0..nodes);
        let kinds = prop::collection::vec((0..NODES.len(), 0..100u64), nodes);
        (kinds, tree, more).prop_map(|(nodes, mut edges, more)| {
            edges.extend(more);
            Plan { nodes, edges }
        })
    })
}

impl Plan {
    fn build(&self) -> Heap {
        let mut builder = HeapBuilder::new();
        for (at, &(kind, size)) in self.nodes.iter().enumerate() {
            let (kind, name) = if at == 0 { ("synthetic", "") } else { NODES[kind] };
            builder.node(kind, name, size);
        }
        for &(from, kind, to) in &self.edges {
            let (kind, name) = EDGES[kind];
            builder.edge(NodeIndex::at(from), kind, name, NodeIndex::at(to));
        }
        builder.build()
    }
}

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
    is_folded: Vec<bool>,
    generic: &'a dyn Fn(u32) -> bool,
}

impl Naive<'_> {
    fn kind(&self, node: NodeIndex) -> (&str, &str) {
        (self.heap.nodes().type_name(node), self.heap.node_name(node))
    }

    fn is_visible(&self, node: NodeIndex) -> bool {
        match self.kind(node) {
            ("object", _) | ("closure", _) => true,
            ("string" | "concatenated string", _) => true,
            ("native", name) => !name.contains("::"),
            _ => false,
        }
    }

    fn is_engine(&self, node: NodeIndex) -> bool {
        matches!(self.kind(node), ("code", _) | ("hidden", "system / Map"))
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
        if rank == 0 && holder.is_some_and(|holder| self.kind(holder).1 != "system / Context") {
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
            self.is_folded[at] = true;
            return;
        }
        self.containers[at] = holder;
        self.anchors[at] = match holder {
            _ if is_keyed => self.births[at],
            Some(holder) => self.anchors[holder.position()],
            None => 1,
        };
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
                (false, _) if self.is_engine(node) => continue,
                (false, holder) => holder.and_then(|holder| self.paths[holder.position()].clone()),
            };
            let path = path.unwrap_or_default();
            let one_of_many = path.last().is_some_and(|(label, _)| label == "[]" || label == "~");
            let count = counts.entry(path).or_default();
            count.bytes += size;
            if !self.is_visible(node) || self.is_folded[at] && self.is_string(node) && one_of_many {
                continue;
            }
            let age = self.containers[at].map_or(1, |container| self.anchors[container.position()]);
            count.members += 1;
            count.old += u32::from(self.births[at] == 1);
            count.accreted += u32::from(self.births[at] == snapshot && age < snapshot);
        }
        counts
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nodes_are_folded_as_the_plain_rules_say(plans in prop::collection::vec(plans(), 1..4)) {
        let mut leaks = Leaks::new();
        let mut classes = BTreeMap::new();
        for (snapshot, plan) in (1..).zip(&plans) {
            let heap = plan.build();
            let folded = leaks.add(&heap, 1);
            let nodes = heap.nodes().len();
            let generic = |class: u32| leaks.classes.is_generic(class);
            let mut naive = Naive {
                heap: &heap,
                class_of: &folded.class_of,
                births: &folded.births,
                dominators: dominators(&heap, &page_owned(&heap)).by_node(),
                classes: &mut classes,
                paths: vec![None; nodes],
                containers: vec![None; nodes],
                anchors: vec![1; nodes],
                is_folded: vec![false; nodes],
                generic: &generic,
            };
            for node in heap.nodes().all() {
                prop_assert_eq!(naive.is_visible(node), folded.kinds.is_visible(node), "{}", node);
                if naive.is_visible(node) {
                    naive.place(node);
                }
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
            }
            let counts = leaks.counts.last().expect("added");
            let mut found: BTreeMap<Vec<Step>, Count> = BTreeMap::new();
            for (place, count) in (0..).zip(&counts.of) {
                let seen = Count {
                    members: count.members,
                    old: count.old,
                    accreted: count.accreted,
                    bytes: count.bytes,
                    ..Count::default()
                };
                found.insert(path(place), seen);
            }
            let mut expected = naive.counts(snapshot);
            found.retain(|_, count| *count != Count::default());
            expected.retain(|_, count| *count != Count::default());
            prop_assert_eq!(found, expected);
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
