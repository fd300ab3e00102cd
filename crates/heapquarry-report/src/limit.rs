//! Limits in budgets and expressions:
//!
//! ```text
//! limit  = amount { "and" [">"] amount }        exceeded if all its amounts are
//! amount = number [unit]                        the most there may be
//!        | "+" number [unit]                    the most it may grow over the baseline
//!        | "+" number "%"                       the same, in percent of the baseline
//! ```
//!
//! Units: `B kB MB GB TB`, `KiB MiB GiB TiB` (a plain number is bytes), the same with `/h` for bytes per hour, `us ms s
//! min`, `%`; growth of a share is in percentage points, `pp`.

use crate::{
    Unit, near,
    unit::{PER_PERCENT, fraction},
};
use std::fmt;

/// A limit. It is exceeded if all amounts are: `+5% and +64 KiB` lets small subjects double.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Unit of its numbers.
    pub unit: Unit,
    /// At least one.
    pub amounts: Vec<Amount>,
}

/// A part of a limit. Numbers are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The maximum value.
    Max(i64),
    /// The maximum growth over the baseline.
    Growth(i64),
    /// The maximum growth in ten-thousandths of a percent of the baseline.
    GrowthShare(i64),
}

/// Reads a number of bytes: `20GB`, `1.5 GiB`, `4096`.
///
/// # Errors
/// If it is none, in words.
pub fn size(text: &str) -> Result<u64, String> {
    let limit = Limit::parse(text, Unit::Bytes).map_err(|error| error.to_string())?;
    match limit.amounts[..] {
        [Amount::Max(bytes)] => Ok(bytes.unsigned_abs()),
        _ => Err("expected a number of bytes, such as 20GB".into()),
    }
}

impl Limit {
    /// Reads a limit.
    ///
    /// # Errors
    /// If it is invalid, or has the wrong unit.
    pub fn parse(text: &str, unit: Unit) -> Result<Self, SyntaxError> {
        Self::parse_rest(&mut Scanner::new(text), unit)
    }

    /// Reads a limit up to the end of the text.
    pub(crate) fn parse_rest(scanner: &mut Scanner<'_>, unit: Unit) -> Result<Self, SyntaxError> {
        let mut amounts = Vec::new();
        loop {
            amounts.push(Amount::parse(scanner, unit)?);
            if scanner.at_end() {
                return Ok(Limit { unit, amounts });
            }
            if scanner.word() != "and" {
                return Err(scanner.back().expected("\"and\" or the end"));
            }
            scanner.eat('>');
        }
    }

    /// What it demands: `is at most 200 MB`, `grows by at most 5% or 64 KiB`.
    pub(crate) fn requirement(&self) -> String {
        let mut text = String::new();
        let mut was_growth = false;
        for (i, amount) in self.amounts.iter().enumerate() {
            let is_growth = !matches!(amount, Amount::Max(_));
            let one = Limit { unit: self.unit, amounts: vec![*amount] }.to_string();
            // All amounts must be exceeded: one that is kept is enough.
            let joint = if i == 0 { "" } else { " or " };
            match (is_growth, i > 0 && was_growth == is_growth) {
                (_, true) => text += &format!("{joint}{}", one.trim_start_matches('+')),
                (true, false) => {
                    text += &format!("{joint}grows by at most {}", one.trim_start_matches('+'));
                }
                (false, false) => text += &format!("{joint}is at most {one}"),
            }
            was_growth = is_growth;
        }
        text
    }

    /// How much more there may be before it is exceeded; negative by how much it is. Without a baseline there is no
    /// growth.
    pub fn room(&self, actual: i64, base: Option<i64>, noise: i64) -> i64 {
        let grown = base.map_or(0, |base| i128::from(actual) - i128::from(base));
        let rooms = self.amounts.iter().map(|amount| match *amount {
            Amount::Max(most) => i128::from(most) - i128::from(actual),
            Amount::Growth(most) => i128::from(most.max(noise)) - grown,
            Amount::GrowthShare(share) => {
                let allowed = i128::from(base.unwrap_or(0)) * i128::from(share);
                (allowed / i128::from(100 * PER_PERCENT)).max(i128::from(noise)) - grown
            }
        });
        // All amounts must be exceeded.
        let room = rooms.max().unwrap_or(0);
        i64::try_from(room).unwrap_or(if room < 0 { i64::MIN } else { i64::MAX })
    }

    /// Whether it limits growth, so that a baseline is needed.
    pub fn needs_baseline(&self) -> bool {
        self.amounts.iter().any(|amount| !matches!(amount, Amount::Max(_)))
    }

    /// Whether a number exceeds it. Growth up to `noise` is ignored. Without a baseline there is no growth.
    pub fn is_exceeded(&self, actual: i64, base: Option<i64>, noise: i64) -> bool {
        self.amounts.iter().all(|amount| {
            let grown = base.map_or(0, |base| i128::from(actual) - i128::from(base));
            let loud = grown > i128::from(noise);
            match *amount {
                Amount::Max(most) => actual > most,
                Amount::Growth(most) => loud && grown > i128::from(most),
                // grown / base > share / 1,000,000; growth from 0 exceeds any share
                Amount::GrowthShare(share) => {
                    let allowed = i128::from(base.unwrap_or(0)) * i128::from(share);
                    loud && grown * i128::from(100 * PER_PERCENT) > allowed
                }
            }
        })
    }
}

impl Amount {
    fn parse(scanner: &mut Scanner<'_>, unit: Unit) -> Result<Self, SyntaxError> {
        let growth = scanner.eat('+');
        let number = scanner.number()?;
        let mut word = scanner.unit();
        if word == "and" {
            scanner.back();
            word = "";
        }
        let too_large = |scanner: &Scanner<'_>| scanner.expected("a number below 2^63");
        let scale =
            |by: i64, scanner: &Scanner<'_>| number.times(by).ok_or_else(|| too_large(scanner));
        if growth && word == "%" {
            return scale(PER_PERCENT, scanner).map(Amount::GrowthShare);
        }
        let value = match (word, unit) {
            ("pp", Unit::Share) if growth => scale(PER_PERCENT, scanner)?,
            ("", Unit::Thousandths) => scale(1000, scanner)?,
            // Half of the readers would take growth of a share in percent for points, so it was read above.
            ("", Unit::Count | Unit::Id | Unit::Plain | Unit::Bytes) if number.is_whole() => {
                scale(1, scanner)?
            }
            ("", Unit::Bytes | Unit::BytesPerHour | Unit::Micros | Unit::Nanos | Unit::Share) => {
                return Err(scanner.expected(&units(unit, growth)));
            }
            _ => {
                let known = unit.words().iter().find(|(w, _)| w.eq_ignore_ascii_case(word));
                match known {
                    Some(_) if growth && unit == Unit::Share => unreachable!("taken above"),
                    Some((_, by)) => scale(*by, scanner)?,
                    None => return Err(scanner.back().expected(&units(unit, growth))),
                }
            }
        };
        Ok(if growth { Amount::Growth(value) } else { Amount::Max(value) })
    }
}

/// The units that are expected.
fn units(unit: Unit, growth: bool) -> String {
    let mut words: Vec<&str> = unit.words().iter().rev().map(|(word, _)| *word).collect();
    if growth {
        if unit == Unit::Share {
            words = vec!["pp"];
        }
        words.push("%");
        words.dedup();
    }
    match &words[..] {
        [] if unit == Unit::Thousandths => "a number".into(),
        [] => "a whole number".into(),
        [words @ .., last] if !words.is_empty() => {
            format!("a unit ({} or {last})", words.join(", "))
        }
        _ => format!("a unit ({})", words.join("")),
    }
}

/// The text of a limit, in the largest unit that needs no fraction, or fewer digits with one. Parsing it gives the
/// limit back.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, amount) in self.amounts.iter().enumerate() {
            if i > 0 {
                f.write_str(" and ")?;
            }
            match *amount {
                Amount::Max(n) => write_number(f, n, self.unit, "%")?,
                Amount::Growth(n) => {
                    f.write_str("+")?;
                    write_number(f, n, self.unit, "pp")?;
                }
                Amount::GrowthShare(n) => {
                    f.write_str("+")?;
                    write_number(f, n, Unit::Share, "%")?;
                }
            }
        }
        Ok(())
    }
}

fn write_number(f: &mut fmt::Formatter<'_>, n: i64, unit: Unit, share: &str) -> fmt::Result {
    if unit == Unit::Share {
        return write!(f, "{}{}{share}", n / PER_PERCENT, fraction(n.unsigned_abs(), 4));
    }
    if unit == Unit::Thousandths {
        return write!(f, "{}{}", n / 1000, fraction(n.unsigned_abs(), 3));
    }
    let whole = unit.words().iter().find(|(_, by)| n != 0 && n % by == 0);
    match whole {
        // Shorter where it loses nothing: `3.7 MB` instead of `3700 kB`.
        Some((_, by)) if n / by >= 1000 && is_exact(&short(n, unit), n, unit) => {
            f.write_str(&short(n, unit))
        }
        Some((word, by)) => write!(f, "{} {word}", n / by),
        None => match unit.words().last() {
            Some((word, _)) => write!(f, "{n} {word}"),
            None => write!(f, "{n}"),
        },
    }
}

/// The number as reports show it.
fn short(n: i64, unit: Unit) -> String {
    unit.format(n).to_string().replacen(".0 ", " ", 1)
}

/// Whether this text is that number.
fn is_exact(text: &str, n: i64, unit: Unit) -> bool {
    Limit::parse(text, unit).is_ok_and(|of| of.amounts == [Amount::Max(n)])
}

/// A decimal number: digits, and the number of digits after the point.
struct Number {
    digits: i128,
    after_point: u32,
}

impl Number {
    fn is_whole(&self) -> bool {
        self.digits % 10i128.pow(self.after_point) == 0
    }

    /// The product, rounded; `None` if it does not fit.
    fn times(&self, by: i64) -> Option<i64> {
        let divisor = 10i128.pow(self.after_point);
        let product = self.digits.checked_mul(i128::from(by))?;
        i64::try_from((product + divisor / 2) / divisor).ok()
    }
}

/// Where and why a limit or rule is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The text.
    pub text: String,
    /// Byte offset in it.
    pub at: usize,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// Names that were perhaps meant.
    pub near: Vec<String>,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyntaxError { text, at, expected, found, near } = self;
        let column = text[..*at].chars().count() + 1;
        write!(f, "invalid limit ({text:?}, column {column}): expected {expected}, found {found}")?;
        f.write_str(&meant(near))
    }
}

impl std::error::Error for SyntaxError {}

/// What follows a message, if these names were perhaps meant.
pub(crate) fn meant(near: &[impl AsRef<str>]) -> String {
    let near: Vec<&str> = near.iter().map(AsRef::as_ref).collect();
    match near[..] {
        [] => String::new(),
        _ => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// Scans words, numbers and signs of a text, and skips blanks between them.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Start of the last token.
    last: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Scanner { text, at: 0, last: 0 }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.last = self.at;
    }

    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.at += len;
        taken
    }

    pub(crate) fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    pub(crate) fn eat(&mut self, sign: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(sign);
        if found {
            self.take(sign.len_utf8());
        }
        found
    }

    /// Letters, `_` and, behind them, digits, or `%`; empty if something else follows.
    pub(crate) fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let is_letter = |c: char| c.is_alphabetic() || c == '_';
        let is_later = |c: char| is_letter(c) || c.is_ascii_digit();
        let len = rest.find(|c| !is_later(c)).unwrap_or(rest.len());
        let len = if rest.starts_with(is_letter) { len } else { 0 };
        self.take(if rest.starts_with('%') { 1 } else { len })
    }

    /// A word, or two with a slash between them.
    fn unit(&mut self) -> &'a str {
        let first = self.word();
        let (start, end) = (self.last, self.at);
        if first.is_empty() || !self.rest().starts_with('/') {
            return first;
        }
        self.take(1);
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        self.take(len);
        match len {
            0 => {
                self.at = end;
                first
            }
            _ => &self.text[start..self.at],
        }
    }

    /// The text up to the sign, which is consumed but not returned.
    pub(crate) fn until(&mut self, sign: char) -> Option<&'a str> {
        let len = self.rest().find(sign)?;
        let taken = self.take(len);
        self.take(sign.len_utf8());
        Some(taken)
    }

    /// Decimal digits, with `_` between them, and an optional fraction.
    fn number(&mut self) -> Result<Number, SyntaxError> {
        self.skip_blanks();
        let rest = self.rest();
        let len = rest.find(|c: char| !matches!(c, '0'..='9' | '_' | '.')).unwrap_or(rest.len());
        let text = &rest[..len];
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |s: &str| {
            s.starts_with(|c: char| c.is_ascii_digit())
                && s.ends_with(|c: char| c.is_ascii_digit())
                && !s.contains('.')
        };
        if !is_digits(whole) || !is_digits(fraction) {
            return Err(self.expected("a number"));
        }
        let fraction = fraction.replace('_', "");
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{}{fraction}", whole.replace('_', ""));
        // Up to 10^27 times a unit fits 128 bits.
        match digits.parse() {
            Ok(n) if digits.trim_start_matches('0').len() <= 24 && fraction.len() <= 24 => {
                self.take(len);
                Ok(Number { digits: n, after_point: fraction.len() as u32 })
            }
            _ => Err(self.expected("a number below 2^63")),
        }
    }

    /// Moves back, so that an error points at the last token instead of what follows it.
    pub(crate) fn back(&mut self) -> &Self {
        self.at = self.last;
        self
    }

    pub(crate) fn expected(&self, expected: &str) -> SyntaxError {
        let rest = self.rest().trim_start();
        let found = match rest.chars().count() {
            0 => "the end".into(),
            1..=20 => format!("{rest:?}"),
            _ => format!("{:?}", rest.chars().take(20).collect::<String>() + "…"),
        };
        let (text, at, expected) = (self.text.into(), self.at, expected.into());
        SyntaxError { text, at, expected, found, near: Vec::new() }
    }

    /// The error for a word that is none of the names.
    pub(crate) fn unknown<'n>(
        &self,
        word: &str,
        names: impl Iterator<Item = &'n str>,
        expected: &str,
    ) -> SyntaxError {
        let near = near(word, names).into_iter().map(Into::into).collect();
        SyntaxError { near, ..self.expected(expected) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Amount::{Growth, GrowthShare, Max};
    use Unit::{Bytes, Count, Micros, Share};
    use proptest::prelude::*;

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

    #[test]
    fn limits_are_printed_with_few_digits_that_lose_nothing() {
        for (n, unit, expected) in [
            (3_700_000, Unit::Bytes, "3.7 MB"),
            (3_750_000, Unit::Bytes, "3750 kB"),
            (370_000, Unit::Bytes, "370 kB"),
            (5_000_000, Unit::Bytes, "5 MB"),
            (1 << 20, Unit::Bytes, "1 MiB"),
            (1500, Unit::Bytes, "1.5 kB"),
            (1501, Unit::Bytes, "1501 B"),
            (0, Unit::Bytes, "0 B"),
            (1_500_000, Unit::Micros, "1.5 s"),
            (60_000_000, Unit::Micros, "1 min"),
        ] {
            for (amount, sign) in [(Amount::Max(n), ""), (Amount::Growth(n), "+")] {
                let limit = Limit { unit, amounts: vec![amount] };
                assert_eq!(limit.to_string(), format!("{sign}{expected}"));
            }
        }
    }

    #[test]
    fn limits_are_read() {
        for (text, unit, amounts) in [
            ("0", Count, &[Max(0)][..]),
            ("1_000_000", Count, &[Max(1_000_000)]),
            ("200", Bytes, &[Max(200)]),
            ("1.5 MB", Bytes, &[Max(1_500_000)]),
            ("1.5mib", Bytes, &[Max(1_572_864)]),
            ("  +64KiB ", Bytes, &[Growth(65_536)]),
            ("+5%", Bytes, &[GrowthShare(50_000)]),
            ("+0.0001%", Count, &[GrowthShare(1)]),
            ("+5% and +64 KiB", Bytes, &[GrowthShare(50_000), Growth(65_536)]),
            ("+5% and > +64 KiB", Bytes, &[GrowthShare(50_000), Growth(65_536)]),
            ("10 MB and +1%", Bytes, &[Max(10_000_000), GrowthShare(10_000)]),
            ("1.5 ms", Micros, &[Max(1_500)]),
            ("2min", Micros, &[Max(120_000_000)]),
            ("12.5%", Share, &[Max(125_000)]),
            ("+2pp", Share, &[Growth(20_000)]),
            ("+10%", Share, &[GrowthShare(100_000)]),
            ("0.25", Unit::Thousandths, &[Max(250)]),
            ("+1_000 and +5%", Unit::Thousandths, &[Growth(1_000_000), GrowthShare(50_000)]),
            ("9223372036854775807", Count, &[Max(i64::MAX)]),
            ("0.4 B", Bytes, &[Max(0)]),
        ] {
            let limit = Limit::parse(text, unit).unwrap();
            assert_eq!(limit.amounts, amounts, "{text}");
        }
    }

    #[test]
    fn what_is_no_limit_is_said_where() {
        for (text, unit, error) in [
            ("", Count, "column 1): expected a number, found the end"),
            ("many", Count, "column 1): expected a number, found \"many\""),
            ("-5", Count, "column 1): expected a number, found \"-5\""),
            ("1.5", Count, "column 4): expected a whole number, found the end"),
            ("5 MB", Count, "column 3): expected a whole number, found \"MB\""),
            ("5%", Count, "column 2): expected a whole number, found \"%\""),
            (
                "5%",
                Bytes,
                "column 2): expected a unit (B, KiB, kB, MiB, MB, GiB, GB, TiB or TB), found \"%\"",
            ),
            ("5 ms", Bytes, "column 3): expected a unit (B, KiB"),
            ("1.5", Bytes, "column 4): expected a unit (B, KiB"),
            ("5", Micros, "column 2): expected a unit (us, ms, s or min), found the end"),
            ("5", Share, "column 2): expected a unit (%), found the end"),
            ("+5", Share, "column 3): expected a unit (pp or %), found the end"),
            ("5pp", Share, "column 2): expected a unit (%), found \"pp\""),
            ("1..2 MB", Bytes, "column 1): expected a number, found \"1..2 MB\""),
            ("1_ MB", Bytes, "column 1): expected a number"),
            (".5 MB", Bytes, "column 1): expected a number"),
            ("5 MB or 6 MB", Bytes, "column 6): expected \"and\" or the end, found \"or 6 MB\""),
            ("5 and", Count, "column 6): expected a number, found the end"),
            ("5 MB and", Bytes, "column 9): expected a number, found the end"),
            ("5 MB and and", Bytes, "column 10): expected a number"),
            ("9223372036854775808", Count, "expected a number below 2^63"),
            ("99999999999999999999999999999999999999999999", Count, "expected a number below 2^63"),
            (
                "0.0000000000000000000000000000000000000000001 MB",
                Bytes,
                "expected a number below 2^63",
            ),
            ("9999999 TB", Bytes, "expected a number below 2^63"),
        ] {
            let found = Limit::parse(text, unit).unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }

    #[test]
    fn exceeded() {
        for (text, actual, base, noise, expected) in [
            ("100", 100, None, 0, false),
            ("100", 101, None, 0, true),
            ("+10", 20, Some(10), 0, false),
            ("+10", 21, Some(10), 0, true),
            ("+10", 21, Some(10), 11, false),
            ("+10", 21, None, 0, false),
            ("+0%", 10, Some(10), 0, false),
            ("+0%", 11, Some(10), 0, true),
            ("+5%", 105, Some(100), 0, false),
            ("+5%", 106, Some(100), 0, true),
            ("+5%", 106, Some(100), 6, false),
            ("+5%", 1, Some(0), 0, true),
            ("+5%", 0, Some(0), 0, false),
            ("+5%", 5, Some(100), 0, false),
            ("+5% and +10", 106, Some(100), 0, false),
            ("+5% and +10", 111, Some(100), 0, true),
            ("+5% and +10", 1011, Some(1000), 0, false),
            ("+9999999%", i64::MAX, Some(1), 0, true),
            ("+5%", i64::MAX, Some(i64::MAX), 0, false),
        ] {
            let limit = Limit::parse(text, Count).unwrap();
            assert_eq!(
                limit.is_exceeded(actual, base, noise),
                expected,
                "{text} {actual} {base:?}"
            );
        }
    }

    fn limits() -> impl Strategy<Value = Limit> {
        let unit = prop::sample::select(vec![Count, Bytes, Micros, Share]);
        let n = || prop_oneof![0..=i64::MAX, 0..2000i64, (0..2000i64).prop_map(|n| n * 1000)];
        let amount = prop_oneof![
            n().prop_map(Max),
            n().prop_map(Growth),
            (0..1_000_000_000i64).prop_map(GrowthShare)
        ];
        (unit, prop::collection::vec(amount, 1..4))
            .prop_map(|(unit, amounts)| Limit { unit, amounts })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(limit in limits()) {
            prop_assert_eq!(Limit::parse(&limit.to_string(), limit.unit), Ok(limit));
        }

        #[test]
        fn any_text_is_read_or_refused(text in r"[+0-9._%a-zA-Z> é]{0,12}|\PC*") {
            for unit in [Count, Bytes, Micros, Share] {
                if let Err(error) = Limit::parse(&text, unit) {
                    prop_assert!(text.is_char_boundary(error.at));
                    prop_assert!(!error.to_string().is_empty());
                }
            }
        }

        #[test]
        fn percent_is_what_floating_point_says(base in 1..1_000_000i64, grown in 0..1_000_000i64, percent in 0..1000i64) {
            let limit = Limit { unit: Count, amounts: vec![GrowthShare(percent * PER_PERCENT)] };
            let expected = grown as f64 * 100.0 > base as f64 * percent as f64;
            prop_assert_eq!(limit.is_exceeded(base + grown, Some(base), 0), expected);
        }
    }
}
