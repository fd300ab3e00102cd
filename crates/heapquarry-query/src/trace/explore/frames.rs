//! Frames, and those that were late.

use super::{Found, FrameTimes, FramesAnswer, LateFrame, TraceExplorer};
use crate::{
    answer::{Answered, Nanos},
    listing::Page,
};
use heapquarry_base::Order;
use std::cmp::Reverse;

impl TraceExplorer {
    /// Frames by process, as `diff` has them, and those that were dropped or took longer than others; and the streams
    /// of GPUs, as `summary` has them.
    pub fn frames(&self, page: Page) -> Answered<FramesAnswer> {
        let (frames, mut late) = self.trace.frames();
        late.order_by_key(|late| (Reverse(late.time), late.event));
        let processes = &self.trace.timeline.processes;
        let late = page.of(late, |late| {
            let process = &processes.processes[late.process as usize];
            LateFrame {
                slice: self.row(Found::Slice(late.event)),
                process: self.trace.label(process.name, process.pid, "process"),
                time_ns: late.time.map(Nanos),
            }
        });
        let frames = frames.into_iter().map(times).collect();
        self.answered("frames", FramesAnswer { frames, late, gpus: self.trace.gpus(None) })
    }
}

/// The names and figures of a process, in the order of [`Lists::Frames`](crate::trace::list::Lists).
fn times((names, figures): (Vec<String>, Vec<f64>)) -> FrameTimes {
    let mut names = names.into_iter();
    let figure = |at: usize| figures.get(at).copied().filter(|figure| !figure.is_nan());
    let nanos = |at| figure(at).map(|number| Nanos(number.round() as i64));
    let count = |at| figure(at).unwrap_or(0.0) as u64;
    FrameTimes {
        process_name: names.next().unwrap_or_default(),
        name: names.next().unwrap_or_default(),
        count: count(0),
        dropped_count: count(1),
        janky_count: count(2),
        p50_ns: nanos(3),
        p95_ns: nanos(4),
        longest_ns: nanos(5),
    }
}
