//! Regular parts of the tree, decoded in parallel. The parents of the first frames of a chunk are unknown until the
//! chunks before it are complete.

use super::{cursor::plain_record, frames::Frames};
use crate::ByteOffset;

/// A part of the tree that begins and ends after a bracket, and has only digits, commas and brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub(super) number: u64,
    pub(super) offset: ByteOffset,
    /// Nesting of frames at its first byte.
    pub(super) depth: u64,
    /// Number of frames in it, according to its brackets.
    pub(super) frames: usize,
}

/// The side output of a chunk.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(super) number: u64,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Plain(Box<Plain>),
    /// The bytes at this offset are not as V8 writes them, and have to be read in order.
    Odd(ByteOffset, Vec<u8>),
}

#[derive(Debug, Default)]
pub(super) struct Plain {
    pub(super) frames: Frames,
    /// Frames whose parent is above the chunk: their row, and how many of the frames above end before them.
    pub(super) orphans: Vec<(u32, usize)>,
    /// Number of frames above the chunk that end in it.
    pub(super) ended: usize,
    /// Ids of the frames that are still open at its end.
    pub(super) open: Vec<i64>,
}

impl Chunk {
    pub(crate) fn decode(self, bytes: &[u8]) -> Piece {
        let content = match self.plain(bytes) {
            Some(plain) => Content::Plain(plain.into()),
            None => Content::Odd(self.offset, bytes.into()),
        };
        Piece { number: self.number, content }
    }

    fn plain(self, bytes: &[u8]) -> Option<Plain> {
        let frames = Frames::with_room(self.frames);
        let mut plain = Plain { frames, ..Plain::default() };
        let Plain { frames, orphans, ended, open } = &mut plain;
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b',' => at += 1,
                b']' => {
                    if open.pop().is_none() {
                        *ended += 1;
                    }
                    at += 1;
                }
                _ => {
                    let (record, len) = plain_record(&bytes[at..])?;
                    if open.is_empty() {
                        orphans.push((frames.rows() as u32, *ended));
                    }
                    let parent = open.last().copied().unwrap_or_default();
                    let depth = (self.depth + open.len() as u64).checked_sub(*ended as u64)?;
                    frames.push(record.map(Some), Some(parent), depth);
                    open.push(record[0]);
                    at += len;
                }
            }
        }
        Some(plain)
    }
}
