//! Messages of the protocol, without decoding what they carry.

use heapquarry_scan::{Skipped, Skipper, is_blank};
use serde_json::Value;

/// The value of a member of an object, as it is written; `None` if there is none.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = blanks(object).strip_prefix('{')?;
    loop {
        rest = blanks(rest);
        rest = rest.strip_prefix(',').map_or(rest, blanks);
        let key = value(rest).filter(|key| key.starts_with('"'))?;
        rest = blanks(&rest[key.len()..]).strip_prefix(':')?;
        rest = blanks(rest);
        let found = value(rest)?;
        if key[1..key.len() - 1] == *name {
            return Some(found);
        }
        rest = &rest[found.len()..];
    }
}

/// The content of a string, as it is written, with the closing quote.
pub(crate) fn string(value: &str) -> Option<&str> {
    value.strip_prefix('"')
}

/// A number, which can be a float.
pub(crate) fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64))
}

fn blanks(text: &str) -> &str {
    text.trim_start_matches(|c| u8::try_from(c).is_ok_and(is_blank))
}

/// The value that a text begins with.
fn value(text: &str) -> Option<&str> {
    match Skipper::new().feed(text.as_bytes()) {
        Skipped::Done(length) if length > 0 => text.get(..length),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_as_they_are_written() {
        let text = r#" {"id" : 1 ,"params":{"id":2,"x":"}\""},"s":"a\n\"b","n":null}"#;
        for (name, expected) in [
            ("id", Some("1")),
            ("params", Some(r#"{"id":2,"x":"}\""}"#)),
            ("s", Some(r#""a\n\"b""#)),
            ("n", Some("null")),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(member(text, name), expected, "{name}");
        }
        for text in ["", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":}", "{1:2}", "{\"a\":1"] {
            assert_eq!(member(text, "a"), None, "{text}");
        }
    }
}
