//! Units of numbers, and how people read and write them.

use std::fmt;

/// Unit of a number. Numbers are always integers: a [share](Unit::Share) is in ten-thousandths of a percent, and
/// any other number in [thousandths](Unit::Thousandths).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// An id: `@1234`.
    Id,
    /// An id that is shown as a bare number, such as a process id: `1234`.
    Plain,
    /// A count: `12,345`.
    Count,
    /// Bytes: `1.5 MB`, in powers of 1000 as DevTools shows them.
    Bytes,
    /// Bytes per hour: `1.5 MB/h`.
    BytesPerHour,
    /// Microseconds: `1.5 ms`.
    Micros,
    /// Nanoseconds: `1.5 us`.
    Nanos,
    /// A share of a whole, in ten-thousandths of a percent: `12.5 %`.
    Share,
    /// Change of a share, in ten-thousandths of a percentage point: `+2.1 pp`.
    Points,
    /// Any number, in thousandths: `0.25`.
    Thousandths,
}

/// Ten-thousandths of a percent in one percent.
pub(crate) const PER_PERCENT: i64 = 10_000;

/// The share by which something has grown that was 0 before: more than any.
pub const FROM_NOTHING: i64 = i64::MAX;

/// Largest first: the first that fits is printed.
pub(crate) const BYTES: &[(&str, i64)] = &[
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("kB", 1_000),
    ("KiB", 1 << 10),
    ("B", 1),
];
/// The units of bytes, in an hour.
pub(crate) const BYTES_PER_HOUR: &[(&str, i64)] = &[
    ("TB/h", 1_000_000_000_000),
    ("TiB/h", 1 << 40),
    ("GB/h", 1_000_000_000),
    ("GiB/h", 1 << 30),
    ("MB/h", 1_000_000),
    ("MiB/h", 1 << 20),
    ("kB/h", 1_000),
    ("KiB/h", 1 << 10),
    ("B/h", 1),
];
pub(crate) const MICROS: &[(&str, i64)] =
    &[("min", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1)];
pub(crate) const NANOS: &[(&str, i64)] =
    &[("min", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
pub(crate) const SHARE: &[(&str, i64)] = &[("%", PER_PERCENT)];

impl Unit {
    /// Units that may follow a number, and their factors.
    pub(crate) fn words(self) -> &'static [(&'static str, i64)] {
        match self {
            Unit::Id | Unit::Plain | Unit::Count | Unit::Points | Unit::Thousandths => &[],
            Unit::Bytes => BYTES,
            Unit::BytesPerHour => BYTES_PER_HOUR,
            Unit::Micros => MICROS,
            Unit::Nanos => NANOS,
            Unit::Share => SHARE,
        }
    }

    /// A word for the unit: of numbers that are written as they are measured, shares in percent.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Id | Unit::Plain | Unit::Thousandths => "number",
            Unit::Count => "count",
            Unit::Bytes => "bytes",
            Unit::BytesPerHour => "bytes per hour",
            Unit::Micros => "us",
            Unit::Nanos => "ns",
            Unit::Share | Unit::Points => "percent",
        }
    }

    /// The unit of a difference of two such numbers: that of shares is percentage points.
    pub fn of_change(self) -> Unit {
        match self {
            Unit::Share => Unit::Points,
            unit => unit,
        }
    }

    /// The number for people to read, rounded to three or four digits where that is shorter.
    pub fn format(self, value: i64) -> impl fmt::Display {
        Formatted { unit: self, value, sign: false }
    }

    /// The number for people to read, with its sign, for a change.
    pub fn format_change(self, value: i64) -> impl fmt::Display {
        Formatted { unit: self, value, sign: true }
    }
}

struct Formatted {
    unit: Unit,
    value: i64,
    sign: bool,
}

impl fmt::Display for Formatted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.value {
            0 => "",
            1.. if self.sign => "+",
            1.. => "",
            _ => "-",
        };
        let n = self.value.unsigned_abs();
        match self.unit {
            Unit::Id => write!(f, "@{sign}{n}"),
            Unit::Plain => write!(f, "{sign}{n}"),
            Unit::Count => write!(f, "{sign}{}", grouped(n)),
            Unit::Bytes => scaled(f, sign, n, &[("TB", 12), ("GB", 9), ("MB", 6), ("kB", 3)], "B"),
            Unit::BytesPerHour => write!(f, "{}/h", Formatted { unit: Unit::Bytes, ..*self }),
            Unit::Micros => scaled(f, sign, n, &[("s", 6), ("ms", 3)], "us"),
            Unit::Nanos => scaled(f, sign, n, &[("s", 9), ("ms", 6), ("us", 3)], "ns"),
            Unit::Share | Unit::Points if self.value == FROM_NOTHING => f.write_str("from 0"),
            Unit::Share | Unit::Points => {
                // Small shares keep one more digit.
                let digits = if n < PER_PERCENT as u64 { 2 } else { 1 };
                let word = if self.unit == Unit::Points { "pp" } else { "%" };
                write!(f, "{sign}{:.digits$} {word}", n as f64 / PER_PERCENT as f64)
            }
            Unit::Thousandths => write!(f, "{sign}{}{}", grouped(n / 1000), fraction(n, 3)),
        }
    }
}

/// Prints it in the largest unit that leaves at least one digit before the point, with one digit after it.
fn scaled(
    f: &mut fmt::Formatter<'_>,
    sign: &str,
    n: u64,
    steps: &[(&str, u32)],
    smallest: &str,
) -> fmt::Result {
    for (word, power) in steps {
        let unit = 10u64.pow(*power);
        // 999,950 B would be rounded to 1000.0 kB.
        if n >= unit - unit / 20_000 {
            return write!(f, "{sign}{:.1} {word}", n as f64 / unit as f64);
        }
    }
    write!(f, "{sign}{n} {smallest}")
}

/// The last digits of a number as what follows the point; nothing if they are zeros.
pub(crate) fn fraction(n: u64, digits: u32) -> String {
    let part = n % 10u64.pow(digits);
    let text = format!(".{part:0width$}", width = digits as usize);
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// A number with a comma after every three digits, as in all reports: `12,345`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        for (unit, value, plain, change) in [
            (Unit::Count, 0, "0", "0"),
            (Unit::Count, 999, "999", "+999"),
            (Unit::Count, -1234567, "-1,234,567", "-1,234,567"),
            (Unit::Bytes, 0, "0 B", "0 B"),
            (Unit::Bytes, 999, "999 B", "+999 B"),
            (Unit::Bytes, 1000, "1.0 kB", "+1.0 kB"),
            (Unit::Bytes, 999_949, "999.9 kB", "+999.9 kB"),
            (Unit::Bytes, 999_950, "1.0 MB", "+1.0 MB"),
            (Unit::Bytes, -4_500_000_000, "-4.5 GB", "-4.5 GB"),
            (Unit::Bytes, i64::MIN, "-9223372.0 TB", "-9223372.0 TB"),
            (Unit::BytesPerHour, 1_500_000, "1.5 MB/h", "+1.5 MB/h"),
            (Unit::BytesPerHour, -20, "-20 B/h", "-20 B/h"),
            (Unit::Micros, 12, "12 us", "+12 us"),
            (Unit::Micros, 1_500, "1.5 ms", "+1.5 ms"),
            (Unit::Micros, 61_000_000, "61.0 s", "+61.0 s"),
            (Unit::Nanos, 999, "999 ns", "+999 ns"),
            (Unit::Nanos, 999_960, "1.0 ms", "+1.0 ms"),
            (Unit::Nanos, -61_000_000_000, "-61.0 s", "-61.0 s"),
            (Unit::Plain, 1234567, "1234567", "+1234567"),
            (Unit::Share, 0, "0.00 %", "0.00 %"),
            (Unit::Share, FROM_NOTHING, "from 0", "from 0"),
            (Unit::Share, 500, "0.05 %", "+0.05 %"),
            (Unit::Share, 125_000, "12.5 %", "+12.5 %"),
            (Unit::Thousandths, 1_234_050, "1,234.05", "+1,234.05"),
            (Unit::Thousandths, -250, "-0.25", "-0.25"),
            (Unit::Thousandths, 2000, "2", "+2"),
            (Unit::Points, 21_000, "2.1 pp", "+2.1 pp"),
            (Unit::Id, 77, "@77", "@+77"),
        ] {
            assert_eq!(unit.format(value).to_string(), plain);
            assert_eq!(unit.format_change(value).to_string(), change);
        }
    }
}
