//! How inputs are converted.

use crate::RunOptions;
use heapquarry_formats::{Names, WINDOW};
use heapquarry_input::options;
use heapquarry_sink::{Compression, Encodings, Layout};

options! {
    /// Options of [`convert`](crate::convert()). `Default` is what the command does without flags.
    #[derive(Clone, Debug)]
    pub struct ConvertOptions {
        /// Replace an existing output directory. It must be empty or hold only what heapquarry wrote, and no input may
        /// be in it.
        pub force: bool,
        /// Permissions of the output directory, as for `chmod`; `None` for those of the directory that it replaces, or
        /// else for its owner alone.
        pub mode: Option<u32>,
        /// Write only these tables, besides `source` and `import_log`; all tables if this and `columns` are empty.
        pub tables: Vec<String>,
        /// Write only these columns of their tables, as `TABLE.COLUMN`. Other columns are not decoded.
        pub columns: Vec<String>,
        /// Names as text, or as indices of the string table.
        pub names: Names,
        /// Also write the tables of the analysis. Takes about 70 bytes of memory per node and 9 per edge.
        pub analyze: bool,
        /// Fail, and write nothing, if any data is lost.
        pub strict: bool,
        /// Compression of the pages.
        pub compression: Compression,
        /// Encodings that all supported engines read, or those of recent versions.
        pub encodings: Encodings,
        /// One file per table, or one per table and document.
        pub layout: Layout,
        /// Rows per row group, 1 to 2^24.
        pub row_group_rows: usize,
        /// Size of a read in bytes. It does not change the output.
        pub read_window: usize,
        /// Threads, progress, cancellation.
        pub run: RunOptions,
    }
}

impl Default for ConvertOptions {
    fn default() -> Self {
        ConvertOptions {
            force: false,
            mode: None,
            tables: Vec::new(),
            columns: Vec::new(),
            names: Names::default(),
            analyze: false,
            strict: false,
            compression: Compression::default(),
            encodings: Encodings::default(),
            layout: Layout::default(),
            row_group_rows: heapquarry_formats::ROW_GROUP_ROWS,
            read_window: WINDOW,
            run: RunOptions::default(),
        }
    }
}
