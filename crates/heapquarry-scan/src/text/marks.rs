//! Finds the bytes that matter in a string.

use crate::simd::{BLOCK, Isa};

/// Finds quotes and backslashes, for ascending positions. `None` means that there are none up to
/// the end of the buffer.
pub(super) struct Marks<'a, I> {
    isa: I,
    buf: &'a [u8],
    /// Start of the current block.
    base: usize,
    /// Quotes and backslashes of the block after the current position.
    mask: u64,
}

impl<'a, I: Isa> Marks<'a, I> {
    /// The caller asks for nothing before `from`.
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

/// Quotes and backslashes in the 64 bytes at `base`, or in the rest of the buffer.
#[inline(always)]
fn load<I: Isa>(isa: I, buf: &[u8], base: usize) -> u64 {
    let rest = &buf[base..];
    let block = match rest.first_chunk::<BLOCK>() {
        Some(block) => isa.load(block),
        None => isa.load(&padded(rest)),
    };
    isa.equal(block, b'"') | isa.equal(block, b'\\')
}

/// The last bytes of a buffer, less than a block, padded with zeros.
#[cold]
fn padded(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}
