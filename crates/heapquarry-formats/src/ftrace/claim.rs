//! Claims of lines: complete lines are found under the lock.

use super::lines::{self, End, Form};
use crate::{Buffer, ByteOffset, Code, Input, Log, Result, input};
use std::ops::Range;

/// Maximum size of a claim, and so of a line, in bytes.
const MAX_CLAIM: usize = 2 << 20;

/// Position of claiming.
#[derive(Debug)]
pub(crate) struct Cursor {
    form: Form,
    /// Offset after the last claim.
    at: ByteOffset,
    /// Number of the next line.
    line: u64,
    /// Whether the position is within a line that is too long to be read.
    in_long_line: bool,
    pub(crate) ended: bool,
}

/// Lines in a worker's buffer.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(super) form: Form,
    /// Offset of the buffer in the document.
    pub(super) offset: ByteOffset,
    /// Number of the first line.
    pub(super) first: u64,
    /// Their range in the buffer.
    pub(super) range: Range<usize>,
}

impl Cursor {
    /// Starts at an offset, where the line with that number begins.
    pub(crate) fn new(form: Form, at: ByteOffset, line: u64) -> Self {
        Cursor { form, at, line, in_long_line: false, ended: false }
    }

    /// Offset after everything that was claimed.
    pub(crate) fn at(&self) -> ByteOffset {
        self.at
    }

    /// Claims the next lines, at most `max`; `None` if the bytes that were read have no complete line.
    pub(crate) fn claim(
        &mut self,
        input: &dyn Input,
        buf: &mut Buffer,
        rows: usize,
        window: usize,
        log: &mut Log,
    ) -> Result<Option<Lines>> {
        let (offset, first) = (self.at, self.line);
        buf.clear();
        // Complete lines end at `start`; the line after them has no end before `seen`.
        let (mut start, mut seen, mut count) = (0, 0, 0);
        while count < rows as u64 && !self.ended {
            match lines::end(self.form, buf, seen) {
                End::Line(_, next) => {
                    (start, seen) = (next, next);
                    count += 1;
                }
                End::Text(end) => {
                    (start, self.ended) = (end, true);
                    count += 1;
                }
                End::More(at) => {
                    seen = at;
                    if buf.len() >= MAX_CLAIM {
                        break;
                    }
                    let window = window.clamp(1, MAX_CLAIM - buf.len());
                    if input::append(input, buf, offset + buf.len() as u64, window)? == 0 {
                        self.ended = true;
                        count += u64::from(buf.len() > start);
                        start = buf.len();
                        if self.form == Form::Json {
                            let at = offset + start as u64;
                            log.add(Code::Truncated, at, || {
                                "the document ends within the text of its events".into()
                            });
                        }
                    }
                }
            }
        }
        if start == 0 && !self.ended {
            // All of it is within one line.
            if !std::mem::replace(&mut self.in_long_line, true) {
                log.add(Code::StringTooLong, offset, || {
                    format!("a line of more than {} MiB is left out", MAX_CLAIM >> 20)
                });
            }
            self.at += seen as u64;
            return Ok(None);
        }
        self.at += start as u64;
        self.line += count;
        // The rest of a long line is skipped.
        let mut skipped = 0;
        if std::mem::take(&mut self.in_long_line) {
            skipped = match lines::end(self.form, buf, 0) {
                End::Line(_, next) => next,
                End::Text(end) => end,
                End::More(end) => end,
            };
        }
        if count == 0 || skipped >= start {
            return Ok(None);
        }
        Ok(Some(Lines {
            form: self.form,
            offset,
            first: first + u64::from(skipped > 0),
            range: skipped..start,
        }))
    }
}
