//! The verb `convert`.

use super::{
    values::{size, source},
    work::{Private, Reading},
};
use clap::{Args, ValueEnum, value_parser};
use heapquarry::{Compression, Encodings, Layout, Source};
use std::{ffi::OsString, num::NonZero, path::PathBuf};

/// Convert inputs to a directory of Parquet files
///
/// The directory appears only when it is finished. It has one file per table, _manifest.json, and views.sql for DuckDB.
#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// Files to convert, of any supported format, plain or compressed (gzip, zstd, zlib, zip, tar); - for standard
    /// input; INPUT#N selects document N (from 0)
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

    /// Write only these tables (and always source and import_log); separated by commas, or repeated
    #[arg(long, value_name = "TABLE", value_delimiter = ',')]
    pub(crate) tables: Vec<String>,

    /// Write only these columns, as TABLE.COLUMN, separated by commas or repeated; the other columns of their tables
    /// are not decoded
    #[arg(long, value_delimiter = ',', value_name = "COLUMN")]
    pub(crate) columns: Vec<String>,

    /// Write names of nodes and edges as text, or only as js_heap_string indices (faster, smaller)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) names: Names,

    /// Also compute what Chrome DevTools shows: distances, retained sizes, dominators, classes, statistics
    #[arg(long)]
    pub(crate) analyze: bool,

    /// Fail if anything in the input is lost, or can only be guessed
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

    #[command(flatten)]
    pub(crate) reading: Reading,

    #[command(flatten)]
    pub(crate) private: Private,

    /// Refuse what needs more memory by an estimate, such as 8GB [default: the limit of the container]
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
    /// Convert many inputs: all files below a folder, a path with * for any text, or a list with one path on each line
    /// (- for standard input). Each has its files, DIR/TABLE/source=NAME/part-0.parquet. A run skips inputs that
    /// earlier runs have converted, so it can be killed and started again. An input that cannot be read does not stop
    /// the others
    #[arg(
        long,
        help_heading = BATCHES,
        value_name = "LIST|PREFIX",
        requires = "output",
        conflicts_with_all = ["inputs", "force", "layout", "source_map"]
    )]
    pub(crate) batch: Option<OsString>,

    /// Tables to write of each input. summary: totals, classes, sizes by category, duplicate strings and suspects of
    /// heaps, functions of profiles; all: all tables; or names of tables, as for --tables
    #[arg(
        long,
        help_heading = BATCHES,
        value_name = "summary|all|TABLES",
        requires = "batch",
        default_value = "all",
        conflicts_with = "tables"
    )]
    pub(crate) keep: String,

    /// Label for all inputs of this run: a folder KEY=VALUE in the path of each table, which query engines read as a
    /// column; can be repeated
    #[arg(long = "label", help_heading = BATCHES, value_name = "KEY=VALUE", requires = "batch", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,

    /// Inputs that are converted at the same time, at most 8 per core [default: one per core]
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

/// Permissions of a directory, without which its owner could not write it.
pub(super) fn mode(text: &str) -> Result<u32, String> {
    const OWNER: u32 = 0o700;
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 && mode & OWNER == OWNER => Ok(mode),
        _ => Err("expected 700 to 777 in octal, as for chmod".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_read() {
        for (text, expected) in [("700", Some(0o700)), ("0750", Some(0o750)), ("777", Some(0o777))]
        {
            assert_eq!(mode(text).ok(), expected, "{text}");
        }
        for text in ["", "600", "1777", "789", "rwx", "-700"] {
            assert!(mode(text).is_err(), "{text}");
        }
    }
}
