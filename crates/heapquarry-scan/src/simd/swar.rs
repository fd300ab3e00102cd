//! Eight bytes at a time in ordinary registers: for every CPU, and for input too short for others.

use super::{Algorithm, BEFORE, BLOCK, Isa, MAX_NUMBERS, Number, WINDOW};

/// Ordinary 64-bit arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Swar;

/// `byte` in each of the eight bytes.
#[inline(always)]
const fn splat(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

const HIGH: u64 = splat(0x80);
const LOW7: u64 = splat(0x7F);

/// The eight bytes at `at`, the first in the lowest bits.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    let bytes: &[u8; 8] = bytes[at..at + 8].try_into().expect("eight bytes");
    u64::from_le_bytes(*bytes)
}

/// The high bit of each byte that is zero. Exact: the additions do not carry into the next byte.
#[inline(always)]
const fn zeros(word: u64) -> u64 {
    !(((word & LOW7) + LOW7) | word) & HIGH
}

/// The high bit of each byte that is greater than `byte`, which is ASCII.
#[inline(always)]
const fn above(word: u64, byte: u8) -> u64 {
    (((word & LOW7) + splat(0x7F - byte)) | word) & HIGH
}

/// The high bit of each byte that is not a digit.
#[inline(always)]
pub(crate) const fn not_digits(word: u64) -> u64 {
    above(word ^ splat(b'0'), 9)
}

/// The number that eight digits make, the first in the lowest byte. Only the low four bits of each
/// count.
#[inline(always)]
pub(crate) const fn eight_digits(word: u64) -> u64 {
    // Join neighbours: 1 2 3 4 5 6 7 8 -> 12 34 56 78 -> 1234 5678 -> 12345678. A product has each
    // word times ten in the place of its neighbour, where the neighbour is added; the joined value
    // is then above both.
    let word = (word & splat(0x0F)).wrapping_mul(10 << 8 | 1) >> 8;
    let word = (word & 0x00FF_00FF_00FF_00FF).wrapping_mul(100 << 16 | 1) >> 16;
    (word & 0x0000_FFFF_0000_FFFF).wrapping_mul(10_000 << 32 | 1) >> 32
}

/// [`Isa::numbers`] without special instructions.
#[inline(always)]
pub(crate) fn numbers<T: Number>(
    window: &[u8; WINDOW],
    mut starts: u64,
    mut ends: u64,
    wide: bool,
    out: &mut [T; MAX_NUMBERS],
) -> bool {
    let (mut index, mut fits) = (0, true);
    while ends != 0 {
        let (start, end) = (starts.trailing_zeros(), ends.trailing_zeros());
        starts &= starts.wrapping_sub(1);
        ends &= ends - 1;
        let length = end.wrapping_sub(start);
        // Replace the bytes before the digits by zeros. `length` is at least 1; the remainders
        // change nothing, but show the compiler that there is no overflow.
        let end = BEFORE + end as usize;
        let last = word(window, end - 8);
        let number = if !wide || length <= 8 {
            eight_digits(last & (u64::MAX << ((64 - 8 * length) % 64)))
        } else {
            let first = word(window, end - 16) & (u64::MAX << ((128 - 8 * length) % 64));
            eight_digits(first) * 100_000_000 + eight_digits(last)
        };
        out[index % MAX_NUMBERS] = T::truncate(number);
        fits &= !wide || T::from_u64(number).is_some();
        index += 1;
    }
    fits
}

/// One bit for each byte of the block whose high bit `test` sets.
#[inline(always)]
fn mask(block: [u64; 8], test: impl Fn(u64) -> u64) -> u64 {
    let mut mask = 0;
    for (index, word) in block.into_iter().enumerate() {
        // The product moves the high bit of byte `i` to bit `56 + i`, and no two bits meet.
        let bits = test(word).wrapping_mul(0x0002_0408_1020_4081) >> 56;
        mask |= bits << (8 * index);
    }
    mask
}

impl Isa for Swar {
    type Block = [u64; 8];

    #[inline(always)]
    fn enter<A: Algorithm>(self, algorithm: A) -> A::Output {
        algorithm.run(self)
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> Self::Block {
        std::array::from_fn(|index| word(bytes, 8 * index))
    }

    #[inline(always)]
    fn equal(self, block: Self::Block, byte: u8) -> u64 {
        mask(block, |word| zeros(word ^ splat(byte)))
    }

    #[inline(always)]
    fn above(self, block: Self::Block, byte: u8) -> u64 {
        mask(block, |word| above(word, byte))
    }

    #[inline(always)]
    fn digits(self, block: Self::Block) -> u64 {
        mask(block, |word| not_digits(word) ^ HIGH)
    }

    #[inline(always)]
    fn blanks(self, block: Self::Block) -> u64 {
        mask(block, |word| {
            zeros(word ^ splat(b' '))
                | zeros(word ^ splat(b'\n'))
                | zeros(word ^ splat(b'\r'))
                | zeros(word ^ splat(b'\t'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight() {
        for (digits, value) in
            [(b"00000000", 0), (b"12345678", 12_345_678), (b"99999999", 99_999_999)]
        {
            assert_eq!(eight_digits(u64::from_le_bytes(*digits)), value);
        }
    }
}
