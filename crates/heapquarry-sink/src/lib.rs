//! heapquarry's output: record batches to column chunks, row groups, files, and a directory that appears only when it
//! is finished.
//!
//! An [`Encoder`], one for each worker, turns a batch of a table into a [`RowGroup`]: compressed Parquet pages in
//! memory. A [`ParquetDir`], shared by all workers, appends row groups to the table's file in the order of their
//! numbers, whatever the order in which they arrive. The bytes of the files depend only on the batches and the
//! [`WriteOptions`].
//!
//! ```
//! use heapquarry_sink::{Encoder, Layout, ParquetDir, WriteOptions};
//! use heapquarry_tables::{JS_HEAP_SAMPLE, Projection, arrays, js_heap_sample};
//! use std::sync::Arc;
//!
//! # let parent = tempfile::tempdir().unwrap();
//! # let path = parent.path().join("heap.tables");
//! let options = WriteOptions::default();
//! let mut dir = ParquetDir::create(&path, false, Layout::Flat, Projection::all(), options)?;
//! dir.declare(&JS_HEAP_SAMPLE, "")?;
//!
//! let mut encoder = Encoder::new(&options);
//! let batch = js_heap_sample::Columns {
//!     file_id: arrays::constant_i32(Some(0), 2),
//!     timestamp_us: Arc::new(arrow_array::Int64Array::from(vec![0, 50_000])),
//!     last_assigned_id: Arc::new(arrow_array::Int64Array::from(vec![17, 42_571])),
//! }
//! .into_batch();
//! dir.append(&JS_HEAP_SAMPLE, "", 0, encoder.encode(&JS_HEAP_SAMPLE, &batch)?)?;
//!
//! let written = dir.close_tables(&|_, _| vec![])?;
//! assert_eq!((written[0].file.as_str(), written[0].rows), ("js_heap_sample.parquet", 2));
//! dir.write_file("_manifest.json", b"{}")?;
//! assert!(!path.exists());
//! dir.commit()?;
//! assert!(path.join("js_heap_sample.parquet").exists());
//! # Ok::<(), heapquarry_sink::Error>(())
//! ```
//!
//! A [`TableReader`] reads a table of such a directory back. A [`RecordedFile`] tells whether a file of it is still as
//! it was written.
//!
//! This crate does not know the formats that the rows come from.
#![forbid(unsafe_code)]

mod copy;
mod dir;
mod encode;
mod error;
mod options;
mod read;
mod recorded;
mod schema;
mod sound;

pub use dir::{
    Committed, Draft, FileDir, Pairs, ParquetDir, Place, Remove, Stream, Unfinished, WrittenTable,
    careful, remove_all, remove_folder, same_file, same_owner,
};
pub use encode::{Encoder, RowGroup};
pub use error::{Error, ErrorKind};
pub use options::{Compression, Encodings, Layout, WriteOptions};
pub use read::{StoredTable, TableReader};
pub use recorded::{RecordedFile, files_of};
