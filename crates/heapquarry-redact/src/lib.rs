//! Takes what is private out of heap snapshots, timelines, profiles and traces. The result is a file of the same format
//! with the same structure: ids, sizes and references are copied byte for byte, strings become tokens. Equal strings
//! have equal tokens.
//!
//! ```
//! use heapquarry_formats::Format;
//! use heapquarry_redact::{Level, Rules, redact};
//!
//! let profile = br#"{"head":{"callFrame":{"functionName":"pay","url":"https://a.example/x?token=1"}}}"#;
//! let mut rules = Rules::new(Level::Full, [7; 16]);
//! let mut out = Vec::new();
//! let done = redact(Format::HeapProfile, &&profile[..], &mut rules, 1, &mut out)?;
//! let text = String::from_utf8(out).unwrap();
//! assert!(done.cut.is_none() && text.starts_with(r#"{"head":{"callFrame":{"functionName":"⟨name"#));
//! assert!(!text.contains("pay") && !text.contains("token"));
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

mod address;
mod audit;
mod builtins;
mod bytes;
mod element;
mod heap;
mod json;
mod keys;
mod memo;
mod names;
mod outcome;
mod profile;
mod rules;
mod secrets;
mod token;
mod trace;
mod workers;

pub use audit::{Hit, Hits, audit};
pub use outcome::Outcome;
pub use rules::{Level, Rules};
pub use secrets::Secret;

use heapquarry_formats::{Format, Input, Text};
use std::io::{self, Write};

/// Copies a document without what is private, on so many threads, one at least. The copy is the same for all numbers of
/// threads.
///
/// A truncated document is copied as far as it goes. At damage, copying ends: no byte is copied that was not
/// understood. [`Outcome::cut`] says where.
///
/// # Errors
/// If the document cannot be read, the copy cannot be written, or the format is not supported.
pub fn redact(
    format: Format,
    input: &dyn Input,
    rules: &mut Rules,
    threads: usize,
    out: &mut dyn Write,
) -> io::Result<Outcome> {
    match format.text() {
        Text::Table => heap::redact(input, rules, threads, out),
        Text::Frames => json::rewrite(input, &mut profile::Profile::new(rules), out),
        Text::Events => json::rewrite(input, &mut trace::Trace::new(rules), out),
        Text::Other => Err(refuse_other(format).expect_err("it is one")),
    }
}

/// What is in a form that nothing here reads is refused, never copied, never called clean.
fn refuse_other(format: Format) -> io::Result<()> {
    if format.text() != Text::Other {
        return Ok(());
    }
    let what = format!(
        "a document of the format {} cannot be redacted; convert it, and share tables without text",
        format.name()
    );
    Err(io::Error::new(io::ErrorKind::Unsupported, what))
}
