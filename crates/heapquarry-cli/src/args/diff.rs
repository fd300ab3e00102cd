//! The verb `diff`.

use super::{
    only::Only,
    print::{Measured, Print},
    values::{INPUT_HELP, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;

// Not a documentation comment: the help is that of the question.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    #[arg(value_name = "BASE", value_parser = source(), help = INPUT_HELP, required_unless_present = "before")]
    pub(crate) base: Option<Source>,

    /// Later snapshots, profiles or traces, in order of time
    #[arg(required_unless_present = "before", value_name = "CURRENT", value_parser = source())]
    pub(crate) current: Vec<Source>,

    /// Profiles or traces of several runs before a change; five or more let a rank test tell changes from chance. Or
    /// one heap
    #[arg(
        long, value_name = "FILE", num_args = 1.., value_parser = source(), requires = "after",
        conflicts_with_all = ["base", "current"]
    )]
    pub(crate) before: Vec<Source>,

    /// Profiles, traces or heaps of several runs after it: limits apply to the median of each figure
    #[arg(long, value_name = "FILE", num_args = 1.., value_parser = source(), requires = "before")]
    pub(crate) after: Vec<Source>,

    #[command(flatten)]
    pub(crate) question: heapquarry_query::Diff,

    #[command(flatten)]
    pub(crate) only: Only,

    #[command(flatten)]
    pub(crate) print: Print<Measured>,

    #[command(flatten)]
    pub(crate) work: Work,
}
