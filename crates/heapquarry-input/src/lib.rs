//! Inputs of heapquarry: from a path, bytes, a stream or an address to documents of a known format that can be read at
//! any position.
//!
//! [`open()`] takes off what is around a document: compression, archives, containers of messages, pages. [`sniff`]
//! tells what it is. What is read can be redacted on the way ([`RunOptions::redaction`]). Errors, options of a run,
//! temporary folders and single files of output are here as well, because all crates above share them.
//!
//! This crate has no stable interface of its own: its version moves with `heapquarry`, which exports what is for users.
#![forbid(unsafe_code)]

mod beside;
pub mod capture;
#[cfg(feature = "cloud")]
pub mod cloud;
mod contents;
pub mod devtools;
mod error;
mod extract;
mod file;
pub mod file_names;
mod foreign;
pub mod htrace;
mod manifest;
mod open;
mod output;
mod part;
mod redact;
mod redaction;
mod remedy;
mod run;
mod scratch;
pub mod sniff;
mod source;
mod spool_limit;
mod spooling;
pub mod temporary;
pub mod url;

pub use beside::{capture_of, maps_beside, maps_file};
pub use contents::{CONTAINERS, Container, Contents, Opened, Rows, Times};
pub use error::{Error, ErrorDetails, ErrorKind, Result};
pub use extract::{Extracted, extract};
pub use file::{FileInput, fingerprint};
pub use heapquarry_redact::{Hit, Hits, Level, Secret};
pub use manifest::{MANIFEST, manifest};
pub use open::{Head, Sequence, choose, open, open_all, open_first};
pub use output::{Packed, check_directory, require_local, start_of, write_file, write_packed_file};
pub use part::Part;
pub use redact::{Audit, RedactOptions, Redacted, audit, redact};
pub use redaction::Redaction;
pub use remedy::Remedy;
pub use run::{Cancel, Indices, KeptIndex, Progress, Purpose, RunOptions, at_most_per_core};
pub use scratch::ScratchFile;
pub use source::{Content, Source};
pub use spooling::{Guarded, Spooling};
pub use url::is_address;
