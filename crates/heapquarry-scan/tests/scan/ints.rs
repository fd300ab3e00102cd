//! Reading integers.

use heapquarry_scan::{Number, Stop};
use proptest::prelude::*;
use std::str::FromStr;

use crate::{config, few, kernels, naive, show};

/// Reads with room for `room` numbers at a time, and on behind odd values.
fn check_with(bytes: &[u8], room: usize) {
    check_as::<u64>(bytes, room);
    check_as::<u32>(bytes, room);
}

fn check_as<T: Number + FromStr + PartialEq + std::fmt::Debug>(bytes: &[u8], room: usize) {
    for kernel in kernels() {
        let (mut got, mut want) = (vec![T::default(); room], vec![T::default(); room]);
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            let tokens = kernel.read_integers(rest, &mut got);
            let expected = naive::read_integers(rest, &mut want);
            let context = || format!("{} {room} {at} {}", kernel.name(), show(bytes));
            assert_eq!(tokens, expected, "{}", context());
            assert_eq!(got[..tokens.numbers], want[..tokens.numbers], "{}", context());
            at += tokens.read;
            match tokens.stop {
                Stop::Full if room > 0 => {}
                // On behind it.
                Stop::Odd => match bytes[at..].iter().position(|&byte| byte == b',') {
                    Some(comma) => at += comma + 1,
                    None => break,
                },
                _ => break,
            }
        }
    }
}

/// With room for everything, and with room for less.
fn check(bytes: &[u8]) {
    check_with(bytes, bytes.len() + 33);
    check_with(bytes, 40);
}

/// Numbers of every width, each with every width before it somewhere.
fn widths(separator: &str) -> String {
    let digits = "98765432101234567890";
    let mut text = String::new();
    for first in 1..=20 {
        for second in 1..=20 {
            text += &digits[20 - first..];
            text += separator;
            text += &digits[..second];
            text += separator;
        }
    }
    text
}

#[test]
fn every_alignment_and_length() {
    for text in ["9,1,1\n,9,2,", "123,4567,89\n,", "1 , 22,\t333,\r\n4444 ,", "7,", "1234567890,5,"]
    {
        let text = text.repeat(300 / text.len());
        for start in few(0..64) {
            for length in few(0..201) {
                check(&text.as_bytes()[start..start + length]);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn every_width() {
    for separator in [",", "\n,", ", ", " ,\r\n\t"] {
        let text = widths(separator);
        // Each start shifts the blocks against the numbers.
        for start in few(0..64) {
            let start = start + text[start..].find(',').unwrap() + 1;
            // 20 digits of these are too large for some; skip to after such a value.
            let mut at = start;
            while at < text.len() {
                let rest = &text.as_bytes()[at..text.len().min(at + 700)];
                let mut out = vec![0u64; rest.len()];
                check_with(rest, rest.len());
                let tokens = naive::read_integers(rest, &mut out);
                at += tokens.read.max(1);
                at += text[at.min(text.len())..].find(',').map_or(text.len(), |comma| comma + 1);
            }
        }
    }
}

#[test]
fn largest() {
    let zeros = "0".repeat(400);
    let nines = "9".repeat(400);
    for value in [
        "4294967295",
        "4294967296",
        "999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551609",
        "18446744073709551620",
        "99999999999999999999",
        "28446744073709551615",
        "9999999999999999999",
        "10000000000000000",
        "9999999999999999",
        &zeros,
        &nines,
        &format!("{zeros}7"),
        &format!("{zeros}18446744073709551615"),
        &format!("{zeros}18446744073709551616"),
    ] {
        for before in few(0..80) {
            let text = format!("{}{value},1,2,3{}", "5,".repeat(before), ",123456".repeat(30));
            check(text.as_bytes());
        }
    }
    // Too large for 32 bits, and the lower 32 bits of the whole block are zero.
    let block = "4294967296,".repeat(4) + &"0000,".repeat(4);
    for before in few(8..40) {
        check(("5,".repeat(before) + &block.repeat(3)).as_bytes());
    }
}

#[test]
fn every_odd_value_at_every_position() {
    let values: Vec<String> = (0..60u64).map(|n| (n * n * n * 12_345).to_string()).collect();
    for separator in [",", "\n,"] {
        for odd in [
            "",
            " ",
            "-1",
            "1.5",
            "1 2",
            "1\n2",
            "x",
            "1x",
            "x1",
            "+1",
            "[1]",
            "\"1\"",
            "1e3",
            "/",
            ":",
            "\0",
            "1\u{b}",
            "\u{80}",
            "\u{a0}1",
            "99999999999999999999",
            "null",
        ] {
            for position in few(0..values.len()) {
                let mut values = values.clone();
                values[position] = odd.to_string();
                check(values.join(separator).as_bytes());
            }
        }
    }
}

#[test]
fn every_byte_at_every_position() {
    let text = b"1,22,333,4444\n,55555,666666,7777777,88888888,999999999\n,".repeat(3);
    for position in few(0..text.len()) {
        for byte in few(0..256) {
            let mut text = text.clone();
            text[position] = byte as u8;
            check_with(&text, 100);
        }
    }
}

#[test]
fn many_blanks() {
    for blanks in few(0..200) {
        let blanks = " \n\t\r".chars().cycle().take(blanks).collect::<String>();
        let text = format!("1,2,{blanks}3{blanks},{blanks}4,5{blanks},6{blanks}");
        check(text.as_bytes());
        check(format!("{text}7").as_bytes());
        check(format!("{},{text}{}", "8".repeat(16), ",9".repeat(100)).as_bytes());
    }
}

#[test]
fn every_room() {
    let text = "1,22,333\n,".repeat(50);
    for room in few(0..151) {
        check_with(text.as_bytes(), room);
    }
}

fn separator() -> impl Strategy<Value = &'static str> {
    prop_oneof![20 => Just(","), 5 => Just("\n,"), 1 => Just(" ,\t"), 1 => Just(", ")]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => (1u32..=20, any::<u64>()).prop_map(|(width, n)| {
            // The width of the largest is beyond what a power of ten can tell.
            if width == 20 { n.to_string() } else { (n % 10u64.pow(width)).to_string() }
        }),
        1 => "0{0,30}[0-9]{1,20}",
    ]
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_values(values in prop::collection::vec((value(), separator()), 0..200), room in 0usize..300) {
        let text: String = values.iter().flat_map(|(value, separator)| [value, *separator]).collect();
        check_with(text.as_bytes(), room);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(prop_oneof![
        300 => b'0'..=b'9',
        100 => Just(b','),
        10 => prop::sample::select(&b" \n\r\t"[..]),
        1 => any::<u8>(),
    ], 0..600)) {
        check(&bytes);
    }
}
