//! Skipping values.

use heapquarry_scan::{Skipped, bench::Kernel};
use proptest::prelude::*;

use crate::{config, few, kernels, naive, show};

/// The end of the value if `bytes` come in pieces that end at `cuts` (and at the end).
fn feed(kernel: Kernel, bytes: &[u8], cuts: &[usize]) -> Option<usize> {
    let mut skipper = kernel.skipper();
    let mut at = 0;
    for &cut in cuts.iter().chain([&bytes.len()]) {
        match skipper.feed(&bytes[at..cut]) {
            Skipped::More => assert!(!skipper.at_end()),
            Skipped::Done(length) => {
                assert!(skipper.at_end());
                assert!(length <= cut - at);
                assert_eq!(skipper.feed(b"1"), Skipped::Done(0));
                return Some(at + length);
            }
        }
        at = cut;
    }
    None
}

fn oracle(bytes: &[u8]) -> Option<usize> {
    match naive::Skipper::default().feed(bytes) {
        Skipped::More => None,
        Skipped::Done(length) => Some(length),
    }
}

/// With no cut, one at each position, and cuts everywhere.
fn check(bytes: &[u8]) {
    let want = oracle(bytes);
    let everywhere: Vec<usize> = (0..bytes.len()).collect();
    for kernel in kernels() {
        let context = || format!("{} {}", kernel.name(), show(bytes));
        assert_eq!(feed(kernel, bytes, &[]), want, "{}", context());
        assert_eq!(feed(kernel, bytes, &everywhere), want, "{}", context());
        for cut in few(0..bytes.len()) {
            assert_eq!(feed(kernel, bytes, &[cut]), want, "{cut} {}", context());
        }
    }
}

const VALUES: &[&str] = &[
    "",
    " ",
    "12,",
    "  true ]",
    "\"\",",
    r#""a\"b\\",1"#,
    r#""a\\\"],["x"#,
    "[],",
    "{}}",
    "[[[[]]]]]",
    r#"{"a":[1,2,{"b":"]}"}],"c":"\\"},"d""#,
    r#" [ "\\\\\\\"" , "[" ] ,"#,
    r#"["\u005d","\"]"]]"#,
    "[\\\"]\\\"]\"]",
    "{]",
    "]",
    ":1",
];

#[test]
fn every_split() {
    for value in VALUES {
        check(value.as_bytes());
    }
}

#[test]
fn every_split_of_long_values() {
    let numbers = format!("[{}] ,", "123,4567\n,".repeat(40));
    let strings = format!("[{}]]", r#""ab\"c","[\\",{"x":[1]},"#.repeat(12));
    let backslashes = format!("[\"{}\"]]", "\\\\".repeat(100));
    let nested = format!("{}{}]", "[{\"\":".repeat(30), "}]".repeat(30));
    let not_json = format!("[{}]]]]]]", "1,\\\"]\",\\\\[2],".repeat(20));
    let only_outside = format!("[\\\"]\",{}1]]", "1,".repeat(60));
    for text in [numbers, strings, backslashes, nested, not_json, only_outside] {
        check(text.as_bytes());
    }
}

#[test]
fn every_alignment_and_length() {
    let text = r#"[1,"a]\"b",{"c":[]}],"\\",  [[2]] 3 "#.repeat(10);
    for start in few(0..64) {
        for length in few(0..201) {
            let bytes = &text.as_bytes()[start..start + length];
            for kernel in kernels() {
                assert_eq!(feed(kernel, bytes, &[]), oracle(bytes), "{}", show(bytes));
            }
        }
    }
}

#[test]
fn backslashes_at_every_position() {
    // What follows them: the end, a block without anything, and a quote with a backslash after it.
    let digits = "1".repeat(130);
    for after in ["", &digits, "\"\\n", &format!("\"{digits}\\\\")] {
        for before in few(0..70) {
            for count in few(0..70) {
                let text = format!("[\"{}{}{after}\"]\"]", "1".repeat(before), "\\".repeat(count));
                let bytes = text.as_bytes();
                for kernel in kernels() {
                    assert_eq!(feed(kernel, bytes, &[]), oracle(bytes), "{text}");
                }
            }
        }
    }
}

#[test]
fn deep() {
    let depth = if cfg!(miri) { 500 } else { 1_000_000 };
    let text = "[".repeat(depth) + &"]".repeat(depth);
    for kernel in kernels() {
        assert_eq!(feed(kernel, text.as_bytes(), &[]), Some(2 * depth));
        assert_eq!(feed(kernel, &text.as_bytes()[..2 * depth - 1], &[depth]), None);
    }
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn almost_json(tokens in prop::collection::vec(prop_oneof![
        3 => r#""([\]\[}{,x1]|\\["\\n]){0,20}""#,
        2 => "[0-9]{1,80}",
        3 => prop::sample::select(&["[", "]", "{", "}", ",", ":", "\n"][..]).prop_map(String::from),
    ], 0..60), open in 0usize..20) {
        let text = "[".repeat(open) + &tokens.concat();
        let bytes = text.as_bytes();
        for kernel in kernels() {
            prop_assert_eq!(feed(kernel, bytes, &[]), oracle(bytes), "{}", kernel.name());
        }
    }

    #[test]
    fn random(
        bytes in prop::collection::vec(prop::sample::select(&b"[]{}\"\"\\\\,: 1ab\n"[..]), 0..300),
        open in 0usize..40,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let mut text = b"[".repeat(open);
        text.extend(bytes);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.sort_unstable();
        for kernel in kernels() {
            prop_assert_eq!(feed(kernel, &text, &cuts), oracle(&text), "{}", kernel.name());
        }
    }
}
