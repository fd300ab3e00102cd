//! The objects of classes, looked up where an index has them, and looked for among all otherwise.

use super::Subject;
use heapquarry_graph::{ByClass, FieldSum, MemberGroup, NodeIndex, count_fields, highest};
use heapquarry_report::Pattern;

/// The objects of classes.
pub(super) struct Instances<'a> {
    subject: &'a Subject,
    /// In the order of their numbers. Each has objects.
    classes: Vec<u32>,
    found: Found<'a>,
}

enum Found<'a> {
    /// By class.
    Known(&'a ByClass),
    /// In file order.
    Nodes(Vec<NodeIndex>),
}

impl Subject {
    /// The objects of classes of these names, in the file or in the source, in which `*` stands for anything.
    pub(super) fn instances(&self, names: &[String]) -> Instances<'_> {
        let names: Vec<Pattern> = names.iter().map(|name| Pattern::new(name)).collect();
        let is_of = self.is_of_class(|name| names.iter().any(|pattern| pattern.matches(name)));
        let numbers = 0..self.analysis.classes.classes.len() as u32;
        Instances {
            subject: self,
            classes: numbers.filter(|&class| is_of[class as usize]).collect(),
            found: match self.by_class() {
                Some(by_class) => Found::Known(by_class),
                None => {
                    let of = &self.analysis.classes.of;
                    let is_it = |node: &NodeIndex| is_of[of[node.position()] as usize];
                    Found::Nodes(self.nodes().filter(is_it).collect())
                }
            },
        }
    }

    /// Whether the name of each class, in the file or in the source, is meant. The objects of a class that have a place
    /// in the source all have the same one.
    pub(super) fn is_of_class(&self, is_meant: impl Fn(&str) -> bool) -> Vec<bool> {
        let classes = (0..).zip(&self.analysis.classes.classes);
        let examples = self.classes_with_original();
        let original = |class| self.heap.original(*examples.get(&class)?)?.name.as_deref();
        classes
            .map(|(class, known)| is_meant(&known.name) || original(class).is_some_and(&is_meant))
            .collect()
    }
}

impl Instances<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Their classes.
    pub(super) fn classes(&self) -> &[u32] {
        &self.classes
    }

    pub(super) fn count(&self) -> u64 {
        match &self.found {
            Found::Known(known) => self.members(known).map(|nodes| nodes.len() as u64).sum(),
            Found::Nodes(nodes) => nodes.len() as u64,
        }
    }

    /// Their shallow sizes together, in bytes.
    pub(super) fn shallow_size(&self) -> u64 {
        let sum = |sizes: &mut dyn Iterator<Item = u64>| sizes.fold(0, u64::saturating_add);
        match &self.found {
            Found::Known(known) => {
                sum(&mut self.classes.iter().map(|&class| known.members().shallow_size(class)))
            }
            Found::Nodes(nodes) => sum(&mut nodes.iter().map(|&node| self.subject.shallow(node))),
        }
    }

    /// Those that retain so much at least, in file order.
    pub(super) fn retaining(&self, least: u64) -> Vec<NodeIndex> {
        match &self.found {
            Found::Known(known) => {
                let retained = &self.subject.analysis.retained_sizes;
                known.members().retaining(self.classes.iter().copied(), least, retained)
            }
            Found::Nodes(nodes) => {
                let retains_it = |&&node: &&NodeIndex| self.subject.retained(node) >= least;
                nodes.iter().filter(retains_it).copied().collect()
            }
        }
    }

    /// All of them, in file order.
    pub(super) fn nodes(&self) -> Vec<NodeIndex> {
        match &self.found {
            Found::Known(known) => {
                let mut nodes: Vec<NodeIndex> = self.members(known).flatten().copied().collect();
                nodes.sort_unstable();
                nodes
            }
            Found::Nodes(nodes) => nodes.clone(),
        }
    }

    /// Those that retain most, these first, of equal ones the first in the file; at most `most`.
    pub(super) fn largest(&self, most: usize) -> Vec<NodeIndex> {
        match &self.found {
            Found::Known(known) => {
                let retained = &self.subject.analysis.retained_sizes;
                known.members().largest(&self.classes, most, retained)
            }
            Found::Nodes(nodes) => {
                // Rank 0 is none.
                let ranks =
                    nodes.iter().map(|&at| (at, self.subject.retained(at).saturating_add(1)));
                let most = most.min(nodes.len());
                highest(ranks, most).into_iter().map(|(node, _)| node).collect()
            }
        }
    }

    /// Their properties.
    pub(super) fn fields(&self) -> Vec<FieldSum> {
        let known = match &self.found {
            Found::Known(known) => known.fields().of(&self.classes),
            Found::Nodes(_) => None,
        };
        let Subject { heap, analysis, .. } = self.subject;
        known.unwrap_or_else(|| count_fields(heap, &analysis.classes.of, &self.nodes()))
    }

    /// Those that are reached in the same way, if that is known. Each group is of one class.
    pub(super) fn groups(&self) -> Option<impl Iterator<Item = MemberGroup<'_>>> {
        let Found::Known(known) = &self.found else { return None };
        Some(self.classes.iter().flat_map(|&class| known.members().groups(class)))
    }

    /// Whether a node is one of them.
    pub(super) fn has(&self, node: NodeIndex) -> bool {
        let class = self.subject.analysis.classes.of[node.position()];
        self.classes.binary_search(&class).is_ok()
    }

    fn members<'a>(&self, known: &'a ByClass) -> impl Iterator<Item = &'a [NodeIndex]> {
        self.classes.iter().map(|&class| known.members().of(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{OldIds, PREPARED_ROWS};
    use crate::{By, Find, Objects, Session, Show, Why, find::Filter, session::prepare_while_open};
    use heapquarry::{RunOptions, Source};
    use heapquarry_graph::{Classes, EdgeType::*, HeapBuilder};
    use serde_json::{Value, json};
    use std::{collections::HashSet, sync::Arc};

    const OBJECTS: usize = 2000;

    /// An array and a list of objects of two classes, of different sizes, with different properties.
    fn subject() -> Subject {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let global = builder.node("object", "global / ", 8);
        let array = builder.node("object", "Array", 8);
        builder.edge(root, Element, "1", global);
        builder.edge(global, Property, "cache", array);
        let mut last = global;
        for at in 0..OBJECTS {
            let name = if at % 3 == 0 { "Foo" } else { "FooBar" };
            let object = builder.node("object", name, 8 + (at * 7919 % 1000) as u64);
            match at % 2 {
                0 => builder.edge(array, Element, &at.to_string(), object),
                _ => {
                    builder.edge(last, Property, "next", object);
                    last = object;
                }
            };
            builder.edge(object, Property, if at % 5 == 0 { "rare" } else { "x" }, array);
        }
        Subject::of_heap(builder.build(), 1)
    }

    fn answers(subject: &Subject, class: &str, since: bool) -> Vec<Value> {
        let session = Session::new([Source::path("x")], &RunOptions::default());
        let (source, of) = (session.source().unwrap(), Objects::Classes(vec![class.into()]));
        let find = Find::default().class(vec![class.into()]).top(5usize).offset(1usize);
        let (_, found) = subject.find(&session, &find, &Filter::new(&find).unwrap()).unwrap();
        let old = since.then(|| subject.ids_to(OBJECTS as i64));
        vec![
            json!(subject.show(source, &of, &Show::default().top(5usize).offset(1usize)).unwrap()),
            json!(found),
            json!(subject.why(source, &of, old.as_ref(), &Why::default()).unwrap()),
        ]
    }

    impl Subject {
        /// An earlier snapshot that has the objects with ids up to this one.
        fn ids_to(&self, last: i64) -> OldIds {
            let ids = self.nodes().map(|node| self.heap.nodes().id(node));
            let sample = heapquarry_graph::IdSample::new(&self.heap);
            OldIds { name: "y".into(), sorted: ids.filter(|&id| id <= last).collect(), sample }
        }
    }

    #[test]
    fn answers_are_the_same_once_all_is_prepared() {
        let subject = subject();
        let all = || {
            let cases = [("Foo", false), ("Foo*", false), ("Foo*", true), ("*", false)];
            cases.map(|(class, since)| answers(&subject, class, since))
        };
        let before = all();
        while subject.prepare_next() {}
        assert_eq!(all(), before);
    }

    /// Preparation goes part by part, and stops once nobody has the heap.
    #[test]
    fn what_is_prepared_is_made_while_the_heap_is_open() {
        let heap = Arc::new(subject());
        assert!(heap.prepare_next());
        let (bare, to_prepare) = (heap.held(), heap.to_prepare());
        assert!(to_prepare > 0 && heap.announce_preparation());
        assert_eq!((heap.held(), heap.to_prepare()), (bare + to_prepare, 0));
        let weak = Arc::downgrade(&heap);
        assert_eq!(prepare_while_open(&weak), 7);
        assert!(!heap.prepare_next());
        let heap = Arc::new(subject());
        let weak = Arc::downgrade(&heap);
        drop(heap);
        assert_eq!((prepare_while_open(&weak), weak.strong_count()), (0, 0));
    }

    /// Also with more or fewer rows than are prepared.
    #[test]
    fn summaries_are_the_same_once_they_are_kept() {
        let prepared = subject();
        while prepared.prepare_next() {}
        for by in [None, Some(By::Package), Some(By::Script), Some(By::Function)] {
            for rows in [0, 1, PREPARED_ROWS, PREPARED_ROWS + 1] {
                let expected = subject().summary(Some(rows), by);
                assert_eq!(prepared.summary(Some(rows), by), expected, "{by:?} {rows}");
            }
            let whole = subject().summary(None, by);
            assert_eq!(prepared.summary(None, by), whole);
        }
        assert!(prepared.summary(Some(1), None).classes.total > 1);
    }

    /// Of objects that are not listed nothing is looked up: it would be wrong.
    #[test]
    fn objects_that_are_not_listed_are_not_looked_at() {
        let mut subject = subject();
        while subject.prepare_next() {}
        let expected = answers(&subject, "Foo*", false);
        let (members, ways) = (subject.by_class().unwrap().members(), subject.ways(&[]));
        let classes = 0..subject.analysis.classes.classes.len() as u32;
        let mut known = subject.instances(&["Foo*".into()]).largest(8);
        known.extend(classes.flat_map(|class| members.groups(class)).map(|group| group.nodes[0]));
        // With what holds them.
        let steps = known.iter().flat_map(|&node| ways.path(node).steps);
        let known: HashSet<NodeIndex> =
            steps.map(|step| step.node).chain(known.iter().copied()).collect();
        assert!(known.len() < OBJECTS / 10);
        let is_known = |node: NodeIndex| known.contains(&node);
        let of = subject.analysis.classes.of.iter().zip(subject.nodes());
        let of = of.map(|(&class, node)| if is_known(node) { class } else { u32::MAX }).collect();
        let classes = subject.analysis.classes.classes.clone();
        let sizes = subject.analysis.shallow_sizes.iter().zip(subject.nodes());
        let sizes = sizes.map(|(size, node)| if is_known(node) { size } else { 1 << 40 }).collect();
        subject.analysis.classes = Classes { of, classes };
        subject.analysis.shallow_sizes = sizes;
        assert_eq!(answers(&subject, "Foo*", false), expected);
    }
}
