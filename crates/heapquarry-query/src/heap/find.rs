//! Finds objects and strings of a heap.

use super::{OldIds, Subject, ids, instances::Instances, show::Shown};
use crate::{
    Session,
    answer::{Bytes, Caveat, List},
    find::{
        Filter, Find, FindAnswer, FindOrder, FoundObject, FoundObjects, FoundString, FoundStrings,
    },
    heap::show::Target,
};
use heapquarry::{Result, Source};
use heapquarry_graph::{NodeIndex, NodeType, Path, StringIndex, Texts, Ways, ranges};
use std::{
    cmp::Reverse,
    ops::Range,
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

impl Subject {
    /// What is asked for, with caveats.
    pub(crate) fn find(
        &self,
        session: &Session,
        asked: &Find,
        filter: &Filter,
    ) -> Result<(Vec<Caveat>, FindAnswer)> {
        let source = session.source()?;
        let mut caveats: Vec<Caveat> = self.caveats().cloned().collect();
        let base = asked.new_since.as_ref();
        let old = base.map(|base| ids(base, &self.beside(session.options()))).transpose()?;
        let old = match old.map(|old| old.comparable(source, &self.heap)).transpose() {
            Ok(old) => old,
            Err(lost) => {
                caveats.push(lost);
                None
            }
        };
        let instances = (!asked.class.is_empty()).then(|| self.instances(&asked.class));
        if !asked.strings && !filter.is_of_text() {
            if let Some(instances) = instances.as_ref().filter(|_| asked.is_of_class_alone()) {
                return Ok((caveats, FindAnswer::Objects(self.largest(instances, asked))));
            }
            let is_wanted = self.wanted(asked, filter, old.as_ref());
            let found = match &instances {
                Some(instances) => {
                    instances.nodes().into_iter().filter(|&n| is_wanted(n)).collect()
                }
                None => self.all_wanted(&is_wanted),
            };
            return Ok((caveats, FindAnswer::Objects(self.objects(found, asked))));
        }
        let is_other = self.wanted(asked, filter, old.as_ref());
        let is_wanted = |node: NodeIndex| {
            is_other(node) && instances.as_ref().is_none_or(|instances| instances.has(node))
        };
        let texts = self.texts();
        let fitting = filter
            .is_of_text()
            .then(|| texts.fitting(&self.heap, self.threads, |text| filter.has_text(text)));
        let mut found: Vec<(NodeIndex, u32)> = Vec::new();
        let mut unknown = 0u64;
        for &(node, text) in texts.strings().iter().filter(|(node, _)| is_wanted(*node)) {
            match fitting.as_ref().is_none_or(|fitting| fitting[text as usize]) {
                true => found.push((node, text)),
                false => unknown += u64::from(!texts.is_whole(text)),
            }
        }
        caveats.extend((unknown > 0).then(|| unsearched(source, unknown)));
        Ok((
            caveats,
            match asked.strings {
                true => FindAnswer::Strings(self.strings(texts, found, asked)),
                false => {
                    let found = found.into_iter().map(|(node, _)| node).collect();
                    FindAnswer::Objects(self.objects(found, asked))
                }
            },
        ))
    }

    /// Which nodes fit all that is asked for but their texts and their classes.
    fn wanted<'a>(
        &'a self,
        asked: &'a Find,
        filter: &'a Filter,
        old: Option<&'a OldIds>,
    ) -> impl Fn(NodeIndex) -> bool + Sync + 'a {
        let is_called = filter.is_of_names().then(|| self.is_called(filter));
        let mut ids = asked.node.clone();
        ids.sort_unstable();
        let is_any = !asked.class.is_empty() || is_called.is_some() || !ids.is_empty();
        let min = asked.min_size.unwrap_or(0);
        move |node| {
            let id = || self.heap.nodes().id(node);
            // What costs least comes first.
            (is_any || self.is_of_the_program(node))
                && (min == 0 || self.rank(asked.sort, node) >= min || asked.strings)
                && is_called.as_ref().is_none_or(|is_it| is_it(node))
                && (ids.is_empty() || ids.binary_search(&id()).is_ok())
                && asked.detached.is_none_or(|is| self.is_detached(node) == is)
                && old.is_none_or(|old| !old.has(id()))
        }
    }

    /// All nodes that are wanted, in file order.
    fn all_wanted(&self, is_wanted: &(impl Fn(NodeIndex) -> bool + Sync)) -> Vec<NodeIndex> {
        let wanted = |nodes: Range<usize>| -> Vec<NodeIndex> {
            nodes.map(NodeIndex::at).filter(|&node| is_wanted(node)).collect()
        };
        ranges(self.heap.nodes().len(), self.threads, wanted).concat()
    }

    /// Whether a node has a name, or the name of a class, that is looked for. Names are in the file or in the source.
    fn is_called<'a>(&'a self, filter: &'a Filter) -> impl Fn(NodeIndex) -> bool + Sync + 'a {
        let is_of_class = self.is_of_class(|name| filter.has_name(name));
        let classes = &self.analysis.classes.of;
        let (nodes, strings) = (self.heap.nodes(), self.heap.strings());
        // Many nodes have the same name. 0: not asked yet, 1: does not fit, 2: fits.
        let known: Vec<AtomicU8> = (0..strings.len()).map(|_| AtomicU8::new(0)).collect();
        let fits = move |name: StringIndex| {
            let Some(known) = known.get(name.position()) else { return false };
            if known.load(Relaxed) == 0 {
                let fits = strings.with(name, |text| filter.has_name(text));
                known.store(1 + u8::from(fits), Relaxed);
            }
            known.load(Relaxed) == 2
        };
        move |node| {
            let original = || self.heap.original(node)?.name.as_deref();
            fits(nodes.name_id(node))
                || is_of_class[classes[node.position()] as usize]
                || original().is_some_and(|name| filter.has_name(name))
        }
    }

    /// What nodes are sorted by.
    fn rank(&self, order: FindOrder, node: NodeIndex) -> u64 {
        match order {
            FindOrder::Retained => self.retained(node),
            FindOrder::Own => self.shallow(node),
        }
    }

    /// All objects of classes, by what they retain.
    fn largest(&self, instances: &Instances<'_>, asked: &Find) -> FoundObjects {
        let mut rows = instances.largest(asked.offset.saturating_add(asked.top));
        rows.drain(..asked.offset.min(rows.len()));
        self.found(instances.count(), instances.shallow_size(), &rows, asked)
    }

    fn objects(&self, found: Vec<NodeIndex>, asked: &Find) -> FoundObjects {
        let size = found.iter().fold(0u64, |sum, &node| sum.saturating_add(self.shallow(node)));
        let total = found.len() as u64;
        let rank = |&node: &NodeIndex| (Reverse(self.rank(asked.sort, node)), node);
        self.found(total, size, &page(found, asked, rank), asked)
    }

    /// The rows of a page of so many objects.
    fn found(&self, total: u64, size: u64, rows: &[NodeIndex], asked: &Find) -> FoundObjects {
        let owners = Owners::new(self, rows);
        let row = |&node: &NodeIndex| {
            let (way, owner) = owners.of(node);
            FoundObject { object: owners.shown.instance(node), way, owner }
        };
        let rows = rows.iter().map(row).collect();
        FoundObjects {
            shallow_size: Bytes(size),
            objects: List { total, offset: asked.offset as u64, rows },
            by_own: asked.sort == FindOrder::Own,
        }
    }

    /// Strings of equal texts are one.
    fn strings(&self, texts: &Texts, found: Vec<(NodeIndex, u32)>, asked: &Find) -> FoundStrings {
        let key = |(node, text): (NodeIndex, u32)| {
            (text, texts.difference(text, node, self.shallow(node)), node)
        };
        let mut keys: Vec<_> = found.into_iter().map(key).collect();
        keys.sort_unstable();
        let equal = keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        let mut folded: Vec<Equal> = equal.map(|nodes| self.folded(nodes)).collect();
        folded.retain(|equal| equal.rank(asked.sort) >= asked.min_size.unwrap_or(0));
        let size = folded.iter().fold(0u64, |sum, equal| sum.saturating_add(equal.shallow));
        let total = folded.len() as u64;
        let rows = page(folded, asked, |equal| (Reverse(equal.rank(asked.sort)), equal.largest));
        let nodes: Vec<NodeIndex> = rows.iter().map(|equal| equal.largest).collect();
        let owners = Owners::new(self, &nodes);
        let row = |equal: &Equal| {
            let (way, owner) = owners.of(equal.largest);
            FoundString {
                string: texts.get(&self.heap, equal.text).into(),
                is_whole: texts.is_whole(equal.text),
                count: equal.count,
                shallow_size: Bytes(equal.shallow),
                retained_size: Bytes(equal.retained),
                id: self.node_id(equal.largest),
                way,
                owner,
            }
        };
        let rows = rows.iter().map(row).collect();
        FoundStrings {
            shallow_size: Bytes(size),
            strings: List { total, offset: asked.offset as u64, rows },
            by_own: asked.sort == FindOrder::Own,
        }
    }

    fn folded(&self, nodes: &[(u32, u64, NodeIndex)]) -> Equal {
        let mut equal = Equal { text: nodes[0].0, largest: nodes[0].2, ..Equal::default() };
        for &(.., node) in nodes {
            equal.count += 1;
            equal.shallow = equal.shallow.saturating_add(self.shallow(node));
            equal.retained = equal.retained.saturating_add(self.retained(node));
            if self.retained(node) > self.retained(equal.largest) {
                equal.largest = node;
            }
        }
        equal
    }
}

/// Strings of one text. None keeps another one alive: their parts are shorter.
#[derive(Clone, Copy, Default)]
struct Equal {
    text: u32,
    count: u64,
    shallow: u64,
    retained: u64,
    /// The one that retains most.
    largest: NodeIndex,
}

impl Equal {
    fn rank(&self, order: FindOrder) -> u64 {
        match order {
            FindOrder::Retained => self.retained,
            FindOrder::Own => self.shallow,
        }
    }
}

/// The rows of a page. Those after it are not sorted.
fn page<T, K: Ord>(mut all: Vec<T>, asked: &Find, rank: impl Fn(&T) -> K) -> Vec<T> {
    let end = asked.offset.saturating_add(asked.top);
    if end < all.len() {
        all.select_nth_unstable_by_key(end, &rank);
        all.truncate(end);
    }
    all.sort_unstable_by_key(&rank);
    all.drain(..asked.offset.min(all.len()));
    all
}

/// Who has nodes.
struct Owners<'a> {
    subject: &'a Subject,
    shown: Shown<'a>,
    /// None where there is no node.
    ways: Option<Ways<'a>>,
}

impl<'a> Owners<'a> {
    fn new(subject: &'a Subject, nodes: &[NodeIndex]) -> Self {
        let ways = || subject.ways(nodes);
        let shown = Shown::new(subject, 0, usize::MAX);
        Owners { subject, shown, ways: (!nodes.is_empty()).then(ways) }
    }

    /// The path to a node in words, and the nearest object of the program on it.
    fn of(&self, node: NodeIndex) -> (String, Option<Target>) {
        let Some(ways) = &self.ways else { return Default::default() };
        let path: Path = ways.path(node);
        let states = &self.subject.analysis.detachedness;
        let nodes = self.subject.heap.nodes();
        let has = |node: NodeIndex| {
            let is_storage = matches!(
                nodes.kind(node),
                NodeType::Array | NodeType::String | NodeType::ConsString | NodeType::SlicedString
            );
            nodes.kind(node).is_of_the_program() && !is_storage
        };
        let owner = path.steps.iter().map(|step| step.node).find(|&node| has(node));
        let way = ways.text(&path, self.shown.sources(), states);
        (way, owner.map(|owner| self.shown.target(owner)))
    }
}

/// The caveat of strings that do not fit as far as the file has them.
fn unsearched(source: &Source, count: u64) -> Caveat {
    let text = match count {
        1 => "the file does not have all of the text of 1 string, which may fit too".into(),
        _ => {
            format!("the file does not have all of the text of {count} strings, which may fit too")
        }
    };
    Caveat::of_values(source, text + " (V8 writes 1,024 characters of a string)")
}
