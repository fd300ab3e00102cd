//! Finds what questions about single objects need, for all of them.

use crate::{Analysis, Dominated, Heap, Ready, Retainers, ways};

/// What questions about single objects need of a heap. Takes about as long as an analysis.
pub fn prepare(heap: &Heap, analysis: &Analysis, threads: usize) -> Ready {
    let turned = || (Retainers::new(heap), Dominated::new(&analysis.dominators));
    let others = threads.saturating_sub(1).max(1);
    let ((retainers, dominated), ways) =
        crate::join(threads, turned, || ways::to_all(heap, others));
    Ready { retainers, dominated, ways }
}
