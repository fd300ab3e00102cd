//! The verb `capture`.

use super::{
    target::Target,
    work::{Private, Work},
};
use clap::{Args, ValueEnum, value_parser};
use std::{path::PathBuf, time::Duration};

/// Capture a heap snapshot, profile or trace of a running process
///
/// The process can be Node, Chrome, Chromium, Electron, Deno or workerd; it is asked over the DevTools protocol. A heap
/// snapshot is refused if the process has too little memory for it. If the process ends meanwhile, the part that came
/// is kept, and the exit code is 2.
#[derive(Args, Debug)]
#[command(after_help = CAPTURE_EXAMPLES)]
pub(crate) struct Capture {
    #[command(flatten)]
    pub(crate) target: Target,

    /// Print the targets of the port, and their workers
    #[arg(long)]
    pub(crate) list: bool,

    /// Capture the main thread of a Node or a page and all its workers, each as a document of its own
    #[arg(long, conflicts_with_all = ["count", "raw", "then", "list"])]
    pub(crate) all: bool,

    /// What to capture
    #[arg(long, value_enum, value_name = "KIND", default_value_t = CaptureKind::Heap)]
    pub(crate) kind: CaptureKind,

    /// How long to record, such as 10s [default: until an interrupt]
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    pub(crate) duration: Option<Duration>,

    /// Number of captures, such as 3 for `--then leaks`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1000))]
    pub(crate) count: u32,

    /// Time between captures
    #[arg(long, value_name = "TIME", value_parser = time, requires = "count")]
    pub(crate) every: Option<Duration>,

    /// Refuse a heap snapshot that would stop the process for longer, by an estimate
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) max_pause: Option<Duration>,

    /// Collect garbage before each capture
    #[arg(long)]
    pub(crate) gc: bool,

    /// Include values of numbers in heap snapshots
    #[arg(long)]
    pub(crate) numeric: bool,

    /// Include objects of the engine in heap snapshots
    #[arg(long)]
    pub(crate) internals: bool,

    /// Output directory of tables [default: capture.tables, without --raw and --then]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Also write tables of what Chrome DevTools computes, as convert does: retained sizes, classes, names of sources
    #[arg(long)]
    pub(crate) analyze: bool,

    /// Write the bytes of the engine to this file; .gz and .zst are packed; with --count, -1, -2 and so on go into its
    /// name. Of a heap snapshot, FILE.process.json has the memory of the process; FILE.maps.json has the source maps of
    /// its scripts, unless it is redacted
    #[arg(long, value_name = "FILE")]
    pub(crate) raw: Option<PathBuf>,

    /// Run this command on the captures; report writes an HTML file
    #[arg(long, value_enum, value_name = "COMMAND")]
    pub(crate) then: Option<Then>,

    /// Replace existing output, and capture even without room; with --pid, open the inspector of a process that is not
    /// called node, too
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) work: Work,

    #[command(flatten)]
    pub(crate) private: Private,
}

const CAPTURE_EXAMPLES: &str = "\
Examples:
  heapquarry capture --pid 4711 --raw app.heapsnapshot.zst    a Node that runs already
  heapquarry capture 9229 --then summary                      node --inspect
  heapquarry capture 9229/worker-5 --then summary             a worker of it; --list shows them
  heapquarry capture 9229 --gc --count 3 --every 30s --then leaks
  heapquarry capture 9222 --list                              chromium --remote-debugging-port=9222
  heapquarry capture 9229 --kind cpu --for 10s      --then report";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaptureKind {
    /// Heap snapshot
    Heap,
    /// Allocations by function, sampled
    HeapSampling,
    /// CPU profile
    Cpu,
    /// Heap snapshot with the allocations before it
    Timeline,
    /// Trace of events
    Trace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Then {
    Summary,
    Leaks,
    Report,
}

/// A time with its unit.
fn time(text: &str) -> Result<Duration, String> {
    use heapquarry::report::{Amount, Limit, Unit};
    let expected = || "expected a time, such as 10s or 500ms".to_owned();
    if text.ends_with(|c: char| c.is_ascii_digit()) {
        return Err(expected());
    }
    match Limit::parse(text, Unit::Micros).map_err(|_| expected())?.amounts[..] {
        [Amount::Max(micros @ 0..)] => Ok(Duration::from_micros(micros.unsigned_abs())),
        _ => Err(expected()),
    }
}
