//! The command line. Help, completions and the man page all come from here.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, builder::styling, value_parser};
use heapquarry::{Compression, Encodings, Layout, Part, Source};
use std::{ffi::OsString, num::NonZero, path::PathBuf, time::Duration};

const STYLES: styling::Styles = styling::Styles::styled()
    .header(styling::Style::new().bold())
    .usage(styling::Style::new().bold())
    .literal(styling::Style::new().bold());

const EXAMPLES: &str = "\
Examples:
  heapquarry app.heapsnapshot                  write app.tables/, one Parquet file per table
  heapquarry convert *.heapsnapshot -o all     many snapshots in one set of tables
  heapquarry convert --batch heaps/ -o all --keep summary   a folder of thousands; run it again to go on
  heapquarry trace.json.gz                     events, slices, counters and threads of a trace
  curl URL | heapquarry convert - -o heap      from standard input; compression is detected automatically
  heapquarry info app.heapsnapshot             inspect it without converting
  heapquarry extract app.htrace -o heaps       extract its heaps and profiles as plain files
  heapquarry summary app.heapsnapshot          summarise a heap, profile or trace
  heapquarry diff before.heapsnapshot after.heapsnapshot   what grew; for profiles and traces, what got slower
  heapquarry leaks 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot   what leaks: owner, size, script and line
  heapquarry why app.heapsnapshot --class Session          what keeps these objects alive
  heapquarry show app.heapsnapshot --node @1234            what is in an object, and who holds it
  heapquarry check app.heapsnapshot --budget heap.toml     fail a CI run that exceeds limits
  heapquarry report app.heapsnapshot           draw it as one HTML file
  heapquarry query app.heapsnapshot \"SELECT type, sum(self_size) FROM js_heap_nodes GROUP BY 1\"   ask in SQL
  heapquarry capture localhost:9229 -o heap    take a heap snapshot of a running process, as tables
  heapquarry redact app.heapsnapshot shared.heapsnapshot --level names   take out what is private
  heapquarry schema js_heap_nodes              describe the columns of a table

Exit codes:
  0    success; repaired damage is listed in the table import_log
  1    a limit was exceeded (check, diff --fail-on, leaks --fail-on), or there are secrets (redact)
  2    failure: wrong usage, bad input, or an input or output error; no output directory is left
  3    some inputs of a batch failed; the others are done, and DIR/_log lists all
  130  interrupted; no output directory is left";

/// Convert heap snapshots, profiles and traces to Parquet; find leaks from the terminal or CI.
///
/// Inputs: .heapsnapshot and .heaptimeline files of V8 (Chrome, Node, Deno, Electron), Hermes, Bun, Julia and ArkTS;
/// .cpuprofile and .heapprofile files in old and current formats; traces of the JS Self-Profiling API; pprof profiles of
/// Go, Node and Rust; traces in the Trace Event Format; ftrace text; OpenHarmony .htrace containers; files of DevTools
/// messages. The format and the compression (gzip, zstd, zlib, zip) are detected by content. The command `convert` may be omitted.
#[derive(Parser, Debug)]
#[command(name = "heapquarry", version, after_help = EXAMPLES, styles = STYLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,

    /// Errors as text, or as one line of JSON with path, offset, expected and found
    // It is looked up before the arguments are parsed, because it also applies to errors of the command line.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORM",
        hide_possible_values = true
    )]
    pub(crate) error_format: ErrorForm,
}

/// How an error is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorForm {
    #[default]
    Text,
    Json,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    Convert(Convert),
    Info(Info),
    Summary(Summary),
    Show(Show),
    Why(Why),
    Diff(Diff),
    Leaks(Leaks),
    Check(Check),
    Report(Report),
    Export(Export),
    Extract(Extract),
    Query(Query),
    Views(Views),
    Capture(Capture),
    Redact(Redact),
    Cache(Cache),
    Schema(Schema),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
}

/// Convert inputs to a directory of Parquet files
///
/// The directory appears complete or not at all. It has one file per table, _manifest.json, and views.sql for DuckDB.
#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// Files to convert, of any supported format, plain or compressed (gzip, zstd, zlib, zip); - for standard input;
    /// INPUT#N selects document N (from 0)
    #[arg(required_unless_present = "batch", value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// Output directory [default: the first input's name with the extension .tables]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) batch: Batch,

    /// Replace an existing output directory that holds nothing but what heapquarry wrote
    #[arg(long)]
    pub(crate) force: bool,

    /// Permissions of the output directory, in octal [default: those of the replaced directory, or 700]
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) mode: Option<u32>,

    /// Write only these tables (and always source and import_log)
    #[arg(long, value_name = "TABLE", value_delimiter = ',')]
    pub(crate) tables: Vec<String>,

    /// Write only these columns, as TABLE.COLUMN; the other columns of their tables are not decoded
    #[arg(long, value_delimiter = ',', value_name = "COLUMN")]
    pub(crate) columns: Vec<String>,

    /// Write names of nodes and edges as text, or only as js_heap_string indices (faster, smaller)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) names: Names,

    /// Also compute what Chrome DevTools shows: distances, retained sizes, dominators, classes, statistics
    #[arg(long)]
    pub(crate) analyze: bool,

    /// Also write DIR/heapquarry.duckdb, a database with views over the tables, by an installed DuckDB
    #[arg(long)]
    pub(crate) duckdb: bool,

    /// Fail if any data of the input is lost
    #[arg(long)]
    pub(crate) strict: bool,

    /// Compression: zstd[:LEVEL], snappy, lz4 or none
    #[arg(long, default_value_t, value_name = "CODEC")]
    pub(crate) compression: Compression,

    /// Parquet encodings. universal: readable by all supported engines; modern: smaller, but DuckDB before 2.0 and
    /// pyarrow before 16 refuse them and Spark 3.5 misreads text
    #[arg(long, default_value_t, value_name = "SET")]
    pub(crate) encodings: Encodings,

    /// File layout. flat: DIR/TABLE.parquet; hive: DIR/TABLE/source=NAME/part-0.parquet
    #[arg(long, default_value_t, value_name = "LAYOUT")]
    pub(crate) layout: Layout,

    /// Rows per row group (traces: at most 32768); each worker holds one in memory, about 30 MB by default
    #[arg(long, value_name = "N", default_value_t = 131_072, value_parser = value_parser!(u32).range(1..=16_777_216))]
    pub(crate) row_group_rows: u32,

    /// Worker threads, at most 8 per core [default: one per core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<NonZero<usize>>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Refuse to analyse a heap that needs more memory by an estimate, such as 8GB [default: the limit of the container]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,

    /// Bytes read at a time, for tests; the output does not depend on it
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(crate) read_window: Option<NonZero<usize>>,

    /// Print errors and warnings only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Above the flags of batches in the help.
const BATCHES: &str = "Batches";

/// What concerns many inputs.
#[derive(Args, Debug)]
pub(crate) struct Batch {
    /// Convert each of these inputs to files of its own, DIR/TABLE/source=NAME/part-0.parquet: a folder with all files below
    /// it, a path with * for any text, or a list with one path on each line (- for standard input). A run leaves out what
    /// earlier runs have done, so it may be killed and started again; an input that cannot be read does not stop the others
    #[arg(
        long,
        help_heading = BATCHES,
        value_name = "LIST|PREFIX",
        requires = "output",
        conflicts_with_all = ["inputs", "force", "layout", "duckdb"]
    )]
    pub(crate) batch: Option<OsString>,

    /// What to keep of each input. summary: totals, classes, sizes by category and duplicate strings of heaps, call trees of
    /// profiles, with files for many inputs; all: all tables; or some tables, as --tables
    #[arg(
        long,
        help_heading = BATCHES,
        value_name = "summary|all|TABLES",
        requires = "batch",
        default_value = "all",
        conflicts_with = "tables"
    )]
    pub(crate) keep: String,

    /// Label of all inputs of this run: a folder KEY=VALUE in those of the tables, which query engines read as a column; can
    /// be repeated
    #[arg(long = "label", help_heading = BATCHES, value_name = "KEY=VALUE", requires = "batch", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,

    /// Inputs that are converted at the same time [default: one per core]
    #[arg(long, help_heading = BATCHES, value_name = "N", requires = "batch")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

/// A label: key and value.
fn label(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.into(), value.into()))
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Names {
    #[default]
    Text,
    Id,
}

/// Inspect inputs without converting: format, producer, sections, counts, sizes
#[derive(Args, Debug)]
pub(crate) struct Info {
    /// Files to inspect; - for standard input
    #[arg(required = true, value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Print a JSON array with one object per input
    #[arg(long)]
    pub(crate) json: bool,
}

const INPUT_HELP: &str = "\
A file, plain or compressed (gzip, zstd, zlib, zip), - for standard input, or a directory that `heapquarry convert` wrote; INPUT#N selects document N (from 0), or CPU profile N of a trace (from 1)";

/// Summarise a heap, profile or trace
///
/// Heap: sizes by category, classes, biggest retainers, duplicate strings, detached nodes. Profile (CPU, sampling heap,
/// self-profiling, pprof): functions by self and total time or size, and scripts. Trace: processes, threads, slices and
/// asynchronous operations by name, counters, repairs.
#[derive(Args, Debug)]
pub(crate) struct Summary {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    /// Rows per table; JSON has all classes, functions and scripts, and all tables of traces
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) only: Only,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// Show what is in an object, and who holds it
///
/// Fields, elements and entries with their values; of a function where it is written and the variables that it sees; what
/// the object alone holds; retainers by class and name. With --class: the objects of the class, biggest first, and their
/// fields.
#[derive(Args, Debug)]
pub(crate) struct Show {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    #[command(flatten)]
    pub(crate) of: Objects,

    /// Rows of each list to leave out before the first that is shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,

    /// Rows of each list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// Show what keeps objects alive: the paths of references from a root
///
/// Paths are those that a program would write, which avoid caches and handles of the engine. Objects of classes are
/// grouped by the path to them.
#[derive(Args, Debug)]
pub(crate) struct Why {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    #[command(flatten)]
    pub(crate) of: Objects,

    /// Only objects that this earlier snapshot of the same process does not have
    #[arg(long, value_name = "BASE", value_parser = source())]
    pub(crate) new_since: Option<Source>,

    /// The shortest paths, as DevTools shows them
    #[arg(long)]
    pub(crate) shortest: bool,

    /// Maximum number of paths of the node, or of groups of objects that are shown with their path
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct Objects {
    /// The object with this id, as DevTools and the tables show it
    #[arg(long, value_name = "ID", value_parser = id)]
    pub(crate) node: Option<i64>,

    /// Objects of this class; * matches any text; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) class: Vec<String>,
}

/// An id, with or without DevTools' prefix @.
fn id(text: &str) -> Result<i64, std::num::ParseIntError> {
    text.strip_prefix('@').unwrap_or(text).parse()
}

/// Show what grew between snapshots of one process, or what changed between profiles or traces
///
/// Compares the last input with the first. Snapshots are compared class by class, as in DevTools, and object by object.
/// With three or more snapshots it also tells what grows from each to the next, as `leaks` does. Profiles are compared
/// function by function. Traces are compared by the names of slices, threads, frames, counters and GPU streams; with
/// --before and --after, of several runs each.
#[derive(Args, Debug)]
pub(crate) struct Diff {
    #[arg(value_name = "BASE", value_parser = source(), help = INPUT_HELP, required_unless_present = "before")]
    pub(crate) base: Option<Source>,

    /// Later snapshots, profiles or traces, in order of time
    #[arg(required_unless_present = "before", value_name = "CURRENT", value_parser = source())]
    pub(crate) current: Vec<Source>,

    /// Traces of several runs before a change; five or more let a rank test tell changes from chance
    #[arg(
        long, value_name = "FILE", num_args = 1.., value_parser = source(), requires = "after",
        conflicts_with_all = ["base", "current", "runs"]
    )]
    pub(crate) before: Vec<Source>,

    /// Traces of several runs after it
    #[arg(long, value_name = "FILE", num_args = 1.., value_parser = source(), requires = "before")]
    pub(crate) after: Vec<Source>,

    /// Changes of figures of traces up to this share are noise
    #[arg(long, value_name = "SHARE", default_value = "3%", value_parser = share)]
    pub(crate) noise: f64,

    /// Exit with 1 if this limit is exceeded, such as `retained>+5%`, `class[Session].count>+10 and +1%`,
    /// `function[render].self_share>+2pp` or `slice[parse].p95>5 ms`; `any` if anything in a trace got worse; can be
    /// repeated
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_on: Vec<String>,

    #[command(flatten)]
    pub(crate) only: Only,

    /// Write the differences as Parquet tables to this directory
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing output directory that heapquarry wrote
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// Rows per table; JSON has all classes or functions
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    /// List the engine's own classes of heaps among the others
    #[arg(long)]
    pub(crate) engine: bool,

    /// The inputs after the first are runs of one program: limits apply to the median of each figure
    #[arg(long)]
    pub(crate) runs: bool,

    #[command(flatten)]
    pub(crate) print: PrintFigures,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// Name what leaks: the places that grow in every step between heap snapshots of one process
///
/// For each: who holds it (class and field, variable or global), what it holds more of and how much, and where that is
/// made. Take three snapshots or more, after warm-up, with the same work between them; with two, what fills once looks
/// like a leak.
#[derive(Args, Debug)]
pub(crate) struct Leaks {
    /// The snapshots in the order of time, as files, plain or packed, or converted directories; INPUT#N selects document N
    /// (from 0); one directory stands for all snapshots in it
    #[arg(required_unless_present = "files_from", value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// Read the names of the snapshots from a file, or - for standard input, one in a line; each snapshot is read as soon
    /// as its name is there, while the next one is taken
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub(crate) files_from: Option<PathBuf>,

    /// Exit with 1 if something leaks: `any`, so many findings or more (`3`), one that grows by more than a size (`100kB`), or
    /// an expression as `leak[SessionStore*].growth > 1 MB` or `leaks.count > 2`; several may be given
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_on: Vec<String>,

    /// Leave out places that may grow, by owner or way, such as `Cache.entries`; * matches any text; can be repeated
    #[arg(long, value_name = "OWNER")]
    pub(crate) ignore: Vec<String>,

    /// Findings to show; JSON has all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,

    /// Fail if a snapshot is damaged
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) print: PrintChecks,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// Draw a heap, profile or trace as one HTML file
///
/// Heap: memory map, what holds the memory, classes; of several snapshots of one process also what leaks and what grew; of
/// timelines the stacks of allocations. Profile: flame graph; of two also what changed. Trace: threads over time, long tasks,
/// counters. The file opens offline in any current browser, loads nothing and stays small: it has what weighs most, and sums
/// of the rest.
#[derive(Args, Debug)]
pub(crate) struct Report {
    /// Files, plain or compressed (gzip, zstd, zlib, zip), - for standard input, or converted directories; several snapshots or
    /// profiles in the order of time; INPUT#N selects document N (from 0)
    #[arg(required = true, value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// The file; - for standard output [default: the last input's name with the extension .html]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Title [default: the names of the inputs]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Replace an existing file that is no report of heapquarry
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// Check an input against a budget; exit with 1 and list what exceeds its limit
#[derive(Args, Debug)]
pub(crate) struct Check {
    #[arg(required = true, value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) inputs: Vec<Source>,

    /// The inputs are runs of one program: limits apply to the median of each figure, and the spread is shown
    #[arg(long)]
    pub(crate) runs: bool,

    /// Budget file: limits in TOML
    #[arg(long, value_name = "FILE", required_unless_present = "save_baseline")]
    pub(crate) budget: Option<PathBuf>,

    /// Baseline of limits on growth: an input, or a file of --save-baseline; without it they are reported as skipped
    #[arg(long, value_name = "BASE", value_parser = source())]
    pub(crate) baseline: Option<Source>,

    /// Write the figures to this file, as a small baseline for later runs (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) save_baseline: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) only: Only,

    #[command(flatten)]
    pub(crate) print: PrintFigures,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// A part of a trace, or some values of a profile.
#[derive(Args, Debug)]
#[command(next_help_heading = "Part of a trace")]
pub(crate) struct Only {
    /// Only this process, by name or id; * matches any text; can be repeated
    #[arg(long, value_name = "NAME")]
    process: Vec<String>,

    /// Only this thread, likewise
    #[arg(long, value_name = "NAME")]
    thread: Vec<String>,

    /// Only events of this category, likewise
    #[arg(long, value_name = "NAME")]
    category: Vec<String>,

    /// Only what begins there or later: seconds after the start of the trace, or the name of an event
    #[arg(long, value_name = "WHEN")]
    from: Option<String>,

    /// Only what begins there or before: the same, or the end of an event
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,

    /// Of a pprof profile, these values, such as alloc_space; otherwise those that it wants to be shown
    #[arg(long, value_name = "TYPE", help_heading = "Values of a pprof profile")]
    sample_type: Option<String>,
}

impl Only {
    /// The part of each source.
    pub(crate) fn of(&self, source: &Source) -> Source {
        let Only { process, thread, category, from, until, sample_type } = self;
        let part = Part::default()
            .processes(process.clone())
            .threads(thread.clone())
            .categories(category.clone())
            .from(from.clone())
            .until(until.clone());
        let source = source.clone().part(part);
        match sample_type {
            Some(name) => source.sample_type(name),
            None => source,
        }
    }
}

/// Report options.
#[derive(Args, Debug)]
pub(crate) struct Print {
    /// Report format
    #[arg(long, value_parser = forms(&["text", "json", "markdown"]), default_value = "text")]
    pub(crate) format: Form,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// Options of reports with checks.
#[derive(Args, Debug)]
pub(crate) struct PrintChecks {
    /// Report format; github prints annotations, and appends Markdown to the file GITHUB_STEP_SUMMARY; html is a page without
    /// scripts
    #[arg(long, value_parser = forms(&["text", "json", "markdown", "junit", "github", "html"]), default_value = "text")]
    pub(crate) format: Form,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// Options of reports with checks and figures.
#[derive(Args, Debug)]
pub(crate) struct PrintFigures {
    /// Report format; github prints annotations, and appends Markdown to the file GITHUB_STEP_SUMMARY; bencher
    /// (bencher.dev) and benchmark-action (github-action-benchmark) print figures for histories
    #[arg(
        long,
        value_parser = forms(&["text", "json", "markdown", "junit", "github", "html", "bencher", "benchmark-action"]),
        default_value = "text"
    )]
    pub(crate) format: Form,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// A report format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
    Markdown,
    Junit,
    Github,
    Html,
    Bencher,
    BenchmarkAction,
}

impl Form {
    /// Whether it has figures, with or without limits.
    pub(crate) fn has_measures(self) -> bool {
        matches!(self, Form::Bencher | Form::BenchmarkAction)
    }
}

fn forms(names: &'static [&'static str]) -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(names).map(|name| match name.as_str() {
        "json" => Form::Json,
        "markdown" => Form::Markdown,
        "junit" => Form::Junit,
        "github" => Form::Github,
        "html" => Form::Html,
        "bencher" => Form::Bencher,
        "benchmark-action" => Form::BenchmarkAction,
        _ => Form::Text,
    })
}

/// How inputs are unpacked.
#[derive(Args, Debug)]
pub(crate) struct Unpack {
    /// Most bytes of temporary files per input, such as 20GB [default: 100 times the size of the input, at least 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_spool: Option<u64>,
}

/// A number of bytes.
fn size(text: &str) -> Result<u64, String> {
    use heapquarry::report::{Amount, Limit, Unit};
    let limit = Limit::parse(text, Unit::Bytes).map_err(|error| error.to_string())?;
    match limit.amounts[..] {
        [Amount::Max(bytes)] => Ok(bytes.unsigned_abs()),
        _ => Err("expected a number of bytes, such as 20GB".into()),
    }
}

/// A number of things that cannot be 0.
fn at_least_one(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".into())
}

/// A share, as a part of 1.
fn share(text: &str) -> Result<f64, String> {
    use heapquarry::report::{Amount, Limit, Unit};
    let limit = Limit::parse(text, Unit::Share).map_err(|error| error.to_string())?;
    match limit.amounts[..] {
        [Amount::Max(share)] => Ok(share as f64 / 1e6),
        _ => Err("expected a share, such as 5%".into()),
    }
}

/// Options of the run.
#[derive(Args, Debug)]
pub(crate) struct Work {
    /// Worker threads, at most 8 per core [default: one per core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<NonZero<usize>>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Refuse to analyse a heap that needs more memory by an estimate, such as 8GB [default: the limit of the container]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,

    /// Print no progress bar
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Permissions of a directory, without which its owner could not write it.
fn mode(text: &str) -> Result<u32, String> {
    const OWNER: u32 = 0o700;
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 && mode & OWNER == OWNER => Ok(mode),
        _ => Err("expected 700 to 777 in octal, as for chmod".into()),
    }
}

fn source() -> impl TypedValueParser<Value = Source> {
    clap::builder::OsStringValueParser::new().map(Source::from)
}

/// Convert a profile or a trace for a viewer, to standard output
#[derive(Args, Debug)]
pub(crate) struct Export {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    /// A later profile: writes what changed since INPUT, for a differential flame graph (collapsed: the weights before and
    /// after; speedscope: both profiles, growth and decline)
    #[arg(value_name = "LATER", value_parser = source())]
    pub(crate) later: Option<Source>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Output format. collapsed: stacks for flamegraph.pl and inferno; speedscope: for speedscope.app; pprof: for
    /// `go tool pprof` and compatible services; chrome: events of a trace for ui.perfetto.dev and chrome://tracing
    #[arg(long, value_enum, value_name = "VIEWER")]
    pub(crate) to: ExportFormat,

    #[command(flatten)]
    pub(crate) only: Only,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    Collapsed,
    Speedscope,
    Pprof,
    Chrome,
}

/// Extract documents from a container, byte for byte: .heapsnapshot, .heaptimeline, .cpuprofile files
///
/// The container is an .htrace file, a file of DevTools messages, or a zip archive. Prints the paths of the files.
#[derive(Args, Debug)]
pub(crate) struct Extract {
    /// The container, compressed or not; INPUT#N selects document N (from 0)
    #[arg(value_name = "INPUT", value_parser = source())]
    pub(crate) input: Source,

    /// Directory for the files
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
}

/// Ask in SQL, with an installed DuckDB
///
/// Every table of the inputs and every view over them is there by its name (`heapquarry schema`). Several inputs are one
/// set of tables with a further column, source. Inputs are converted once and kept in a cache. What an analysis computes
/// is there where the query mentions a table or view of it, such as heap_object. Without SQL: a prompt in a terminal, or
/// SQL from standard input.
#[derive(Args, Debug)]
pub(crate) struct Query {
    /// Files or converted directories, and the query last: an argument with a blank in it that names no file
    #[arg(required = true, value_name = "INPUT… \"SQL\"")]
    pub(crate) inputs: Vec<std::ffi::OsString>,

    /// Read the query from this file
    #[arg(short, long, value_name = "FILE.sql")]
    pub(crate) file: Option<PathBuf>,

    /// Output format [default: that of the name after --output, or else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<QueryFormat>,

    /// Write the result to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the file after --output
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// Rows of a table that a terminal shows; says how many there are
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) limit: usize,

    /// Compute the analysis of heaps whether the query mentions it or not
    #[arg(long)]
    pub(crate) analyze: bool,

    /// Convert to a temporary directory instead of the cache
    #[arg(long)]
    pub(crate) no_cache: bool,

    #[command(flatten)]
    pub(crate) work: Work,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryFormat {
    Table,
    Csv,
    Json,
    Markdown,
    Parquet,
    Arrow,
}

/// Capture a heap snapshot, profile or trace of a running process
///
/// Of Node, Chrome, Chromium, Electron and Deno, over the DevTools protocol. Before a heap snapshot, the process is asked
/// for its memory; without room for the snapshot it is refused. If the process ends meanwhile, what came is kept, and the
/// exit code is 2.
#[derive(Args, Debug)]
#[command(after_help = CAPTURE_EXAMPLES)]
pub(crate) struct Capture {
    /// HOST:PORT or PORT of an inspector, HOST:PORT/ID of one of its targets, or ws://HOST:PORT/PATH. Requests have the
    /// headers in HEAPQUARRY_CAPTURE_HEADERS, one `Name: value` in each line
    #[arg(required_unless_present = "pid", value_name = "TARGET")]
    pub(crate) target: Option<String>,

    /// The Node with this process id, whose inspector is opened by SIGUSR1, and closed afterwards (Linux)
    #[arg(long, value_name = "N", conflicts_with = "target")]
    pub(crate) pid: Option<u32>,

    /// Print the targets of the port
    #[arg(long)]
    pub(crate) list: bool,

    /// What to capture
    #[arg(long, value_enum, value_name = "KIND", default_value_t = CaptureKind::Heap)]
    pub(crate) kind: CaptureKind,

    /// How long to record, such as 10s [default: until an interrupt]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) duration: Option<Duration>,

    /// How often to capture, such as 3 for `--then leaks`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1000))]
    pub(crate) count: u32,

    /// Time between captures
    #[arg(long, value_name = "TIME", value_parser = time, requires = "count")]
    pub(crate) every: Option<Duration>,

    /// Collect garbage before each
    #[arg(long)]
    pub(crate) gc: bool,

    /// Have values of numbers in heap snapshots
    #[arg(long)]
    pub(crate) numeric: bool,

    /// Have objects of the engine in heap snapshots
    #[arg(long)]
    pub(crate) internals: bool,

    /// Output directory of tables [default: capture.tables, without --raw and --then]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Write the bytes of the engine to this file; .gz and .zst are packed; with --count, -1, -2 and so on go into its name
    #[arg(long, value_name = "FILE")]
    pub(crate) raw: Option<PathBuf>,

    /// What to do with it; report writes an HTML file
    #[arg(long, value_enum, value_name = "COMMAND")]
    pub(crate) then: Option<Then>,

    /// Replace existing output, and capture even without room
    #[arg(long)]
    pub(crate) force: bool,

    /// Connect to another machine without encryption
    #[arg(long)]
    pub(crate) insecure_remote: bool,

    #[command(flatten)]
    pub(crate) work: Work,
}

const CAPTURE_EXAMPLES: &str = "\
Examples:
  heapquarry capture --pid 4711 --raw app.heapsnapshot.zst    a Node that runs already
  heapquarry capture 9229 --then summary                      node --inspect
  heapquarry capture 9229 --gc --count 3 --every 30s --then leaks
  heapquarry capture 9222 --list                              chromium --remote-debugging-port=9222
  heapquarry capture 9229 --kind cpu --duration 10s --then report";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaptureKind {
    /// Heap snapshot
    Heap,
    /// Allocations by function, sampled
    HeapSampling,
    /// CPU profile
    Cpu,
    /// Heap snapshot with the allocations before it
    Timeline,
    /// Trace of events
    Trace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Then {
    Summary,
    Leaks,
    Report,
}

/// A time with its unit.
fn time(text: &str) -> Result<Duration, String> {
    use heapquarry::report::{Amount, Limit, Unit};
    let expected = || "expected a time, such as 10s or 500ms".to_owned();
    if text.ends_with(|c: char| c.is_ascii_digit()) {
        return Err(expected());
    }
    match Limit::parse(text, Unit::Micros).map_err(|_| expected())?.amounts[..] {
        [Amount::Max(micros @ 0..)] => Ok(Duration::from_micros(micros.unsigned_abs())),
        _ => Err(expected()),
    }
}

/// Copy a heap snapshot, profile or trace without what is private
///
/// The copy has the same format and structure: ids, sizes and references stay, strings become tokens. Equal strings have
/// equal tokens. Then looks for secrets in the copy; exits with 1 if it finds any.
#[derive(Args, Debug)]
pub(crate) struct Redact {
    #[arg(value_name = "INPUT", value_parser = source(), help = "A file, plain or compressed (gzip, zstd, zlib, zip), or - for standard input; INPUT#N selects document N (from 0)")]
    pub(crate) input: Source,

    /// The copy; .gz and .zst are packed
    #[arg(required_unless_present = "audit", conflicts_with = "audit", value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// What is taken out
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = RedactLevel::Values)]
    pub(crate) level: RedactLevel,

    /// Keep this name of a property, class or function; * matches any text; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Vec<String>,

    /// Take out every string with a match of this regular expression, and look for it in the copy; can be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) deny: Vec<String>,

    /// A secret file of 16 bytes or more: runs with the same one give equal tokens to equal strings [default: a random key
    /// that nobody keeps]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// Write what each token stands for to this file, as JSON lines; keep it to yourself
    #[arg(long, value_name = "FILE", conflicts_with = "audit")]
    pub(crate) map: Option<PathBuf>,

    /// Only look for secrets in the input: mail addresses, tokens, keys, card numbers, IP addresses, long hex and base64
    #[arg(long)]
    pub(crate) audit: bool,

    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    /// Print errors and hits only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RedactLevel {
    /// Values of strings, symbols, numbers and regular expressions, and sources of scripts
    Values,
    /// Also names of properties, attributes of elements, queries of addresses
    Names,
    /// Also names of classes and functions, hosts and paths
    Full,
}

/// Print the views over a converted directory, for DuckDB
///
/// The paths in them are absolute, so they read this directory whatever DuckDB's working directory and search path are.
#[derive(Args, Debug)]
pub(crate) struct Views {
    /// The converted directory; several become the union of their tables, with a further column, source
    #[arg(required = true, value_name = "DIR")]
    pub(crate) dirs: Vec<PathBuf>,

    /// The schema to make them in
    #[arg(long, value_name = "NAME", default_value = "main", value_parser = schema_name)]
    pub(crate) schema: String,

    /// Print no comments on views and columns
    #[arg(long)]
    pub(crate) no_comments: bool,

    /// Write DIR/heapquarry.duckdb instead, a database with the views, by an installed DuckDB; replaces an earlier one
    #[arg(long, conflicts_with_all = ["schema", "no_comments"])]
    pub(crate) duckdb: bool,
}

/// A name of a schema that no database has by itself.
fn schema_name(text: &str) -> Result<String, String> {
    match text {
        "" => Err("expected a name".into()),
        "information_schema" | "pg_catalog" | "temp" | "system" => Err("the name is taken".into()),
        text if text.chars().any(char::is_control) => Err("expected a plain name".into()),
        text => Ok(text.into()),
    }
}

/// List or clear the cache of converted inputs
#[derive(Args, Debug)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) action: CacheAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CacheAction {
    /// List the converted inputs, the last used first
    List {
        /// Print a JSON array with one object per input
        #[arg(long)]
        json: bool,
    },
    /// Remove the converted inputs that no process uses
    Clear,
    /// Print the folder: HEAPQUARRY_CACHE_DIR, or else heapquarry in the user's folder for caches
    Path,
}

/// Describe the tables: columns, types, meanings
#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// Describe only this table
    pub(crate) table: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: SchemaFormat,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum SchemaFormat {
    #[default]
    Text,
    Json,
    Sql,
    Markdown,
}

/// The verb that was perhaps meant by the first argument, if that is neither a verb nor the name of a file.
pub(crate) fn meant(args: &[std::ffi::OsString]) -> Option<(String, String)> {
    use clap::CommandFactory;
    let first = args.get(1)?.to_str()?;
    let is_word = !first.is_empty() && first.chars().all(|c| c.is_ascii_lowercase());
    if !is_word || std::path::Path::new(first).exists() {
        return None;
    }
    let command = Cli::command();
    let verbs = command.get_subcommands().map(clap::Command::get_name).chain(["help"]);
    let verbs: Vec<&str> = verbs.collect();
    let near = heapquarry::report::near(first, verbs.iter().copied());
    let is_verb = verbs.contains(&first);
    near.first().filter(|_| !is_verb).map(|verb| (first.into(), (*verb).into()))
}

/// The arguments, with `convert` inserted if the verb is omitted.
pub(crate) fn with_verb(mut args: Vec<std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    use clap::CommandFactory;
    let Some(first) = args.get(1).and_then(|a| a.to_str().map(str::to_owned)) else {
        if args.len() > 1 {
            args.insert(1, "convert".into());
        }
        return args;
    };
    let command = Cli::command();
    let is_verb = first == "help" || command.get_subcommands().any(|c| c.get_name() == first);
    let is_global = ["-h", "--help", "-V", "--version"].contains(&first.as_str());
    if !is_verb && !is_global {
        args.insert(1, "convert".into());
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn sizes_and_permissions_are_read() {
        for (text, bytes) in
            [("0", 0), ("4096", 4096), ("20GB", 20_000_000_000), ("1.5 GiB", 3 << 29)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "x", "-1", "+5MB", "5%", "1 GB and 2 GB", "99999999999 TB"] {
            assert!(size(text).is_err(), "{text}");
        }
        for (text, expected) in [("700", Some(0o700)), ("0750", Some(0o750)), ("777", Some(0o777))]
        {
            assert_eq!(mode(text).ok(), expected, "{text}");
        }
        for text in ["", "600", "1777", "789", "rwx", "-700"] {
            assert!(mode(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_read() {
        assert_eq!([share("3%"), share("0.5 %"), share("0%")], [Ok(0.03), Ok(0.005), Ok(0.0)]);
        for text in ["", "3", "+3%", "3pp", "-1%", "3% and 5%"] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn misspelt_verbs_are_known() {
        let meant = |first: &str| meant(&["hq".into(), first.into()]).map(|(_, verb)| verb);
        for (first, verb) in [
            ("sumary", Some("summary")),
            ("covnert", Some("convert")),
            ("summary", None),
            ("help", None),
            ("a.json", None),
            ("-", None),
            ("--version", None),
            ("zzzzzzzzzz", None),
        ] {
            assert_eq!(meant(first).as_deref(), verb, "{first}");
        }
    }

    #[test]
    fn the_verb_may_be_omitted() {
        for (args, expected) in [
            (&["hq", "a.heapsnapshot"][..], &["hq", "convert", "a.heapsnapshot"][..]),
            (&["hq", "-"], &["hq", "convert", "-"]),
            (&["hq", "--names", "id", "a"], &["hq", "convert", "--names", "id", "a"]),
            (&["hq", "info", "a"], &["hq", "info", "a"]),
            (&["hq", "help"], &["hq", "help"]),
            (&["hq", "--version"], &["hq", "--version"]),
            (&["hq"], &["hq"]),
        ] {
            assert_eq!(with_verb(args.iter().map(Into::into).collect()), expected);
        }
    }
}
