//! The verb `check`.

use super::{
    only::Only,
    print::PrintFigures,
    values::{INPUT_HELP, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;
use std::path::PathBuf;

/// Check an input against a budget; exit with 1 and list what exceeds its limit
#[derive(Args, Debug)]
pub(crate) struct Check {
    #[arg(required = true, value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) inputs: Vec<Source>,

    /// The inputs are runs of one program: limits apply to the median of each figure, and the spread is shown
    #[arg(long)]
    pub(crate) runs: bool,

    /// Budget file: limits in TOML
    #[arg(long, value_name = "FILE", required_unless_present = "save_baseline")]
    pub(crate) budget: Option<PathBuf>,

    /// Baseline of limits on growth: an input, or a file of --save-baseline; without it they are reported as skipped
    #[arg(long, value_name = "BASE", value_parser = source())]
    pub(crate) baseline: Option<Source>,

    /// Write the figures to this file, as a small baseline for later runs (JSON); of what exists, it replaces only
    /// another baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) save_baseline: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) only: Only,

    #[command(flatten)]
    pub(crate) print: PrintFigures,

    #[command(flatten)]
    pub(crate) work: Work,
}
