//! How work is run, and how inputs are unpacked and redacted.
//!
//! Groups of options have no documentation comments: clap would take them for the help of the verbs that have them.

use super::{
    names::NameMaps,
    redact::RedactLevel,
    values::{at_least_one, size},
};
use clap::Args;
use std::{num::NonZero, path::PathBuf};

/// Headings of options in the help. Each option names its own: that of a group would hold for the options after it.
const WORK: &str = "Resources";
const PRIVATE: &str = "Redaction";

// Options of the run.
#[derive(Args, Debug)]
pub(crate) struct Work {
    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Refuse what needs more memory by an estimate, such as 8GB [default: the limit of the container]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = WORK)]
    pub(crate) memory: Option<u64>,

    /// Neither read nor write the cache
    #[arg(long, help_heading = WORK)]
    pub(crate) no_cache: bool,

    /// Print no progress bar
    #[arg(short, long, help_heading = WORK)]
    pub(crate) quiet: bool,
}

// How inputs are read.
#[derive(Args, Debug)]
pub(crate) struct Reading {
    #[command(flatten)]
    pub(crate) resources: Resources,

    #[command(flatten)]
    pub(crate) names: NameMaps,
}

// How much of the machine is used.
#[derive(Args, Debug)]
pub(crate) struct Resources {
    /// Worker threads, at most 8 per core [default: one per core]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = WORK)]
    pub(crate) threads: Option<NonZero<usize>>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,
}

// How inputs are unpacked.
#[derive(Args, Debug)]
pub(crate) struct Unpack {
    /// Most bytes of temporary files per input, such as 20GB [default: 100 times the size of the input, at least 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = WORK)]
    pub(crate) max_spool: Option<u64>,
}

// What is taken out of the inputs before they are read: where bytes leave this machine, or the hands of who asks. Other
// verbs can be asked about a copy that `redact` made.
#[derive(Args, Debug)]
pub(crate) struct Private {
    /// Redact inputs before they are read, as `heapquarry redact --level LEVEL` does
    #[arg(long, value_enum, value_name = "LEVEL", hide_possible_values = true, help_heading = PRIVATE)]
    pub(crate) redact: Option<RedactLevel>,

    /// A secret file, like --key of `redact`
    #[arg(long, value_name = "FILE", requires = "redact", help_heading = PRIVATE)]
    pub(crate) redact_key: Option<PathBuf>,

    /// Like --keep of `redact`: keep a name, or the strings of Class.property; can be repeated
    #[arg(long, value_name = "NAME", requires = "redact", help_heading = PRIVATE)]
    pub(crate) redact_keep: Vec<String>,

    /// Like --deny of `redact`: take out strings with a match of this pattern; can be repeated
    #[arg(long, value_name = "REGEX", requires = "redact", help_heading = PRIVATE)]
    pub(crate) redact_deny: Vec<String>,
}
