//! The model of a report, for all forms of output.

use crate::{Check, Unit, verdict};
use std::borrow::Cow;

/// The result of a command.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The command: `heapquarry diff`.
    pub command: Cow<'static, str>,
    /// The input, as the heading shows it.
    pub subject: String,
    /// Remarks that a reader must know before using the numbers.
    pub notes: Vec<String>,
    /// The results, in order.
    pub sections: Vec<Section>,
    /// Results of checks against limits; empty if there are no limits.
    pub checks: Vec<Check>,
    /// Figures for programs that keep histories of them.
    pub measures: Vec<Measure>,
}

/// A figure of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Name of the scope.
    pub scope: &'static str,
    /// Name of the subject; empty for the whole input.
    pub name: String,
    /// Name of the quantity.
    pub quantity: &'static str,
    /// Unit of the numbers.
    pub unit: Unit,
    /// The number; of several runs the median.
    pub value: i64,
    /// Of several runs: the least and the greatest number.
    pub spread: Option<(i64, i64)>,
}

impl Report {
    /// Checks whose limit was exceeded.
    pub fn exceeded(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.is_exceeded())
    }

    /// What exceeds its limit, a sentence for each finding: `class Session: count is 120, the limit is 100`.
    pub fn exceeded_in_words(&self) -> Vec<String> {
        let found = self.exceeded().flat_map(|c| c.findings.iter().map(move |found| (c, found)));
        found.map(|(check, finding)| verdict::sentence(check, finding)).collect()
    }
}

/// A part of a report.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its id in pages.
    pub key: &'static str,
    /// Its heading; empty for none.
    pub title: Cow<'static, str>,
    /// Its content.
    pub body: Body,
}

/// The content of a section.
#[derive(Clone, Debug)]
pub enum Body {
    /// Sentences. Names of an input can stand in them.
    Text(String),
    /// Single values.
    Values(Vec<Value>),
    /// Rows.
    Table(Table),
    /// Groups of sections, each of the same shape.
    List(Vec<Vec<Section>>),
}

/// A value with its name.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its name.
    pub title: &'static str,
    /// The value.
    pub cell: Cell,
}

/// Rows of typed cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, the most important first. Each has one cell per column.
    pub rows: Vec<Vec<Cell>>,
    /// Number of rows that are shown; `None` for all.
    pub shown: Option<usize>,
    /// Number of rows that exist but are not listed.
    pub omitted: u64,
    /// Text that replaces an empty table.
    pub none: &'static str,
}

impl Table {
    /// A table of so many rows and columns.
    pub fn of(
        [rows, columns]: [usize; 2],
        column: &dyn Fn(usize) -> Column,
        cell: &dyn Fn(usize, usize) -> Cell,
    ) -> Self {
        let cells = |row| (0..columns).map(|column| cell(row, column)).collect();
        let (columns, rows) = ((0..columns).map(column).collect(), (0..rows).map(cells).collect());
        Table { columns, rows, ..Table::default() }
    }

    /// Rows that are shown, and the number of further rows.
    pub(crate) fn visible(&self) -> (&[Vec<Cell>], u64) {
        let all = self.rows.len();
        let shown = self.shown.unwrap_or(all).min(all);
        (&self.rows[..shown], (all - shown) as u64 + self.omitted)
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Whether it may be omitted if the terminal is too narrow.
    pub optional: bool,
}

impl Column {
    /// A column that is always shown.
    pub const fn new(title: &'static str) -> Self {
        Column { title, optional: false }
    }

    /// A column that is omitted if the terminal is too narrow.
    pub const fn optional(title: &'static str) -> Self {
        Column { title, optional: true }
    }
}

/// A typed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Empty,
    /// Text of heapquarry.
    Text(Cow<'static, str>),
    /// Text of an input. It can contain anything, including control characters.
    Name(String),
    /// A number.
    Number(i64, Unit),
    /// A number of an input, unchanged.
    Float(f64),
    /// Change of a number.
    Change(i64, Unit),
    /// A number shown as a word; tables are sorted by the number.
    Word(i64, &'static str),
    /// Several values.
    List(Vec<Cell>),
}

impl Cell {
    /// A count.
    pub fn count(n: u64) -> Self {
        Cell::Number(saturate(n), Unit::Count)
    }

    /// A number of bytes.
    pub fn bytes(n: u64) -> Self {
        Cell::Number(saturate(n), Unit::Bytes)
    }

    /// An id.
    pub fn id(n: i64) -> Self {
        Cell::Number(n, Unit::Id)
    }

    /// A part as a share of a whole; empty if the whole is 0.
    pub fn share(part: u64, whole: u64) -> Self {
        if whole == 0 {
            return Cell::Empty;
        }
        let share = u128::from(part) * 1_000_000 / u128::from(whole);
        Cell::Number(i64::try_from(share).unwrap_or(i64::MAX), Unit::Share)
    }

    /// Text of heapquarry.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Cell::Text(text.into())
    }

    /// Text of an input.
    pub fn name(name: impl Into<String>) -> Self {
        Cell::Name(name.into())
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Cell::Number(..) | Cell::Float(_) | Cell::Change(..) | Cell::Word(..))
    }
}

/// No heap exceeds 2^63.
fn saturate(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_the_first_rows_and_how_many_more_there_are() {
        let rows = vec![vec![Cell::Empty]; 9];
        for (shown, omitted, expected) in [
            (None, 0, (9, 0)),
            (Some(4), 0, (4, 5)),
            (Some(4), 2, (4, 7)),
            (Some(20), 0, (9, 0)),
            (None, 1, (9, 1)),
        ] {
            let table = Table { rows: rows.clone(), shown, omitted, ..Table::default() };
            let (seen, more) = table.visible();
            assert_eq!((seen.len(), more), expected);
        }
    }

    #[test]
    fn shares_do_not_wrap() {
        assert_eq!(Cell::share(1, 8), Cell::Number(125_000, Unit::Share));
        assert_eq!(Cell::share(u64::MAX, u64::MAX), Cell::Number(1_000_000, Unit::Share));
        assert_eq!(Cell::share(0, 0), Cell::Empty);
    }
}
