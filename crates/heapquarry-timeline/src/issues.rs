//! Contradictions in a trace. Nothing is lost: the events themselves are kept unchanged.

use crate::EventIndex;
use std::collections::BTreeMap;

/// Kind of contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Issue {
    /// A phase that needs a time, without one.
    NoTime,
    /// An end (`E`) without a beginning.
    UnmatchedEnd,
    /// A beginning (`B`) without an end.
    Unclosed,
    /// A beginning without an end, which ends with the slice around it.
    ImpliedEnd,
    /// A slice that ends after the slice in which it began.
    Overlap,
    /// A complete event (`X`) without a duration, or with a negative one.
    NoDuration,
    /// An asynchronous event, object or flow without an id.
    NoId,
    /// An asynchronous end (`e`, `F`) or step (`T`, `p`) without a beginning.
    AsyncUnmatched,
    /// An asynchronous beginning (`b`, `S`) without an end.
    AsyncUnclosed,
    /// A step or end of a flow without a start.
    FlowUnmatched,
    /// A flow that starts, steps or ends outside of slices.
    FlowOutside,
    /// A leave (`)`) without an enter.
    ContextUnmatched,
}

/// Counts of issues, and the first events of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issues(BTreeMap<Issue, (u64, Vec<EventIndex>)>);

/// Maximum number of events that are kept of a kind.
const MAX_KEPT: usize = 100;

impl Issues {
    pub(crate) fn add(&mut self, issue: Issue, event: EventIndex) {
        let (count, first) = self.0.entry(issue).or_default();
        *count += 1;
        // Events arrive thread by thread, so later ones can be earlier in the file.
        if first.len() < MAX_KEPT || first.last().is_some_and(|&last| event < last) {
            let place = first.partition_point(|&other| other < event);
            first.insert(place, event);
            first.truncate(MAX_KEPT);
        }
    }

    /// Adds issues that were found elsewhere.
    pub(crate) fn join(&mut self, others: Issues) {
        for (issue, (count, events)) in others.0 {
            let (of_both, first) = self.0.entry(issue).or_default();
            *of_both += count;
            first.extend(events);
            first.sort_unstable();
            first.truncate(MAX_KEPT);
        }
    }

    /// Each kind with issues, their count, and the first hundred events in file order.
    pub fn iter(&self) -> impl Iterator<Item = (Issue, u64, &[EventIndex])> {
        self.0.iter().map(|(&issue, (count, first))| (issue, *count, first.as_slice()))
    }

    /// The count of a kind.
    pub fn count(&self, issue: Issue) -> u64 {
        self.0.get(&issue).map_or(0, |(count, _)| *count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hundred_of_the_file_are_kept() {
        let mut issues = Issues::default();
        (0..150).for_each(|n| issues.add(Issue::Overlap, EventIndex((n * 7) % 150)));
        let (mut odd, mut joined) = (Issues::default(), Issues::default());
        for n in 0..150 {
            let part = if n % 2 == 0 { &mut joined } else { &mut odd };
            part.add(Issue::Overlap, EventIndex((n * 7) % 150));
        }
        joined.join(odd);
        assert_eq!(joined, issues);
        let found: Vec<_> = issues.iter().collect();
        let first: Vec<_> = EventIndex::each(0..100).collect();
        assert_eq!(found, [(Issue::Overlap, 150, first.as_slice())]);
    }
}
