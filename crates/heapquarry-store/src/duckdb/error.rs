//! Why DuckDB has no answer.

use std::{fmt, io};

/// Why DuckDB has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no DuckDB command: where it was looked for, and what to do.
    Missing(String),
    /// What DuckDB says, or why it cannot be asked, in one line or more.
    Database(String),
    /// The tables cannot be used, a result cannot be kept, or the work was cancelled.
    Library(heapquarry::Error),
    /// What DuckDB says cannot be passed on.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Missing(why) | Error::Database(why) => f.write_str(why),
            Error::Library(error) => error.fmt(f),
            Error::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Missing(_) | Error::Database(_) => None,
            Error::Library(error) => Some(error),
            Error::Io(error) => Some(error),
        }
    }
}

impl From<heapquarry::Error> for Error {
    fn from(error: heapquarry::Error) -> Self {
        Error::Library(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}
