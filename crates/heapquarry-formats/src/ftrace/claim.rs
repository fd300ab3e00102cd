//! Claims of lines: the next ones that are whole are found under the lock.

use super::lines::{self, End, Form};
use crate::{Buffer, Code, Input, Log, Result, input};
use std::ops::Range;

/// Bytes of a claim, and so of a line, at most.
const CLAIM: usize = 2 << 20;

/// Where claiming of lines stands.
#[derive(Debug)]
pub(crate) struct Cursor {
    form: Form,
    /// Offset behind what was claimed.
    at: u64,
    /// Number of the next line.
    line: u64,
    /// Within a line that is too long to be read.
    in_long_line: bool,
    pub(crate) ended: bool,
}

/// Lines in a worker's buffer.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(super) form: Form,
    /// Offset of the buffer in the document.
    pub(super) offset: u64,
    /// Number of the first line.
    pub(super) first: u64,
    /// Where they stand in the buffer.
    pub(super) range: Range<usize>,
}

impl Cursor {
    /// From that offset on, where the line of that number begins.
    pub(crate) fn new(form: Form, at: u64, line: u64) -> Self {
        Cursor { form, at, line, in_long_line: false, ended: false }
    }

    /// Offset behind all that was claimed.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// The next lines, at most so many; nothing if there are none among the bytes that were read.
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
        // Whole lines end at `start`; the one behind them has no end before `seen`.
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
                    if buf.len() >= CLAIM {
                        break;
                    }
                    let window = window.clamp(1, CLAIM - buf.len());
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
            // Not a line in all of it.
            if !std::mem::replace(&mut self.in_long_line, true) {
                log.add(Code::StringTooLong, offset, || {
                    format!("a line of more than {} MiB is left out", CLAIM >> 20)
                });
            }
            self.at += seen as u64;
            return Ok(None);
        }
        self.at += start as u64;
        self.line += count;
        // What is left of a long line is not read either.
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
