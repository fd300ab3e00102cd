//! Slices that stand for no work of their own: sums and repetitions of other slices, which producers write beside them.

use crate::{Events, Flags, Ident, Phase, Processes, Slices};

/// Kind of such slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Aggregate {
    /// Totals by name of `clang -ftime-trace`: `Total Frontend`, each on a thread of its own from the start on
    /// (`TimeTraceProfiler::write` in LLVM's `lib/Support/TimeProfiler.cpp`).
    ClangTotals,
    /// Bazel's thread `Critical Path`, which repeats the actions of the longest chain.
    CriticalPath,
    /// The thread on which PyTorch's profiler tells how long it recorded.
    PyTorchProfiler,
}

/// Marks the aggregates among the slices. Returns their kinds.
pub(crate) fn aggregates(
    events: &Events,
    processes: &Processes,
    slices: &mut Slices,
) -> Vec<Aggregate> {
    let strings = events.strings();
    let is = |ident: Ident, name: &str| match ident {
        Ident::Text(key) => strings.get(key) == Some(name),
        _ => false,
    };
    let of_threads: Vec<Option<Aggregate>> = (processes.threads.iter())
        .map(|thread| {
            if strings.get(thread.name) == Some("Critical Path") {
                return Some(Aggregate::CriticalPath);
            }
            let is_profiler = is(thread.tid, "PyTorch Profiler")
                && is(processes.processes[thread.upid as usize].pid, "Spans");
            is_profiler.then_some(Aggregate::PyTorchProfiler)
        })
        .collect();
    let is_total: Vec<bool> = strings.iter().map(|name| name.starts_with("Total ")).collect();
    let has_totals = is_total.contains(&true);
    if !has_totals && of_threads.iter().all(Option::is_none) {
        return Vec::new();
    }
    // Events of each thread without metadata.
    let mut sizes = vec![0u64; processes.threads.len()];
    for event in events.of_phases(|phase| phase != Phase::Metadata) {
        if let Some(utid) = processes.utid(events, event) {
            sizes[utid as usize] += 1;
        }
    }
    let mut found = Vec::new();
    for event in events.all() {
        if slices.ending(event).is_none() {
            continue;
        }
        let Some(utid) = processes.utid(events, event) else { continue };
        let start = || processes.processes[processes.upid(events, event) as usize].span;
        let is_clang_total = || {
            events.name(event).some().is_some_and(|name| is_total[name.0 as usize])
                && sizes[utid as usize] == 1
                && events.phase(event) == Phase::Complete
                && events.flags(event).has(Flags::ARGS)
                && start().map(|(start, _)| start) == events.ts(event)
        };
        let of_clang = || (has_totals && is_clang_total()).then_some(Aggregate::ClangTotals);
        let Some(aggregate) = of_threads[utid as usize].or_else(of_clang) else { continue };
        slices.mark_aggregate(event);
        if !found.contains(&aggregate) {
            found.push(aggregate);
        }
    }
    found.sort_unstable();
    found
}
