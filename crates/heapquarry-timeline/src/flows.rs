//! Flows: arrows between slices.
//!
//! Version 1 has separate events: `s` starts a flow, `t` continues it, `f` ends it; category, name and id identify a
//! flow. `s` and `t` belong to the slice around them. `f` belongs to the next slice that starts, or with `"bp":"e"` to
//! the slice around it; as in the reference importer, also without `bp` if the category contains `input` or `ipc.flow`.
//! In version 2, slices have a `bind_id`, with `flow_out` where the flow starts and `flow_in` where it ends. In both
//! versions, an arrow starts at the previous event in time. A source can have several targets; profilers of GPUs use
//! this.

use crate::{
    EventIndex, Events, Flags, Key, Phase,
    async_slices::AsyncSlices,
    column::Column,
    identity::by_identity,
    intern::Interner,
    issues::{Issue, Issues},
    order::Groups,
    packed::Packed,
    points::Points,
    slices::Slices,
};

/// An arrow between two events; [`Timeline::slice_of_flow`](crate::Timeline::slice_of_flow) returns their slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// The event where it ends.
    pub to: EventIndex,
    /// The event where it starts.
    pub from: EventIndex,
}

/// All arrows, in the order of the events where they end, and of those where they start. Events that an arrow joins are
/// near each other, so each takes about three bytes.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    to: Column,
    from: Column,
}

impl Flows {
    /// Number of arrows.
    pub fn len(&self) -> usize {
        self.to.len() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// An arrow.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn get(&self, at: usize) -> Flow {
        let event = |column: &Column| column.get(at as u64).expect("there are so many") as u64;
        Flow { to: EventIndex(event(&self.to)), from: EventIndex(event(&self.from)) }
    }

    /// All arrows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Flow> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    fn push(&mut self, flow: Flow) {
        self.to.push(Some(flow.to.0 as i64));
        self.from.push(Some(flow.from.0 as i64));
    }
}

/// Whether an event ends a flow of version 1 in the slice that starts next, and not in the one around it.
pub(crate) fn binds_next(events: &Events, event: EventIndex) -> bool {
    if events.phase(event) != Phase::FlowEnd {
        return false;
    }
    let flags = events.flags(event);
    let category = events.strings().get(events.category(event)).unwrap_or("");
    let is_enclosing = flags.has(Flags::BIND_ENCLOSING)
        || (!flags.has(Flags::BIND_UNKNOWN)
            && (category.contains("input") || category.contains("ipc.flow")));
    !is_enclosing
}

/// The events of version 1, by flow.
pub(crate) fn by_flow(events: &Events, issues: &mut Issues) -> Groups {
    let title = |event: EventIndex| (events.category(event), events.name(event));
    by_identity(events, Phase::is_flow, title, issues)
}

/// All arrows. `by_flow` has the events of version 1.
pub(crate) fn flows(
    events: &Events,
    slices: &Slices,
    async_slices: &AsyncSlices,
    points: &Points,
    by_flow: Groups,
    issues: &mut Issues,
) -> Flows {
    let sources = version_1(events, points, by_flow, issues);
    let mut others = version_2(events, slices, async_slices, issues);
    others.sort_unstable();
    let mut others = others.into_iter().peekable();
    let mut found = Flows::default();
    let targets = Points::all(events).zip(0..sources.len());
    let source = |(to, at)| Some(Flow { to, from: EventIndex(sources.optional(at)?) });
    for flow in targets.filter_map(source) {
        while let Some(other) = others.next_if(|&other| other < flow) {
            found.push(other);
        }
        found.push(flow);
    }
    others.for_each(|flow| found.push(flow));
    found
}

/// The sources of points: at most one arrow ends at each of them.
fn version_1(events: &Events, points: &Points, groups: Groups, issues: &mut Issues) -> Packed {
    let len = if groups.len() > 0 { points.len() } else { 0 };
    let mut sources = Packed::filled(len, events.len());
    for group in 0..groups.len() {
        let mut source: Option<EventIndex> = None;
        for event in groups.of(group) {
            if points.slice(event).is_none() {
                issues.add(Issue::FlowOutside, event);
            }
            let phase = events.phase(event);
            match source {
                Some(from) if phase != Phase::FlowBegin => {
                    points.place(event).into_iter().for_each(|at| sources.set(at, from.0));
                }
                None if phase != Phase::FlowBegin => issues.add(Issue::FlowUnmatched, event),
                _ => {}
            }
            // An end does not change the flow: another end can follow.
            if phase != Phase::FlowEnd && (phase == Phase::FlowBegin || source.is_some()) {
                source = Some(event);
            }
        }
    }
    sources
}

fn version_2(
    events: &Events,
    slices: &Slices,
    async_slices: &AsyncSlices,
    issues: &mut Issues,
) -> Vec<Flow> {
    let mut found = Vec::new();
    let mut ids = Interner::<Key>::default();
    let directed = |&(event, _): &(EventIndex, Key)| {
        let flags = events.flags(event);
        flags.has(Flags::FLOW_IN) || flags.has(Flags::FLOW_OUT)
    };
    let members: Vec<(EventIndex, u32)> =
        (events.bind_ids()).filter(directed).map(|(event, id)| (event, ids.intern(id))).collect();
    let members = members.iter().copied();
    let groups = Groups::new(ids.values().len(), events.len(), members, |event| events.ts(event));
    for group in 0..groups.len() {
        let mut source = None;
        for event in groups.of(group) {
            let flags = events.flags(event);
            if slices.ending(event).is_none() && !async_slices.has(event) {
                issues.add(Issue::FlowOutside, event);
            }
            if flags.has(Flags::FLOW_IN) {
                match source {
                    Some(from) => found.push(Flow { to: event, from }),
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
