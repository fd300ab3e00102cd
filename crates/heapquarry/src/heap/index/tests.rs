//! Damaged and forged indices.

use super::*;
use crate::Progress;
use file::MAGIC;
use heapquarry_graph::{
    self as graph, Dominated, Leaks, List, ListSink, NodeIndex, Realms, Retainers, Sources,
    TopDominators, Ways,
};
use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

/// Keeps what is remarked.
#[derive(Default)]
struct Remarks(Mutex<Vec<String>>);

impl Progress for Remarks {
    fn remark(&self, what: &str) {
        self.0.lock().unwrap().push(what.into());
    }
}

/// Indices of which nothing is remembered.
struct Unconfirmed;

impl Indices for Unconfirmed {
    fn find(&self, _: &Source, _: &RunOptions) -> Option<KeptIndex> {
        None
    }
}

/// An index of a heap that has all lists.
struct Made {
    _dir: tempfile::TempDir,
    source: Source,
    path: PathBuf,
    loaded: LoadedHeap,
    analysis: Analysis,
}

impl Made {
    fn new(name: &str) -> Self {
        let run = RunOptions::default().threads(1);
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let source = Source::path(corpus.join(name));
        let loaded = load_located(&source.locate(&run).unwrap(), &run).unwrap();
        let analysis = graph::analyze_attributed(&loaded.heap, Realms::All, 1);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        write(&path, &loaded, &analysis, &run).unwrap();
        Made { _dir: dir, source, path, loaded, analysis }
    }

    fn kept(&self, is_confirmed: bool) -> KeptIndex {
        KeptIndex { path: self.path.clone(), is_confirmed, held: Box::new(()) }
    }

    /// Reads the file, and what was remarked.
    fn read(&self, is_confirmed: bool) -> (Option<(LoadedHeap, Analysis)>, Vec<String>) {
        let remarks = Arc::new(Remarks::default());
        let run = RunOptions::default().threads(1).progress(remarks.clone());
        let found = analysis(&Unconfirmed, self.kept(is_confirmed), &self.source, &run).unwrap();
        let remarks = remarks.0.lock().unwrap().clone();
        (found, remarks)
    }
}

/// Takes lists as they come.
#[derive(Default)]
struct Taken(Vec<(&'static str, List)>);

impl ListSink for Taken {
    type Error = std::convert::Infallible;

    fn bytes(
        &mut self,
        name: &'static str,
        values: impl Iterator<Item = u8>,
    ) -> Result<(), Self::Error> {
        self.0.push((name, List::Bytes(values.collect())));
        Ok(())
    }

    fn words(
        &mut self,
        name: &'static str,
        values: impl Iterator<Item = u32>,
    ) -> Result<(), Self::Error> {
        self.0.push((name, List::Words(values.collect())));
        Ok(())
    }

    fn longs(
        &mut self,
        name: &'static str,
        values: impl Iterator<Item = u64>,
    ) -> Result<(), Self::Error> {
        self.0.push((name, List::Longs(values.collect())));
        Ok(())
    }
}

fn lists(heap: &Heap, analysis: &Analysis) -> Vec<(&'static str, List)> {
    let mut taken = Taken::default();
    let Ok(()) = heap.put_lists(&mut taken);
    let Ok(()) = analysis.put_lists(&mut taken);
    taken.0
}

#[test]
fn what_is_read_is_what_was_written() {
    for name in ["handmade/v8-timeline.heaptimeline", "handmade/ark-7.0.heapsnapshot"] {
        let made = Made::new(name);
        let expected = lists(&made.loaded.heap, &made.analysis);
        let about = |loaded: &LoadedHeap| {
            let LoadedHeap { name, format, producer, status, log, .. } = loaded;
            (name.clone(), format.clone(), producer.clone(), *status, log.clone())
        };
        for is_confirmed in [false, true] {
            let (found, remarks) = made.read(is_confirmed);
            assert_eq!(remarks, [""; 0]);
            let (loaded, analysis) = found.unwrap();
            assert_eq!(lists(&loaded.heap, &analysis), expected);
            assert_eq!(about(&loaded), about(&made.loaded));
            assert_eq!(loaded.heap.ready().is_some(), is_confirmed);
        }
    }
}

/// What is looked up is what a search for each node alone finds.
#[test]
fn what_is_ready_is_what_would_be_found() {
    for name in ["handmade/v8-timeline.heaptimeline", "handmade/v8-2026-scopes.heapsnapshot"] {
        let made = Made::new(name);
        let (mapped, _) = made.read(true).0.unwrap();
        let (heap, ready) = (&made.loaded.heap, mapped.heap.ready().unwrap());
        let (retainers, dominated) =
            (Retainers::new(heap), Dominated::new(&made.analysis.dominators));
        let all: Vec<NodeIndex> = heap.nodes().all().collect();
        let known = Ways::new(&mapped.heap, &[], 1);
        let of = &made.analysis.classes.of;
        assert_eq!(known.groups(&all, of), Ways::new(heap, &all, 1).groups(&all, of));
        for &node in &all {
            let edges: Vec<usize> = retainers.of(node).collect();
            assert_eq!(ready.retainers().of(node).collect::<Vec<_>>(), edges);
            assert_eq!(ready.dominated().of(node), dominated.of(node));
            let holders = edges.iter().map(|&edge| heap.edges().owner(edge));
            let wanted: Vec<NodeIndex> = holders.chain([node]).collect();
            let searched = Ways::new(heap, &wanted, 1);
            assert_eq!(known.path(node), searched.path(node), "{name} {node}");
            assert_eq!(known.paths(node, &edges, 9), searched.paths(node, &edges, 9));
        }
    }
}

/// Bytes and lengths all over the file: of the lists, the directory and what is around them. All lists are so short
/// that they are checked each time.
#[test]
fn a_damaged_index_is_not_used() {
    let made = Made::new("handmade/v8-2026-scopes.heapsnapshot");
    let whole = fs::read(&made.path).unwrap();
    assert!(whole.starts_with(&MAGIC));
    let assert_unused = |bytes: &[u8], what: &str| {
        fs::write(&made.path, bytes).unwrap();
        for is_confirmed in [false, true] {
            let (found, remarks) = made.read(is_confirmed);
            assert!(found.is_none(), "{what}");
            let [remark] = &remarks[..] else { panic!("{what}: {remarks:?}") };
            assert!(remark.contains("is not used"), "{remark}");
        }
    };
    for at in (0..whole.len()).step_by(5) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        assert_unused(&flipped, &format!("byte {at}"));
    }
    for len in (0..whole.len()).step_by(7) {
        assert_unused(&whole[..len], &format!("{len} bytes"));
    }
    let longer = [&whole[..], b"\n"].concat();
    assert_unused(&longer, "longer");
    fs::write(&made.path, &whole).unwrap();
    assert!(made.read(true).0.is_some());
}

/// Runs what follows indices of nodes, edges, classes and places. The answers are wrong, but there are some.
fn walk(heap: &Heap, analysis: &Analysis) {
    let nodes: Vec<NodeIndex> = heap.nodes().all().collect();
    let sources = Sources::new(heap);
    let ways = Ways::new(heap, &nodes, 1);
    let retainers = Retainers::new(heap);
    let _ = (Dominated::new(&analysis.dominators), ways.groups(&nodes, &analysis.classes.of));
    let _ = graph::captured_variables(heap, 1);
    for &node in &nodes {
        let _ = graph::retaining_paths(heap, &retainers, &analysis.distances, node, 2);
        let _ = ways.text(&ways.path(node), &sources, &analysis.detachedness);
        let _ = sources.name(&analysis.detachedness, node);
        let _ = graph::entries(heap, node);
        let _ = graph::scope_variables(heap, node);
        let _ = (analysis.classes.class(node), heap.place(node), heap.nodes().type_name(node));
    }
    if let Some(attribution) = &analysis.attribution
        && let Some(contexts) = &attribution.native_contexts
    {
        let _ = contexts.sums(&analysis.shallow_sizes);
    }
    let _ = TopDominators::new(heap, analysis, 1);
    let mut leaks = Leaks::new();
    let _ = leaks.add(heap, 1);
    let last = leaks.add(heap, 1);
    let _ = leaks.find(heap, last);
    let _ = graph::analyze(heap, 1);
    let _ = analysis.clone().like(heap, &[], 1);
}

/// Lists with one number changed, or one more or less, whose checksums are right: they are refused, or lead nowhere
/// that does not exist.
#[test]
fn a_forged_index_does_no_harm() {
    for name in ["handmade/v8-2026-scopes.heapsnapshot", "handmade/v8-timeline.heaptimeline"] {
        let made = Made::new(name);
        let lists = lists(&made.loaded.heap, &made.analysis);
        for (at, (name, list)) in lists.iter().enumerate() {
            for forged in forgeries(list) {
                let mut all = lists.clone();
                all[at].1 = forged;
                let mut all: graph::Lists =
                    all.into_iter().map(|(name, list)| (name.to_string(), list)).collect();
                if let Ok(heap) = Heap::from_lists(&mut all, 1)
                    && let Ok(analysis) = Analysis::from_lists(&mut all, &heap)
                {
                    walk(&heap, &analysis);
                }
            }
            let without = lists.iter().filter(|(other, _)| other != name);
            let mut without: graph::Lists =
                without.map(|(name, list)| (name.to_string(), list.clone())).collect();
            if let Ok(heap) = Heap::from_lists(&mut without, 1)
                && let Ok(analysis) = Analysis::from_lists(&mut without, &heap)
            {
                walk(&heap, &analysis);
            }
        }
    }
}

/// The list with single numbers replaced, shorter, longer, and in another width.
fn forgeries(list: &List) -> Vec<List> {
    fn of<T: Clone>(list: &[T], values: &[T]) -> Vec<Vec<T>> {
        let mut forged = vec![[list, &values[..1]].concat(), Vec::new()];
        forged.extend(list.split_last().map(|(_, rest)| rest.to_vec()));
        for at in [0, list.len() / 2, list.len().wrapping_sub(1)] {
            for value in values.iter().filter(|_| at < list.len()) {
                let mut changed = list.to_vec();
                changed[at] = value.clone();
                forged.push(changed);
            }
        }
        forged
    }
    match list {
        List::Bytes(bytes) => {
            let forged = of(bytes, &[1, 5, 0x80, u8::MAX]).into_iter();
            let forged = forged.map(|bytes| List::Bytes(bytes.into()));
            forged.chain([List::Words(bytes.iter().map(|&byte| byte.into()).collect())]).collect()
        }
        List::Words(words) => {
            let values = [1, 7, u32::MAX - 1, u32::MAX];
            let forged = of(words, &values).into_iter().map(|words| List::Words(words.into()));
            forged.chain([List::Longs(words.iter().map(|&word| word.into()).collect())]).collect()
        }
        List::Longs(longs) => {
            let values = [1, 7, 1 << 32, u64::MAX];
            of(longs, &values).into_iter().map(|longs| List::Longs(longs.into())).collect()
        }
    }
}
