//! What is left out of sums because it is no work of its own.

use heapquarry_timeline::{Aggregate, Timeline};

/// A note on the slices that sums leave out, although nobody asked for that.
pub(super) fn note(timeline: &Timeline) -> Option<String> {
    let name = |kind: &Aggregate| match kind {
        Aggregate::ClangTotals => "clang's totals by name (Total …)",
        Aggregate::CriticalPath => "Bazel's copies of actions (thread Critical Path)",
        Aggregate::PyTorchProfiler => "the profiler's own thread (PyTorch Profiler)",
        _ => "sums that the producer adds",
    };
    let kinds: Vec<&str> = timeline.aggregates.iter().map(name).collect();
    (!kinds.is_empty()).then(|| format!("sums of slices leave out {}", kinds.join(" and ")))
}
