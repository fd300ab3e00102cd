//! The verb `diff`.

use super::{
    only::Only,
    print::PrintFigures,
    values::{INPUT_HELP, share, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;
use std::path::PathBuf;

/// Show what grew between snapshots of one process, or what changed between profiles or traces
///
/// Compares the last input with the first. Snapshots are compared class by class, as in DevTools, and object by object.
/// With three or more snapshots it also tells what grows from each to the next, as `leaks` does. Profiles are compared
/// function by function. Traces are compared by the names of slices, threads, frames, counters and GPU streams; with
/// --before and --after, of several runs each.
#[derive(Args, Debug)]
pub(crate) struct Diff {
    #[arg(value_name = "BASE", value_parser = source(), help = INPUT_HELP, required_unless_present = "before")]
    pub(crate) base: Option<Source>,

    /// Later snapshots, profiles or traces, in order of time
    #[arg(required_unless_present = "before", value_name = "CURRENT", value_parser = source())]
    pub(crate) current: Vec<Source>,

    /// Traces of several runs before a change; five or more let a rank test tell changes from chance
    #[arg(
        long, value_name = "FILE", num_args = 1.., value_parser = source(), requires = "after",
        conflicts_with_all = ["base", "current", "runs"]
    )]
    pub(crate) before: Vec<Source>,

    /// Traces of several runs after it
    #[arg(long, value_name = "FILE", num_args = 1.., value_parser = source(), requires = "before")]
    pub(crate) after: Vec<Source>,

    /// Changes of figures of traces up to this share are noise
    #[arg(long, value_name = "SHARE", default_value = "3%", value_parser = share)]
    pub(crate) noise: f64,

    /// Exit with 1 if this limit is exceeded, such as `retained>+5%`, `class[Session].count>+10 and +1%`,
    /// `function[render].self_share>+2pp` or `slice[parse].p95>5 ms`; `any` if anything in a trace got worse; can be
    /// repeated
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_on: Vec<String>,

    #[command(flatten)]
    pub(crate) only: Only,

    /// Write the differences as Parquet tables to this directory
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing output directory that heapquarry wrote
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// Rows per table; JSON has all classes or functions
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    /// List the engine's own classes of heaps among the others
    #[arg(long)]
    pub(crate) engine: bool,

    /// The inputs after the first are runs of one program: limits apply to the median of each figure
    #[arg(long)]
    pub(crate) runs: bool,

    #[command(flatten)]
    pub(crate) print: PrintFigures,

    #[command(flatten)]
    pub(crate) work: Work,
}
