//! Bytes of an object that are read again in the end: those of its fingerprint. They are kept when they come by.

use crate::file::fingerprint_ranges;
use std::{collections::BTreeMap, ops::Range};

/// The kept bytes.
#[derive(Default)]
pub(super) struct Samples {
    /// What is to be kept, in order, if the object is large.
    ranges: Vec<Range<u64>>,
    /// What was kept, by offset.
    pieces: BTreeMap<u64, Vec<u8>>,
}

impl Samples {
    /// For an object of that size.
    pub(super) fn new(size: u64) -> Self {
        Samples { ranges: fingerprint_ranges(size).collect(), pieces: BTreeMap::new() }
    }

    /// Keeps what is wanted of these bytes.
    pub(super) fn keep(&mut self, offset: u64, bytes: &[u8]) {
        let end = offset + bytes.len() as u64;
        let first = self.ranges.partition_point(|range| range.end <= offset);
        for range in self.ranges[first..].iter().take_while(|range| range.start < end) {
            let (from, to) = (range.start.max(offset), range.end.min(end));
            let piece = &bytes[(from - offset) as usize..(to - offset) as usize];
            self.pieces.entry(from).or_insert_with(|| piece.to_vec());
        }
    }

    /// Kept bytes from this offset on; `None` if the first is not kept.
    pub(super) fn get(&self, offset: u64) -> Option<&[u8]> {
        let (start, piece) = self.pieces.range(..=offset).next_back()?;
        piece.get((offset - start) as usize..).filter(|rest| !rest.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_the_fingerprint_are_kept_whatever_the_blocks() {
        let object: Vec<u8> = (0..20 << 20).map(|at: u32| (at % 251) as u8).collect();
        for block in [100_000, 1 << 20, 7 << 20] {
            let mut samples = Samples::new(object.len() as u64);
            for (number, bytes) in object.chunks(block).enumerate() {
                samples.keep((number * block) as u64, bytes);
            }
            for range in fingerprint_ranges(object.len() as u64) {
                let mut at = range.start;
                while at < range.end {
                    let piece = samples.get(at).unwrap();
                    assert!(object[at as usize..].starts_with(piece));
                    at += piece.len() as u64;
                }
            }
            let kept: usize = samples.pieces.values().map(Vec::len).sum();
            assert!(kept <= 64 * (64 << 10), "{kept} bytes");
        }
    }
}
