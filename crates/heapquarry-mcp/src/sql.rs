//! What tools need of a database.

use crate::Failure;
use heapquarry::{RunOptions, Source};

/// Runs SQL over the tables of inputs.
pub trait Sql: Send + Sync {
    /// The rows of one query, at most `most` of them, each as an object of JSON with its columns in order.
    ///
    /// # Errors
    /// If there is no database, the text is no query, or the query fails.
    fn rows(
        &self,
        sources: &[Source],
        sql: &str,
        most: usize,
        run: &RunOptions,
    ) -> Result<Vec<String>, Failure>;
}
