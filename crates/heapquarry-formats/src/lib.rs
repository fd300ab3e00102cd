//! heapquarry's input formats: tokens to rows of the tables.
//!
//! One module per format. A format knows nothing of paths, threads or Parquet: it reads an [`Input`] at positions,
//! returns tasks, and decodes each of them to Arrow record batches.
#![forbid(unsafe_code)]

mod ahead;
pub mod cpu_profile;
mod document;
mod error;
mod format;
pub mod ftrace;
pub mod heap;
pub mod heap_profile;
mod input;
pub mod jsc;
pub mod json;
mod metadata;
mod number;
mod options;
pub mod pprof;
mod profile;
mod scratch;
pub mod self_profile;
mod sniff;
pub mod trace;

pub use document::{
    Ahead, Claim, Finished, Gathered, Kept, Reader, Rows, Status, Summary, Task, TraceParts,
    read_all, read_tasks, worst,
};
pub use error::{Error, ErrorKind, Result};
pub use format::{Format, Kind, Located, Text, Visit, open};
pub use heapquarry_profile::Kind as ProfileKind;
pub use heapquarry_tables::{
    ByteOffset,
    log::{Code, Entry, LISTED, Log, Severity, import_log, printable},
};
pub use input::{Buffer, Input, append, bytes_at, without_mark};
pub use options::{
    Gather, Locate, MAX_ROW_GROUP_ROWS, Names, ROW_GROUP_ROWS, ReadOptions, Recount, WINDOW,
};
pub use scratch::Scratch;
pub use sniff::{Found, sniff};

/// Maps that are looked up for each record: std's own hash guards against chosen keys, which costs more than the rest.
type HashMap<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;
type HashSet<K> = hashbrown::HashSet<K, foldhash::fast::RandomState>;

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
