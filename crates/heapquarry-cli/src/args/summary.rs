//! The verb `summary`.

use super::{
    only::Only,
    print::Print,
    values::{INPUT_HELP, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;

// Not a documentation comment: the help is that of the question.
#[derive(Args, Debug)]
pub(crate) struct SummaryArgs {
    #[arg(required = true, value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) inputs: Vec<Source>,

    #[command(flatten)]
    pub(crate) question: heapquarry_query::Summary,

    #[command(flatten)]
    pub(crate) only: Only,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}
