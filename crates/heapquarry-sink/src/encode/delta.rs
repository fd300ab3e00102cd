//! `DELTA_BINARY_PACKED`: differences to the previous value, in blocks with a common minimum.
//!
//! The bit width of a miniblock is rounded up to 1, 2, 3, 4 or whole bytes, which compress better. A block of equal
//! differences has no bits.

use super::{
    bitpack::{self, Word},
    chunk::ChunkWriter,
    int::{self, Int},
    rows::Rows,
    varint,
};
use crate::Error;
use heapquarry_scan::{Work, vectorized};
use parquet::basic::Encoding;
use std::ops::BitOr;

/// Differences in a block.
pub(super) const BLOCK: usize = 128;
/// Miniblocks in a block, each with its own bit width.
const MINIBLOCKS: usize = 4;
const MINIBLOCK: usize = BLOCK / MINIBLOCKS;

/// A column chunk of integers as differences.
pub(super) fn encode<T: Int>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    values: &[T],
) -> Result<(), Error> {
    for page in rows.pages() {
        let values = &values[page.values.clone()];
        chunk.data_page(rows, &page, Encoding::DELTA_BINARY_PACKED, |out| {
            write(out, values);
            int::bounds(values)
        })?;
    }
    Ok(())
}

/// Appends values.
pub(super) fn write<T: Int>(out: &mut Vec<u8>, values: &[T]) {
    let Some(&first) = values.first() else { return head(out, 0, 0) };
    head(out, values.len(), first.into());
    vectorized(Differences(values, out));
}

/// Blocks of the differences of values.
struct Differences<'a, T>(&'a [T], &'a mut Vec<u8>);

impl<T: Int> Work for Differences<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Differences(values, out) = self;
        let mut deltas = [0; BLOCK];
        for start in (1..values.len()).step_by(BLOCK) {
            let end = values.len().min(start + BLOCK);
            let pairs = values[start - 1..end - 1].iter().zip(&values[start..end]);
            for (delta, (&before, &after)) in deltas.iter_mut().zip(pairs) {
                *delta = after.minus(before);
            }
            block(out, &mut deltas, end - start);
        }
    }
}

/// Appends the header: the format, the number of values, and the first one.
pub(super) fn head(out: &mut Vec<u8>, count: usize, first: i64) {
    varint::write(out, BLOCK as u64);
    varint::write(out, MINIBLOCKS as u64);
    varint::write(out, count as u64);
    varint::write(out, varint::zigzag(first));
}

/// Appends a block of the first `count` differences; at least one. The others are overwritten.
#[inline(always)]
pub(super) fn block(out: &mut Vec<u8>, deltas: &mut [i64; BLOCK], count: usize) {
    // Padding with an existing difference does not widen the last block.
    let first = deltas[0];
    deltas[count..].fill(first);
    let high = deltas.iter().fold(0, |all, delta| all | delta.wrapping_add(1 << 31) as u64);
    if high >> 32 == 0 {
        // They are usually small, and twice as many fit in a register.
        block_of(out, &deltas.map(|delta| delta as i32), count);
    } else {
        block_of(out, deltas, count);
    }
}

/// A difference in a block.
trait Delta: Copy + Ord + Into<i64> {
    type Above: Word + BitOr<Output = Self::Above>;

    fn above(self, min: Self) -> Self::Above;
}

impl Delta for i32 {
    type Above = u32;

    fn above(self, min: Self) -> u32 {
        self.wrapping_sub(min) as u32
    }
}

impl Delta for i64 {
    type Above = u64;

    fn above(self, min: Self) -> u64 {
        self.wrapping_sub(min) as u64
    }
}

#[inline(always)]
fn block_of<T: Delta>(out: &mut Vec<u8>, deltas: &[T; BLOCK], count: usize) {
    // In lanes, so that comparisons do not depend on each other.
    let mut lanes = [deltas[0]; 8];
    for eight in deltas.chunks_exact(8) {
        for (lane, &delta) in lanes.iter_mut().zip(eight) {
            *lane = delta.min(*lane);
        }
    }
    let min = lanes.into_iter().fold(deltas[0], T::min);
    let above = deltas.map(|delta| delta.above(min));

    // Miniblocks after the last difference have neither a width nor a body.
    let minis = above.chunks_exact(MINIBLOCK).take(count.div_ceil(MINIBLOCK));
    let mut widths = [0; MINIBLOCKS];
    for (width, mini) in widths.iter_mut().zip(minis.clone()) {
        let all = mini.iter().fold(T::Above::default(), |all, &above| all | above);
        *width = self::width(all.wide());
    }
    varint::write(out, varint::zigzag(min.into()));
    out.extend_from_slice(&widths);
    let mut packed = [0; MINIBLOCK * 8];
    for (&width, mini) in widths.iter().zip(minis) {
        let packed = &mut packed[..MINIBLOCK / 8 * usize::from(width)];
        bitpack::pack_all(width, mini, packed);
        out.extend_from_slice(packed);
    }
}

/// Bit width for numbers whose bits are all in `all`, rounded up.
fn width(all: u64) -> u8 {
    match u64::BITS - all.leading_zeros() {
        bits @ 0..=2 => bits as u8,
        3..=4 => 4,
        bits => bits.next_multiple_of(8) as u8,
    }
}

/// [`block`].
struct Block<'a> {
    out: &'a mut Vec<u8>,
    deltas: &'a mut [i64; BLOCK],
    count: usize,
}

impl Work for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        block(self.out, self.deltas, self.count);
    }
}

/// Writes blocks of differences that are mostly 0.
pub(super) struct Blocks<'a> {
    out: &'a mut Vec<u8>,
    /// Differences from `filled` on are 0.
    deltas: [i64; BLOCK],
    filled: usize,
}

impl<'a> Blocks<'a> {
    /// For the differences after [`head`].
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Blocks { out, deltas: [0; BLOCK], filled: 0 }
    }

    /// Adds a difference, then as many zeros that `count` differences are added in all; `count` is at least 1.
    #[inline]
    pub(super) fn push(&mut self, delta: i64, count: usize) {
        self.deltas[self.filled] = delta;
        self.push_zeros(count);
    }

    /// Adds differences of 0.
    #[inline]
    pub(super) fn push_zeros(&mut self, count: usize) {
        self.filled += count;
        while self.filled >= BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let count = self.filled.min(BLOCK);
        vectorized(Block { out: self.out, deltas: &mut self.deltas, count });
        self.deltas = [0; BLOCK];
        self.filled = self.filled.saturating_sub(BLOCK);
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
        /// The tests in `tests/` decode it with the parquet crate's reader.
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
            blocks.push_zeros(runs[0].1 - 1);
            for &(value, n) in &runs[1..] {
                blocks.push(value.minus(before), n);
                before = value;
            }
            blocks.finish();
            prop_assert_eq!(out, expected);
        }
    }
}
