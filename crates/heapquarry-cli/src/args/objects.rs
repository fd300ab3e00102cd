//! Which objects a verb is asked about.

use clap::Args;

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
pub(super) fn id(text: &str) -> Result<i64, std::num::ParseIntError> {
    text.strip_prefix('@').unwrap_or(text).parse()
}
