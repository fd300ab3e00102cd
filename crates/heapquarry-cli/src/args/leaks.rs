//! The verb `leaks`.

use super::{
    print::{Limited, Print},
    values::source,
    work::Work,
};
use clap::Args;
use heapquarry::Source;
use std::path::PathBuf;

// Not a documentation comment: the help is that of the question.
#[derive(Args, Debug)]
pub(crate) struct LeaksArgs {
    /// The snapshots in the order of time, as files, plain or packed, or converted directories; INPUT#N selects
    /// document N (from 0); one directory stands for all snapshots in it
    #[arg(required_unless_present = "files_from", value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// Read names of snapshots from this file, or - for standard input, one on each line. Each snapshot is read as soon
    /// as its name arrives, while another program takes the next one
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub(crate) files_from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) question: heapquarry_query::Leaks,

    #[command(flatten)]
    pub(crate) print: Print<Limited>,

    #[command(flatten)]
    pub(crate) work: Work,
}
