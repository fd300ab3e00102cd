//! Slices whose beginning and end both have arguments: these are merged, and of a name that both have the end's counts
//! (Trace Event Format, "Duration Events").

use crate::{AsyncEnding, AsyncSlices, Ending, Events, Flags, Slices};

/// Pairs of events whose arguments make one set. Sets are numbered after the events: the first is [`Events::len`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merges {
    /// Beginning and end, in the order of the beginnings.
    pairs: Vec<(u64, u64)>,
    first: u64,
}

impl Merges {
    pub(crate) fn new(events: &Events, slices: &Slices, async_slices: &AsyncSlices) -> Self {
        let has_args = |event: u64| events.flags(event).has(Flags::ARGS);
        let of_threads = (events.of_phases(b"B"))
            .filter(|&begin| slices.ending(begin) == Some(Ending::Matched))
            .filter_map(|begin| slices.end_event(begin).map(|end| (begin, end)));
        let of_operations = (async_slices.slices.iter())
            .filter(|slice| slice.ending == AsyncEnding::Matched)
            .filter_map(|slice| slice.end_event.map(|end| (slice.event, end)));
        let mut pairs: Vec<(u64, u64)> = (of_threads.chain(of_operations))
            .filter(|&(begin, end)| has_args(begin) && has_args(end))
            .collect();
        pairs.sort_unstable();
        Merges { pairs, first: events.len() }
    }

    /// Beginnings and ends, by the numbers of their sets.
    pub fn iter(&self) -> impl Iterator<Item = (u64, (u64, u64))> {
        (self.first..self.first + self.pairs.len() as u64).zip(self.pairs.iter().copied())
    }

    /// The set of a slice's arguments: merged ones, those of its beginning or of its end, `None` without any.
    pub fn set(&self, events: &Events, begin: u64, end: Option<u64>) -> Option<u64> {
        let has_args = |event: &u64| events.flags(*event).has(Flags::ARGS);
        match (has_args(&begin), end.filter(has_args)) {
            (true, Some(_)) => {
                let merged = self.pairs.binary_search_by_key(&begin, |&(begin, _)| begin);
                Some(merged.map_or(begin, |at| self.first + at as u64))
            }
            (true, None) => Some(begin),
            (false, end) => end,
        }
    }
}
