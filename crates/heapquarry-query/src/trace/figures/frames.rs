//! Frames of pages and of Android applications.
//!
//! Chrome marks each frame that it drew (`DrawFrame`) and each that it could not draw in time (`DroppedFrame`). The
//! time of a frame is that from the one before it on the same thread, unless nothing was to be drawn for half a second.
//! It is janky if it took more than one and a half times the median of its thread. Android measures the work of each
//! frame (`Choreographer#doFrame`); it is janky above the 16.7 ms that a frame of 60 Hz has.

use super::{Durations, Subject, Subjects, subjects_of};
use heapquarry_base::Order;
use heapquarry_timeline::{EventIndex, Key, Phase, percentile};
use std::collections::HashMap;

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

/// A frame that was not drawn in time.
pub(in crate::trace) struct Late {
    pub(in crate::trace) event: EventIndex,
    /// The number of its process.
    pub(in crate::trace) process: u32,
    /// How long it took; nothing of one that was dropped.
    pub(in crate::trace) time: Option<i64>,
}

impl Subject {
    /// The frames by process, and those that were dropped or janky.
    pub(in crate::trace) fn frames(&self) -> (Subjects, Vec<Late>) {
        let strings = self.timeline.events.strings();
        let [drawn, dropped] = ["DrawFrame", "DroppedFrame"].map(|name| strings.find(name));
        let is_work = |name: &str| name.starts_with("Choreographer#doFrame");
        let mut is_work_of: HashMap<Key, bool> = HashMap::new();
        let events = &self.timeline.events;
        let has_work = strings.iter().any(is_work);
        if drawn.is_none() && dropped.is_none() && !has_work {
            return Default::default();
        }
        let mut late = Vec::new();
        let mut by_process: HashMap<[String; 2], Frames> = HashMap::new();
        // Of each thread its process, and its frames with their times.
        let mut by_thread: HashMap<u32, (u32, Vec<(i64, EventIndex)>)> = HashMap::new();
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
            let process = self.timeline.processes.upid(events, event);
            let role = roles.entry(process).or_insert_with(|| self.process_role(process)).clone();
            let frames = by_process.entry([role, kind.into()]).or_default();
            if kind == WORK {
                let dur = self.timeline.slices.dur(events, event);
                frames.drawn += 1;
                if dur > FRAME_NS {
                    frames.janky += 1;
                    late.push(Late { event, process, time: Some(dur) });
                }
                frames.times.0.push(dur);
            } else if is(drawn) {
                frames.drawn += 1;
                let thread = by_thread.entry(events.thread_of(event));
                let times = &mut thread.or_insert((process, Vec::new())).1;
                times.extend(events.ts(event).map(|ts| (ts, event)));
            } else {
                frames.dropped += 1;
                late.push(Late { event, process, time: None });
            }
        }
        let mut by_thread: Vec<_> = by_thread.into_iter().collect();
        by_thread.order_by_key(|&(thread, _)| thread);
        for (_, (process, mut times)) in by_thread {
            times.order_by(Ord::cmp);
            let steps = times.windows(2).map(|two| (two[1].0.saturating_sub(two[0].0), two[1].1));
            let steps: Vec<_> = steps.filter(|&(step, _)| step < PAUSE_NS).collect();
            let mut lengths: Vec<i64> = steps.iter().map(|&(step, _)| step).collect();
            let usual = percentile(&mut lengths, 50).unwrap_or(0);
            let role = roles.entry(process).or_insert_with(|| self.process_role(process)).clone();
            let frames = by_process.entry([role, PAGE.into()]).or_default();
            for (step, event) in steps.into_iter().filter(|&(step, _)| 2 * step > 3 * usual) {
                frames.janky += 1;
                late.push(Late { event, process, time: Some(step) });
            }
            frames.times.0.extend(lengths);
        }
        let numbers = |(names, frames): ([String; 2], Frames)| {
            let Frames { drawn, dropped, janky, mut times } = frames;
            let [p50, p95] = [50, 95].map(|percent| times.percentile(percent));
            let counts = [drawn, dropped, janky].map(|count| count as f64);
            let [drawn, dropped, janky] = counts;
            (names.to_vec(), vec![drawn, dropped, janky, p50, p95, times.longest()])
        };
        (subjects_of(by_process.into_iter().map(numbers)), late)
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
