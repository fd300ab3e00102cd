//! Many inputs, each converted once, by runs that may end at any moment.
//!
//! ```no_run
//! use heapquarry_store::batch::{BatchInput, BatchOptions, batch};
//!
//! let inputs = BatchInput::all("snapshots/")?;
//! let report = batch(&inputs, "tables", &BatchOptions::default())?;
//! println!("{} done, {} failed", report.done, report.failed.len());
//! # Ok::<(), heapquarry::Error>(())
//! ```
//!
//! # What is done
//!
//! The files of a pack of inputs are `TABLE/source=pack.N/part-0.parquet`, and their manifest is `_done/pack.N.json`.
//! It is renamed into place last, and names the inputs: so the manifests say what is done. A journal beside them could
//! only be wrong: a process can die between the two. A run reads the manifests, converts what they do not name, and
//! first removes files that they do not name.
//!
//! Inputs are first written in groups to directories that wait in `_pending`, and are packed when these are large
//! enough, and at the end. A pack has whole directories: the next run removes those whose inputs a pack has.

mod destination;
mod folder;
mod inputs;
mod jobs;
mod labels;
mod log;
mod packs;
mod store;

pub use destination::Destination;
pub use inputs::BatchInput;

use folder::Folder;
use heapquarry::{ConvertOptions, Error, ErrorKind, Names, Redaction, Result, engine::projection};
use heapquarry_input::{at_most_per_core, options};
use heapquarry_tables::{
    JS_CPU_PROFILER_FILES, JS_HEAP_CLASS, JS_HEAP_DUPLICATE_STRING, JS_HEAP_FILES,
    JS_HEAP_NATIVE_CONTEXT, JS_HEAP_SAMPLING_FILES, JS_HEAP_STATISTICS, JS_HEAP_SUSPECT,
    PPROF_FILES, PROFILE_FUNCTION, SELF_PROFILE_FILES, Table,
};
use serde::Serialize;
use std::{
    num::NonZero,
    path::{Path, PathBuf},
};

/// The tables of a summary, besides `source`, `import_log` and `batch_input`.
pub static SUMMARY_TABLES: [&Table; 11] = [
    &JS_HEAP_FILES,
    &JS_HEAP_STATISTICS,
    &JS_HEAP_CLASS,
    &JS_HEAP_DUPLICATE_STRING,
    &JS_HEAP_NATIVE_CONTEXT,
    &JS_HEAP_SUSPECT,
    &JS_CPU_PROFILER_FILES,
    &JS_HEAP_SAMPLING_FILES,
    &SELF_PROFILE_FILES,
    &PPROF_FILES,
    &PROFILE_FUNCTION,
];

/// Rows of each heap that a summary has of tables which are sorted by size. A profile has 1,000 functions.
static MOST_ROWS: [(&Table, usize); 2] =
    [(&JS_HEAP_CLASS, 1_000), (&JS_HEAP_DUPLICATE_STRING, 100)];

/// What a batch keeps of its inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The tables that the options of the conversion say.
    #[default]
    Tables,
    /// [`SUMMARY_TABLES`]: of each heap the 1,000 largest classes and the 100 largest duplicate strings, of each
    /// profile 1,000 functions. What the options of the conversion say about tables, columns and the analysis does not
    /// matter.
    Summary,
}

options! {
    /// Options of [`batch`].
    #[derive(Clone, Debug, Default)]
    pub struct BatchOptions {
        /// What is kept.
        pub keep: Keep,
        /// Labels of all inputs of this run, as key and value: folders `KEY=VALUE` in those of the tables. All runs
        /// with a destination have the same keys.
        pub labels: Vec<(String, String)>,
        /// Inputs that are converted at the same time; `None` for one per core, and at most 8 per core. Large ones come
        /// first, one after the other, on all threads.
        pub jobs: Option<NonZero<usize>>,
        /// How each input is converted. The layout is always hive, and nothing is replaced.
        pub convert: ConvertOptions,
    }
}

/// The result of [`batch`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Batched {
    /// The destination.
    pub path: PathBuf,
    /// Number of inputs that this run converted.
    pub done: u64,
    /// Bytes of their documents, decompressed.
    pub bytes: u64,
    /// Number of inputs that were done before.
    pub before: u64,
    /// The inputs that failed, in the order of the inputs.
    pub failed: Vec<Failed>,
}

/// An input that failed. The next run tries it again.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed {
    /// The input.
    pub input: PathBuf,
    /// Why it failed.
    pub error: Error,
}

/// Converts those of the inputs that no earlier run with the same destination and labels has converted. An input is
/// known by its path. If one cannot be read, the others are converted all the same.
///
/// # Errors
///
/// If the destination cannot be written, belongs to something else or to a batch with other options, or the run is
/// cancelled. What was done until then stays done.
pub fn batch(
    inputs: &[BatchInput],
    destination: impl AsRef<Path>,
    options: &BatchOptions,
) -> Result<Batched> {
    let destination = destination.as_ref();
    let convert = options.keep.of(&options.convert);
    // Before anything is written.
    projection(&convert.tables, &convert.columns, convert.analyze)?;
    let labels = labels::folders(destination, &options.labels)?;
    // What a batch writes is no input of it, even if it writes into the folder that it lists.
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    let own = absolute(destination);
    let is_input = |input: &&BatchInput| !absolute(&input.path).starts_with(&own);
    let mut inputs: Vec<BatchInput> = inputs.iter().filter(is_input).cloned().collect();
    let settings = settings(options, &convert);
    let folder = Folder::open(destination, &labels, &settings, &convert)?;
    let found = folder.tidy_up()?;
    let is_new = |input: &&mut BatchInput| !found.done.contains_key(&*input.path.to_string_lossy());
    inputs::look_at(inputs.iter_mut().filter(is_new), &convert.run.cancel);
    let jobs = at_most_per_core(options.jobs);
    let ended = jobs::run(&folder, &inputs, found, options.keep, &convert, jobs);
    let lines = log::lines(&ended.all, &ended.report.failed);
    let written = folder.write_log(&lines);
    folder.close();
    match ended.failure {
        _ if convert.run.cancel.is_cancelled() => Err(Error::new(ErrorKind::Cancelled)),
        Some(failure) => Err(failure),
        None => written.map(|()| Batched { path: destination.into(), ..ended.report }),
    }
}

impl Keep {
    /// The options for each input.
    fn of(self, convert: &ConvertOptions) -> ConvertOptions {
        let options = convert.clone().force(false);
        match self {
            Keep::Tables => options,
            Keep::Summary => {
                let tables = SUMMARY_TABLES.iter().map(|table| table.name.to_owned()).collect();
                options.analyze(true).tables(tables).columns(Vec::new())
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Keep::Tables => "tables",
            Keep::Summary => "summary",
        }
    }
}

/// What all runs with a destination must agree on, named as the flags are.
#[derive(Serialize)]
struct Settings<'a> {
    keep: &'a str,
    labels: Vec<&'a str>,
    tables: &'a [String],
    columns: &'a [String],
    names: &'a str,
    analyze: bool,
    compression: String,
    encodings: String,
    row_group_rows: usize,
    /// Of what redacts the inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    redaction: Option<String>,
}

fn settings(batch: &BatchOptions, options: &ConvertOptions) -> String {
    let settings = Settings {
        keep: batch.keep.name(),
        labels: batch.labels.iter().map(|(key, _)| key.as_str()).collect(),
        tables: &options.tables,
        columns: &options.columns,
        names: if options.names == Names::Text { "text" } else { "id" },
        analyze: options.analyze,
        compression: options.compression.to_string(),
        encodings: options.encodings.to_string(),
        row_group_rows: options.row_group_rows,
        redaction: options.run.redaction.as_ref().map(Redaction::fingerprint),
    };
    serde_json::to_string_pretty(&settings).expect("plain values") + "\n"
}
