//! Flows: arrows from slice to slice.
//!
//! Version 1 has events of its own: `s` starts a flow, `t` takes it on, `f` ends it; category, name and id tell flows
//! apart. `s` and `t` belong to the slice around them, `f` to the next one that starts, or to the one around it with
//! `"bp":"e"`; as in the reference importer also without it, if the category contains `input` or `ipc.flow`. In
//! version 2 slices have a `bind_id`, with `flow_out` for where it comes from and `flow_in` for where it goes to.
//! In both an arrow comes from the event before it in time, and one source can have several targets, which profilers
//! of GPUs use.

use crate::{
    Events, Flags, Key,
    async_slices::{AsyncSlices, by_identity, identity},
    events::Sparse,
    intern::Interner,
    issues::{Issue, Issues},
    order::Groups,
    points::Bind,
    slices::Slices,
};

/// An arrow from one event to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// The event where it ends.
    pub to: u64,
    /// The event where it starts.
    pub from: u64,
    /// The slice where it starts.
    pub slice_out: Option<u64>,
    /// The slice where it ends.
    pub slice_in: Option<u64>,
}

/// The events of flows that have to find their slices.
pub(crate) fn points(events: &Events) -> impl Iterator<Item = (u64, Bind)> + '_ {
    let is_enclosing = |event: u64| {
        let category = events.strings().get(events.categories()[event as usize]);
        let category = category.unwrap_or("");
        let flags = events.flags(event);
        flags.has(Flags::BIND_ENCLOSING)
            || (!flags.has(Flags::BIND_UNKNOWN)
                && (category.contains("input") || category.contains("ipc.flow")))
    };
    events.of_phases(b"stf").map(move |event| {
        let is_end = events.phases()[event as usize] == b'f';
        (event, if is_end && !is_enclosing(event) { Bind::Next } else { Bind::Enclosing })
    })
}

/// All arrows, in the order of the events where they end. `slice_of` are the slices of [`points`].
pub(crate) fn flows(
    events: &Events,
    slices: &Slices,
    async_slices: &AsyncSlices,
    slice_of: &Sparse<u64>,
    issues: &mut Issues,
) -> Vec<Flow> {
    let mut found = version_1(events, slice_of, issues);
    found.extend(version_2(events, slices, async_slices, issues));
    found.sort_unstable();
    found
}

fn version_1(events: &Events, slice_of: &Sparse<u64>, issues: &mut Issues) -> Vec<Flow> {
    let of = |event: u64, id| {
        let at = event as usize;
        identity(events, event, id, (events.categories()[at], events.names()[at]))
    };
    let (members, flows) = by_identity(events, b"stf", of, issues);
    // Which they are is of no interest any more, and there can be as many as slices.
    let flows = flows.len();
    for (event, _) in members.iter().filter(|&(event, _)| slice_of.get(event).is_none()) {
        issues.add(Issue::FlowOutside, event);
    }
    let groups = Groups::new(events, flows, members.iter());
    let mut found = Vec::new();
    for group in 0..groups.len() {
        let mut source = None;
        for event in groups.of(group) {
            let phase = events.phases()[event as usize];
            match source {
                Some(from) if phase != b's' => {
                    let (slice_out, slice_in) = (slice_of.get(from), slice_of.get(event));
                    found.push(Flow { from, to: event, slice_out, slice_in });
                }
                None if phase != b's' => issues.add(Issue::FlowUnmatched, event),
                _ => {}
            }
            // An end leaves the flow as it was: another end may follow.
            if phase != b'f' && (phase == b's' || source.is_some()) {
                source = Some(event);
            }
        }
    }
    found
}

fn version_2(
    events: &Events,
    slices: &Slices,
    async_slices: &AsyncSlices,
    issues: &mut Issues,
) -> Vec<Flow> {
    let mut ids = Interner::<Key>::default();
    let directed = |&(event, _): &(u64, Key)| {
        let flags = events.flags(event);
        flags.has(Flags::FLOW_IN) || flags.has(Flags::FLOW_OUT)
    };
    let members: Vec<(u64, u32)> = (events.bind_ids().iter())
        .filter(directed)
        .map(|(event, id)| (event, ids.intern(id)))
        .collect();
    let groups = Groups::new(events, ids.values().len(), members.iter().copied());
    let is_async =
        |event: u64| async_slices.slices.binary_search_by_key(&event, |s| s.event).is_ok();
    let slice = |event: u64| (slices.ending(event).is_some() || is_async(event)).then_some(event);
    let mut found = Vec::new();
    for group in 0..groups.len() {
        let mut source = None;
        for event in groups.of(group) {
            let flags = events.flags(event);
            if slice(event).is_none() {
                issues.add(Issue::FlowOutside, event);
            }
            if flags.has(Flags::FLOW_IN) {
                match source {
                    Some(from) => {
                        let (slice_out, slice_in) = (slice(from), slice(event));
                        found.push(Flow { from, to: event, slice_out, slice_in });
                    }
                    None => issues.add(Issue::FlowUnmatched, event),
                }
            }
            if flags.has(Flags::FLOW_OUT) {
                source = Some(event);
            }
        }
    }
    found
}
