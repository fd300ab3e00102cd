//! Where rows go: to files, to a caller who pulls them, to an analysis.

use crate::{Document, Result};
use arrow_array::RecordBatch;
use heapquarry_formats::{Gather, Gathered};
use heapquarry_tables::{Projection, Table};

/// Takes the rows of documents. [`read`](crate::read()) calls it like this, for each document of an input:
///
/// 1. [`begin`](Self::begin), then [`handler`](Self::handler) for each worker thread.
/// 2. The workers call [`Handler::handle`] with row groups, side by side and in any order.
/// 3. [`gathered`](Self::gathered) if an analysis is to follow, whose row groups come as those before.
/// 4. [`rows`](Self::rows) for tables with a few rows a document, and [`end`](Self::end).
///
/// Whatever the number of threads, the same row groups come with the same numbers.
pub trait Sink: Sync {
    /// What a worker thread gives its row groups to.
    type Handler<'s>: Handler
    where
        Self: 's;

    /// The tables and columns that are wanted.
    fn projection(&self) -> &Projection;

    /// Whether to gather what an analysis needs.
    fn gather(&self) -> Gather {
        Gather::ForTables
    }

    /// A document of that name begins. Rows of these tables may come.
    ///
    /// # Errors
    /// Ends the work with that error.
    fn begin(&mut self, name: &str, tables: &[&'static Table]) -> Result<()> {
        let (_, _) = (name, tables);
        Ok(())
    }

    /// Rows of these tables may come too.
    ///
    /// # Errors
    /// Ends the work with that error.
    fn expect(&self, tables: &[&'static Table]) -> Result<()> {
        let _ = tables;
        Ok(())
    }

    /// The number of the next row group of a table. The calls come in a fixed order, whatever the number of threads.
    fn number(&self, table: &'static Table) -> u64;

    /// What one worker thread gives its row groups to.
    fn handler(&self) -> Self::Handler<'_>;

    /// The work ends early: calls of [`Handler::handle`] that wait must return an error.
    fn cancel(&self) {}

    /// Takes what was gathered for an analysis, or returns it to have it analysed and its rows handed in.
    ///
    /// # Errors
    /// Ends the work with that error.
    fn gathered(&mut self, gathered: Gathered) -> Result<Option<Gathered>> {
        Ok(Some(gathered))
    }

    /// Takes rows of a table that has a few for each document.
    ///
    /// # Errors
    /// Ends the work with that error.
    fn rows(&mut self, table: &'static Table, batch: RecordBatch) -> Result<()>;

    /// The documents that began are complete: most inputs give one at a time, but the CPU profiles in a trace come with it.
    /// `first` is the number (`file_id`) of the first of them.
    ///
    /// # Errors
    /// Ends the work with that error.
    fn end(&mut self, first: usize, documents: &[Document]) -> Result<()> {
        let (_, _) = (first, documents);
        Ok(())
    }
}

/// Takes the row groups of one worker thread.
pub trait Handler: Send {
    /// Takes row group `number` of the table. Those of one table come in any order.
    ///
    /// # Errors
    /// Ends the work with that error.
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()>;
}

/// Nobody wants rows.
pub(crate) struct NoRows;

impl Handler for NoRows {
    fn handle(&mut self, _: &'static Table, _: u64, _: RecordBatch) -> Result<()> {
        Ok(())
    }
}
