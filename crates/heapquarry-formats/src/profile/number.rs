//! Numbers of profiles, in all the ways in which producers write them. These are the only rules for them:
//!
//! * In quotes, a number counts as if it had none (`number_form`).
//! * A time with a fraction is rounded (`rounded_time`), so that the sum of many is right. A count, a size or an id
//!   with a fraction is none (`not_an_integer`).
//! * A number that does not fit 64 bits is unknown, and so is a sum (`value_out_of_range`).
//! * A negative number that was written as an unsigned one of 32 bits is read as negative (`wrapped_number`).

use crate::{
    ByteOffset, Code, Log,
    json::{Json, NONE, Step, Value, odd_integer},
};
use heapquarry_profile::stacks;
use heapquarry_scan::{Odd, read_odd};

/// The integer at the current position; [`NONE`] if there is none.
pub(crate) fn integer(json: &mut Json<'_>, what: &'static str, log: &mut Log) -> Step<i64> {
    json.next()?;
    let at = json.at();
    Ok(match json.value()? {
        Value::Int(value) => value,
        Value::Odd(odd, span) => odd_integer(odd, at, json.bytes(&span), what, log).unwrap_or(NONE),
        Value::Text(t) => {
            let raw = json.bytes(&t.span);
            odd_integer(read_odd(raw).0, at, raw, what, log).unwrap_or(NONE)
        }
        Value::Nested => {
            log.add(Code::NotANumber, at, || format!("{what}: an object or array"));
            NONE
        }
    })
}

/// Undoes the wrapping of a negative number to an unsigned one of 32 bits.
pub(crate) fn unwrapped(value: i64) -> i64 {
    let is_wrapped = value > i64::from(i32::MAX) && value <= i64::from(u32::MAX);
    if is_wrapped { value - (1 << 32) } else { value }
}

/// Reads the times of an array that are not plain integers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// What rounding has taken from earlier ones, if they are added up; `None` for points in time.
    rest: Option<f64>,
}

impl Times {
    /// Times since the one before: they are added up.
    pub(crate) fn deltas() -> Self {
        Times { rest: Some(0.0) }
    }

    /// Points in time.
    pub(crate) fn points() -> Self {
        Times::default()
    }

    /// A value that is not a plain integer.
    pub(crate) fn odd(
        &mut self,
        odd: Odd,
        at: ByteOffset,
        raw: &[u8],
        what: &'static str,
        log: &mut Log,
    ) -> Option<i64> {
        let fraction = (odd == Odd::Fraction).then(|| fraction(raw)).flatten();
        let Some(exact) = fraction else { return odd_integer(odd, at, raw, what, log) };
        let exact = exact + self.rest.unwrap_or(0.0);
        let rounded = exact.round();
        if let Some(rest) = &mut self.rest {
            *rest = exact - rounded;
        }
        log.add_excerpt(Code::RoundedTime, at, raw, || format!("{what}: rounded to microseconds"));
        Some(rounded as i64)
    }
}

/// A time of which the unit is not known yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Time {
    #[default]
    Unknown,
    Whole(i64),
    Fraction(f64),
}

impl Time {
    /// The one at the current position.
    pub(crate) fn read(json: &mut Json<'_>, what: &'static str, log: &mut Log) -> Step<Self> {
        json.next()?;
        let at = json.at();
        let value = json.value()?;
        let (odd, raw) = match &value {
            Value::Int(value) => return Ok(Time::Whole(*value)),
            Value::Odd(odd, span) => (*odd, json.bytes(span)),
            Value::Text(t) => (read_odd(json.bytes(&t.span)).0, json.bytes(&t.span)),
            Value::Nested => (Odd::NotANumber, &b""[..]),
        };
        if odd == Odd::Fraction
            && let Some(value) = fraction(raw)
        {
            return Ok(Time::Fraction(value));
        }
        Ok(odd_integer(odd, at, raw, what, log).map_or(Time::Unknown, Time::Whole))
    }

    /// In microseconds, if its unit is that many of them; [`NONE`] if it is unknown.
    pub(crate) fn micros(self, unit: i64, what: &'static str, log: &mut Log) -> i64 {
        match self {
            Time::Unknown => NONE,
            Time::Whole(value) => value.checked_mul(unit).unwrap_or_else(|| {
                log.add(Code::ValueOutOfRange, None, || format!("{what}: more than 64 bits"));
                NONE
            }),
            Time::Fraction(value) if !fits(value * unit as f64) => {
                log.add(Code::ValueOutOfRange, None, || format!("{what}: more than 64 bits"));
                NONE
            }
            Time::Fraction(value) => {
                let value = value * unit as f64;
                // Seconds times a million are rarely exact.
                if (value - value.round()).abs() > 1e-3 {
                    log.add(Code::RoundedTime, None, || format!("{what}: rounded to microseconds"));
                }
                value.round() as i64
            }
        }
    }
}

/// A number with a fraction that fits 64 bits when it is rounded. Bun writes microseconds since 1970 with one.
fn fraction(raw: &[u8]) -> Option<f64> {
    let number = std::str::from_utf8(raw).ok()?.trim().parse::<f64>().ok()?;
    fits(number).then_some(number)
}

/// Whether a number fits 64 bits when it is rounded.
fn fits(number: f64) -> bool {
    number.abs() < 9.2e18
}

/// The number at the current position, with or without a fraction; NaN if there is none.
pub(crate) fn float(json: &mut Json<'_>, what: &'static str, log: &mut Log) -> Step<f64> {
    json.next()?;
    let at = json.at();
    let value = json.value()?;
    let (odd, raw, is_text) = match &value {
        Value::Int(value) => return Ok(*value as f64),
        Value::Odd(odd, span) => (*odd, json.bytes(span), false),
        Value::Text(t) => (read_odd(json.bytes(&t.span)).0, json.bytes(&t.span), true),
        Value::Nested => (Odd::NotANumber, &b""[..], false),
    };
    // Rust reads `inf` and `nan` too, which are no numbers here.
    let number = std::str::from_utf8(raw).ok().filter(|_| odd != Odd::NotANumber);
    let number = number.and_then(|text| text.trim().parse::<f64>().ok());
    let code = match number {
        Some(number) if !number.is_finite() => Code::ValueOutOfRange,
        Some(_) if is_text => Code::NumberForm,
        Some(number) => return Ok(number),
        None => Code::NotANumber,
    };
    log.add_excerpt(code, at, raw, || format!("{what}: no plain number"));
    Ok(number.filter(|number| number.is_finite()).unwrap_or(f64::NAN))
}

/// Adds to a sum. One that does not fit 64 bits stays at the nearest value that does.
#[inline]
pub(crate) fn add(sum: &mut i64, value: i64, what: &'static str, log: &mut Log) {
    stacks::add(sum, value, &mut || overflow(what, log));
}

/// Logs a sum that does not fit 64 bits.
#[cold]
pub(crate) fn overflow(what: &'static str, log: &mut Log) {
    log.add(Code::ValueOutOfRange, None, || format!("{what}: the sum has more than 64 bits"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    /// What reading gives, and the code that is logged.
    fn read<T>(
        text: &str,
        reads: impl Fn(&mut Json<'_>, &mut Log) -> Step<T>,
    ) -> (T, Option<&'static str>) {
        let (text, mut log) = (format!("{text},"), Log::default());
        let value = reads(&mut Json::new(&text, ByteOffset::START, 100), &mut log).unwrap();
        let code = log.into_entries().first().map(|entry| entry.code.name());
        (value, code)
    }

    #[test]
    fn each_form_has_one_rule() {
        let form = Some("number_form");
        let micros = |json: &mut Json<'_>, unit: i64, log: &mut Log| {
            Ok(Time::read(json, "n", log)?.micros(unit, "n", log))
        };
        let range = Some("value_out_of_range");
        for (text, integer_is, time_is, seconds_are) in [
            ("12", (12, None), (12, None), (12_000_000, None)),
            ("-5", (-5, None), (-5, None), (-5_000_000, None)),
            ("\"12\"", (12, form), (12, form), (12_000_000, form)),
            ("1e3", (1000, form), (1000, form), (1_000_000_000, form)),
            ("0.6", (NONE, Some("not_an_integer")), (1, Some("rounded_time")), (600_000, None)),
            ("\"0.6\"", (NONE, Some("not_an_integer")), (1, Some("rounded_time")), (600_000, None)),
            (
                "1795673520573478.2",
                (NONE, Some("not_an_integer")),
                (1_795_673_520_573_478, Some("rounded_time")),
                (NONE, range),
            ),
            ("9223372036854775807", (i64::MAX, None), (i64::MAX, None), (NONE, range)),
            ("18446744073709551615", (NONE, range), (NONE, range), (NONE, range)),
            ("1e25", (NONE, range), (NONE, range), (NONE, range)),
            (
                "null",
                (NONE, Some("not_a_number")),
                (NONE, Some("not_a_number")),
                (NONE, Some("not_a_number")),
            ),
            (
                "\"x\"",
                (NONE, Some("not_a_number")),
                (NONE, Some("not_a_number")),
                (NONE, Some("not_a_number")),
            ),
            (
                "[1]",
                (NONE, Some("not_a_number")),
                (NONE, Some("not_a_number")),
                (NONE, Some("not_a_number")),
            ),
        ] {
            assert_eq!(read(text, |json, log| integer(json, "n", log)), integer_is, "{text}");
            assert_eq!(read(text, |json, log| micros(json, 1, log)), time_is, "{text}");
            let seconds = read(text, |json, log| micros(json, 1_000_000, log));
            assert_eq!(seconds, seconds_are, "{text} s");
        }
        for (text, value, code) in [
            ("1.5", 1.5, None),
            ("\"1.5\"", 1.5, form),
            ("1e400", f64::NAN, range),
            ("NaN", f64::NAN, Some("not_a_number")),
            ("{}", f64::NAN, Some("not_a_number")),
        ] {
            let (found, logged) = read(text, |json, log| float(json, "n", log));
            assert_eq!((found.total_cmp(&value), logged), (std::cmp::Ordering::Equal, code));
        }
    }

    #[test]
    fn rounding_keeps_the_sum() {
        let mut log = Log::default();
        let mut round = |mut times: Times| {
            let mut odd = |text: &&str| {
                times.odd(Odd::Fraction, ByteOffset::START, text.as_bytes(), "n", &mut log)
            };
            ["0.5", "0.5", "0.25", "0.25", "0.75", "1.75"].iter().map(&mut odd).collect::<Vec<_>>()
        };
        assert_eq!(round(Times::deltas()).into_iter().flatten().sum::<i64>(), 4);
        assert_eq!(round(Times::points()), [1, 1, 0, 0, 1, 2].map(Some));
    }
}
