//! How an input is read, whatever its format.

use crate::Format;
use heapquarry_tables::Projection;

/// Rows of a row group unless something else is asked for.
pub const ROW_GROUP_ROWS: usize = 128 << 10;

/// Most rows of a row group.
pub const MOST_ROW_GROUP_ROWS: usize = 1 << 24;

/// Bytes that are read at a time unless something else is asked for.
pub const WINDOW: usize = 128 << 10;

/// How an input is read. `Default` reads every table, names as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Rows of a row group, 1 to 2^24. Larger ones need more memory in each worker: about 60 bytes a row.
    pub row_group_rows: usize,
    /// Bytes read at a time, at least 1. The rows do not depend on it.
    pub window: usize,
    /// Names in heaps as text, or as indices of the string table.
    pub names: Names,
    /// How the strings of a heap are found.
    pub locate: Locate,
    /// The tables and columns that are wanted.
    pub projection: Projection,
    /// Whether to gather what an analysis needs.
    pub gather: Gather,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            row_group_rows: ROW_GROUP_ROWS,
            window: WINDOW,
            names: Names::default(),
            locate: Locate::default(),
            projection: Projection::default(),
            gather: Gather::default(),
        }
    }
}

impl ReadOptions {
    /// With row groups of so many rows; values out of range are moved into it.
    #[must_use]
    pub fn row_group_rows(mut self, rows: usize) -> Self {
        self.row_group_rows = rows.clamp(1, MOST_ROW_GROUP_ROWS);
        self
    }

    /// With so many bytes read at a time, at least 1.
    #[must_use]
    pub fn window(mut self, bytes: usize) -> Self {
        self.window = bytes.max(1);
        self
    }

    /// With names as text or as indices.
    #[must_use]
    pub fn names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// With the strings found this way.
    #[must_use]
    pub fn locate(mut self, locate: Locate) -> Self {
        self.locate = locate;
        self
    }

    /// With these tables and columns only.
    #[must_use]
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = projection;
        self
    }

    /// Whether what an analysis of this format needs is gathered.
    pub(crate) fn gathers(&self, format: Format) -> bool {
        match self.gather {
            Gather::Never => false,
            Gather::ForTables => self.projection.wants_any(&format.derived()),
            Gather::Always => true,
        }
    }

    /// With what an analysis needs gathered, or not.
    #[must_use]
    pub fn gather(mut self, gather: Gather) -> Self {
        self.gather = gather;
        self
    }
}

/// Whether names in heaps are text or stay indices of the string table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Text in `name`, its index in `name_id`. Reads the strings first.
    #[default]
    Text,
    /// `name` is null, `name_id` is set. The fastest and smallest.
    Id,
}

/// How the strings of a heap are found, which names as text need before anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locate {
    /// By passing over all sections before them: about 0.1 s for each GB.
    #[default]
    Walk,
    /// From the end of the document, in milliseconds. In a document that holds more than one snapshot, or sections
    /// twice, they may be the wrong ones: then reading ends with
    /// [`ErrorKind::Misplaced`](crate::ErrorKind::Misplaced).
    FromEnd,
}

/// Whether the columns that an analysis needs are gathered while a document is decoded: the arrays of a heap's graph,
/// the events of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gather {
    /// No.
    #[default]
    Never,
    /// If the projection has a table that an analysis fills ([`Format::derived`](crate::Format::derived)).
    ForTables,
    /// Always.
    Always,
}
