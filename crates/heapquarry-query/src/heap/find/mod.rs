//! Finds objects and strings of a heap.

mod candidates;
mod strings;
mod tally;

use super::{OldIds, Subject, ids, instances::Instances, show::Shown};
use crate::{
    Session,
    answer::{Bytes, Caveat, List},
    find::{Filter, Find, FindAnswer, FindOrder, FoundObject, FoundObjects},
    heap::show::Target,
};
use heapquarry::Result;
use heapquarry_graph::{Bits, Fit, NodeIndex, NodeType, Path, StringIndex, Ways, search_texts};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use strings::unsearched;
use tally::Tally;

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
            if let Some(tally) = self.tally_by_names(asked, filter, &is_wanted) {
                return Ok((caveats, FindAnswer::Objects(self.objects(tally, asked))));
            }
            let tally = match self.candidates(asked, instances.as_ref()) {
                Some(nodes) => self.tally(nodes.len(), |at| nodes[at], asked, is_wanted),
                None => self.tally(self.heap.nodes().len(), NodeIndex::at, asked, is_wanted),
            };
            return Ok((caveats, FindAnswer::Objects(self.objects(tally, asked))));
        }
        let is_other = self.wanted(asked, filter, old.as_ref());
        let is_wanted = |node: NodeIndex| {
            is_other(node) && instances.as_ref().is_none_or(|instances| instances.has(node))
        };
        let has_text = |text: &str| filter.has_text(text);
        if asked.strings {
            // They may need the texts, which a search takes if they are at hand.
            self.equal_strings();
        }
        let search = || search_texts(&self.heap, &self.texts, self.threads, has_text);
        let found = if filter.is_of_text() { search() } else { Vec::new() };
        let mut unknown = 0;
        let found = self.heap.pass(&found).filter(|(node, _)| is_wanted(*node));
        let found = found.filter(|(_, fit)| {
            unknown += u64::from(*fit == Fit::Unknown);
            *fit == Fit::Yes
        });
        let answer = match asked.strings {
            true if filter.is_of_text() => {
                let mut fitting = Bits::new(self.heap.nodes().len());
                found.for_each(|(node, _)| fitting.set(*node));
                FindAnswer::Strings(self.strings(|node| fitting.get(node), asked))
            }
            true => FindAnswer::Strings(self.strings(is_wanted, asked)),
            false => {
                let mut tally = Tally::new(asked.offset.saturating_add(asked.top));
                found.for_each(|(node, _)| {
                    tally.add(*node, self.shallow(*node), self.rank(asked.sort, *node));
                });
                FindAnswer::Objects(self.objects(tally, asked))
            }
        };
        caveats.extend(unsearched(source, unknown));
        Ok((caveats, answer))
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

    fn objects(&self, tally: Tally, asked: &Find) -> FoundObjects {
        let (total, size) = (tally.count, tally.size);
        self.found(total, size, &tally.rows(asked.offset), asked)
    }

    /// The rows of a page of so many objects.
    fn found(&self, total: u64, size: u64, rows: &[NodeIndex], asked: &Find) -> FoundObjects {
        let owners = Owners::new(self, rows);
        let row = |&node: &NodeIndex| {
            let (way, owner) = owners.of(node);
            FoundObject { object: owners.shown.instance(node), way, owner }
        };
        let rows = self.heap.scattered(rows).map(row).collect();
        FoundObjects {
            shallow_size: Bytes(size),
            objects: List { total, offset: asked.offset as u64, rows },
            by_own: asked.sort == FindOrder::Own,
        }
    }
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

#[cfg(test)]
mod tests;
