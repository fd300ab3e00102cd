//! `flow`, `id_link`.

use super::{
    TraceRows,
    columns::{int64, optional},
};
use arrow_array::{Int32Array, RecordBatch};
use heapquarry_tables::{flow, id_link};
use heapquarry_timeline::{EventIndex, Flow, Key, Phase};
use std::{ops::Range, sync::Arc};

impl TraceRows<'_> {
    /// Rows of `flow`.
    pub(super) fn flows(&self, places: Range<usize>) -> RecordBatch {
        let timeline = self.timeline;
        let events = &timeline.events;
        let ids = places.start as i64..places.end as i64;
        let flows: Vec<Flow> = places.map(|at| timeline.flows.get(at)).collect();
        let slices_of = |events: &[EventIndex]| {
            self.optional_numbers(events.iter().map(|&event| timeline.slice_of_flow(event)))
        };
        let from: Vec<EventIndex> = flows.iter().map(|flow| flow.from).collect();
        let to: Vec<EventIndex> = flows.iter().map(|flow| flow.to).collect();
        let is_first = |event: EventIndex| events.phase(event).is_flow();
        let id = |&event: &EventIndex| match is_first(event) {
            true => events.id(event).map(|id| id.text),
            false => events.bind_id(event),
        };
        flow::Columns {
            file_id: self.file_id(flows.len()),
            id: int64(ids),
            slice_out: slices_of(&from),
            slice_in: slices_of(&to),
            flow_id: self.text(to.iter().map(|event| id(event).unwrap_or(Key::NONE))),
            name: self.names(&to),
            category: self.categories(&to),
            version: Arc::new(Int32Array::from_iter_values(
                to.iter().map(|&event| if is_first(event) { 1 } else { 2 }),
            )),
            out_event_index: self.numbers(from.iter().copied()),
            in_event_index: self.numbers(to.iter().copied()),
            ts_out: self.times(&from),
            ts_in: self.times(&to),
        }
        .into_batch()
    }

    /// Rows of `id_link`: those of these events.
    pub(super) fn id_links(&self, of: Range<u64>) -> RecordBatch {
        let events = &self.timeline.events;
        let links: Vec<EventIndex> =
            EventIndex::each(of).filter(|&event| events.phase(event) == Phase::LinkIds).collect();
        let linked = |&event: &EventIndex| events.text_arg(event, "linked_id").unwrap_or(Key::NONE);
        let [id, kind, scope] = self.ids(&links);
        id_link::Columns {
            file_id: self.file_id(links.len()),
            id: self.numbers(links.iter().copied()),
            ts: optional(links.iter().map(|&event| events.ts(event))),
            utid: self.utids(&links),
            upid: self.upids(&links),
            name: self.names(&links),
            category: self.categories(&links),
            link_ref: id,
            id_kind: kind,
            scope,
            linked_ref: self.text(links.iter().map(linked)),
        }
        .into_batch()
    }
}
