//! Finds what questions about single objects and whole classes need, for all of them.

use crate::{Analysis, ByClass, Dominated, Heap, Ready, Retainers, Ways, by_class::Found, ways};
use heapquarry_base::threads::join;
use std::sync::OnceLock;

/// What questions about single objects need of a heap. Takes about as long as an analysis.
pub fn prepare(heap: &Heap, analysis: &Analysis, threads: usize) -> Ready {
    let others = threads.saturating_sub(1).max(1);
    let turned = || Ready::turned(heap, analysis);
    let (ready, ways) = join(threads, turned, || ways::to_all(heap, others));
    Ready { ways: ways.into(), ..ready }
}

impl Ready {
    /// Turns references and dominators around. Ways are not searched for.
    pub fn turned(heap: &Heap, analysis: &Analysis) -> Self {
        let (retainers, dominated) = (Retainers::new(heap), Dominated::new(&analysis.dominators));
        Ready { retainers, dominated, ways: OnceLock::new() }
    }

    /// Searches for the ways to all nodes, unless they are known. Whoever else needs them waits for the search.
    pub fn find_ways(&self, heap: &Heap, threads: usize) {
        self.ways.get_or_init(|| ways::to_all(heap, threads));
    }
}

impl ByClass {
    /// Finds the nodes of each class and their properties, and the ways to all nodes unless they are known. Takes about
    /// half as long as an analysis. The result does not depend on the number of threads.
    pub fn new(heap: &Heap, analysis: &Analysis, ready: &Ready, threads: usize) -> Self {
        ready.find_ways(heap, threads);
        let ways = Ways::known(heap, ready).expect("the ways were found above");
        let Analysis { classes, shallow_sizes, retained_sizes, detachedness, .. } = analysis;
        let found = Found { classes, shallow_sizes, retained_sizes, detachedness };
        ByClass::of(heap, found, &ways, threads)
    }
}
