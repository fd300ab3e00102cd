//! Inputs to a directory of Parquet files.

use crate::{
    Document, Error, ErrorKind, Result, RunOptions, Source,
    deferred::wants_script_names,
    input::Spooling,
    parquet::ParquetSink,
    read::{Job, read_sources},
    run::options,
};
use heapquarry_formats::{Gather, Locate, Names, ReadOptions, WINDOW};
use heapquarry_sink::{Committed, Compression, Encodings, Layout, WriteOptions, WrittenTable};
use heapquarry_tables::{IMPORT_LOG, JS_HEAP_ANALYSIS_TABLES, Projection, SOURCE};
use std::{
    io,
    path::{Path, PathBuf},
};

options! {
    /// How [`convert`] works. `Default` is what the command does without flags.
    #[derive(Clone, Debug)]
    pub struct ConvertOptions {
        /// Replace the output directory if there is one; only one that holds nothing but what heapquarry wrote, or nothing
        /// at all, and never one that an input is in.
        pub force: bool,
        /// Permissions of the output directory, as `chmod` takes them; `None` for those of the directory that it
        /// replaces, or else for its owner alone.
        pub mode: Option<u32>,
        /// Write these tables only, besides `source` and `import_log`; all if there are none here and in `columns`.
        pub tables: Vec<String>,
        /// Write these columns only of the tables that they name, as `TABLE.COLUMN`. What is not written is not decoded.
        pub columns: Vec<String>,
        /// Names as text, or as indices of the string table.
        pub names: Names,
        /// Also write the tables of the analysis. Takes about 44 bytes of memory for each node and 9 for each edge.
        pub analyze: bool,
        /// Fail, and write nothing, if anything could not be kept.
        pub strict: bool,
        /// Compression of the pages.
        pub compression: Compression,
        /// Encodings that every reader knows, or those of recent ones.
        pub encodings: Encodings,
        /// One file for each table, or one for each table and document.
        pub layout: Layout,
        /// Rows of a row group, 1 to 2^24.
        pub row_group_rows: usize,
        /// Bytes read at a time. The output does not depend on it.
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

/// What [`convert`] did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The output directory.
    pub path: PathBuf,
    /// The documents, by `file_id`.
    pub documents: Vec<Document>,
    /// The files written, `_manifest.json` and `views.sql` aside.
    pub tables: Vec<WrittenTable>,
    /// What does not make the output less complete: that a loss of power might undo it, say.
    pub warning: Option<heapquarry_sink::Error>,
}

/// Converts inputs, which may be of any known format, compressed, or `-` for standard input, to Parquet files in
/// the directory `output`. It appears whole or not at all.
///
/// # Errors
/// If an input cannot be read or is of no known format, or the output cannot be written: [`ErrorKind`] says
/// which. Damage that can be worked around is no error, but rows of `import_log`.
pub fn convert<I: Clone + Into<Source>>(
    inputs: &[I],
    output: impl AsRef<Path>,
    options: &ConvertOptions,
) -> Result<Converted> {
    let inputs: Vec<Source> = inputs.iter().cloned().map(Into::into).collect();
    let output = output.as_ref();
    // The end of a stream comes last.
    let locate = match inputs.iter().all(Source::is_repeatable) {
        true => Locate::FromEnd,
        false => Locate::Walk,
    };
    let projection = projection(&options.tables, &options.columns, options.analyze)?;
    let write = WriteOptions { compression: options.compression, encodings: options.encodings };
    if let Some(input) = inputs.iter().find(|input| input.path.is_dir()) {
        let (path, source) = (input.path.clone(), io::ErrorKind::IsADirectory.into());
        return Err(Error::new(ErrorKind::Input { path, doing: "read", source }));
    }
    let gather = gather(&projection, options.analyze);
    let mut sink =
        ParquetSink::create(output, options.force, options.layout, write, projection, gather)?;
    let paths: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
    sink.check_inputs(&paths)?;
    let read_options = ReadOptions::default()
        .row_group_rows(options.row_group_rows)
        .window(options.read_window)
        .names(options.names)
        .locate(locate);
    let job = Job { options: read_options, run: &options.run, strict: options.strict };
    // Beside the output there is room for much data.
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    let beside = || parent.unwrap_or(Path::new(".")).into();
    let spooling = Spooling::beside(&options.run, beside);
    let documents = read_sources(&inputs, &job, &spooling, &mut sink)?;
    let (Committed { path, warning }, tables) = sink.finish(options)?;
    Ok(Converted { path, documents, tables, warning })
}

/// Whether an analysis is wanted. One that is asked for also tells the names of the locations' scripts, if there are no
/// other tables that need it.
pub(crate) fn gather(projection: &Projection, analyze: bool) -> Gather {
    match analyze && wants_script_names(projection) {
        true => Gather::Always,
        false => Gather::ForTables,
    }
}

/// The tables and columns of these names; without names all, those of the heap analysis only if it is asked for.
pub(crate) fn projection(
    tables: &[String],
    columns: &[String],
    analyze: bool,
) -> Result<Projection> {
    let all = Projection::all();
    if tables.is_empty() && columns.is_empty() {
        return Ok(if analyze { all } else { all.without(&JS_HEAP_ANALYSIS_TABLES) });
    }
    let mut projection = Projection::none().with(&[&SOURCE, &IMPORT_LOG]);
    for name in tables {
        projection = projection.with(&[crate::table(name)?]);
    }
    for name in columns {
        let no_column = |known| Error::new(ErrorKind::NoColumn { name: name.clone(), known });
        let (table, column) = name.split_once('.').ok_or_else(|| no_column(Vec::new()))?;
        projection = projection.with_column(crate::table(table)?, column).map_err(no_column)?;
    }
    Ok(projection)
}
