//! Claims of events: complete events are found under the lock.

use super::resync::{self, Next};
use crate::{Buffer, ByteOffset, Code, Input, Log, Result, input};
use heapquarry_scan::{Extent, ObjectStop, Skipped, Skipper, is_blank, scan_objects};

/// Size of a claim in bytes, unless a single event is larger.
const CLAIM: usize = 2 << 20;

/// Maximum size of an event that is read into memory.
const MAX_EVENT: usize = 256 << 20;

/// Position of claiming.
#[derive(Debug)]
pub(super) struct Cursor {
    /// Offset after the last claim.
    at: ByteOffset,
    within: Within,
}

/// The container of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// An array that is the whole document; it need not be closed.
    Array,
    /// A member of an object.
    Member,
    /// No container: events one after the other.
    Nothing,
}

/// How the events ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With `]`, before that offset.
    Closed(ByteOffset),
    /// With the document, or its readable part.
    Over(ByteOffset),
}

/// Events in a worker's buffer.
#[derive(Debug)]
pub(super) struct Claimed {
    /// Offset of the buffer in the document.
    pub(super) offset: ByteOffset,
    pub(super) extents: Vec<Extent>,
    /// Set if these are the last ones.
    pub(super) end: Option<End>,
}

impl Cursor {
    /// Starts in an array, after its `[`.
    pub(super) fn array(at: ByteOffset) -> Self {
        Cursor { at, within: Within::Array }
    }

    /// Starts in an array that is a member of an object, after its `[`.
    pub(super) fn member(at: ByteOffset) -> Self {
        Cursor { at, within: Within::Member }
    }

    /// Starts with events one after the other.
    pub(super) fn lines(at: ByteOffset) -> Self {
        Cursor { at, within: Within::Nothing }
    }

    /// Offset after everything that was claimed.
    pub(super) fn at(&self) -> ByteOffset {
        self.at
    }

    /// Whether an object continues after the events.
    pub(super) fn is_member(&self) -> bool {
        self.within == Within::Member
    }

    /// Claims the next events: up to `rows` of them, and as many as fit in a few MiB.
    pub(super) fn claim(
        &mut self,
        input: &dyn Input,
        buf: &mut Buffer,
        rows: usize,
        window: usize,
        log: &mut Log,
    ) -> Result<Claimed> {
        buf.clear();
        let offset = self.at;
        let (mut extents, mut end) = (Vec::new(), None);
        let (mut size, mut from) = (CLAIM, 0);
        let mut all = fill(input, buf, offset, size, window)?;
        while end.is_none() {
            let stop = scan_objects(buf, from, rows, &mut extents);
            from = extents.last().map_or(from, |last| from.max(last.end as usize));
            let next = match stop {
                ObjectStop::Full => break,
                ObjectStop::Close(at) => Next::Close(at),
                ObjectStop::More if !all => Next::More(from),
                ObjectStop::More | ObjectStop::Odd => resync::next(buf, from, all),
            };
            match next {
                Next::Object(extent) => {
                    log.add(Code::StrayQuote, offset + u64::from(extent.start), || {
                        "an event with quotes or brackets that do not match".into()
                    });
                    from = extent.end as usize;
                    extents.push(extent);
                    if extents.len() >= rows {
                        break;
                    }
                }
                Next::Junk(extent) => {
                    from = extent.end as usize;
                    let junk = &buf[extent.start as usize..from];
                    log.add_excerpt(
                        Code::NotAnEvent,
                        offset + u64::from(extent.start),
                        junk,
                        || "an element that is no event".into(),
                    );
                }
                Next::Close(at) if self.within == Within::Nothing => from = at + 1,
                Next::Close(at) => {
                    from = at + 1;
                    end = Some(End::Closed(offset + from as u64));
                }
                // The next claim takes the rest.
                Next::More(_) if !all && !extents.is_empty() => break,
                Next::More(at) if all => {
                    self.cut(offset, at, buf, log);
                    from = buf.len();
                    end = Some(End::Over(offset + from as u64));
                }
                Next::More(_) if size >= MAX_EVENT => {
                    let start = from + gap(&buf[from..]);
                    return self.pass_over(input, offset + start as u64, buf, window, log);
                }
                Next::More(_) => {
                    size *= 2;
                    all = fill(input, buf, offset, size, window)?;
                }
            }
        }
        self.at = offset + from as u64;
        buf.truncate(from);
        let found = extents.len();
        extents.retain(|extent| !is_empty(&buf[extent.start as usize..extent.end as usize]));
        for _ in extents.len()..found {
            log.add(Code::EmptyEvent, None, || "an event without members is left out".into());
        }
        Ok(Claimed { offset, extents, end })
    }

    /// Handles a document that ends before the events do; `at` is after the last one.
    fn cut(&self, offset: ByteOffset, at: usize, buf: &Buffer, log: &mut Log) {
        let at = at + gap(&buf[at.min(buf.len())..]);
        if at < buf.len() || self.within == Within::Member {
            let message = || "the document ends before the events do".into();
            log.add(Code::Truncated, offset + at as u64, message);
        } else if self.within == Within::Array {
            let message = || "the array of events is not closed, which the format allows".into();
            log.add(Code::UnclosedArray, offset + at as u64, message);
        }
    }

    /// Skips an event that is too large.
    fn pass_over(
        &mut self,
        input: &dyn Input,
        start: ByteOffset,
        buf: &mut Buffer,
        window: usize,
        log: &mut Log,
    ) -> Result<Claimed> {
        log.add(Code::StringTooLong, start, || {
            format!("an event of more than {} MiB is left out", MAX_EVENT >> 20)
        });
        let (mut at, mut skipper) = (start, Skipper::new());
        loop {
            buf.clear();
            let end = |at| Claimed { offset: at, extents: Vec::new(), end: Some(End::Over(at)) };
            if input::append(input, buf, at, window.max(1 << 20))? == 0 {
                log.add(Code::Truncated, start, || "the document ends within this event".into());
                self.at = at;
                return Ok(end(at));
            }
            match skipper.feed(buf) {
                Skipped::More => at += buf.len() as u64,
                Skipped::Done(length) => {
                    self.at = at + length as u64;
                    buf.clear();
                    return Ok(Claimed { offset: self.at, extents: Vec::new(), end: None });
                }
            }
        }
    }
}

/// Reads until there are `size` bytes in the buffer; returns whether the input ends with them.
fn fill(
    input: &dyn Input,
    buf: &mut Buffer,
    offset: ByteOffset,
    size: usize,
    window: usize,
) -> Result<bool> {
    while buf.len() < size {
        let window = window.max(1).min(size - buf.len());
        if input::append(input, buf, offset + buf.len() as u64, window)? == 0 {
            return Ok(true);
        }
    }
    Ok(offset + size as u64 >= ByteOffset::end(input))
}

/// Length of the leading blanks and commas.
fn gap(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| is_blank(byte) || byte == b',').count()
}

/// Whether an event has no members.
fn is_empty(event: &[u8]) -> bool {
    event.len() < 64 && event[1..].iter().all(|&byte| is_blank(byte) || b",}".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The elements that [`Cursor::claim`] finds, with and without the fast path.
    fn elements(bytes: &[u8], fast: bool) -> Vec<Next> {
        let (mut found, mut from) = (Vec::new(), 0);
        loop {
            let mut extents = Vec::new();
            if fast {
                scan_objects(bytes, from, usize::MAX, &mut extents);
                found.extend(extents.iter().map(|&extent| Next::Object(extent)));
                from = extents.last().map_or(from, |last| last.end as usize);
            }
            let next = resync::next(bytes, from, true);
            found.push(next);
            match next {
                Next::Object(extent) | Next::Junk(extent) => from = extent.end as usize,
                Next::Close(_) | Next::More(_) => return found,
            }
        }
    }

    proptest! {
        #[test]
        fn the_fast_way_finds_the_same(tokens in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\"", ",", ":", " ", "\\", "a", "{}", "{\"a\":1}", "\"k\":", "\"v\"", "\n", "null",
            "{\"args\":{\"x\":[\"}\"]},\"y\":\"\\\"\"},",
        ]), 0..80)) {
            let bytes = tokens.concat();
            prop_assert_eq!(elements(bytes.as_bytes(), true), elements(bytes.as_bytes(), false), "{}", bytes);
        }
    }
}
