//! Runs all algorithms in the order of their dependencies, independent ones in parallel.

use crate::{
    Aggregate, Attribution, Bits, Classes, Dominators, Duplicate, Heap, Interface, NodeIndex,
    Packed, Realms, Statistics, aggregates, attribution, classes::classify_with, classify,
    detached, distance, dominators::Search, duplicates::Groups, interfaces::Properties, ownership,
    page, parallel::join, retained, statistics::Elements,
};

/// Everything that DevTools computes for a snapshot. Lists of nodes are in file order.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// See [`distances`](crate::distances).
    pub distances: Vec<i32>,
    /// See [`shallow_sizes`](crate::shallow_sizes).
    pub shallow_sizes: Packed,
    /// See [`retained_sizes`](crate::retained_sizes).
    pub retained_sizes: Vec<u64>,
    /// Native memory in bytes of each node and all nodes that it dominates, if the file has such a field (ArkTS).
    pub retained_native_sizes: Option<Vec<u64>>,
    /// The dominator of each node; the root dominates itself.
    pub dominators: Vec<NodeIndex>,
    /// See [`detachedness`](crate::detachedness).
    pub detachedness: Vec<u8>,
    /// See [`interfaces`](crate::interfaces).
    pub interfaces: Vec<Interface>,
    /// See [`classify`](crate::classify).
    pub classes: Classes,
    /// See [`aggregates`](crate::aggregates).
    pub aggregates: Vec<Aggregate>,
    /// See [`statistics`](crate::statistics).
    pub statistics: Statistics,
    /// See [`duplicate_strings`](crate::duplicate_strings).
    pub duplicate_strings: Vec<Duplicate>,
    /// Only on request: see [`analyze_attributed`] and [`analyze_in_place`].
    pub attribution: Option<Attribution>,
}

/// Runs all algorithms with up to that many threads. The result does not depend on their number.
pub fn analyze(heap: &Heap, threads: usize) -> Analysis {
    with(heap, None, None, threads)
}

/// Runs all algorithms, and computes the [`Attribution`] of the nodes.
pub fn analyze_attributed(heap: &Heap, realms: Realms, threads: usize) -> Analysis {
    with(heap, None, Some(realms), threads)
}

/// Runs all algorithms. Plain objects are classified by the interfaces of another snapshot, for a comparison with it.
pub fn analyze_like(heap: &Heap, interfaces: &[Interface], threads: usize) -> Analysis {
    with(heap, Some(interfaces), None, threads)
}

fn with(
    heap: &Heap,
    interfaces: Option<&[Interface]>,
    attribute: Option<Realms>,
    threads: usize,
) -> Analysis {
    let places = heap.places.clone().take(heap.nodes().len());
    let first = First::new(heap, places, interfaces, attribute, threads);
    let sizes = heap.nodes().self_sizes.clone();
    first.compute(heap, sizes, Vec::new(), threads).finish(heap, threads)
}

impl Analysis {
    /// This analysis with plain objects classified by the interfaces of another snapshot, as [`analyze_like`] does it.
    /// All else stays: it does not depend on them.
    #[must_use]
    pub fn like(self, heap: &Heap, interfaces: &[Interface], threads: usize) -> Self {
        if self.interfaces == interfaces {
            return self;
        }
        let classes = classify(heap, &self.detachedness, interfaces, threads);
        let sums = aggregates::sums(&classes, &self.distances, &self.shallow_sizes);
        let preorder = aggregates::preorder_of(&self.dominators, heap.root());
        let held = aggregates::retained_sizes(
            &classes,
            &self.shallow_sizes,
            &self.retained_sizes,
            preorder,
        );
        Analysis {
            interfaces: interfaces.to_vec(),
            aggregates: aggregates::with_retained(sums, held),
            classes,
            ..self
        }
    }
}

/// Runs all algorithms, and reuses the memory of the heap: afterwards it has no edges, names, sizes or locations. So
/// its [`Attribution`] is computed too, if wanted.
pub fn analyze_in_place(heap: &mut Heap, attribute: bool, threads: usize) -> Analysis {
    let places = heap.take_places();
    let attribute = attribute.then_some(Realms::All);
    let first = First::new(heap, places, None, attribute, threads);
    let names = heap.take_names();
    let sizes = heap.take_sizes();
    let second = first.compute(heap, sizes, names, threads);
    heap.free_edges();
    second.finish(heap, threads)
}

/// The first step: everything that needs the names of edges, in parallel with the depth-first search for the
/// dominators.
struct First {
    page: Bits,
    search: Search,
    names: Named,
}

/// Results that need names.
struct Named {
    detachedness: Vec<u8>,
    interfaces: Vec<Interface>,
    classes: Classes,
    elements: Elements,
    strings: Groups,
    attribution: Option<attribution::ByNames>,
}

impl First {
    fn new(
        heap: &Heap,
        places: Vec<u32>,
        interfaces: Option<&[Interface]>,
        attribute: Option<Realms>,
        threads: usize,
    ) -> Self {
        let search = || {
            let page = page::page_owned(heap);
            let search = Search::new(heap, &page);
            (page, search)
        };
        // The search takes one core.
        let others = threads.saturating_sub(1).max(1);
        let ((page, search), names) =
            join(threads, search, || Named::new(heap, places, interfaces, attribute, others));
        First { page, search, names }
    }

    /// `sizes` are the sizes in the file, `spare` is memory for the dominators.
    fn compute(self, heap: &Heap, sizes: Packed, spare: Vec<u32>, threads: usize) -> Second {
        let First { page, search, mut names } = self;
        let attribution = names.attribution.take();
        // Finding owners takes memory for a while; do it before the dominators need most.
        let (tree, (shallow_sizes, distances, attribution)) = join(
            threads,
            || search.dominators(heap, &page, spare),
            || {
                let sizes = ownership::with_helpers(heap, sizes);
                let distances = distance::distances(heap);
                let attribution = attribution.map(|names| names.finish(heap, &distances));
                (sizes, distances, attribution)
            },
        );
        Second { tree, distances, shallow_sizes, attribution, names }
    }
}

impl Named {
    fn new(
        heap: &Heap,
        places: Vec<u32>,
        interfaces: Option<&[Interface]>,
        attribute: Option<Realms>,
        threads: usize,
    ) -> Self {
        let detachedness = detached::detachedness(heap);
        let properties = Properties::new(heap);
        let interfaces = match interfaces {
            Some(given) => given.to_vec(),
            None => properties.interfaces(heap, threads),
        };
        let classes = classify_with(heap, places, &detachedness, &properties, &interfaces, threads);
        let elements = Elements::new(heap, threads);
        let strings = Groups::new(heap);
        let attribution =
            attribute.map(|realms| attribution::ByNames::new(heap, realms, &detachedness));
        Named { detachedness, interfaces, classes, elements, strings, attribution }
    }
}

/// The second step: everything that needs the edges.
struct Second {
    tree: Dominators,
    distances: Vec<i32>,
    shallow_sizes: Packed,
    attribution: Option<Attribution>,
    names: Named,
}

impl Second {
    fn finish(self, heap: &Heap, threads: usize) -> Analysis {
        let Second { tree, distances, shallow_sizes, attribution, names } = self;
        let (retained_sizes, preorder) = join(
            threads,
            || retained::retained_sizes(&tree, &shallow_sizes),
            || aggregates::preorder(&tree),
        );
        let root_retained = retained_sizes.get(heap.root().position()).copied().unwrap_or(0);
        let Named { detachedness, interfaces, classes, elements, strings, .. } = names;
        let ((held, dominators), (sums, statistics, duplicate_strings)) = join(
            threads,
            || {
                let retained = &retained_sizes;
                let held = aggregates::retained_sizes(&classes, &shallow_sizes, retained, preorder);
                (held, tree.by_node())
            },
            || {
                let sums = aggregates::sums(&classes, &distances, &shallow_sizes);
                let statistics = elements.statistics(heap, &shallow_sizes, root_retained);
                (sums, statistics, strings.duplicates(heap, &shallow_sizes))
            },
        );
        let native_sizes = heap.nodes().native_sizes.as_ref();
        Analysis {
            retained_native_sizes: native_sizes.map(|sizes| retained::retained_sizes(&tree, sizes)),
            dominators,
            distances,
            shallow_sizes,
            retained_sizes,
            detachedness,
            interfaces,
            classes,
            aggregates: aggregates::with_retained(sums, held),
            statistics,
            duplicate_strings,
            attribution,
        }
    }
}
