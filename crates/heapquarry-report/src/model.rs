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
    /// Its name in JSON; empty in a group: its values are members of the group's object.
    pub key: &'static str,
    /// Its heading; empty for none.
    pub title: Cow<'static, str>,
    /// Its content.
    pub body: Body,
}

/// The content of a section.
#[derive(Clone, Debug)]
pub enum Body {
    /// Single values: an object in JSON.
    Values(Vec<Value>),
    /// Rows: an array of objects in JSON.
    Table(Table),
    /// Groups of sections, each of the same shape: an array of objects in JSON.
    List(Vec<Vec<Section>>),
}

/// A value with its name.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its name in JSON; empty for values that are not in JSON.
    pub key: &'static str,
    /// Its name for people; empty for values that are only in JSON.
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
    /// Number of rows shown to people; `None` for all. JSON has all rows.
    pub shown: Option<usize>,
    /// Rows at the end that are only in JSON, and are not counted as omitted.
    pub json_only: usize,
    /// Number of rows that exist but are not listed.
    pub omitted: u64,
    /// Text that replaces an empty table.
    pub none: &'static str,
}

impl Table {
    /// Whether the table is only in JSON: it has columns, but none for people.
    pub(crate) fn is_hidden(&self) -> bool {
        !self.columns.is_empty() && self.columns.iter().all(Column::is_hidden)
    }

    /// Rows for people, and the number of further rows.
    pub(crate) fn visible(&self) -> (&[Vec<Cell>], u64) {
        let all = self.rows.len().saturating_sub(self.json_only);
        let shown = self.shown.unwrap_or(all).min(all);
        (&self.rows[..shown], (all - shown) as u64 + self.omitted)
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name in JSON.
    pub key: &'static str,
    /// Its heading; empty for columns that are only in JSON.
    pub title: &'static str,
    /// Whether it may be omitted if the terminal is too narrow.
    pub optional: bool,
}

impl Column {
    /// A column that is always shown.
    pub const fn new(key: &'static str, title: &'static str) -> Self {
        Column { key, title, optional: false }
    }

    /// A column that is omitted if the terminal is too narrow.
    pub const fn optional(key: &'static str, title: &'static str) -> Self {
        Column { key, title, optional: true }
    }

    /// A column that is only in JSON.
    pub const fn hidden(key: &'static str) -> Self {
        Column { key, title: "", optional: true }
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.title.is_empty()
    }
}

/// A typed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value: `null` in JSON.
    Empty,
    /// Text of heapquarry.
    Text(Cow<'static, str>),
    /// Text of an input. It can contain anything, including control characters.
    Name(String),
    /// A number.
    Number(i64, Unit),
    /// A number of an input, unchanged. `null` in JSON if JSON cannot represent it.
    Float(f64),
    /// Change of a number.
    Change(i64, Unit),
    /// A number shown as a word: JSON has the number, people see the word.
    Word(i64, &'static str),
    /// Several values: an array in JSON.
    List(Vec<Cell>),
    /// Several named values: an object in JSON, not shown to people.
    Record(Vec<(&'static str, Cell)>),
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
        for (shown, json_only, omitted, expected) in [
            (None, 0, 0, (9, 0)),
            (Some(4), 0, 0, (4, 5)),
            (Some(4), 0, 2, (4, 7)),
            (Some(4), 3, 0, (4, 2)),
            (Some(20), 3, 0, (6, 0)),
            (None, 20, 1, (0, 1)),
        ] {
            let table = Table { rows: rows.clone(), shown, json_only, omitted, ..Table::default() };
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
