use crate::{Column, NodeIndex};
use std::ops::{Deref, Range};

/// One bit for each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits<W = Vec<u64>> {
    words: W,
}

/// Such bits that do not change.
pub type FixedBits = Bits<Column<u64>>;

impl From<Bits> for FixedBits {
    fn from(bits: Bits) -> Self {
        Bits { words: bits.words.into() }
    }
}

impl Bits {
    /// `len` bits, all clear.
    pub fn new(len: usize) -> Self {
        Bits { words: vec![0; len.div_ceil(64)] }
    }

    /// Sets the bit.
    #[inline]
    pub fn set(&mut self, node: NodeIndex) {
        self.set_bit(node.0);
    }

    #[inline]
    pub(crate) fn set_bit(&mut self, at: u32) {
        self.words[at as usize / 64] |= 1 << (at % 64);
    }

    /// Clears the bit.
    #[inline]
    pub(crate) fn clear(&mut self, node: NodeIndex) {
        self.words[node.position() / 64] &= !(1 << (node.0 % 64));
    }

    /// Sets the bits that are set in `other`.
    pub(crate) fn merge(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Sets the bits that are set in both.
    pub(crate) fn merge_both(&mut self, a: &Bits, b: &Bits) {
        for (word, (a, b)) in self.words.iter_mut().zip(a.words.iter().zip(&b.words)) {
            *word |= a & b;
        }
    }

    /// Clears all bits, and visits the nodes whose bits were set, in file order.
    pub(crate) fn drain(&mut self, mut visit: impl FnMut(NodeIndex)) {
        for (at, word) in (0..).zip(&mut self.words) {
            let mut left = std::mem::take(word);
            while left != 0 {
                visit(NodeIndex(at * 64 + left.trailing_zeros()));
                left &= left - 1;
            }
        }
    }
}

impl FixedBits {
    /// Bits of `len` nodes; `None` if there are bits of others.
    pub(crate) fn from_words(words: Column<u64>, len: usize) -> Option<Self> {
        let beyond = match len % 64 {
            0 => 0,
            used => words.last()? >> used,
        };
        (words.len() == len.div_ceil(64) && beyond == 0).then_some(Bits { words })
    }
}

impl<W: Deref<Target = [u64]>> Bits<W> {
    /// Whether the bit is set.
    #[inline]
    pub fn get(&self, node: NodeIndex) -> bool {
        self.bit(node.0)
    }

    #[inline]
    pub(crate) fn bit(&self, at: u32) -> bool {
        self.words[at as usize / 64] >> (at % 64) & 1 != 0
    }

    /// The nodes whose bits are set, in file order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.nodes_of(0..self.words.len())
    }

    /// Those of some [words](Self::words).
    pub(crate) fn nodes_of(&self, words: Range<usize>) -> impl Iterator<Item = NodeIndex> + '_ {
        (words.start as u32..).zip(&self.words[words]).flat_map(|(at, &word)| {
            let without_lowest = |word: &u64| Some(word & (word - 1)).filter(|&word| word != 0);
            std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest)
                .map(move |word| NodeIndex(at * 64 + word.trailing_zeros()))
        })
    }

    /// The bits of 64 nodes each, the first in the lowest.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Number of set bits.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_bits_are_found_in_order() {
        for set in [&[][..], &[0], &[63, 64], &[1, 5, 62, 63, 64, 127, 128, 199], &[199]] {
            let mut bits = Bits::new(200);
            set.iter().for_each(|&at| bits.set_bit(at));
            assert_eq!(bits.nodes().map(|node| node.0).collect::<Vec<_>>(), set);
            assert_eq!(bits.count(), set.len());
            let later = bits.nodes_of(1..3).map(|node| node.0);
            assert!(later.eq(set.iter().copied().filter(|at| (64..192).contains(at))));
        }
    }
}
