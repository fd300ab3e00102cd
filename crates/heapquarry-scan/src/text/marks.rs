//! The bytes that matter in a string.

use crate::simd::{BLOCK, Isa};

/// Finds quotes and backslashes, for positions that only increase. After `None` that means: from the
/// end of the buffer on.
pub(super) struct Marks<'a, I> {
    isa: I,
    buf: &'a [u8],
    /// Where the current block begins.
    base: usize,
    /// Quotes and backslashes of the block, without those that have been passed.
    mask: u64,
}

impl<'a, I: Isa> Marks<'a, I> {
    /// Nothing before `from` will be asked for.
    #[inline(always)]
    pub(super) fn new(isa: I, buf: &'a [u8], from: usize) -> Self {
        let base = from.min(buf.len());
        Self { isa, buf, base, mask: load(isa, buf, base) }
    }

    /// The position of the first quote or backslash at `at` or later.
    #[inline(always)]
    pub(super) fn next(&mut self, at: usize) -> Option<usize> {
        let passed = at - self.base;
        if passed < BLOCK {
            self.mask &= u64::MAX << passed;
        } else {
            if at >= self.buf.len() {
                return None;
            }
            self.base = at;
            self.mask = load(self.isa, self.buf, at);
        }
        while self.mask == 0 {
            if self.buf.len() - self.base <= BLOCK {
                return None;
            }
            self.base += BLOCK;
            self.mask = load(self.isa, self.buf, self.base);
        }
        Some(self.base + self.mask.trailing_zeros() as usize)
    }
}

/// Quotes and backslashes in the 64 bytes at `base`, or in what there is of them.
#[inline(always)]
fn load<I: Isa>(isa: I, buf: &[u8], base: usize) -> u64 {
    let rest = &buf[base..];
    let block = match rest.first_chunk::<BLOCK>() {
        Some(block) => isa.load(block),
        None => isa.load(&padded(rest)),
    };
    isa.equal(block, b'"') | isa.equal(block, b'\\')
}

/// The last bytes of a buffer, less than a block, with zeros behind them.
#[cold]
fn padded(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}
