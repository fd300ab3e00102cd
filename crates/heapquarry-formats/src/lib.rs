//! heapquarry's input formats: tokens to rows of the tables.
//!
//! One module per format, one file per section of it. A format knows nothing of paths, threads or Parquet: it reads
//! an [`Input`] at positions, hands out tasks, and turns each into one Arrow record batch of one table.
#![forbid(unsafe_code)]

mod error;
pub mod heap;
mod input;
mod log;

pub use error::{Error, ErrorKind, Result};
pub use input::{Buffer, Input};
pub use log::{Code, Entry, LISTED, Log, Severity, import_log};

/// Whether a document is of a format, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// More bytes would tell.
    More,
}
