//! How answers become reports for people: titles, columns, and how many rows are shown. JSON is the answer itself.

use crate::answer::{
    Amount, AmountChange, Bytes, BytesChange, BytesPerHour, CountChange, Distance, Figure, Issue,
    List, Nanos, NodeId, NumberOrText, Share, ShareChange,
};
use heapquarry_report::{Body, Cell, Column, Section, Table, Unit, Value};

/// What people see of an answer.
pub trait View {
    /// The sections, of whose lists `shown` rows are shown.
    fn sections(&self, shown: usize) -> Vec<Section>;

    /// What the heading says of the inputs, whose names these are.
    fn subject(&self, inputs: &[String]) -> String {
        inputs.join(" → ")
    }

    /// Figures for programs that keep histories of them.
    fn figures(&self) -> &[Figure] {
        &[]
    }
}

/// Inputs of which none is before another: `a.json and 2 more`.
pub(crate) fn first_and_more(inputs: &[String]) -> String {
    match inputs {
        [] => String::new(),
        [one] => one.clone(),
        [first, more @ ..] => format!("{first} and {} more", more.len()),
    }
}

/// What can stand in a table.
pub(crate) trait Shown {
    fn cell(&self) -> Cell;
}

/// A column: its heading, and the value that it takes from a row.
pub(crate) struct Col<T> {
    column: Column,
    cell: fn(&T) -> Cell,
}

impl<T> Col<T> {
    /// A column that is always shown.
    pub(crate) const fn new(title: &'static str, cell: fn(&T) -> Cell) -> Self {
        Col { column: Column::new(title), cell }
    }

    /// A column that is omitted if the terminal is too narrow.
    pub(crate) const fn optional(title: &'static str, cell: fn(&T) -> Cell) -> Self {
        Col { column: Column::optional(title), cell }
    }
}

/// A table of which all rows are shown.
pub(crate) fn whole<T>(
    key: &'static str,
    title: &'static str,
    rows: &[T],
    columns: &[Col<T>],
) -> Section {
    rows_of(key, title, rows, 0, columns, usize::MAX, "")
}

/// A table whose first rows are shown.
pub(crate) fn table<T>(
    key: &'static str,
    title: &'static str,
    list: &List<T>,
    columns: &[Col<T>],
    shown: usize,
) -> Section {
    rows_of(key, title, &list.rows, list.omitted(), columns, shown, "")
}

/// Rows as a section; `none` replaces an empty table.
pub(crate) fn rows_of<T>(
    key: &'static str,
    title: &'static str,
    rows: &[T],
    omitted: u64,
    columns: &[Col<T>],
    shown: usize,
    none: &'static str,
) -> Section {
    // Rows that nobody sees are not made.
    let omitted = omitted + rows.len().saturating_sub(shown) as u64;
    let size = [rows.len().min(shown), columns.len()];
    let cell = |row: usize, column: usize| (columns[column].cell)(&rows[row]);
    let table = Table { omitted, none, ..Table::of(size, &|column| columns[column].column, &cell) };
    Section { key, title: title.into(), body: Body::Table(table) }
}

/// Single values with their names.
pub(crate) fn values(
    key: &'static str,
    title: &'static str,
    values: impl IntoIterator<Item = (&'static str, Cell)>,
) -> Section {
    let values = values.into_iter().map(|(title, cell)| Value { title, cell });
    Section { key, title: title.into(), body: Body::Values(values.collect()) }
}

/// What was repaired or is odd in an input, if anything is.
pub(crate) fn issues(rows: &[Issue]) -> Section {
    rows_of("issues", "Repairs and anomalies", rows, 0, ISSUES, usize::MAX, "nothing")
}

const ISSUES: &[Col<Issue>] = &[
    Col::new("Code", |row| row.code.cell()),
    Col::new("Severity", |row| row.severity.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::optional("First", |row| row.message.cell()),
];

impl Shown for Bytes {
    fn cell(&self) -> Cell {
        Cell::bytes(self.0)
    }
}

impl Shown for BytesChange {
    fn cell(&self) -> Cell {
        Cell::Change(self.0, Unit::Bytes)
    }
}

impl Shown for BytesPerHour {
    fn cell(&self) -> Cell {
        Cell::text(format!("{}/h", Unit::Bytes.format_change(self.0)))
    }
}

impl Shown for CountChange {
    fn cell(&self) -> Cell {
        Cell::Change(self.0, Unit::Count)
    }
}

/// A count.
impl Shown for u64 {
    fn cell(&self) -> Cell {
        Cell::count(*self)
    }
}

impl Shown for NodeId {
    fn cell(&self) -> Cell {
        Cell::id(self.0)
    }
}

impl Shown for Share {
    fn cell(&self) -> Cell {
        Cell::Number(self.parts, Unit::Share)
    }
}

impl Shown for ShareChange {
    fn cell(&self) -> Cell {
        Cell::Change(self.parts, Unit::Points)
    }
}

impl Shown for Distance {
    fn cell(&self) -> Cell {
        match self.word() {
            Some(word) => Cell::Word(self.0.into(), word),
            None => Cell::Number(self.0.into(), Unit::Count),
        }
    }
}

impl Shown for Nanos {
    fn cell(&self) -> Cell {
        Cell::Number(self.0, Unit::Nanos)
    }
}

impl Shown for Amount {
    fn cell(&self) -> Cell {
        Cell::Number(self.number, self.unit)
    }
}

impl Shown for AmountChange {
    fn cell(&self) -> Cell {
        Cell::Change(self.number, self.unit)
    }
}

/// A value of a counter: ids take [`Cell::Number`] with [`Unit::Plain`].
impl Shown for NumberOrText {
    fn cell(&self) -> Cell {
        match self {
            NumberOrText::Number(number) => Cell::Number(*number, Unit::Count),
            NumberOrText::Float(number) => Cell::Float(*number),
            NumberOrText::Text(text) => Cell::name(&**text),
        }
    }
}

/// Text of an input.
impl Shown for String {
    fn cell(&self) -> Cell {
        Cell::name(&**self)
    }
}

/// Text of heapquarry.
impl Shown for &'static str {
    fn cell(&self) -> Cell {
        Cell::text(*self)
    }
}

impl<T: Shown> Shown for Option<T> {
    fn cell(&self) -> Cell {
        self.as_ref().map_or(Cell::Empty, Shown::cell)
    }
}
