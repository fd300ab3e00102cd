//! Frames of pages and of Android applications.
//!
//! Chrome marks each frame that it drew (`DrawFrame`) and each that it could not draw in time (`DroppedFrame`). The
//! time of a frame is that from the one before it on the same thread, unless nothing was to be drawn for half a second.
//! It is janky if it took more than one and a half times the median of its thread. Android measures the work of each
//! frame (`Choreographer#doFrame`); it is janky above the 16.7 ms that a frame of 60 Hz has.

use super::{Durations, Subject, Subjects};
use heapquarry_timeline::{EventIndex, Key, Phase, percentile};
use std::collections::{BTreeMap, HashMap};

/// Position of the dropped frames among the figures.
pub(super) const DROPPED: usize = 1;

/// Nothing was to be drawn for so long.
const PAUSE_NS: i64 = 500_000_000;
/// The time of a frame of 60 Hz.
const FRAME_NS: i64 = 16_666_667;

/// The frames of a process.
#[derive(Default)]
struct Frames {
    drawn: u64,
    dropped: u64,
    janky: u64,
    times: Durations,
}

impl Subject {
    pub(super) fn frame_subjects(&self) -> Subjects {
        let strings = self.timeline.events.strings();
        let [drawn, dropped] = ["DrawFrame", "DroppedFrame"].map(|name| strings.find(name));
        let is_work = |name: &str| name.starts_with("Choreographer#doFrame");
        let mut is_work_of: HashMap<Key, bool> = HashMap::new();
        let events = &self.timeline.events;
        let has_work = strings.iter().any(is_work);
        if drawn.is_none() && dropped.is_none() && !has_work {
            return Subjects::new();
        }
        let mut by_process: BTreeMap<[String; 2], Frames> = BTreeMap::new();
        // Of each thread its process and the times of its frames.
        let mut by_thread: BTreeMap<u32, (u32, Vec<i64>)> = BTreeMap::new();
        let mut roles: HashMap<u32, String> = HashMap::new();
        for event in events.all().filter(|&event| self.is_wanted(event)) {
            let name = events.name(event);
            let is = |wanted: Option<Key>| wanted == Some(name) && self.is_mark(event);
            let is_slice = || self.timeline.slices.self_dur(event).is_some();
            let mut is_work = || {
                has_work
                    && *is_work_of
                        .entry(name)
                        .or_insert_with(|| strings.get(name).is_some_and(is_work))
            };
            let kind = if is(drawn) || is(dropped) {
                PAGE
            } else if is_work() && is_slice() {
                WORK
            } else {
                continue;
            };
            let upid = self.timeline.processes.upid(events, event);
            let role = roles.entry(upid).or_insert_with(|| self.process_role(upid)).clone();
            let frames = by_process.entry([role, kind.into()]).or_default();
            if kind == WORK {
                let dur = self.timeline.slices.dur(events, event);
                frames.drawn += 1;
                frames.janky += u64::from(dur > FRAME_NS);
                frames.times.0.push(dur);
            } else if is(drawn) {
                frames.drawn += 1;
                let thread = by_thread.entry(events.thread_of(event));
                thread.or_insert((upid, Vec::new())).1.extend(events.ts(event));
            } else {
                frames.dropped += 1;
            }
        }
        for (upid, mut times) in by_thread.into_values() {
            times.sort_unstable();
            let steps = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
            let mut steps: Vec<i64> = steps.filter(|&step| step < PAUSE_NS).collect();
            let usual = percentile(&mut steps, 50).unwrap_or(0);
            let role = roles.entry(upid).or_insert_with(|| self.process_role(upid)).clone();
            let frames = by_process.entry([role, PAGE.into()]).or_default();
            frames.janky += steps.iter().filter(|&&step| 2 * step > 3 * usual).count() as u64;
            frames.times.0.extend(steps);
        }
        let numbers = |(names, frames): ([String; 2], Frames)| {
            let Frames { drawn, dropped, janky, mut times } = frames;
            let [p50, p95] = [50, 95].map(|percent| times.percentile(percent));
            let counts = [drawn, dropped, janky].map(|count| count as f64);
            let [drawn, dropped, janky] = counts;
            (names.to_vec(), vec![drawn, dropped, janky, p50, p95, times.longest()])
        };
        by_process.into_iter().map(numbers).collect()
    }

    /// Whether an event is one point in time: an instant, or a slice of its own.
    fn is_mark(&self, event: EventIndex) -> bool {
        let events = &self.timeline.events;
        events.is_instant(event)
            || (events.phase(event) == Phase::Complete && events.ts(event).is_some())
    }
}

/// Frames that a page shows.
const PAGE: &str = "frame";
/// Work for frames.
const WORK: &str = "Choreographer#doFrame";
