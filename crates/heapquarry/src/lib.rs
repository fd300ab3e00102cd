//! Heap snapshots, profiles and traces of JavaScript engines, of any size, as Arrow record batches and Parquet tables.
//!
//! [`convert()`] writes a directory of Parquet files, one per table, on all cores and in bounded memory.
//! [`batches()`] returns the same rows to the caller, and [`reader()`] those of one table.
//!
//! ```no_run
//! use heapquarry::{ConvertOptions, convert};
//!
//! let converted = convert(&["app.heapsnapshot"], "app.tables", &ConvertOptions::default())?;
//! for table in &converted.tables {
//!     println!("{}: {} rows", table.file, table.rows);
//! }
//! # Ok::<(), heapquarry::Error>(())
//! ```
//!
//! | to | use |
//! | --- | --- |
//! | write Parquet | [`convert()`] |
//! | pull Arrow batches | [`batches()`], [`reader()`] |
//! | run your own code on row groups, on all threads | [`read()`] with a [`Sink`] |
//! | know the format and the tables of an input | [`recognise()`] |
//! | inspect an input | [`info()`] |
//! | have the tables in DuckDB | [`views`] |
//! | have a heap in memory, for the algorithms of [`graph`] | [`load_heap`] |
//! | convert an input once and keep the tables; convert thousands of inputs, in runs that may end at any moment | the crate `heapquarry-store` |
//! | ask what is in an input, what keeps an object alive, what grew, whether limits are kept; draw it | the crate `heapquarry-query` |
//! | write a profile or a trace for a viewer | the crate `heapquarry-export` |
//! | extract the documents of a container as files | [`extract()`] |
//! | look up tables and columns | [`tables`] |
//!
//! An input is a [`Source`]: a path, bytes, a stream, or anything that implements [`Input`].
#![forbid(unsafe_code)]

mod batches;
mod contained;
mod convert;
mod convert_options;
mod converted;
mod deferred;
mod derive;
mod document;
mod drive;
#[doc(hidden)]
pub mod engine;
mod gather;
mod heap;
mod info;
mod located;
mod manifest;
mod maps;
mod memory;
mod originals;
mod parquet;
mod profile;
mod read;
mod recognise;
mod recorded;
mod room;
mod sink;
mod summed;
mod times;
mod trace;

pub use arrow_array;
pub use arrow_schema;
pub use batches::{BatchOptions, Batches, TableBatches, batches, reader, schema};
pub use convert::{Converted, convert};
pub use convert_options::ConvertOptions;
pub use document::Document;
pub use heap::{LoadedHeap, load_heap};
pub use heapquarry_formats::{
    ByteOffset, Code, Entry, Gather, Gathered, Input, Names, Severity, Status, TraceParts,
};
pub use heapquarry_graph as graph;
pub use heapquarry_input::{
    Audit, Cancel, Error, ErrorDetails, ErrorKind, Extracted, Head, Hit, Hits, Level, Packed, Part,
    Progress, RedactOptions, Redacted, Redaction, Remedy, Result, RunOptions, Secret, Source,
    audit, capture, check_directory, extract, is_address, options, redact, require_local, start_of,
    temporary, write_file, write_packed_file,
};
pub use heapquarry_names::SourceMaps;
pub use heapquarry_report as report;
pub use heapquarry_sink::{Compression, Encodings, Layout, Place, WrittenTable};
pub use heapquarry_tables as tables;
pub use heapquarry_views as views;
pub use info::{Fact, Info, SectionInfo, info};
pub use read::{ReadOptions, read};
pub use recognise::{Recognised, document_count, recognise};
pub use sink::{Handler, Sink};

/// The table with this name.
///
/// # Errors
///
/// If there is no such table; the error names those that were perhaps meant, or all.
pub fn table(name: &str) -> Result<&'static tables::Table> {
    tables::by_name(name).ok_or_else(|| Error::new(ErrorKind::NoTable(name.into())))
}
