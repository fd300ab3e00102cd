//! Tracks: what events of a kind that belong together lie on, as Perfetto has it: each thread, the instants of each
//! process, those of the whole trace, each asynchronous operation, each series of a counter.

use crate::{AsyncSlices, Counters, Events, Flags, HashMap, Ident, Processes};

/// What lies on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// Slices and instants of a thread: its `utid`.
    Thread(u32),
    /// Instants of a process: its `upid`.
    Process(u32),
    /// Instants of the whole trace.
    Global,
    /// An asynchronous operation: a position in [`AsyncSlices::trees`].
    Async(u32),
    /// A series of a counter: a position in [`Counters::series`], and the `upid` of its process.
    Counter(u32, u32),
}

/// All tracks, numbered in this order: threads by their `utid`, processes with instants, the whole trace if it has
/// instants, asynchronous operations, counters.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    tracks: Vec<Track>,
    /// Of those with instants.
    by_process: HashMap<u32, u64>,
    first_async: u64,
    first_counter: u64,
}

/// The phases of instants: `i`, its older form, marks, and samples.
pub(crate) const INSTANTS: &[u8] = b"iIRP";

/// Whether that phase is a point in time by itself.
pub fn is_instant(phase: u8) -> bool {
    INSTANTS.contains(&phase)
}

impl Tracks {
    pub(crate) fn new(
        events: &Events,
        processes: &Processes,
        async_slices: &AsyncSlices,
        counters: &Counters,
    ) -> Self {
        let mut tracks: Vec<Track> =
            (0..processes.threads.len() as u32).map(Track::Thread).collect();
        let mut has_instants = vec![false; processes.processes.len()];
        let mut is_global = false;
        for event in events.of_phases(INSTANTS).filter(|&event| events.ts(event).is_some()) {
            let flags = events.flags(event);
            if flags.has(Flags::PROCESS_SCOPE) {
                has_instants[processes.upid(events, event) as usize] = true;
            }
            is_global |= flags.has(Flags::GLOBAL_SCOPE);
        }
        let mut by_process = HashMap::default();
        for (upid, _) in (0..).zip(&has_instants).filter(|(_, has)| **has) {
            by_process.insert(upid, tracks.len() as u64);
            tracks.push(Track::Process(upid));
        }
        tracks.extend(is_global.then_some(Track::Global));
        let first_async = tracks.len() as u64;
        tracks.extend((0..async_slices.trees.len() as u32).map(Track::Async));
        let first_counter = tracks.len() as u64;
        let upids: HashMap<Ident, u32> =
            (processes.processes.iter().map(|process| process.pid)).zip(0..).collect();
        let upid = |pid| upids.get(&pid).copied().unwrap_or_default();
        let series = (0..).zip(&counters.series);
        tracks.extend(series.map(|(number, series)| Track::Counter(number, upid(series.pid))));
        Tracks { tracks, by_process, first_async, first_counter }
    }

    /// The tracks by their numbers.
    pub fn all(&self) -> &[Track] {
        &self.tracks
    }

    /// The track of an instant.
    pub fn of_instant(&self, events: &Events, processes: &Processes, event: u64) -> u64 {
        let flags = events.flags(event);
        if flags.has(Flags::GLOBAL_SCOPE) {
            self.first_async - 1
        } else if flags.has(Flags::PROCESS_SCOPE) {
            self.by_process[&processes.upid(events, event)]
        } else {
            processes.utid(events, event).map_or(0, u64::from)
        }
    }

    /// The track of an asynchronous operation.
    pub fn of_tree(&self, tree: u32) -> u64 {
        self.first_async + u64::from(tree)
    }

    /// The track of a series.
    pub fn of_series(&self, series: u32) -> u64 {
        self.first_counter + u64::from(series)
    }
}
