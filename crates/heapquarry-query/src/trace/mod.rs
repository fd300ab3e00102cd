//! What is to be said about a trace.

mod aggregates;
pub mod calls;
mod counters;
pub mod diff;
mod event_set;
pub mod explore;
mod figures;
mod gpus;
mod lanes;
mod list;
mod operations;
mod page;
mod schedule;
mod selection;
mod slices;
pub mod summary;
mod tables;

pub use event_set::EventSet;
pub(crate) use figures::Figures;
pub(crate) use list::{STARTER, VOCABULARY, WITH_CHANGES};
pub(crate) use page::page;

use super::{other_format, profile};
use crate::answer::{Caveat, CaveatKind, NumberOrText};
use heapquarry::{
    Entry, Result, RunOptions, Source, Status,
    engine::{Loaded, Located, Purpose, load_trace, taken_by_events},
};
use heapquarry_formats::Format;
use heapquarry_rows::profile::Calls;
use heapquarry_timeline::{EventIndex, Ident, Key, Phase, Timeline};
use selection::Selection;
use std::sync::Arc;

/// A task that takes longer keeps a page from answering: <https://w3c.github.io/longtasks/>.
const LONG_NS: i64 = 50_000_000;

/// Returns an error unless the format is one of traces.
pub(crate) fn refuse_other(source: &Source, found: Format) -> Result<()> {
    match found.kind() {
        heapquarry_formats::Kind::Trace => Ok(()),
        _ => Err(other_format(source, "a trace", found)),
    }
}

/// A trace that has been read.
pub(crate) struct Subject {
    timeline: Timeline,
    selection: Selection,
    /// The CPU profiles in it, as one.
    pub(crate) profile: Option<Arc<profile::Subject>>,
    /// What its events run or compile.
    calls: Calls,
    log: Vec<Entry>,
    status: Status,
    /// Caveats: truncated or repaired input, and what else makes the numbers doubtful.
    pub(super) notes: Vec<Caveat>,
}

impl Subject {
    /// Reads a trace, out of a file or out of tables.
    pub(crate) fn open(source: &Source, located: Located, options: &RunOptions) -> Result<Self> {
        let Loaded { timeline, profile, mut calls, status, log, source_map_notes } =
            load_trace(&located, &options.purpose(Purpose::Questions))?;
        profile::cut_data(&mut calls.functions);
        let selection = Selection::new(source, &timeline)?;
        let part = source.part.as_ref().map(|part| format!("only {part}"));
        let remarks = part.into_iter().chain(aggregates::note(&timeline));
        let remarks = remarks.map(|text| Caveat {
            kind: CaveatKind::Remark,
            input: Some(source.to_string()),
            text,
        });
        // Samples of a profile belong to no event.
        let profile = profile.filter(|_| !selection.is_part);
        let profile = profile.map(|profile| Arc::new(profile::Subject::in_trace(profile, source)));
        let of_profile = profile.iter().flat_map(|profile| profile.notes.iter().cloned());
        let notes = Caveat::of_defects(source, status, &log).into_iter();
        let of_maps = Caveat::of_source_maps(source, source_map_notes);
        let notes = notes.chain(remarks).chain(of_profile).chain(of_maps).collect();
        Ok(Subject { timeline, selection, profile, calls, log, status, notes })
    }

    /// Memory that it takes, in bytes, about.
    pub(crate) fn held(&self) -> u64 {
        let profile = self.profile.as_ref().map_or(0, |profile| profile.held());
        let held = taken_by_events(&self.timeline.events).saturating_add(profile);
        held.saturating_add(self.calls.memory())
    }

    /// Whether an event is asked for.
    fn is_asked(&self, event: EventIndex) -> bool {
        self.selection.has(&self.timeline, event)
    }

    /// Whether an event is asked for, and is work of the program.
    fn is_wanted(&self, event: EventIndex) -> bool {
        self.selection.has_work(&self.timeline, event)
    }

    /// Start of the first event that is asked for, and end of the last.
    fn span(&self) -> Option<(i64, i64)> {
        if !self.selection.is_part {
            return span(&self.timeline);
        }
        let events = &self.timeline.events;
        let asked = events.all().filter(|&event| self.is_asked(event));
        asked.filter_map(|event| ends(&self.timeline, event)).reduce(joined)
    }

    /// Which processes, threads and series of counters are asked for: all of them, or those with events in the part.
    fn lanes_asked(&self) -> Lanes {
        let Timeline { events, processes, counters, .. } = &self.timeline;
        let is_whole = !self.selection.is_part;
        let mut asked = Lanes {
            processes: vec![is_whole; processes.processes.len()],
            threads: vec![is_whole; processes.threads.len()],
            series: vec![is_whole; counters.series.len()],
        };
        if is_whole {
            return asked;
        }
        for event in events.all().filter(|&event| self.is_asked(event)) {
            asked.processes[processes.upid(events, event) as usize] = true;
            if let Some(utid) = processes.utid(events, event) {
                asked.threads[utid as usize] = true;
            }
        }
        let values = (0..counters.len()).map(|at| counters.get(events, at));
        for value in values.filter(|value| self.is_asked(value.event)) {
            asked.series[value.series as usize] = true;
        }
        asked
    }

    fn start_and_end(&self) -> (i64, i64) {
        span(&self.timeline).unwrap_or((0, 0))
    }

    /// The slices with a known duration, and the threads that they are on.
    fn slices_of_threads(&self) -> impl Iterator<Item = (EventIndex, u32, i64, i64)> + '_ {
        let Timeline { events, slices, processes, .. } = &self.timeline;
        events.all().filter_map(move |event| {
            slices.self_dur(event)?;
            let thread = processes.utid(events, event)?;
            Some((event, thread, events.ts(event)?, slices.dur(events, event).max(0)))
        })
    }

    /// A text of the trace, if there is one.
    fn text(&self, key: Key) -> Option<String> {
        self.timeline.events.strings().get(key).map(String::from)
    }

    /// A `pid` or `tid`.
    fn ident(&self, ident: Ident) -> Option<NumberOrText> {
        match ident {
            Ident::None => None,
            Ident::Number(number) => Some(NumberOrText::Number(number)),
            Ident::Text(key) => self.text(key).map(NumberOrText::Text),
        }
    }
}

/// Some of the processes, threads and series of counters of a trace, by their numbers.
struct Lanes {
    processes: Vec<bool>,
    threads: Vec<bool>,
    series: Vec<bool>,
}

/// Start of the first event, and end of the last.
fn span(timeline: &Timeline) -> Option<(i64, i64)> {
    timeline.processes.processes.iter().filter_map(|process| process.span).reduce(joined)
}

fn joined(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Start and end of an event; metadata has none.
fn ends(timeline: &Timeline, event: EventIndex) -> Option<(i64, i64)> {
    let events = &timeline.events;
    let start = events.ts(event).filter(|_| events.phase(event) != Phase::Metadata)?;
    Some((start, start.saturating_add(events.dur(event).unwrap_or(0).max(0))))
}
