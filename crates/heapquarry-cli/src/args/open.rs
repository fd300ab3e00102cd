//! The verb `open`.

use super::{values::source, work::Work};
use clap::Args;
use heapquarry::Source;

/// Look at all of a heap, profile, trace or watch in the browser, on this machine
///
/// Heap: classes, objects of a class, content and retainers of an object, a map of memory; of several snapshots of one
/// process also growth. Profile: flame graphs, merged and in the order of time, call tree, bottom-up, callers and
/// callees, packages; of several also changes. Trace: threads, operations and counters over time, slices, long tasks.
/// Watch of a process: verdict, curves of its memory. The input is analysed once and stays in memory; the page loads
/// only what it shows. The address has a secret, and only this machine is served. Ctrl-C ends it, and so does closing
/// the last page.
#[derive(Args, Debug)]
pub(crate) struct Open {
    /// A file, plain or compressed (gzip, zstd, zlib, zip, tar), - for standard input, or a directory that
    /// `heapquarry convert` wrote; INPUT#N selects document N (from 0), or CPU profile N of a trace (from 1); several
    /// heap snapshots of one process, or profiles of one kind, in the order of time: the last one is shown, with what
    /// grew or changed since the first
    #[arg(required = true, value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// Do not open the browser: only print the address
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// Port on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,

    /// Seconds from the closing of the last page to the end of the server
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) close_after: u32,

    #[command(flatten)]
    pub(crate) work: Work,
}
