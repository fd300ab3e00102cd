//! Claims of sections that are flat arrays of integers: reads and counts the next records.
//!
//! Most bytes are read ahead, and counted in windows outside of the lock ([`Ahead`]). Under the lock remain the sum
//! over the windows, and the count of the first and the last of them.

use crate::{
    Buffer, ByteOffset, Code, Input, Result,
    ahead::{Ahead, Notes, Prediction},
    heap::source::{End, Source, ValueEnd},
};
use heapquarry_scan::{Counted, after_comma, count_commas};
use std::ops::Range;

/// A longer single value is not read into memory.
const LONGEST_VALUE: usize = 256 << 20;
/// Maximum average length of a number with the blanks around it. A longer claim holds something else, and its length
/// does not predict that of the next.
const LONGEST_NUMBER: u64 = 64;

/// Position of claiming in a section.
#[derive(Debug)]
pub(crate) struct RecordCursor {
    /// Offset of the next record.
    at: ByteOffset,
    /// Records claimed so far.
    pub(crate) rows: u64,
    /// Fields per record.
    width: usize,
    section: &'static str,
    end: Option<End>,
    /// Values of an incomplete record at the end.
    rest: u64,
    lost: Lost,
    prediction: Prediction,
}

/// Records that damage has taken, by position: their values are not logged one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Lost {
    pub(crate) fn has(self, record: u64) -> bool {
        (self.start..self.end).contains(&record)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// Records in the worker's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Records {
    /// Position of the first record in its section.
    pub(crate) first: u64,
    pub(crate) rows: usize,
    pub(crate) width: usize,
    /// Offset of the buffer in the document.
    pub(crate) offset: ByteOffset,
    /// Records of the section without values.
    pub(crate) lost: Lost,
}

impl Records {
    /// Their positions in the section.
    pub(crate) fn range(&self) -> Range<u64> {
        self.first..self.first + self.rows as u64
    }
}

impl RecordCursor {
    /// `open` is the offset of the section's `[`.
    pub(crate) fn new(section: &'static str, open: ByteOffset, width: usize) -> Self {
        let (at, lost, prediction) = (open + 1, Lost::default(), Prediction::default());
        RecordCursor { at, rows: 0, width, section, end: None, rest: 0, lost, prediction }
    }

    /// With these records lost.
    pub(crate) fn without(self, lost: Lost) -> Self {
        RecordCursor { lost, ..self }
    }

    /// Offset of the next record.
    pub(crate) fn at(&self) -> ByteOffset {
        self.at
    }

    /// Number of values that follow the last record, at the end.
    pub(crate) fn rest(&self) -> u64 {
        self.rest
    }

    /// The bytes that the next claim will probably need.
    pub(crate) fn ahead<'a>(&mut self, input: &'a dyn Input, window: usize) -> Option<Ahead<'a>> {
        self.end.is_none().then(|| self.prediction.next(self.at, input, window, count)).flatten()
    }

    /// How the section ended, once [`RecordCursor::claim`] returned nothing.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Reads up to `rows` complete records; `None` if there are no more.
    pub(crate) fn claim(
        &mut self,
        source: &mut Source<'_>,
        rows: usize,
    ) -> Result<Option<Records>> {
        if self.end.is_some() {
            return Ok(None);
        }
        source.begin_with_ahead(self.at);
        let wanted = (rows * self.width) as u64;
        let mut count = Count::default();
        loop {
            if count.scanned == source.buf.len() {
                if count.take_counted_window(source, wanted)? {
                    continue;
                }
                if count.scanned - count.next > LONGEST_VALUE {
                    let end = End::Malformed(source.offset_of(count.next));
                    return Ok(self.last(count.values, end, source));
                }
                if source.read()? == 0 {
                    let whole = count.values + u64::from(ends_whole(source.buf));
                    return Ok(self.last(whole, End::Cut, source));
                }
            }
            let counted = count_commas(&source.buf[count.scanned..]);
            if count.values + counted.commas >= wanted {
                return Ok(Some(self.full(rows, wanted - count.values, count.scanned, source)));
            }
            let Some(stop) = count.add(&counted, source.buf) else { continue };
            if let Some((values, end)) = count.pass(stop, source)? {
                return Ok(self.last(values, end, source));
            }
        }
    }

    /// A claim that ends after this many more commas.
    fn full(&mut self, rows: usize, commas: u64, scanned: usize, source: &Source<'_>) -> Records {
        let cut = after_comma(&source.buf[scanned..], commas).expect("as many were counted");
        self.at = source.offset_of(scanned + cut);
        let bytes = self.at - source.offset;
        let is_usual = bytes <= (rows * self.width) as u64 * LONGEST_NUMBER;
        self.prediction.claimed(if is_usual { bytes } else { 0 });
        self.take(rows, source.offset)
    }

    fn take(&mut self, rows: usize, offset: ByteOffset) -> Records {
        let first = self.rows;
        self.rows += rows as u64;
        Records { first, rows, width: self.width, offset, lost: self.lost }
    }

    /// The last claim of the section, with this many values.
    fn last(&mut self, values: u64, end: End, source: &mut Source<'_>) -> Option<Records> {
        self.end = Some(end);
        let rest = values % self.width as u64;
        self.rest = rest;
        if let (End::Closed(at), 1..) = (end, rest) {
            let (section, width) = (self.section, self.width);
            source.log.add(Code::PartialRecord, at - 1, || {
                format!("{section} ends with {rest} values of a record of {width}")
            });
        }
        let rows = (values / self.width as u64) as usize;
        (rows > 0).then(|| self.take(rows, source.offset))
    }
}

/// Progress of counting in a claim.
#[derive(Default)]
struct Count {
    /// Values that are followed by a comma in the first `scanned` bytes.
    values: u64,
    scanned: usize,
    /// Start of the value after the last comma.
    next: usize,
}

impl Count {
    /// Takes the next window if it was read ahead, holds only numbers, and does not contain the end of the claim: then
    /// its commas have been counted.
    fn take_counted_window(&mut self, source: &mut Source<'_>, wanted: u64) -> Result<bool> {
        let commas = source.buf.commas().map(u64::from).filter(|&commas| commas > 0);
        let Some(commas) = commas.filter(|commas| self.values + commas < wanted) else {
            return Ok(false);
        };
        source.read()?;
        self.values += commas;
        self.next = after_last_comma(source.buf, self.scanned..source.buf.len());
        self.scanned = source.buf.len();
        Ok(true)
    }

    /// Adds the counts of the bytes after the first `scanned`. Returns the position of the first byte that is neither
    /// of a number nor a comma.
    fn add(&mut self, counted: &Counted, buf: &[u8]) -> Option<usize> {
        self.values += counted.commas;
        let stop = counted.stop.map(|stop| self.scanned + stop);
        if counted.commas > 0 {
            self.next = after_last_comma(buf, self.scanned..stop.unwrap_or(buf.len()));
        }
        if stop.is_none() {
            self.scanned = buf.len();
        }
        stop
    }

    /// Skips the byte at `stop`, which is neither of a number nor a comma. Returns the values of the section and its
    /// end if the section ends there.
    fn pass(&mut self, stop: usize, source: &mut Source<'_>) -> Result<Option<(u64, End)>> {
        let malformed = End::Malformed(source.offset_of(stop));
        match source.buf[stop] {
            b']' => {
                let whole = self.values + u64::from(!ends_with_comma(&source.buf[..stop]));
                source.buf.truncate(stop);
                return Ok(Some((whole, End::Closed(source.offset_of(stop + 1)))));
            }
            // Not a number: its end is found by structure, so that commas inside it are not counted.
            b'"' | b'[' | b'{' => match source.value_end(stop, LONGEST_VALUE)? {
                ValueEnd::At(end) => self.scanned = end,
                ValueEnd::TooLong => return Ok(Some((self.values, malformed))),
                ValueEnd::Cut => return Ok(Some((self.values, End::Cut))),
            },
            b'}' | b':' => return Ok(Some((self.values, malformed))),
            // Some word: like a number it extends to the next comma, but quotes and brackets count.
            _ => {
                let word = source.buf[stop..].iter().take_while(|b| !b",]}:\"[{".contains(b));
                self.scanned = stop + word.count();
            }
        }
        Ok(None)
    }
}

/// Start of the value after the last comma of a range.
fn after_last_comma(buf: &[u8], range: std::ops::Range<usize>) -> usize {
    let start = range.start;
    start + memchr::memrchr(b',', &buf[range]).expect("commas were counted") + 1
}

/// Reads ahead, and counts the commas of each window.
fn count(ahead: &Ahead<'_>, buf: &mut Buffer) {
    let mut commas = Vec::new();
    buf.read_ahead(ahead, |window| {
        let counted = count_commas(window);
        // Anything other than numbers is counted under the lock.
        commas.push(if counted.stop.is_none() { counted.commas as u32 } else { 0 });
    });
    buf.set_notes(Notes::Commas(commas));
}

fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t'));
    &bytes[..end.map_or(0, |e| e + 1)]
}

/// Whether only blanks follow the last comma.
fn ends_with_comma(bytes: &[u8]) -> bool {
    matches!(trim_blanks(bytes).last(), None | Some(b','))
}

/// Whether the last value of a truncated document is complete, that is, followed by a blank.
fn ends_whole(bytes: &[u8]) -> bool {
    !ends_with_comma(bytes) && trim_blanks(bytes).len() < bytes.len()
}
