//! The verb `extract`.

use super::{values::source, work::Unpack};
use clap::Args;
use heapquarry::Source;
use std::path::PathBuf;

/// Extract documents from a container, byte for byte: .heapsnapshot, .heaptimeline, .cpuprofile files
///
/// The container is an .htrace file, a file of DevTools messages, or an archive (zip, tar). Prints the paths of the
/// files.
#[derive(Args, Debug)]
pub(crate) struct Extract {
    /// The container, compressed or not; INPUT#N selects document N (from 0)
    #[arg(value_name = "INPUT", value_parser = source())]
    pub(crate) input: Source,

    /// Directory for the files
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
}
