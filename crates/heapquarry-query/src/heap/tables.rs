//! A comparison of heaps as tables.

use super::{
    Subject,
    diff::{Comparison, Totals},
};
use crate::{output::ROWS, sections::signed};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_base::Order;
use heapquarry_graph::NodeIndex;
use heapquarry_tables::{
    JS_HEAP_DIFF_CLASS, JS_HEAP_DIFF_OBJECT, JS_HEAP_DIFF_SERIES, JS_HEAP_DIFF_SNAPSHOT, Table,
    arrays, js_heap_diff_class, js_heap_diff_object, js_heap_diff_series, js_heap_diff_snapshot,
};
use std::{collections::HashSet, sync::Arc};

/// The rows of each table; objects in batches of a row group.
pub(super) fn tables<'a>(
    found: &'a Comparison,
    current: &'a Subject,
) -> impl Iterator<Item = (&'static Table, RecordBatch)> + 'a {
    let few: [(&'static Table, RecordBatch); 4] = [
        (&JS_HEAP_DIFF_SNAPSHOT, snapshots(found)),
        (&JS_HEAP_DIFF_CLASS, classes(found)),
        (&JS_HEAP_DIFF_SERIES, series(found, current)),
        // The table exists even without rows.
        (&JS_HEAP_DIFF_OBJECT, objects(&[], found, current)),
    ];
    let mut grown = found.growth(current).filter(|(_, growth)| *growth > 0);
    let many = std::iter::from_fn(move || {
        let rows: Vec<_> = grown.by_ref().take(ROWS).collect();
        let batch = (!rows.is_empty()).then(|| objects(&rows, found, current))?;
        Some((&JS_HEAP_DIFF_OBJECT, batch))
    });
    few.into_iter().chain(many)
}

fn int64s(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.map(signed)))
}

fn names<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    arrays::text(values.map(Some))
}

/// The numbers of the last snapshot, and of the first.
fn ends(found: &Comparison, rows: usize) -> [ArrayRef; 2] {
    let last = found.snapshots.len() as i32 - 1;
    [arrays::constant_i32(Some(last), rows), arrays::constant_i32(Some(0), rows)]
}

fn snapshots(found: &Comparison) -> RecordBatch {
    let all = || found.snapshots.iter();
    js_heap_diff_snapshot::Columns {
        file_id: Arc::new(Int32Array::from_iter_values(0..found.snapshots.len() as i32)),
        path: names(all().map(|s| s.name.as_str())),
        size: int64s(all().map(|s| s.size)),
        node_count: int64s(all().map(|s| s.nodes)),
    }
    .into_batch()
}

fn classes(found: &Comparison) -> RecordBatch {
    let all = || found.classes.iter();
    let (first, last) = found.ends();
    let [current, base] = ends(found, found.classes.len());
    let delta = |deltas: &mut dyn Iterator<Item = i64>| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(deltas))
    };
    js_heap_diff_class::Columns {
        file_id: current,
        base_file_id: base,
        class_name: names(all().map(|d| d.class_name.as_str())),
        class_key: names(all().map(|d| d.class_key.as_str())),
        added_count: int64s(all().map(|d| d.added_count)),
        removed_count: int64s(all().map(|d| d.removed_count)),
        added_size: int64s(all().map(|d| d.added_size)),
        removed_size: int64s(all().map(|d| d.removed_size)),
        count_delta: delta(&mut all().map(|d| d.count_delta())),
        size_delta: delta(&mut all().map(|d| d.size_delta())),
        base_retained_size: int64s(all().map(|d| first.of(&d.class_key).retained)),
        retained_size: int64s(all().map(|d| last.of(&d.class_key).retained)),
    }
    .into_batch()
}

fn series(found: &Comparison, current: &Subject) -> RecordBatch {
    let suspects: HashSet<&str> = found
        .suspects
        .iter()
        .map(|&class| current.analysis.classes.classes[class as usize].key.as_str())
        .collect();
    let mut rows: Vec<(i32, &str, &Totals)> = Vec::new();
    for (id, snapshot) in found.snapshots.iter().enumerate() {
        rows.extend(snapshot.classes().map(|(key, totals)| (id as i32, key, totals)));
    }
    rows.order_by_key(|(id, key, _)| (*id, *key));
    let all = || rows.iter();
    js_heap_diff_series::Columns {
        file_id: Arc::new(Int32Array::from_iter_values(all().map(|row| row.0))),
        class_name: names(all().map(|row| row.2.name.as_str())),
        class_key: names(all().map(|row| row.1)),
        count: int64s(all().map(|row| row.2.count)),
        shallow_size: int64s(all().map(|row| row.2.size)),
        retained_size: int64s(all().map(|row| row.2.retained)),
        suspected: Arc::new(Int32Array::from_iter_values(
            all().map(|row| i32::from(suspects.contains(row.1))),
        )),
    }
    .into_batch()
}

fn objects(rows: &[(NodeIndex, u64)], found: &Comparison, current: &Subject) -> RecordBatch {
    let all = || rows.iter().copied();
    let [last, base] = ends(found, rows.len());
    let nodes = current.heap.nodes();
    let before = all().map(|(node, _)| found.before(current, node).map(signed));
    js_heap_diff_object::Columns {
        file_id: last,
        base_file_id: base,
        id: Arc::new(Int64Array::from_iter_values(all().map(|(node, _)| nodes.id(node)))),
        class_name: names(
            all().map(|(node, _)| current.analysis.classes.class(node).name.as_str()),
        ),
        base_retained_size: Arc::new(Int64Array::from_iter(before)),
        retained_size: int64s(all().map(|(node, _)| current.retained(node))),
        retained_delta: int64s(all().map(|(_, growth)| growth)),
    }
    .into_batch()
}
