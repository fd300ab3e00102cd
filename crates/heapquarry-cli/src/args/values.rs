//! Values of arguments.

use clap::builder::TypedValueParser;
use heapquarry::Source;
use std::num::NonZero;

pub(super) const INPUT_HELP: &str = "\
A file, plain or compressed (gzip, zstd, zlib, zip), - for standard input, or a directory that `heapquarry convert` wrote; INPUT#N selects document N (from 0), or CPU profile N of a trace (from 1)";

pub(super) fn source() -> impl TypedValueParser<Value = Source> {
    clap::builder::OsStringValueParser::new().map(Source::from)
}

/// A number of bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    use heapquarry::report::{Amount, Limit, Unit};
    let limit = Limit::parse(text, Unit::Bytes).map_err(|error| error.to_string())?;
    match limit.amounts[..] {
        [Amount::Max(bytes)] => Ok(bytes.unsigned_abs()),
        _ => Err("expected a number of bytes, such as 20GB".into()),
    }
}

/// A number of things that cannot be 0.
pub(super) fn at_least_one(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in
            [("0", 0), ("4096", 4096), ("20GB", 20_000_000_000), ("1.5 GiB", 3 << 29)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "x", "-1", "+5MB", "5%", "1 GB and 2 GB", "99999999999 TB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
