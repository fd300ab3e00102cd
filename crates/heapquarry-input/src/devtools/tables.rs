//! Rows of messages that arrive while a timeline is recorded.

use super::{LastSeen, StatsUpdate};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use heapquarry_formats::json::NONE;
use heapquarry_tables::{FileId, js_heap_last_seen_object_id, js_heap_stats_update};
use std::sync::Arc;

/// Rows of `js_heap_stats_update`; `file_id` returns the document of a heap.
pub fn stats_updates(rows: &[StatsUpdate], file_id: impl Fn(usize) -> FileId) -> RecordBatch {
    let fragment = |i: usize| -> ArrayRef {
        let some = |row: &StatsUpdate| Some(row.fragment[i]).filter(|value| *value != NONE);
        Arc::new(rows.iter().map(some).collect::<Int64Array>())
    };
    js_heap_stats_update::Columns {
        file_id: FileId::columns(rows.iter().map(|row| file_id(row.heap))),
        update_index: Arc::new(Int64Array::from_iter_values(0..rows.len() as i64)),
        time_ns: Arc::new(rows.iter().map(|row| row.time).collect::<Int64Array>()),
        fragment_index: fragment(0),
        count: fragment(1),
        size: fragment(2),
    }
    .into_batch()
}

/// Rows of `js_heap_last_seen_object_id`; `file_id` returns the document of a heap.
pub fn last_seen_object_ids(rows: &[LastSeen], file_id: impl Fn(usize) -> FileId) -> RecordBatch {
    js_heap_last_seen_object_id::Columns {
        file_id: FileId::columns(rows.iter().map(|row| file_id(row.heap))),
        update_index: Arc::new(Int64Array::from_iter_values(0..rows.len() as i64)),
        time_ns: Arc::new(rows.iter().map(|row| row.time).collect::<Int64Array>()),
        last_seen_object_id: Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.id))),
        timestamp_ms: Arc::new(rows.iter().map(|row| row.timestamp).collect::<Float64Array>()),
    }
    .into_batch()
}
