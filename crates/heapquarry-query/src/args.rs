//! How options are read from a command line.

use clap::builder::TypedValueParser;
use heapquarry::Source;
pub(crate) use heapquarry_report::size;
use heapquarry_report::{Amount, Limit, Unit};

/// An id, with or without DevTools' prefix @.
pub(crate) fn id(text: &str) -> Result<i64, std::num::ParseIntError> {
    text.strip_prefix('@').unwrap_or(text).parse()
}

/// An input.
pub(crate) fn source() -> impl TypedValueParser<Value = Source> {
    clap::builder::OsStringValueParser::new().map(Source::from)
}

/// A share, as a part of 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let limit = Limit::parse(text, Unit::Share).map_err(|error| error.to_string())?;
    match limit.amounts[..] {
        [Amount::Max(share)] => Ok(share as f64 / 1e6),
        _ => Err("expected a share, such as 5%".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read() {
        assert_eq!([share("3%"), share("0.5 %"), share("0%")], [Ok(0.03), Ok(0.005), Ok(0.0)]);
        for text in ["", "3", "+3%", "3pp", "-1%", "3% and 5%"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
