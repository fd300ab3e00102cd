//! The verb `leaks`.

use super::{print::PrintChecks, values::source, work::Work};
use clap::Args;
use heapquarry::Source;
use std::path::PathBuf;

/// Name what leaks: the places that grow in every step between heap snapshots of one process
///
/// For each: who holds it (class and field, variable or global), what it holds more of and how much, and where that is
/// made. Take three snapshots or more, after warm-up, with the same work between them; with two, a cache that fills
/// once looks like a leak.
#[derive(Args, Debug)]
pub(crate) struct Leaks {
    /// The snapshots in the order of time, as files, plain or packed, or converted directories; INPUT#N selects
    /// document N (from 0); one directory stands for all snapshots in it
    #[arg(required_unless_present = "files_from", value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// Read the names of the snapshots from a file, or - for standard input, one in a line; each snapshot is read as
    /// soon as its name is there, while the next one is taken
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub(crate) files_from: Option<PathBuf>,

    /// Exit with 1 if something leaks: `any`, so many findings or more (`3`), one that grows by more than a size
    /// (`100kB`), or an expression as `leak[SessionStore*].growth > 1 MB` or `leaks.count > 2`; several may be given
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_on: Vec<String>,

    /// Leave out places that may grow, by owner or way, such as `Cache.entries`; * matches any text; can be repeated
    #[arg(long, value_name = "OWNER")]
    pub(crate) ignore: Vec<String>,

    /// Findings to show; JSON has all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,

    /// Fail if a snapshot is damaged
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) print: PrintChecks,

    #[command(flatten)]
    pub(crate) work: Work,
}
