//! A comparison of profiles as tables.

use super::{diff::Comparison, share, words::Words};
use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{
    JS_PROFILE_DIFF_FUNCTION, JS_PROFILE_DIFF_PROFILE, Table, arrays, js_profile_diff_function,
    js_profile_diff_profile,
};
use std::sync::Arc;

/// The rows of each table.
pub(super) fn tables(found: &Comparison, words: &Words) -> [(&'static Table, RecordBatch); 2] {
    [
        (&JS_PROFILE_DIFF_PROFILE, profiles(found, words)),
        (&JS_PROFILE_DIFF_FUNCTION, functions(found)),
    ]
}

fn int64s(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn profiles(found: &Comparison, words: &Words) -> RecordBatch {
    let all = || found.sides.iter();
    js_profile_diff_profile::Columns {
        file_id: Arc::new(Int32Array::from_iter_values(0..found.sides.len() as i32)),
        path: arrays::text(all().map(|side| Some(&side.name))),
        unit: arrays::labels(all().map(|_| words.unit)),
        total_value: int64s(all().map(|side| side.whole)),
        busy_value: int64s(all().map(|side| side.busy)),
        sample_count: int64s(all().map(|side| i64::try_from(side.samples).unwrap_or(i64::MAX))),
        function_count: int64s(all().map(|side| side.functions as i64)),
    }
    .into_batch()
}

fn functions(found: &Comparison) -> RecordBatch {
    let all = || found.functions.iter();
    let (first, last) = found.ends();
    let rows = found.functions.len();
    let percent = |part: i64, busy: i64| share(part, busy) as f64 / 1e4;
    let percents = |values: &mut dyn Iterator<Item = Option<f64>>| -> ArrayRef {
        Arc::new(values.collect::<Float64Array>())
    };
    js_profile_diff_function::Columns {
        file_id: arrays::constant_i32(Some(found.sides.len() as i32 - 1), rows),
        base_file_id: arrays::constant_i32(Some(0), rows),
        function_name: arrays::text(all().map(|change| Some(&change.key.name))),
        url: arrays::text(all().map(|change| Some(&change.key.url))),
        line_number: Arc::new(all().map(|change| change.line).collect::<Int32Array>()),
        base_self_value: int64s(all().map(|change| change.base.own)),
        self_value: int64s(all().map(|change| change.now.own)),
        self_delta: int64s(all().map(|change| change.own_delta())),
        base_total_value: int64s(all().map(|change| change.base.total)),
        total_value: int64s(all().map(|change| change.now.total)),
        total_delta: int64s(all().map(|change| change.total_delta())),
        base_self_percent: percents(
            &mut all().map(|c| (!c.is_idle).then(|| percent(c.base.own, first.busy))),
        ),
        self_percent: percents(
            &mut all().map(|c| (!c.is_idle).then(|| percent(c.now.own, last.busy))),
        ),
        base_total_percent: percents(
            &mut all().map(|c| (!c.is_idle).then(|| percent(c.base.total, first.busy))),
        ),
        total_percent: percents(
            &mut all().map(|c| (!c.is_idle).then(|| percent(c.now.total, last.busy))),
        ),
    }
    .into_batch()
}
