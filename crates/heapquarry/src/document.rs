//! What is known of a document that was read.

use heapquarry_formats::{Entry, Status};
use std::{borrow::Cow, path::PathBuf, time::SystemTime};

/// A document that was read: a row of `source`.
#[derive(Clone, Debug)]
pub struct Document {
    /// The input as given.
    pub path: PathBuf,
    /// Its position in its input; `None` for a container.
    pub index: Option<u32>,
    /// File name, or the name that its container gives it.
    pub name: String,
    /// `heapsnapshot`, `heaptimeline`, `cpuprofile`, ….
    pub format: Cow<'static, str>,
    /// The program that wrote it, as far as the content tells.
    pub producer: Option<Cow<'static, str>>,
    /// Size in bytes, decompressed.
    pub bytes: u64,
    /// Fingerprint of the content.
    pub digest: String,
    /// Whether it was complete.
    pub status: Status,
    /// Number of items read by kind: nodes, edges, samples, ….
    pub counts: Vec<(&'static str, u64)>,
    /// Number of occurrences that lost data.
    pub defects: u64,
    /// The rows of `import_log`.
    pub log: Vec<Entry>,
    /// When it was captured, as far as the content tells.
    pub captured_at: Option<SystemTime>,
}
