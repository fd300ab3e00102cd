//! The bytes of a document, read window by window into the buffer of a worker.

use crate::{Buffer, ByteOffset, Input, Log, Result, input};
use heapquarry_scan::{Skipped, Skipper};

/// How a section ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its `]`; the offset is after it.
    Closed(ByteOffset),
    /// With the document.
    Cut,
    /// With something invalid at this offset.
    Malformed(ByteOffset),
}

/// How a value in the buffer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueEnd {
    /// Before this position in the buffer.
    At(usize),
    /// The document ends within it.
    Cut,
    /// It exceeds the maximum that is read into memory.
    TooLong,
}

/// The document during one claim, and the bytes of the claim.
pub(crate) struct Source<'a> {
    pub(crate) input: &'a dyn Input,
    /// The claimed bytes. They begin at [`Source::offset`].
    pub(crate) buf: &'a mut Buffer,
    /// Offset of the buffer in the document.
    pub(crate) offset: ByteOffset,
    /// Number of bytes at the start of the buffer that are of another claim.
    skipped: usize,
    /// Bytes read at a time.
    pub(crate) window: usize,
    pub(crate) log: &'a mut Log,
}

impl<'a> Source<'a> {
    pub(crate) fn new(
        input: &'a dyn Input,
        buf: &'a mut Buffer,
        window: usize,
        log: &'a mut Log,
    ) -> Self {
        Source { input, buf, offset: ByteOffset::START, skipped: 0, window, log }
    }

    /// Begins a claim at an offset.
    pub(crate) fn begin(&mut self, offset: ByteOffset) {
        self.buf.clear();
        (self.offset, self.skipped) = (offset, 0);
    }

    /// Begins a claim at an offset, with the bytes that were read ahead if they are at this offset.
    pub(crate) fn begin_with_ahead(&mut self, offset: ByteOffset) {
        self.buf.clear_for(offset);
        (self.offset, self.skipped) = (offset, 0);
    }

    /// Makes a claim of the bytes between two positions in what was read ahead.
    pub(crate) fn claim_ahead(&mut self, from: usize, to: usize) {
        (self.offset, self.skipped) = (self.buf.fill_from_ahead(to), from);
    }

    /// Number of bytes that were claimed.
    pub(crate) fn claimed(&self) -> u64 {
        (self.buf.len() - self.skipped) as u64
    }

    /// Appends the next window to the claim. Returns its size: 0 only at the end of the document.
    pub(crate) fn read(&mut self) -> Result<usize> {
        input::append(self.input, self.buf, self.offset + self.buf.len() as u64, self.window)
    }

    /// Reads until the claim has `len` bytes. Returns `true` if the document ends before that.
    pub(crate) fn fill(&mut self, len: usize) -> Result<bool> {
        while self.buf.len() < len {
            let (offset, missing) = (self.offset + self.buf.len() as u64, len - self.buf.len());
            if input::append(self.input, self.buf, offset, missing)? == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Offset in the document of a position in the buffer.
    pub(crate) fn offset_of(&self, at: usize) -> ByteOffset {
        self.offset + at as u64
    }

    /// Finds the end of the value at `buf[from]` by structure. Reads on as needed.
    pub(crate) fn value_end(&mut self, from: usize, longest: usize) -> Result<ValueEnd> {
        let mut skipper = Skipper::new();
        let mut at = from;
        loop {
            match skipper.feed(&self.buf[at..]) {
                Skipped::Done(n) => return Ok(ValueEnd::At(at + n)),
                Skipped::More => at = self.buf.len(),
            }
            if at - from > longest {
                return Ok(ValueEnd::TooLong);
            }
            if self.read()? == 0 {
                return Ok(ValueEnd::Cut);
            }
        }
    }

    /// Finds the end of the string whose content begins or continues at `offset`. Keeps none of it.
    pub(crate) fn string_end(&self, offset: ByteOffset) -> Result<Option<ByteOffset>> {
        let mut skipper = Skipper::new();
        skipper.feed(b"\"");
        skip(&mut skipper, self.input, offset, self.window)
    }
}

/// Finds the end of the value at an offset by structure; `None` if the document ends within it.
pub(crate) fn skip_value(
    input: &dyn Input,
    at: ByteOffset,
    window: usize,
) -> Result<Option<ByteOffset>> {
    skip(&mut Skipper::new(), input, at, window)
}

/// Reads pieces of up to `window` bytes.
fn skip(
    skipper: &mut Skipper,
    input: &dyn Input,
    at: ByteOffset,
    window: usize,
) -> Result<Option<ByteOffset>> {
    /// Starts small, as a document may have very many small members.
    const FIRST_WINDOW: usize = 4 << 10;
    let (mut at, mut buf, mut piece) = (at, Buffer::default(), window.min(FIRST_WINDOW));
    loop {
        buf.clear();
        let n = input::append(input, &mut buf, at, piece)?;
        if n == 0 {
            return Ok(None);
        }
        match skipper.feed(&buf) {
            Skipped::Done(n) => return Ok(Some(at + n as u64)),
            Skipped::More => at += n as u64,
        }
        piece = window.min(piece.saturating_mul(8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::members::{Member, Members};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Counts the bytes that are read.
    struct Counted(Vec<u8>, AtomicU64);

    impl Input for Counted {
        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
            let read = self.0.read_at(buf, offset)?;
            self.1.fetch_add(read as u64, Ordering::Relaxed);
            Ok(read)
        }
    }

    /// Each member used to read a whole window.
    #[test]
    fn many_small_members_are_read_in_small_pieces() {
        const MEMBERS: u64 = 10_000;
        let json = (0..MEMBERS).map(|n| format!("\"key{n}\":{n}")).collect::<Vec<_>>().join(",");
        let input = Counted(format!("{{{json}}}").into_bytes(), AtomicU64::new(0));
        let mut members = Members::new(ByteOffset::START, 1 << 20);
        let mut met = 0;
        while let Member::Value { at, .. } = members.next(&input).unwrap() {
            members.at = skip_value(&input, at, 1 << 20).unwrap().unwrap();
            met += 1;
        }
        assert_eq!(met, MEMBERS);
        let read = input.1.load(Ordering::Relaxed);
        assert!(read < MEMBERS * 10_000, "{read} bytes read for {MEMBERS} members");
    }

    #[test]
    fn values_end_where_they_end_whatever_the_window() {
        let long = format!("[{}]", "[1,\"]\"],".repeat(50_000));
        let input = format!("{long},1").into_bytes();
        for window in [1, 7, 4096, 5000, 1 << 20] {
            let end = skip_value(&input, ByteOffset::START, window).unwrap();
            assert_eq!(end, Some(ByteOffset(long.len() as u64)), "{window}");
        }
    }
}
