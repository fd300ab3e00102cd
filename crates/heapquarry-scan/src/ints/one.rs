//! Reads one number after the other: at the ends, for long numbers, and to find exactly what is
//! wrong.

use super::{Stop, Tokens};
use crate::{
    blank::skip_blanks,
    simd::{
        Number,
        swar::{eight_digits, not_digits},
    },
};

/// [`read_integers`](super::read_integers) without blocks. Also stops before a value that starts at
/// `until` or later, as if there were no room for it.
pub(super) fn read<T: Number>(bytes: &[u8], until: usize, out: &mut [T]) -> Tokens {
    let (mut at, mut numbers) = (0, 0);
    loop {
        let start = skip_blanks(bytes, at);
        if start == bytes.len() {
            return Tokens { read: start, numbers, stop: Stop::End };
        }
        if numbers == out.len() || at >= until {
            return Tokens { read: at, numbers, stop: Stop::Full };
        }
        let odd = Tokens { read: at, numbers, stop: Stop::Odd };
        let Some((value, end)) = number(bytes, start) else { return odd };
        let Some(value) = T::from_u64(value) else { return odd };
        let end = skip_blanks(bytes, end);
        at = match bytes.get(end) {
            None => end,
            Some(b',') => end + 1,
            Some(_) => return odd,
        };
        out[numbers] = value;
        numbers += 1;
    }
}

/// The number that starts at `start`, and its end; `None` if there is none or it is too large.
#[inline]
pub(super) fn number(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    let mut at = start;
    // Two times eight digits cannot overflow.
    for _ in 0..2 {
        let Some(word) = bytes[at..].first_chunk() else { break };
        let word = u64::from_le_bytes(*word);
        let length = not_digits(word).trailing_zeros() / 8;
        if length == 0 {
            break;
        }
        // Shifts the digits to the end, with zeros before them.
        value = value * POWERS[length as usize] + eight_digits(word << (64 - 8 * length));
        at += length as usize;
        if length < 8 {
            return Some((value, at));
        }
    }
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&d| d <= 9) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        at += 1;
    }
    (at > start).then_some((value, at))
}

/// Powers of ten.
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
