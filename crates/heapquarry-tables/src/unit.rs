//! Units of columns.

/// Unit of a column's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// No number, but yes or no: 1 or 0.
    Flag,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
    /// Hundredths of a whole.
    Percent,
}

impl Unit {
    /// Its symbol, as pandas and Polars write units of time: `flag`, `bytes`, `s`, `ms`, `us`, `ns`, `percent`.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Flag => "flag",
            Unit::Bytes => "bytes",
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
            Unit::Nanoseconds => "ns",
            Unit::Percent => "percent",
        }
    }
}

/// Times that are more than a number of their unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Time {
    /// Points in time: they count from 1970, in UTC.
    Instant,
    /// Durations, of which -1 has no end.
    Open,
}

impl Time {
    /// Its name: `instant`, `open`.
    pub fn name(self) -> &'static str {
        match self {
            Time::Instant => "instant",
            Time::Open => "open",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Type, all};

    /// The words of a unit in the meaning of a column.
    fn words(unit: Unit) -> &'static [&'static str] {
        match unit {
            Unit::Flag => &["1 if "],
            Unit::Bytes => &["bytes", "Bytes"],
            Unit::Seconds => &["in seconds"],
            Unit::Milliseconds => &["milliseconds", "Milliseconds"],
            Unit::Microseconds => &["microseconds", "dur_us"],
            Unit::Nanoseconds => &["nanoseconds", "same clock"],
            Unit::Percent => &["percentage"],
        }
    }

    #[test]
    fn a_time_is_that_of_the_meaning() {
        for (table, column) in all().flat_map(|table| table.columns.iter().map(move |c| (table, c)))
        {
            let is_time = matches!(
                column.unit,
                Some(Unit::Seconds | Unit::Milliseconds | Unit::Microseconds | Unit::Nanoseconds)
            );
            let said = match () {
                () if is_time && column.doc.contains("since 1970") => Some(Time::Instant),
                () if is_time && column.doc.contains("-1") => Some(Time::Open),
                () => None,
            };
            assert_eq!(column.time, said, "{}.{}", table.name, column.name);
        }
    }

    #[test]
    fn a_unit_is_that_of_the_meaning_and_of_the_name() {
        for (table, column) in all().flat_map(|table| table.columns.iter().map(move |c| (table, c)))
        {
            let name = format!("{}.{}", table.name, column.name);
            let Some(unit) = column.unit else {
                let is_named = ["_us", "_ns", "_ms", "_bytes", "_percent"]
                    .iter()
                    .any(|end| name.ends_with(end));
                assert!(!is_named && !column.doc.starts_with("1 if "), "{name} has no unit");
                continue;
            };
            assert!(words(unit).iter().any(|word| column.doc.contains(word)), "{name}: {unit:?}");
            assert!(!matches!(column.ty, Type::Text | Type::Label | Type::Timestamp), "{name}");
            for (end, named) in [
                ("_us", Unit::Microseconds),
                ("_ns", Unit::Nanoseconds),
                ("_ms", Unit::Milliseconds),
            ] {
                assert!(!name.ends_with(end) || unit == named, "{name}: {unit:?}");
            }
        }
    }
}
