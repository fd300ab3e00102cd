//! What is returned for a question: an answer in an envelope, as JSON and as a report.

use crate::{
    answer::{Caveat, brief},
    view::View,
};
use heapquarry_report::{Check, Measure, Report, printable};
use serde::Serialize;
use std::io::{self, Write};

/// Version of the JSON form of answers. It rises when a member changes its meaning or goes away.
pub const VERSION: u32 = 2;

/// An answer with what is to be known of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answered<A> {
    /// Version of this form; now 2.
    pub version: u32,
    /// The verb: `summary`.
    pub verb: &'static str,
    /// The inputs as given, the earliest first.
    pub inputs: Vec<String>,
    /// Why numbers may rest on less than the whole input, or mean less than they seem to.
    pub caveats: Vec<Caveat>,
    /// What was found.
    #[serde(flatten)]
    pub answer: A,
    /// Rows of each list that people see.
    #[serde(skip)]
    pub(crate) shown: usize,
    /// Results of limits.
    #[serde(skip)]
    pub(crate) checks: Vec<Check>,
}

impl<A> Answered<A> {
    /// The answer of a verb.
    pub(crate) fn new(
        verb: &'static str,
        inputs: Vec<String>,
        caveats: Vec<Caveat>,
        answer: A,
        shown: usize,
    ) -> Self {
        Answered { version: VERSION, verb, inputs, caveats, answer, shown, checks: Vec::new() }
    }
}

impl<A: View> Answered<A> {
    /// What people see.
    pub fn report(&self) -> Report {
        Report {
            command: format!("heapquarry {}", self.verb).into(),
            subject: self.answer.subject(&self.inputs),
            notes: self.caveats.iter().map(ToString::to_string).collect(),
            sections: self.answer.sections(self.shown),
            checks: self.checks.clone(),
            measures: self.answer.figures().iter().map(Measure::from).collect(),
        }
    }
}

/// An answer of any verb, for what prints it.
pub trait Answer: Send + Sync {
    /// What people see.
    fn report(&self) -> Report;

    /// Writes its JSON form, in one line unless indented, and a line end.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_json(&self, indented: bool, out: &mut dyn Write) -> io::Result<()>;

    /// Writes of its JSON form what fits [`BYTES`](heapquarry_report::brief::BYTES), in one line. Its member `more` has
    /// the lists that were cut.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_brief(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<A: View + Serialize + Send + Sync> Answer for Answered<A> {
    fn report(&self) -> Report {
        Answered::report(self)
    }

    fn write_json(&self, indented: bool, out: &mut dyn Write) -> io::Result<()> {
        printable::json(self, indented, out)?;
        out.write_all(b"\n")
    }

    fn write_brief(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&brief::text(printable::json_value(self)?)?)
    }
}
