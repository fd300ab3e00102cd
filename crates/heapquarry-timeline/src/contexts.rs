//! Contexts: a thread enters (`(`) and leaves (`)`) them; they are identified by name and id. The destruction (`D`) of
//! the object with that id ends them on all threads. Reference importer: `ContextProcessor`.

use crate::{
    EventIndex, Events, HashMap, Id, Key, Phase,
    intern::Interner,
    issues::{Issue, Issues},
    order::Groups,
};
use heapquarry_base::Order;

/// A context that a thread entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The event of entering.
    pub event: EventIndex,
    /// The event of leaving or destruction.
    pub end_event: Option<EventIndex>,
}

/// All contexts, in the order of the events of entering.
pub(crate) fn contexts(events: &Events, issues: &mut Issues) -> Vec<Context> {
    if events.of_phases(Phase::is_context).next().is_none() {
        return Vec::new();
    }
    let mut pids = Interner::default();
    let is_member = |phase: Phase| phase.is_context() || phase == Phase::DeleteObject;
    let members: Vec<(EventIndex, u32)> = (events.of_phases(is_member))
        .filter(|&event| events.id_text(event).is_some())
        .map(|event| (event, pids.intern(events.pid(event))))
        .collect();
    let groups = Groups::new(pids.values().len(), events.len(), members.iter().copied(), |event| {
        events.ts(event)
    });
    let mut found = Vec::new();
    for process in 0..groups.len() {
        let mut entered = Entered::default();
        for event in groups.of(process) {
            let Some(id) = events.id(event) else { continue };
            let place = (events.thread_of(event), events.name(event), id);
            match events.phase(event) {
                Phase::EnterContext => entered.enter(place, event),
                Phase::LeaveContext => match entered.open.get_mut(&place).and_then(Vec::pop) {
                    Some(begin) => found.push(Context { event: begin, end_event: Some(event) }),
                    None => issues.add(Issue::ContextUnmatched, event),
                },
                _ => {
                    let ended = entered.destroy(id).map(|begin| (begin, event));
                    found.extend(ended.map(|(event, end)| Context { event, end_event: Some(end) }));
                }
            }
        }
        let open = entered.open.into_values().flatten();
        found.extend(open.map(|event| Context { event, end_event: None }));
    }
    found.order_by_key(|context| context.event);
    found
}

/// Thread, name and id.
type ContextKey = (u32, Key, Id);

#[derive(Default)]
struct Entered {
    /// The open contexts of a key, innermost last.
    open: HashMap<ContextKey, Vec<EventIndex>>,
    /// Keys by their ids; a key can occur several times.
    places: HashMap<Id, Vec<ContextKey>>,
}

impl Entered {
    fn enter(&mut self, place: ContextKey, event: EventIndex) {
        self.open.entry(place).or_default().push(event);
        self.places.entry(place.2).or_default().push(place);
    }

    /// Ends all contexts with an id.
    fn destroy(&mut self, id: Id) -> impl Iterator<Item = EventIndex> {
        let places = self.places.remove(&id).unwrap_or_default();
        let ended: Vec<Vec<EventIndex>> =
            places.iter().filter_map(|place| self.open.remove(place)).collect();
        ended.into_iter().flatten()
    }
}
