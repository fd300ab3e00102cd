//! The verb `query`.

use super::work::Work;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Ask in SQL, with an installed DuckDB
///
/// A query can use every table of the inputs and every view over them by its name (`heapquarry schema`). Several inputs
/// are one set of tables with a further column, source. Inputs are converted once and kept in a cache. Heaps are
/// analysed if the query mentions a table or view of the analysis, such as heap_object. Without SQL, there is a prompt
/// in a terminal; otherwise SQL is read from standard input.
#[derive(Args, Debug)]
pub(crate) struct Query {
    /// Files or converted directories, and the query last: an argument with a blank in it that names no file
    #[arg(required = true, value_name = "INPUT… \"SQL\"")]
    pub(crate) inputs: Vec<std::ffi::OsString>,

    /// Read the query from this file
    #[arg(short, long, value_name = "FILE.sql")]
    pub(crate) file: Option<PathBuf>,

    /// Output format [default: by the name after --output, otherwise table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<QueryFormat>,

    /// Write the result to this file, which appears only when it is finished
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the file after --output
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// Rows to show in a terminal; the number of all rows stands below
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) limit: usize,

    /// Compute the analysis of heaps even if the query mentions none of its tables
    #[arg(long)]
    pub(crate) analyze: bool,

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
