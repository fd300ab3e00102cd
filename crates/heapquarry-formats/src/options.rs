//! Options of reading, for all formats.

use crate::Scratch;
use heapquarry_tables::{Projection, Table};
use std::sync::Arc;

/// Default number of rows per row group.
pub const ROW_GROUP_ROWS: usize = 128 << 10;

/// Maximum number of rows per row group.
pub const MAX_ROW_GROUP_ROWS: usize = 1 << 24;

/// Default size of a read in bytes.
pub const WINDOW: usize = 128 << 10;

/// Options of reading. `Default` reads every table, with names as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Rows per row group, 1 to 2^24. Each worker holds one row group in memory: about 30 MB by default.
    pub row_group_rows: usize,
    /// Size of a read in bytes, at least 1. It does not change the rows.
    pub window: usize,
    /// Names in heaps as text, or as indices of the string table.
    pub names: Names,
    /// How the strings of a heap are found.
    pub locate: Locate,
    /// What to do about records that are missing in the middle of a heap.
    pub recount: Recount,
    /// The wanted tables and columns.
    pub projection: Projection,
    /// Whether to gather the columns that an analysis needs.
    pub gather: Gather,
    /// Where the text of long strings of heaps is put; `None` to keep it in memory. Row groups with names that are long
    /// have fewer rows then.
    pub scratch: Option<Arc<dyn Scratch>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            row_group_rows: ROW_GROUP_ROWS,
            window: WINDOW,
            names: Names::default(),
            locate: Locate::default(),
            recount: Recount::default(),
            projection: Projection::default(),
            gather: Gather::default(),
            scratch: None,
        }
    }
}

impl ReadOptions {
    /// Sets the rows per row group, clamped to the valid range.
    #[must_use]
    pub fn row_group_rows(mut self, rows: usize) -> Self {
        self.row_group_rows = rows.clamp(1, MAX_ROW_GROUP_ROWS);
        self
    }

    /// Sets the size of a read in bytes, at least 1.
    #[must_use]
    pub fn window(mut self, bytes: usize) -> Self {
        self.window = bytes.max(1);
        self
    }

    /// Sets names as text or as indices.
    #[must_use]
    pub fn names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// Sets how the strings are found.
    #[must_use]
    pub fn locate(mut self, locate: Locate) -> Self {
        self.locate = locate;
        self
    }

    /// Sets what to do about records that are missing in the middle of a heap.
    #[must_use]
    pub fn recount(mut self, recount: Recount) -> Self {
        self.recount = recount;
        self
    }

    /// Sets the wanted tables and columns.
    #[must_use]
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = projection;
        self
    }

    /// Whether the columns are gathered that an analysis needs, which derives these tables.
    pub fn gathers(&self, derived: &[&'static Table]) -> bool {
        match self.gather {
            Gather::Never => false,
            Gather::ForTables => self.projection.wants_any(derived),
            Gather::Always => true,
        }
    }

    /// Sets where the text of long strings of heaps is put.
    #[must_use]
    pub fn scratch(mut self, scratch: Option<Arc<dyn Scratch>>) -> Self {
        self.scratch = scratch;
        self
    }

    /// Sets whether the columns that an analysis needs are gathered.
    #[must_use]
    pub fn gather(mut self, gather: Gather) -> Self {
        self.gather = gather;
        self
    }
}

/// Whether names in heaps are text or indices of the string table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Text in `name`, its index in `name_id`. Reads the strings first.
    #[default]
    Text,
    /// `name` is null, `name_id` is set. Fastest and smallest.
    Id,
}

/// How the strings of a heap are found, which are needed first if names are text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locate {
    /// By skipping all sections before them: about 0.1 s for each GB.
    #[default]
    Walk,
    /// By probing where the numbers end, or else from the end of the document, in milliseconds. In a document with more
    /// than one snapshot, or with duplicate sections, these may be the wrong strings. Then reading ends with
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

/// What to do about records that are missing in the middle of a heap. An edge belongs to a node by its position, so all
/// edges behind the damage would belong to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recount {
    /// Read on, and say at the end that the owners of edges are unknown.
    #[default]
    Never,
    /// Fail with [`ErrorKind::Miscounted`](crate::ErrorKind::Miscounted) as soon as records turn out to be missing.
    IfNeeded,
    /// Count the records before they are read. What stands behind visible damage is then counted from the end.
    First,
}
