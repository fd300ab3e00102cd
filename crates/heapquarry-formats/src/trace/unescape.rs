//! The text of strings in traces.

use super::json::escape_length;
use heapquarry_scan::{Unescaped, unescape as defined};

/// Appends the text of the raw content of a string to `out`. An escape that JSON does not define stands for itself, as
/// in Perfetto: PyTorch writes the paths of Windows (`C:\users`) without doubling their backslashes. It counts as bad,
/// but nothing of it is lost.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) -> Unescaped {
    let start = out.len();
    let mut report = defined(raw, out);
    if report.bad_escapes == 0 {
        return report;
    }
    out.truncate(start);
    report.lone_surrogates = 0;
    // The part that has only defined escapes begins here.
    let mut part = 0;
    let mut at = 0;
    while let Some(backslash) = memchr::memchr(b'\\', &raw[at..]) {
        at += backslash;
        match escape_length(&raw[at..]) {
            Some(length) => at += length,
            None => {
                report.lone_surrogates += defined(&raw[part..at], out).lone_surrogates;
                out.push(b'\\');
                at += 1;
                part = at;
            }
        }
    }
    report.lone_surrogates += defined(&raw[part..], out).lone_surrogates;
    report
}

/// The text of a string, with U+FFFD for what is no text.
pub(super) fn text(raw: &[u8], escaped: bool) -> String {
    if !escaped {
        return String::from_utf8_lossy(raw).into_owned();
    }
    let mut text = Vec::new();
    unescape(raw, &mut text);
    String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_does_not_define_stands_for_itself() {
        for (raw, expected, bad, lone) in [
            (r"plain", "plain", 0, 0),
            (r"C:\users\Ann\app", r"C:\users\Ann\app", 3, 0),
            (r"C:\\users\\é", r"C:\users\é", 0, 0),
            (r"\u00e9\x\u00e9", r"é\xé", 1, 0),
            (r"\u12", r"\u12", 1, 0),
            (r"\ud83d\q\ud83d\ude00", "\u{fffd}\\q😀", 1, 1),
            (r"\ude00", "\u{fffd}", 0, 1),
            (r"x\", r"x\", 1, 0),
            (r"\n\d\\d", "\n\\d\\d", 1, 0),
        ] {
            let mut out = b"> ".to_vec();
            let report = unescape(raw.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("> {expected}"), "{raw}");
            assert_eq!((report.bad_escapes, report.lone_surrogates), (bad, lone), "{raw}");
            assert_eq!(text(raw.as_bytes(), true), expected);
        }
    }
}
