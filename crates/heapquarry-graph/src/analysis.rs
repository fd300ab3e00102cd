//! All algorithms in the order that they need, side by side where they can.

use crate::{
    Aggregate, Classes, Dominators, Duplicate, Heap, Interface, Packed, Statistics, aggregates,
    classes::classify_with, detached, distance, dominators, duplicates::Groups,
    interfaces::Properties, ownership, page, parallel::join, retained, statistics::Elements,
};

/// Everything that DevTools computes of a snapshot. Lists of nodes are in file order.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// See [`distances`](crate::distances).
    pub distances: Vec<i32>,
    /// See [`shallow_sizes`](crate::shallow_sizes).
    pub shallow_sizes: Packed,
    /// See [`retained_sizes`](crate::retained_sizes).
    pub retained_sizes: Vec<u64>,
    /// Native memory held by each node and all that it dominates, in bytes, if the file has such a field (ArkTS).
    pub retained_native_sizes: Option<Vec<u64>>,
    /// The dominator of each node; the root dominates itself.
    pub dominators: Vec<u32>,
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
}

/// Computes everything, with up to that many threads. The result does not depend on their number.
pub fn analyze(heap: &Heap, threads: usize) -> Analysis {
    let named = Named::new(heap, None, threads);
    named.finish(heap, threads)
}

/// The same, with plain objects classified by the interfaces of another snapshot, to which this one is to be compared.
pub fn analyze_like(heap: &Heap, interfaces: &[Interface], threads: usize) -> Analysis {
    let named = Named::new(heap, Some(interfaces), threads);
    named.finish(heap, threads)
}

/// Computes everything, and frees the names of edges as soon as nothing needs them any more: four bytes an edge less
/// when the most memory is needed.
pub fn analyze_and_forget_edge_names(heap: &mut Heap, threads: usize) -> Analysis {
    let named = Named::new(heap, None, threads);
    heap.forget_edge_names();
    named.finish(heap, threads)
}

/// What needs the names of edges.
struct Named {
    detachedness: Vec<u8>,
    interfaces: Vec<Interface>,
    classes: Classes,
    elements: Elements,
    strings: Groups,
}

impl Named {
    fn new(heap: &Heap, interfaces: Option<&[Interface]>, threads: usize) -> Self {
        let detachedness = detached::detachedness(heap);
        let (strings, (interfaces, classes)) = join(
            threads,
            || Groups::new(heap),
            || {
                let properties = Properties::new(heap);
                let interfaces = match interfaces {
                    Some(given) => given.to_vec(),
                    None => properties.interfaces(heap, threads),
                };
                let classes = classify_with(heap, &detachedness, &properties, &interfaces, threads);
                (interfaces, classes)
            },
        );
        let elements = Elements::new(heap, threads);
        Named { detachedness, interfaces, classes, elements, strings }
    }

    fn finish(self, heap: &Heap, threads: usize) -> Analysis {
        let Named { detachedness, interfaces, classes, elements, strings } = self;
        let (tree, (distances, shallow_sizes)) = join(
            threads,
            || dominators::dominators(heap, &page::page_owned(heap)),
            || (distance::distances(heap), ownership::shallow_sizes(heap)),
        );
        let retained_sizes = retained::retained_sizes(&tree, &shallow_sizes);
        let root_retained = retained_sizes.get(heap.root() as usize).copied().unwrap_or(0);
        let (aggregates, (statistics, duplicate_strings)) = join(
            threads,
            || {
                let (distances, retained) = (&distances, &retained_sizes);
                aggregates::aggregates(&classes, distances, &shallow_sizes, retained, &tree)
            },
            || {
                let statistics = elements.statistics(heap, &shallow_sizes, root_retained);
                (statistics, strings.duplicates(heap, &shallow_sizes))
            },
        );
        let native_sizes = heap.nodes().native_sizes.as_ref();
        Analysis {
            retained_native_sizes: native_sizes.map(|sizes| retained::retained_sizes(&tree, sizes)),
            dominators: Dominators::by_node(&tree),
            distances,
            shallow_sizes,
            retained_sizes,
            detachedness,
            interfaces,
            classes,
            aggregates,
            statistics,
            duplicate_strings,
        }
    }
}
