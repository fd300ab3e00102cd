//! Numbers of events: integers, and times. Times are read from their decimal digits, because a floating-point number
//! would lose nanoseconds of a time since 1970.

/// Whether it is a number by the grammar of JSON.
pub(crate) fn is_json(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', exponent @ ..] => exponent,
            _ => exponent,
        };
        let length = digits(exponent);
        if length == 0 {
            return false;
        }
        rest = &exponent[length..];
    }
    rest.is_empty()
}

/// An integer in plain digits, in canonical form.
#[inline]
pub(crate) fn plain(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let negative = digits.len() < text.len();
    match digits {
        [] => return None,
        [b'0'] => return (!negative).then_some(0),
        [b'0', ..] => return None,
        _ => {}
    }
    if digits.len() > 19 {
        return None;
    }
    let mut value = 0u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = 10 * value + u64::from(digit);
    }
    match (negative, i64::try_from(value)) {
        (false, value) => value.ok(),
        (true, Ok(value)) => Some(-value),
        (true, Err(_)) => (value == 1 << 63).then_some(i64::MIN),
    }
}

/// Converts microseconds to nanoseconds, and returns whether the result is exact: halves are rounded away from zero.
/// `None` if it is not a number, or does not fit.
#[inline]
pub(crate) fn nanoseconds(text: &[u8]) -> Option<(i64, bool)> {
    simple(text).map(|ns| (ns, true)).or_else(|| scaled(text, 3))
}

/// Up to 19 digits, one to three of them after the point, or up to 15 without a point: the form that nearly all
/// producers write.
#[inline]
fn simple(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    let mut value = 0u64;
    let mut behind = None;
    for (at, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            // More than 19 digits are refused below.
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if *byte == b'.' && behind.is_none() && at > 0 {
            behind = Some(digits.len() - 1 - at);
        } else {
            return None;
        }
    }
    let factor = match behind {
        Some(1) => 100,
        Some(2) => 10,
        Some(3) => 1,
        None if digits.len() <= 15 => 1000,
        _ => return None,
    };
    let value = i64::try_from(value).ok()?.checked_mul(factor)?;
    Some(if digits.len() < text.len() { -value } else { value })
}

/// Any decimal number times ten to the power of `power`, with the result of [`nanoseconds`].
#[cold]
pub(crate) fn scaled(text: &[u8], power: i64) -> Option<(i64, bool)> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let end = unsigned.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.');
    let (mantissa, rest) = unsigned.split_at(end.unwrap_or(unsigned.len()));
    let exponent = match rest {
        [] => 0i64,
        [b'e' | b'E', digits @ ..] => {
            let digits = std::str::from_utf8(digits).ok()?;
            // An exponent that does not fit makes the number invalid, or zero.
            let is_number = !digits.trim_start_matches(['+', '-']).is_empty()
                && digits.trim_start_matches(['+', '-']).bytes().all(|b| b.is_ascii_digit())
                && digits.len() - digits.trim_start_matches(['+', '-']).len() <= 1;
            let huge = if digits.starts_with('-') { -(1 << 40) } else { 1 << 40 };
            if !is_number {
                return None;
            }
            digits.parse().unwrap_or(huge).clamp(-(1 << 40), 1 << 40)
        }
        _ => return None,
    };
    let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
    let fraction = mantissa.get(point + 1..).unwrap_or_default();
    if fraction.contains(&b'.') || point + fraction.len() == 0 {
        return None;
    }
    let digits = || mantissa[..point].iter().chain(fraction).map(|byte| i128::from(byte - b'0'));
    // Significant digits, and zeros after them.
    let whole = point as i64 + exponent + power;
    // There are fewer digits than a `usize` can count, whatever its width.
    let kept = usize::try_from(whole.max(0)).unwrap_or(usize::MAX);
    let mut value = 0i128;
    let mut zeros = 0;
    if whole >= 0 {
        for digit in digits().take(kept) {
            value = value.checked_mul(10)?.checked_add(digit)?;
        }
        zeros = (whole - (point + fraction.len()) as i64).max(0);
    }
    if value != 0 {
        let factor = 10i128.checked_pow(u32::try_from(zeros).ok()?)?;
        value = value.checked_mul(factor)?;
    }
    let mut dropped = digits().skip(kept);
    let first = if whole >= 0 { dropped.next().unwrap_or(0) } else { 0 };
    let exact = first == 0 && dropped.all(|digit| digit == 0);
    if first >= 5 {
        value += 1;
    }
    i64::try_from(if negative { -value } else { value }).ok().map(|value| (value, exact))
}

/// The nearest floating-point number. Also reads the words of other writers for values that JSON cannot express.
pub(crate) fn real(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    // The standard library accepts `nan`, `inf` and `infinity` in any case, with a sign.
    text.parse().ok()
}

/// Whether it is a number that has a value, however large.
pub(crate) fn is_finite(text: &[u8]) -> bool {
    scaled(text, 0).is_some() || real(text).is_some_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_exact() {
        for (text, expected) in [
            ("0", Some((0, true))),
            ("1", Some((1_000, true))),
            ("-1.5", Some((-1_500, true))),
            ("1.234", Some((1_234, true))),
            ("1.2345", Some((1_235, false))),
            ("1.2344", Some((1_234, false))),
            ("-1.2345", Some((-1_235, false))),
            ("1.2340000", Some((1_234, true))),
            ("1.", Some((1_000, true))),
            (".5", Some((500, true))),
            ("+7", Some((7_000, true))),
            ("1700000000123456.789", Some((1_700_000_000_123_456_789, true))),
            ("9223372036854775.807", Some((i64::MAX, true))),
            ("9223372036854775.808", None),
            ("-9223372036854775.808", Some((i64::MIN, true))),
            ("1e3", Some((1_000_000, true))),
            ("1.5E-3", Some((2, false))),
            ("1e-4", Some((0, false))),
            ("0.0004999", Some((0, false))),
            ("1e-99999999999999999999999", Some((0, false))),
            ("0e99999999999999999999999", Some((0, true))),
            ("1e99999999999999999999999", None),
            ("12345678901234567890", None),
            ("", None),
            ("-", None),
            (".", None),
            ("1e", None),
            ("1e+-3", None),
            ("1.2.3", None),
            ("abc", None),
            ("NaN", None),
            ("0x10", None),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_plain_or_not() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("18446744073709551615", None),
            ("-0", None),
            ("01", None),
            ("1.0", None),
            ("", None),
            ("-", None),
            ("1a", None),
        ] {
            assert_eq!(plain(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn numbers_of_json() {
        for text in ["0", "-0", "10", "1.5", "-1.5e10", "1E+3", "1e-3"] {
            assert!(is_json(text.as_bytes()), "{text}");
        }
        for text in ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "NaN", "0x1", "1 ", "1.5.2"] {
            assert!(!is_json(text.as_bytes()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_decimal(whole in -9_000_000_000_000_000i64..9_000_000_000_000_000, fraction in "[0-9]{0,6}") {
            let text = if fraction.is_empty() { whole.to_string() } else { format!("{whole}.{fraction}") };
            let padded: i128 = format!("{fraction:0<6}").parse().unwrap();
            let picoseconds = i128::from(whole.abs()) * 1_000_000 + padded;
            let rounded = (picoseconds + 500) / 1000;
            let expected = if text.starts_with('-') { -rounded } else { rounded };
            prop_assert_eq!(
                nanoseconds(text.as_bytes()),
                Some((expected as i64, picoseconds % 1000 == 0))
            );
            prop_assert_eq!(scaled(text.as_bytes(), 3), nanoseconds(text.as_bytes()));
            prop_assert_eq!(plain(whole.to_string().as_bytes()), Some(whole));
        }
    }
}
