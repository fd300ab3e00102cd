//! The verb `watch`.

use super::{Print, target::Target};
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = WATCH_EXAMPLES)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) target: Target,

    #[command(flatten)]
    pub(crate) question: heapquarry_query::Watch,

    #[command(flatten)]
    pub(crate) print: Print,

    /// Print no live line
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const WATCH_EXAMPLES: &str = "\
Examples:
  heapquarry watch 9229 --for 2min                            node --inspect
  heapquarry watch --pid 4711 --for 1h -o memory              a Node that runs already; samples as tables
  heapquarry watch 9229 --for 2min --max-pause 1s             collect a heap of 500 MB, too";
