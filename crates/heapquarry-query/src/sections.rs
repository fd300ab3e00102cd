//! Builds sections and cells of reports.

use heapquarry::Entry;
use heapquarry_formats::Code;
use heapquarry_report::{Body, Cell, Column, Section, Table, Unit, Value};

/// Single values, with their names in JSON and for people.
pub(super) fn values(
    key: &'static str,
    title: &'static str,
    values: impl IntoIterator<Item = (&'static str, &'static str, Cell)>,
) -> Section {
    let values = values.into_iter().map(|(key, title, cell)| Value { key, title, cell });
    Section { key, title: title.into(), body: Body::Values(values.collect()) }
}

/// A table whose text shows `top` rows.
pub(super) fn table(
    key: &'static str,
    title: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    top: usize,
    none: &'static str,
) -> Section {
    let table = Table { columns, rows, shown: Some(top), json_only: 0, omitted: 0, none };
    Section { key, title: title.into(), body: Body::Table(table) }
}

/// The same table, of which so many rows were never made.
pub(super) fn omitting(mut section: Section, omitted: u64) -> Section {
    if let Body::Table(table) = &mut section.body {
        table.omitted = omitted;
    }
    section
}

/// The change of a number.
pub(super) fn change(now: u64, before: u64, unit: Unit) -> Cell {
    Cell::Change(signed(now) - signed(before), unit)
}

pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// What is in `import_log`, by code.
pub(super) fn issues(log: &[Entry]) -> Section {
    let mut codes: Vec<(Code, u64, &Entry)> = Vec::new();
    for entry in log {
        match codes.iter_mut().find(|(code, ..)| *code == entry.code) {
            Some((_, count, _)) => *count += entry.occurrences,
            None => codes.push((entry.code, entry.occurrences, entry)),
        }
    }
    codes.sort_unstable_by_key(|(code, ..)| (std::cmp::Reverse(code.severity()), *code));
    let row = |(code, count, first): (Code, u64, &Entry)| {
        vec![
            Cell::text(code.name()),
            Cell::text(code.severity().name()),
            Cell::count(count),
            first.offset.map_or(Cell::Empty, |offset| Cell::count(offset.0)),
            Cell::name(&*first.message),
        ]
    };
    let columns = vec![
        Column::new("code", "Code"),
        Column::new("severity", "Severity"),
        Column::new("count", "Count"),
        Column::hidden("offset"),
        Column::optional("message", "First"),
    ];
    let rows: Vec<_> = codes.into_iter().map(row).collect();
    // There are only so many codes.
    let top = rows.len();
    table("issues", "Repairs and anomalies", columns, rows, top, "nothing")
}
