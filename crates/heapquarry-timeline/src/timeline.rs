//! Runs all parts of the analysis.

use crate::{
    Aggregate, AsyncSlices, ClockSync, Context, Counters, EventIndex, Events, Flags, Flows, Issue,
    Issues, Objects, Phase, Processes, Schedule, Slices, Tracks,
    aggregates::aggregates,
    async_slices::async_slices,
    clocks::clock_syncs,
    contexts::contexts,
    counters::counters,
    flows::{by_flow, flows},
    objects::objects,
    order::Groups,
    points::{Points, Unbound},
    processes::processes,
    slices::slices,
};
use heapquarry_base::threads::join;

/// Result of the analysis.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The events.
    pub events: Events,
    /// Slices of threads.
    pub slices: Slices,
    /// Slices of asynchronous operations.
    pub async_slices: AsyncSlices,
    /// Arrows between slices, in the order of the events where they end.
    pub flows: Flows,
    /// Values of counters.
    pub counters: Counters,
    /// Threads and processes.
    pub processes: Processes,
    /// The tracks of all of these.
    pub tracks: Tracks,
    /// Objects and their snapshots.
    pub objects: Objects,
    /// Contexts of threads.
    pub contexts: Vec<Context>,
    /// Points that several traces share.
    pub clock_syncs: Vec<ClockSync>,
    /// CPU slices and thread states, if the trace has scheduler events; the caller adds them.
    pub schedule: Schedule,
    /// Contradictions.
    pub issues: Issues,
    /// Kinds of slices that stand for no work of their own.
    pub aggregates: Vec<Aggregate>,
    points: Points,
}

/// Analyses the events of a trace. Takes about 6 bytes of memory a slice besides the events, 10 if any event begins or
/// ends a slice, 14 more while it runs, 10 for each event of a flow meanwhile and 5 afterwards, and the memory of
/// operations and counters. A second thread takes what needs no slices of threads. The result does not depend on the
/// number of threads.
pub fn analyze(events: Events, threads: usize) -> Timeline {
    let (with_slices, others) = join(
        threads,
        || {
            let mut issues = Issues::default();
            (slices(&events, &mut issues), issues)
        },
        || Others::new(&events),
    );
    let ((mut slices, order), mut issues) = with_slices;
    let Others { async_slices, unbound, by_flow, counters, processes, objects, contexts, .. } =
        others;
    issues.join(others.issues);
    let points = unbound.bind(&events, &slices, &order);
    drop(order);
    let flows = flows(&events, &slices, &async_slices, &points, by_flow, &mut issues);
    let aggregates = aggregates(&events, &processes, &mut slices);
    Timeline {
        tracks: Tracks::new(&events, &processes, &async_slices, &counters),
        objects,
        contexts,
        clock_syncs: clock_syncs(&events),
        slices,
        async_slices,
        flows,
        counters,
        processes,
        schedule: Schedule::default(),
        issues,
        aggregates,
        points,
        events,
    }
}

/// What needs no slices of threads.
struct Others {
    async_slices: AsyncSlices,
    unbound: Unbound,
    by_flow: Groups,
    counters: Counters,
    processes: Processes,
    objects: Objects,
    contexts: Vec<Context>,
    issues: Issues,
}

impl Others {
    fn new(events: &Events) -> Self {
        let mut issues = Issues::default();
        for event in events.of_phases(Phase::needs_time) {
            if events.ts(event).is_none() {
                issues.add(Issue::NoTime, event);
            }
        }
        Others {
            async_slices: async_slices(events, &mut issues),
            unbound: Unbound::new(events),
            by_flow: by_flow(events, &mut issues),
            counters: counters(events),
            processes: processes(events),
            objects: objects(events, &mut issues),
            contexts: contexts(events, &mut issues),
            issues,
        }
    }
}

impl Timeline {
    /// The slice of its thread that contains an instant, or the slice of an event of a flow.
    pub fn slice_of(&self, event: EventIndex) -> Option<EventIndex> {
        self.points.slice(event)
    }

    /// The slice of an event of a [`Flow`](crate::Flow): in version 1 the slice that it binds to, in version 2 the
    /// event itself, if it is a slice.
    pub fn slice_of_flow(&self, event: EventIndex) -> Option<EventIndex> {
        if self.events.phase(event).is_flow() {
            return self.slice_of(event);
        }
        let is_slice = self.slices.ending(event).is_some() || self.async_slices.has(event);
        is_slice.then_some(event)
    }

    /// The event with the arguments of a slice: its beginning, if that has some, otherwise its end.
    pub fn arg_set(&self, begin: EventIndex, end: Option<EventIndex>) -> Option<EventIndex> {
        let has_args = |event: &EventIndex| self.events.flags(*event).has(Flags::ARGS);
        Some(begin).filter(has_args).or(end.filter(has_args))
    }
}
