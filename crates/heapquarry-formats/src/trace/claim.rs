//! Claims of events: complete events are found ahead, or under the lock.

use super::resync::{self, Next};
use crate::{
    Buffer, ByteOffset, Code, Input, Log, Result,
    ahead::{self, Ahead, Found, Notes, Prediction},
    input,
};
use heapquarry_scan::{Extent, ObjectStop, Skipped, Skipper, is_blank, scan_objects};
use std::ops::Range;

/// Size of a claim in bytes, unless a single event is larger.
const CLAIM: usize = 2 << 20;

/// Bytes that are read first for each event that a claim may have. Most events are shorter.
const EVENT: usize = 1 << 10;

/// Maximum size of an event that is read into memory.
const MAX_EVENT: usize = 256 << 20;

/// Maximum number of guesses where an event ends.
const MAX_GUESSES: usize = 16;

/// Position of claiming.
#[derive(Debug)]
pub(super) struct Cursor {
    /// Offset after the last claim.
    at: ByteOffset,
    within: Within,
    /// Size of a claim in bytes.
    size: usize,
    prediction: Prediction,
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
    pub(super) extents: ahead::Claimed<Extent>,
    /// Set if these are the last ones.
    pub(super) end: Option<End>,
}

impl Cursor {
    /// Starts in an array, after its `[`.
    pub(super) fn array(at: ByteOffset) -> Self {
        Self::new(at, Within::Array)
    }

    /// Starts in an array that is a member of an object, after its `[`.
    pub(super) fn member(at: ByteOffset) -> Self {
        Self::new(at, Within::Member)
    }

    /// Starts with events one after the other.
    pub(super) fn lines(at: ByteOffset) -> Self {
        Self::new(at, Within::Nothing)
    }

    fn new(at: ByteOffset, within: Within) -> Self {
        Cursor { at, within, size: CLAIM, prediction: Prediction::default() }
    }

    /// Offset after everything that was claimed.
    pub(super) fn at(&self) -> ByteOffset {
        self.at
    }

    /// Whether an object continues after the events.
    pub(super) fn is_member(&self) -> bool {
        self.within == Within::Member
    }

    /// The bytes that the next claim will probably need.
    pub(super) fn ahead<'a>(&mut self, input: &'a dyn Input, window: usize) -> Option<Ahead<'a>> {
        self.prediction.next(self.at, input, window, look)
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
        let at = self.at;
        let found = match buf.take_notes() {
            Notes::Events(found) => {
                let claimed = self.claim_found(found, buf, rows);
                self.prediction.tried(claimed.is_some());
                claimed
            }
            _ => None,
        };
        let claimed = match found {
            Some(claimed) => claimed,
            None => self.search(input, buf, rows, window, log)?,
        };
        // One event that is far larger says nothing about those after it.
        self.prediction.claimed((self.at - at).min(self.size as u64));
        Ok(claimed)
    }

    /// Claims events that were found ahead; `None` if the claim begins or ends elsewhere.
    fn claim_found(
        &mut self,
        found: Found<Extent>,
        buf: &mut Buffer,
        rows: usize,
    ) -> Option<Claimed> {
        let start = buf.position_ahead(self.at)?;
        let before = found.before(start)?;
        let events = &found.elements[before..];
        let whole = events.partition_point(|event| event.end as usize <= start + self.size);
        let count = whole.min(rows);
        let last = events[..count].last()?.end as usize;
        // Only if another event follows, there is nothing else within the size of a claim.
        if count < rows && whole == events.len() {
            return None;
        }
        let offset = buf.fill_from_ahead(last);
        self.at = offset + last as u64;
        Some(Claimed { offset, extents: found.claim(before, count), end: None })
    }

    /// Finds the events of a claim.
    fn search(
        &mut self,
        input: &dyn Input,
        buf: &mut Buffer,
        rows: usize,
        window: usize,
        log: &mut Log,
    ) -> Result<Claimed> {
        let offset = self.at;
        buf.clear_for(offset);
        let (mut extents, mut end) = (Vec::new(), None);
        let (mut size, mut from) = (self.size, 0);
        // A claim of a few events does not need all the bytes that a claim may have.
        let mut read = rows.saturating_mul(EVENT).min(size);
        let mut all = fill(input, buf, offset, read, window)?;
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
                Next::More(_) if !all && read < size => {
                    read = size.min(read * 2);
                    all = fill(input, buf, offset, read, window)?;
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
                    read = size;
                    all = fill(input, buf, offset, read, window)?;
                }
            }
        }
        self.at = offset + from as u64;
        buf.truncate(from);
        let found = extents.len();
        extents.retain(|extent| !is_empty(&buf[range(extent)]));
        for _ in extents.len()..found {
            log.add(Code::EmptyEvent, None, || "an event without members is left out".into());
        }
        Ok(Claimed { offset, extents: extents.into(), end })
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
            let nothing = |at, end| Claimed { offset: at, extents: Vec::new().into(), end };
            if input::append(input, buf, at, window.max(1 << 20))? == 0 {
                log.add(Code::Truncated, start, || "the document ends within this event".into());
                self.at = at;
                return Ok(nothing(at, Some(End::Over(at))));
            }
            match skipper.feed(buf) {
                Skipped::More => at += buf.len() as u64,
                Skipped::Done(length) => {
                    self.at = at + length as u64;
                    buf.clear();
                    return Ok(nothing(self.at, None));
                }
            }
        }
    }
}

/// Reads ahead, and finds events.
fn look(ahead: &Ahead<'_>, buf: &mut Buffer) {
    buf.read_ahead(ahead, |_| {});
    let found = found_ahead(buf.bytes_ahead(), ahead.off);
    buf.set_notes(Notes::Events(found));
}

/// The events after the start, which is at `off`, give or take as much; after the first byte if it is 0. Those from an
/// empty one on are left out.
fn found_ahead(bytes: &[u8], off: usize) -> Found<Extent> {
    let mut begin = if off == 0 { 0 } else { boundary(bytes, 0) };
    let mut guesses = 1;
    loop {
        let mut elements = Vec::new();
        let stop = scan_objects(bytes, begin, usize::MAX, &mut elements);
        let end = elements.last().map_or(begin, |last| last.end as usize);
        if stop == ObjectStop::More || end >= 2 * off || guesses == MAX_GUESSES {
            let whole = elements.iter().position(|event| is_empty(&bytes[range(event)]));
            elements.truncate(whole.unwrap_or(elements.len()));
            return Found { begin, elements };
        }
        // Probably it began within an event.
        begin = boundary(bytes, end);
        guesses += 1;
    }
}

/// The next position after `from` that is probably after an event: after a `}`, before a `{`. The end of the bytes if
/// there is none.
fn boundary(bytes: &[u8], from: usize) -> usize {
    let mut ends = memchr::memchr_iter(b'}', &bytes[from..]).map(|end| from + end + 1);
    let found = ends.find(|&end| bytes.get(end + gap(&bytes[end..])) == Some(&b'{'));
    found.unwrap_or(bytes.len())
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
    // What was read ahead must not make the claim longer.
    buf.truncate(size);
    Ok(offset + size as u64 >= input.end())
}

/// Length of the leading blanks and commas.
fn gap(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| is_blank(byte) || byte == b',').count()
}

fn range(extent: &Extent) -> Range<usize> {
    extent.start as usize..extent.end as usize
}

/// Whether an event has no members.
fn is_empty(event: &[u8]) -> bool {
    event.len() < 64 && event[1..].iter().all(|&byte| is_blank(byte) || b",}".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ahead::tests::in_turn, document::Ahead as _};
    use proptest::{collection::vec, prelude::*, sample::select};
    use std::{
        collections::VecDeque,
        io,
        sync::atomic::{AtomicUsize, Ordering},
    };

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

    const WINDOW: usize = 11;

    /// A claim: the events with their offsets, how they ended, and where the next claim begins.
    type Seen = (Vec<(u64, String)>, Option<End>, ByteOffset);

    /// All claims, and the log. `ahead` returns what was read ahead of a claim.
    fn claims(
        document: &Vec<u8>,
        within: Within,
        size: usize,
        rows: usize,
        mut ahead: impl FnMut(&mut Cursor) -> Buffer,
    ) -> (Vec<Seen>, String) {
        let mut cursor = Cursor { size, ..Cursor::new(ByteOffset::START, within) };
        let (mut seen, mut log) = (Vec::new(), Log::default());
        loop {
            let mut buf = ahead(&mut cursor);
            let claimed = cursor.claim(document, &mut buf, rows, WINDOW, &mut log).unwrap();
            let text = |event: &Extent| String::from_utf8_lossy(&buf[range(event)]).into_owned();
            let events = claimed.extents.iter();
            let events =
                events.map(|event| ((claimed.offset + u64::from(event.start)).0, text(event)));
            seen.push((events.collect(), claimed.end, cursor.at));
            if claimed.end.is_some() {
                return (seen, format!("{log:?}"));
            }
        }
    }

    fn check(
        document: &str,
        within: Within,
        (size, rows): (usize, usize),
        ahead: impl FnMut(&mut Cursor) -> Buffer,
    ) {
        let document = document.as_bytes().to_vec();
        let plain = claims(&document, within, size, rows, |_| Buffer::default());
        assert_eq!(claims(&document, within, size, rows, ahead), plain, "{size} {rows}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Wherever it was read ahead, and whatever was found there.
        #[test]
        fn reading_ahead_changes_no_claim(
            elements in vec((select(vec![
                r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":[{"b":2},{"c":{}},{"d":3}]}"#, r#"{"a":"},{"}"#, "{}", "{ }",
                r#"{"a":"\"},{\"b\":1},"}"#, r#"{"a":"x"y"}"#, r#"{"a":{"b":1}"#, r#"{"a":"é"}"#, r#"{"a":"\\"}"#,
                "null", "]", "}", "[{},{}]", r#""},{""#, r#"{"long":"long long long long long","n":[1,[2]]}"#,
            ]), select(vec![",", ",", ",", ",\n", "\r\n,\r\n", " , ", "\n", "", ",,"])), 0..60),
            within in select(vec![Within::Array, Within::Member, Within::Nothing]),
            size in 1..120usize,
            rows in 1..20usize,
            reads in vec((0..120u64, 0..250usize, 0..60usize), 1..20),
        ) {
            let text: String = elements.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let document = text.as_bytes().to_vec();
            let mut reads = reads.into_iter().cycle();
            check(&text, within, (size, rows), |cursor| {
                let (back, len, off) = reads.next().unwrap();
                let mut buf = Buffer::default();
                // Without uncertainty it must begin where the claim does.
                let back = if off == 0 { 0 } else { back.min(cursor.at.0) };
                let (input, offset) = (&document, ByteOffset(cursor.at.0 - back));
                Ahead { input, offset, len, window: WINDOW, off, look }.read(&mut buf);
                buf
            });
        }
    }

    /// Counts the bytes that are read.
    #[derive(Debug)]
    struct Counted<'a>(&'a [u8], AtomicUsize);

    impl Input for Counted<'_> {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            let read = self.0.read_at(buf, offset)?;
            self.1.fetch_add(read, Ordering::Relaxed);
            Ok(read)
        }
    }

    #[test]
    fn claims_of_few_events_read_few_bytes() {
        // Lengths that cannot be predicted.
        let event = |n: usize| format!("{{\"x\":\"{}\"}},", "x".repeat(n * n % 997 * 5));
        let events: String = (0..1000).map(event).collect();
        let input = Counted(events.as_bytes(), AtomicUsize::new(0));
        let mut cursor = Cursor::lines(ByteOffset::START);
        let (mut buf, mut log, mut found) = (Buffer::default(), Log::default(), 0);
        loop {
            let claimed = cursor.claim(&input, &mut buf, 1, 4096, &mut log).unwrap();
            found += claimed.extents.iter().len();
            if claimed.end.is_some() {
                break;
            }
        }
        assert_eq!(found, 1000);
        let read = input.1.into_inner();
        assert!(read < 4 * events.len(), "{read} bytes of {}", events.len());
    }

    /// Nearly all claims are found ahead, and they are the same.
    #[test]
    fn claims_are_found_ahead() {
        let events = [
            r#"{"ph":"X","ts":1}"#,
            r#"{"ph":"X","args":{"list":[{"a":1},{"b":2},{"c":[{},{}]}]}}"#,
            r#"{"ph":"X","args":{"text":"},\n{\"a\":1},{"}}"#,
            r#"{"ph":"X","name":"\\"}"#,
        ];
        for (within, comma) in
            [(Within::Array, ",\n"), (Within::Member, ", "), (Within::Nothing, "\r\n")]
        {
            let mut document = String::new();
            for n in 0..20_000usize {
                document += events[n * n % 89 % events.len()];
                document += comma;
            }
            document += if within == Within::Nothing { "" } else { "{\"last\":1}]" };
            for (size, rows) in [(8000, usize::MAX), (usize::MAX / 2, 200), (8000, 150)] {
                for workers in [1, 2, 5] {
                    let bytes = document.as_bytes().to_vec();
                    let (mut reading, mut all, mut failed) = (VecDeque::new(), 0, 0);
                    check(&document, within, (size, rows), |cursor| {
                        (all, failed) =
                            (all + 1, failed + u64::from(cursor.prediction.failures() > 0));
                        in_turn(workers, &mut reading, || cursor.ahead(&bytes, WINDOW))
                    });
                    assert!(
                        all > 50 && failed < all / 10 + 2,
                        "{within:?} {size} {workers}: {failed} of {all}"
                    );
                }
            }
        }
    }
}
