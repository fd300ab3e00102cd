//! The wanted tables and columns.

use crate::Table;
use arrow_array::RecordBatch;
use std::sync::Arc;

/// Columns of one table, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Columns(u64);

impl Columns {
    /// Every column.
    pub const ALL: Columns = Columns(u64::MAX);
    /// No column.
    pub const NONE: Columns = Columns(0);

    /// Whether the column at this position is wanted.
    #[inline]
    pub fn has(self, column: usize) -> bool {
        column < 64 && self.0 & (1 << column) != 0
    }

    /// Whether no column is wanted.
    pub fn is_none(self) -> bool {
        self == Columns::NONE
    }

    /// Whether every column of the table is wanted.
    pub fn is_all_of(self, table: &Table) -> bool {
        (0..table.columns.len()).all(|column| self.has(column))
    }

    /// These columns and the one at this position.
    #[must_use]
    pub fn with(self, column: usize) -> Self {
        assert!(column < Table::MAX_COLUMNS, "column {column}");
        Columns(self.0 | 1 << column)
    }

    /// The positions of the wanted columns of a table, in order.
    pub fn of(self, table: &Table) -> impl Iterator<Item = usize> + use<> {
        (0..table.columns.len()).filter(move |&column| self.has(column))
    }
}

/// The wanted tables, and their wanted columns. Readers check it before they decode a column, sinks before they encode
/// one. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The columns of tables that are not listed.
    others: Columns,
    listed: Arc<Vec<(&'static Table, Columns)>>,
}

impl Default for Projection {
    fn default() -> Self {
        Projection::all()
    }
}

impl Projection {
    /// Every column of every table.
    pub fn all() -> Self {
        Projection { others: Columns::ALL, listed: Arc::default() }
    }

    /// Nothing.
    pub fn none() -> Self {
        Projection { others: Columns::NONE, listed: Arc::default() }
    }

    /// This projection and every column of these tables.
    #[must_use]
    pub fn with(self, tables: &[&'static Table]) -> Self {
        tables.iter().fold(self, |projection, table| projection.set(table, Columns::ALL))
    }

    /// This projection without these tables.
    #[must_use]
    pub fn without(self, tables: &[&'static Table]) -> Self {
        tables.iter().fold(self, |projection, table| projection.set(table, Columns::NONE))
    }

    /// This projection and one more column. If it has all columns of the table, the result has only the named ones.
    ///
    /// # Errors
    ///
    /// If the table has no such column. The error lists its columns.
    pub fn with_column(
        self,
        table: &'static Table,
        column: &str,
    ) -> Result<Self, Vec<&'static str>> {
        let Some(position) = table.column(column) else {
            return Err(table.columns.iter().map(|column| column.name).collect());
        };
        let before = match self.columns(table) {
            all if all == Columns::ALL => Columns::NONE,
            some => some,
        };
        Ok(self.set(table, before.with(position)))
    }

    fn set(mut self, table: &'static Table, columns: Columns) -> Self {
        let listed = Arc::make_mut(&mut self.listed);
        match listed.iter_mut().find(|(listed, _)| *listed == table) {
            Some((_, known)) => *known = columns,
            None => listed.push((table, columns)),
        }
        self
    }

    /// Whether rows of that table are wanted.
    pub fn wants(&self, table: &Table) -> bool {
        !self.columns(table).is_none()
    }

    /// Whether a table is wanted by its name, not as one of all.
    pub fn names(&self, table: &Table) -> bool {
        self.listed.iter().any(|(listed, columns)| *listed == table && !columns.is_none())
    }

    /// Whether rows of any of these tables are wanted.
    pub fn wants_any(&self, tables: &[&'static Table]) -> bool {
        tables.iter().any(|table| self.wants(table))
    }

    /// The wanted columns of a table.
    pub fn columns(&self, table: &Table) -> Columns {
        let listed = self.listed.iter().find(|(listed, _)| *listed == table);
        listed.map_or(self.others, |(_, columns)| *columns)
    }

    /// The wanted columns of a batch that has all columns of its table; a batch that was decoded for this projection
    /// stays as it is.
    ///
    /// # Panics
    /// If the batch is not one of that table.
    pub fn project(&self, table: &'static Table, batch: RecordBatch) -> RecordBatch {
        let columns = self.columns(table);
        if batch.num_columns() < table.columns.len() || columns.is_all_of(table) {
            return batch;
        }
        let positions: Vec<usize> = columns.of(table).collect();
        batch.project(&positions).expect("positions of the table's columns")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JS_HEAP_NODES, JS_HEAP_SAMPLE, arrays};
    use arrow_array::Int64Array;

    #[test]
    fn tables_and_columns_are_chosen() {
        let all = Projection::all();
        let none = Projection::none();
        let without = Projection::all().without(&[&JS_HEAP_NODES]);
        let only = Projection::none().with(&[&JS_HEAP_NODES]);
        let column = Projection::all().with_column(&JS_HEAP_NODES, "file_id").unwrap();
        let two = column.clone().with_column(&JS_HEAP_NODES, "id").unwrap();
        for (projection, nodes, samples) in [
            (&all, JS_HEAP_NODES.columns.len(), 3),
            (&none, 0, 0),
            (&without, 0, 3),
            (&only, JS_HEAP_NODES.columns.len(), 0),
            (&column, 1, 3),
            (&two, 2, 3),
        ] {
            for (table, expected) in [(&JS_HEAP_NODES, nodes), (&JS_HEAP_SAMPLE, samples)] {
                assert_eq!(projection.columns(table).of(table).count(), expected, "{projection:?}");
                assert_eq!(projection.wants(table), expected > 0, "{projection:?}");
            }
        }
        let names = Projection::all().with_column(&JS_HEAP_SAMPLE, "x").unwrap_err();
        assert_eq!(names, JS_HEAP_SAMPLE.columns.iter().map(|c| c.name).collect::<Vec<_>>());
    }

    #[test]
    fn batches_are_cut_to_what_is_wanted() {
        let numbers = || Arc::new(Int64Array::from(vec![1, 2]));
        let whole =
            JS_HEAP_SAMPLE.batch(vec![arrays::constant_i32(Some(0), 2), numbers(), numbers()]);
        assert_eq!(Projection::all().project(&JS_HEAP_SAMPLE, whole.clone()), whole);
        let name = JS_HEAP_SAMPLE.columns[2].name;
        let last = Projection::none().with_column(&JS_HEAP_SAMPLE, name).unwrap();
        let cut = last.project(&JS_HEAP_SAMPLE, whole);
        assert_eq!((cut.num_columns(), cut.num_rows()), (1, 2));
        assert_eq!(cut.schema().field(0).name(), name);
        assert_eq!(last.project(&JS_HEAP_SAMPLE, cut.clone()), cut);
    }
}
