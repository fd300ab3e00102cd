//! Damaged indices.

use super::*;
use crate::Progress;
use file::MAGIC;
use heapquarry_graph::{
    self as graph, Dominated, EdgeType, HeapBuilder, ListSink, NodeIndex, Number, Realms,
    Retainers, Ways,
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
struct Unchecked;

impl Indices for Unchecked {
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
        let loaded = load_as_written(&source.locate(&run).unwrap(), &run).unwrap();
        Made::of(source, loaded)
    }

    fn of(source: Source, loaded: LoadedHeap) -> Self {
        let run = RunOptions::default().threads(1);
        let analysis = graph::analyze_attributed(&loaded.heap, Realms::All, 1);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        write(&path, &loaded, &analysis, Duration::ZERO, &run).unwrap();
        Made { _dir: dir, source, path, loaded, analysis }
    }

    fn kept(&self, is_checked: bool) -> KeptIndex {
        KeptIndex { path: self.path.clone(), is_checked, is_new: false, held: Box::new(()) }
    }

    /// Reads the file, and what was remarked.
    fn read(&self, is_checked: bool) -> (Option<(LoadedHeap, Analysis)>, Vec<String>) {
        let remarks = Arc::new(Remarks::default());
        let run = RunOptions::default().threads(1).progress(remarks.clone());
        let found = analysis(&Unchecked, self.kept(is_checked), &self.source, &run).unwrap();
        let remarks = remarks.0.lock().unwrap().clone();
        (found, remarks)
    }
}

/// Takes lists as they come: their names, the width of a number, and the bytes of all.
#[derive(Default)]
struct Taken(Vec<Listed>);

type Listed = (&'static str, usize, Vec<u8>);

impl ListSink for Taken {
    type Error = std::convert::Infallible;

    fn list<N: Number>(
        &mut self,
        name: &'static str,
        values: impl Iterator<Item = N>,
    ) -> Result<(), Self::Error> {
        let bytes = values.flat_map(|value| value.bytes().as_ref().to_vec());
        self.0.push((name, size_of::<N>(), bytes.collect()));
        Ok(())
    }
}

fn lists(heap: &Heap, analysis: &Analysis) -> Vec<Listed> {
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
        for is_checked in [false, true] {
            let (found, remarks) = made.read(is_checked);
            assert_eq!(remarks, [""; 0]);
            let (loaded, analysis) = found.unwrap();
            assert_eq!(lists(&loaded.heap, &analysis), expected);
            assert_eq!(about(&loaded), about(&made.loaded));
            assert!(loaded.heap.ready().is_some());
        }
    }
}

/// Names of edges have codes where there are millions of edges, and in heaps that are built by hand.
#[test]
fn codes_of_names_are_read_as_they_were_written() {
    let Made { source, mut loaded, .. } = Made::new("handmade/v8-timeline.heaptimeline");
    let mut builder = HeapBuilder::new();
    let root = builder.node("synthetic", "", 0);
    for edge in 0..1000 {
        let node = builder.node("object", "Object", 8);
        let name = format!("p{}", edge % 7 * (edge % 500));
        builder.edge(root, EdgeType::Property, &name, node);
    }
    loaded.heap = builder.build();
    let made = Made::of(source, loaded);
    let expected = lists(&made.loaded.heap, &made.analysis);
    assert!(expected.iter().any(|(name, ..)| *name == "edge_name_codes"));
    let (loaded, analysis) = made.read(true).0.unwrap();
    assert_eq!(lists(&loaded.heap, &analysis), expected);
}

/// What is looked up is what a search for each node alone finds.
#[test]
fn what_is_ready_is_what_would_be_found() {
    for name in ["handmade/v8-timeline.heaptimeline", "handmade/v8-2026-scopes.heapsnapshot"] {
        let made = Made::new(name);
        let (mapped, analysis) = made.read(true).0.unwrap();
        let (heap, ready) = (&made.loaded.heap, mapped.heap.ready().unwrap());
        let (retainers, dominated) =
            (Retainers::new(heap), Dominated::new(&made.analysis.dominators));
        let prepared = prepare(heap, &made.analysis, 1);
        let by_class = ByClass::new(heap, &made.analysis, &prepared, 1);
        let lists = |by_class: &ByClass| {
            let mut taken = Taken::default();
            let Ok(()) = by_class.put_lists(&mut taken);
            taken.0
        };
        assert_eq!(lists(analysis.by_class.as_ref().unwrap()), lists(&by_class));
        let equal = EqualStrings::new(heap, &Texts::new(heap), &made.analysis.shallow_sizes, 2);
        let kept = EqualStrings::kept(&mapped.heap, &analysis).unwrap();
        let of = |equal: &EqualStrings| {
            let mut taken = Taken::default();
            let Ok(()) = equal.put_lists(&mut taken);
            taken.0
        };
        assert_eq!(of(&kept), of(&equal));
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
        for is_checked in [false, true] {
            let (found, remarks) = made.read(is_checked);
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
