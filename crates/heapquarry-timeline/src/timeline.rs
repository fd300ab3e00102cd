//! All of it together.

use crate::{
    AsyncSlices, ClockSync, Context, Counters, Events, Flags, Flow, Issue, Issues, Objects, Phase,
    Processes, Schedule, Slices, Tracks,
    async_slices::async_slices,
    clocks::clock_syncs,
    contexts::contexts,
    counters::counters,
    flows::flows,
    objects::objects,
    points::{Points, points},
    processes::processes,
    slices::slices,
};

/// What the events of a trace mean.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The events.
    pub events: Events,
    /// Slices of threads.
    pub slices: Slices,
    /// Slices of asynchronous operations.
    pub async_slices: AsyncSlices,
    /// Arrows between slices, in the order of the events where they end.
    pub flows: Vec<Flow>,
    /// Values of counters.
    pub counters: Counters,
    /// Threads and processes.
    pub processes: Processes,
    /// What all of these lie on.
    pub tracks: Tracks,
    /// Objects and their snapshots.
    pub objects: Objects,
    /// What threads work for.
    pub contexts: Vec<Context>,
    /// Points that several traces have in common.
    pub clock_syncs: Vec<ClockSync>,
    /// What CPUs ran, if a scheduler told that: for the caller to add.
    pub schedule: Schedule,
    /// What does not fit together.
    pub issues: Issues,
    points: Points,
}

/// Finds out what the events of a trace mean. Takes 11 bytes of memory an event besides the events, 15 if any
/// begins or ends a slice, while it runs 4 more, and what flows, operations and counters have.
pub fn analyze(events: Events) -> Timeline {
    let mut issues = Issues::default();
    for event in events.of_phases(Phase::needs_time) {
        if events.ts(event).is_none() {
            issues.add(Issue::NoTime, event);
        }
    }
    let (slices, order) = slices(&events, &mut issues);
    let async_slices = async_slices(&events, &mut issues);
    let points = points(&events, &slices, &order);
    drop(order);
    let flows = flows(&events, &slices, &async_slices, &points, &mut issues);
    let counters = counters(&events);
    let processes = processes(&events);
    Timeline {
        tracks: Tracks::new(&events, &processes, &async_slices, &counters),
        objects: objects(&events, &mut issues),
        contexts: contexts(&events, &mut issues),
        clock_syncs: clock_syncs(&events),
        slices,
        async_slices,
        flows,
        counters,
        processes,
        schedule: Schedule::default(),
        issues,
        points,
        events,
    }
}

impl Timeline {
    /// The slice of its thread in which an instant lies, or to which an event of a flow belongs.
    pub fn slice_of(&self, event: u64) -> Option<u64> {
        self.points.slice(event)
    }

    /// The slice to which an event of a [`Flow`] belongs: the one that it binds to in version 1, in version 2 the event
    /// itself, if it is a slice.
    pub fn slice_of_flow(&self, event: u64) -> Option<u64> {
        if self.events.phase(event).is_flow() {
            return self.slice_of(event);
        }
        let is_slice = self.slices.ending(event).is_some() || self.async_slices.has(event);
        is_slice.then_some(event)
    }

    /// The event whose arguments a slice has: its beginning, if that has some, otherwise its end.
    pub fn arg_set(&self, begin: u64, end: Option<u64>) -> Option<u64> {
        let has_args = |event: &u64| self.events.flags(*event).has(Flags::ARGS);
        Some(begin).filter(has_args).or(end.filter(has_args))
    }
}
