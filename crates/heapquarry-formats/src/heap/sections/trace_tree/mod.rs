//! The `trace_tree` section: `[id,function_info_index,count,size,[children…]]`, nested as deep as the call stacks. Rows
//! are in pre-order.
//!
//! Brackets alone show where the tree can be split. As long as it is written as by V8, it is claimed in [chunks](Chunk)
//! that workers decode in parallel. The parents of the first frames of a chunk are filled in when the chunks before it
//! are complete. From the first byte on that is not a digit, comma or bracket, a [`Cursor`] reads the rest in order.

mod chunk;
mod cursor;
mod frames;

pub(crate) use chunk::{Chunk, Piece};
pub(crate) use cursor::Cursor;
pub(crate) use frames::Frames;

use crate::{
    ByteOffset, Log, Result,
    heap::{
        fields::{Field, FieldList, Fields},
        source::{End, Source},
    },
};
use chunk::{Content, Plain};
use heapquarry_scan::{NestingStop, scan_nesting};
use heapquarry_tables::Reorder;
use std::collections::VecDeque;

/// Maximum size of a chunk in bytes. No engine writes so few frames in so many bytes; they are read in order instead.
const LONGEST_CHUNK: usize = 16 << 20;

pub(crate) const FIELDS: FieldList = FieldList {
    key: "trace_node_fields",
    fields: &[
        Field::required("id"),
        Field::required("function_info_index"),
        Field::required("count"),
        Field::required("size"),
        Field::required("children"),
    ],
};

/// Position of reading in the tree.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Reads irregular parts. Its stack is that after the chunks joined so far.
    cursor: Cursor,
    /// Whether the tree has been regular so far and is claimed in chunks.
    plain: bool,
    /// Offset of the next chunk.
    at: ByteOffset,
    /// Open brackets at `at`.
    depth: u64,
    /// Chunks claimed so far.
    claimed: u64,
    /// Side outputs by number of chunk. Those taken out have their parents.
    pieces: Reorder<Piece>,
    /// Frames that are complete.
    ready: VecDeque<Box<Frames>>,
    /// Number of frames in all pieces.
    rows: u64,
    end: Option<End>,
}

/// What a worker does next.
pub(crate) enum Next {
    /// Decode this chunk.
    Chunk(Chunk),
    /// Write these frames.
    Frames(Box<Frames>),
    /// Wait until another chunk is complete.
    Wait,
    /// Nothing is left.
    End,
}

impl Tree {
    /// `open` is the offset of the section's `[`.
    pub(crate) fn new(open: ByteOffset, fields: &Fields) -> Self {
        let cursor = Cursor::new(open, fields);
        Tree {
            plain: cursor.plain,
            at: cursor.at,
            cursor,
            depth: 0,
            claimed: 0,
            pieces: Reorder::default(),
            ready: VecDeque::new(),
            rows: 0,
            end: None,
        }
    }

    /// How the section ended, once [`Tree::claim`] has reached its end.
    pub(crate) fn end(&self) -> Option<End> {
        self.end.or_else(|| self.cursor.end())
    }

    /// Number of frames, once [`Tree::claim`] has reached the end.
    pub(crate) fn rows(&self) -> u64 {
        self.rows + self.cursor.rows
    }

    /// The next frames, up to `rows`. Bytes that they need are in the buffer.
    pub(crate) fn claim(&mut self, source: &mut Source<'_>, rows: usize) -> Result<Next> {
        source.begin(self.at);
        if let Some(frames) = self.ready.pop_front() {
            return Ok(Next::Frames(frames));
        }
        if self.plain && self.end.is_none() {
            match self.chunk(source, rows)? {
                Some(chunk) => return Ok(Next::Chunk(chunk)),
                None => self.plain = false,
            }
        }
        if self.pieces.position() < self.claimed {
            return Ok(Next::Wait);
        }
        if self.end.is_some() {
            return Ok(Next::End);
        }
        self.cursor.at = self.cursor.at.max(self.at);
        let frames = self.cursor.claim(source, rows)?;
        source.buf.clear();
        Ok(frames.map_or(Next::End, |frames| Next::Frames(frames.into())))
    }

    /// The next chunk; `None` if the next bytes are irregular.
    fn chunk(&mut self, source: &mut Source<'_>, rows: usize) -> Result<Option<Chunk>> {
        let (mut read, mut depth, mut left) = (0, self.depth, rows as u64);
        loop {
            if source.buf.len() > LONGEST_CHUNK || source.read()? == 0 {
                return Ok(None);
            }
            let found = scan_nesting(&source.buf[read..], depth, left);
            read += found.read;
            depth = found.depth;
            left -= found.opens;
            match found.stop {
                NestingStop::End => {}
                NestingStop::Full => break,
                NestingStop::Closed => {
                    self.end = Some(End::Closed(self.at + read as u64));
                    break;
                }
                NestingStop::Odd => return Ok(None),
            }
        }
        source.buf.truncate(read);
        let frames = rows - left as usize;
        let chunk = Chunk { number: self.claimed, offset: self.at, depth: self.depth, frames };
        self.claimed += 1;
        self.at += read as u64;
        self.depth = depth;
        Ok(Some(chunk))
    }

    /// Takes the side output of a chunk.
    pub(crate) fn complete(&mut self, piece: Piece, log: &mut Log) {
        let number = piece.number;
        assert!(self.pieces.insert(number..number + 1, piece), "each chunk is decoded once");
        while let Some(piece) = self.pieces.next() {
            let frames = self.join(piece, log);
            self.rows += frames.rows() as u64;
            if frames.rows() > 0 {
                self.ready.push_back(frames.into());
            }
        }
    }

    /// The frames of the next piece, with their parents filled in.
    fn join(&mut self, piece: Piece, log: &mut Log) -> Frames {
        let stack = &mut self.cursor.stack;
        match piece.content {
            Content::Plain(plain) => {
                let Plain { mut frames, orphans, ended, open } = *plain;
                for (row, ended) in orphans {
                    let above = stack.len().checked_sub(ended + 1);
                    frames.set_parent(row, above.map_or(Some(-1), |at| stack[at]));
                }
                stack.truncate(stack.len().saturating_sub(ended));
                stack.extend(open.into_iter().map(Some));
                frames
            }
            Content::Odd(offset, bytes) => {
                let mut frames = Frames::default();
                self.cursor.at = offset;
                self.cursor.walk(&bytes, usize::MAX, &mut frames, log);
                frames
            }
        }
    }
}
