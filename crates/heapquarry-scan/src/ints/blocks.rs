//! Tokenizes many integers at once.
//!
//! # Algorithm
//!
//! A block is 64 bytes that begin at the start of a value. Only the bytes up to and including its
//! last comma count, so they hold complete values; the next block begins after that comma. Nothing
//! is carried from block to block.
//!
//! ```text
//! read values one by one until there are 16 bytes before the next one
//! while a block fits the bytes and 32 numbers fit the output:
//!     digits, commas, blanks = masks of the block, up to and including its last comma
//!     starts = digits & !(digits << 1)       first digits
//!     ends   = (digits << 1) & !digits       what follows last digits: a comma or a blank
//!     landed = where one comes from `ends` if one walks over blanks
//!     if every byte is digit, comma or blank, and landed == commas:
//!         convert all numbers, wherever they are, at once
//!     else:
//!         read this block's values one by one, which finds the odd one
//! read what is left one by one
//! ```
//!
//! `landed == commas` is the whole grammar check. A number followed by another one without a comma
//! would land on a digit. An empty value would leave a comma without a landing. Two numbers cannot
//! land on the same comma, because there are only blanks between a number and its landing position.
//!
//! The walk over blanks is an addition. A bit added to the lowest bit of a run of ones carries
//! through the run and comes out above it, where there is a zero:
//!
//! ```text
//! bytes            7 _ _ , _ 9 ,        (bit 0 on the left)
//! blanks           0 1 1 0 1 0 0
//! ends             0 1 0 0 0 0 1
//! ends & blanks    0 1 0 0 0 0 0
//! sum              0 0 0 1 1 0 0        blanks + (ends & blanks)
//! sum | ends       0 1 0 1 1 0 1        adds those that need not walk
//! ... & !blanks    0 0 0 1 0 0 1        drops runs that no number walked through
//! ```
//!
//! The start of a block depends on the end of the previous one, so the CPU must wait for it. Blocks
//! at fixed distances, with 16 bytes of overlap to keep numbers complete, were measured and were no
//! faster.

use super::{Stop, Tokens, one};
use crate::simd::{Algorithm, BEFORE, BLOCK, Isa, MAX_NUMBERS, Number, WINDOW};

/// [`read_integers`](super::read_integers).
pub(super) struct ReadIntegers<'a, T> {
    pub(super) bytes: &'a [u8],
    pub(super) out: &'a mut [T],
}

impl<T: Number> Algorithm for ReadIntegers<'_, T> {
    type Output = Tokens;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Tokens {
        let Self { bytes, out } = self;
        let first = one::read(bytes, BEFORE, out);
        let Tokens { mut read, mut numbers, .. } = first;
        if read < BEFORE {
            // The end, an odd value, or no room.
            return first;
        }
        while let Some(window) = bytes[read - BEFORE..].first_chunk::<WINDOW>()
            && let Some(room) = out[numbers..].first_chunk_mut::<MAX_NUMBERS>()
        {
            let block = isa.load(window.last_chunk().expect("a window ends with a block"));
            let commas = isa.equal(block, b',');
            let length = BLOCK - commas.leading_zeros() as usize;
            if length == 0 {
                // A value, or the blanks around it, is longer than a block.
                let tokens = one::read(&bytes[read..], usize::MAX, &mut room[..1]);
                read += tokens.read;
                numbers += tokens.numbers;
                if tokens.stop != Stop::Full {
                    return Tokens { read, numbers, stop: tokens.stop };
                }
                continue;
            }
            let whole = u64::MAX >> (BLOCK - length);
            let digits = isa.digits(block) & whole;
            let starts = digits & !(digits << 1);
            let ends = (digits << 1) & !digits;
            let mut landed = ends;
            let mut other = (digits | commas) ^ whole;
            // Many files have no blanks, and this is a tenth of the work.
            if other != 0 {
                let blanks = isa.blanks(block) & whole;
                // Cannot overflow: the highest bit of `whole` is a comma, not a blank.
                landed = ((blanks + (blanks & ends)) | ends) & !blanks;
                other ^= blanks;
            }
            // First digits of runs of at least 2, 4, 8, 9 and 17 digits.
            let run2 = digits & digits >> 1;
            let run4 = run2 & run2 >> 2;
            let run8 = run4 & run4 >> 4;
            let run9 = run8 & digits >> 8;
            let run17 = run9 & run8 >> 9;
            if (landed ^ commas) | other | run17 != 0
                || !isa.numbers(window, block, starts, ends, run9 != 0, room)
            {
                // Irregular, or so long that it must be checked for overflow.
                let tokens = one::read(&bytes[read..read + length], usize::MAX, room);
                read += tokens.read;
                numbers += tokens.numbers;
                if tokens.stop != Stop::End {
                    return Tokens { read, numbers, stop: tokens.stop };
                }
                continue;
            }
            read += length;
            numbers += commas.count_ones() as usize;
        }
        let last = one::read(&bytes[read..], usize::MAX, &mut out[numbers..]);
        Tokens { read: read + last.read, numbers: numbers + last.numbers, stop: last.stop }
    }
}
