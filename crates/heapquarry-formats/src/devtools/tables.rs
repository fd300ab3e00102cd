//! Rows of messages that arrive while a timeline is recorded.

use super::{LastSeen, StatsUpdate};
use crate::json::NONE;
use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{JS_HEAP_LAST_SEEN_OBJECT_ID, JS_HEAP_STATS_UPDATE};
use std::sync::Arc;

/// Rows of `js_heap_stats_update`; `file_id` returns the document of a heap.
pub fn stats_updates(rows: &[StatsUpdate], file_id: impl Fn(usize) -> i32) -> RecordBatch {
    let fragment = |i: usize| -> ArrayRef {
        let some = |row: &StatsUpdate| Some(row.fragment[i]).filter(|value| *value != NONE);
        Arc::new(rows.iter().map(some).collect::<Int64Array>())
    };
    JS_HEAP_STATS_UPDATE.batch(vec![
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| file_id(row.heap)))),
        Arc::new(Int64Array::from_iter_values(0..rows.len() as i64)),
        Arc::new(rows.iter().map(|row| row.time).collect::<Int64Array>()),
        fragment(0),
        fragment(1),
        fragment(2),
    ])
}

/// Rows of `js_heap_last_seen_object_id`; `file_id` returns the document of a heap.
pub fn last_seen_object_ids(rows: &[LastSeen], file_id: impl Fn(usize) -> i32) -> RecordBatch {
    JS_HEAP_LAST_SEEN_OBJECT_ID.batch(vec![
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| file_id(row.heap)))),
        Arc::new(Int64Array::from_iter_values(0..rows.len() as i64)),
        Arc::new(rows.iter().map(|row| row.time).collect::<Int64Array>()),
        Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.id))),
        Arc::new(rows.iter().map(|row| row.timestamp).collect::<Float64Array>()),
    ])
}
