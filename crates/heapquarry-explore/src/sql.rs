//! SQL over the tables of the input, by whoever has a database.

use heapquarry::Cancel;

/// Runs SQL over the tables of the input.
pub trait Sql: Send + Sync {
    /// The result of one query; of more bytes than the query allows the first ones, and one more.
    ///
    /// The text comes from the page. Whatever it is, it may read the tables of the input and nothing else, and write
    /// nothing.
    ///
    /// # Errors
    /// If there is no database, or the text is no query: what is wrong, for people; if `cancel` ended it, anything.
    fn result(&self, query: &Query<'_>, cancel: &Cancel) -> Result<Vec<u8>, String>;
}

/// What a database is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query<'q> {
    /// One query.
    pub sql: &'q str,
    /// How its result is written.
    pub form: Form,
    /// How much of it is of use, in bytes.
    pub most_bytes: u64,
}

/// Forms of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An object of JSON in a line for each row, with its columns in order, whose values are texts or null.
    Rows {
        /// Most rows.
        most: usize,
    },
    /// CSV with a line of names.
    Csv,
}
