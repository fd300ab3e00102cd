//! Identity of operations and flows: their id, their category or name or both, and their process if the id is local.

use crate::{
    EventIndex, Events, IdKind, Key, Phase,
    issues::{Issue, Issues},
    order::Groups,
};

/// Whether the id of an event belongs to its process.
pub(crate) fn is_local(events: &Events, event: EventIndex) -> bool {
    events.id(event).is_some_and(|id| id.kind == IdKind::Local)
}

/// Groups events with some phases: the events of a group have the same id and the same `title`.
pub(crate) fn by_identity(
    events: &Events,
    is_wanted: impl Fn(Phase) -> bool + Copy,
    title: impl Fn(EventIndex) -> (Key, Key),
    issues: &mut Issues,
) -> Groups {
    for event in events.of_phases(is_wanted) {
        if events.id_text(event).is_none() {
            issues.add(Issue::NoId, event);
        } else if events.ts(event).is_none() {
            issues.add(Issue::NoTime, event);
        }
    }
    let members =
        events.of_phases(is_wanted).filter_map(|event| Some((event, events.id_text(event)?.0)));
    if members.clone().next().is_none() {
        return Groups::default();
    }
    // Texts of ids are numbered already, and few are used for several things.
    let texts = events.strings().len();
    let by_text = Groups::new(texts, events.len(), members, |event| events.ts(event));
    by_text.split(|event| {
        (events.id(event), title(event), is_local(events, event).then(|| events.pid(event)))
    })
}
