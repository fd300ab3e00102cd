//! Questions about one input.

use super::{
    only::{Select, Whole},
    print::Print,
    values::{INPUT_HELP, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;

// A question about one input, or a part of it. Not a documentation comment: the help is that of the question.
#[derive(Args, Debug)]
pub(crate) struct About<Q: Args, P: Select = Whole> {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    #[command(flatten)]
    pub(crate) question: Q,

    #[command(flatten)]
    pub(crate) part: P,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}
