//! Claims of sections that are flat arrays of integers: the next records, read and counted.
//!
//! Where a claim begins is known only when those before it have been counted, so claims are made under a lock. But
//! records are about as long as those before them: most of the bytes that a claim will want can be read, and counted
//! in windows, outside of it ([`Ahead`]). What is left to do under the lock is to add up the windows, and to count the
//! first and the last of them.

use crate::{Buffer, Code, Input, Log, Result, document, input};
use heapquarry_scan::{Skipped, Skipper, after_comma, count_commas};

/// A single value of more bytes than this is not read into memory.
const LONGEST_VALUE: usize = 256 << 20;

/// Where claiming of a section stands.
#[derive(Debug)]
pub(crate) struct Cursor {
    /// Offset of the next record.
    at: u64,
    /// Records claimed so far.
    pub(crate) rows: u64,
    /// Fields of a record.
    pub(crate) width: usize,
    section: &'static str,
    end: Option<End>,
    /// Bytes of the last claim; 0 if they tell nothing of the next one.
    last: u64,
    /// Claims of which the bytes are being read ahead.
    reading: u64,
}

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

/// Records in the worker's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Records {
    /// Position of the first in its section.
    pub(crate) first: u64,
    pub(crate) rows: usize,
    pub(crate) width: usize,
    /// Offset of the buffer in the document.
    pub(crate) offset: u64,
}

impl Cursor {
    /// `open` is the offset of the section's `[`.
    pub(crate) fn new(section: &'static str, open: u64, width: usize) -> Self {
        Cursor { at: open + 1, rows: 0, width, section, end: None, last: 0, reading: 0 }
    }

    /// What the next claim will probably read, if the last one tells, and not too many are on their way.
    pub(crate) fn ahead<'a>(&mut self, input: &'a dyn Input, window: usize) -> Option<Ahead<'a>> {
        if self.end.is_some() || self.last == 0 || self.reading == MOST_READING {
            return None;
        }
        // Where it begins, if those on their way are as long as the last one; and how far off that may be.
        let (begin, off) = (self.at + self.reading * self.last, self.reading * self.last / 32);
        self.reading += 1;
        let (len, window) = ((self.last + 2 * off) as usize, window.clamp(1, WINDOW));
        Some(Ahead { input, offset: begin - off, len, window })
    }

    /// How the section ended, once [`Cursor::claim`] returned nothing.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Reads up to `rows` whole records into `buf`; nothing if there are no more.
    pub(crate) fn claim(
        &mut self,
        input: &dyn Input,
        buf: &mut Buffer,
        rows: usize,
        window: usize,
        log: &mut Log,
    ) -> Result<Option<Records>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let offset = self.at;
        buf.clear_for(offset);
        self.reading = self.reading.saturating_sub(1);
        let wanted = (rows * self.width) as u64;
        // Values that are followed by a comma, counted in buf[..scanned], and where the next one begins.
        let (mut values, mut scanned, mut next) = (0, 0, 0);
        loop {
            if scanned == buf.len() {
                let noted = buf.note().map(u64::from).filter(|&commas| commas > 0);
                if let Some(commas) = noted.filter(|commas| values + commas < wanted) {
                    input::append(input, buf, offset + scanned as u64, window)?;
                    values += commas;
                    let last = memchr::memrchr(b',', &buf[scanned..]).expect("they were counted");
                    next = scanned + last + 1;
                    scanned = buf.len();
                    continue;
                }
                if scanned - next > LONGEST_VALUE {
                    return Ok(self.last(
                        values,
                        End::Malformed(offset + next as u64),
                        offset,
                        log,
                    ));
                }
                if input::append(input, buf, offset + scanned as u64, window)? == 0 {
                    let whole = values + u64::from(ends_whole(buf));
                    return Ok(self.last(whole, End::Cut, offset, log));
                }
            }
            let counted = count_commas(&buf[scanned..]);
            if values + counted.commas >= wanted {
                let cut =
                    after_comma(&buf[scanned..], wanted - values).expect("as many were counted");
                self.at = offset + (scanned + cut) as u64;
                let bytes = self.at - offset;
                self.last = if bytes <= wanted * USUAL_VALUE { bytes } else { 0 };
                return Ok(Some(self.take(rows, offset)));
            }
            values += counted.commas;
            if counted.commas > 0 {
                let end = counted.stop.map_or(buf.len(), |stop| scanned + stop);
                let comma = memchr::memrchr(b',', &buf[scanned..end]).expect("they were counted");
                next = scanned + comma + 1;
            }
            let Some(stop) = counted.stop.map(|s| scanned + s) else {
                scanned = buf.len();
                continue;
            };
            match buf[stop] {
                b']' => {
                    let whole = values + u64::from(!ends_with_comma(&buf[..stop]));
                    let end = End::Closed(offset + stop as u64 + 1);
                    buf.truncate(stop);
                    return Ok(self.last(whole, end, offset, log));
                }
                // No number: find its end by structure, so that commas inside it are not counted.
                b'"' | b'[' | b'{' => match skip(input, buf, offset, stop, window)? {
                    Skip::To(end) => scanned = end,
                    Skip::TooLong => {
                        let end = End::Malformed(offset + stop as u64);
                        return Ok(self.last(values, end, offset, log));
                    }
                    Skip::Cut => return Ok(self.last(values, End::Cut, offset, log)),
                },
                b'}' | b':' => {
                    let end = End::Malformed(offset + stop as u64);
                    return Ok(self.last(values, end, offset, log));
                }
                // Some word: like a number, it goes on to the next comma, but quotes and brackets count.
                _ => {
                    let word = buf[stop..].iter().take_while(|b| !b",]}:\"[{".contains(b));
                    scanned = stop + word.count();
                }
            }
        }
    }

    fn take(&mut self, rows: usize, offset: u64) -> Records {
        let first = self.rows;
        self.rows += rows as u64;
        Records { first, rows, width: self.width, offset }
    }

    /// The last claim of the section, of that many values.
    fn last(&mut self, values: u64, end: End, offset: u64, log: &mut Log) -> Option<Records> {
        self.end = Some(end);
        let rest = values % self.width as u64;
        if let (End::Closed(at), 1..) = (end, rest) {
            let (section, width) = (self.section, self.width);
            log.add(Code::PartialRecord, at - 1, || {
                format!("{section} ends with {rest} values of a record of {width}")
            });
        }
        let rows = (values / self.width as u64) as usize;
        (rows > 0).then(|| self.take(rows, offset))
    }
}

/// Most bytes of a number with the blanks around it, on average. Claims that have more hold something else.
const USUAL_VALUE: u64 = 64;
/// Most claims of which the bytes are read ahead at a time.
const MOST_READING: u64 = 16;
/// Most bytes of a window that is counted ahead.
const WINDOW: usize = 64 << 10;

/// Bytes that the next claim will probably want.
pub struct Ahead<'a> {
    input: &'a dyn Input,
    offset: u64,
    len: usize,
    window: usize,
}

impl document::Ahead for Ahead<'_> {
    fn read(self, buf: &mut Buffer) {
        buf.read_ahead(self.input, self.offset, self.len, self.window, |window| {
            let counted = count_commas(window);
            // What is no number needs a closer look.
            if counted.stop.is_none() { counted.commas as u32 } else { 0 }
        });
    }
}

enum Skip {
    To(usize),
    TooLong,
    Cut,
}

/// Finds the end of the value at `buf[from]`, reading more if need be.
fn skip(
    input: &dyn Input,
    buf: &mut Buffer,
    offset: u64,
    from: usize,
    window: usize,
) -> Result<Skip> {
    let mut skipper = Skipper::new();
    let mut at = from;
    loop {
        match skipper.feed(&buf[at..]) {
            Skipped::Done(n) => return Ok(Skip::To(at + n)),
            Skipped::More => at = buf.len(),
        }
        if at - from > LONGEST_VALUE {
            return Ok(Skip::TooLong);
        }
        if input::append(input, buf, offset + at as u64, window)? == 0 {
            return Ok(Skip::Cut);
        }
    }
}

fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t'));
    &bytes[..end.map_or(0, |e| e + 1)]
}

/// Whether no value stands after the last comma.
fn ends_with_comma(bytes: &[u8]) -> bool {
    matches!(trim_blanks(bytes).last(), None | Some(b','))
}

/// Whether a value stands after the last comma of a document that was cut here, and is whole: a blank follows it.
fn ends_whole(bytes: &[u8]) -> bool {
    !ends_with_comma(bytes) && trim_blanks(bytes).len() < bytes.len()
}
