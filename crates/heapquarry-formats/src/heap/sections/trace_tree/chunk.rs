//! Parts of the tree that are plain, decoded side by side: who is above the first frames of a part is not known
//! before the parts that come before it are complete.

use super::{cursor::plain_record, frames::Frames};

/// A part of the tree: it begins and ends behind a bracket, and is made of digits, commas and brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub(super) number: u64,
    pub(super) offset: u64,
    /// Frames above its first byte.
    pub(super) depth: u64,
    /// Frames in it, as brackets tell.
    pub(super) frames: usize,
}

/// What a chunk leaves behind.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(super) number: u64,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Plain(Box<Plain>),
    /// Something is not as V8 writes it: these bytes, which stand there, have to be read in order.
    Odd(u64, Vec<u8>),
}

#[derive(Debug, Default)]
pub(super) struct Plain {
    pub(super) frames: Frames,
    /// Frames whose parent is one of those above the chunk: their row, and how many of these end before.
    pub(super) orphans: Vec<(u32, usize)>,
    /// How many of the frames above the chunk end in it.
    pub(super) ended: usize,
    /// Ids of the frames that it leaves open.
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
