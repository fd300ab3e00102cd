//! A trace, drawn.

use super::{
    Subject,
    explore::{LongTask, RanTime, TraceExplorer},
};
use crate::{
    Page, Session,
    flame::CALLS,
    room::Room,
    texts,
    view::{Col, Shown, View, rows_of},
};
use heapquarry::{Result, RunOptions, Source, engine::Located};
use heapquarry_base::Order;
use heapquarry_html::{
    Block, Drawing,
    model::{Arguments, Counter, Flows, Lanes, Slices, Texts, Trace},
};
use heapquarry_report::{Body, Cell, Unit, printable};
use heapquarry_timeline::{EventIndex, Ident, Key, Timeline, Value};
use std::{cmp::Reverse, collections::HashMap, sync::Arc};

/// Slices that are drawn.
const SLICES: usize = 20_000;
/// Threads that are drawn.
const LANES: usize = 200;
/// Parts of the span for which it is known how busy each thread was.
const PARTS: usize = 400;
/// Slices whose arguments are in the file: those that last longest.
const ARGUMENTS: usize = 2_000;
/// Characters of the arguments of a slice.
const ARGUMENT_CHARS: usize = 1_000;
/// Arrows.
const FLOWS: usize = 5_000;
/// Counter series, and values of each.
const COUNTERS: usize = 24;
const VALUES: usize = 400;
/// Rows of tables.
const ROWS: usize = 100;

/// The blocks of the page of a trace, and the notes on how it was read.
pub(crate) fn page(
    source: &Source,
    located: Located,
    room: Room,
    options: &RunOptions,
) -> Result<(Vec<String>, Vec<Block>)> {
    let subject = Arc::new(Subject::open(source, located, options)?);
    let session = Session::new([source.clone()], options);
    let explorer = TraceExplorer::new(&session, subject.clone());
    let notes = texts(&subject.notes);
    let mut blocks = Vec::new();
    let rows = room.of(ROWS);
    for section in subject.summary(Some(rows), None).sections(rows) {
        let is_first = blocks.is_empty();
        let is_empty = matches!(&section.body, Body::Table(table) if table.rows.is_empty());
        let is_profile = section.key == "cpu_profiles";
        if is_first || !is_empty {
            blocks.push(Block::section(section));
        }
        if is_first {
            blocks.push(subject.strip(&explorer, room)?);
            blocks.push(long_tasks(&explorer, room.of(ROWS)));
        }
        if is_profile && let Some(profile) = &subject.profile {
            let most = room.of(CALLS);
            blocks.push(profile.flame_block(profile.flame(most), most));
        }
    }
    Ok((notes, blocks))
}

/// A slice on its lane.
#[derive(Clone, Copy)]
struct Slice {
    event: EventIndex,
    lane: u32,
    start: i64,
    dur: i64,
}

impl Subject {
    fn strip(&self, explorer: &TraceExplorer, room: Room) -> Result<Block> {
        let (mut trace, kept) = self.model(room);
        let most = room.of(ARGUMENTS);
        trace.arguments = arguments(&kept, explorer, most)?;
        let (kept, all) = (trace.slices.id.len() as u64, trace.slice_count);
        let rest = match kept < all {
            true => format!(
                " The {} of {} slices that last longest are drawn; the grey line shows how busy a thread was with all of them.",
                heapquarry_report::grouped(kept),
                heapquarry_report::grouped(all)
            ),
            false => String::new(),
        };
        let told = match (explorer.is_repeatable()?, kept <= most as u64) {
            (true, true) => String::new(),
            (true, false) => format!(
                " Arguments are here of the {} slices that last longest.",
                heapquarry_report::grouped(most as u64)
            ),
            (false, _) => " Arguments are not here: a stream is not read twice.".into(),
        };
        let note = format!(
            "What threads did, from left to right. Drag to move, use the wheel with Ctrl or the keys + and - to zoom.{rest}{told}"
        );
        let drawing = Drawing::Trace(Box::new(trace));
        Ok(Block::Drawing { key: "timeline", title: "Timeline", note, drawing })
    }

    /// What is drawn, and the slices in it.
    fn model(&self, room: Room) -> (Trace, Vec<Slice>) {
        let most = room.of(SLICES);
        let (start, end) = self.start_and_end();
        let span = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        let mut trace = Trace { span, ..Trace::default() };
        let durations: Vec<u64> = self.slices_of_threads().map(|(.., dur)| dur as u64).collect();
        trace.slice_count = durations.len() as u64;
        let least = match durations.len() <= most {
            true => None,
            false => Some(heapquarry_graph::bound_of_largest(durations.iter().copied(), most)),
        };
        drop(durations);
        let lanes = self.lanes_by_process(room.of(LANES));
        let lane_of: HashMap<u32, u32> = lanes.iter().copied().zip(0..).collect();
        let mut busy = vec![0f64; lanes.len() * PARTS];
        let mut kept: Vec<Slice> = Vec::new();
        for (event, thread, ts, dur) in self.slices_of_threads() {
            let Some(&lane) = lane_of.get(&thread) else { continue };
            let from = ts.saturating_sub(start);
            if self.timeline.slices.parent(event).is_none() {
                let lane = lane as usize * PARTS;
                cover(&mut busy[lane..lane + PARTS], from as f64, dur as f64, span as f64);
            }
            if least.is_none_or(|least| dur as u64 > least) {
                kept.push(Slice { event, lane, start: from, dur });
            }
        }
        kept.order_by_key(|slice| (slice.lane, slice.start, Reverse(slice.dur), slice.event));
        trace.lanes = self.lane_model(&lanes, &busy, &mut trace.texts);
        trace.flows = self.flow_model(&kept, room.of(FLOWS));
        let texts = &mut trace.texts;
        let events = &self.timeline.events;
        let mut numbers = |of: &dyn Fn(EventIndex) -> Key| -> Vec<u32> {
            kept.iter().map(|slice| self.number(of(slice.event), texts)).collect()
        };
        let names = numbers(&|event| events.name(event));
        let categories = numbers(&|event| events.category(event));
        let called = |slice: &Slice| {
            let text = self.called(slice.event).map_or_else(String::new, |called| called.told());
            texts.number(&text)
        };
        let called = match self.calls.is_empty() {
            true => Vec::new(),
            false => kept.iter().map(called).collect(),
        };
        trace.slices = Slices {
            called: called.into_iter().collect(),
            id: kept.iter().map(|slice| events.number(slice.event)).collect(),
            lane: kept.iter().map(|slice| slice.lane).collect(),
            depth: kept.iter().map(|slice| self.timeline.slices.depth(slice.event)).collect(),
            start: kept.iter().map(|slice| slice.start).collect::<Vec<i64>>().into(),
            dur: kept.iter().map(|slice| slice.dur).collect::<Vec<i64>>().into(),
            name: names.into_iter().collect(),
            category: categories.into_iter().collect(),
            own: kept.iter().map(|slice| self.own(slice.event)).collect(),
            ..Slices::default()
        };
        let counters = room.of(COUNTERS);
        trace.counters = self.counter_models(counters, start, span, &mut trace.texts);
        (trace, kept)
    }

    /// The time of a slice without slices within it.
    fn own(&self, event: EventIndex) -> u64 {
        self.timeline.slices.self_dur(event).map_or(0, |own| u64::try_from(own).unwrap_or(0))
    }

    fn number(&self, key: Key, texts: &mut Texts) -> u32 {
        texts.number(self.timeline.events.strings().get(key).unwrap_or(""))
    }

    /// The threads that have slices: processes by the time in them, and threads of each the same way.
    pub(super) fn lanes_by_process(&self, most: usize) -> Vec<u32> {
        let processes = &self.timeline.processes;
        let mut of_threads = vec![0i64; processes.threads.len()];
        let mut has_slices = vec![false; processes.threads.len()];
        for (event, thread, _, dur) in self.slices_of_threads() {
            has_slices[thread as usize] = true;
            if self.timeline.slices.parent(event).is_none() {
                let sum = &mut of_threads[thread as usize];
                *sum = sum.saturating_add(dur);
            }
        }
        let mut of_processes = vec![0i64; processes.processes.len()];
        for (thread, &sum) in processes.threads.iter().zip(&of_threads) {
            let of_process = &mut of_processes[thread.upid as usize];
            *of_process = of_process.saturating_add(sum);
        }
        let mut lanes: Vec<u32> =
            (0..processes.threads.len() as u32).filter(|&t| has_slices[t as usize]).collect();
        let rank = |lane: u32| {
            let process = processes.threads[lane as usize].upid;
            (Reverse(of_processes[process as usize]), process, Reverse(of_threads[lane as usize]))
        };
        lanes.order_by_key(|&lane| (rank(lane), lane));
        lanes.truncate(most);
        lanes
    }

    fn lane_model(&self, lanes: &[u32], busy: &[f64], texts: &mut Texts) -> Lanes {
        let processes = &self.timeline.processes;
        let mut names: [Vec<u32>; 2] = Default::default();
        for &lane in lanes {
            let thread = &processes.threads[lane as usize];
            let process = &processes.processes[thread.upid as usize];
            names[0].push(texts.number(&self.label(thread.name, thread.tid, "thread")));
            names[1].push(texts.number(&self.label(process.name, process.pid, "process")));
        }
        let [name, process] = names.map(|names| names.into_iter().collect());
        let busy = busy.iter().map(|part| (part * 255.0).clamp(0.0, 255.0) as u64).collect();
        Lanes { name, process, parts: PARTS as u32, busy }
    }

    /// A name with its number.
    pub(super) fn label(&self, name: Key, ident: Ident, what: &str) -> String {
        let strings = self.timeline.events.strings();
        let number = match ident {
            Ident::None => String::new(),
            Ident::Number(number) => number.to_string(),
            Ident::Text(key) => strings.get(key).unwrap_or("").into(),
        };
        match strings.get(name).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name} {number}"),
            None => format!("{what} {number}"),
        }
    }

    /// The arrows whose both ends are drawn.
    fn flow_model(&self, kept: &[Slice], most: usize) -> Flows {
        let places: HashMap<EventIndex, u32> =
            kept.iter().map(|slice| slice.event).zip(0..).collect();
        let place = |event| places.get(&self.timeline.slice_of_flow(event)?).copied();
        let arrows = self.timeline.flows.iter();
        let arrows = arrows.filter_map(|flow| Some((place(flow.from)?, place(flow.to)?)));
        // Those within a slice cannot be seen.
        let arrows = arrows.filter(|(from, to)| from != to);
        let (from, to): (Vec<u32>, Vec<u32>) = arrows.take(most).unzip();
        Flows { from: from.into_iter().collect(), to: to.into_iter().collect() }
    }

    /// The series with most values.
    fn counter_models(
        &self,
        most: usize,
        start: i64,
        span: u64,
        texts: &mut Texts,
    ) -> Vec<Counter> {
        let Timeline { events, counters, .. } = &self.timeline;
        let mut counts = vec![0u64; counters.series.len()];
        for at in 0..counters.len() {
            counts[counters.get(events, at).series as usize] += 1;
        }
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.order_by_key(|&series| (Reverse(counts[series]), series));
        order.truncate(most);
        // For each part of the span, the time and value of the largest and of the last one.
        let mut found: HashMap<usize, Vec<(i64, f64)>> =
            order.iter().map(|&series| (series, Vec::new())).collect();
        for at in 0..counters.len() {
            let value = counters.get(events, at);
            if let Some(values) = found.get_mut(&(value.series as usize))
                && let Some(ts) = events.ts(value.event)
            {
                let number = match value.value {
                    Value::Int(number) => number as f64,
                    Value::Float(number) => number,
                    Value::Text(_) => continue,
                };
                values.push((ts.saturating_sub(start), number));
            }
        }
        let process = |pid: Ident| {
            let process = self.timeline.processes.processes.iter().find(|p| p.pid == pid);
            process.map_or(String::new(), |p| format!("({})", self.label(p.name, p.pid, "process")))
        };
        let models = order.into_iter().map(|series| {
            let mut values = found.remove(&series).unwrap_or_default();
            values.order_by_key(|(at, _)| *at);
            let values = thin(&values, span);
            let of = &counters.series[series];
            let strings = events.strings();
            let text = |key: Key| strings.get(key).unwrap_or("");
            Counter {
                name: texts.number(&format!(
                    "{} {} {}",
                    text(of.name),
                    text(of.key),
                    process(of.pid)
                )),
                at: values.iter().map(|(at, _)| *at).collect::<Vec<i64>>().into(),
                value: values.iter().map(|(_, value)| *value).collect(),
            }
        });
        models.collect()
    }
}

/// The arguments of the slices that last longest, by their positions.
fn arguments(kept: &[Slice], explorer: &TraceExplorer, most: usize) -> Result<Arguments> {
    let mut found = Arguments::default();
    if !explorer.is_repeatable()? {
        return Ok(found);
    }
    let mut longest: Vec<usize> = (0..kept.len()).collect();
    longest.order_by_key(|&at| (Reverse(kept[at].dur), at));
    longest.truncate(most);
    let places: HashMap<EventIndex, u32> =
        longest.iter().map(|&at| (kept[at].event, at as u32)).collect();
    let slices: Vec<EventIndex> = longest.iter().map(|&at| kept[at].event).collect();
    let mut texts: Vec<(u32, String)> = Vec::new();
    explorer.arguments_of(&slices, |slice, text| {
        texts.push((places[&slice], shortened(text)));
    })?;
    texts.order_by(Ord::cmp);
    found.of = texts.iter().map(|&(at, _)| at).collect();
    found.text = texts.into_iter().map(|(_, text)| text).collect();
    Ok(found)
}

/// The beginning of arguments, without anything that a page would obey or hide.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(ARGUMENT_CHARS) {
        Some((end, _)) => format!("{}…", printable(&text[..end])),
        None => printable(text).into_owned(),
    }
}

/// The outermost slices that last long, and what ran in each.
fn long_tasks(explorer: &TraceExplorer, top: usize) -> Block {
    let tasks = explorer.long_tasks(Page { offset: 0, top }).answer.tasks;
    let (title, none) = ("Long tasks", "no outermost slice lasts 50 ms");
    let section = rows_of("long_tasks", title, &tasks.rows, tasks.omitted(), TASKS, top, none);
    let note = "Outermost slices of 50 ms and more: while one runs, its thread answers nothing. What ran is by self \
                time.";
    Block::Section { section, sql: None, note: Some(note.into()) }
}

const TASKS: &[Col<LongTask>] = &[
    Col::new("Name", |row| row.slice.name.cell()),
    Col::new("Thread", |row| row.thread.cell()),
    Col::new("Start", |row| row.slice.start_ns.cell()),
    Col::new("Duration", |row| row.slice.duration_ns.cell()),
    Col::new("What ran", |row| Cell::name(ran(&row.ran))),
];

/// Names with their times.
fn ran(rows: &[RanTime]) -> String {
    let one = |RanTime { name, called, self_time_ns, .. }: &RanTime| {
        let time = Unit::Nanos.format(self_time_ns.0);
        let name = name.as_deref().unwrap_or_default();
        match called {
            Some(called) => format!("{name} {} {time}", called.told()),
            None => format!("{name} {time}"),
        }
    };
    rows.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Adds a slice to the parts of the span that it covers, as shares of them.
fn cover(parts: &mut [f64], from: f64, dur: f64, span: f64) {
    if span <= 0.0 {
        return;
    }
    let wide = span / parts.len() as f64;
    let (first, end) = (from / wide, (from + dur) / wide);
    let last = (end.ceil() as usize).min(parts.len());
    for (at, part) in parts.iter_mut().enumerate().take(last).skip(first.max(0.0) as usize) {
        let at = at as f64;
        *part = (*part + (end.min(at + 1.0) - first.max(at)).max(0.0)).min(1.0);
    }
}

/// Of values in order of time, for each of [`VALUES`] parts of the span the largest and the last.
fn thin(values: &[(i64, f64)], span: u64) -> Vec<(i64, f64)> {
    if values.len() <= 2 * VALUES {
        return values.to_vec();
    }
    let wide = (span / VALUES as u64).max(1) as i64;
    let of_part = values.chunk_by(|a, b| a.0 / wide == b.0 / wide);
    let mut thinned = Vec::new();
    for part in of_part {
        let largest = part.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let last = part.last();
        thinned.extend(largest.filter(|value| Some(*value) != last));
        thinned.extend(last);
    }
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_parts() {
        let mut parts = [0.0; 4];
        cover(&mut parts, 5.0, 20.0, 40.0);
        assert_eq!(parts, [0.5, 1.0, 0.5, 0.0]);
        cover(&mut parts, 35.0, 100.0, 40.0);
        assert_eq!(parts, [0.5, 1.0, 0.5, 0.5]);
        cover(&mut parts, 0.0, 0.0, 0.0);
    }

    #[test]
    fn of_many_values_the_largest_and_the_last_of_each_part_stay() {
        let values: Vec<(i64, f64)> = (0..4000).map(|at| (at, (at % 10) as f64)).collect();
        let thinned = thin(&values, 4000);
        assert_eq!(thinned.len(), VALUES);
        assert!(thinned.iter().all(|(at, value)| at % 10 == 9 && *value == 9.0));
        assert_eq!(thin(&values[..5], 4000), values[..5]);
    }
}
