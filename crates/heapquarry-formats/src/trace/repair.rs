//! Repairs text that is nearly JSON.

use super::{
    json::{Scalar, scalar, scalar_end, string_end},
    unescape::unescape,
};
use heapquarry_scan::{is_blank, skip_blanks};

/// An object or array being written.
struct Level {
    array: bool,
    /// Whether it already has content.
    filled: bool,
    /// Whether a key waits for its value.
    keyed: bool,
}

/// Appends the value as valid JSON: words that JSON does not define become text (`NaN`, `0x1F`), missing escapes and
/// missing or extra commas are repaired, and open containers are closed. Strings have been checked to be UTF-8.
pub(super) fn repair(value: &[u8], out: &mut Vec<u8>) {
    let mut levels: Vec<Level> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match byte {
            b'{' | b'[' => {
                begin(&mut levels, out);
                out.push(byte);
                levels.push(Level { array: byte == b'[', filled: false, keyed: false });
                at += 1;
            }
            b'}' | b']' => {
                if !levels.is_empty() {
                    end(&mut levels, out);
                }
                at += 1;
            }
            b'"' => {
                let (inner, end) = match string_end(value, at, true) {
                    Some(string) => (&value[at + 1..string.end - 1], string.end),
                    None => (&value[at + 1..], value.len()),
                };
                at = skip_blanks(value, end);
                let colon = value.get(at) == Some(&b':');
                match levels.last_mut() {
                    Some(level) if !level.array && !level.keyed && colon => {
                        if level.filled {
                            out.push(b',');
                        }
                        level.keyed = true;
                        string(inner, out);
                        out.push(b':');
                        at += 1;
                    }
                    _ => {
                        begin(&mut levels, out);
                        string(inner, out);
                    }
                }
            }
            b',' | b':' => at += 1,
            byte if is_blank(byte) => at += 1,
            _ => {
                let end = scalar_end(value, at);
                let raw = &value[at..end];
                begin(&mut levels, out);
                match scalar(raw) {
                    Scalar::Odd => string(raw, out),
                    _ => out.extend_from_slice(raw),
                }
                at = end;
            }
        }
        if levels.is_empty() {
            return;
        }
    }
    while !levels.is_empty() {
        end(&mut levels, out);
    }
}

/// Writes what must precede a value.
fn begin(levels: &mut [Level], out: &mut Vec<u8>) {
    let Some(level) = levels.last_mut() else { return };
    if level.keyed {
        level.keyed = false;
    } else {
        if level.filled {
            out.push(b',');
        }
        if !level.array {
            out.extend_from_slice(b"\"\":");
        }
    }
    level.filled = true;
}

/// Ends the innermost object or array.
fn end(levels: &mut Vec<Level>, out: &mut Vec<u8>) {
    if let Some(level) = levels.pop() {
        if level.keyed {
            out.extend_from_slice(b"null");
        }
        out.push(if level.array { b']' } else { b'}' });
    }
}

/// Appends the raw content of a string as a JSON string.
pub(super) fn string(raw: &[u8], out: &mut Vec<u8>) {
    let mut text = Vec::new();
    unescape(raw, &mut text);
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            0..0x20 => out.extend(format!("\\u{byte:04x}").bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tidied(value: &str) -> String {
        let mut out = Vec::new();
        repair(value.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_nearly_json() {
        for (value, expected) in [
            (
                r#"{"a": NaN, "b": [-inf, 0x1F, 007, .5]}"#,
                r#"{"a":"NaN","b":["-inf","0x1F","007",".5"]}"#,
            ),
            (r#"{"a":1,,"b":2,}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":1 "b":2}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":"say "hi" there"}"#, r#"{"a":"say \"hi\" there"}"#),
            ("{\"a\":\"tab\there\u{1}\"}", "{\"a\":\"tab\\there\\u0001\"}"),
            (r#"{"a":"\x41 \ud800"}"#, "{\"a\":\"\\\\x41 \u{fffd}\"}"),
            (r#"{"a":"C:\users\Ann"}"#, r#"{"a":"C:\\users\\Ann"}"#),
            (r#"{"a":[1,2"#, r#"{"a":[1,2]}"#),
            (r#"{"a":[1,2},"b":3}"#, r#"{"a":[1,2],"b":3}"#),
            (r#"{"a":}"#, r#"{"a":null}"#),
            (r#"{"a"}"#, r#"{"":"a"}"#),
            ("[1 2]", "[1,2]"),
            ("nan", "\"nan\""),
            (r#"{"a":"cut"#, r#"{"a":"cut"}"#),
        ] {
            assert_eq!(tidied(value), expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn anything_becomes_json(tokens in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\"", ",", ":", " ", "\\", "a", "1", "-", "NaN", "\"k\":", "\"v\"", "\u{7}", "é", "null",
        ]), 1..40)) {
            let value = format!("{{{}", tokens.concat());
            let tidied = tidied(&value);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&tidied).is_ok(), "{} -> {}", value, tidied);
        }
    }
}
