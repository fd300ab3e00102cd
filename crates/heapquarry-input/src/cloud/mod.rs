//! Object storage: S3, Google Cloud Storage, Azure Blob Storage and plain HTTP servers.
//!
//! An input is read by ranged requests, several at a time and ahead of the reader. An output is written to a local
//! directory first, and then uploaded ([`upload`]).
//!
//! All requests run on one thread of their own. The callers are ordinary threads that wait for them, until the work is
//! cancelled.

mod blocks;
mod client;
mod fetch;
mod list;
mod object;
mod ours;
mod profile;
mod samples;
mod store;
mod upload;

pub use list::{Listed, list, look_at};
pub(crate) use object::Object;
pub use upload::{examine, put, read, remove, upload};
