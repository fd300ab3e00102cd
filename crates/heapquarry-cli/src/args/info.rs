//! The verb `info`.

use super::{values::source, work::Unpack};
use clap::Args;
use heapquarry::Source;

/// Inspect inputs without converting: format, producer, sections, counts, sizes
#[derive(Args, Debug)]
pub(crate) struct Info {
    /// Files to inspect; - for standard input
    #[arg(required = true, value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Print a JSON array with one object per input
    #[arg(long)]
    pub(crate) json: bool,
}
