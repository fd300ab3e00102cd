//! Following brackets.

use crate::{config, few, kernels, naive, show};
use proptest::prelude::*;

fn check(bytes: &[u8]) {
    let opens = bytes.iter().filter(|&&byte| byte == b'[').count() as u64;
    for depth in [0, 1, 5, 1000] {
        for most in [1, opens / 2, opens, opens + 1] {
            if most > 0 {
                let want = naive::scan_nesting(bytes, depth, most);
                for kernel in kernels() {
                    let found = kernel.scan_nesting(bytes, depth, most);
                    assert_eq!(found, want, "{} {depth} {most} {}", kernel.name(), show(bytes));
                }
            }
        }
    }
}

#[test]
fn every_alignment_and_length() {
    let text = b"1,22,[3,[4,5,[]],6,[]],".repeat(20);
    for start in few(0..64) {
        for length in few(0..201) {
            check(&text[start..start + length]);
        }
    }
}

#[test]
fn every_stop_at_every_position() {
    let text = b"12,[3456,[7]],".repeat(20);
    for position in few(0..text.len()) {
        let mut text = text.clone();
        for stop in b"]\" -{z\x80" {
            text[position] = *stop;
            check(&text);
        }
    }
}

#[test]
fn every_byte() {
    for byte in few(0..256) {
        check(&[byte as u8; 130]);
    }
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn random(bytes in prop::collection::vec(prop_oneof![
        100 => Just(b'['), 100 => Just(b']'), 300 => Just(b','), 1500 => b'0'..=b'9', 1 => any::<u8>(),
    ], 0..1000)) {
        check(&bytes);
    }
}
