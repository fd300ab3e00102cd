//! What is in an input.

use crate::{
    Session,
    answer::Answered,
    heap::summary::HeapSummary,
    profile::summary::ProfileSummary,
    question::{Question, question},
    session::Loaded,
    trace::summary::TraceSummary,
    view::View,
};
use heapquarry::Result;
use heapquarry_report::Section;
use serde::Serialize;

question! {
    /// Summarise a heap, profile or trace
    ///
    /// Heap: sizes by category, classes, biggest retainers, duplicate strings, detached nodes. Profile (CPU, sampling
    /// heap, self-profiling, pprof): functions by self and total time or size, and scripts. Trace: processes, threads,
    /// slices and asynchronous operations by name, counters, repairs.
    pub struct Summary {
        /// Rows per list [default: 20; in JSON all classes, functions and scripts, and all lists of traces]
        #[arg(long, value_name = "N")]
        pub top: Option<usize> = None,
    }
}

/// Rows of a list that people see unless another number is asked for.
pub(crate) const SHOWN: usize = 20;

/// What is in an input, by its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SummaryAnswer {
    /// A heap.
    Heap(Box<HeapSummary>),
    /// A profile.
    Profile(Box<ProfileSummary>),
    /// A trace.
    Trace(Box<TraceSummary>),
}

impl Question for Summary {
    const VERB: &'static str = "summary";
    type Answer = SummaryAnswer;

    fn ask(&self, session: &Session) -> Result<Answered<SummaryAnswer>> {
        let (caveats, answer) = match session.loaded()? {
            Loaded::Heap(heap) => (
                heap.caveats().cloned().collect(),
                SummaryAnswer::Heap(heap.summary(self.top).into()),
            ),
            Loaded::Profile(profile) => {
                (profile.notes.clone(), SummaryAnswer::Profile(profile.summary(self.top).into()))
            }
            Loaded::Trace(trace) => {
                (trace.notes.clone(), SummaryAnswer::Trace(trace.summary(self.top).into()))
            }
        };
        let shown = self.top.unwrap_or(SHOWN);
        Ok(Answered::new(Self::VERB, session.names(), caveats, answer, shown))
    }
}

impl View for SummaryAnswer {
    fn sections(&self, shown: usize) -> Vec<Section> {
        match self {
            SummaryAnswer::Heap(heap) => heap.sections(shown),
            SummaryAnswer::Profile(profile) => profile.sections(shown),
            SummaryAnswer::Trace(trace) => trace.sections(shown),
        }
    }
}
