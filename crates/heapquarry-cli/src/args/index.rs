//! The verb `index`.

use super::{
    values::{INPUT_HELP, size, source},
    work::Resources,
};
use clap::Args;
use heapquarry::Source;

/// Read and analyse heaps once, and keep an index for further questions
///
/// The index is kept in the cache of the user, which `cache` lists. summary, show, why, find, diff, leaks, check,
/// report, open and mcp then read it instead of the file, and give the same answers sooner. It is used until the file
/// is changed or moved.
#[derive(Args, Debug)]
pub(crate) struct Index {
    #[arg(required = true, value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) inputs: Vec<Source>,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Refuse what needs more memory by an estimate, such as 8GB [default: the limit of the container]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,

    /// Print no progress bar
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
