//! Reading values that are no plain integers.

use heapquarry_scan::{Odd, Stop, read_integers, read_odd};
use proptest::prelude::*;
use serde_json::Value;

use crate::{config, naive};

/// A value alone, before a comma, and with blanks around.
fn check(text: &str, want: Odd) {
    for (before, after) in [("", ""), ("", ","), (" \n", "\t ,"), ("", ",5,[\""), (" ", "\r\n")] {
        let bytes = format!("{before}{text}{after}");
        let length = match after.find(',') {
            Some(comma) => before.len() + text.len() + comma + 1,
            None => bytes.len(),
        };
        assert_eq!(read_odd(bytes.as_bytes()), (want, length), "{bytes:?}");
    }
}

/// Whether `text` is nothing for `read_odd`.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && read_integers(text.as_bytes(), &mut [0u64]).stop == Stop::End
}

/// A number as JSON writes it, with some freedom in the exponent.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        r"-?(0|[1-9][0-9]{0,21})(\.[0-9]{1,21})?([eE][+-]?[0-9]{1,2})?",
        r"-?(0|[1-9][0-9]{0,3}0{0,3})(\.[0-9]{1,3}0{0,3})?([eE][+-]?0{0,2}[0-9])?",
        any::<i64>().prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| format!("{n}.0")),
        any::<i64>().prop_map(|n| format!("{n}00e-2")),
    ]
}

/// Any JSON value, nested some levels.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
        r#"[\\",\[\]{}]*"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map(r#"[\\",\[\]{}a]*"#, inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn far_exponents() {
    // Beyond what the oracle can write out.
    for (text, want) in [
        ("1e999999999999999999999", Odd::TooLarge),
        ("1e-999999999999999999999", Odd::Fraction),
        ("0e999999999999999999999", Odd::Form(0)),
        ("-0.0e-99999999999999999999", Odd::Form(0)),
        ("1e9223372036854775807", Odd::TooLarge),
        ("0.1e9223372036854775808", Odd::TooLarge),
        ("10e-9223372036854775808", Odd::Fraction),
    ] {
        check(text, want);
    }
}

#[test]
fn long_digits() {
    let zeros = "0".repeat(1000);
    check(&format!("1{zeros}e-1000"), Odd::Form(1));
    check(&format!("-1{zeros}.{zeros}e-998"), Odd::Form(-100));
    check(&format!("0.{zeros}5e1001"), Odd::Form(5));
    check(&format!("0.{zeros}5e1000"), Odd::Fraction);
    check(&format!("-{zeros}5"), Odd::Negative(-5));
    check(&format!("1{zeros}"), Odd::TooLarge);
    check(&"9".repeat(1000), Odd::TooLarge);
}

#[test]
fn unbalanced() {
    for (text, length) in [
        ("\"a,b", 4),
        ("[1,2", 4),
        ("{\"a\":[1,2},3", 12),
        ("],3", 2),
        ("1],3", 3),
        ("\\\"a,b\",3", 7),
    ] {
        assert_eq!(read_odd(text.as_bytes()), (Odd::NotANumber, length), "{text}");
    }
}

#[test]
fn deep() {
    let depth = if cfg!(miri) { 1000 } else { 1_000_000 };
    let text = "[".repeat(depth) + &"]".repeat(depth) + ",1";
    assert_eq!(read_odd(text.as_bytes()), (Odd::NotANumber, 2 * depth + 1));
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn numbers(text in number()) {
        if is_plain(&text) {
            return Ok(());
        }
        check(&text, naive::classify(&text));
        // And what serde_json can say about it.
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if value.as_i64().is_some() => {
                let value = value.as_i64().unwrap();
                check(&text, Odd::Negative(value));
            }
            Ok(value) => assert!(value.is_number()),
            Err(error) => assert!(error.to_string().contains("out of range"), "{error}"),
        }
    }

    #[test]
    fn values(value in json()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            if value.is_number() {
                prop_assert!(is_plain(&text) || read_odd(text.as_bytes()).0 != Odd::NotANumber);
            } else {
                check(&text, Odd::NotANumber);
            }
        }
    }

    #[test]
    fn numbers_and_almost_numbers(text in r"[-+0-9.eE a]{0,8}") {
        if is_plain(&text) {
            return Ok(());
        }
        // Leading zeros are no JSON, but are read.
        let text = text.trim_matches(' ');
        let digits = text.trim_start_matches('-');
        let sign = &text[..text.len() - digits.len()];
        let rest = digits.trim_start_matches('0');
        let zero = if rest.starts_with(|c: char| c.is_ascii_digit()) || rest == digits { "" } else { "0" };
        let valid = match serde_json::from_str::<Value>(&format!("{sign}{zero}{rest}")) {
            Ok(value) => value.is_number(),
            Err(error) => error.to_string().contains("out of range"),
        };
        prop_assert_eq!(read_odd(text.as_bytes()).0 != Odd::NotANumber, valid, "{}", text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (_, length) = read_odd(&bytes);
        prop_assert!(length <= bytes.len());
        prop_assert!(length == bytes.len() || bytes[length - 1] == b',');
    }
}
