//! What is to be said about a trace.

mod aggregates;
mod asked;
mod compare;
mod counters;
mod figures;
mod lanes;
mod list;
mod operations;
mod page;
mod roles;
mod schedule;
mod selection;
mod slices;
mod tables;

pub(crate) use asked::asked;
pub(super) use compare::{diff, rule};
pub(super) use figures::Figures;
pub(super) use list::VOCABULARY;
pub(super) use page::page;

use super::{
    defects, other_format, profile,
    sections::{issues, values},
};
use heapquarry::{
    Entry, Result, RunOptions, Source, Status,
    engine::{Loaded, Located, Purpose, load_trace},
};
use heapquarry_formats::Format;
use heapquarry_report::{Cell, Section, Unit};
use heapquarry_timeline::{EventIndex, Ident, Key, Phase, Timeline};
use selection::Selection;

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
    selection: Selection,
    /// The CPU profiles in it, as one.
    profile: Option<profile::Subject>,
    log: Vec<Entry>,
    status: Status,
    /// What is to be known before its numbers are believed.
    pub(super) notes: Vec<String>,
}

impl Subject {
    /// Reads a trace, out of a file or out of tables.
    pub(super) fn open(source: &Source, located: Located, options: &RunOptions) -> Result<Self> {
        let Loaded { timeline, profile, status, log } =
            load_trace(&located, &options.purpose(Purpose::Questions))?;
        let selection = Selection::new(source, &timeline)?;
        let defects = defects(status, &log);
        let part = source.part.as_ref().map(|part| format!("only {part}"));
        let notes = defects.into_iter().chain(part).chain(aggregates::note(&timeline));
        let notes = notes.map(|note| format!("{source}: {note}")).collect();
        // Samples of a profile belong to no event.
        let profile = profile.filter(|_| !selection.is_part).map(profile::Subject::in_trace);
        Ok(Subject { timeline, selection, profile, log, status, notes })
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
        let events = &self.timeline.events;
        let count = |test: &dyn Fn(EventIndex) -> bool| {
            let asked = events.all().filter(|&event| self.is_asked(event));
            Cell::count(asked.filter(|&event| test(event)).count() as u64)
        };
        let is_slice = |event| self.timeline.slices.ending(event).is_some();
        let is_point = |event| events.is_instant(event);
        let operations = self.lasting().filter(|slice| self.is_asked(slice.event)).count();
        let Lanes { processes, threads, series } = self.lanes_asked();
        let of = |lanes: Vec<bool>| Cell::count(lanes.into_iter().filter(|&is| is).count() as u64);
        let flows = self.timeline.flows.iter();
        let flows = flows.filter(|flow| self.is_asked(flow.from) && self.is_asked(flow.to)).count();
        values(
            "totals",
            "Trace",
            [
                ("duration_ns", "Duration", duration(self.span())),
                ("event_count", "Events", count(&|_| true)),
                ("process_count", "Processes", of(processes)),
                ("thread_count", "Threads", of(threads)),
                ("slice_count", "Slices", count(&is_slice)),
                ("operation_count", "Asynchronous operations", Cell::count(operations as u64)),
                ("instant_count", "Instants", count(&is_point)),
                ("flow_count", "Flows", Cell::count(flows as u64)),
                ("counter_count", "Counter series", of(series)),
            ],
        )
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

fn nanos(nanos: i64) -> Cell {
    Cell::Number(nanos, Unit::Nanos)
}

fn duration(span: Option<(i64, i64)>) -> Cell {
    span.map_or(Cell::Empty, |(start, end)| nanos(end.saturating_sub(start)))
}
