//! Tracks: events that belong together share a track, as in Perfetto. There is one for each thread, for the instants of
//! each process, for those of the whole trace, for each asynchronous operation, and for each counter series.

use crate::{AsyncSlices, Counters, EventIndex, Events, Flags, HashMap, Ident, Processes};

/// Content of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// Slices and instants of a thread: its `utid`.
    Thread(u32),
    /// Instants of a process: its `upid`.
    Process(u32),
    /// Instants of the whole trace.
    Global,
    /// An asynchronous operation: for [`AsyncSlices::tree`].
    Async(u32),
    /// A series of a counter: a position in [`Counters::series`], and the `upid` of its process.
    Counter(u32, u32),
}

/// All tracks, numbered in this order: threads by `utid`, processes with instants, the whole trace if it has instants,
/// asynchronous operations, counters.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    threads: u64,
    /// The processes with instants.
    processes: Vec<u32>,
    is_global: bool,
    operations: u64,
    /// The process of each series.
    series: Vec<u32>,
}

impl Tracks {
    pub(crate) fn new(
        events: &Events,
        processes: &Processes,
        async_slices: &AsyncSlices,
        counters: &Counters,
    ) -> Self {
        let mut has_instants = vec![false; processes.processes.len()];
        let mut is_global = false;
        for event in events.all().filter(|&event| events.is_instant(event)) {
            let flags = events.flags(event);
            if flags.has(Flags::PROCESS_SCOPE) {
                has_instants[processes.upid(events, event) as usize] = true;
            }
            is_global |= flags.has(Flags::GLOBAL_SCOPE);
        }
        let upids: HashMap<Ident, u32> =
            (processes.processes.iter().map(|process| process.pid)).zip(0..).collect();
        let upid = |pid| upids.get(&pid).copied().unwrap_or_default();
        let with_instants = (0..).zip(has_instants).filter(|&(_, has)| has);
        Tracks {
            threads: processes.threads.len() as u64,
            processes: with_instants.map(|(upid, _)| upid).collect(),
            is_global,
            operations: async_slices.trees() as u64,
            series: counters.series.iter().map(|series| upid(series.pid)).collect(),
        }
    }

    fn global(&self) -> u64 {
        self.threads + self.processes.len() as u64
    }

    fn first_operation(&self) -> u64 {
        self.global() + u64::from(self.is_global)
    }

    fn first_series(&self) -> u64 {
        self.first_operation() + self.operations
    }

    /// Number of tracks.
    pub fn len(&self) -> u64 {
        self.first_series() + self.series.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The track with that number.
    ///
    /// # Panics
    /// If the number is out of bounds.
    pub fn get(&self, track: u64) -> Track {
        if track < self.threads {
            Track::Thread(track as u32)
        } else if track < self.global() {
            Track::Process(self.processes[(track - self.threads) as usize])
        } else if track < self.first_operation() {
            Track::Global
        } else if track < self.first_series() {
            Track::Async((track - self.first_operation()) as u32)
        } else {
            let series = track - self.first_series();
            Track::Counter(series as u32, self.series[series as usize])
        }
    }

    /// The track of an instant.
    pub fn of_instant(&self, events: &Events, processes: &Processes, event: EventIndex) -> u64 {
        let flags = events.flags(event);
        if flags.has(Flags::GLOBAL_SCOPE) {
            self.global()
        } else if flags.has(Flags::PROCESS_SCOPE) {
            let upid = processes.upid(events, event);
            self.threads + self.processes.partition_point(|&other| other < upid) as u64
        } else {
            processes.utid(events, event).map_or(0, u64::from)
        }
    }

    /// The track of an asynchronous operation.
    pub fn of_tree(&self, tree: u32) -> u64 {
        self.first_operation() + u64::from(tree)
    }

    /// The track of a series.
    pub fn of_series(&self, series: u32) -> u64 {
        self.first_series() + u64::from(series)
    }
}
