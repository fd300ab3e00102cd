//! Counting commas.

use proptest::prelude::*;

use crate::{config, few, kernels, naive, show};

fn check(bytes: &[u8]) {
    let want = naive::count_commas(bytes);
    for kernel in kernels() {
        assert_eq!(kernel.count_commas(bytes), want, "{} {}", kernel.name(), show(bytes));
        let commas = bytes.iter().filter(|&&byte| byte == b',').count() as u64;
        for n in [1, commas / 2, commas.saturating_sub(1), commas, commas + 1] {
            if n > 0 {
                let want = naive::after_comma(bytes, n);
                assert_eq!(kernel.after_comma(bytes, n), want, "{n} {}", show(bytes));
            }
        }
    }
}

#[test]
fn every_alignment_and_length() {
    let text = b"1,22,,-3.5e,\n".repeat(40);
    for start in few(0..64) {
        for length in few(0..201) {
            check(&text[start..start + length]);
        }
    }
}

#[test]
fn every_stop_at_every_position() {
    let text = b"12,3456,7\n,".repeat(40);
    for position in few(0..text.len()) {
        let mut text = text.clone();
        for stop in b"]\"[:aZ\x7F\x80\xFF" {
            text[position] = *stop;
            check(&text);
        }
    }
}

#[test]
fn every_byte() {
    for byte in few(0..256) {
        let byte = byte as u8;
        check(&[b',', byte, b',']);
        check(&[byte; 300]);
    }
}

#[test]
fn nothing_but_commas() {
    // More than a byte can count.
    check(&[b','; 2000]);
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn random(bytes in prop::collection::vec(prop_oneof![
        500 => Just(b','), 1500 => b'0'..=b'9', 3 => any::<u8>(),
    ], 0..1000)) {
        check(&bytes);
    }
}
