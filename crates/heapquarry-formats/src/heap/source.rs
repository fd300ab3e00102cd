//! What sections are claimed from: the bytes of a document, read window by window into the buffer of a worker.

use crate::{Buffer, Input, Log, Result, input};
use heapquarry_scan::{Skipped, Skipper};

/// How a section ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its `]`, before that offset.
    Closed(u64),
    /// With the document.
    Cut,
    /// With something that cannot stand there.
    Malformed(u64),
}

/// How a value in the buffer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueEnd {
    /// Before that position.
    At(usize),
    /// It does not: the document ends within it.
    Cut,
    /// Beyond as many bytes as are read into memory.
    TooLong,
}

/// The document while one claim is made, and the bytes of that claim.
pub(crate) struct Source<'a> {
    pub(crate) input: &'a dyn Input,
    /// The claimed bytes. They begin at [`Source::offset`].
    pub(crate) buf: &'a mut Buffer,
    /// Where the claim begins in the document.
    pub(crate) offset: u64,
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
        Source { input, buf, offset: 0, window, log }
    }

    /// Begins a claim at an offset.
    pub(crate) fn begin(&mut self, offset: u64) {
        self.buf.clear();
        self.offset = offset;
    }

    /// The same, with bytes that were read ahead if they stand there.
    pub(crate) fn begin_with_ahead(&mut self, offset: u64) {
        self.buf.clear_for(offset);
        self.offset = offset;
    }

    /// Appends the next window to the claim; the number of bytes, 0 only at the end of the document.
    pub(crate) fn read(&mut self) -> Result<usize> {
        input::append(self.input, self.buf, self.offset + self.buf.len() as u64, self.window)
    }

    /// Reads until the claim has that many bytes; whether the document ends before that.
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
    pub(crate) fn offset_of(&self, at: usize) -> u64 {
        self.offset + at as u64
    }

    /// Finds the end of the value at `buf[from]`, by structure, reading on if need be.
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

    /// Finds the end of the string whose inside begins or goes on at that offset; none of it is kept.
    pub(crate) fn string_end(&self, offset: u64) -> Result<Option<u64>> {
        let mut skipper = Skipper::new();
        skipper.feed(b"\"");
        skip(&mut skipper, self.input, offset, self.window)
    }
}

/// Finds the end of the value at an offset, by structure; none if the document ends within it.
pub(crate) fn skip_value(input: &dyn Input, at: u64, window: usize) -> Result<Option<u64>> {
    skip(&mut Skipper::new(), input, at, window)
}

fn skip(skipper: &mut Skipper, input: &dyn Input, at: u64, window: usize) -> Result<Option<u64>> {
    let (mut at, mut buf) = (at, Buffer::default());
    loop {
        buf.clear();
        let n = input::append(input, &mut buf, at, window)?;
        if n == 0 {
            return Ok(None);
        }
        match skipper.feed(&buf) {
            Skipped::Done(n) => return Ok(Some(at + n as u64)),
            Skipped::More => at += n as u64,
        }
    }
}
