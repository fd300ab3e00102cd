//! Claims of complete strings.

use crate::{
    Buffer, ByteOffset, Code, Input, Result,
    ahead::{Ahead, Claimed, Found, Notes, Prediction},
    heap::source::{End, Source, ValueEnd},
};
use heapquarry_scan::{ScanStop, Span, StringScanner, is_blank};

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
    /// A claim ends after the string that reaches this many bytes.
    full: usize,
    prediction: Prediction,
}

/// Strings in the worker's buffer.
#[derive(Debug)]
pub(crate) struct ClaimedStrings {
    /// Position of the first string in the section.
    pub(crate) first: u64,
    pub(crate) spans: Claimed<Span>,
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
        Self::with(open, CLAIM_BYTES)
    }

    fn with(open: ByteOffset, full: usize) -> Self {
        let prediction = Prediction::default();
        StringCursor { at: open + 1, after_string: false, count: 0, end: None, full, prediction }
    }

    /// How the section ended, once [`StringCursor::claim`] returned nothing.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Strings claimed so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The bytes that the next claim will probably need.
    pub(crate) fn ahead<'a>(&mut self, input: &'a dyn Input, window: usize) -> Option<Ahead<'a>> {
        self.end.is_none().then(|| self.prediction.next(self.at, input, window, look)).flatten()
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
        let at = self.at;
        let found = match source.buf.take_notes() {
            Notes::Strings(found) => {
                let claimed = self.claim_found(found, source, most);
                self.prediction.tried(claimed.is_some());
                claimed
            }
            _ => None,
        };
        let claimed = match found {
            Some(claimed) => Some(claimed),
            None => self.search(source, most)?,
        };
        // One string that is far longer says nothing about those after it.
        self.prediction.claimed((self.at - at).min((self.full + self.full / 8) as u64));
        Ok(claimed)
    }

    /// Claims strings that were found ahead; `None` if the claim begins or ends elsewhere.
    fn claim_found(
        &mut self,
        found: Found<Span>,
        source: &mut Source<'_>,
        most: usize,
    ) -> Option<ClaimedStrings> {
        let start = source.buf.position_ahead(self.at).filter(|_| self.after_string)?;
        let before = found.before(start)?;
        let strings = &found.elements[before..];
        let full = strings.partition_point(|s| (s.end as usize) < start + self.full) + 1;
        let count = full.min(most);
        let last = strings.get(count - 1)?;
        if (last.end - last.start) as usize > LONGEST_STRING {
            return None;
        }
        source.claim_ahead(start, last.end as usize + 1);
        self.at = source.offset_of(last.end as usize + 1);
        let first = self.count;
        self.count += count as u64;
        let spans = found.claim(before, count);
        Some(ClaimedStrings { first, spans, offset: source.offset })
    }

    /// Finds the strings of a claim.
    fn search(&mut self, source: &mut Source<'_>, most: usize) -> Result<Option<ClaimedStrings>> {
        source.begin_with_ahead(self.at);
        let mut scan = Scan { scanner: StringScanner::new(0), spans: Vec::new() };
        if std::mem::take(&mut self.after_string) {
            scan.scanner.resume(0);
        }
        loop {
            let stop = scan.scanner.scan(source.buf, most, &mut scan.spans);
            let full = scan.spans.partition_point(|s| (s.end as usize) < self.full) + 1;
            let is_complete = if full <= scan.spans.len() {
                // The window may hold more. The next claim begins after the closing quote.
                scan.spans.truncate(full);
                self.end_after_last(&mut scan, source)?
            } else {
                match stop {
                    ScanStop::Full => self.end_after_all(&scan, source),
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
        let spans = Claimed::from(spans);
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

    /// Ends the claim after its last element, as it has the wanted number.
    fn end_after_all(&mut self, scan: &Scan, source: &Source<'_>) -> bool {
        let end = scan.spans.last().expect("a claim that is full has strings").end as usize;
        // An element that is not a string has no closing quote.
        self.at = source.offset_of(end + usize::from(scan.scanner.settled() > end));
        self.after_string = true;
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
        // The next claim begins before the comma.
        (self.at, self.after_string) = (source.offset_of(end), true);
        Ok(end >= self.full)
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

/// Reads ahead, and finds strings.
fn look(ahead: &Ahead<'_>, buf: &mut Buffer) {
    buf.read_ahead(ahead, |_| {});
    let found = found_ahead(buf.bytes_ahead(), ahead.off);
    buf.set_notes(Notes::Strings(found));
}

/// The strings after the start, which is at `off`, give or take as much; after the first byte if it is 0.
fn found_ahead(bytes: &[u8], off: usize) -> Found<Span> {
    let mut begin = if off == 0 { 0 } else { boundary(bytes, 0) };
    loop {
        let (mut scanner, mut elements) = (StringScanner::new(0), Vec::new());
        scanner.resume(begin);
        let stop = scanner.scan(bytes, usize::MAX, &mut elements);
        match stop {
            // Probably it began within a string.
            ScanStop::Odd(at) | ScanStop::Close(at) if at < 2 * off => {
                begin = boundary(bytes, at);
            }
            _ => return Found { begin, elements },
        }
    }
}

/// The next position after `from` that is probably after a string: after a quote, before a comma and another quote. The
/// end of the bytes if there is none.
fn boundary(bytes: &[u8], from: usize) -> usize {
    let visible = |from: usize| {
        let blanks = bytes[from..].iter().take_while(|&&byte| is_blank(byte)).count();
        (bytes.get(from + blanks), from + blanks)
    };
    let mut ends = memchr::memchr_iter(b'"', &bytes[from..]).map(|quote| from + quote + 1);
    let found = ends.find(|&end| match visible(end) {
        (Some(b','), comma) => visible(comma + 1).0 == Some(&b'"'),
        _ => false,
    });
    found.unwrap_or(bytes.len())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Log,
        ahead::{self, tests::in_turn},
        document::Ahead as _,
    };
    use proptest::{collection::vec, prelude::*, sample::select};
    use std::collections::VecDeque;

    const WINDOW: usize = 7;

    /// A claim: its first string, the strings with their offsets, and where the next claim begins.
    type Seen = (u64, Vec<(u64, bool, String)>, ByteOffset);

    /// All claims, how they ended, and the log. `ahead` returns what was read ahead of a claim.
    fn claims(
        document: &Vec<u8>,
        full: usize,
        most: usize,
        mut ahead: impl FnMut(&mut StringCursor) -> Buffer,
    ) -> (Vec<Seen>, Option<End>, String) {
        let mut cursor = StringCursor::with(ByteOffset::START, full);
        let (mut seen, mut log) = (Vec::new(), Log::default());
        loop {
            let mut buf = ahead(&mut cursor);
            let mut source = Source::new(document, &mut buf, WINDOW, &mut log);
            let Some(claimed) = cursor.claim(&mut source, most).unwrap() else { break };
            let text = |span: &Span| {
                let raw = &buf[span.start as usize..span.end as usize];
                String::from_utf8_lossy(raw).into_owned()
            };
            let strings = claimed
                .spans
                .iter()
                .map(|span| ((claimed.offset + u64::from(span.start)).0, span.escaped, text(span)));
            seen.push((claimed.first, strings.collect(), cursor.at));
        }
        (seen, cursor.end(), format!("{log:?}"))
    }

    fn check(
        document: &str,
        full: usize,
        most: usize,
        ahead: impl FnMut(&mut StringCursor) -> Buffer,
    ) {
        let document = document.as_bytes().to_vec();
        let plain = claims(&document, full, most, |_| Buffer::default());
        assert_eq!(claims(&document, full, most, ahead), plain, "{full} {most}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Wherever it was read ahead, and whatever was found there.
        #[test]
        fn reading_ahead_changes_no_claim(
            elements in vec((select(vec![
                r#""""#, r#""a""#, r#""abc""#, r#""\",\"""#, r#""a\",""#, r#"",""#, r#"",",""#, r#""a"b""#, r#""\\""#,
                r#""\\\"""#, r#""a" ,"b""#, "null", "", "[1,\"]\"]", "x\"",
                "\"long long long long\"", "]", "\"\\u00e9é\"",
            ]), select(vec![",", ",", ",", ",\n", "\r\n,\r\n", " , ", " ", "", "]"])), 0..60),
            full in 1..60usize,
            most in 1..20usize,
            reads in vec((0..80u64, 0..150usize, 0..40usize), 1..20),
        ) {
            let text: String = std::iter::once("[").chain(elements.iter().flat_map(|(a, b)| [*a, *b])).collect();
            let document = text.as_bytes().to_vec();
            let mut reads = reads.into_iter().cycle();
            check(&text, full, most, |cursor| {
                let (back, len, off) = reads.next().unwrap();
                let mut buf = Buffer::default();
                // Without uncertainty it must begin where the claim does, after a string.
                let back = if off == 0 { 0 } else { back.min(cursor.at.0) };
                if off > 0 || cursor.after_string {
                    let (input, offset) = (&document, ByteOffset(cursor.at.0 - back));
                    ahead::Ahead { input, offset, len, window: WINDOW, off, look }.read(&mut buf);
                }
                buf
            });
        }
    }

    /// Most claims are found ahead, though they are as short as a few strings, and they are the same.
    #[test]
    fn claims_are_found_ahead() {
        let texts =
            ["", "a", "\\\",\\\"", ",", "b\\\\", "\\\"", "a\"b", "x, \\\",", "text of some length"];
        for comma in [",", ",\n", " ,\r\n ", "  ,"] {
            let mut document = "[".to_string();
            for n in 0..40_000usize {
                document += &format!("\"{}\"{comma}", texts[n * n % 89 % texts.len()]);
            }
            document += "\"last\"]";
            for (full, most) in [(4000, usize::MAX), (usize::MAX / 2, 500), (3000, 300)] {
                for workers in [1, 2, 5] {
                    let bytes = document.as_bytes().to_vec();
                    let (mut reading, mut all, mut failed) = (VecDeque::new(), 0, 0);
                    check(&document, full, most, |cursor| {
                        (all, failed) =
                            (all + 1, failed + u64::from(cursor.prediction.failures() > 0));
                        in_turn(workers, &mut reading, || cursor.ahead(&bytes, WINDOW))
                    });
                    assert!(
                        all > 50 && failed < all / 4 + 2,
                        "{comma:?} {full} {workers}: {failed} of {all}"
                    );
                }
            }
        }
    }

    /// The comma after such an element used to be taken for the end of an empty one, or the bracket was lost.
    #[test]
    fn a_claim_can_end_with_an_element_that_is_no_string() {
        for document in
            ["[\"a\",null]", "[\"a\",null,\"b\"]", "[\"a\",,,\"b\"]", "[\"a\",null \n,\"b\"]"]
        {
            let strings = |full| {
                let document = document.as_bytes().to_vec();
                let (seen, end, _) = claims(&document, full, 100, |_| Buffer::default());
                (seen.into_iter().flat_map(|(_, strings, _)| strings).collect::<Vec<_>>(), end)
            };
            for full in 1..10 {
                assert_eq!(strings(full), strings(100), "{document} {full}");
            }
        }
    }
}
