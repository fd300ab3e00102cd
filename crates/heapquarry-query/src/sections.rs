//! Builds sections and cells of reports.

use heapquarry_report::{Body, Cell, Column, Section, Table};

/// A table whose text shows `top` rows.
pub(super) fn table(
    key: &'static str,
    title: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    top: usize,
    none: &'static str,
) -> Section {
    let table = Table { columns, rows, shown: Some(top), omitted: 0, none };
    Section { key, title: title.into(), body: Body::Table(table) }
}

pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
