//! JavaScript heap snapshots of any size to Arrow record batches and Parquet tables.
//!
//! [`convert`] turns inputs into a directory of Parquet files, one for each table, with all cores and in bounded
//! memory. [`batches`] hands the same rows to the caller instead. [`info`] says what is in a file.
//!
//! ```no_run
//! use heapquarry::{ConvertOptions, convert};
//!
//! let report = convert(&["app.heapsnapshot"], "app.tables", &ConvertOptions::default())?;
//! for table in &report.tables {
//!     println!("{}: {} rows", table.file, table.rows);
//! }
//! # Ok::<(), heapquarry::Error>(())
//! ```
//!
//! | to | use |
//! | --- | --- |
//! | write Parquet | [`convert`] |
//! | take Arrow batches | [`batches`] |
//! | look before converting | [`info`] |
//! | have a heap in memory, for the algorithms of [`graph`] | [`load_heap`] |
//! | ask what is in a heap, profile or trace, what holds an object, what grew, whether limits are kept | [`summary`], [`why`], [`diff`], [`check`] |
//! | have the documents of a container as files | [`extract()`] |
//! | know the tables | [`tables`] |
#![forbid(unsafe_code)]

mod ask;
mod batches;
mod convert;
mod converted;
mod derive;
mod drive;
mod error;
mod export;
mod extract;
mod gather;
mod heap;
mod info;
mod input;
mod manifest;
mod parquet;
mod profile;
mod read;
mod run;
mod sink;
mod sniff;
mod source;
mod times;
mod trace;
mod views;

pub use arrow_array;
pub use arrow_schema;
pub use ask::{DiffOptions, WhyOf, check, diff, summary, why};
pub use batches::{BatchOptions, Batches, TableBatches, batches, reader};
pub use convert::{ConvertOptions, Converted, convert};
pub use error::{Error, ErrorKind, Result};
pub use export::{Viewer, export};
pub use extract::extract;
pub use heap::{LoadedHeap, load_heap};
pub use heapquarry_formats::{
    Code, Entry, Gather, Gathered, Input, Names, Severity, Status, TraceParts,
};
pub use heapquarry_graph as graph;
pub use heapquarry_report as report;
pub use heapquarry_sink::{Compression, Encodings, Layout, WrittenTable};
pub use heapquarry_tables as tables;
pub use info::{Fact, Info, SectionInfo, info};
pub use read::{Document, ReadOptions, read};
pub use run::{Cancel, Progress, RunOptions};
pub use sink::{Handler, Sink};
pub use source::Source;

/// The table of that name.
///
/// # Errors
/// If there is none: the error lists those that there are.
pub fn table(name: &str) -> Result<&'static tables::Table> {
    tables::by_name(name).ok_or_else(|| Error::new(ErrorKind::NoTable(name.into())))
}
