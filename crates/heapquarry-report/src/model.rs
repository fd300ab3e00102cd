//! What a report is made of, whatever it becomes.

use crate::{Check, Unit};
use std::borrow::Cow;

/// What a command has to say.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was asked: `heapquarry diff`.
    pub command: &'static str,
    /// Of which input, as the heading says it.
    pub subject: String,
    /// What is to be known before the numbers are believed.
    pub notes: Vec<String>,
    /// What was found, in order.
    pub sections: Vec<Section>,
    /// What was held against limits; empty if nothing was asked.
    pub checks: Vec<Check>,
}

impl Report {
    /// Checks whose limit was exceeded.
    pub fn exceeded(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.is_exceeded())
    }
}

/// A part of a report.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name in JSON; empty in a group: its values are members of the group's object.
    pub key: &'static str,
    /// Its heading; empty for none.
    pub title: Cow<'static, str>,
    /// What it holds.
    pub body: Body,
}

/// What a section holds.
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
    /// Its name in JSON; empty for values that only people see.
    pub key: &'static str,
    /// Its name for people; empty for values that only JSON has.
    pub title: &'static str,
    /// The value.
    pub cell: Cell,
}

/// Rows of typed cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, the most important first; as many cells in each as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Rows that people see; JSON has all. `None` for all.
    pub shown: Option<usize>,
    /// Rows at the end that people neither see nor are told of.
    pub json_only: usize,
    /// Rows that there are beyond those listed.
    pub omitted: u64,
    /// What is said when there are no rows.
    pub none: &'static str,
}

impl Table {
    /// Whether it is for JSON only: it has columns, and people see none of them.
    pub(crate) fn is_hidden(&self) -> bool {
        !self.columns.is_empty() && self.columns.iter().all(Column::is_hidden)
    }

    /// Rows for people, and how many more there are.
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
    /// Its heading; empty for columns that only JSON has.
    pub title: &'static str,
    /// May be left out where the terminal is too narrow for all.
    pub optional: bool,
}

impl Column {
    /// A column that is always shown.
    pub const fn new(key: &'static str, title: &'static str) -> Self {
        Column { key, title, optional: false }
    }

    /// A column that is left out where the terminal is too narrow.
    pub const fn optional(key: &'static str, title: &'static str) -> Self {
        Column { key, title, optional: true }
    }

    /// A column that only JSON has.
    pub const fn hidden(key: &'static str) -> Self {
        Column { key, title: "", optional: true }
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.title.is_empty()
    }
}

/// A value and what it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing: `null` in JSON.
    Empty,
    /// Words of ours.
    Text(Cow<'static, str>),
    /// Words out of an input: anything may stand in them, control characters too.
    Name(String),
    /// A number.
    Number(i64, Unit),
    /// A number out of an input, as it is there: one that JSON has no way to write is `null`.
    Float(f64),
    /// By how much a number changed.
    Change(i64, Unit),
    /// A number that stands for a word: JSON has the number, people read the word.
    Word(i64, &'static str),
    /// Several: an array in JSON.
    List(Vec<Cell>),
    /// Several with their names: an object in JSON, nothing that people see.
    Record(Vec<(&'static str, Cell)>),
}

impl Cell {
    /// A number of things.
    pub fn count(n: u64) -> Self {
        Cell::Number(saturate(n), Unit::Count)
    }

    /// A number of bytes.
    pub fn bytes(n: u64) -> Self {
        Cell::Number(saturate(n), Unit::Bytes)
    }

    /// What something is called by number.
    pub fn id(n: i64) -> Self {
        Cell::Number(n, Unit::Id)
    }

    /// The part of a whole. Nothing if the whole is nothing.
    pub fn share(part: u64, whole: u64) -> Self {
        if whole == 0 {
            return Cell::Empty;
        }
        let share = u128::from(part) * 1_000_000 / u128::from(whole);
        Cell::Number(i64::try_from(share).unwrap_or(i64::MAX), Unit::Share)
    }

    /// Words of ours.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Cell::Text(text.into())
    }

    /// Words out of an input.
    pub fn name(name: impl Into<String>) -> Self {
        Cell::Name(name.into())
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Cell::Number(..) | Cell::Float(_) | Cell::Change(..) | Cell::Word(..))
    }
}

/// Beyond 2^63 there is no heap.
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
