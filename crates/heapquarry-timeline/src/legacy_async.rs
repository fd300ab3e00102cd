//! The legacy form of asynchronous operations (`S`, `T`, `p`, `F`), with steps: known by name and id.
//!
//! A step into (`T`) is a slice from there to the next event of the operation, a step past (`p`) one from the event
//! before. Reference importer: `createLegacyAsyncSlices_`; it leaves out operations that mix both and those whose
//! beginning comes twice, here each step keeps its meaning, and the second beginning begins anew.

use crate::{
    AsyncEnding, AsyncSlice, Events, Key,
    async_slices::{AsyncSlices, Tree, by_identity, identity},
    issues::{Issue, Issues},
    order::Groups,
};

/// Whether that is the name of a clock synchronisation, which has the same phases.
pub(crate) fn is_clock_sync(events: &Events, event: u64) -> bool {
    let name = events.strings().get(events.names()[event as usize]);
    name.is_some_and(|name| name.starts_with(crate::LEGACY_CLOCK_SYNC))
}

/// Adds the slices of `S`, `T`, `p` and `F`.
pub(crate) fn legacy_async(events: &Events, found: &mut AsyncSlices, issues: &mut Issues) {
    let of =
        |event: u64, id| identity(events, event, id, (Key::NONE, events.names()[event as usize]));
    let (members, identities) = by_identity(events, b"STpF", of, issues);
    let groups = Groups::new(events, identities.len(), members.iter());
    let base = found.trees.len() as u32;
    for (number, (first, identity)) in (0..).zip(identities.iter()) {
        found.trees.push(Tree { first, is_local: identity.3.is_some(), is_legacy: true });
        if is_clock_sync(events, first) {
            continue;
        }
        let mut operation = Operation { events, tree: base + number, so_far: Vec::new() };
        for event in groups.of(number as usize) {
            match events.phases()[event as usize] {
                b'S' => {
                    operation.finish(None, &mut found.slices, issues);
                    operation.so_far.push(event);
                }
                _ if operation.so_far.is_empty() => issues.add(Issue::AsyncUnmatched, event),
                b'F' => operation.finish(Some(event), &mut found.slices, issues),
                _ => operation.so_far.push(event),
            }
        }
        operation.finish(None, &mut found.slices, issues);
    }
    found.slices.sort_unstable_by_key(|slice| slice.event);
}

struct Operation<'a> {
    events: &'a Events,
    tree: u32,
    /// The beginning and the steps so far; empty if none has begun.
    so_far: Vec<u64>,
}

impl Operation<'_> {
    /// Adds the slices of what has begun, if any has, and forgets it.
    fn finish(&mut self, end: Option<u64>, found: &mut Vec<AsyncSlice>, issues: &mut Issues) {
        let events = self.events;
        let Some((&begin, steps)) = self.so_far.split_first() else { return };
        let ts = |event: u64| events.ts(event).unwrap_or(0);
        let slice = |event: u64, start: u64, end_event: Option<u64>, ending| AsyncSlice {
            event,
            end_event,
            parent: None,
            depth: 0,
            ts: ts(start),
            dur: end_event.map_or(-1, |end| ts(end).saturating_sub(ts(start))),
            ending: if end_event.is_some() { ending } else { AsyncEnding::Open },
            name: events.names()[event as usize],
            tree: self.tree,
        };
        found.push(slice(begin, begin, end, AsyncEnding::Matched));
        if end.is_none() {
            issues.add(Issue::AsyncUnclosed, begin);
        }
        for (at, &step) in steps.iter().enumerate() {
            let next = steps.get(at + 1).copied().or(end);
            let (start, end) = match events.phases()[step as usize] {
                b'T' => (step, next),
                _ => (self.so_far[at], Some(step)),
            };
            let mut part = slice(step, start, end, AsyncEnding::Step);
            (part.parent, part.depth) = (Some(begin), 1);
            part.name = events.text_arg(step, "step").unwrap_or(part.name);
            found.push(part);
        }
        self.so_far.clear();
    }
}
