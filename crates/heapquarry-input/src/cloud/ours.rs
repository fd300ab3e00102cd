//! Which objects below an address heapquarry wrote: those that a manifest names, or the marker of an upload that did
//! not end.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;

// Written last but for the removal of the marker: what it names is there.
pub(super) use crate::MANIFEST;

/// The marker: there while an upload has not ended. It is written first and removed last.
pub(super) const MARKER: &str = "_incomplete.json";
/// What is written besides the tables that a manifest names.
const UNNAMED: [&str; 3] = [MANIFEST, "views.sql", "heapquarry.duckdb"];

/// The part of a manifest that lists files.
#[derive(Deserialize)]
struct Manifest {
    #[expect(dead_code, reason = "without it the object is somebody else's")]
    heapquarry_version: String,
    tables: Vec<Table>,
}

#[derive(Deserialize)]
struct Table {
    file: String,
}

/// The content of a marker.
#[derive(Serialize, Deserialize)]
struct Marker {
    heapquarry_version: String,
    /// All that may be there until the upload has ended.
    files: Vec<String>,
}

/// The content of a marker that names these files.
pub(super) fn marker(files: Vec<String>) -> Vec<u8> {
    let heapquarry_version = env!("CARGO_PKG_VERSION").into();
    serde_json::to_vec_pretty(&Marker { heapquarry_version, files }).expect("plain values")
}

/// Why objects with these names must not be replaced; `None` if they may be: those of an upload that has not ended, or
/// with `force` of one that has. `manifest` and `marker` are the contents of those that are there.
pub(super) fn refused(
    there: &[String],
    manifest: Option<&[u8]>,
    marker: Option<&[u8]>,
    force: bool,
) -> Option<String> {
    let manifest = manifest.and_then(|text| serde_json::from_slice::<Manifest>(text).ok());
    let marker = marker.and_then(|text| serde_json::from_slice::<Marker>(text).ok());
    if there.is_empty() {
        return None;
    }
    if marker.is_none() && !force {
        return Some("it exists".into());
    }
    if marker.is_none() && manifest.is_none() {
        return Some(format!("it has no {MANIFEST} of heapquarry, which did not write it"));
    }
    let mut ours = HashSet::new();
    if let Some(Manifest { tables, .. }) = &manifest {
        ours.extend(tables.iter().map(|table| table.file.as_str()).chain(UNNAMED));
    }
    if let Some(Marker { files, .. }) = &marker {
        ours.extend(files.iter().map(String::as_str).chain([MARKER]));
    }
    let other = there.iter().find(|name| !ours.contains(name.as_str()))?;
    Some(format!("it holds {other:?}, which heapquarry did not write; use another address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_heapquarry_wrote_is_replaced() {
        let manifest = r#"{"heapquarry_version":"1","tables":[{"file":"a.parquet"}]}"#;
        let marker = String::from_utf8(marker(vec!["b.parquet".into(), MANIFEST.into()])).unwrap();
        let (one, both) = (&[MANIFEST, "a.parquet"][..], &[MARKER, MANIFEST, "a.parquet"][..]);
        let begun = &[MARKER, "b.parquet"][..];
        let (exists, unknown) = ("it exists", "it has no _manifest.json of heapquarry");
        // What is there, the manifest, the marker, and why it is refused: without and with `force`.
        for (there, manifest, marker, expected) in [
            (&[][..], "", "", [None, None]),
            (one, manifest, "", [Some(exists), None]),
            (&[MANIFEST, "views.sql"], manifest, "", [Some(exists), None]),
            (&["a.parquet"], "", "", [Some(exists), Some(unknown)]),
            (one, "{}", "", [Some(exists), Some(unknown)]),
            (&[MANIFEST, "notes"], manifest, "", [Some(exists), Some(r#"it holds "notes""#)]),
            (&[MARKER], "", &marker, [None, None]),
            (begun, "", &marker, [None, None]),
            // Before the old manifest was removed.
            (both, manifest, &marker, [None, None]),
            (&[MARKER, "notes"], "", &marker, [Some(r#"it holds "notes""#); 2]),
            (&[MARKER, "a.parquet"], "", &marker, [Some(r#"it holds "a.parquet""#); 2]),
            // The marker of somebody else.
            (begun, "", "{}", [Some(exists), Some(unknown)]),
            (both, manifest, "{}", [Some(exists), Some(r#"it holds "_incomplete.json""#)]),
        ] {
            let names: Vec<String> = there.iter().map(|name| name.to_string()).collect();
            // Nothing, which is no JSON, is as none.
            let (manifest, marker) = (Some(manifest.as_bytes()), Some(marker.as_bytes()));
            for (force, expected) in [false, true].into_iter().zip(expected) {
                let why = refused(&names, manifest, marker, force);
                let is_expected = match (&why, expected) {
                    (None, None) => true,
                    (Some(why), Some(expected)) => why.starts_with(expected),
                    _ => false,
                };
                assert!(is_expected, "{there:?}, force {force}: {why:?}");
            }
        }
    }
}
