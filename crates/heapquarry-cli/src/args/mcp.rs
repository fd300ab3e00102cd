//! The verb `mcp`.

use super::{
    values::{at_least_one, size},
    work::{Private, Unpack},
};
use clap::Args;
use std::{num::NonZero, path::PathBuf};

/// Answer coding agents: a server of the Model Context Protocol on standard input and output
///
/// Its tools: open, leaks, compare, top, why, inspect, query. Answers are small, and say what was cut. Inputs stay open
/// between questions. Clients start it themselves: docs/agents.md has the lines for common ones.
#[derive(Args, Debug)]
pub(crate) struct Mcp {
    /// Only files in this folder may be read; can be repeated [default: all files]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,

    /// Memory of all open inputs together; the least recently used one is closed for another
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "8GB")]
    pub(crate) memory: u64,

    /// Worker threads, at most 8 per core [default: one per core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<NonZero<usize>>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    #[command(flatten)]
    pub(crate) private: Private,
}
