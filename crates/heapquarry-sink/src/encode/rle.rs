//! Dictionary indices: `RLE_DICTIONARY`, runs of equal indices and packed ones in between.

use super::{
    bitpack::{self, Word},
    varint,
};
use std::ops::Range;

/// Runs are searched in blocks of this many rows.
const BLOCK: usize = 32;
/// Minimum length of a run.
const RUN: usize = 2 * BLOCK;

/// Bits for an index into a dictionary of that many values, rounded up to 1, 2, 4 or whole bytes.
pub(super) fn width(values: usize) -> u8 {
    match usize::BITS - values.max(2).saturating_sub(1).leading_zeros() {
        bits @ 0..=2 => bits as u8,
        3..=4 => 4,
        bits => bits.next_multiple_of(8) as u8,
    }
}

/// Appends indices: the byte with their bit width, then runs and packed indices.
///
/// DuckDB reads the indices of 2,048 rows at a time. If such a read ends other than after a multiple of 32 indices, it
/// unpacks the rest of the packed run bit by bit, which is several times slower. `steps`, ascending, are the positions
/// where reads end: a packed run that contains one of them has only eight indices.
pub(super) fn write<T: Word>(out: &mut Vec<u8>, width: u8, indices: &[T], steps: &[usize]) {
    out.push(width);
    let whole = indices.len() / BLOCK * BLOCK;
    let (mut written, mut at) = (0, 0);
    while at < whole {
        let index = indices[at];
        if !all(&indices[at..at + BLOCK], index) {
            at += BLOCK;
            continue;
        }
        let mut end = at + BLOCK;
        while end < whole && all(&indices[end..end + BLOCK], index) {
            end += BLOCK;
        }
        if end == whole && all(&indices[end..], index) {
            end = indices.len();
        }
        if end - at >= RUN {
            packed(out, width, indices, written..at, steps);
            run(out, width, index, end - at);
            written = end;
        }
        at = end;
    }
    packed(out, width, indices, written..indices.len(), steps);
}

/// Appends the same index `count` times: the byte with the bit width, then one run.
pub(super) fn write_run(out: &mut Vec<u8>, width: u8, index: u32, count: usize) {
    out.push(width);
    run(out, width, index, count);
}

fn run<T: Word>(out: &mut Vec<u8>, width: u8, index: T, count: usize) {
    varint::write(out, (count as u64) << 1);
    out.extend_from_slice(&index.wide().to_le_bytes()[..usize::from(width).div_ceil(8)]);
}

/// Whether all are `index`.
#[inline]
fn all<T: Word>(indices: &[T], index: T) -> bool {
    // The last one usually decides; all of them are compared without a branch.
    indices.last().is_none_or(|&last| last == index)
        && indices.iter().fold(0, |different, other| different | (other.wide() ^ index.wide())) == 0
}

/// The indices `range`, which starts at a multiple of eight, in packed runs.
fn packed<T: Word>(
    out: &mut Vec<u8>,
    width: u8,
    indices: &[T],
    Range { mut start, end }: Range<usize>,
    steps: &[usize],
) {
    let within = steps.partition_point(|&step| step < start)..steps.partition_point(|&s| s < end);
    for step in &steps[within] {
        for cut in [step / 8 * 8, step.next_multiple_of(8)] {
            if start < cut && cut < end {
                packed_run(out, width, &indices[start..cut]);
                start = cut;
            }
        }
    }
    packed_run(out, width, &indices[start..end]);
}

/// Indices in groups of eight, the last group padded with 0.
fn packed_run<T: Word>(out: &mut Vec<u8>, width: u8, indices: &[T]) {
    if indices.is_empty() {
        return;
    }
    let groups = indices.len().div_ceil(8);
    varint::write(out, (groups as u64) << 1 | 1);
    let at = out.len();
    out.resize(at + groups * usize::from(width), 0);
    let (whole, rest) = indices.split_at(indices.len() / 8 * 8);
    let (whole_out, rest_out) = out[at..].split_at_mut(whole.len() / 8 * usize::from(width));
    bitpack::pack(width, whole, whole_out);
    if !rest.is_empty() {
        let mut eight = [T::default(); 8];
        eight[..rest.len()].copy_from_slice(rest);
        bitpack::pack(width, &eight, rest_out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Decodes by the specification. Also returns the positions of the packed runs.
    fn read(bytes: &[u8], count: usize) -> (Vec<u32>, Vec<Range<usize>>) {
        let (width, mut bytes) = (usize::from(bytes[0]), &bytes[1..]);
        let (mut out, mut packed) = (Vec::new(), Vec::new());
        let bits = |bytes: &[u8], at: usize| {
            (0..width).fold(0, |v, b| v | u32::from(bytes[(at + b) / 8] >> ((at + b) % 8) & 1) << b)
        };
        while out.len() < count {
            let (mut header, mut shift) = (0, 0);
            loop {
                let byte = bytes[0];
                bytes = &bytes[1..];
                header |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            let size = if header & 1 == 1 {
                packed.push(out.len()..out.len() + (header >> 1) * 8);
                out.extend((0..(header >> 1) * 8).map(|i| bits(bytes, i * width)));
                (header >> 1) * width
            } else {
                out.extend(std::iter::repeat_n(bits(bytes, 0), header >> 1));
                width.div_ceil(8)
            };
            bytes = &bytes[size..];
        }
        assert!(bytes.is_empty());
        out.truncate(count);
        (out, packed)
    }

    #[test]
    fn widths_are_rounded() {
        let widths = [1, 2, 3, 4, 5, 16, 17, 256, 257, 65536, 65537, 1 << 24, (1 << 24) + 1];
        assert_eq!(widths.map(width), [1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 24, 24, 32]);
    }

    proptest! {
        #[test]
        fn indices_come_back(
            runs in prop::collection::vec((0u32..300, prop_oneof![1usize..4, 1usize..200]), 0..40),
            entries in prop::sample::select(vec![1usize, 2, 4, 16, 256, 300, 70_000, 1 << 25]),
            steps in prop::collection::btree_set(0usize..3000, 0..20),
        ) {
            let indices: Vec<u32> = runs
                .iter()
                .flat_map(|&(index, n)| std::iter::repeat_n(index % entries as u32, n))
                .collect();
            let steps: Vec<usize> = steps.into_iter().filter(|&s| s < indices.len()).collect();
            let mut out = Vec::new();
            write(&mut out, width(entries), &indices, &steps);
            let (read, packed) = read(&out, indices.len());
            prop_assert_eq!(read, indices);
            for run in packed {
                let cut = steps.iter().any(|step| (run.start + 1..run.end).contains(step));
                prop_assert!(!cut || run.len() == 8, "a step within {run:?}");
            }
        }
    }
}
