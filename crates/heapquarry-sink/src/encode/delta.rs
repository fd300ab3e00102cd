//! `DELTA_BINARY_PACKED`: differences to the value before, in blocks that share a smallest difference.
//!
//! The bits of a miniblock are rounded up: below 4 they stay, then it is 4 or whole bytes, which compress
//! better. A block of equal differences has no bits at all.

use super::{
    bitpack,
    bounds::Bounds,
    chunk::ChunkWriter,
    int::{self, Int},
    rows::Rows,
    varint,
};
use crate::Error;
use parquet::basic::Encoding;

/// Differences in a block.
pub(super) const BLOCK: usize = 128;
/// Miniblocks in a block; each has its own width.
const MINIBLOCKS: usize = 4;
const MINIBLOCK: usize = BLOCK / MINIBLOCKS;

/// A column chunk of integers as differences.
pub(super) fn encode<T: Int>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    values: &[T],
) -> Result<Bounds, Error> {
    for page in rows.pages() {
        let values = &values[page.values.clone()];
        chunk.data_page(rows, &page, Encoding::DELTA_BINARY_PACKED, |out| write(out, values))?;
    }
    Ok(int::bounds(values))
}

/// Appends values.
pub(super) fn write<T: Int>(out: &mut Vec<u8>, values: &[T]) {
    let Some(&first) = values.first() else { return head(out, 0, 0) };
    head(out, values.len(), first.into());
    let mut deltas = [0; BLOCK];
    for start in (1..values.len()).step_by(BLOCK) {
        let end = values.len().min(start + BLOCK);
        for (delta, pair) in deltas.iter_mut().zip(values[start - 1..end].windows(2)) {
            *delta = pair[1].minus(pair[0]);
        }
        block(out, &mut deltas, end - start);
    }
}

/// Appends what stands before the blocks: their form, the number of values, and the first one.
pub(super) fn head(out: &mut Vec<u8>, count: usize, first: i64) {
    varint::write(out, BLOCK as u64);
    varint::write(out, MINIBLOCKS as u64);
    varint::write(out, count as u64);
    varint::write(out, varint::zigzag(first));
}

/// Appends a block of the first `count` differences; at least one.
pub(super) fn block(out: &mut Vec<u8>, deltas: &mut [i64; BLOCK], count: usize) {
    let mut lanes = [deltas[0]; 4];
    for four in deltas[..count].chunks_exact(4) {
        for (lane, &delta) in lanes.iter_mut().zip(four) {
            *lane = delta.min(*lane);
        }
    }
    let rest = &deltas[count / 4 * 4..count];
    let min = lanes.iter().chain(rest).fold(deltas[0], |min, &delta| min.min(delta));
    deltas[count..].fill(min);

    let mut above = [0; BLOCK];
    for (above, &delta) in above.iter_mut().zip(deltas.iter()) {
        *above = delta.wrapping_sub(min) as u64;
    }
    let minis = || above.chunks_exact(MINIBLOCK);
    let mut widths = [0; MINIBLOCKS];
    for (width, mini) in widths.iter_mut().zip(minis()) {
        *width = self::width(mini.iter().fold(0, |all, above| all | above));
    }
    varint::write(out, varint::zigzag(min));
    out.extend_from_slice(&widths);
    let mut packed = [0; MINIBLOCK * 8];
    for (&width, mini) in widths.iter().zip(minis()) {
        let packed = &mut packed[..MINIBLOCK / 8 * usize::from(width)];
        bitpack::pack(width, mini, packed);
        out.extend_from_slice(packed);
    }
}

/// Bits for numbers whose bits are all in `all`, rounded up.
fn width(all: u64) -> u8 {
    match u64::BITS - all.leading_zeros() {
        bits @ 0..=2 => bits as u8,
        3..=4 => 4,
        bits => bits.next_multiple_of(8) as u8,
    }
}

/// Makes blocks of differences that come one by one.
pub(super) struct Blocks<'a> {
    out: &'a mut Vec<u8>,
    /// Those from `filled` on are 0.
    deltas: [i64; BLOCK],
    filled: usize,
}

impl<'a> Blocks<'a> {
    /// For the differences after [`head`].
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Blocks { out, deltas: [0; BLOCK], filled: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, delta: i64) {
        self.deltas[self.filled] = delta;
        self.advance(1);
    }

    /// Adds differences of 0.
    #[inline]
    pub(super) fn push_zeros(&mut self, mut count: usize) {
        while count > 0 {
            let fit = count.min(BLOCK - self.filled);
            self.advance(fit);
            count -= fit;
        }
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        self.filled += count;
        if self.filled == BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        block(self.out, &mut self.deltas, self.filled);
        self.deltas = [0; BLOCK];
        self.filled = 0;
    }

    /// Writes the last block.
    pub(super) fn finish(mut self) {
        if self.filled > 0 {
            self.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_steps_take_no_bits() {
        let mut out = Vec::new();
        write(&mut out, &[10i64, 12, 14, 16]);
        assert_eq!(out, [0x80, 1, 4, 4, 20, 4, 0, 0, 0, 0]);
        out.clear();
        write::<i64>(&mut out, &[]);
        assert_eq!(out, [0x80, 1, 4, 0, 0]);
    }

    proptest! {
        /// What it decodes to is tested through the parquet crate's reader, in `tests/`.
        #[test]
        fn single_differences_make_the_same_blocks(
            runs in prop::collection::vec((any::<i64>(), 1usize..300), 1..20),
        ) {
            let values: Vec<i64> =
                runs.iter().flat_map(|&(value, n)| std::iter::repeat_n(value, n)).collect();
            let mut expected = Vec::new();
            write(&mut expected, &values);
            let mut out = Vec::new();
            head(&mut out, values.len(), values[0]);
            let mut blocks = Blocks::new(&mut out);
            let mut before = values[0];
            for (i, &(value, n)) in runs.iter().enumerate() {
                if i > 0 {
                    blocks.push(value.minus(before));
                }
                blocks.push_zeros(n - 1);
                before = value;
            }
            blocks.finish();
            prop_assert_eq!(out, expected);
        }
    }
}
