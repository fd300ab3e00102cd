//! All of it together.

use crate::{
    AsyncSlices, ClockSync, Context, Counters, Events, Flags, Flow, Issue, Issues, Objects,
    Processes, Schedule, Slices, Tracks,
    async_slices::async_slices,
    clocks::clock_syncs,
    contexts::contexts,
    counters::counters,
    events::Sparse,
    flows::{self, flows},
    legacy_async::legacy_async,
    objects::objects,
    points::{self, Bind, Point},
    processes::processes,
    slices::slices,
    tracks::INSTANTS,
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
    /// Arrows between slices.
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
    slice_of: Sparse<u64>,
}

/// Finds out what the events of a trace mean. Takes about 20 bytes of memory an event, besides the events.
pub fn analyze(events: Events) -> Timeline {
    let mut issues = Issues::default();
    for event in events.of_phases(b"BEXiIRPCNOD()") {
        if events.ts(event).is_none() {
            issues.add(Issue::NoTime, event);
        }
    }
    let (slices, order) = slices(&events, &mut issues);
    let mut async_slices = async_slices(&events, &mut issues);
    legacy_async(&events, &mut async_slices, &mut issues);
    let instants = events.of_phases(INSTANTS).map(|event| (event, Bind::Within));
    let points = flows::points(&events).chain(instants);
    let mut points: Vec<Point> = points.map(|(event, bind)| Point::new(event, bind)).collect();
    points.sort_unstable();
    let slice_of = points::bind(&events, &slices, &order, points);
    drop(order);
    let flows = flows(&events, &slices, &async_slices, &slice_of, &mut issues);
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
        slice_of,
        events,
    }
}

impl Timeline {
    /// The slice of its thread in which an instant lies, or to which an event of a flow belongs.
    pub fn slice_of(&self, event: u64) -> Option<u64> {
        self.slice_of.get(event)
    }

    /// The event whose arguments a slice has: its beginning, if that has some, otherwise its end.
    pub fn arg_set(&self, begin: u64, end: Option<u64>) -> Option<u64> {
        let has_args = |event: &u64| self.events.flags(*event).has(Flags::ARGS);
        Some(begin).filter(has_args).or(end.filter(has_args))
    }
}
