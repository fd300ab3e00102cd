//! Groups events, and sorts each group by time.

use crate::{EventIndex, packed::Packed};
use std::ops::Range;

/// Events in groups, each sorted by time; events at the same time stay in file order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    events: Packed,
    /// End of each group.
    ends: Packed,
}

impl Groups {
    /// Groups events and sorts them by `time`. The events are given in file order with the number of their group, which
    /// is below `groups`. Events without a time are left out. All events are below `bound`.
    pub(crate) fn new<T: Ord>(
        groups: usize,
        bound: u64,
        members: impl Iterator<Item = (EventIndex, u32)> + Clone,
        time: impl Fn(EventIndex) -> Option<T>,
    ) -> Self {
        let members = members.filter(|&(event, _)| time(event).is_some());
        let mut ends = Packed::zeros(groups, bound + 1);
        for (_, group) in members.clone() {
            ends.set(group as usize, ends.get(group as usize) + 1);
        }
        // First used as the next free position of each group.
        let mut count = 0;
        for group in 0..groups {
            let size = ends.get(group);
            ends.set(group, count);
            count += size;
        }
        let mut events = Packed::zeros(count as usize, bound);
        for (event, group) in members {
            let place = ends.get(group as usize);
            events.set(place as usize, event.0);
            ends.set(group as usize, place + 1);
        }
        let mut groups = Groups { events, ends };
        for group in 0..groups.len() {
            let range = groups.range(group);
            groups.events.sort(range, |event| time(EventIndex(event)));
        }
        groups
    }

    /// Splits each group into groups with equal keys; no group is empty then.
    pub(crate) fn split<K: Ord>(mut self, key: impl Fn(EventIndex) -> K) -> Self {
        let mut ends = Packed::empty(self.events.len() as u64 + 1);
        for group in 0..self.len() {
            let range = self.range(group);
            self.events.sort(range.clone(), |event| key(EventIndex(event)));
            for end in range.start + 1..=range.end {
                let next = (end < range.end).then(|| key(self.event(end)));
                if next.is_none_or(|next| next != key(self.event(end - 1))) {
                    ends.push(Some(end as u64));
                }
            }
        }
        Groups { events: self.events, ends }
    }

    /// The first event of each group in the file, and the group, sorted by event.
    pub(crate) fn by_first_event(&self) -> Vec<(EventIndex, usize)> {
        let first = |group: usize| Some((self.of(group).min()?, group));
        let mut firsts: Vec<(EventIndex, usize)> = (0..self.len()).filter_map(first).collect();
        firsts.sort_unstable();
        firsts
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Range of positions of a group.
    pub(crate) fn range(&self, group: usize) -> Range<usize> {
        let start = group.checked_sub(1).map_or(0, |before| self.ends.get(before));
        start as usize..self.ends.get(group) as usize
    }

    /// The event at a position.
    #[inline]
    pub(crate) fn event(&self, at: usize) -> EventIndex {
        EventIndex(self.events.get(at))
    }

    /// The events of a group.
    pub(crate) fn of(&self, group: usize) -> impl DoubleEndedIterator<Item = EventIndex> + '_ {
        self.range(group).map(|at| self.event(at))
    }

    /// Sorts events at the same time again.
    pub(crate) fn sort<K: Ord>(&mut self, part: Range<usize>, key: impl Fn(EventIndex) -> K) {
        self.events.sort(part, |event| key(EventIndex(event)));
    }
}
