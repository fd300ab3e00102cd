//! Events by what they belong to, in order of time.

use crate::{Events, packed::Packed};
use std::ops::Range;

/// Events in groups, each in order of time; those of the same time in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    events: Packed,
    /// Where each group starts, and the end of the last.
    starts: Vec<usize>,
}

impl Groups {
    /// Groups events, given with the number of their group, which is below `groups`. Those without a time are left
    /// out.
    pub(crate) fn new(
        events: &Events,
        groups: usize,
        members: impl Iterator<Item = (u64, u32)> + Clone,
    ) -> Self {
        let members = members.filter(|&(event, _)| events.ts(event).is_some());
        let mut starts = vec![0; groups + 1];
        for (_, group) in members.clone() {
            starts[group as usize + 1] += 1;
        }
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut grouped = Packed::filled(starts[groups], events.len());
        for (event, group) in members {
            let place = &mut next[group as usize];
            grouped.set(*place, event);
            *place += 1;
        }
        let mut groups = Groups { events: grouped, starts };
        for group in 0..groups.len() {
            let range = groups.range(group);
            groups.events.sort(range, |event| events.ts(event));
        }
        groups
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Positions of a group.
    pub(crate) fn range(&self, group: usize) -> Range<usize> {
        self.starts[group]..self.starts[group + 1]
    }

    /// The event at a position.
    #[inline]
    pub(crate) fn event(&self, at: usize) -> u64 {
        self.events.get(at)
    }

    /// The events of a group.
    pub(crate) fn of(&self, group: usize) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.range(group).map(|at| self.events.get(at))
    }

    /// Sorts events of the same time anew.
    pub(crate) fn sort<K: Ord>(&mut self, part: Range<usize>, key: impl Fn(u64) -> K) {
        self.events.sort(part, key);
    }
}
