//! The legacy form of asynchronous operations (`S`, `T`, `p`, `F`), with steps: identified by name and id.
//!
//! A step into (`T`) is a slice up to the next event of the operation; a step past (`p`) is a slice from the previous
//! event. Reference importer: `createLegacyAsyncSlices_`. It drops operations that mix both kinds of steps, and those
//! with two beginnings. Here each step keeps its meaning, and the second beginning starts a new operation.

use crate::{
    AsyncEnding, EventIndex, Events, Key, Phase,
    async_slices::{AsyncSlices, Found},
    identity::by_identity,
    issues::{Issue, Issues},
};

/// Whether it is a clock synchronisation, which has the same phases.
pub(crate) fn is_clock_sync(events: &Events, event: EventIndex) -> bool {
    let name = events.strings().get(events.name(event));
    name.is_some_and(|name| name.starts_with(crate::LEGACY_CLOCK_SYNC))
}

/// Adds the slices of `S`, `T`, `p` and `F`.
pub(crate) fn legacy_async(events: &Events, found: &mut AsyncSlices, issues: &mut Issues) {
    let title = |event: EventIndex| (Key::NONE, events.name(event));
    let groups = by_identity(events, Phase::is_legacy_async, title, issues);
    for (first, group) in groups.by_first_event() {
        found.add_tree(first);
        if is_clock_sync(events, first) {
            continue;
        }
        let mut operation = Operation { events, so_far: Vec::new() };
        for event in groups.of(group) {
            match events.phase(event) {
                Phase::AsyncBegin => {
                    operation.finish(None, found, issues);
                    operation.so_far.push(event);
                }
                _ if operation.so_far.is_empty() => issues.add(Issue::AsyncUnmatched, event),
                Phase::AsyncEnd => operation.finish(Some(event), found, issues),
                _ => operation.so_far.push(event),
            }
        }
        operation.finish(None, found, issues);
    }
}

struct Operation<'a> {
    events: &'a Events,
    /// The beginning and the steps so far; empty if the operation has not begun.
    so_far: Vec<EventIndex>,
}

impl Operation<'_> {
    /// Ends the operation, if it has begun, and adds its slices.
    fn finish(&mut self, end: Option<EventIndex>, found: &mut AsyncSlices, issues: &mut Issues) {
        let Some((&begin, steps)) = self.so_far.split_first() else { return };
        let ended = |end: Option<EventIndex>, ending| {
            if end.is_some() { ending } else { AsyncEnding::Open }
        };
        let (parent, ending) = (None, ended(end, AsyncEnding::Matched));
        found.add(Found { event: begin, start: None, end, parent, depth: 0, ending });
        if end.is_none() {
            issues.add(Issue::AsyncUnclosed, begin);
        }
        for (at, &step) in steps.iter().enumerate() {
            let next = steps.get(at + 1).copied().or(end);
            let (start, end) = match self.events.phase(step) {
                Phase::AsyncStepInto => (None, next),
                _ => (Some(self.so_far[at]), Some(step)),
            };
            let (parent, ending) = (Some(begin), ended(end, AsyncEnding::Step));
            found.add(Found { event: step, start, end, parent, depth: 1, ending });
        }
        self.so_far.clear();
    }
}
