//! `slice`, `async_slice`.

use super::{
    TraceRows,
    columns::{int64, labels, optional, positions},
};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use heapquarry_tables::{Type, arrays, async_slice, slice};
use heapquarry_timeline::{AsyncEnding, AsyncSlice, Ending, EventIndex, Flags};
use std::{ops::Range, sync::Arc};

impl TraceRows<'_> {
    /// Rows of `slice`, for the slices that begin with these events.
    pub(super) fn slices(&self, of: Range<u64>) -> RecordBatch {
        let timeline = self.timeline;
        let (events, slices) = (&timeline.events, &timeline.slices);
        let begins: Vec<EventIndex> =
            EventIndex::each(of).filter(|&event| slices.ending(event).is_some()).collect();
        let each = || begins.iter().copied();
        // If an end is shared, it belongs to the beginning that it matches.
        let own_end = |event: EventIndex| match slices.ending(event) {
            Some(Ending::Matched) => slices.end_event(event),
            _ => None,
        };
        let utids: Vec<i64> = each()
            .map(|event| timeline.processes.utid(events, event).map_or(-1, i64::from))
            .collect();
        let utids = int64(utids.into_iter());
        let [thread_ts, thread_dur] = match events.has_thread_times() {
            false => [(); 2].map(|()| arrays::nulls(Type::Int64, begins.len())),
            true => readings(&begins, own_end, |event| events.thread_time(event)),
        };
        let [instructions, instruction_delta] = match events.has_instructions() {
            false => [(); 2].map(|()| arrays::nulls(Type::Int64, begins.len())),
            true => readings(&begins, own_end, |event| events.instructions(event)),
        };
        let [stack, end_stack] = match events.has_stacks() {
            false => [(); 2].map(|()| arrays::nulls(Type::Text, begins.len())),
            true => {
                let start = |event: EventIndex| events.stack(event).0;
                let end = |event: EventIndex| match own_end(event) {
                    Some(end) => start(end),
                    None => events.stack(event).1,
                };
                [self.text(each().map(start)), self.text(each().map(end))]
            }
        };
        let depths = each().map(|event| i32::try_from(slices.depth(event)).unwrap_or(i32::MAX));
        let overlaps = each().map(|event| i32::from(slices.overlaps(event)));
        let aggregates = each().map(|event| i32::from(slices.is_aggregate(event)));
        let arg_set = |event: EventIndex| timeline.arg_set(event, own_end(event));
        slice::Columns {
            file_id: self.file_id(begins.len()),
            id: self.numbers(each()),
            ts: self.times(&begins),
            dur: int64(each().map(|event| slices.dur(events, event))),
            track_id: utids.clone(),
            category: self.categories(&begins),
            name: self.names(&begins),
            depth: Arc::new(Int32Array::from_iter_values(depths)),
            parent_id: self.optional_numbers(each().map(|event| slices.parent(event))),
            arg_set_id: self.optional_numbers(each().map(arg_set)),
            thread_ts,
            thread_dur,
            thread_instruction_count: instructions,
            thread_instruction_delta: instruction_delta,
            utid: utids,
            self_dur: optional(each().map(|event| slices.self_dur(event))),
            ending: labels(
                &["complete", "matched", "implied", "open", "unknown"],
                each().map(|event| slices.ending(event).map(|ending| ending as usize)),
            ),
            is_overlapping: Arc::new(Int32Array::from_iter_values(overlaps)),
            end_event_index: self.optional_numbers(each().map(|event| slices.end_event(event))),
            stack_id: stack,
            end_stack_id: end_stack,
            is_aggregate: match timeline.aggregates.is_empty() {
                true => arrays::constant_i32(Some(0), begins.len()),
                false => Arc::new(Int32Array::from_iter_values(aggregates)),
            },
        }
        .into_batch()
    }

    /// Rows of `async_slice`.
    pub(super) fn async_slices(&self, places: Range<usize>) -> RecordBatch {
        let timeline = self.timeline;
        let events = &timeline.events;
        let slices: Vec<AsyncSlice> =
            places.map(|at| timeline.async_slices.get(events, at)).collect();
        let each = || slices.iter();
        let begins: Vec<EventIndex> = each().map(|slice| slice.event).collect();
        let own_end =
            |slice: &AsyncSlice| slice.end_event.filter(|_| slice.ending == AsyncEnding::Matched);
        let thread_time = |event: EventIndex| {
            let means_something = events.flags(event).has(Flags::ASYNC_TTS);
            if means_something { events.thread_time(event).0 } else { None }
        };
        let thread_dur = |slice: &AsyncSlice| {
            Some(thread_time(own_end(slice)?)?.saturating_sub(thread_time(slice.event)?))
        };
        let depths = each().map(|slice| i32::try_from(slice.depth).unwrap_or(i32::MAX));
        async_slice::Columns {
            file_id: self.file_id(slices.len()),
            id: self.numbers(each().map(|slice| slice.event)),
            ts: int64(each().map(|slice| slice.ts)),
            dur: int64(each().map(|slice| slice.dur)),
            track_id: positions(each().map(|slice| timeline.tracks.of_tree(slice.tree))),
            category: self.categories(&begins),
            name: self.text(each().map(|slice| slice.name)),
            depth: Arc::new(Int32Array::from_iter_values(depths)),
            parent_id: self.optional_numbers(each().map(|slice| slice.parent)),
            arg_set_id: self.optional_numbers(
                each().map(|slice| timeline.arg_set(slice.event, own_end(slice))),
            ),
            thread_ts: optional(begins.iter().map(|&event| thread_time(event))),
            thread_dur: optional(each().map(thread_dur)),
            utid: self.utids(&begins),
            upid: self.upids(&begins),
            ending: labels(
                &["matched", "implied", "open", "no_begin", "instant", "step"],
                each().map(|slice| Some(slice.ending as usize)),
            ),
            end_event_index: self.optional_numbers(each().map(|slice| slice.end_event)),
        }
        .into_batch()
    }
}

/// The clock value at the start, and the difference to the end: as the event has it, or computed from the end's value.
fn readings(
    begins: &[EventIndex],
    end: impl Fn(EventIndex) -> Option<EventIndex>,
    get: impl Fn(EventIndex) -> (Option<i64>, Option<i64>),
) -> [ArrayRef; 2] {
    let start = |event: EventIndex| get(event).0;
    let difference = |event: EventIndex| match end(event) {
        Some(end) => Some(start(end)?.saturating_sub(start(event)?)),
        None => get(event).1,
    };
    [
        optional(begins.iter().map(|&event| start(event))),
        optional(begins.iter().map(|&event| difference(event))),
    ]
}
