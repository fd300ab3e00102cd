//! What is drawn over time: threads, instants, operations, counters.

use super::TrackKind;
use crate::trace::Subject;
use heapquarry_base::Order;
use heapquarry_timeline::{Ending, EventIndex, Flags, Timeline, Track as Shown, Value, row::Row};
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

/// Operations at the same time that are drawn below each other; others are drawn over them.
const MOST_LANES: usize = 32;

/// A track.
pub(super) struct Track {
    pub(super) kind: TrackKind,
    pub(super) name: String,
    /// The number of its process.
    pub(super) process: Option<u32>,
    /// By depth. Of operations, numbers are positions among these; of others, they are events.
    pub(super) rows: Vec<Row>,
    /// Times and values of a counter, in order.
    pub(super) values: Vec<(i64, f64)>,
}

impl Track {
    fn new(kind: TrackKind, name: String, process: Option<u32>) -> Self {
        Track { kind, name, process, rows: Vec::new(), values: Vec::new() }
    }

    pub(super) fn count(&self) -> u64 {
        let slices: usize = self.rows.iter().map(Row::len).sum();
        (slices + self.values.len()) as u64
    }
}

/// All tracks, and the track of each thread with slices.
pub(super) struct Tracks {
    pub(super) all: Vec<Track>,
    pub(super) of_threads: HashMap<u32, u32>,
    /// Start of the first event, and end of the last.
    pub(super) span: (i64, i64),
}

impl Tracks {
    /// Start and end of a slice of a thread, or of an instant.
    pub(super) fn ends(&self, timeline: &Timeline, slice: u64) -> (i64, i64) {
        ends(timeline, self.span.1, EventIndex(slice))
    }

    /// Start and end of a slice of an operation, by its position.
    pub(super) fn ends_of_operation(&self, timeline: &Timeline, at: u64) -> (i64, i64) {
        let slice = timeline.async_slices.get(&timeline.events, at as usize);
        let end = match slice.dur {
            ..0 => self.span.1,
            dur => slice.ts.saturating_add(dur),
        };
        (slice.ts, end.max(slice.ts))
    }

    pub(super) fn new(subject: &Subject) -> Self {
        let mut tracks =
            Tracks { all: Vec::new(), of_threads: HashMap::new(), span: subject.start_and_end() };
        // Each with the thread that it belongs to, if it is one.
        let mut of_threads = tracks.threads(subject);
        let mut lanes = subject.lanes_by_process(usize::MAX);
        // Threads whose slices all lack an end take no time, and come last.
        let timed: HashSet<u32> = lanes.iter().copied().collect();
        let mut endless: Vec<u32> =
            of_threads.keys().copied().filter(|thread| !timed.contains(thread)).collect();
        endless.sort_unstable();
        lanes.extend(endless);
        let mut all: Vec<(Option<u32>, Track)> = (lanes.iter())
            .filter_map(|&thread| Some((Some(thread), of_threads.remove(&thread)?)))
            .collect();
        all.extend(tracks.instants(subject));
        let rest = tracks.operations(subject).into_iter().chain(tracks.counters(subject));
        all.extend(rest.map(|track| (None, track)));
        // Processes in the order of their first threads, then those without slices. Of each first the threads, each
        // with its instants.
        let lane_of: HashMap<u32, usize> = lanes.into_iter().zip(0..).collect();
        let mut process_of: HashMap<Option<u32>, usize> = HashMap::new();
        for (_, track) in &all {
            let next = process_of.len();
            process_of.entry(track.process).or_insert(next);
        }
        all.order_by_key(|(thread, track)| {
            let lane = thread.and_then(|thread| lane_of.get(&thread));
            (process_of[&track.process], lane.copied().unwrap_or(usize::MAX))
        });
        for (at, (thread, track)) in (0..).zip(&all) {
            if let (Some(thread), TrackKind::Slices) = (thread, track.kind) {
                tracks.of_threads.insert(*thread, at);
            }
        }
        tracks.all = all.into_iter().map(|(_, track)| track).collect();
        tracks
    }

    /// By thread.
    fn threads(&self, subject: &Subject) -> HashMap<u32, Track> {
        let timeline = &subject.timeline;
        let Timeline { events, slices, processes, .. } = timeline;
        let mut found: HashMap<u32, Vec<Vec<u64>>> = HashMap::new();
        for event in events.all().filter(|&event| slices.ending(event).is_some()) {
            let Some(thread) = processes.utid(events, event) else { continue };
            if events.ts(event).is_none() {
                continue;
            }
            let rows = found.entry(thread).or_default();
            let depth = slices.depth(event) as usize;
            if rows.len() <= depth {
                rows.resize_with(depth + 1, Vec::new);
            }
            rows[depth].push(event.0);
        }
        let track = |(thread, rows): (u32, Vec<Vec<u64>>)| {
            let of = &processes.threads[thread as usize];
            let name = subject.label(of.name, of.tid, "thread");
            let mut track = Track::new(TrackKind::Slices, name, Some(of.upid));
            let ends = |slice| self.ends(timeline, slice);
            track.rows = rows.into_iter().map(|row| Row::new(row, &ends)).collect();
            (thread, track)
        };
        found.into_iter().map(track).collect()
    }

    /// With the thread that they belong to, if it is one.
    fn instants(&self, subject: &Subject) -> Vec<(Option<u32>, Track)> {
        let timeline = &subject.timeline;
        let Timeline { events, processes, tracks, .. } = timeline;
        let mut known: HashMap<u64, usize> = HashMap::new();
        let mut found: Vec<(u64, Vec<u64>)> = Vec::new();
        for event in events.all().filter(|&event| events.is_instant(event)) {
            let is_of_thread = !events.flags(event).has(Flags::PROCESS_SCOPE)
                && !events.flags(event).has(Flags::GLOBAL_SCOPE);
            if is_of_thread && processes.utid(events, event).is_none() {
                continue;
            }
            let track = tracks.of_instant(events, processes, event);
            let at = *known.entry(track).or_insert_with(|| {
                found.push((track, Vec::new()));
                found.len() - 1
            });
            found[at].1.push(event.0);
        }
        let ends = |slice| self.ends(timeline, slice);
        let track = |(track, row): (u64, Vec<u64>)| {
            let (thread, process, name) = match tracks.get(track) {
                Shown::Thread(thread) => {
                    let of = &processes.threads[thread as usize];
                    let name = subject.label(of.name, of.tid, "thread");
                    (Some(thread), Some(of.upid), format!("{name}: instants"))
                }
                Shown::Process(process) => (None, Some(process), "instants".into()),
                _ => (None, None, "instants of all".into()),
            };
            let mut track = Track::new(TrackKind::Instants, name, process);
            track.rows.push(Row::new(row, &ends));
            (thread, track)
        };
        found.into_iter().map(track).collect()
    }

    /// By process and category.
    fn operations(&self, subject: &Subject) -> Vec<Track> {
        let timeline = &subject.timeline;
        let Timeline { events, processes, async_slices, .. } = timeline;
        // The slices of each tree.
        let mut trees: Vec<Vec<u64>> = vec![Vec::new(); async_slices.trees()];
        let mut depths: Vec<u32> = Vec::with_capacity(async_slices.len());
        for (at, slice) in async_slices.iter(events).enumerate() {
            trees[slice.tree as usize].push(at as u64);
            depths.push(slice.depth);
        }
        let mut known = HashMap::new();
        let mut groups: Vec<(u32, String, Vec<Vec<u64>>)> = Vec::new();
        for (tree, slices) in trees.into_iter().enumerate().filter(|(_, tree)| !tree.is_empty()) {
            let first = async_slices.tree(events, tree as u32).first;
            let (process, category) = (processes.upid(events, first), events.category(first));
            let at = *known.entry((process, category)).or_insert_with(|| {
                let name = subject.text(category).unwrap_or_default();
                groups.push((process, name, Vec::new()));
                groups.len() - 1
            });
            groups[at].2.push(slices);
        }
        let ends = |at: u64| self.ends_of_operation(timeline, at);
        let track = |(process, name, trees): (u32, String, Vec<Vec<u64>>)| {
            let span = |tree: &[u64]| {
                let all = tree.iter().map(|&at| ends(at));
                all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default()
            };
            let mut trees: Vec<((i64, i64), Vec<u64>)> =
                trees.into_iter().map(|tree| (span(&tree), tree)).collect();
            trees.order_by_key(|(span, _)| (span.0, Reverse(span.1)));
            // Lanes, and since when each is free.
            let mut free: Vec<i64> = Vec::new();
            // The rows of each.
            let mut lanes: Vec<Vec<Vec<u64>>> = Vec::new();
            for ((start, end), tree) in trees {
                let lane = free.iter().position(|&free| free <= start).unwrap_or_else(|| {
                    if free.len() < MOST_LANES {
                        free.push(i64::MIN);
                        return free.len() - 1;
                    }
                    (0..free.len()).min_by_key(|&lane| free[lane]).unwrap_or(0)
                });
                free[lane] = end.max(free[lane]);
                lanes.resize_with(free.len(), Vec::new);
                let rows = &mut lanes[lane];
                for at in tree {
                    let depth = depths[at as usize] as usize;
                    rows.resize_with(rows.len().max(depth + 1), Vec::new);
                    rows[depth].push(at);
                }
            }
            let mut track = Track::new(TrackKind::Operations, name, Some(process));
            track.rows = lanes.into_iter().flatten().map(|row| Row::new(row, &ends)).collect();
            track
        };
        groups.into_iter().map(track).collect()
    }

    fn counters(&self, subject: &Subject) -> Vec<Track> {
        let Timeline { events, counters, tracks, .. } = &subject.timeline;
        let series = counters.series.iter().enumerate().map(|(at, series)| {
            let process = match tracks.get(tracks.of_series(at as u32)) {
                Shown::Counter(_, process) => Some(process),
                _ => None,
            };
            let texts = [series.name, series.key].map(|key| subject.text(key));
            let name: Vec<String> = texts.into_iter().flatten().collect();
            Track::new(TrackKind::Counter, name.join(" "), process)
        });
        let mut found: Vec<Track> = series.collect();
        for value in (0..counters.len()).map(|at| counters.get(events, at)) {
            let number = match value.value {
                Value::Int(number) => number as f64,
                Value::Float(number) => number,
                Value::Text(_) => continue,
            };
            if let Some(ts) = events.ts(value.event) {
                found[value.series as usize].values.push((ts, number));
            }
        }
        // Of equal times the last in the file counts.
        found.iter_mut().for_each(|track| track.values.sort_by_key(|(ts, _)| *ts));
        found
    }
}

/// Start and end of an event. What has no end lasts until that of the trace.
fn ends(timeline: &Timeline, last: i64, event: EventIndex) -> (i64, i64) {
    let Timeline { events, slices, .. } = timeline;
    let start = events.ts(event).unwrap_or(0);
    let end = match slices.ending(event) {
        Some(Ending::Open) => last,
        Some(_) => start.saturating_add(slices.dur(events, event).max(0)),
        None => start,
    };
    (start, end.max(start))
}
