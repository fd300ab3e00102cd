//! How options are read from a command line.

use clap::builder::TypedValueParser;
use heapquarry::Source;

/// An id, with or without DevTools' prefix @.
pub(crate) fn id(text: &str) -> Result<i64, std::num::ParseIntError> {
    text.strip_prefix('@').unwrap_or(text).parse()
}

/// An input.
pub(crate) fn source() -> impl TypedValueParser<Value = Source> {
    clap::builder::OsStringValueParser::new().map(Source::from)
}
