//! Claims of complete strings.

use crate::{
    ByteOffset, Code, Result,
    heap::source::{End, Source, ValueEnd},
};
use heapquarry_scan::{ScanStop, Span, StringScanner};

/// A claim ends after the string that reaches this many bytes. That is about the size of a row group of records, so
/// strings take no more memory.
const CLAIM_BYTES: usize = 2 << 20;
/// Longer strings are cut. V8 itself has none above 512 MB; the longest seen in Chromium is 3.8 MB.
const LONGEST_STRING: usize = 64 << 20;

/// Position of claiming in the section.
#[derive(Debug)]
pub(crate) struct StringCursor {
    at: ByteOffset,
    /// Whether `at` is after a string and before its comma.
    after_string: bool,
    count: u64,
    end: Option<End>,
}

/// Strings in the worker's buffer.
#[derive(Debug)]
pub(crate) struct ClaimedStrings {
    /// Position of the first string in the section.
    pub(crate) first: u64,
    pub(crate) spans: Vec<Span>,
    /// Offset of the buffer in the document.
    pub(crate) offset: ByteOffset,
}

/// A claim being built.
struct Scan {
    scanner: StringScanner,
    spans: Vec<Span>,
}

impl StringCursor {
    /// `open` is the offset of the section's `[`.
    pub(crate) fn new(open: ByteOffset) -> Self {
        StringCursor { at: open + 1, after_string: false, count: 0, end: None }
    }

    /// How the section ended, once [`StringCursor::claim`] returned nothing.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Strings claimed so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Reads up to `most` complete strings; `None` if there are no more.
    pub(crate) fn claim(
        &mut self,
        source: &mut Source<'_>,
        most: usize,
    ) -> Result<Option<ClaimedStrings>> {
        if self.end.is_some() {
            return Ok(None);
        }
        source.begin(self.at);
        let mut scan = Scan { scanner: StringScanner::new(0), spans: Vec::new() };
        if std::mem::take(&mut self.after_string) {
            scan.scanner.resume(0);
        }
        loop {
            let stop = scan.scanner.scan(source.buf, most, &mut scan.spans);
            let full = scan.spans.partition_point(|s| (s.end as usize) < CLAIM_BYTES) + 1;
            let is_complete = if full <= scan.spans.len() {
                // The window may hold more. The next claim begins after the closing quote.
                scan.spans.truncate(full);
                self.end_after_last(&mut scan, source)?
            } else {
                match stop {
                    ScanStop::Full => self.end_between(&scan, source),
                    ScanStop::Close(at) => self.end_section(End::Closed(source.offset_of(at + 1))),
                    ScanStop::Odd(at) => self.take_other(at, &mut scan, source)?,
                    ScanStop::More => self.read_on(&mut scan, source)?,
                }
            };
            if is_complete {
                break;
            }
        }
        let Scan { spans, .. } = scan;
        let first = self.count;
        self.count += spans.len() as u64;
        Ok((!spans.is_empty()).then_some(ClaimedStrings { first, spans, offset: source.offset }))
    }

    // Each of these calls returns whether the claim is complete.

    fn end_section(&mut self, end: End) -> bool {
        self.end = Some(end);
        true
    }

    /// Ends the claim after its last span.
    fn end_after_last(&mut self, scan: &mut Scan, source: &mut Source<'_>) -> Result<bool> {
        let last = scan.spans.last().expect("a claim that is full has strings");
        if (last.end - last.start) as usize > LONGEST_STRING {
            let open = last.start as usize;
            scan.spans.pop();
            return self.cut_string(open, scan, source);
        }
        self.at = source.offset_of(last.end as usize + 1);
        self.after_string = true;
        Ok(true)
    }

    /// Ends the claim if it has the wanted number of strings.
    fn end_between(&mut self, scan: &Scan, source: &Source<'_>) -> bool {
        let settled = scan.scanner.settled();
        self.at = source.offset_of(settled);
        // After an element that is not a string, the comma is still to come.
        self.after_string = scan.spans.last().is_some_and(|last| settled == last.end as usize);
        true
    }

    /// Takes an element that is not a string.
    fn take_other(&mut self, at: usize, scan: &mut Scan, source: &mut Source<'_>) -> Result<bool> {
        // No snapshot has an element as long as the longest string in place of a string.
        let ValueEnd::At(end) = source.value_end(at, LONGEST_STRING)? else {
            return Ok(self.end_section(End::Cut));
        };
        // The element may be empty.
        if end == at && source.buf[at] != b',' {
            return Ok(self.end_section(End::Malformed(source.offset_of(at))));
        }
        let (offset, raw) = (source.offset_of(at), &source.buf[at..end]);
        source.log.add_excerpt(Code::NotAString, offset, raw, || {
            format!("element {} of strings is no string", self.count + scan.spans.len() as u64)
        });
        scan.spans.push(Span { start: at as u32, end: end as u32, escaped: false });
        scan.scanner.resume(end);
        Ok(false)
    }

    /// Reads more bytes, as those in the buffer end within a string or between two.
    fn read_on(&mut self, scan: &mut Scan, source: &mut Source<'_>) -> Result<bool> {
        let (open, settled) = (scan.scanner.open(), scan.scanner.settled());
        if let Some(open) = open.filter(|open| source.buf.len() - open > LONGEST_STRING) {
            return self.cut_string(open, scan, source);
        }
        if open.is_none() && source.buf.len() - settled > LONGEST_STRING {
            // Only blanks follow.
            return Ok(self.end_section(End::Malformed(source.offset_of(settled))));
        }
        if source.read()? == 0 {
            scan.scanner.finish(&mut scan.spans);
            return Ok(self.end_section(End::Cut));
        }
        Ok(false)
    }

    /// Keeps the start of a string that is too long, and finds its end.
    fn cut_string(
        &mut self,
        open: usize,
        scan: &mut Scan,
        source: &mut Source<'_>,
    ) -> Result<bool> {
        let end = cut_before(source.buf, open + LONGEST_STRING, open);
        source.log.add(Code::StringTooLong, source.offset + open as u64 - 1, || {
            let string = self.count + scan.spans.len() as u64;
            format!("string {string} is cut after {} bytes", end - open)
        });
        scan.spans.push(Span { start: open as u32, end: end as u32, escaped: true });
        source.buf.truncate(end);
        match source.string_end(source.offset_of(end))? {
            Some(end) => {
                self.at = end;
                self.after_string = true;
            }
            None => self.end = Some(End::Cut),
        }
        Ok(true)
    }
}

/// The last position up to `end` where the string that begins at `open` can be cut.
fn cut_before(buf: &[u8], mut end: usize, open: usize) -> usize {
    // Not within an escape, which has at most six bytes (`\ud83d`).
    if let Some(escape) = buf[end - 6..end].iter().rposition(|&b| b == b'\\') {
        end = end - 6 + escape;
        end -= buf[..end].iter().rev().take_while(|&&b| b == b'\\').count();
    }
    // Not within a character.
    while end > open && buf[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    end
}
