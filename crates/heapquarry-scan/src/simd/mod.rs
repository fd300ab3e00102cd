//! The interface of an instruction set: masks of 64 bytes, and the conversion of numbers.
//!
//! # Design
//!
//! Every algorithm of this crate is written once, against [`Isa`]. It handles 64 bytes at a time as
//! a few `u64` masks, where bit `i` stands for byte `i`:
//!
//! ```text
//! bytes   1 2 , 7 \n , 9 5 0 ,
//! digits  1 1 0 1 0  0 1 1 1 0
//! commas  0 0 1 0 0  1 0 0 0 1
//! blanks  0 0 0 0 1  0 0 0 0 0
//! ```
//!
//! Everything else is integer arithmetic: `digits & !(digits << 1)` are the first digits of
//! numbers, a population count counts, a count of trailing zeros finds the next. (Bit 0 is the
//! first byte, so `<<` moves towards the end of the text; the picture is mirrored.)
//!
//! An implementation of [`Isa`] is a zero-sized token that only CPU detection makes, so its methods
//! are safe to call: they take references to arrays for memory, and the token for the instructions.
//! So the algorithms contain no unsafe code.
//!
//! The methods and the algorithms must all be `#[inline(always)]`: only [`Isa::enter`] has
//! `#[target_feature]`, and code that is not inlined into it is compiled for the oldest CPU. That
//! would be slow, not wrong.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub(crate) mod neon;
pub(crate) mod swar;

/// Bytes in a block.
pub(crate) const BLOCK: usize = 64;

/// Bytes before a block that [`Isa::numbers`] also reads, so that it can load the 16 bytes before
/// each position of the block.
pub(crate) const BEFORE: usize = 16;

/// A block with the bytes before it.
pub(crate) const WINDOW: usize = BEFORE + BLOCK;

/// The maximum count of numbers that end in a block: each needs a digit and a separator.
pub(crate) const MAX_NUMBERS: usize = BLOCK / 2;

/// Indexed by the low four bits of a byte: the blank with these bits, or 0 if there is none. (0 has
/// the low bits of the space, so no byte matches wrongly.)
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
const BLANKS: [u8; 16] = [b' ', 0, 0, 0, 0, 0, 0, 0, 0, b'\t', b'\n', 0, 0, b'\r', 0, 0];

/// The output type of integers: `u32` or `u64`.
///
/// Nearly all numbers of nearly all files fit 32 bits, and half the bytes make all later steps
/// faster.
pub trait Number: Copy + Default + sealed::Sealed {
    /// The number, if it fits.
    fn from_u64(wide: u64) -> Option<Self>;

    /// Its lowest bits.
    fn truncate(wide: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

impl Number for u32 {
    #[inline(always)]
    fn from_u64(wide: u64) -> Option<Self> {
        wide.try_into().ok()
    }

    #[inline(always)]
    fn truncate(wide: u64) -> Self {
        wide as u32
    }
}

impl Number for u64 {
    #[inline(always)]
    fn from_u64(wide: u64) -> Option<Self> {
        Some(wide)
    }

    #[inline(always)]
    fn truncate(wide: u64) -> Self {
        wide
    }
}

/// An algorithm that can be compiled for any instruction set.
pub(crate) trait Algorithm {
    /// Type of the result.
    type Output;

    /// Runs it. Must be `#[inline(always)]`.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// An instruction set; the value proves that this CPU supports it.
pub(crate) trait Isa: Copy {
    /// 64 bytes in registers.
    type Block: Copy;

    /// Runs `algorithm` compiled for this instruction set.
    fn enter<A: Algorithm>(self, algorithm: A) -> A::Output;

    /// Loads 64 bytes.
    fn load(self, bytes: &[u8; BLOCK]) -> Self::Block;

    /// Mask of bytes equal to `byte`.
    fn equal(self, block: Self::Block, byte: u8) -> u64;

    /// Mask of bytes greater than `byte`, which is ASCII.
    fn above(self, block: Self::Block, byte: u8) -> u64;

    /// Mask of decimal digits.
    fn digits(self, block: Self::Block) -> u64;

    /// Mask of blanks.
    fn blanks(self, block: Self::Block) -> u64;

    /// The values of numbers. The `i`-th number extends from the `i`-th bit of `starts` to the
    /// `i`-th bit of `ends`, exclusive. It has no digit before it, and has 1 to 16 digits, or at
    /// most 8 unless `wide`. Positions are those of `block`, which is the last part of `window`.
    /// There are as many numbers as bits in `ends`; `out` is unspecified after them. Returns
    /// `false` if a number may not fit a `T`.
    #[inline(always)]
    fn numbers<T: Number>(
        self,
        window: &[u8; WINDOW],
        _block: Self::Block,
        starts: u64,
        ends: u64,
        wide: bool,
        out: &mut [T; MAX_NUMBERS],
    ) -> bool {
        swar::numbers(window, starts, ends, wide, out)
    }
}

/// Bit `i` of the result is the parity of the bits 0 to `i` of `mask`. For quotes: whether a byte
/// is inside a string, including the opening quote and excluding the closing one.
#[inline(always)]
pub(crate) fn prefix_xor(mut mask: u64) -> u64 {
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    mask ^ mask << 32
}
