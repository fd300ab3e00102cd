//! What is to be said about a heap.

mod allocations;
pub mod diff;
pub mod explore;
mod facts;
mod find;
mod holders;
mod instances;
mod joined;
pub mod leaks;
mod lost_ids;
mod off_heap;
pub mod owners;
mod page;
pub mod show;
pub mod summary;
mod tables;
pub mod why;

pub(crate) use facts::{STARTER, VOCABULARY};
pub use holders::{AccumulationPoint, HoldersAnswer};
pub use off_heap::{OffHeapMemory, OffHeapOwner};
pub(crate) use page::page;

use super::refuse_incomparable;
use crate::{
    By, Objects,
    answer::{Caveat, CaveatKind, Distance, NodeId, Original},
    kept::Kept,
};
use allocations::Allocations;
use facts::DetachedNodes;
use heapquarry::{
    Code, Entry, LoadedHeap, Result, RunOptions, Source, Status,
    engine::{
        Locate, Located, Purpose, kept_analysis, load_located, taken, taken_by_ready,
        taken_by_summaries,
    },
    load_heap,
};
use heapquarry_formats::Format;
use heapquarry_graph::{
    Analysis, ByClass, ClassNames, EqualStrings, Heap, IdSample, Interface, KnownSources,
    NodeIndex, Ready, Realms, Retainers, Sources, Texts, Ways, analyze, analyze_attributed,
    analyze_like,
};
use heapquarry_process::Sample;
use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use summary::HeapSummary;

/// Most rows of each list of a prepared summary. What 64 owners retain takes one walk through the heap, so 128 take
/// two.
pub const PREPARED_ROWS: usize = 128;
/// Summaries that stay with a heap.
const SUMMARIES: usize = 8;

/// A heap that has been read and analysed.
pub(crate) struct Subject {
    pub(super) heap: Heap,
    pub(super) analysis: Analysis,
    /// What is to be said of how it was read: nothing if it was whole.
    pub(crate) note: Option<Caveat>,
    /// What is to be said of source maps.
    map_notes: Vec<Caveat>,
    /// An object of each class that a source map knows, as soon as one is asked for.
    examples: OnceLock<HashMap<u32, NodeIndex>>,
    /// What belongs to no document, as soon as it is asked for.
    detached_nodes: OnceLock<DetachedNodes>,
    /// Scripts and functions, as soon as something is named.
    sources: OnceLock<Arc<KnownSources>>,
    /// What questions about single objects need, once it is prepared. An index has it.
    ready: OnceLock<Ready>,
    /// What questions about whole classes need, once it is prepared. An index has it.
    by_class: OnceLock<ByClass>,
    /// Whether preparation was announced: from then on [`held`](Self::held) counts all of it.
    is_prepared: AtomicBool,
    /// The texts of its strings, as soon as all are needed, or once they are prepared.
    texts: OnceLock<Texts>,
    /// Which strings have one text, as soon as they are asked for, or once they are prepared.
    equal_strings: OnceLock<EqualStrings>,
    /// The names of the objects of each class, once they are prepared.
    class_names: OnceLock<ClassNames>,
    /// Summaries that were asked for, or prepared.
    summaries: Kept<(Option<By>, usize), HeapSummary>,
    /// Everything unusual.
    log: Vec<Entry>,
    /// Whether its end is missing.
    is_partial: bool,
    /// Whether it is a timeline, which may have stacks of allocations.
    is_timeline: bool,
    /// The memory of its process when it was taken, if that is stored.
    pub(crate) process: Option<Arc<Sample>>,
    threads: usize,
}

impl Subject {
    /// What is odd about an object whose id others have too, in a damaged file.
    pub(super) fn shared_id(&self, source: &Source, of: &Objects) -> Option<Caveat> {
        let is_shared = |entry: &Entry| entry.code == Code::DuplicateId;
        let Objects::Id(id) = of else { return None };
        if !self.log.iter().any(is_shared) {
            return None;
        }
        let nodes = self.heap.nodes();
        let count = nodes.all().filter(|&node| nodes.id(node) == *id).count();
        let text = format!("{count} nodes have the id {id}: this is the first one");
        (count > 1).then(|| Caveat::of_values(source, text))
    }

    /// A heap whose index is kept, with the attribution of its nodes; `None` if there is none. Its plain objects are
    /// named by these interfaces, if any are given: those of a heap that it is to be compared with.
    pub(crate) fn indexed(
        source: &Source,
        interfaces: Option<&[Interface]>,
        options: &RunOptions,
    ) -> Result<Option<Self>> {
        let options = &options.purpose(Purpose::Questions);
        let Some((loaded, analysis)) = kept_analysis(source, options)? else { return Ok(None) };
        let threads = options.thread_count();
        let analysis = match interfaces {
            Some(interfaces) => analysis.like(&loaded.heap, interfaces, threads),
            None => analysis,
        };
        let process = source.process_memory(options)?;
        Ok(Some(Subject { process, ..Self::of(source, loaded, analysis, threads) }))
    }

    /// A heap, from its index or else read and analysed. Its plain objects are named by these interfaces, if any are
    /// given: those of a heap that it is to be compared with.
    pub(crate) fn open(
        source: &Source,
        located: Located,
        interfaces: Option<&[Interface]>,
        options: &RunOptions,
    ) -> Result<Self> {
        match Self::indexed(source, interfaces, options)? {
            Some(kept) => Ok(kept),
            None => Self::read(source, located, interfaces, options),
        }
    }

    /// Reads and analyses a heap, with names as [`open`](Self::open) gives them.
    pub(crate) fn read(
        source: &Source,
        located: Located,
        interfaces: Option<&[Interface]>,
        options: &RunOptions,
    ) -> Result<Self> {
        if interfaces.is_some() {
            refuse_incomparable(source, located.format(), Format::Heap)?;
        }
        Self::analyzed(source, located, options, |heap, threads| match interfaces {
            Some(interfaces) => analyze_like(heap, interfaces, threads),
            None => analyze(heap, threads),
        })
    }

    /// Reads a heap that is to be compared with this one, beside it in memory.
    pub(crate) fn open_like(
        &self,
        source: &Source,
        located: Located,
        options: &RunOptions,
    ) -> Result<Self> {
        let interfaces = &self.analysis.interfaces;
        Self::open(source, located, Some(interfaces), &self.beside(options))
    }

    /// Reads and analyses a heap, with the attribution of its nodes.
    pub(crate) fn read_attributed(
        source: &Source,
        located: Located,
        options: &RunOptions,
    ) -> Result<Self> {
        // A summary has nothing to say of the only native context.
        Self::analyzed(source, located, options, |heap, threads| {
            analyze_attributed(heap, Realms::OfSeveral, threads)
        })
    }

    fn analyzed(
        source: &Source,
        located: Located,
        options: &RunOptions,
        analyze: impl FnOnce(&Heap, usize) -> Analysis,
    ) -> Result<Self> {
        // It is short, and what is wrong with it should not be told only after the analysis.
        let process = source.process_memory(options)?;
        let loaded = load_located(&located, &options.purpose(Purpose::Questions))?;
        let threads = options.thread_count();
        let analysis = analyze(&loaded.heap, threads);
        Ok(Subject { process, ..Self::of(source, loaded, analysis, threads) })
    }

    /// A heap of a test.
    #[cfg(test)]
    fn of_heap(heap: Heap, threads: usize) -> Self {
        let analysis = analyze(&heap, threads);
        let loaded = LoadedHeap {
            path: "x".into(),
            name: "x".into(),
            format: "heapsnapshot".into(),
            producer: None,
            status: heapquarry::Status::Complete,
            log: Vec::new(),
            heap,
            source_map_notes: Vec::new(),
        };
        Self::of(&Source::path("x"), loaded, analysis, threads)
    }

    fn of(source: &Source, loaded: LoadedHeap, analysis: Analysis, threads: usize) -> Self {
        let LoadedHeap { heap, format, status, log, source_map_notes, .. } = loaded;
        Subject {
            heap,
            analysis,
            note: Caveat::of_defects(source, status, &log),
            map_notes: Caveat::of_source_maps(source, source_map_notes),
            examples: OnceLock::new(),
            detached_nodes: OnceLock::new(),
            sources: OnceLock::new(),
            ready: OnceLock::new(),
            by_class: OnceLock::new(),
            is_prepared: AtomicBool::new(false),
            texts: OnceLock::new(),
            equal_strings: OnceLock::new(),
            class_names: OnceLock::new(),
            summaries: Kept::new(SUMMARIES),
            log,
            is_partial: status == Status::Truncated,
            is_timeline: format == "heaptimeline",
            process: None,
            threads,
        }
    }

    /// Options to read another input with, beside this one in memory.
    fn beside(&self, options: &RunOptions) -> RunOptions {
        options.beside(taken(&self.heap))
    }

    /// What is to be said of how it was read, and of source maps.
    pub(crate) fn caveats(&self) -> impl Iterator<Item = &Caveat> {
        self.note.iter().chain(&self.map_notes)
    }

    /// What a source map tells of a function, or of the class of an object.
    fn original(&self, node: NodeIndex) -> Option<Original> {
        Original::of(self.heap.original(node))
    }

    fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeIndex> + Clone + use<> {
        self.heap.nodes().all()
    }

    fn shallow(&self, node: NodeIndex) -> u64 {
        self.analysis.shallow_sizes.get(node.position())
    }

    /// 0 for the root of a heap without nodes: a document can be cut before its first one.
    fn retained(&self, node: NodeIndex) -> u64 {
        self.analysis.retained_sizes.known(node.position()).unwrap_or(0)
    }

    /// What questions about single objects need, if it is at hand. They look for it in the whole heap otherwise, which
    /// is quick for one object.
    fn ready(&self) -> Option<&Ready> {
        self.heap.ready().or_else(|| self.ready.get())
    }

    /// Makes it, for many objects: without the ways to them.
    fn prepare(&self) -> &Ready {
        let make = || Ready::turned(&self.heap, &self.analysis);
        self.heap.ready().unwrap_or_else(|| self.ready.get_or_init(make))
    }

    /// Makes the next part of what many questions need, if any is left: what an index has, and summaries. All of it
    /// takes about as long as an analysis. Questions that are asked meanwhile do not wait for it. Returns `false` once
    /// nothing is left.
    pub(crate) fn prepare_next(&self) -> bool {
        let Some(ready) = self.ready() else {
            self.prepare();
            return true;
        };
        if !ready.has_ways() {
            ready.find_ways(&self.heap, self.threads);
        } else if self.by_class().is_none() {
            let make = || ByClass::new(&self.heap, &self.analysis, ready, self.threads);
            self.by_class.get_or_init(make);
        } else if self.texts.get().is_none() {
            self.texts();
        } else if self.equal_strings.get().is_none() {
            self.equal_strings();
        } else if self.class_names.get().is_none() {
            self.class_names.get_or_init(|| ClassNames::new(&self.heap, &self.analysis.classes));
        } else {
            return self.prepare_summaries(PREPARED_ROWS);
        }
        true
    }

    /// The texts of its strings.
    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::new(&self.heap))
    }

    /// What questions about whole classes need, if it is at hand.
    fn by_class(&self) -> Option<&ByClass> {
        self.analysis.by_class.as_ref().or_else(|| self.by_class.get())
    }

    /// Bytes that it takes in memory, about.
    pub(crate) fn held(&self) -> u64 {
        let is_prepared = self.is_prepared.load(Ordering::Relaxed);
        taken(&self.heap).saturating_add(if is_prepared { self.taken_once_prepared() } else { 0 })
    }

    /// Bytes that all that is prepared takes, about. What an index has is in the mapped file, and takes no memory of
    /// its own.
    fn taken_once_prepared(&self) -> u64 {
        let has_index = self.heap.ready().is_some() && self.analysis.by_class.is_some();
        let ready = if has_index { 0 } else { taken_by_ready(&self.heap) };
        ready.saturating_add(taken_by_summaries(&self.heap))
    }

    /// Counts it from now on as what it takes once all is prepared. Returns `false` if that was announced before.
    pub(crate) fn announce_preparation(&self) -> bool {
        !self.is_prepared.swap(true, Ordering::Relaxed)
    }

    /// Bytes that [preparing all](Self::prepare_next) will take besides, about; 0 once it is announced.
    pub(crate) fn to_prepare(&self) -> u64 {
        match self.is_prepared.load(Ordering::Relaxed) {
            true => 0,
            false => self.taken_once_prepared(),
        }
    }

    /// The names of functions and scripts.
    fn sources(&self) -> Sources<'_> {
        let known = self.sources.get_or_init(|| KnownSources::new(&self.heap).into());
        Sources::known(&self.heap, known.clone()).with_threads(self.threads)
    }

    /// The ways to these nodes, or to all if those are known.
    fn ways(&self, nodes: &[NodeIndex]) -> Ways<'_> {
        let known = self.ready().and_then(|ready| Ways::known(&self.heap, ready));
        known.unwrap_or_else(|| Ways::new(&self.heap, nodes, self.threads))
    }

    /// The references to an object, in file order.
    fn retaining(&self, node: NodeIndex) -> Vec<usize> {
        let edges = self.heap.edges();
        match self.ready() {
            Some(ready) => ready.retainers().of(node).collect(),
            None => (0..edges.len()).filter(|&edge| edges.target(edge) == node).collect(),
        }
    }

    /// The references to all objects.
    fn all_retainers(&self) -> Retainers {
        match self.ready() {
            Some(ready) => ready.retainers().clone(),
            None => Retainers::new(&self.heap),
        }
    }

    /// The stacks that its objects were allocated with, if it is a timeline that has some. What came through a pipe is
    /// gone, unless it was kept.
    fn allocations(&self, source: &Source, options: &RunOptions) -> Result<Option<Allocations>> {
        match self.is_timeline && (source.is_repeatable() || source.is_directory()) {
            true => Allocations::read(source, &self.heap, options),
            false => Ok(None),
        }
    }

    /// Whether it knows what keeps its nodes alive, and to which native contexts they belong.
    pub(crate) fn is_attributed(&self) -> bool {
        self.analysis.attribution.is_some()
    }

    fn class_of(&self, node: NodeIndex) -> String {
        self.analysis.classes.class(node).name.to_string()
    }

    fn node_id(&self, node: NodeIndex) -> NodeId {
        NodeId(self.heap.nodes().id(node))
    }

    fn distance(&self, node: NodeIndex) -> Distance {
        Distance(self.analysis.distances[node.position()])
    }

    /// Whether a node is something that a program made: not the engine's own, no code, no grouping node.
    fn is_of_the_program(&self, node: NodeIndex) -> bool {
        self.heap.nodes().kind(node).is_of_the_program()
    }
}

/// The ids of a heap's objects, sorted.
pub(crate) fn ids(source: &Source, options: &RunOptions) -> Result<OldIds> {
    let LoadedHeap { heap, .. } = load_heap(source, options)?;
    let nodes = heap.nodes();
    let mut sorted: Vec<i64> = nodes.all().map(|node| nodes.id(node)).collect();
    sorted.sort_unstable();
    Ok(OldIds { name: source.to_string(), sorted, sample: IdSample::new(&heap) })
}

/// The ids of an earlier snapshot.
pub(super) struct OldIds {
    name: String,
    sorted: Vec<i64>,
    sample: IdSample,
}

impl OldIds {
    /// These, if they are the ids of the same objects in another snapshot. Otherwise objects that were there would
    /// count as new, or new ones as old: the caveat says why.
    pub(super) fn comparable(self, other: &Source, heap: &Heap) -> Result<Self, Caveat> {
        let Some(lost) = self.sample.lost_in(heap) else { return Ok(self) };
        let cause = lost_ids::cause(&self.name, &other.to_string(), &lost);
        let text = format!(
            "{cause}. So it is not known which objects are new, and all are listed; `leaks` compares how many there are \
             at each place"
        );
        Err(Caveat { kind: CaveatKind::Mismatch, input: None, text })
    }

    /// Whether an object was there.
    pub(super) fn has(&self, id: i64) -> bool {
        self.sorted.binary_search(&id).is_ok()
    }
}
