//! Questions about inputs.

use super::{
    only::{Only, Select, Whole},
    print::{Forms, Plain, Print},
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

// A question about all inputs, or parts of them. Not a documentation comment: the help is that of the question.
#[derive(Args, Debug)]
pub(crate) struct AboutAll<Q: Args, F: Forms = Plain> {
    #[arg(required = true, value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) inputs: Vec<Source>,

    #[command(flatten)]
    pub(crate) question: Q,

    #[command(flatten)]
    pub(crate) only: Only,

    #[command(flatten)]
    pub(crate) print: Print<F>,

    #[command(flatten)]
    pub(crate) work: Work,
}
