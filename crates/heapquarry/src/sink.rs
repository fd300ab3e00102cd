//! Destinations of rows: files, an iterator of batches, an analysis.

use crate::{Document, Result};
use arrow_array::RecordBatch;
use heapquarry_formats::{Gather, Gathered};
use heapquarry_tables::{FileId, Projection, Table};

/// Receives the rows of documents. [`read`](crate::read()) calls it in this order for each document of an input:
///
/// 1. [`begin`](Self::begin), then [`handler`](Self::handler) for each worker thread.
/// 2. The workers call [`Handler::handle`] with row groups, in parallel and in any order.
/// 3. [`gathered`](Self::gathered), if an analysis follows; its row groups are passed like those before.
/// 4. [`rows`](Self::rows) for tables with only a few rows per document, and [`end`](Self::end).
///
/// Row groups are numbered alike whatever the number of threads.
pub trait Sink: Sync {
    /// The wanted tables and columns.
    fn projection(&self) -> &Projection;

    /// Whether to gather the columns that an analysis needs.
    fn gather(&self) -> Gather {
        Gather::ForTables
    }

    /// A document with this name begins. Rows of these tables can follow.
    ///
    /// # Errors
    /// Ends the run with that error.
    fn begin(&mut self, name: &str, tables: &[&'static Table]) -> Result<()> {
        let (_, _) = (name, tables);
        Ok(())
    }

    /// Rows of these tables can follow as well.
    ///
    /// # Errors
    /// Ends the run with that error.
    fn expect(&self, tables: &[&'static Table]) -> Result<()> {
        let _ = tables;
        Ok(())
    }

    /// Memory of what is kept of the document so far, in bytes, about: what grows with it. It counts for the limit of
    /// [`RunOptions::memory`](crate::RunOptions::memory).
    fn kept(&self) -> u64 {
        0
    }

    /// The number of the next row group of a table. Calls are made in a fixed order, whatever the number of threads.
    fn number(&self, table: &'static Table) -> u64;

    /// The handler of a worker thread.
    fn handler(&self) -> Box<dyn Handler + '_>;

    /// Ends the run early: waiting calls of [`Handler::handle`] must return an error.
    fn cancel(&self) {}

    /// Removes all row groups since [`begin`](Self::begin), because the document is read again from its start. All
    /// numbered row groups have been handled. Returns `false` if the sink cannot do that.
    ///
    /// # Errors
    /// Ends the run with that error.
    fn roll_back(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Takes the gathered columns, or returns them to have them analysed and the rows passed to this sink.
    ///
    /// # Errors
    /// Ends the run with that error.
    fn gathered(&mut self, gathered: Gathered) -> Result<Option<Gathered>> {
        Ok(Some(gathered))
    }

    /// Receives rows of a table with only a few for each document.
    ///
    /// # Errors
    /// Ends the run with that error.
    fn rows(&mut self, table: &'static Table, batch: RecordBatch) -> Result<()>;

    /// The documents begun since the last call are complete. Most inputs have one, but the CPU profiles in a trace end
    /// with the trace. `first` is the number (`file_id`) of the first of them.
    ///
    /// # Errors
    /// Ends the run with that error.
    fn end(&mut self, first: FileId, documents: &[Document]) -> Result<()> {
        let (_, _) = (first, documents);
        Ok(())
    }
}

/// Receives the row groups of a worker thread.
pub trait Handler: Send {
    /// Receives row group `number` of the table. The row groups of a table arrive in any order.
    ///
    /// # Errors
    /// Ends the run with that error.
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()>;
}

/// A handler that ignores rows.
pub(crate) struct NoRows;

impl Handler for NoRows {
    fn handle(&mut self, _: &'static Table, _: u64, _: RecordBatch) -> Result<()> {
        Ok(())
    }
}
