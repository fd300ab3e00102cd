//! The part of an input that is looked at.
//!
//! Groups of options have no documentation comments: clap would take them for the help of the verbs that have them.

use clap::Args;
use heapquarry::{Part, Source};

/// The heading of its options in the help. Each names it: a heading of the group would hold for the options after it.
const PART: &str = "Part of a trace";

// A part of a trace, or some values of a profile.
#[derive(Args, Debug)]
pub(crate) struct Only {
    /// Only this process, by name or id; * matches any text; can be repeated
    #[arg(long, value_name = "NAME", help_heading = PART)]
    process: Vec<String>,

    /// Only this thread, likewise
    #[arg(long, value_name = "NAME", help_heading = PART)]
    thread: Vec<String>,

    /// Only events of this category, likewise
    #[arg(long, value_name = "NAME", help_heading = PART)]
    category: Vec<String>,

    /// Only what begins at this time or later: seconds after the start of the trace, or the name of an event
    #[arg(long, value_name = "WHEN", help_heading = PART)]
    from: Option<String>,

    /// Only what begins at this time or earlier: seconds, or the name of an event, whose end counts
    #[arg(long, value_name = "WHEN", help_heading = PART)]
    until: Option<String>,

    /// Values of a pprof profile to use, such as alloc_space [default: the profile's default type]
    #[arg(long, value_name = "TYPE", help_heading = "Values of a pprof profile")]
    sample_type: Option<String>,
}

/// Which part of an input is looked at.
pub(crate) trait Select: Args {
    /// That part of a source.
    fn of(&self, source: &Source) -> Source;
}

// All of an input.
#[derive(Args, Debug)]
pub(crate) struct Whole {}

impl Select for Whole {
    fn of(&self, source: &Source) -> Source {
        source.clone()
    }
}

impl Select for Only {
    fn of(&self, source: &Source) -> Source {
        let Only { process, thread, category, from, until, sample_type } = self;
        let part = Part::default()
            .processes(process.clone())
            .threads(thread.clone())
            .categories(category.clone())
            .from(from.clone())
            .until(until.clone());
        let source = source.clone().part(part);
        match sample_type {
            Some(name) => source.sample_type(name),
            None => source,
        }
    }
}
