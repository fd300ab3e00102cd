//! Skips content that is not read as tokens, or reads it as bytes.

use super::{Json, Step, Stop};
use crate::Result;
use heapquarry_scan::{Skipped, Skipper};
use std::ops::Range;

impl Json<'_> {
    /// Continues in a string after its opening quote: passes its bytes on as they come, until `take` returns how many
    /// of them remain unread.
    pub fn stream(&mut self, mut take: impl FnMut(&[u8]) -> Result<Option<usize>>) -> Step<()> {
        loop {
            if let Some(taken) = take(&self.buf[self.pos..])? {
                self.pos += taken;
                return Ok(());
            }
            self.pos = self.buf.len();
            if !self.fill(self.pos)? {
                return Err(Stop::Cut);
            }
        }
    }

    /// Skips to after the next line break, or to the end.
    pub fn skip_line(&mut self) -> Result<()> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buf[self.pos..]) {
                self.pos += end + 1;
                return Ok(());
            }
            self.pos = self.buf.len();
            if !self.fill(self.pos)? {
                return Ok(());
            }
        }
    }

    /// Skips the value at the position.
    pub fn skip(&mut self) -> Step<()> {
        let mut skipper = Skipper::new();
        loop {
            match skipper.feed(&self.buf[self.pos..]) {
                Skipped::Done(length) => {
                    self.pos += length;
                    return Ok(());
                }
                Skipped::More => {
                    self.pos = self.buf.len();
                    if !self.fill(self.pos)? {
                        return Err(Stop::Cut);
                    }
                }
            }
        }
    }

    /// The complete value at the position, if it has at most `most` bytes; otherwise it is skipped.
    pub(crate) fn whole(&mut self, most: usize) -> Step<Option<Range<usize>>> {
        self.next()?;
        let mut skipper = Skipper::new();
        let mut fed = 0;
        loop {
            match skipper.feed(&self.buf[self.pos + fed..]) {
                Skipped::Done(length) => {
                    let span = self.pos..self.pos + fed + length;
                    self.pos = span.end;
                    return Ok((span.len() <= most).then_some(span));
                }
                Skipped::More => fed = self.buf.len() - self.pos,
            }
            if fed > most {
                // It is already too long.
                self.pos += fed;
                loop {
                    if !self.fill(self.pos)? {
                        return Err(Stop::Cut);
                    }
                    match skipper.feed(&self.buf[self.pos..]) {
                        Skipped::Done(length) => {
                            self.pos += length;
                            return Ok(None);
                        }
                        Skipped::More => self.pos = self.buf.len(),
                    }
                }
            }
            if !self.fill(self.pos)? {
                return Err(Stop::Cut);
            }
        }
    }

    /// Skips the value at the position, whatever it is. Strings may have quotes that are not escaped.
    #[inline]
    pub fn skip_value(&mut self) -> Step<()> {
        self.value().map(drop)
    }
}
