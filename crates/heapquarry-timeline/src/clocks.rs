//! Clock synchronisations: points that several traces share.
//!
//! The recorder of one trace records `sync_id` with its time (`c`). The recorder that issued it records when it did so
//! and when that was done (`issue_ts`). The legacy form is an asynchronous operation (`S`, `F`) named
//! `ClockSyncEvent.<sync id>`.

use crate::{
    EventIndex, Events, Key, Phase, Value, identity::by_identity, issues::Issues,
    legacy_async::is_clock_sync,
};
use heapquarry_base::Order;

/// A clock synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSync {
    /// Its event; for the legacy form, the event that ends it, or starts it if none does.
    pub event: EventIndex,
    /// Its name, the same in all traces; [`Key::NONE`] for the legacy form, where it is part of the event's name.
    pub sync_id: Key,
    /// Time when it was issued, in nanoseconds of this trace's clock.
    pub issue_ts: Option<i64>,
    /// Value of another clock at that time, in nanoseconds: [`OTHER_CLOCK`].
    pub other_ts: Option<i64>,
}

/// The argument of a synchronisation that has the value of the clock that `sync_id` names, in nanoseconds.
pub const OTHER_CLOCK: &str = "other_ts";

/// Prefix of names of the legacy form.
pub const LEGACY_CLOCK_SYNC: &str = "ClockSyncEvent.";

/// All clock synchronisations, in file order.
pub fn clock_syncs(events: &Events) -> Vec<ClockSync> {
    let mut found: Vec<ClockSync> = (events.of_phases(|phase| phase == Phase::ClockSync))
        .map(|event| ClockSync {
            event,
            sync_id: events.text_arg(event, "sync_id").unwrap_or(Key::NONE),
            issue_ts: match events.arg(event, "issue_ts") {
                Some(Value::Int(micros)) => Some(micros.saturating_mul(1000)),
                Some(Value::Float(micros)) => Some((micros * 1000.0).round() as i64),
                _ => None,
            },
            other_ts: match events.arg(event, OTHER_CLOCK) {
                Some(Value::Int(nanos)) if events.has_number(event) => Some(nanos),
                _ => None,
            },
        })
        .collect();
    let is_legacy =
        |&event: &EventIndex| is_clock_sync(events, event) && events.id_text(event).is_some();
    let is_legacy_phase = |phase| matches!(phase, Phase::AsyncBegin | Phase::AsyncEnd);
    if events.of_phases(is_legacy_phase).any(|event| is_legacy(&event)) {
        let title = |event: EventIndex| (Key::NONE, events.name(event));
        // Their issues are reported with the other asynchronous operations.
        let groups = by_identity(events, is_legacy_phase, title, &mut Issues::default());
        for group in 0..groups.len() {
            let mut issued = None;
            for event in groups.of(group).filter(is_legacy) {
                let is_end = events.phase(event) == Phase::AsyncEnd;
                let start = issued.replace(event).filter(|_| is_end);
                if is_end {
                    let issue_ts = start.and_then(|start| events.ts(start));
                    found.push(ClockSync { event, sync_id: Key::NONE, issue_ts, other_ts: None });
                    issued = None;
                }
            }
            found.extend(issued.map(|event| ClockSync {
                event,
                sync_id: Key::NONE,
                issue_ts: None,
                other_ts: None,
            }));
        }
        found.order_by_key(|sync| sync.event);
    }
    found
}
