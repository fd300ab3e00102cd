//! Rows of `trace_metadata`, which traces in JSON and ftrace text have.

use crate::{ByteOffset, number};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use heapquarry_tables::{FileId, arrays, trace_metadata};
use std::sync::Arc;

/// Rows of `trace_metadata`.
#[derive(Default)]
pub(crate) struct Metadata {
    rows: Vec<Entry>,
    /// Bytes of their text.
    text: u64,
}

/// A row: a name with its value.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) ty: &'static str,
    pub(crate) int: Option<i64>,
    pub(crate) text: Option<String>,
    pub(crate) at: ByteOffset,
}

impl Metadata {
    pub(crate) fn add(&mut self, entry: Entry) {
        self.text += (entry.name.len() + entry.text.as_ref().map_or(0, String::len)) as u64;
        self.rows.push(entry);
    }

    /// Memory that they take, in bytes, about: as they are, and as a batch.
    pub(crate) fn memory(&self) -> u64 {
        2 * (self.text + size_of_val(&self.rows[..]) as u64)
    }

    /// Whether a value has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.name == name)
    }

    /// Whether a value of this name is this text.
    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.rows.iter().any(|row| row.name == name && row.text.as_deref() == Some(value))
    }

    /// Adds a value that is given as text: an integer, or anything else.
    pub(crate) fn add_text(&mut self, name: String, value: &str, at: ByteOffset) {
        let int = number::plain(value.as_bytes());
        let (ty, text) = match int {
            Some(_) => ("int", None),
            None => ("string", Some(value.into())),
        };
        self.add(Entry { name, ty, int, text, at });
    }

    pub(crate) fn batch(&self, file_id: FileId) -> RecordBatch {
        let rows = &self.rows;
        let ints = |of: fn(&Entry) -> Option<i64>| -> ArrayRef {
            Arc::new(rows.iter().map(of).collect::<Int64Array>())
        };
        trace_metadata::Columns {
            file_id: file_id.column(rows.len()),
            name: arrays::text(rows.iter().map(|row| Some(&row.name))),
            key_type: arrays::labels(rows.iter().map(|row| row.ty)),
            int_value: ints(|row| row.int),
            str_value: arrays::text(rows.iter().map(|row| row.text.as_ref())),
            byte_offset: ints(|row| Some(row.at.0 as i64)),
        }
        .into_batch()
    }
}
