//! The verb `show`.

use super::{
    objects::Objects,
    print::Print,
    values::{INPUT_HELP, source},
    work::Work,
};
use clap::Args;
use heapquarry::Source;

/// Show what is in an object, and who holds it
///
/// Fields, elements and entries with their values; of a function where it is written and the variables that it sees;
/// what the object alone holds; retainers by class and name. With --class: the objects of the class, biggest first, and
/// their fields.
#[derive(Args, Debug)]
pub(crate) struct Show {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    #[command(flatten)]
    pub(crate) of: Objects,

    /// Rows of each list to leave out before the first that is shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,

    /// Rows of each list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}
