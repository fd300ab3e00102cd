//! The verb `mcp`.

use super::{
    values::size,
    work::{Private, Reading},
};
use clap::Args;
use std::path::PathBuf;

/// Answer coding agents: a server of the Model Context Protocol on standard input and output
///
/// Its tools: open, leaks, compare, find, inspect, top, query. Answers are small, and say what was cut. Inputs stay
/// open between questions. Clients start it themselves: docs/agents.md has the lines for common ones.
#[derive(Args, Debug)]
pub(crate) struct Mcp {
    /// Only files in this folder may be read; can be repeated [default: all files]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,

    /// Let `open` capture processes of this machine, into new files: by an inspector's port, or by the id of a Node
    #[arg(long)]
    pub(crate) allow_capture: bool,

    /// Memory of all open inputs together; beyond it, the least recently used input is closed
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "8GB")]
    pub(crate) memory: u64,

    #[command(flatten)]
    pub(crate) reading: Reading,

    #[command(flatten)]
    pub(crate) private: Private,
}
