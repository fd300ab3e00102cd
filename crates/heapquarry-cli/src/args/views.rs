//! The verb `views`.

use clap::Args;
use std::path::PathBuf;

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

    /// Write DIR/heapquarry.duckdb instead, a database with the views, by an installed DuckDB; replaces an earlier one
    #[arg(long, conflicts_with = "schema")]
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
