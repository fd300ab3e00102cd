//! Labels of a batch: folders `KEY=VALUE` in those of the tables, which query engines read as columns (hive
//! partitions).

use heapquarry::{Error, ErrorKind, Result};
use std::path::Path;

/// The key of the folders of inputs.
const TAKEN: &str = "source";
/// Longest label in bytes, as a folder.
const LONGEST: usize = 200;

/// The folders of these labels, one below the other, with `/` between them. `destination` is named in errors.
pub(super) fn folders(destination: &Path, labels: &[(String, String)]) -> Result<String> {
    let mut folders = Vec::new();
    for (at, (key, value)) in labels.iter().enumerate() {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        // A query engine would replace the column by the value of the label.
        let is_column = || heapquarry_tables::all().any(|table| table.column(key).is_some());
        let folder = format!("{key}={}", escaped(value));
        let why = if key.is_empty() || !key.bytes().all(plain) || key.starts_with('_') {
            "a key has small letters, digits and _"
        } else if key == TAKEN || labels[..at].iter().any(|(other, _)| other == key) {
            "the key is taken"
        } else if is_column() {
            "a table has a column of that name; use another key"
        } else if value.is_empty() || folder.len() > LONGEST {
            "a value is neither empty nor longer than a name of a file"
        } else {
            folders.push(folder);
            continue;
        };
        let why = format!("label `{key}={value}`: {why}");
        return Err(Error::new(ErrorKind::Destination { path: destination.into(), why }));
    }
    Ok(folders.join("/"))
}

/// A value as query engines read it back from the name of a folder. Letters stay: Spark decodes an escape as a
/// character, not as a byte of one.
fn escaped(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut escaped = String::new();
    for c in value.chars() {
        let mut bytes = [0; 4];
        let text = c.encode_utf8(&mut bytes);
        match plain(c) {
            true => escaped.push_str(text),
            false => text.bytes().for_each(|byte| escaped.push_str(&format!("%{byte:02X}"))),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_folders() {
        let folders = |labels: &[(&str, &str)]| {
            let labels: Vec<_> =
                labels.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            folders(Path::new("out"), &labels).map_err(|error| error.to_string())
        };
        let path = folders(&[("release", "1.2"), ("day", "a/b=ä")]).unwrap();
        assert_eq!(path, "release=1.2/day=a%2Fb%3Dä");
        assert_eq!(folders(&[]).unwrap(), "");
        for (labels, why) in [
            (&[("", "1")][..], "letters"),
            (&[("Day", "1")], "letters"),
            (&[("_day", "1")], "letters"),
            (&[("source", "1")], "taken"),
            (&[("day", "1"), ("day", "2")], "taken"),
            (&[("type", "web")], "a table has a column of that name; use another key"),
            (&[("file_id", "1")], "column"),
            (&[("status", "1")], "column"),
            (&[("path", "1")], "column"),
            (&[("captured_at", "1")], "column"),
            (&[("day", "")], "empty"),
            (&[("day", &"x".repeat(300))], "longer"),
        ] {
            let error = folders(labels).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
