//! Runs all algorithms in the order of their dependencies, independent ones in parallel.

use crate::{
    Aggregate, Attribution, Bits, ByClass, Classes, CodeOwners, Column, Dominators, Duplicate,
    EqualStrings, Heap, Interface, NodeIndex, OwnedBy, OwnerSum, PackedColumn, Realms, Statistics,
    aggregates::{self, Preorder},
    attribution,
    classes::classify_with,
    classify, detached, distance,
    dominators::{Left, Search},
    duplicates::Groups,
    interfaces::Properties,
    ownership,
    page::page_owned,
    retained::{self, retained_sizes_in},
    statistics::Elements,
};
use heapquarry_base::threads::join;
use std::sync::OnceLock;

/// Everything that DevTools computes for a snapshot. Lists of nodes are in file order.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// See [`distances`](crate::distances).
    pub distances: Column<i32>,
    /// See [`shallow_sizes`](crate::shallow_sizes).
    pub shallow_sizes: PackedColumn,
    /// See [`retained_sizes`](crate::retained_sizes).
    pub retained_sizes: PackedColumn,
    /// Native memory in bytes of each node and all nodes that it dominates, if the file has such a field (ArkTS).
    pub retained_native_sizes: Option<PackedColumn>,
    /// The dominator of each node; the root dominates itself.
    pub dominators: Column<NodeIndex>,
    /// See [`detachedness`](crate::detachedness).
    pub detachedness: Column<u8>,
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
    /// What is known of each class as a whole, if the analysis is that of a kept index.
    pub by_class: Option<ByClass>,
    /// Which strings have one text, if the analysis is that of a kept index.
    pub equal_strings: Option<EqualStrings>,
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
    attribute_to: Option<Realms>,
    threads: usize,
) -> Analysis {
    // One thread finds the dominators from beginning to end, another the names of classes. The first of them that is
    // done finds what needs neither.
    let others = threads.saturating_sub(1).max(1);
    let (states, shallow_sizes, distances) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
    let (duplicates, attribution) = (OnceLock::new(), OnceLock::new());
    let find_states = || states.get_or_init(|| detached::detachedness(heap));
    let find_sizes = || {
        let sizes = || ownership::with_helpers(heap, heap.nodes().self_sizes.clone());
        shallow_sizes.get_or_init(sizes)
    };
    let find_distances = || distances.get_or_init(|| distance::distances(heap));
    let find_duplicates =
        || duplicates.get_or_init(|| Groups::new(heap, others).duplicates(heap, find_sizes()));
    let find_attribution = || {
        let attribute = |realms| {
            attribution::ByNames::new(heap, realms, find_states()).finish(heap, find_distances())
        };
        attribution.get_or_init(|| attribute_to.map(attribute))
    };
    let (tree, sums) = join(
        threads,
        || {
            let tree = Tree::of(heap);
            find_duplicates();
            find_distances();
            find_attribution();
            tree
        },
        || {
            // Sizes first: owners take memory while they are found, and little is in use yet.
            find_sizes();
            // So do equal strings. If the heap came with its dominators, the other thread is soon free to find them.
            if heap.dominators.is_none() {
                find_duplicates();
            }
            let places = || heap.places.clone().take(heap.nodes().len());
            let names = Named::new(heap, places, find_states(), interfaces, others);
            find_attribution();
            Sums::new(heap, find_sizes(), find_distances(), names)
        },
    );
    let found = "it is found on either side";
    let results = Results {
        tree,
        detachedness: states.into_inner().expect(found),
        distances: distances.into_inner().expect(found),
        shallow_sizes: shallow_sizes.into_inner().expect(found),
        duplicate_strings: duplicates.into_inner().expect(found),
        sums,
        attribution: attribution.into_inner().expect(found),
    };
    results.finish(heap, threads)
}

/// The dominator tree.
pub(crate) struct Tree {
    pub(crate) dominators: Dominators,
    /// The dominator of each node, if the heap came with it.
    given: Option<Column<NodeIndex>>,
}

impl Tree {
    /// Takes the dominators that the heap came with, if they are a tree of its nodes. Otherwise they are found.
    pub(crate) fn of(heap: &Heap) -> (Self, Left) {
        let given = heap.dominators.clone();
        let given = given.filter(|dominators| dominators.len() == heap.nodes().len());
        let tree = given.as_deref().and_then(|given| Dominators::from_nodes(given, heap.root()));
        match tree {
            Some(dominators) => (Tree { dominators, given }, Left::default()),
            None => {
                let (search, page) = Search::new(heap);
                let (dominators, left) = search.dominators(heap, &page);
                (Tree { dominators, given: None }, left)
            }
        }
    }
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
        let tree = Dominators::from_nodes(&self.dominators, heap.root()).unwrap_or_default();
        let preorder = Preorder::new(&tree, Vec::new());
        let held = aggregates::retained_sizes(
            &classes,
            &self.shallow_sizes,
            &self.retained_sizes,
            preorder.nodes(&tree.order),
        );
        Analysis {
            interfaces: interfaces.to_vec(),
            aggregates: aggregates::with_retained(sums, held),
            classes,
            by_class: None,
            ..self
        }
    }
}

/// Runs all algorithms, and reuses the memory of the heap: afterwards it has no edges, names, sizes or locations. So
/// its [`Attribution`] is computed too, if wanted.
pub fn analyze_in_place(heap: &mut Heap, attribute: bool, threads: usize) -> Analysis {
    let (results, _) = in_place(heap, attribute, threads);
    heap.free_edges();
    results.finish(heap, threads)
}

/// Runs all algorithms as [`analyze_in_place`], but keeps the edges for the sums of packages. `owners` are the owners
/// of nodes [of their own](CodeOwners::of_their_own).
pub fn analyze_with_packages(
    heap: &mut Heap,
    attribute: bool,
    owners: CodeOwners,
    threads: usize,
) -> (Analysis, PackageOwners) {
    let (results, page) = in_place(heap, attribute, threads);
    (results.finish(heap, threads), PackageOwners { owners, page })
}

/// Whose package each node is, as far as it tells itself: what the sums of packages are found with, beside other work.
#[derive(Debug)]
pub struct PackageOwners {
    owners: CodeOwners,
    /// The nodes that the page owns.
    page: Bits,
}

impl PackageOwners {
    /// `owners` are the owners of nodes [of their own](CodeOwners::of_their_own). The heap must have its names.
    pub fn new(heap: &Heap, owners: CodeOwners) -> Self {
        PackageOwners { owners, page: page_owned(heap) }
    }

    /// What belongs to each package, and what it retains. The heap needs its edges.
    pub fn sums(mut self, heap: &Heap, analysis: &Analysis, threads: usize) -> Vec<OwnerSum> {
        let (dominators, sizes) = (&analysis.dominators, &analysis.shallow_sizes);
        self.owners.inherit(heap, dominators);
        let all = (OwnedBy::Package, usize::MAX);
        self.owners.sums_on(heap, &self.page, dominators, sizes, all, threads)
    }
}

/// All that is found in the edges, and the nodes that the page owns. All that needs names is done before the second
/// step of the dominators: they are freed then.
fn in_place(heap: &mut Heap, attribute: bool, threads: usize) -> (Results, Bits) {
    let (mut places, sizes) = (heap.take_places(), heap.take_sizes());
    let others = threads.saturating_sub(1).max(1);
    let ((search, page), (detachedness, shallow_sizes, duplicate_strings, names, attribution)) =
        join(
            threads,
            || Search::new(heap),
            || {
                // Sizes first: owners take memory while they are found, and little is in use yet.
                let shallow_sizes = ownership::with_helpers(heap, sizes);
                let duplicate_strings = Groups::new(heap, others).duplicates(heap, &shallow_sizes);
                let states = detached::detachedness(heap);
                let places = || places.take(heap.nodes().len());
                let names = Named::new(heap, places, &states, None, others);
                let attribution =
                    attribute.then(|| attribution::ByNames::new(heap, Realms::All, &states));
                (states, shallow_sizes, duplicate_strings, names, attribution)
            },
        );
    // What was freed would stay with the allocator for a while.
    let memory = heap.take_names();
    let (tree, (distances, sums, attribution)) = join(
        threads,
        || search.dominators(heap, &page),
        || {
            let memory = memory.into_iter().map(|name| name.0.cast_signed()).collect();
            let distances = distance::distances_in(heap, memory);
            let sums = Sums::new(heap, &shallow_sizes, &distances, names);
            let attribution = attribution.map(|names| names.finish(heap, &distances));
            (distances, sums, attribution)
        },
    );
    let tree = (Tree { dominators: tree.0, given: None }, tree.1);
    let results = Results {
        tree,
        detachedness,
        distances,
        shallow_sizes,
        duplicate_strings,
        sums,
        attribution,
    };
    (results, page)
}

/// The classes, and what else needs names.
struct Named {
    interfaces: Vec<Interface>,
    classes: Classes,
    elements: Elements,
}

impl Named {
    /// `states` is the result of [`detachedness`](crate::detachedness).
    fn new(
        heap: &Heap,
        places: impl FnOnce() -> Vec<u32>,
        states: &[u8],
        interfaces: Option<&[Interface]>,
        threads: usize,
    ) -> Self {
        let properties = Properties::new(heap);
        let interfaces = match interfaces {
            Some(given) => given.to_vec(),
            None => properties.interfaces(heap, threads),
        };
        let classes = classify_with(heap, places(), states, &properties, &interfaces, threads);
        Named { interfaces, classes, elements: Elements::new(heap, threads) }
    }
}

/// The classes and sums that need sizes and distances, but no dominators.
struct Sums {
    interfaces: Vec<Interface>,
    classes: Classes,
    /// Without retained sizes.
    aggregates: Vec<Aggregate>,
    /// Without the size of what the root retains.
    statistics: Statistics,
}

impl Sums {
    fn new(heap: &Heap, sizes: &PackedColumn, distances: &[i32], names: Named) -> Self {
        let Named { interfaces, classes, elements } = names;
        Sums {
            interfaces,
            aggregates: aggregates::sums(&classes, distances, sizes),
            classes,
            statistics: elements.statistics(heap, sizes, 0),
        }
    }
}

/// All that is found in the edges.
struct Results {
    tree: (Tree, Left),
    detachedness: Vec<u8>,
    distances: Vec<i32>,
    shallow_sizes: PackedColumn,
    duplicate_strings: Vec<Duplicate>,
    sums: Sums,
    attribution: Option<Attribution>,
}

impl Results {
    fn finish(self, heap: &Heap, threads: usize) -> Analysis {
        let Results { tree: (tree, left), shallow_sizes, sums, .. } = self;
        let Left { mut words, pairs } = left;
        let Tree { dominators: tree, given } = tree;
        let (retained_sizes, preorder) = join(
            threads,
            || retained_sizes_in(&tree, &shallow_sizes, &mut words),
            || Preorder::new(&tree, pairs),
        );
        let root_retained = retained_sizes.known(heap.root().position()).unwrap_or(0);
        let Sums { interfaces, classes, aggregates, statistics } = sums;
        let (held, dominators) = join(
            threads,
            || {
                let nodes = preorder.nodes(&tree.order);
                aggregates::retained_sizes(&classes, &shallow_sizes, &retained_sizes, nodes)
            },
            || given.unwrap_or_else(|| tree.by_node_in(words).into()),
        );
        let native_sizes = heap.nodes().native_sizes.as_ref();
        Analysis {
            retained_native_sizes: native_sizes.map(|sizes| retained::retained_sizes(&tree, sizes)),
            dominators,
            distances: self.distances.into(),
            shallow_sizes,
            retained_sizes,
            detachedness: self.detachedness.into(),
            interfaces,
            classes,
            aggregates: aggregates::with_retained(aggregates, held),
            statistics: statistics.with_retained(root_retained),
            duplicate_strings: self.duplicate_strings,
            by_class: None,
            equal_strings: None,
            attribution: self.attribution,
        }
    }
}
