//! The verb `summary`.

use super::{
    only::Only,
    print::Print,
    values::{INPUT_HELP, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;

/// Summarise a heap, profile or trace
///
/// Heap: sizes by category, classes, biggest retainers, duplicate strings, detached nodes. Profile (CPU, sampling heap,
/// self-profiling, pprof): functions by self and total time or size, and scripts. Trace: processes, threads, slices and
/// asynchronous operations by name, counters, repairs.
#[derive(Args, Debug)]
pub(crate) struct Summary {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    /// Rows per table; JSON has all classes, functions and scripts, and all tables of traces
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) only: Only,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}
