//! Finds what questions about single objects need, for all of them.

use crate::{Analysis, Dominated, Heap, Ready, Retainers, ways};
use std::sync::OnceLock;

/// What questions about single objects need of a heap. Takes about as long as an analysis.
pub fn prepare(heap: &Heap, analysis: &Analysis, threads: usize) -> Ready {
    let others = threads.saturating_sub(1).max(1);
    let turned = || Ready::turned(heap, analysis);
    let (ready, ways) = crate::join(threads, turned, || ways::to_all(heap, others));
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
