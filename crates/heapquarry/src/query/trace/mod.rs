//! What is to be said about a trace.

mod compare;
mod counters;
mod figures;
mod lanes;
mod list;
mod operations;
mod page;
mod roles;
mod schedule;
mod slices;

pub(super) use compare::{diff, rule};
pub(super) use figures::Figures;
pub(super) use list::VOCABULARY;
pub(super) use page::page;

use super::{
    defects, other_format, profile,
    sections::{issues, values},
};
use crate::{
    Entry, Result, RunOptions, Source, Status,
    source::Located,
    trace::{Loaded, load},
};
use heapquarry_formats::Format;
use heapquarry_report::{Cell, Section, Unit};
use heapquarry_timeline::{EventIndex, Ident, Key, Timeline};

/// A task that takes longer keeps a page from answering: <https://w3c.github.io/longtasks/>.
const LONG_NS: i64 = 50_000_000;

/// Returns an error unless the format is one of traces.
pub(super) fn refuse_other(source: &Source, found: Format) -> Result<()> {
    match found.kind() {
        heapquarry_formats::Kind::Trace => Ok(()),
        _ => Err(other_format(source, "a trace", found)),
    }
}

/// A trace that has been read.
pub(super) struct Subject {
    timeline: Timeline,
    /// The CPU profiles in it, as one.
    profile: Option<profile::Subject>,
    log: Vec<Entry>,
    status: Status,
    /// What is to be said of how it was read: nothing if it was whole.
    pub(super) note: Option<String>,
}

impl Subject {
    /// Reads a trace, out of a file or out of tables.
    pub(super) fn open(source: &Source, located: Located, options: &RunOptions) -> Result<Self> {
        let Loaded { timeline, profile, status, log } = load(&located, options)?;
        let profile = profile.map(profile::Subject::in_trace);
        let note = defects(status, &log).map(|defects| format!("{source}: {defects}"));
        Ok(Subject { timeline, profile, log, status, note })
    }

    pub(super) fn summary(&self, top: usize) -> Vec<Section> {
        let [slices, by_total] = self.slices(top);
        let [processes, threads] = self.lanes(top);
        let mut sections = vec![self.totals(), processes, threads];
        sections.extend(self.schedule(top));
        sections.extend([slices, by_total]);
        let of_profile = self.profile.iter().flat_map(|profile| profile.summary_in_trace(top));
        sections.extend(of_profile);
        sections.extend([self.operations(top), self.counters(top), issues(&self.log)]);
        sections
    }

    fn totals(&self) -> Section {
        let Timeline { events, processes, .. } = &self.timeline;
        let spans = || processes.processes.iter().filter_map(|process| process.span);
        let (start, end) = (spans().map(|s| s.0).min(), spans().map(|s| s.1).max());
        let count = |test: &dyn Fn(EventIndex) -> bool| {
            Cell::count(events.all().filter(|&event| test(event)).count() as u64)
        };
        let is_slice = |event| self.timeline.slices.ending(event).is_some();
        let is_point = |event| events.is_instant(event);
        let operations = self.lasting().count();
        values(
            "totals",
            "Trace",
            [
                ("duration_ns", "Duration", duration(start.zip(end))),
                ("event_count", "Events", Cell::count(events.len())),
                ("process_count", "Processes", Cell::count(processes.processes.len() as u64)),
                ("thread_count", "Threads", Cell::count(processes.threads.len() as u64)),
                ("slice_count", "Slices", count(&is_slice)),
                ("operation_count", "Asynchronous operations", Cell::count(operations as u64)),
                ("instant_count", "Instants", count(&is_point)),
                ("flow_count", "Flows", Cell::count(self.timeline.flows.len() as u64)),
                (
                    "counter_count",
                    "Counter series",
                    Cell::count(self.timeline.counters.series.len() as u64),
                ),
            ],
        )
    }

    fn start_and_end(&self) -> (i64, i64) {
        let spans = || self.timeline.processes.processes.iter().filter_map(|process| process.span);
        let start = spans().map(|span| span.0).min().unwrap_or(0);
        (start, spans().map(|span| span.1).max().unwrap_or(start))
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
    fn text(&self, key: Key) -> Cell {
        self.timeline.events.strings().get(key).map_or(Cell::Empty, Cell::name)
    }

    /// A `pid` or `tid`.
    fn ident(&self, ident: Ident) -> Cell {
        match ident {
            Ident::None => Cell::Empty,
            Ident::Number(number) => Cell::Number(number, Unit::Plain),
            Ident::Text(key) => self.text(key),
        }
    }
}

fn nanos(nanos: i64) -> Cell {
    Cell::Number(nanos, Unit::Nanos)
}

fn duration(span: Option<(i64, i64)>) -> Cell {
    span.map_or(Cell::Empty, |(start, end)| nanos(end.saturating_sub(start)))
}
