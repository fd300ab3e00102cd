//! The list of what a converted directory holds, by which it is recognised.

use crate::{Error, ErrorKind, Result};
use serde_json::Value;
use std::{fs, io, path::Path};

/// Name of the file that a conversion writes last.
pub const MANIFEST: &str = "_manifest.json";

/// The manifest of a converted directory; `None` if the path is not a directory.
///
/// # Errors
///
/// If heapquarry did not write the directory, or the manifest cannot be read.
pub fn manifest(path: &Path) -> Result<Option<Value>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let not_converted = || Error::new(ErrorKind::NotConverted(path.into()));
    let file = path.join(MANIFEST);
    let text = fs::read(&file).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => not_converted(),
        _ => Error::new(ErrorKind::Input { path: file, doing: "read", source }),
    })?;
    let manifest: Value = serde_json::from_slice(&text).unwrap_or_default();
    if !manifest["inputs"].is_array() {
        return Err(not_converted());
    }
    Ok(Some(manifest))
}
