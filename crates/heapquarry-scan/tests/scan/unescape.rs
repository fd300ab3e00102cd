//! Unescaping strings.

use heapquarry_scan::{Unescaped, unescape};
use proptest::prelude::*;

use crate::{config, naive};

fn run(raw: &[u8]) -> (Vec<u8>, Unescaped) {
    // What is there already must stay.
    let mut out = b"before".to_vec();
    let report = unescape(raw, &mut out);
    assert!(out.starts_with(b"before"));
    (out.split_off(6), report)
}

/// Every character as `\u` escapes.
fn escape_all(text: &str, upper: bool) -> String {
    let units = text.encode_utf16();
    units
        .map(|unit| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") })
        .collect()
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn valid(text in ".*", upper: bool) {
        let json = serde_json::to_string(&text).unwrap();
        for raw in [&json[1..json.len() - 1], &escape_all(&text, upper)] {
            let (out, report) = run(raw.as_bytes());
            prop_assert_eq!(&out, text.as_bytes());
            prop_assert_eq!(report, Unescaped::default());
        }
    }

    #[test]
    fn like_serde_json(raw in r#"([ -!#-\[\]-~é😀]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,20}"#) {
        let (out, report) = run(raw.as_bytes());
        match serde_json::from_str::<String>(&format!("\"{raw}\"")) {
            Ok(text) => {
                prop_assert_eq!(&out, text.as_bytes());
                prop_assert_eq!(report, Unescaped::default());
            }
            // All that can be wrong in these.
            Err(_) => prop_assert!(report.lone_surrogates > 0 && report.bad_escapes == 0),
        }
    }

    #[test]
    fn like_the_naive_one(raw in prop::collection::vec(prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        prop::sample::select(&b"\\\\\\\"/bfnrtuuxDd089"[..]).prop_map(|byte| vec![byte]),
        prop::sample::select(&["\\ud83d", "\\uDE00", "\\u0041", "\\u12", "\\uD8", "\\u"][..])
            .prop_map(|text| text.as_bytes().to_vec()),
    ], 0..30)) {
        let raw = raw.concat();
        prop_assert_eq!(run(&raw), naive::unescape(&raw));
    }
}
