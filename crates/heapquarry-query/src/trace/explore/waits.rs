//! What the thread of a slice waited for.

use super::{Found, TraceExplorer, Wait};
use crate::{
    answer::{List, Nanos},
    listing::Page,
    trace::schedule::{WaitState, wait},
};
use heapquarry_timeline::{EventIndex, Ident, Schedule, Timeline};
use std::{cmp::Reverse, sync::OnceLock};

/// The states of all threads by thread, each in the order of time.
#[derive(Default)]
pub(super) struct States {
    /// Threads, and positions in the schedule.
    of: OnceLock<Vec<(i32, usize)>>,
}

impl States {
    fn of(&self, schedule: &Schedule, tid: i32) -> &[(i32, usize)] {
        let all = self.of.get_or_init(|| {
            let mut all: Vec<(i32, usize)> =
                (0..schedule.states()).map(|at| (schedule.state(at).tid, at)).collect();
            // States are in the order of time.
            all.sort_unstable();
            all
        });
        let from = all.partition_point(|&(of, _)| of < tid);
        let to = all.partition_point(|&(of, _)| of <= tid);
        &all[from..to]
    }
}

/// Times in which a thread did not run, in the order of time. There can be millions: who woke it is looked for only of
/// those that are shown.
pub(super) struct Waits {
    tid: i32,
    all: Vec<Waiting>,
}

/// One of them.
struct Waiting {
    /// The position of the state among those of the thread.
    place: usize,
    kind: WaitState,
    from: i64,
    dur: i64,
}

impl Waits {
    /// How long they last together.
    pub(super) fn total(&self) -> Nanos {
        Nanos(self.all.iter().fold(0, |sum: i64, wait| sum.saturating_add(wait.dur)))
    }
}

impl TraceExplorer {
    /// Times in which the thread of a slice did not run, by the events of the scheduler; `None` without such events.
    pub(super) fn waits(&self, slice: EventIndex) -> Option<Waits> {
        let Timeline { events, processes, slices, schedule, .. } = &self.trace.timeline;
        let thread = processes.utid(events, slice)?;
        let Ident::Number(tid) = processes.threads[thread as usize].tid else { return None };
        let tid = i32::try_from(tid).ok()?;
        if slices.ending(slice).is_none() || processes.scheduled(tid) != Some(thread) {
            return None;
        }
        let (start, end) = self.tracks.ends(&self.trace.timeline, slice.0);
        let states = self.states.of(schedule, tid);
        if states.is_empty() {
            return None;
        }
        let first = states.partition_point(|&(_, at)| schedule.state(at).ts <= start);
        let mut all = Vec::new();
        for (place, &(_, at)) in states.iter().enumerate().skip(first.saturating_sub(1)) {
            let state = schedule.state(at);
            if state.ts >= end {
                break;
            }
            let until = state.dur.map_or(end, |dur| state.ts.saturating_add(dur).min(end));
            let from = state.ts.max(start);
            if let Some(kind) = wait(&self.trace.timeline, state.state)
                && from < until
            {
                all.push(Waiting { place, kind, from, dur: until.saturating_sub(from) });
            }
        }
        Some(Waits { tid, all })
    }

    /// A page of them, the longest first.
    pub(super) fn longest_waits(&self, waits: Option<Waits>, page: Page) -> List<Wait> {
        let Some(Waits { tid, all }) = waits else {
            return page.of([], |wait: Waiting| self.wait(&[], &wait));
        };
        let states = self.states.of(&self.trace.timeline.schedule, tid);
        let key = |wait: &Waiting| (Reverse(wait.dur), wait.place);
        page.in_order(all, key, |wait| self.wait(states, &wait))
    }

    /// A wait with who ended it.
    fn wait(&self, states: &[(i32, usize)], wait: &Waiting) -> Wait {
        let Timeline { processes, schedule, .. } = &self.trace.timeline;
        let state = schedule.state(states[wait.place].1);
        // Who wakes a thread is known with the state that begins then.
        let next = states.get(wait.place + 1).map(|&(_, at)| schedule.state(at));
        let waker = next.and_then(|next| Some((next.waker?, next.ts)));
        let waker = waker.filter(|_| wait.kind != WaitState::Ready);
        let utid = waker.and_then(|(tid, _)| processes.scheduled(tid));
        let woken_in = utid.zip(waker).and_then(|(utid, (_, at))| self.innermost(utid, at));
        Wait {
            start_ns: Nanos(wait.from.saturating_sub(self.tracks.span.0)),
            duration_ns: Nanos(wait.dur),
            state: wait.kind,
            blocked_function: self.trace.text(state.blocked_function),
            waker: waker.map(|(tid, _)| self.scheduled_thread(tid)),
            waker_slice: woken_in.map(|slice| self.row(Found::Slice(slice))),
        }
    }

    /// The innermost slice of a thread at a time.
    fn innermost(&self, thread: u32, at: i64) -> Option<EventIndex> {
        let ends = |slice| self.tracks.ends(&self.trace.timeline, slice);
        let track = &self.tracks.all[*self.tracks.of_threads.get(&thread)? as usize];
        let of_row = track.rows.iter().map_while(|row| row.within(at, at, &ends).last());
        of_row.last().map(EventIndex)
    }

    fn scheduled_thread(&self, tid: i32) -> String {
        let processes = &self.trace.timeline.processes;
        match processes.scheduled(tid) {
            Some(thread) => {
                let thread = &processes.threads[thread as usize];
                self.trace.label(thread.name, thread.tid, "thread")
            }
            None => format!("thread {tid}"),
        }
    }
}
