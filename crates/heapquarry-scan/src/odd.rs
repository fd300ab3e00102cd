//! Values that are not plain unsigned integers. They are rare, so this code is simple and exact
//! rather than fast.

use crate::{
    blank::{is_blank, skip_blanks},
    skip::{Skipped, Skipper},
};

/// Kinds of values that [`read_integers`](crate::read_integers) does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Odd {
    /// A negative integer that fits an `i64`, without fraction and exponent: `-5`, also `-0`.
    Negative(i64),
    /// An integer that fits an `i64`, written with a fraction or an exponent: `5.0`, `1e3`,
    /// `-12.5e1`. It can be negative. It is computed exactly from the decimal digits.
    Form(i64),
    /// An integer that does not fit: beyond `u64` if plain, beyond `i64` if negative or in another
    /// form.
    TooLarge,
    /// A number that is not an integer: `1.5`, `1e-3`.
    Fraction,
    /// Anything else: `NaN`, `null`, text, brackets, `1 2`, `+1`, `.5`, nothing at all.
    NotANumber,
}

/// Reads one value of any kind, up to and including the comma after it, or to the end of `bytes`.
/// Returns its kind and its length in bytes.
///
/// A comma in a string or between brackets does not end the value. Neither does a closing bracket:
/// `bytes` has no end of an array.
///
/// Use it for values that [`read_integers`](crate::read_integers) refuses. A plain unsigned integer
/// is `Form` if it fits an `i64`, otherwise `TooLarge`.
///
/// ```
/// use heapquarry_scan::{Odd, read_odd};
///
/// assert_eq!(read_odd(b"-5,6"), (Odd::Negative(-5), 3));
/// assert_eq!(read_odd(b" 1.50e2\n,6"), (Odd::Form(150), 9));
/// assert_eq!(read_odd(b"[1,[2,\",\"]],6"), (Odd::NotANumber, 12));
/// ```
pub fn read_odd(bytes: &[u8]) -> (Odd, usize) {
    let start = skip_blanks(bytes, 0);
    let mut at = start;
    while at < bytes.len() && bytes[at] != b',' {
        at += match bytes[at] {
            b'"' | b'[' | b'{' => match Skipper::new().feed(&bytes[at..]) {
                Skipped::Done(length) => length,
                Skipped::More => bytes.len() - at,
            },
            _ => 1,
        };
    }
    let mut end = at;
    while end > start && is_blank(bytes[end - 1]) {
        end -= 1;
    }
    (classify(&bytes[start..end]), (at + 1).min(bytes.len()))
}

/// The kind of `text`, which has no blanks around it.
fn classify(text: &[u8]) -> Odd {
    let Some(decimal) = Decimal::parse(text) else { return Odd::NotANumber };
    let negative_and_plain = decimal.negative && decimal.plain;
    match decimal.integer() {
        None => Odd::Fraction,
        Some(None) => Odd::TooLarge,
        Some(Some(value)) if negative_and_plain => Odd::Negative(value),
        Some(Some(value)) => Odd::Form(value),
    }
}

/// A number as written: `-` `whole` `.` `fraction` `e` `exponent`.
struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    /// Saturates at the limits of `i64`; beyond these, the value makes no difference.
    exponent: i64,
    /// Without fraction and exponent.
    plain: bool,
}

impl<'a> Decimal<'a> {
    /// Parses `text` by the grammar of JSON, with leading zeros allowed.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (whole, mut rest) = split_digits(text)?;
        let mut decimal = Self { negative, whole, fraction: &[], exponent: 0, plain: true };
        if let [b'.', after @ ..] = rest {
            (decimal.fraction, rest) = split_digits(after)?;
            decimal.plain = false;
        }
        if let [b'e' | b'E', after @ ..] = rest {
            let (minus, after) = match after {
                [b'-', after @ ..] => (true, after),
                [b'+', after @ ..] => (false, after),
                _ => (false, after),
            };
            let (digits, after) = split_digits(after)?;
            let size = digits.iter().fold(0i64, |size, &digit| {
                size.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
            });
            decimal.exponent = if minus { -size } else { size };
            decimal.plain = false;
            rest = after;
        }
        rest.is_empty().then_some(decimal)
    }

    /// `None` if it is not an integer, `Some(None)` if it is one that does not fit.
    fn integer(&self) -> Option<Option<i64>> {
        let digits = || self.whole.iter().chain(self.fraction).map(|&digit| digit - b'0');
        let count = digits().count();
        let zeros_before = digits().take_while(|&digit| digit == 0).count();
        if zeros_before == count {
            return Some(Some(0));
        }
        let zeros_after = digits().rev().take_while(|&digit| digit == 0).count();
        // The value is the digits between the zeros times a power of ten. The last of these digits
        // is not 0, so the value is an integer if and only if the exponent of that power is not
        // negative.
        let significant = count - zeros_before - zeros_after;
        let power = self
            .exponent
            .saturating_sub(self.fraction.len() as i64)
            .saturating_add(zeros_after as i64);
        if power < 0 {
            return None;
        }
        // 10^19 does not fit, and anything below 10^38 fits an `i128`.
        if power >= 19 || significant > 19 {
            return Some(None);
        }
        let value = digits()
            .skip(zeros_before)
            .take(significant)
            .fold(0, |value, digit| 10 * value + i128::from(digit));
        let value = value * 10i128.pow(power as u32);
        Some(i64::try_from(if self.negative { -value } else { value }).ok())
    }
}

/// The leading digits, at least one, and the rest.
fn split_digits(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn kinds() {
        let cases: &[(&str, Odd, usize)] = &[
            ("-5,1", Odd::Negative(-5), 3),
            (" -0 ", Odd::Negative(0), 4),
            ("5.0,", Odd::Form(5), 4),
            ("1e3", Odd::Form(1000), 3),
            ("-12.5e1", Odd::Form(-125), 7),
            ("100e-2", Odd::Form(1), 6),
            ("0e99999999999999999999", Odd::Form(0), 22),
            ("1e19", Odd::TooLarge, 4),
            ("18446744073709551616", Odd::TooLarge, 20),
            ("-9223372036854775808", Odd::Negative(i64::MIN), 20),
            ("-9223372036854775809", Odd::TooLarge, 20),
            ("1e-400", Odd::Fraction, 6),
            ("1.5,", Odd::Fraction, 4),
            (",1", Odd::NotANumber, 1),
            ("", Odd::NotANumber, 0),
            ("1 2,3", Odd::NotANumber, 4),
            ("NaN,3", Odd::NotANumber, 4),
            ("[1,[2,\"],\"]],3", Odd::NotANumber, 13),
            ("\"a,\\\",\" ,3", Odd::NotANumber, 9),
            ("{\"a\":[1,2]}x,3", Odd::NotANumber, 13),
            ("+5", Odd::NotANumber, 2),
            ("5.", Odd::NotANumber, 2),
            (".5", Odd::NotANumber, 2),
            ("1e", Odd::NotANumber, 2),
            ("-", Odd::NotANumber, 1),
        ];
        for &(text, want, length) in cases {
            assert_eq!(read_odd(text.as_bytes()), (want, length), "{text}");
        }
    }
}
