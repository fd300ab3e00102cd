//! Rows that were stored, read back: they become again what they were made of.

mod columns;
mod documents;
pub mod heap;
pub mod process;
pub mod trace;

pub use columns::{Columns, Texts};
pub use documents::{ENTRIES, StoredDocument, entries, rows_of};

use arrow_array::RecordBatch;
use heapquarry_tables::Table;

/// The stored tables of some documents.
pub trait StoredTables {
    /// Why they cannot be read.
    type Error;

    /// Whether a table is there.
    ///
    /// # Errors
    /// If that cannot be told.
    fn has(&self, table: &'static Table) -> Result<bool, Self::Error>;

    /// Whether a table is there and has these columns, and that of documents.
    ///
    /// # Errors
    /// If that cannot be told.
    fn has_columns(&self, table: &'static Table, columns: &[&str]) -> Result<bool, Self::Error>;

    /// Whether the rows of the only document in these tables are surely as they were written, all in one run of this
    /// version that analysed a whole input. It has rows of the first.
    fn are_unchanged(&self, tables: &[&'static Table]) -> bool;

    /// Number of rows of a table, which must be there, those of other documents included.
    ///
    /// # Errors
    /// If it cannot be read.
    fn row_count(&self, table: &'static Table) -> Result<u64, Self::Error>;

    /// Reads the named columns of a table, which must be there, in parallel, and hands over the results of `convert`
    /// in order, until `take` fails. `convert` sees rows of these documents only.
    ///
    /// # Errors
    /// If it cannot be read; the error of `take`.
    fn try_each<T: Send>(
        &self,
        table: &'static Table,
        columns: &[&str],
        convert: impl Fn(RecordBatch) -> T + Sync,
        take: impl FnMut(T) -> Result<(), Self::Error> + Send,
    ) -> Result<(), Self::Error>;

    /// Reads the named columns of a table as [`try_each`](Self::try_each) does.
    ///
    /// # Errors
    /// If it cannot be read.
    fn each<T: Send>(
        &self,
        table: &'static Table,
        columns: &[&str],
        convert: impl Fn(RecordBatch) -> T + Sync,
        mut take: impl FnMut(T) + Send,
    ) -> Result<(), Self::Error> {
        self.try_each(table, columns, convert, |part| {
            take(part);
            Ok(())
        })
    }
}
