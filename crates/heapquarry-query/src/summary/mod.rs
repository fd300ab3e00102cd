//! What is in an input.

mod several;

use crate::{
    By, Session,
    answer::{Answered, Caveat, CaveatKind},
    heap::summary::{self as heap, HeapSummary, IsolatesSummary},
    listing::SHOWN,
    process::{self, watch::WatchAnswer},
    profile::summary::{ProfileSummary, ProfilesSummary},
    question::{Question, question},
    session::Loaded,
    trace::summary::{TraceSummary, TracesSummary},
    view::{View, first_and_more},
};
use heapquarry::{Result, engine::Locate};
use heapquarry_report::Section;
use serde::Serialize;

question! {
    /// Summarise a heap, profile, trace or watch
    ///
    /// Heap: sizes by category, classes, biggest retainers, duplicate strings, detached nodes. Profile (CPU, sampling
    /// heap, self-profiling, pprof): functions by self and total time or size, and scripts. Trace: processes, threads,
    /// slices and asynchronous operations by name, counters, repairs. Several traces, or several profiles of one kind,
    /// are added up. A directory of `capture --all`: the heap of each isolate, main thread and workers. Watch of a
    /// process: what its memory did.
    pub struct Summary {
        /// Rows per list [default: 20; in JSON all classes, functions and scripts, and all lists of traces]
        #[arg(long, value_name = "N")]
        pub top: Option<usize> = None,

        /// Also sum up by package, script or function. Heap: sizes, where each byte belongs to exactly one of them, and
        /// the size that would be freed without it. Profiles, and CPU profiles of a trace: self and total values
        #[arg(long, value_enum, value_name = "WHAT")]
        pub by: Option<By> = None,

        /// Also show each of several inputs by itself: totals, and busy and idle times of GPUs
        #[arg(long)]
        pub each: bool = false,
    }
}

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
    /// Several profiles of one kind.
    Profiles(Box<ProfilesSummary>),
    /// Several traces.
    Traces(Box<TracesSummary>),
    /// The heaps of the isolates of a process.
    Isolates(Box<IsolatesSummary>),
    /// A watch of a process.
    Watch(Box<WatchAnswer>),
}

impl Question for Summary {
    const VERB: &'static str = "summary";
    type Answer = SummaryAnswer;

    fn ask(&self, session: &Session) -> Result<Answered<SummaryAnswer>> {
        let &Summary { top, by, .. } = self;
        let shown = self.top.unwrap_or(SHOWN);
        if session.sources().len() > 1 {
            let (caveats, answer) = several::summary(self, session)?;
            return session.answered(Self::VERB, caveats, answer, shown);
        }
        if let Some(watch) = process::Subject::open(session.source()?, session.options())? {
            let mut caveats = watch.caveats();
            if by.is_some() {
                caveats.push(process::remark(
                    "nothing tells whose the memory of a watched process is",
                ));
            }
            let answer = SummaryAnswer::Watch(watch.answer().into());
            return session.answered(Self::VERB, caveats, answer, shown);
        }
        if let Some(isolates) = session.source()?.isolates(session.options())? {
            let (mut caveats, found) = heap::isolates(top, &isolates, session.options())?;
            if by.is_some() {
                let one = &isolates[0].0;
                let text =
                    format!("by is not used for several isolates: ask about one, such as {one}");
                caveats.push(process::remark(&text));
            }
            let answer = SummaryAnswer::Isolates(found.into());
            return session.answered(Self::VERB, caveats, answer, shown);
        }
        let (caveats, answer) = match session.loaded()? {
            Loaded::Heap(heap) => {
                let found = heap.summary(top, by);
                let mut caveats: Vec<Caveat> = heap.caveats().cloned().collect();
                let input = session.source()?;
                caveats.extend(found.owners.as_ref().and_then(|owners| owners.caveat(input)));
                (caveats, SummaryAnswer::Heap(found.into()))
            }
            Loaded::Profile(profile) => {
                (profile.notes.clone(), SummaryAnswer::Profile(profile.summary(top, by).into()))
            }
            Loaded::Trace(trace) => {
                let found = trace.summary(top, by);
                let mut caveats = trace.notes.clone();
                if by.is_some() && found.cpu_profiles.is_none() {
                    let text = match &found.script_calls {
                        Some(_) => {
                            "no CPU profile was read of the trace, so only the calls of its scripts \
                             tell whose time it is"
                        }
                        None => {
                            "no CPU profile was read of the trace, so nothing tells whose time it is"
                        }
                    };
                    caveats.push(Caveat {
                        kind: CaveatKind::Remark,
                        input: None,
                        text: text.into(),
                    });
                }
                (caveats, SummaryAnswer::Trace(found.into()))
            }
        };
        session.answered(Self::VERB, caveats, answer, shown)
    }
}

impl View for SummaryAnswer {
    fn sections(&self, shown: usize) -> Vec<Section> {
        match self {
            SummaryAnswer::Heap(heap) => heap.sections(shown),
            SummaryAnswer::Profile(profile) => profile.sections(shown),
            SummaryAnswer::Trace(trace) => trace.sections(shown),
            SummaryAnswer::Profiles(profiles) => profiles.sections(shown),
            SummaryAnswer::Traces(traces) => traces.sections(shown),
            SummaryAnswer::Isolates(isolates) => isolates.sections(shown),
            SummaryAnswer::Watch(watch) => watch.sections(shown),
        }
    }

    fn subject(&self, inputs: &[String]) -> String {
        first_and_more(inputs)
    }
}
