//! The integer tokenizer.

mod blocks;
mod one;

use crate::kernel::Kernel;
pub use crate::simd::Number;

/// Why [`read_integers`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is left, or only blanks: `read` is the length of the bytes. Takes precedence over
    /// `Full`.
    End,
    /// There is no room for another number.
    Full,
    /// The value at `read` is not a plain unsigned integer: see [`read_odd`](crate::read_odd).
    Odd,
}

/// Result of [`read_integers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// Bytes read, up to and including the comma after the last number. A value, or the blanks
    /// before it, begins there.
    pub read: usize,
    /// Numbers written to the front of `out`.
    pub numbers: usize,
    /// Why reading stopped.
    pub stop: Stop,
}

/// Reads comma-separated unsigned integers, with blanks anywhere around them.
///
/// `bytes` starts at the start of a value, or at the blanks before it, and holds complete values:
/// its end also ends the last value. A comma at the very end is allowed, because a claim ends with
/// one. A caller that needs to know whether a value is missing after it looks at the last byte.
///
/// A value is [odd](Stop::Odd) if it is anything but one unsigned integer that fits a `T`: two
/// numbers without a comma between them, nothing, or any other bytes. Leading zeros are accepted.
///
/// The contents of `out` after the numbers are unspecified. Give it room for some hundred numbers:
/// the last 32 are not read at full speed.
///
/// ```
/// use heapquarry_scan::{Stop, Tokens, read_integers};
///
/// let mut out = [0u64; 100];
/// let tokens = read_integers(b"9,1,1\n,9,2,-3,4", &mut out);
/// assert_eq!(tokens, Tokens { read: 11, numbers: 5, stop: Stop::Odd });
/// assert_eq!(out[..5], [9, 1, 1, 9, 2]);
/// ```
pub fn read_integers<T: Number>(bytes: &[u8], out: &mut [T]) -> Tokens {
    read_integers_with(Kernel::chosen(), bytes, out)
}

/// The unsigned integer at the start of `bytes`, and its length in bytes; `None` if there is none
/// or it does not fit a `u64`. Whatever follows it is ignored.
///
/// ```
/// use heapquarry_scan::read_integer;
///
/// assert_eq!(read_integer(b"007,8"), Some((7, 3)));
/// assert_eq!(read_integer(b"-1"), None);
/// ```
#[inline]
pub fn read_integer(bytes: &[u8]) -> Option<(u64, usize)> {
    one::number(bytes, 0)
}

/// [`read_integers`] with a given kernel.
pub(crate) fn read_integers_with<T: Number>(kernel: Kernel, bytes: &[u8], out: &mut [T]) -> Tokens {
    kernel.run(blocks::ReadIntegers { bytes, out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads() {
        let cases: &[(&str, &[u64], usize, Stop)] = &[
            ("", &[], 0, Stop::End),
            (" \n", &[], 2, Stop::End),
            ("1,2,3", &[1, 2, 3], 5, Stop::End),
            ("1,2\n,3,", &[1, 2, 3], 7, Stop::End),
            ("1,2,3, ", &[1, 2, 3], 7, Stop::End),
            ("1,2,3,4", &[1, 2, 3], 6, Stop::Full),
            ("1,2,3,x", &[1, 2, 3], 6, Stop::Full),
            (",1", &[], 0, Stop::Odd),
            ("1,,2", &[1], 2, Stop::Odd),
            ("1, ,2", &[1], 2, Stop::Odd),
            ("1, 2 3", &[1], 2, Stop::Odd),
            ("18446744073709551615,18446744073709551616", &[u64::MAX], 21, Stop::Odd),
            ("00000000000000000000000000000000000000007", &[7], 41, Stop::End),
        ];
        for &(text, want, read, stop) in cases {
            let mut out = [0u64; 3];
            let got = read_integers(text.as_bytes(), &mut out);
            assert_eq!(got, Tokens { read, numbers: want.len(), stop }, "{text}");
            assert_eq!(&out[..want.len()], want, "{text}");
            let first = text.bytes().take_while(u8::is_ascii_digit).count();
            let first = text[..first].parse().ok().map(|number| (number, first));
            assert_eq!(read_integer(text.as_bytes()), first, "{text}");
        }
        let none: &mut [u64] = &mut [];
        assert_eq!(read_integers(b"1", none), Tokens { read: 0, numbers: 0, stop: Stop::Full });
    }
}
