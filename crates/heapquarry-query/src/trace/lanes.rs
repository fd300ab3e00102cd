//! Processes and threads.

use super::{
    Subject, ends, joined,
    summary::{Activity, ProcessActivity, ThreadActivity},
};
use crate::answer::{List, Nanos};
use heapquarry_base::Order;
use heapquarry_timeline::{EventIndex, Process, Thread};
use std::cmp::Reverse;

/// Totals of a process or thread.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    /// Start of the first event and end of the last.
    span: Option<(i64, i64)>,
    events: u64,
    slices: u64,
    /// The time in which a thread had any slice; for a process, the sum over its threads.
    busy: i64,
}

impl From<Numbers> for Activity {
    fn from(numbers: Numbers) -> Self {
        let span = numbers.span;
        Activity {
            event_count: numbers.events,
            slice_count: numbers.slices,
            self_time_ns: Nanos(numbers.busy),
            duration_ns: Nanos::of_span(span),
            start_ns: span.map(|(start, _)| Nanos(start)),
            end_ns: span.map(|(_, end)| Nanos(end)),
        }
    }
}

impl Subject {
    /// The processes and the threads, sorted by time in slices, then by number of events.
    pub(super) fn lanes(
        &self,
        top: Option<usize>,
    ) -> (List<ProcessActivity>, List<ThreadActivity>) {
        let found = &self.timeline.processes;
        let (of_processes, of_threads) = self.numbers();
        let mut thread_counts = vec![0u64; found.processes.len()];
        found.threads.iter().for_each(|thread| thread_counts[thread.upid as usize] += 1);
        let rank = |n: &Numbers| (Reverse(n.busy), Reverse(n.events));

        let mut processes: Vec<((&Process, u64), Numbers)> =
            found.processes.iter().zip(thread_counts).zip(of_processes).collect();
        processes.retain(|(_, numbers)| !self.selection.is_part || numbers.events > 0);
        processes.order_by_key(|(_, numbers)| rank(numbers));
        let processes = List::of(processes, top, |((process, thread_count), numbers)| {
            let labels = process.labels.iter();
            let labels = labels.filter_map(|&label| self.timeline.events.strings().get(label));
            let labels = labels.collect::<Vec<_>>().join(",");
            ProcessActivity {
                process_name: self.text(process.name),
                pid: self.ident(process.pid),
                labels: Some(labels).filter(|labels| !labels.is_empty()),
                thread_count,
                activity: numbers.into(),
            }
        });

        let mut threads: Vec<(&Thread, Numbers)> = found.threads.iter().zip(of_threads).collect();
        threads.retain(|(_, numbers)| !self.selection.is_part || numbers.events > 0);
        threads.order_by_key(|(_, numbers)| rank(numbers));
        let threads = List::of(threads, top, |(thread, numbers)| {
            let process = &found.processes[thread.upid as usize];
            ThreadActivity {
                thread_name: self.text(thread.name),
                tid: self.ident(thread.tid),
                process_name: self.text(process.name),
                pid: self.ident(process.pid),
                activity: numbers.into(),
            }
        });
        (processes, threads)
    }

    /// The totals of each process and each thread.
    fn numbers(&self) -> (Vec<Numbers>, Vec<Numbers>) {
        let timeline = &self.timeline;
        let (events, found, slices) = (&timeline.events, &timeline.processes, &timeline.slices);
        let is_part = self.selection.is_part;
        let whole =
            |span| Numbers { span: if is_part { None } else { span }, ..Numbers::default() };
        let mut processes: Vec<Numbers> = found.processes.iter().map(|p| whole(p.span)).collect();
        let mut threads: Vec<Numbers> = found.threads.iter().map(|t| whole(t.span)).collect();
        // Thread, start and end of outermost slices with a known end.
        let mut spans = Vec::new();
        for event in events.all().filter(|&event| self.is_asked(event)) {
            let is_slice = slices.ending(event).is_some();
            let ends = if is_part { ends(timeline, event) } else { None };
            let utid = found.utid(events, event);
            let add = |numbers: &mut Numbers| {
                numbers.events += 1;
                numbers.slices += u64::from(is_slice);
                numbers.span = numbers.span.into_iter().chain(ends).reduce(joined);
            };
            add(&mut processes[found.upid(events, event) as usize]);
            if let Some(utid) = utid {
                add(&mut threads[utid as usize]);
            }
            let lasts = |slice: EventIndex| slices.self_dur(slice).is_some();
            let is_work = |slice| lasts(slice) && self.is_wanted(slice);
            if is_slice && is_work(event) && !slices.parent(event).is_some_and(is_work) {
                let start = events.ts(event).unwrap_or_default();
                let end = start.saturating_add(slices.dur(events, event));
                spans.extend(utid.map(|utid| (utid, start, end)));
            }
        }
        // Slices of a thread can overlap.
        spans.sort_unstable();
        let mut covered = (u32::MAX, i64::MIN);
        for (utid, start, end) in spans {
            let from = if covered.0 == utid { start.max(covered.1) } else { start };
            let fresh = end.saturating_sub(from).max(0);
            covered = (utid, from.max(end));
            let upid = found.threads[utid as usize].upid;
            for busy in [&mut threads[utid as usize].busy, &mut processes[upid as usize].busy] {
                *busy = busy.saturating_add(fresh);
            }
        }
        (processes, threads)
    }
}
