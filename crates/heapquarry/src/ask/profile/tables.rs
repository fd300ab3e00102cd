//! A comparison of profiles as tables.

use super::{compare::Comparison, share, words::Words};
use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{JS_PROFILE_DIFF_FUNCTION, JS_PROFILE_DIFF_PROFILE, Table, arrays};
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
    JS_PROFILE_DIFF_PROFILE.batch(vec![
        Arc::new(Int32Array::from_iter_values(0..found.sides.len() as i32)),
        arrays::text(all().map(|side| Some(&side.name))),
        arrays::labels(all().map(|_| words.unit)),
        int64s(all().map(|side| side.whole)),
        int64s(all().map(|side| side.busy)),
        int64s(all().map(|side| i64::try_from(side.samples).unwrap_or(i64::MAX))),
        int64s(all().map(|side| side.functions as i64)),
    ])
}

fn functions(found: &Comparison) -> RecordBatch {
    let all = || found.functions.iter();
    let (first, last) = found.ends();
    let rows = found.functions.len();
    let percent = |part: i64, busy: i64| share(part, busy) as f64 / 1e4;
    let percents = |values: &mut dyn Iterator<Item = Option<f64>>| -> ArrayRef {
        Arc::new(values.collect::<Float64Array>())
    };
    JS_PROFILE_DIFF_FUNCTION.batch(vec![
        arrays::constant_i32(Some(found.sides.len() as i32 - 1), rows),
        arrays::constant_i32(Some(0), rows),
        arrays::text(all().map(|change| Some(&change.key.name))),
        arrays::text(all().map(|change| Some(&change.key.url))),
        Arc::new(all().map(|change| change.line).collect::<Int32Array>()),
        int64s(all().map(|change| change.base.own)),
        int64s(all().map(|change| change.now.own)),
        int64s(all().map(|change| change.own_delta())),
        int64s(all().map(|change| change.base.total)),
        int64s(all().map(|change| change.now.total)),
        int64s(all().map(|change| change.total_delta())),
        percents(&mut all().map(|c| (!c.is_idle).then(|| percent(c.base.own, first.busy)))),
        percents(&mut all().map(|c| (!c.is_idle).then(|| percent(c.now.own, last.busy)))),
        percents(&mut all().map(|c| (!c.is_idle).then(|| percent(c.base.total, first.busy)))),
        percents(&mut all().map(|c| (!c.is_idle).then(|| percent(c.now.total, last.busy)))),
    ])
}
