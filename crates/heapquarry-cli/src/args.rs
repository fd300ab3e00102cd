//! The command line. Help, completions and the man page all come from here.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, builder::styling, value_parser};
use heapquarry::{Compression, Encodings, Layout, Source};
use std::{num::NonZero, path::PathBuf};

const STYLES: styling::Styles = styling::Styles::styled()
    .header(styling::Style::new().bold())
    .usage(styling::Style::new().bold())
    .literal(styling::Style::new().bold());

const EXAMPLES: &str = "\
Examples:
  heapquarry app.heapsnapshot                  write app.tables/, one Parquet file per table
  heapquarry convert *.heapsnapshot -o all     many snapshots in one set of tables
  heapquarry trace.json.gz                     every event of a trace, and what they mean
  zcat heap.gz | heapquarry convert - -o heap  from standard input (packed input is unpacked anyway)
  heapquarry info app.heapsnapshot             what is in it, without converting
  heapquarry extract app.htrace -o heaps       the heaps and profiles in it as plain files
  heapquarry summary app.heapsnapshot          what is in this heap, profile or trace
  heapquarry diff before.heapsnapshot after.heapsnapshot   what grew; of profiles, what got slower
  heapquarry why app.heapsnapshot --class Session          what keeps it alive
  heapquarry check app.heapsnapshot --budget heap.toml     for CI
  heapquarry schema js_heap_nodes              what the columns mean
  duckdb -c \"SELECT type, count(*), sum(self_size) FROM 'app.tables/js_heap_nodes.parquet' GROUP BY 1\"

Exit codes:
  0  done; what was damaged but could be worked around is in the table import_log
  1  a limit was exceeded (check, diff --fail-on)
  2  not done: wrong usage, bad input, input or output error; no output directory is left
  130  interrupted; no output directory is left";

/// Heap snapshots, profiles and traces of any size to Parquet tables, for DuckDB, pandas and Spark, and their leaks in the terminal and in CI.
///
/// Takes .heapsnapshot and .heaptimeline files as V8 (Chrome, Node, Deno, Electron), Hermes, Bun, Julia and ArkTS
/// write them, .cpuprofile and .heapprofile files of all ages, traces of the JS Self-Profiling API, traces in the Trace
/// Event Format and ftrace's text, OpenHarmony's .htrace containers and files of DevTools messages, plain, gzip, zstd,
/// zlib or zip, recognised by content. The verb `convert` may be left out.
#[derive(Parser, Debug)]
#[command(name = "heapquarry", version, after_help = EXAMPLES, styles = STYLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    Convert(Convert),
    Info(Info),
    Summary(Summary),
    Why(Why),
    Diff(Diff),
    Check(Check),
    Export(Export),
    Extract(Extract),
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
/// The directory appears whole or not at all. It holds one file per table, _manifest.json, and views.sql for DuckDB.
#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// Files to convert, of any known format, plain or packed (gzip, zstd); - for standard input
    #[arg(required = true, value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// Directory to write [default: the first input's name with .tables for its extension]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the directory if it is there and holds nothing but what heapquarry wrote
    #[arg(long)]
    pub(crate) force: bool,

    /// Permissions of the directory, in octal as for chmod [default: those of the directory that is replaced, else 700]
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) mode: Option<u32>,

    /// Write only these tables, besides source and import_log
    #[arg(long, value_name = "TABLE", value_delimiter = ',')]
    pub(crate) tables: Vec<String>,

    /// Write only these columns of the tables they name, as TABLE.COLUMN; unwanted columns are not decoded
    #[arg(long, value_delimiter = ',', value_name = "COLUMN")]
    pub(crate) columns: Vec<String>,

    /// Names of nodes and edges as text, or only as numbers of js_heap_string (faster, smaller)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) names: Names,

    /// Add what Chrome DevTools computes: distances, retained sizes, dominators, classes, statistics
    #[arg(long)]
    pub(crate) analyze: bool,

    /// Fail if anything in the input could not be kept
    #[arg(long)]
    pub(crate) strict: bool,

    /// zstd[:LEVEL], snappy, lz4 or none
    #[arg(long, default_value_t, value_name = "CODEC")]
    pub(crate) compression: Compression,

    /// universal: every reader knows them; modern: smaller, but DuckDB before 2.0 refuses them
    #[arg(long, default_value_t, value_name = "SET")]
    pub(crate) encodings: Encodings,

    /// flat: DIR/TABLE.parquet; hive: DIR/TABLE/source=NAME/part-0.parquet
    #[arg(long, default_value_t, value_name = "LAYOUT")]
    pub(crate) layout: Layout,

    /// Rows of a row group; each worker holds one in memory, about 100 bytes a row
    #[arg(long, value_name = "N", default_value_t = 131_072, value_parser = value_parser!(u32).range(1..=16_777_216))]
    pub(crate) row_group_rows: u32,

    /// Worker threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZero<usize>>,

    /// Bytes read at a time, for tests: the output does not depend on it
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(crate) read_window: Option<NonZero<usize>>,

    /// Print errors and warnings only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Names {
    #[default]
    Text,
    Id,
}

/// Say what is in inputs, writing nothing: format, producer, sections, counts, sizes
#[derive(Args, Debug)]
pub(crate) struct Info {
    /// Files to look at; - for standard input
    #[arg(required = true, value_name = "INPUT", value_parser = source())]
    pub(crate) inputs: Vec<Source>,

    /// Print a JSON array, one object for each input
    #[arg(long)]
    pub(crate) json: bool,
}

const INPUT_HELP: &str = "\
A file, plain or packed (gzip, zstd, zip), or a directory that `heapquarry convert` wrote; of several documents in it INPUT#2 is the one of that number, counted from 0, and of one trace INPUT#1 the first CPU profile in it";

/// Say what is in a heap, profile or trace
///
/// Of a heap sizes by category, classes, biggest retainers, duplicate strings, detached nodes; of a CPU profile, a sampling heap
/// profile or self-profiling traces functions by what they take themselves and with all that they call, and scripts;
/// of a trace processes, threads, slices and asynchronous operations by name, counters, and what was repaired.
#[derive(Args, Debug)]
pub(crate) struct Summary {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    /// Rows of each table; JSON has all classes, functions, scripts and what is in traces
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// Say what keeps objects alive: the shortest paths of references from a root
#[derive(Args, Debug)]
pub(crate) struct Why {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    #[command(flatten)]
    pub(crate) of: WhyOf,

    /// Objects of the class, the biggest first, or paths of the node
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) print: Print,

    #[command(flatten)]
    pub(crate) work: Work,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct WhyOf {
    /// The object of this id, as DevTools and the tables show it
    #[arg(long, value_name = "ID", value_parser = id)]
    pub(crate) node: Option<i64>,

    /// Objects of this class; * stands for anything
    #[arg(long, value_name = "NAME")]
    pub(crate) class: Option<String>,
}

/// An id, with or without the @ that DevTools puts before it.
fn id(text: &str) -> Result<i64, std::num::ParseIntError> {
    text.strip_prefix('@').unwrap_or(text).parse()
}

/// Say what grew between snapshots of one process, or between profiles
///
/// Compares the last with the first. Of snapshots class by class as DevTools does, and object by object; classes that grew from
/// each snapshot to the next, of three or more, are suspected leaks. Of profiles function by function.
#[derive(Args, Debug)]
pub(crate) struct Diff {
    #[arg(value_name = "BASE", value_parser = source(), help = INPUT_HELP)]
    pub(crate) base: Source,

    /// The snapshots or profiles after it, in the order of time
    #[arg(required = true, value_name = "CURRENT", value_parser = source())]
    pub(crate) current: Vec<Source>,

    /// Exit with 1 if this holds, as `retained>+5%`, `class[Session].count>+10 and +1%` or `function[render].self_share>+2pp`; several
    /// may be given
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_on: Vec<String>,

    /// Write the differences as Parquet tables into this directory
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the directory if it is there and was written by heapquarry
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// Rows of each table; JSON has all classes or functions
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) print: PrintChecks,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// Hold an input against a budget: exit code 1 and a table of what is over its limit, else 0
#[derive(Args, Debug)]
pub(crate) struct Check {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    /// The limits, a TOML file
    #[arg(long, value_name = "FILE")]
    pub(crate) budget: PathBuf,

    /// What growth is measured against; without it limits to growth are skipped, and said to be
    #[arg(long, value_name = "BASE", value_parser = source())]
    pub(crate) baseline: Option<Source>,

    #[command(flatten)]
    pub(crate) print: PrintChecks,

    #[command(flatten)]
    pub(crate) work: Work,
}

/// How reports are printed.
#[derive(Args, Debug)]
pub(crate) struct Print {
    /// How to print it
    #[arg(long, value_parser = forms(&["text", "json", "markdown"]), default_value = "text")]
    pub(crate) format: Form,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// How reports with checks are printed.
#[derive(Args, Debug)]
pub(crate) struct PrintChecks {
    /// How to print it; github: annotations, and Markdown to the file named by GITHUB_STEP_SUMMARY
    #[arg(long, value_parser = forms(&["text", "json", "markdown", "junit", "github"]), default_value = "text")]
    pub(crate) format: Form,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// A form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
    Markdown,
    Junit,
    Github,
}

fn forms(names: &'static [&'static str]) -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(names).map(|name| match name.as_str() {
        "json" => Form::Json,
        "markdown" => Form::Markdown,
        "junit" => Form::Junit,
        "github" => Form::Github,
        _ => Form::Text,
    })
}

/// How the work is done.
#[derive(Args, Debug)]
pub(crate) struct Work {
    /// Worker threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZero<usize>>,

    /// No progress bar
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

/// Write a profile for a viewer, to standard output
#[derive(Args, Debug)]
pub(crate) struct Export {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    /// collapsed: stacks for flamegraph.pl and inferno; speedscope: for speedscope.app; pprof: for go tool pprof and services that
    /// take its files
    #[arg(long, value_enum, value_name = "VIEWER")]
    pub(crate) to: Viewer,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Viewer {
    Collapsed,
    Speedscope,
    Pprof,
}

/// Take the documents out of a container, byte for byte: .heapsnapshot, .heaptimeline, .cpuprofile files
///
/// The container is an .htrace file, a file of DevTools messages, or a zip archive. Prints the names of the files.
#[derive(Args, Debug)]
pub(crate) struct Extract {
    /// The container, packed or not; INPUT#2 is the document of that number, counted from 0
    #[arg(value_name = "INPUT", value_parser = source())]
    pub(crate) input: Source,

    /// Directory to write the files into
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Print the tables with their columns, types and meanings
#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// Only this table
    pub(crate) table: Option<String>,

    /// How to print them
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

/// The arguments with the verb `convert` put in where it was left out.
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
    fn the_verb_may_be_left_out() {
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
