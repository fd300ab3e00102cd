//! `object`, `object_snapshot`, `context`.

use super::{
    TraceRows,
    columns::{int64, optional, positions},
};
use arrow_array::RecordBatch;
use heapquarry_tables::{context, object, object_snapshot};
use heapquarry_timeline::{EventIndex, Key, Object};
use std::ops::Range;

impl TraceRows<'_> {
    /// Rows of `object`.
    pub(super) fn objects(&self, places: Range<usize>) -> RecordBatch {
        let ids = places.start as i64..places.end as i64;
        let objects: &[Object] = &self.timeline.objects.objects[places];
        let first: Vec<EventIndex> = objects.iter().map(|object| object.first).collect();
        let ts = |event: Option<EventIndex>| event.and_then(|event| self.timeline.events.ts(event));
        let [object_ref, kind, scope] = self.ids(&first);
        object::Columns {
            file_id: self.file_id(objects.len()),
            id: int64(ids),
            type_name: self.text(objects.iter().map(|object| object.type_name)),
            object_ref,
            id_kind: kind,
            scope,
            category: self.categories(&first),
            upid: self.upids(&first),
            created_ts: optional(objects.iter().map(|object| ts(object.created))),
            destroyed_ts: optional(objects.iter().map(|object| ts(object.destroyed))),
            snapshot_count: positions(objects.iter().map(|object| object.snapshots)),
        }
        .into_batch()
    }

    /// Rows of `object_snapshot`.
    pub(super) fn object_snapshots(&self, places: Range<usize>) -> RecordBatch {
        let events = &self.timeline.events;
        let snapshots = &self.timeline.objects.snapshots[places];
        let of: Vec<EventIndex> = snapshots.iter().map(|snapshot| snapshot.event).collect();
        let member = |event: EventIndex, name: &str| events.text_arg(event, name);
        let category = |&event: &EventIndex| member(event, "cat").unwrap_or(events.category(event));
        object_snapshot::Columns {
            file_id: self.file_id(snapshots.len()),
            id: self.numbers(of.iter().copied()),
            ts: self.times(&of),
            object_id: int64(snapshots.iter().map(|snapshot| snapshot.object.into())),
            type_name: self.names(&of),
            base_type: self
                .text(of.iter().map(|&event| member(event, "base_type").unwrap_or(Key::NONE))),
            category: self.text(of.iter().map(category)),
            utid: self.utids(&of),
            upid: self.upids(&of),
        }
        .into_batch()
    }

    /// Rows of `context`.
    pub(super) fn contexts(&self, places: Range<usize>) -> RecordBatch {
        let contexts = &self.timeline.contexts[places];
        let of: Vec<EventIndex> = contexts.iter().map(|context| context.event).collect();
        let ts = |event: EventIndex| self.timeline.events.ts(event).unwrap_or_default();
        let dur = |event, end: Option<EventIndex>| {
            end.map_or(-1, |end| ts(end).saturating_sub(ts(event)))
        };
        let [context_ref, kind, scope] = self.ids(&of);
        context::Columns {
            file_id: self.file_id(contexts.len()),
            id: self.numbers(of.iter().copied()),
            ts: self.times(&of),
            dur: int64(contexts.iter().map(|context| dur(context.event, context.end_event))),
            utid: self.utids(&of),
            upid: self.upids(&of),
            name: self.names(&of),
            category: self.categories(&of),
            context_ref,
            id_kind: kind,
            scope,
            end_event_index: self
                .optional_numbers(contexts.iter().map(|context| context.end_event)),
        }
        .into_batch()
    }
}
