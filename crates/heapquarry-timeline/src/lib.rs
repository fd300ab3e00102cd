//! What the events of a trace mean: slices and their nesting, asynchronous operations, flows, counters, threads and
//! processes.
//!
//! Plain vectors in, plain vectors out: this crate knows no JSON, no Arrow and no files. [`Events`] are the events of a
//! trace in the order of the file, in about 40 bytes each; whoever decodes a format fills them, in pieces if several
//! threads decode.
//!
//! The rules are those of the Trace Event Format,
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>, as its reference importer reads
//! it, <https://github.com/catapult-project/catapult/blob/6fd8bbe/tracing/tracing/extras/importer/trace_event_importer.html>.
#![forbid(unsafe_code)]

mod events;
mod intern;
mod packed;

pub use events::{Event, Events, Flags, Id, IdKind, Ident, Pairs, Sparse, ThreadId, Value};
pub use intern::{Key, Strings};
