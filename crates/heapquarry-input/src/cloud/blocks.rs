//! The blocks of an object: which to fetch, and which to keep.

use bytes::{Bytes, BytesMut};
use std::{collections::HashMap, io, sync::Arc};

/// Size of a block in bytes: a request is small beside it.
pub(super) const BLOCK: u64 = 4 << 20;
/// Blocks that are requested ahead of a reader.
const AHEAD: u64 = 8;
/// Blocks that are kept.
const MOST: usize = 20;
/// Bytes that are read to recognise a format: nothing says that others will follow.
const HEAD: u64 = 1 << 20;
/// Ends of reads that are remembered.
const ENDS: usize = 8;

/// A block.
pub(super) enum Block {
    /// It was requested.
    Coming,
    /// Its bytes, in pieces: to join them would cost a copy.
    Here(Arc<[Bytes]>),
    /// The request failed.
    Failed(io::Error),
}

/// Pieces of fewer bytes are joined: each takes memory of its own.
const SMALL: usize = 16 << 10;

/// Bytes in the pieces in which they come, except that small ones are joined.
#[derive(Default)]
pub(super) struct Pieces {
    pieces: Vec<Bytes>,
    small: BytesMut,
}

impl Pieces {
    pub(super) fn push(&mut self, piece: Bytes) {
        if piece.len() < SMALL {
            self.small.extend_from_slice(&piece);
            if self.small.len() < SMALL {
                return;
            }
            self.join();
        } else {
            self.join();
            self.pieces.push(piece);
        }
    }

    fn join(&mut self) {
        if !self.small.is_empty() {
            self.pieces.push(self.small.split().freeze());
        }
    }

    pub(super) fn finish(mut self) -> Vec<Bytes> {
        self.join();
        self.pieces
    }
}

/// Copies the bytes of pieces from an offset on, as many as there are and fit.
pub(super) fn copy(pieces: &[Bytes], mut offset: usize, buf: &mut [u8]) -> usize {
    let mut copied = 0;
    for piece in pieces {
        if let Some(rest) = piece.get(offset..) {
            let n = rest.len().min(buf.len() - copied);
            buf[copied..copied + n].copy_from_slice(&rest[..n]);
            copied += n;
        }
        offset = offset.saturating_sub(piece.len());
    }
    copied
}

/// A block with its use.
struct Held {
    block: Block,
    /// Whether it was read. Blocks that were not are still needed.
    is_read: bool,
    /// Time of its last use.
    used: u64,
}

/// The blocks of an object of which some are kept.
pub(super) struct Blocks {
    size: u64,
    /// By number.
    blocks: HashMap<u64, Held>,
    now: u64,
    /// Where reads ended that found no block.
    ends: [u64; ENDS],
}

/// What to do for a read.
#[derive(Debug, PartialEq)]
pub(super) enum Plan {
    /// Use this block, after these were requested.
    Blocks(Vec<u64>),
    /// Request these bytes alone: nothing says that others near them will be read.
    Alone,
}

impl Blocks {
    pub(super) fn new(size: u64) -> Self {
        Blocks { size, blocks: HashMap::new(), now: 0, ends: [u64::MAX; ENDS] }
    }

    /// The block, whose time of use is now.
    pub(super) fn get(&mut self, number: u64) -> Option<&Block> {
        self.now += 1;
        let held = self.blocks.get_mut(&number)?;
        (held.used, held.is_read) = (self.now, true);
        Some(&held.block)
    }

    /// Puts a block in its place.
    pub(super) fn put(&mut self, number: u64, block: Block) {
        if let Some(held) = self.blocks.get_mut(&number) {
            held.block = block;
        }
    }

    /// Removes a block, so that it is requested again.
    pub(super) fn remove(&mut self, number: u64) -> Option<Block> {
        self.blocks.remove(&number).map(|held| held.block)
    }

    /// Decides what a read at this offset needs. Blocks to be requested are noted as coming.
    ///
    /// Reads run through a section, mostly forward. So a block is worth fetching if a neighbour is here, or if the read
    /// continues an earlier one.
    pub(super) fn plan(&mut self, offset: u64, len: u64) -> Plan {
        let (number, last) = (offset / BLOCK, self.size.saturating_sub(1) / BLOCK);
        let has = |number: u64| self.blocks.contains_key(&number);
        let is_run = has(number)
            || number.checked_sub(1).is_some_and(has)
            || has(number + 1)
            || self.ends.contains(&offset);
        let wanted: Vec<u64> = if offset < HEAD || number == last && !has(number) {
            vec![number]
        } else if is_run {
            (number..=last.min(number + AHEAD)).collect()
        } else {
            self.ends.rotate_right(1);
            self.ends[0] = offset + len;
            return Plan::Alone;
        };
        let wanted: Vec<u64> = wanted.into_iter().filter(|number| !has(*number)).collect();
        for &number in &wanted {
            self.make_room();
            self.now += 1;
            let held = Held { block: Block::Coming, is_read: false, used: self.now };
            self.blocks.insert(number, held);
        }
        Plan::Blocks(wanted)
    }

    /// Removes a block if there are many: of those that were read the one that was not used for longest. The first one
    /// stays: a heap's strings are read before what begins there.
    fn make_room(&mut self) {
        if self.blocks.len() < MOST {
            return;
        }
        let is_spare =
            |number: u64, held: &Held| number != 0 && !matches!(held.block, Block::Coming);
        let spare = self.blocks.iter().filter(|&(&number, held)| is_spare(number, held));
        let least = spare.min_by_key(|(_, held)| (!held.is_read, held.used));
        if let Some(number) = least.map(|(number, _)| *number) {
            self.blocks.remove(&number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Reads windows at these offsets; returns which blocks were requested, in order, and how many reads were alone.
    fn read(blocks: &mut Blocks, offsets: impl Iterator<Item = u64>) -> (Vec<u64>, usize) {
        let (mut requested, mut alone) = (Vec::new(), 0);
        for offset in offsets {
            match blocks.plan(offset, WINDOW) {
                Plan::Alone => alone += 1,
                Plan::Blocks(wanted) => {
                    wanted
                        .iter()
                        .for_each(|&number| blocks.put(number, Block::Here(Arc::default())));
                    requested.extend(wanted);
                    assert!(blocks.get(offset / BLOCK).is_some(), "what is read is there");
                }
            }
            assert!(blocks.blocks.len() <= MOST);
        }
        (requested, alone)
    }

    #[test]
    fn pieces_are_copied_as_if_they_were_joined() {
        let joined: Vec<u8> = (0..100).collect();
        for cuts in [vec![], vec![50], vec![0, 1, 1, 7, 99, 100], (0..100).collect()] {
            let ends = cuts.iter().copied().chain([100]);
            let starts = [0].into_iter().chain(cuts.iter().copied());
            let piece = |(start, end)| Bytes::copy_from_slice(&joined[start..end]);
            let pieces: Vec<Bytes> = starts.zip(ends).map(piece).collect();
            for offset in 0..=101 {
                for len in [0, 1, 2, 30, 200] {
                    let mut buf = vec![0; len];
                    let copied = copy(&pieces, offset, &mut buf);
                    let expected = &joined[offset.min(100)..(offset + len).min(100)];
                    assert_eq!(&buf[..copied], expected, "{cuts:?} {offset} {len}");
                }
            }
        }
    }

    #[test]
    fn small_pieces_are_joined() {
        let came: Vec<usize> = vec![1, 0, SMALL - 1, SMALL, 5, SMALL * 3, 7, SMALL - 7, 1];
        let ones = vec![1; 3 * SMALL + 1];
        for (lengths, most) in [(came, 7), (ones, 4), (vec![], 0)] {
            let bytes: Vec<u8> = (0..lengths.iter().sum()).map(|at: usize| at as u8).collect();
            let (mut pieces, mut at) = (Pieces::default(), 0);
            for length in lengths {
                pieces.push(Bytes::copy_from_slice(&bytes[at..at + length]));
                at += length;
            }
            let pieces = pieces.finish();
            assert_eq!(pieces.concat(), bytes);
            assert!(pieces.len() <= most, "{} pieces", pieces.len());
        }
    }

    const WINDOW: u64 = 128 << 10;
    const SIZE: u64 = 100 * BLOCK - 5;

    #[test]
    fn runs_request_each_block_once() {
        let forward = || (0..SIZE / WINDOW).map(|at| at * WINDOW);
        let (requested, alone) = read(&mut Blocks::new(SIZE), forward());
        assert_eq!((requested, alone), ((0..100).collect(), 0));
        let (requested, alone) = read(&mut Blocks::new(SIZE), forward().rev());
        assert_eq!((requested, alone), ((0..100).rev().collect(), 0));
        // A section in the middle: its first read is alone.
        let section = (0..64).map(|at| 50 * BLOCK + 77 + at * WINDOW);
        let (requested, alone) = read(&mut Blocks::new(SIZE), section);
        assert_eq!((requested, alone), ((50..60).collect(), 1));
    }

    #[test]
    fn steps_back_within_a_run_request_nothing() {
        // Pieces of 0.7 blocks, each with the end of the one before.
        let piece = |at: u64| (0..24).map(move |window| at * 23 * WINDOW + window * WINDOW);
        let pieces = 99 * BLOCK / (23 * WINDOW);
        let (requested, alone) = read(&mut Blocks::new(SIZE), (0..pieces).flat_map(piece));
        let distinct: BTreeSet<u64> = requested.iter().copied().collect();
        assert_eq!((requested.len(), alone), (distinct.len(), 0), "{requested:?}");
        assert!(distinct.len() >= 99);
    }

    #[test]
    fn the_head_and_scattered_reads_request_little() {
        let mut blocks = Blocks::new(SIZE);
        assert_eq!(read(&mut blocks, [0, 32, 4096].into_iter()), (vec![0], 0));
        let scattered = (1..20).map(|at| at * 5 * BLOCK + 3);
        assert_eq!(read(&mut blocks, scattered), (vec![], 19));
        assert_eq!(read(&mut blocks, [SIZE - WINDOW].into_iter()), (vec![99], 0));
    }

    #[test]
    fn the_first_block_is_requested_once() {
        let mut blocks = Blocks::new(SIZE);
        let strings = (60 * 32..SIZE / WINDOW).map(|at| at * WINDOW);
        let all = (0..SIZE / WINDOW).map(|at| at * WINDOW);
        let (requested, _) = read(&mut blocks, [0].into_iter().chain(strings).chain(all));
        assert_eq!(requested.iter().filter(|&&number| number == 0).count(), 1, "{requested:?}");
    }

    #[test]
    fn two_runs_do_not_disturb_each_other() {
        let mut blocks = Blocks::new(SIZE);
        let window = |at: u64| [at * WINDOW, 40 * BLOCK + at * WINDOW];
        let (requested, alone) = read(&mut blocks, (0..640).flat_map(window));
        let distinct: BTreeSet<u64> = requested.iter().copied().collect();
        assert!(alone <= 2 && requested.len() <= distinct.len() + 2, "{requested:?}");
    }
}
