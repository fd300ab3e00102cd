//! Reads bytes of an input at mostly ascending offsets.

use heapquarry_formats::{Buffer, ByteOffset, Input, Result, append};

/// Bytes read at a time: less than most records of heaps, whose messages are read elsewhere.
const WINDOW: usize = 16 << 10;

pub(super) struct Window<'a> {
    input: &'a dyn Input,
    buf: Buffer,
    base: ByteOffset,
}

impl<'a> Window<'a> {
    pub(super) fn new(input: &'a dyn Input) -> Self {
        Window { input, buf: Buffer::default(), base: ByteOffset::START }
    }

    pub(super) fn end(&self) -> ByteOffset {
        self.input.end()
    }

    /// Up to `len` bytes at `at`, fewer only at the end.
    pub(super) fn get(&mut self, at: ByteOffset, len: usize) -> Result<&[u8]> {
        let have = |w: &Self| {
            let from = at.checked_sub(w.base).and_then(|from| usize::try_from(from).ok());
            from.filter(|from| from + len <= w.buf.len())
        };
        if have(self).is_none() {
            self.buf.clear();
            self.base = at;
            while self.buf.len() < len {
                let end = self.base + self.buf.len() as u64;
                if append(self.input, &mut self.buf, end, WINDOW.max(len))? == 0 {
                    break;
                }
            }
        }
        let from = (at - self.base) as usize;
        let to = self.buf.len().min(from + len);
        Ok(&self.buf[from.min(to)..to])
    }

    /// The first offset from `at` on, before `end`, where `find` finds something in the bytes from there on. It gets at
    /// least `overlap` bytes, if there are as many.
    pub(super) fn search(
        &mut self,
        mut at: ByteOffset,
        end: ByteOffset,
        overlap: usize,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<Option<ByteOffset>> {
        const PIECE: usize = 256 << 10;
        while at < end {
            let bytes = self.get(at, PIECE)?;
            if let Some(found) = find(bytes) {
                let found = at + found as u64;
                return Ok((found < end).then_some(found));
            }
            if bytes.len() < PIECE {
                break;
            }
            at += (PIECE - overlap) as u64;
        }
        Ok(None)
    }
}
