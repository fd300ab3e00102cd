//! Values of arguments.

use clap::builder::TypedValueParser;
use heapquarry::Source;
pub(super) use heapquarry::report::size;
use std::num::NonZero;

pub(super) const INPUT_HELP: &str = "\
A file, plain or compressed (gzip, zstd, zlib, zip, tar), - for standard input, or a directory that `heapquarry convert` wrote; INPUT#N selects document N (from 0), or CPU profile N of a trace (from 1)";

pub(super) fn source() -> impl TypedValueParser<Value = Source> {
    clap::builder::OsStringValueParser::new().map(Source::from)
}

/// A number of things that cannot be 0.
pub(super) fn at_least_one(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".into())
}
