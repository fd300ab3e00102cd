//! The verb `why`.

use super::{
    objects::Objects,
    print::Print,
    values::{INPUT_HELP, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;

/// Show what keeps objects alive: the paths of references from a root
///
/// Paths are those that a program would write, which avoid caches and handles of the engine. Objects of classes are
/// grouped by the path to them.
#[derive(Args, Debug)]
pub(crate) struct Why {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    #[command(flatten)]
    pub(crate) of: Objects,

    /// Only objects that this earlier snapshot of the same process does not have
    #[arg(long, value_name = "BASE", value_parser = source())]
    pub(crate) new_since: Option<Source>,

    /// The shortest paths, as DevTools shows them
    #[arg(long)]
    pub(crate) shortest: bool,

    /// Maximum number of paths of the node, or of groups of objects that are shown with their path
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}
