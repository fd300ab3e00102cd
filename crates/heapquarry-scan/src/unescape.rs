//! Resolves the escapes of a string.

/// Counts of what [`unescape`] had to replace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unescaped {
    /// `\uD800` to `\uDFFF` without its other half: U+FFFD in the text.
    pub lone_surrogates: u32,
    /// Escapes that JSON does not define.
    pub bad_escapes: u32,
}

/// Appends the text of the raw content of a string to `out`.
///
/// Resolves the escapes of JSON, and others as well as possible: `\x` is `x`; a `\u` without four
/// hexadecimal digits becomes U+FFFD, together with the digits that are there; a lone backslash at
/// the end is dropped. All other bytes are copied, including quotes, control bytes and invalid
/// UTF-8.
///
/// ```
/// use heapquarry_scan::{Unescaped, unescape};
///
/// let mut out = b"> ".to_vec();
/// let report = unescape(br"\u00e9 \ud83d\ude00 \ud83d \x", &mut out);
/// assert_eq!(out, "> é 😀 \u{fffd} x".as_bytes());
/// assert_eq!(report, Unescaped { lone_surrogates: 1, bad_escapes: 1 });
/// ```
pub fn unescape(raw: &[u8], out: &mut Vec<u8>) -> Unescaped {
    let mut report = Unescaped::default();
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let Some(&kind) = rest.get(at + 1) else {
            report.bad_escapes += 1;
            return report;
        };
        rest = &rest[at + 2..];
        match kind {
            b'"' | b'\\' | b'/' => out.push(kind),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => rest = unicode(rest, out, &mut report),
            _ => {
                report.bad_escapes += 1;
                out.push(kind);
            }
        }
    }
    out.extend_from_slice(rest);
    report
}

/// Resolves the escape whose four digits should be at the front of `rest`; returns what follows it.
fn unicode<'a>(rest: &'a [u8], out: &mut Vec<u8>, report: &mut Unescaped) -> &'a [u8] {
    let Some((unit, mut rest)) = hex4(rest) else {
        report.bad_escapes += 1;
        push(char::REPLACEMENT_CHARACTER, out);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        return &rest[digits..];
    };
    let mut code = unit;
    if (0xD800..0xDC00).contains(&unit)
        && let [b'\\', b'u', after @ ..] = rest
        && let Some((low @ 0xDC00..0xE000, after)) = hex4(after)
    {
        code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        rest = after;
    }
    push(
        char::from_u32(code).unwrap_or_else(|| {
            report.lone_surrogates += 1;
            char::REPLACEMENT_CHARACTER
        }),
        out,
    );
    rest
}

/// The value of four hexadecimal digits, and what follows them.
fn hex4(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_first_chunk::<4>()?;
    let mut value = 0;
    for &digit in digits {
        value = value << 4 | char::from(digit).to_digit(16)?;
    }
    Some((value, rest))
}

pub(crate) fn push(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn escapes() {
        let cases: &[(&str, &str, u32, u32)] = &[
            ("plain", "plain", 0, 0),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t", 0, 0),
            (r"A\u00e9\u20AC\ud83d\ude00", "Aé€😀", 0, 0),
            (r"\ud83d", "\u{fffd}", 1, 0),
            (r"\ud83d\ud83d\ude00", "\u{fffd}😀", 1, 0),
            (r"\ude00x", "\u{fffd}x", 1, 0),
            (r"\ud83dA", "\u{fffd}A", 1, 0),
            (r"\ud83d\u12", "\u{fffd}\u{fffd}", 1, 1),
            (r"\u12zz", "\u{fffd}zz", 0, 1),
            (r"\x41", "x41", 0, 1),
            (r"a\", "a", 0, 1),
            ("a\"b\u{1}", "a\"b\u{1}", 0, 0),
        ];
        for &(raw, want, lone_surrogates, bad_escapes) in cases {
            let mut out = b"|".to_vec();
            let got = unescape(raw.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out[1..]), want, "{raw}");
            assert_eq!(got, Unescaped { lone_surrogates, bad_escapes }, "{raw}");
        }
    }
}
