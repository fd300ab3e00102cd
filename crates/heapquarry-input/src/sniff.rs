//! Detects the format of an input by its content. File names do not matter.

use crate::{Error, ErrorKind, Opened, Result, error::EMPTY, foreign};
use heapquarry_formats::{Format, Found, Input};
use std::path::Path;

/// The format of an input and the offset of the document in it.
pub fn sniff(opened: &Opened) -> Result<Found> {
    let path = || opened.path.clone();
    if let Some(found) = format(opened)? {
        return Ok(found);
    }
    let fail = |source| Error::new(ErrorKind::Input { path: path(), doing: "read", source });
    let head = opened.input.head(foreign::HEAD).map_err(fail)?;
    match damage(opened).filter(|_| head.is_empty()) {
        Some(why) => Err(unknown(&opened.path, format!("nothing that can be decompressed: {why}"))),
        None => Err(unknown_content(&opened.path, &head)),
    }
}

/// The format of an input that is redacted, and the offset of the document in it: the error quotes nothing of it.
pub(crate) fn unquoted(opened: &Opened) -> Result<Found> {
    let found = format(opened).map_err(|error| match error.kind() {
        ErrorKind::Format { .. } => unknown(&opened.path, UNQUOTED.into()),
        _ => error,
    })?;
    match (found, opened.input.size()) {
        (Some(found), _) => Ok(found),
        (None, 0) => sniff(opened),
        (None, _) => Err(unknown(&opened.path, UNQUOTED.into())),
    }
}

/// What is found in an input that is redacted.
pub(crate) const UNQUOTED: &str = "content that is not shown, because it may be private";

/// What is wrong with the compressed form of an input, if anything.
fn damage(opened: &Opened) -> Option<String> {
    let entries = opened.log.clone().into_entries();
    entries.into_iter().next().map(|entry| entry.message)
}

/// The format of an input and the offset of the document in it; `None` if the format is unknown.
pub fn format(opened: &Opened) -> Result<Option<Found>> {
    let fail = |source| Error::new(ErrorKind::Format { path: opened.path.clone(), source });
    heapquarry_formats::sniff(&opened.input).map_err(fail)
}

/// The error for content of an unknown format.
pub(crate) fn unknown_content(path: &Path, head: &[u8]) -> Error {
    // No bytes tell a brotli stream.
    let is_brotli = path.extension().is_some_and(|suffix| suffix == "br");
    let found = match foreign::describe(&head[..head.len().min(foreign::HEAD)]) {
        Some(what) => what.into(),
        None if is_brotli => {
            "a brotli stream, by its name; decompress it first: `brotli -dk FILE`".into()
        }
        None => begins(&head[..head.len().min(64)]),
    };
    unknown(path, found)
}

/// The error for an input of an unknown format.
pub(crate) fn unknown(path: &Path, found: String) -> Error {
    let tried = Format::ALL.map(Format::describe).to_vec();
    Error::new(ErrorKind::Unknown { path: path.into(), tried, found })
}

/// Describes the start of the content in words.
fn begins(head: &[u8]) -> String {
    let begins = |magic: &[u8]| head.starts_with(magic);
    let text = head.trim_ascii_start();
    match head {
        [] => EMPTY.into(),
        _ if begins(b"\x89PNG") => "a PNG image".into(),
        _ if text.starts_with(b"<") => format!("a page of HTML or XML ({})", excerpt(text)),
        _ => excerpt(head),
    }
}

/// The start of the content, printable.
fn excerpt(head: &[u8]) -> String {
    let head = &head[..head.len().min(40)];
    format!("{:?}", String::from_utf8_lossy(head))
}
