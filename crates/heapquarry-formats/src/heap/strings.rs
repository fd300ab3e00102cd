//! The `strings` section: claims of whole strings, their text, and the rows of `js_heap_string`.

use super::{claim::End, join::Join};
use crate::{Buffer, Code, Input, Log, Result, input};
use arrow_array::{
    Array, ArrayRef, Int32Array, LargeStringArray, RecordBatch,
    builder::{ArrayBuilder, LargeStringBuilder},
    cast::AsArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use heapquarry_scan::{ScanStop, Skipped, Skipper, Span, StringScanner, unescape};
use heapquarry_tables::{JS_HEAP_STRING, Type, arrays};
use std::sync::Arc;

/// A claim ends after the string that reaches this many bytes: about as many as the records of a row group have, so
/// that strings take no more memory than they do.
const CLAIM_BYTES: usize = 2 << 20;
/// A longer string is cut. V8 itself has none above 512 MB, Chromium's longest seen was 3.8 MB.
pub(crate) const LONGEST_STRING: usize = 64 << 20;

/// Where claiming of the section stands.
#[derive(Debug)]
pub(crate) struct Cursor {
    at: u64,
    /// Whether `at` stands after a string, before its comma.
    after_string: bool,
    count: u64,
    end: Option<End>,
}

/// Strings in the worker's buffer.
#[derive(Debug)]
pub(crate) struct Claimed {
    /// Index of the first.
    pub(crate) first: u64,
    pub(crate) spans: Vec<Span>,
    /// Offset of the buffer in the document.
    pub(crate) offset: u64,
}

impl Cursor {
    /// `open` is the offset of the section's `[`.
    pub(crate) fn new(open: u64) -> Self {
        Cursor { at: open + 1, after_string: false, count: 0, end: None }
    }

    /// How the section ended, once [`Cursor::claim`] returned nothing.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Strings claimed so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Reads up to `max` whole strings into `buf`; nothing if there are no more.
    pub(crate) fn claim(
        &mut self,
        input: &dyn Input,
        buf: &mut Buffer,
        max: usize,
        window: usize,
        log: &mut Log,
    ) -> Result<Option<Claimed>> {
        if self.end.is_some() {
            return Ok(None);
        }
        buf.clear();
        let offset = self.at;
        let mut spans: Vec<Span> = Vec::new();
        let mut scanner = StringScanner::new(0);
        if std::mem::take(&mut self.after_string) {
            scanner.resume(0);
        }
        loop {
            let stop = scanner.scan(buf, max, &mut spans);
            let full = spans.partition_point(|s| (s.end as usize) < CLAIM_BYTES) + 1;
            if full <= spans.len() {
                // The window may hold more; the next claim begins after the closing quote.
                spans.truncate(full);
                let last = &spans[full - 1];
                if (last.end - last.start) as usize > LONGEST_STRING {
                    let open = last.start as usize;
                    spans.pop();
                    self.cut_long(input, buf, offset, open, window, &mut spans, log)?;
                } else {
                    self.at = offset + u64::from(last.end) + 1;
                    self.after_string = true;
                }
                break;
            }
            match stop {
                ScanStop::Full => {
                    let settled = scanner.settled();
                    self.at = offset + settled as u64;
                    // After an element that is no string, its comma is still to come.
                    let last = spans.last().expect("full");
                    self.after_string = settled == last.end as usize;
                    break;
                }
                ScanStop::Close(at) => {
                    self.end = Some(End::Closed(offset + at as u64 + 1));
                    break;
                }
                ScanStop::Odd(at) => match element_end(input, buf, offset, at, window)? {
                    // It may be empty.
                    Some(end) if end > at || buf[at] == b',' => {
                        log.add_excerpt(
                            Code::NotAString,
                            offset + at as u64,
                            &buf[at..end],
                            || {
                                format!(
                                    "element {} of strings is no string",
                                    self.count + spans.len() as u64
                                )
                            },
                        );
                        spans.push(Span { start: at as u32, end: end as u32, escaped: false });
                        scanner.resume(end);
                    }
                    Some(_) => {
                        self.end = Some(End::Malformed(offset + at as u64));
                        break;
                    }
                    None => {
                        self.end = Some(End::Cut);
                        break;
                    }
                },
                ScanStop::More => {
                    if let Some(open) =
                        scanner.open().filter(|open| buf.len() - open > LONGEST_STRING)
                    {
                        self.cut_long(input, buf, offset, open, window, &mut spans, log)?;
                        break;
                    }
                    let settled = scanner.settled();
                    if scanner.open().is_none() && buf.len() - settled > LONGEST_STRING {
                        // Nothing but blanks.
                        self.end = Some(End::Malformed(offset + settled as u64));
                        break;
                    }
                    if input::append(input, buf, offset + buf.len() as u64, window)? == 0 {
                        scanner.finish(&mut spans);
                        self.end = Some(End::Cut);
                        break;
                    }
                }
            }
        }
        let first = self.count;
        self.count += spans.len() as u64;
        Ok((!spans.is_empty()).then_some(Claimed { first, spans, offset }))
    }

    /// Keeps the beginning of a string that is too long, and finds its end.
    #[allow(clippy::too_many_arguments, reason = "one step of `claim`")]
    fn cut_long(
        &mut self,
        input: &dyn Input,
        buf: &mut Buffer,
        offset: u64,
        open: usize,
        window: usize,
        spans: &mut Vec<Span>,
        log: &mut Log,
    ) -> Result<()> {
        let mut end = open + LONGEST_STRING;
        // Not within an escape, which is at most six bytes (`\ud83d`).
        if let Some(escape) = buf[end - 6..end].iter().rposition(|&b| b == b'\\') {
            end = end - 6 + escape;
            end -= buf[..end].iter().rev().take_while(|&&b| b == b'\\').count();
        }
        // Nor within a character.
        while end > open && buf[end] & 0xC0 == 0x80 {
            end -= 1;
        }
        log.add(Code::StringTooLong, offset + open as u64 - 1, || {
            format!("string {} is cut after {} bytes", self.count + spans.len() as u64, end - open)
        });
        spans.push(Span { start: open as u32, end: end as u32, escaped: true });
        let mut skipper = Skipper::new();
        skipper.feed(b"\"");
        let mut at = offset + end as u64;
        buf.truncate(end);
        let mut rest = Buffer::default();
        loop {
            rest.clear();
            let n = input::append(input, &mut rest, at, window)?;
            if n == 0 {
                self.end = Some(End::Cut);
                return Ok(());
            }
            match skipper.feed(&rest) {
                Skipped::Done(n) => {
                    self.at = at + n as u64;
                    self.after_string = true;
                    return Ok(());
                }
                Skipped::More => at += n as u64,
            }
        }
    }
}

/// The end of an element that is no string, reading more if need be; `None` if the document ends within it.
fn element_end(
    input: &dyn Input,
    buf: &mut Buffer,
    offset: u64,
    from: usize,
    window: usize,
) -> Result<Option<usize>> {
    let mut skipper = Skipper::new();
    let mut at = from;
    loop {
        match skipper.feed(&buf[at..]) {
            Skipped::Done(n) => return Ok(Some(at + n)),
            Skipped::More => at = buf.len(),
        }
        // Whoever writes this much where a string should be writes no snapshot.
        if at - from > LONGEST_STRING || input::append(input, buf, offset + at as u64, window)? == 0
        {
            return Ok(None);
        }
    }
}

impl Claimed {
    /// The text of the claimed strings.
    pub(crate) fn decode(&self, bytes: &[u8], log: &mut Log) -> LargeStringArray {
        let raw: usize = self.spans.iter().map(|s| (s.end - s.start) as usize).sum();
        let mut text = Vec::with_capacity(raw);
        let mut offsets = Vec::with_capacity(self.spans.len() + 1);
        offsets.push(0);
        for span in &self.spans {
            self.append(span, bytes, &mut text, log);
            offsets.push(text.len() as i64);
        }
        let array = |offsets: Vec<i64>, text: Vec<u8>| {
            let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
            LargeStringArray::try_new(offsets, text.into(), None)
        };
        // All are checked at once; only if one is not UTF-8 each is looked at.
        array(offsets, text).unwrap_or_else(|_| {
            let mut text = String::with_capacity(raw);
            let mut offsets = vec![0];
            let mut one = Vec::new();
            for span in &self.spans {
                one.clear();
                self.append(span, bytes, &mut one, &mut Log::default());
                let valid = String::from_utf8_lossy(&one);
                if matches!(valid, std::borrow::Cow::Owned(_)) {
                    let content = &bytes[span.start as usize..span.end as usize];
                    log.add_excerpt(Code::InvalidUtf8, self.offset(span), content, || {
                        "not UTF-8".into()
                    });
                }
                text.push_str(&valid);
                offsets.push(text.len() as i64);
            }
            array(offsets, text.into_bytes()).expect("made of valid strings")
        })
    }

    fn offset(&self, span: &Span) -> u64 {
        self.offset + u64::from(span.start)
    }

    fn append(&self, span: &Span, bytes: &[u8], text: &mut Vec<u8>, log: &mut Log) {
        let raw = &bytes[span.start as usize..span.end as usize];
        if !span.escaped {
            text.extend_from_slice(raw);
            return;
        }
        let odd = unescape(raw, text);
        if has_stray_quote(raw) {
            log.add_excerpt(Code::StrayQuote, self.offset(span), raw, || {
                "unescaped quote inside a string".into()
            });
        }
        for _ in 0..odd.lone_surrogates {
            log.add_excerpt(Code::LoneSurrogate, self.offset(span), raw, || {
                "half of a surrogate pair".into()
            });
        }
        for _ in 0..odd.bad_escapes {
            log.add_excerpt(Code::BadEscape, self.offset(span), raw, || {
                "not an escape of JSON".into()
            });
        }
    }
}

fn has_stray_quote(raw: &[u8]) -> bool {
    let mut escaped = false;
    raw.iter().any(|&b| {
        let stray = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        stray
    })
}

/// Rows of `js_heap_string`.
pub(crate) fn rows(file_id: i32, first: u64, strings: &LargeStringArray) -> RecordBatch {
    let rows = strings.len();
    let first = i32::try_from(first).unwrap_or(i32::MAX);
    JS_HEAP_STRING.batch(vec![
        arrays::constant_i32(Some(file_id), rows),
        Arc::new(Int32Array::from_iter_values((0..rows as i32).map(|i| first.saturating_add(i)))),
        Arc::new(strings.clone()),
    ])
}

/// The strings of one task.
#[derive(Debug)]
pub(crate) struct Part {
    /// Index of the first.
    pub(crate) first: u64,
    pub(crate) strings: LargeStringArray,
}

/// All strings of a snapshot, while they are read.
#[derive(Debug, Default)]
pub(crate) struct Builder(LargeStringBuilder);

impl Builder {
    /// For strings whose text has at most that many bytes, mostly eight or more each. What is not used of the memory is
    /// only reserved.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Builder(LargeStringBuilder::with_capacity(bytes / 8, bytes))
    }
}

impl Join for Builder {
    type Part = Part;
    type Whole = Strings;

    fn next(&self) -> u64 {
        self.0.len() as u64
    }

    fn first(part: &Part) -> u64 {
        part.first
    }

    fn push(&mut self, part: Part) {
        self.0.append_array(&part.strings).expect("64 bits hold the length of any text");
    }

    fn finish(mut self) -> Strings {
        Strings(Arc::new(self.0.finish()))
    }
}

/// All strings of a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct Strings(ArrayRef);

impl Strings {
    /// Number of strings that can be names: INT32 is the type of their numbers.
    pub(crate) fn len(&self) -> u64 {
        self.0.len().min(i32::MAX as usize) as u64
    }

    /// Whether there is a string of that number. A negative one, taken for unsigned, is none.
    pub(crate) fn has(&self, index: u64) -> bool {
        index < self.len()
    }

    /// The strings for the analysis. Nothing is copied.
    pub(crate) fn texts(&self) -> Texts {
        Texts(self.0.as_string().clone())
    }

    /// A column of those strings whose index stands in the rows of `indices`; null where that is null. Nothing is
    /// copied: all row groups share the strings, and the sink picks those in use.
    pub(crate) fn column(&self, indices: Int32Array) -> ArrayRef {
        match self.len() {
            0 => arrays::nulls(Type::Text, indices.len()),
            _ => arrays::keyed(indices, self.0.clone()),
        }
    }
}

/// All strings of a snapshot, for the analysis.
#[derive(Debug)]
pub(crate) struct Texts(LargeStringArray);

impl heapquarry_graph::Strings for Texts {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: u32) -> &str {
        if (index as usize) < self.0.len() { self.0.value(index as usize) } else { "" }
    }
}
