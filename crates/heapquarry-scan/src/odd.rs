//! Values that are not plain unsigned integers.

use crate::{
    blank::{is_blank, skip_blanks},
    skip::{Skipped, Skipper},
};

/// What a value is that [`read_integers`](crate::read_integers) refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Odd {
    /// A negative integer without fraction and exponent: `-5`.
    Negative(i64),
    /// An integer written with a fraction or an exponent: `5.0`, `1e3`, `-12.5e1` (so it can be
    /// negative). The arithmetic is exact, not that of floating point.
    Form(i64),
    /// An integer that does not fit: beyond `u64` if plain, beyond `i64` in another form.
    TooLarge,
    /// A number that is no integer: `1.5`.
    Fraction,
    /// Anything else: `NaN`, `null`, text, brackets, `1 2`, nothing at all.
    NotANumber,
}

/// Reads one value of any kind, up to and including the comma after it or to the end of `bytes`:
/// what it is, and how many bytes.
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

/// The parts of a number: `-` `whole` `.` `fraction` `e` `exponent`.
struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
    plain: bool,
}

fn classify(text: &[u8]) -> Odd {
    let Some(decimal) = parse(text) else { return Odd::NotANumber };
    let digits = || decimal.whole.iter().chain(decimal.fraction).map(|&digit| digit - b'0');
    let count = decimal.whole.len() + decimal.fraction.len();
    let zeros_before = digits().take_while(|&digit| digit == 0).count();
    if zeros_before == count {
        return if decimal.plain && decimal.negative { Odd::Negative(0) } else { Odd::Form(0) };
    }
    let zeros_after = digits().rev().take_while(|&digit| digit == 0).count();
    // The value is `significant` x 10^power, with `significant` not divisible by ten.
    let power = decimal
        .exponent
        .saturating_sub(decimal.fraction.len() as i64)
        .saturating_add(zeros_after as i64);
    if power < 0 {
        return Odd::Fraction;
    }
    let significant = count - zeros_before - zeros_after;
    if power > 19 || significant > 19 {
        return Odd::TooLarge;
    }
    let mut value = 0i128;
    for digit in digits().skip(zeros_before).take(significant) {
        value = value * 10 + i128::from(digit);
    }
    value *= 10i128.pow(power as u32);
    if decimal.negative {
        value = -value;
    }
    match i64::try_from(value) {
        Ok(value) if decimal.plain && decimal.negative => Odd::Negative(value),
        Ok(value) => Odd::Form(value),
        Err(_) => Odd::TooLarge,
    }
}

fn parse(text: &[u8]) -> Option<Decimal<'_>> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (whole, mut rest) = split_digits(text)?;
    let mut decimal = Decimal { negative, whole, fraction: &[], exponent: 0, plain: true };
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

/// The digits at the front, at least one, and what follows them.
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
