//! The part of a trace that a page draws.

use super::{Numbers, Texts};
use serde::Serialize;

/// A trace: the longest slices of the threads, flows between them, and counters; or the samples of a profile in the
/// order of time, whose slices are calls. Times are in nanoseconds from the start.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trace {
    /// From the first event to the end of the last.
    pub span: u64,
    /// Slices in the trace.
    pub slice_count: u64,
    /// The threads.
    pub lanes: Lanes,
    /// The slices that are kept.
    pub slices: Slices,
    /// What was passed to some of them.
    pub arguments: Arguments,
    /// Arrows between kept slices: positions.
    pub flows: Flows,
    /// Series of values.
    pub counters: Vec<Counter>,
    /// Names of slices, categories, threads and counters.
    pub texts: Texts,
}

/// Threads with slices, those of a process together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Lanes {
    /// Names, as numbers of texts.
    pub name: Numbers,
    /// Names of the processes, as numbers of texts.
    pub process: Numbers,
    /// In how many equal parts of the span `busy` says how busy a thread was.
    pub parts: u32,
    /// For each lane and part, how much of it slices cover: 0 to 255.
    pub busy: Numbers,
}

/// Kept slices, sorted by lane and start; what contains others comes before them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Slices {
    /// Positions of the events that begin them: `slice.id` of the tables. Empty of calls.
    pub id: Numbers,
    /// Positions of the lanes.
    pub lane: Numbers,
    /// Slices around them.
    pub depth: Numbers,
    /// Starts.
    pub start: Numbers,
    /// Durations.
    pub dur: Numbers,
    /// Names, as numbers of texts.
    pub name: Numbers,
    /// Categories, as numbers of texts; of calls where their functions are.
    pub category: Numbers,
    /// Their times without slices within them. Empty of calls.
    pub own: Numbers,
    /// Scripts of calls, as numbers of texts. Empty of slices.
    pub script: Numbers,
    /// What slices call, as numbers of texts. Empty of calls, and if no slice tells.
    pub called: Numbers,
}

/// Arguments of slices.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Arguments {
    /// Positions of the slices.
    pub of: Numbers,
    /// Their arguments, as JSON, perhaps cut.
    pub text: Vec<String>,
}

/// Arrows between slices.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Flows {
    /// Where they start.
    pub from: Numbers,
    /// Where they end.
    pub to: Numbers,
}

/// Values of a counter.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counter {
    /// Its name, as number of a text.
    pub name: u32,
    /// Times, ascending.
    pub at: Numbers,
    /// The values from these times on. Of times that are close only the last and the largest are here.
    pub value: Vec<f64>,
}
