//! `flow`, `id_link`.

use super::{
    TraceRows,
    columns::{int64, optional},
};
use arrow_array::{Int32Array, RecordBatch};
use heapquarry_tables::{FLOW, ID_LINK};
use heapquarry_timeline::{Flow, Key, Phase};
use std::{ops::Range, sync::Arc};

impl TraceRows<'_> {
    /// Rows of `flow`.
    pub(super) fn flows(&self, places: Range<usize>) -> RecordBatch {
        let timeline = self.timeline;
        let events = &timeline.events;
        let ids = places.start as i64..places.end as i64;
        let flows: &[Flow] = &timeline.flows[places];
        let slices_of = |events: &[u64]| {
            self.optional_numbers(events.iter().map(|&event| timeline.slice_of_flow(event)))
        };
        let from: Vec<u64> = flows.iter().map(|flow| flow.from).collect();
        let to: Vec<u64> = flows.iter().map(|flow| flow.to).collect();
        let is_first = |event: u64| events.phase(event).is_flow();
        let id = |&event: &u64| match is_first(event) {
            true => events.id(event).map(|id| id.text),
            false => events.bind_id(event),
        };
        FLOW.batch(vec![
            self.file_id(flows.len()),
            int64(ids),
            slices_of(&from),
            slices_of(&to),
            self.text(to.iter().map(|event| id(event).unwrap_or(Key::NONE))),
            self.names(&to),
            self.categories(&to),
            Arc::new(Int32Array::from_iter_values(
                to.iter().map(|&event| if is_first(event) { 1 } else { 2 }),
            )),
            self.numbers(from.iter().copied()),
            self.numbers(to.iter().copied()),
            self.times(&from),
            self.times(&to),
        ])
    }

    /// Rows of `id_link`: those of these events.
    pub(super) fn id_links(&self, of: Range<u64>) -> RecordBatch {
        let events = &self.timeline.events;
        let links: Vec<u64> = of.filter(|&event| events.phase(event) == Phase::LinkIds).collect();
        let linked = |&event: &u64| events.text_arg(event, "linked_id").unwrap_or(Key::NONE);
        let [id, kind, scope] = self.ids(&links);
        ID_LINK.batch(vec![
            self.file_id(links.len()),
            self.numbers(links.iter().copied()),
            optional(links.iter().map(|&event| events.ts(event))),
            self.utids(&links),
            self.upids(&links),
            self.names(&links),
            self.categories(&links),
            id,
            kind,
            scope,
            self.text(links.iter().map(linked)),
        ])
    }
}
