//! The verb `report`.

use super::{values::source, work::Work};
use clap::Args;
use heapquarry::Source;
use std::path::PathBuf;

/// Draw a heap, profile, trace or watch as one HTML file
///
/// Heap: memory map, what holds the memory, classes; of several snapshots of one process also what leaks and what grew;
/// of timelines the stacks of allocations. Profile: flame graph; of two also what changed. Trace: threads over time,
/// long tasks, counters. Watch of a process: verdict, curves of its memory. A file of several documents: a part for
/// each. The file opens offline in any current browser, loads nothing and stays small: it has the largest entries, and
/// sums of the rest.
#[derive(Args, Debug)]
pub(crate) struct Report {
    /// Files, plain or compressed (gzip, zstd, zlib, zip, tar), - for standard input, or converted directories; several
    /// snapshots or profiles in the order of time; INPUT#N selects document N (from 0)
    #[arg(required = true, value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// The file; - for standard output [default: the last input's name with the extension .html]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Title [default: the names of the inputs]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Begin with the marks of this file, which the page of `open` saved
    #[arg(long, value_name = "FILE")]
    pub(crate) marks: Option<PathBuf>,

    /// Replace an existing file that is no report of heapquarry
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) work: Work,
}
