//! The verb `schema`.

use clap::{Args, ValueEnum};

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
