//! Builds sections and cells of reports.

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

/// The change of a number.
pub(super) fn change(now: u64, before: u64, unit: Unit) -> Cell {
    Cell::Change(signed(now) - signed(before), unit)
}

pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
