//! Messages of the protocol, without decoding what they carry.

use heapquarry_scan::{Skipped, Skipper, is_blank};
use serde_json::Value;
use std::iter;

/// The value of a member of an object, as it is written; `None` if there is none.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    members(object).find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// The names and values of an object, as they are written, up to what is none.
pub(crate) fn members(object: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = blanks(object).strip_prefix('{').unwrap_or_default();
    iter::from_fn(move || {
        let (name, after) = key(rest)?;
        let found = value(after)?;
        rest = &after[found.len()..];
        Some((name, found))
    })
}

/// The name of the next member, and the text from its value on; `None` if there is none.
pub(crate) fn key(text: &str) -> Option<(&str, &str)> {
    let text = next(text);
    let key = value(text).filter(|key| key.starts_with('"'))?;
    let after = blanks(&text[key.len()..]).strip_prefix(':')?;
    Some((&key[1..key.len() - 1], blanks(after)))
}

/// What comes after a bracket, if that is next.
pub(crate) fn after(text: &str, bracket: char) -> Option<&str> {
    blanks(text).strip_prefix(bracket)
}

/// What comes after a comma, if there is one.
pub(crate) fn next(text: &str) -> &str {
    let rest = blanks(text);
    rest.strip_prefix(',').map_or(rest, blanks)
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
pub(crate) fn value(text: &str) -> Option<&str> {
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
