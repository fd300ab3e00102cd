//! A comparison of profiles as tables.

use super::{
    diff::{Change, Comparison},
    share,
    words::Words,
};
use crate::runs::Side;
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
    let all = || found.runs.iter();
    js_profile_diff_profile::Columns {
        file_id: Arc::new(Int32Array::from_iter_values(0..found.runs.len() as i32)),
        path: arrays::text(all().map(|run| Some(&run.name))),
        unit: arrays::labels(all().map(|_| words.unit)),
        total_value: int64s(all().map(|run| run.whole)),
        busy_value: int64s(all().map(|run| run.busy)),
        sample_count: int64s(all().map(|run| i64::try_from(run.samples).unwrap_or(i64::MAX))),
        function_count: int64s(all().map(|run| run.functions as i64)),
        side: arrays::labels(all().map(|run| run.side.map_or("", Side::word))),
    }
    .into_batch()
}

fn functions(found: &Comparison) -> RecordBatch {
    let all = || found.functions.iter();
    let [before, after] = found.busy;
    let rows = found.functions.len();
    // Idle functions have no share, nor has anything where all was idle.
    let percents = |part: fn(&Change) -> i64, busy: i64| -> ArrayRef {
        let percent = |change: &Change| {
            let has_share = !change.is_idle && busy > 0;
            has_share.then(|| share(part(change), busy) as f64 / 1e4)
        };
        Arc::new(all().map(percent).collect::<Float64Array>())
    };
    js_profile_diff_function::Columns {
        file_id: arrays::constant_i32(Some(found.runs.len() as i32 - 1), rows),
        base_file_id: arrays::constant_i32(Some(0), rows),
        function_name: arrays::shared_text(all().map(|change| &*change.row.key.name)),
        url: arrays::shared_text(all().map(|change| &*change.row.key.url)),
        line_number: Arc::new(all().map(|change| change.line).collect::<Int32Array>()),
        base_self_value: int64s(all().map(|change| change.base.own)),
        self_value: int64s(all().map(|change| change.now.own)),
        self_delta: int64s(all().map(|change| change.own_delta())),
        base_total_value: int64s(all().map(|change| change.base.total)),
        total_value: int64s(all().map(|change| change.now.total)),
        total_delta: int64s(all().map(|change| change.total_delta())),
        base_self_percent: percents(|change| change.base.own, before),
        self_percent: percents(|change| change.now.own, after),
        base_total_percent: percents(|change| change.base.total, before),
        total_percent: percents(|change| change.now.total, after),
        change: arrays::labels(all().map(|change| change.row.kind().word())),
        p_value: Arc::new(all().map(|change| change.row.p_value()).collect::<Float64Array>()),
    }
    .into_batch()
}
