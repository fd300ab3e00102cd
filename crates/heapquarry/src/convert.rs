//! Converts inputs to a directory of Parquet files.

use crate::{
    ConvertOptions, Document, Error, ErrorKind, Result, Source,
    deferred::wants_names,
    parquet::{Extent, ParquetSink},
    read::{Job, read_sources},
    sink::Sink,
    summed::Summed,
};
use heapquarry_formats::{Gather, Locate, ReadOptions, Recount};
use heapquarry_input::{
    Spooling,
    url::{shown, url},
};
use heapquarry_sink::{Committed, WrittenTable};
use heapquarry_tables::{
    BATCH_TABLES, IMPORT_LOG, JS_HEAP_ANALYSIS_TABLES, PROFILE_FUNCTION, Projection, SOURCE,
};
use std::path::{Path, PathBuf};

/// The result of [`convert`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The output directory.
    pub path: PathBuf,
    /// The documents, by `file_id`.
    pub documents: Vec<Document>,
    /// The files written, except `_manifest.json` and `views.sql`.
    pub tables: Vec<WrittenTable>,
    /// A problem that does not affect the data, such as an output that a power failure might undo.
    pub warning: Option<heapquarry_sink::Error>,
}

/// Converts inputs to Parquet files in the directory `output`. Inputs can be of any supported format, compressed or
/// not, or `-` for standard input. The directory appears only when it is finished.
///
/// # Errors
///
/// If an input cannot be read or is of no known format, or the output cannot be written: [`ErrorKind`] says which.
/// Damage that can be repaired is not an error: it is logged in `import_log`.
pub fn convert<I: Clone + Into<Source>>(
    inputs: &[I],
    output: impl AsRef<Path>,
    options: &ConvertOptions,
) -> Result<Converted> {
    let inputs: Vec<Source> = inputs.iter().cloned().map(Into::into).collect();
    let output = output.as_ref();
    match url(output) {
        Some(url) => upload(&inputs, url, options),
        None => convert_as(&inputs, output, options, Extent::default()),
    }
}

/// Converts to a local directory, and uploads that.
#[cfg(feature = "cloud")]
fn upload(inputs: &[Source], url: &str, options: &ConvertOptions) -> Result<Converted> {
    let path = || shown(Path::new(url));
    let refuse = |why| Error::new(ErrorKind::Destination { path: path(), why });
    let cancel = &options.run.cancel;
    let fail = |doing: &str, e: std::io::Error| match cancel.is_cancelled() {
        true => Error::new(ErrorKind::Cancelled),
        false => refuse(format!("cannot {doing}: {e}")),
    };
    let examined = heapquarry_input::cloud::examine(url, options.force, cancel);
    examined.map_err(|e| fail("look at it", e))?.map_err(refuse)?;
    let parent = options.run.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
    let staging = heapquarry_input::temporary::Folder::within(&parent)
        .map_err(|e| fail("make a temporary folder", e))?;
    let local = staging.path().join("tables");
    let converted = convert_as(inputs, &local, &options.clone().force(false), Extent::default())?;
    heapquarry_input::cloud::upload(&local, url, options.force, cancel)
        .map_err(|e| fail("upload", e))?;
    Ok(Converted { path: path(), ..converted })
}

#[cfg(not(feature = "cloud"))]
fn upload(_: &[Source], url: &str, _: &ConvertOptions) -> Result<Converted> {
    let why = heapquarry_input::url::WITHOUT.into();
    Err(Error::new(ErrorKind::Destination { path: shown(Path::new(url)), why }))
}

/// Converts to a local directory, with the files and tables that `extent` adds to it.
pub fn convert_as(
    inputs: &[Source],
    output: &Path,
    options: &ConvertOptions,
    mut extent: Extent,
) -> Result<Converted> {
    // Both may have to read the input again, which a stream does not allow.
    let (locate, recount) = match inputs.iter().all(Source::is_repeatable) {
        true => (Locate::FromEnd, Recount::IfNeeded),
        false => (Locate::Walk, Recount::Never),
    };
    let projection = projection(&options.tables, &options.columns, options.analyze)?;
    if let Some(input) = inputs.iter().find(|input| input.is_directory()) {
        return Err(input.directory());
    }
    for input in inputs {
        if let Some(process) = input.process_beside()? {
            extent.processes.insert(input.path.clone(), process);
        }
        if let Some(isolate) = input.isolate() {
            extent.isolates.insert(input.path.clone(), isolate.clone());
        }
    }
    let gather = gather(&projection, options.analyze);
    let mut sink = ParquetSink::create(output, options, projection, gather, extent)?;
    let paths: Vec<&Path> = inputs.iter().filter_map(Source::on_disk).collect();
    sink.check_inputs(&paths)?;
    let read_options = ReadOptions::default()
        .row_group_rows(options.row_group_rows)
        .window(options.read_window)
        .names(options.names)
        .locate(locate)
        .recount(recount);
    // The disk of the output has room for much data.
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    let beside = || parent.unwrap_or(Path::new(".")).into();
    let spooling = Spooling::beside(&options.run, beside);
    let spool_dir = spooling.dir.clone();
    let job = Job { strict: options.strict, spool_dir, ..Job::new(read_options, &options.run) };
    let documents = match sink.projection().wants(&PROFILE_FUNCTION) {
        true => read_sources(inputs, &job, &spooling, &mut Summed::new(&mut sink))?,
        false => read_sources(inputs, &job, &spooling, &mut sink)?,
    };
    let (Committed { path, warning }, tables) = sink.finish(options)?;
    Ok(Converted { path, documents, tables, warning })
}

/// Whether to gather for an analysis. The names of the locations' scripts also need the analysis, if it is requested,
/// even if no other table does.
pub(crate) fn gather(projection: &Projection, analyze: bool) -> Gather {
    match analyze && wants_names(projection) {
        true => Gather::Always,
        false => Gather::ForTables,
    }
}

/// The tables and columns with these names. Without names, all tables; those of the heap analysis only on request.
pub fn projection(tables: &[String], columns: &[String], analyze: bool) -> Result<Projection> {
    let all = Projection::all().without(&BATCH_TABLES);
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
