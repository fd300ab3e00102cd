//! Unescaping strings.

use heapquarry_scan::{Unescaped, Unescaper, bench::Kernel, unescape};
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

/// What one string gives that comes in pieces of these sizes.
fn in_pieces(kernel: Kernel, raw: &[u8], sizes: &[usize]) -> (Vec<u8>, Unescaped) {
    let (mut unescaper, mut out) = (kernel.unescaper(), b"before".to_vec());
    let (mut rest, mut sizes) = (raw, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().map_or(rest.len(), |size| (*size).clamp(1, rest.len()));
        assert_eq!(unescaper.feed(&rest[..size], &mut out), None);
        rest = &rest[size..];
    }
    assert_eq!(unescaper.feed(b"\"rest", &mut out), Some(1));
    let report = unescaper.finish(&mut out);
    (out.split_off(6), report)
}

#[test]
fn one_text_in_several_strings() {
    let (mut unescaper, mut out) = (Unescaper::new(), Vec::new());
    for (raw, end) in [
        (&b"\xF0\x9F"[..], None),
        (b"\x98\x80\"", Some(3)),
        (br#"\ud83d""#, Some(7)),
        (br#"\ude00\ud83d",1"#, Some(13)),
        (br#"x""#, Some(2)),
        (br"\", None),
        (br#"\"]"#, Some(2)),
        (br"\u1", None),
    ] {
        let found = unescaper.feed(raw, &mut out);
        assert_eq!(found, end, "{}", String::from_utf8_lossy(raw));
    }
    let report = unescaper.finish(&mut out);
    assert_eq!(String::from_utf8_lossy(&out), "😀😀\u{fffd}x\\\u{fffd}");
    assert_eq!(report, Unescaped { lone_surrogates: 1, bad_escapes: 1 });
}

#[test]
fn halves_and_ends() {
    for (raw, text, lone_surrogates, bad_escapes) in [
        (r"\ud83d\ude00", "😀", 0, 0),
        (r"\ude00\ude00", "\u{fffd}\u{fffd}", 2, 0),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}", 2, 0),
        (r"\ud83d\ud83d\ude00", "\u{fffd}😀", 1, 0),
        (r"\ud83d\ude00\ude00", "😀\u{fffd}", 1, 0),
        (r"\ud83dx\ude00", "\u{fffd}x\u{fffd}", 2, 0),
        (r"\ud83d\n\ude00", "\u{fffd}\n\u{fffd}", 2, 0),
        (r"x\", "x", 0, 1),
        (r"\ud83d\", "\u{fffd}", 1, 1),
        (r"\u", "\u{fffd}", 0, 1),
        (r"\ud83d\ude0", "\u{fffd}\u{fffd}", 1, 1),
    ] {
        let expected = Unescaped { lone_surrogates, bad_escapes };
        for kernel in Kernel::available() {
            for size in 1..=raw.len() {
                let (mut unescaper, mut out) = (kernel.unescaper(), Vec::new());
                for piece in raw.as_bytes().chunks(size) {
                    assert_eq!(unescaper.feed(piece, &mut out), None, "{raw}");
                }
                assert_eq!(unescaper.finish(&mut out), expected, "{raw}");
                assert_eq!(String::from_utf8_lossy(&out), text, "{raw}");
            }
        }
        assert_eq!(run(raw.as_bytes()), (text.as_bytes().to_vec(), expected), "{raw}");
        assert_eq!(naive::unescape(raw.as_bytes()).0, text.as_bytes(), "{raw}");
    }
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn pieces_give_what_the_whole_gives(
        raw in r#"([ !#-\[\]-~é😀]{0,90}(\\["\\/bfnrtx]|\\u[0-9a-fA-F]{0,4}|\\u[dD][8-9a-fA-F][0-9]{2})?){0,12}"#,
        sizes in proptest::collection::vec(1usize..100, 0..5),
    ) {
        for kernel in Kernel::available() {
            prop_assert_eq!(in_pieces(kernel, raw.as_bytes(), &sizes), run(raw.as_bytes()));
        }
    }

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
