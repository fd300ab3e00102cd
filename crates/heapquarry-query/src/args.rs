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

/// A time in seconds: `90s`, `500ms`, `10min`, `2h`.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let expected = || "expected a time, such as 90s, 500ms, 10min or 2h".to_owned();
    let at = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(expected)?;
    let (number, unit) = text.split_at(at);
    let number: f64 = number.trim().parse().map_err(|_| expected())?;
    let unit = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    // Up to a year: no time of ours overflows.
    Some(number * unit).filter(|time| (0.0..=365.0 * 86_400.0).contains(time)).ok_or_else(expected)
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

    #[test]
    fn times_have_units() {
        for (text, expected) in [
            ("90s", Some(90.0)),
            ("500ms", Some(0.5)),
            ("1.5 h", Some(5400.0)),
            ("2m", Some(120.0)),
            ("10min", Some(600.0)),
            ("0s", Some(0.0)),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("infs", None),
            ("9999999h", None),
        ] {
            assert_eq!(seconds(text).ok(), expected, "{text}");
        }
    }
}
