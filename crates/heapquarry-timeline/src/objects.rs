//! Objects: created (`N`), observed (`O`), destroyed (`D`).
//!
//! An id refers to an object of its process from its creation to its destruction; afterwards it can be reused. `scope`
//! distinguishes ids of different origins, and `id2.global` ids mean the same in all processes. The `base_type` of a
//! snapshot is the type that created the object. Reference importer: `TimeToObjectInstanceMap`.

use crate::{
    EventIndex, Events, IdKind, Ident, Key, Phase,
    intern::Interner,
    issues::{Issue, Issues},
    order::Groups,
};
use heapquarry_base::Order;

/// An object, during the lifetime of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its first event.
    pub first: EventIndex,
    /// The event that created it.
    pub created: Option<EventIndex>,
    /// The event that destroyed it.
    pub destroyed: Option<EventIndex>,
    /// Its type at creation.
    pub type_name: Key,
    /// Number of its snapshots.
    pub snapshots: u64,
}

/// A snapshot of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The event.
    pub event: EventIndex,
    /// The object, as a position in [`Objects::objects`].
    pub object: u32,
}

/// All objects, in the order of their first events in the file, and their snapshots.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// The objects.
    pub objects: Vec<Object>,
    /// The snapshots, in file order.
    pub snapshots: Vec<Snapshot>,
}

pub(crate) fn objects(events: &Events, issues: &mut Issues) -> Objects {
    let mut identities = Interner::<(Key, Key, Option<Ident>)>::default();
    let mut members = Vec::new();
    for event in events.of_phases(Phase::is_object) {
        let Some(id) = events.id(event) else {
            issues.add(Issue::NoId, event);
            continue;
        };
        let process = (id.kind != IdKind::Global).then(|| events.pid(event));
        members.push((event, identities.intern((id.text, id.scope, process))));
    }
    let groups =
        Groups::new(identities.values().len(), events.len(), members.iter().copied(), |event| {
            events.ts(event)
        });
    let mut found: Vec<(Object, Vec<EventIndex>)> = Vec::new();
    for group in 0..groups.len() {
        // The object that the id refers to at this time.
        let mut current: Option<usize> = None;
        for event in groups.of(group) {
            let phase = events.phase(event);
            let name = events.name(event);
            let base = events.text_arg(event, "base_type").unwrap_or(name);
            let is_it =
                |at: &usize| found[*at].0.type_name == base || found[*at].0.type_name == name;
            let known = current.filter(|at| phase != Phase::CreateObject && is_it(at));
            let at = known.unwrap_or_else(|| {
                let object = Object {
                    first: event,
                    created: (phase == Phase::CreateObject).then_some(event),
                    destroyed: None,
                    type_name: base,
                    snapshots: 0,
                };
                found.push((object, Vec::new()));
                found.len() - 1
            });
            let (object, snapshots) = &mut found[at];
            object.first = object.first.min(event);
            match phase {
                Phase::SnapshotObject => {
                    object.snapshots += 1;
                    snapshots.push(event);
                }
                Phase::DeleteObject => object.destroyed = Some(event),
                _ => {}
            }
            // The end of another object does not affect the current one.
            if phase != Phase::DeleteObject {
                current = Some(at);
            } else if known.is_some() {
                current = None;
            }
        }
    }
    found.order_by_key(|(object, _)| object.first);
    let snapshots = (0..).zip(&found).flat_map(|(object, (_, events))| {
        events.iter().map(move |&event| Snapshot { event, object })
    });
    let mut snapshots: Vec<Snapshot> = snapshots.collect();
    snapshots.order_by_key(|snapshot| snapshot.event);
    Objects { objects: found.into_iter().map(|(object, _)| object).collect(), snapshots }
}
