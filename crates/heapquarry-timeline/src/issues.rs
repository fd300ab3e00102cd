//! What does not fit together in a trace. Nothing of it is lost: the events themselves are kept as they are.

use std::collections::BTreeMap;

/// What is odd about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Issue {
    /// A phase that needs a time, without one.
    NoTime,
    /// An end (`E`) without a beginning.
    UnmatchedEnd,
    /// A beginning (`B`) without an end.
    Unclosed,
    /// A beginning that ends with the slice around it, as an end of its own is missing.
    ImpliedEnd,
    /// A slice that outlives the one in which it began.
    Overlap,
    /// A complete event (`X`) without a duration, or with one below 0.
    NoDuration,
    /// An asynchronous event, object or flow without an id.
    NoId,
    /// An asynchronous end (`e`, `F`) or step (`T`, `p`) without a beginning.
    AsyncUnmatched,
    /// An asynchronous beginning (`b`, `S`) without an end.
    AsyncUnclosed,
    /// A step or end of a flow without a start.
    FlowUnmatched,
    /// A flow that touches no slice where it starts, steps or ends.
    FlowOutside,
    /// A leave (`)`) without an enter.
    ContextUnmatched,
}

/// How often things were odd, and the first events of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issues(BTreeMap<Issue, (u64, Vec<u64>)>);

/// Events of a kind that are kept.
const KEPT: usize = 100;

impl Issues {
    pub(crate) fn add(&mut self, issue: Issue, event: u64) {
        let (count, first) = self.0.entry(issue).or_default();
        *count += 1;
        // Events come thread by thread, so later ones can be earlier in the file.
        if first.len() < KEPT || first.last().is_some_and(|&last| event < last) {
            let place = first.partition_point(|&other| other < event);
            first.insert(place, event);
            first.truncate(KEPT);
        }
    }

    /// Each kind that came, how often, and the first hundred events of it in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (Issue, u64, &[u64])> {
        self.0.iter().map(|(&issue, (count, first))| (issue, *count, first.as_slice()))
    }

    /// How often that came.
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
        (0..150).for_each(|n| issues.add(Issue::Overlap, (n * 7) % 150));
        let found: Vec<_> = issues.iter().collect();
        let first: Vec<u64> = (0..100).collect();
        assert_eq!(found, [(Issue::Overlap, 150, first.as_slice())]);
    }
}
