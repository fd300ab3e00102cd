//! A comparison of traces as tables.

use super::{
    diff::Row,
    figures::{Figures, Numbers},
    list::{COMPARED, Lists},
};
use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch};
use heapquarry_report::runs::Change;
use heapquarry_tables::{
    TRACE_DIFF_FIGURE, TRACE_DIFF_RUN, TRACE_DIFF_TRACE, Table, arrays, trace_diff_figure,
    trace_diff_run, trace_diff_trace,
};
use std::sync::Arc;

/// A trace that was compared: what it is called, on which side, and its figures.
pub(super) struct Run<'a> {
    pub(super) path: String,
    pub(super) side: &'static str,
    pub(super) figures: &'a Figures,
}

/// The rows of each table.
pub(super) fn tables(
    runs: &[Run<'_>],
    changes: &[(Lists, Vec<Row>)],
) -> [(&'static Table, RecordBatch); 3] {
    let last = runs.iter().rposition(|run| !run.side.is_empty()).unwrap_or_default();
    [
        (&TRACE_DIFF_TRACE, traces(runs)),
        (&TRACE_DIFF_FIGURE, figures(last, changes)),
        (&TRACE_DIFF_RUN, values(runs)),
    ]
}

fn traces(runs: &[Run<'_>]) -> RecordBatch {
    trace_diff_trace::Columns {
        file_id: Arc::new(Int32Array::from_iter_values(0..runs.len() as i32)),
        path: arrays::text(runs.iter().map(|run| Some(&run.path))),
        side: arrays::labels(runs.iter().map(|run| run.side)),
    }
    .into_batch()
}

/// The columns that name a subject. Lists call their parts differently; what is no part of a name is NULL, and so is an
/// empty one.
fn named<'a>(rows: &[(Lists, &'a [String])]) -> [ArrayRef; 5] {
    let column = |keys: &[&str]| {
        arrays::text(rows.iter().map(|(list, names): &(Lists, &'a [String])| {
            let at = list.list().names.iter().position(|(key, _)| keys.contains(key))?;
            Some(&names[at]).filter(|name| !name.is_empty())
        }))
    };
    [
        column(&["process_name"]),
        column(&["thread_name"]),
        column(&["name", "counter_name"]),
        column(&["category"]),
        column(&["series"]),
    ]
}

fn figures(last: usize, changes: &[(Lists, Vec<Row>)]) -> RecordBatch {
    let mut cells: Vec<(Lists, &Row, usize)> = Vec::new();
    for (list, rows) in changes {
        for row in rows {
            cells.extend((0..row.figures.len()).map(|at| (*list, row, at)));
        }
    }
    let names: Vec<_> = cells.iter().map(|(list, row, _)| (*list, &*row.key)).collect();
    let [process_name, thread_name, name, category, series] = named(&names);
    let all = || cells.iter().map(|(list, row, at)| (*list, *row, *at, &row.figures[*at].found));
    let numbers = |numbers: &mut dyn Iterator<Item = f64>| -> ArrayRef {
        Arc::new(numbers.map(known).collect::<Float64Array>())
    };
    let word = |change: Change| match change {
        Change::Same => "same",
        Change::More => "more",
        Change::Less => "less",
    };
    trace_diff_figure::Columns {
        file_id: arrays::constant_i32(Some(last as i32), cells.len()),
        list: arrays::labels(all().map(|(list, ..)| list.list().key)),
        process_name,
        thread_name,
        name,
        category,
        series,
        figure: arrays::labels(all().map(|(list, _, at, _)| list.list().figures[at].key)),
        before: numbers(&mut all().map(|(.., found)| found.before)),
        after: numbers(&mut all().map(|(.., found)| found.after)),
        delta: numbers(&mut all().map(|(.., found)| found.after - found.before)),
        p_value: Arc::new(all().map(|(.., found)| found.p).collect::<Float64Array>()),
        change: arrays::labels(all().map(|(.., found)| word(found.change))),
        is_decisive: Arc::new(Int32Array::from_iter_values(
            all().map(|(_, row, at, _)| i32::from(row.decisive == at)),
        )),
        subject_change: arrays::labels(all().map(|(_, row, ..)| row.kind().word())),
    }
    .into_batch()
}

fn values(runs: &[Run<'_>]) -> RecordBatch {
    let mut cells: Vec<(i32, Lists, &Vec<String>, usize, &Numbers)> = Vec::new();
    for (id, run) in (0..).zip(runs).filter(|(_, run)| !run.side.is_empty()) {
        for &list in COMPARED {
            let figures = 0..list.list().figures.len();
            for (names, numbers) in run.figures.of(list) {
                cells.extend(figures.clone().map(|at| (id, list, names, at, numbers)));
            }
        }
    }
    let names: Vec<_> =
        cells.iter().map(|(_, list, names, ..)| (*list, names.as_slice())).collect();
    let [process_name, thread_name, name, category, series] = named(&names);
    let all = || cells.iter();
    trace_diff_run::Columns {
        file_id: Arc::new(Int32Array::from_iter_values(all().map(|cell| cell.0))),
        list: arrays::labels(all().map(|(_, list, ..)| list.list().key)),
        process_name,
        thread_name,
        name,
        category,
        series,
        figure: arrays::labels(all().map(|(_, list, _, at, _)| list.list().figures[*at].key)),
        value: Arc::new(
            all().map(|(.., at, numbers)| known(numbers[*at])).collect::<Float64Array>(),
        ),
    }
    .into_batch()
}

/// What is not known is not a number.
fn known(number: f64) -> Option<f64> {
    Some(number).filter(|number| !number.is_nan())
}
