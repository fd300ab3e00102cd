//! The number of a document, which distinguishes its rows from those of others.

use crate::arrays;
use arrow_array::{ArrayRef, Int32Array};
use std::{fmt, sync::Arc};

/// The column of the document of a row, in all tables.
pub const FILE_ID: &str = "file_id";

/// Number of a document in an output, from 0: `source.file_id`, which all tables refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub i32);

impl FileId {
    /// The number of the document at this position.
    ///
    /// # Panics
    ///
    /// From 2^31 documents on: they would not fit into memory.
    pub fn at(position: usize) -> Self {
        FileId(i32::try_from(position).expect("fewer than 2^31 documents"))
    }

    /// Its position among the documents.
    pub fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or_default()
    }

    /// The number of the document that follows this one by `documents`. There are always fewer than 2^31.
    pub fn plus(self, documents: usize) -> Self {
        FileId(self.0.saturating_add(i32::try_from(documents).unwrap_or(i32::MAX)))
    }

    /// A column `file_id` for rows of several documents.
    pub fn columns(rows: impl IntoIterator<Item = FileId>) -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(rows.into_iter().map(|id| id.0)))
    }

    /// A column `file_id` for rows of this document.
    pub fn column(self, rows: usize) -> ArrayRef {
        arrays::constant_i32(Some(self.0), rows)
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
