//! Reads the tree in order, whatever is in it, with an explicit stack.

use super::frames::{COLUMNS, Frames};
use crate::{Buffer, Code, Input, Log, Result, heap::claim::End, input};
use heapquarry_scan::{Odd, Skipped, Skipper, read_integer, read_odd};

/// A single value of more bytes than this is not read into memory.
const LONGEST_VALUE: usize = 64 << 20;

/// Rows for which there is room at once.
const ROOM: usize = 128 << 10;

/// Where reading of the tree stands.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub(super) at: u64,
    /// Ids of the frames above.
    pub(super) stack: Vec<Option<i64>>,
    /// For each field of a record the column that takes it; the last field, `children`, takes none.
    columns: Vec<Option<usize>>,
    /// Whether these are the columns in their own order, as V8 writes them.
    pub(super) plain: bool,
    /// Fields of the current record so far.
    field: usize,
    record: [Option<i64>; COLUMNS.len()],
    pub(crate) rows: u64,
    end: Option<End>,
}

impl Cursor {
    /// `open` is the offset of the section's `[`; `fields` are the names of a record's fields.
    pub(crate) fn new<'a>(open: u64, fields: impl Iterator<Item = &'a str>) -> Self {
        // Whatever follows `children` would stand after all descendants; no writer does that.
        let fields = fields.take_while(|name| *name != "children");
        let mut columns: Vec<_> =
            fields.map(|name| COLUMNS.iter().position(|column| *column == name)).collect();
        let plain = columns.iter().copied().eq((0..COLUMNS.len()).map(Some));
        columns.push(None);
        Cursor {
            at: open + 1,
            stack: Vec::new(),
            columns,
            plain,
            field: 0,
            record: [None; COLUMNS.len()],
            rows: 0,
            end: None,
        }
    }

    /// How the section ended, once [`Cursor::claim`] returned nothing.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Reads up to `rows` frames; none if there are no more.
    pub(crate) fn claim(
        &mut self,
        input: &dyn Input,
        buf: &mut Buffer,
        rows: usize,
        window: usize,
        log: &mut Log,
    ) -> Result<Option<Frames>> {
        let mut frames = Frames::with_room(rows.min(ROOM));
        let mut window_now = window;
        while self.end.is_none() && frames.rows() < rows {
            buf.clear();
            let at_end = loop {
                let (offset, rest) = (self.at + buf.len() as u64, window_now - buf.len());
                if rest == 0 || input::append(input, buf, offset, rest)? == 0 {
                    break rest > 0;
                }
            };
            let read = self.walk(buf, rows, &mut frames, log);
            self.at += read as u64;
            window_now = window;
            if read == 0 && self.end.is_none() {
                if at_end {
                    self.end = Some(End::Cut);
                } else if buf.len() > LONGEST_VALUE {
                    self.end = Some(End::Malformed(self.at));
                } else {
                    // A value longer than the window.
                    window_now = buf.len() * 2;
                }
            } else if at_end && self.end.is_none() && read == buf.len() {
                self.end = Some(End::Cut);
            }
        }
        self.rows += frames.rows() as u64;
        Ok((frames.rows() > 0).then_some(frames))
    }

    /// Reads what is whole in `bytes`, until there are enough rows; the number of bytes read.
    pub(super) fn walk(
        &mut self,
        bytes: &[u8],
        rows: usize,
        frames: &mut Frames,
        log: &mut Log,
    ) -> usize {
        let children = self.columns.len() - 1;
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b' ' | b'\n' | b'\r' | b'\t' | b',' => at += 1,
                b'0'..=b'9'
                    if self.field == 0
                        && let Some(end) = self.plain(&bytes[at..], frames) =>
                {
                    at += end;
                    if frames.rows() == rows {
                        return at;
                    }
                }
                b'0'..=b'9' => {
                    let mut value = 0u64;
                    let mut end = at;
                    let mut fits = true;
                    while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
                        let next = value.checked_mul(10);
                        let next = next.and_then(|v| v.checked_add(u64::from(digit - b'0')));
                        fits &= next.is_some();
                        value = next.unwrap_or(value);
                        end += 1;
                    }
                    match bytes.get(end) {
                        // A number is whole only if something follows it.
                        None => return at,
                        Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b'[' | b']' | b'}' | b':') => {
                            let value = i64::try_from(value).ok().filter(|_| fits);
                            if value.is_none() {
                                log.add_excerpt(
                                    Code::ValueOutOfRange,
                                    self.at + at as u64,
                                    &bytes[at..end],
                                    || "trace_tree: too large a number".into(),
                                );
                            }
                            self.set(value, at, log);
                            at = end;
                        }
                        // A fraction, an exponent, or something worse.
                        Some(_) => match self.odd(bytes, at, log) {
                            Some(end) => at = end,
                            None => return at,
                        },
                    }
                }
                b'[' => {
                    if self.field != children {
                        let offset = self.at + at as u64;
                        log.add(Code::BadNesting, offset, || {
                            format!("trace_tree: children after {} fields", self.field)
                        });
                    }
                    self.emit(frames);
                    self.stack.push(self.record[0]);
                    self.begin();
                    at += 1;
                    if frames.rows() == rows {
                        return at;
                    }
                }
                b']' => {
                    if self.field > 0 {
                        let offset = self.at + at as u64;
                        log.add(Code::BadNesting, offset, || {
                            "trace_tree: a record without children".into()
                        });
                        self.emit(frames);
                        self.begin();
                    }
                    at += 1;
                    if self.stack.pop().is_none() {
                        self.end = Some(End::Closed(self.at + at as u64));
                        return at;
                    }
                    if frames.rows() == rows {
                        return at;
                    }
                }
                b'}' | b':' => {
                    self.end = Some(End::Malformed(self.at + at as u64));
                    return at;
                }
                _ => match self.odd(bytes, at, log) {
                    Some(end) => at = end,
                    None => return at,
                },
            }
        }
        at
    }

    /// Takes a whole record up to the start of its children, if it is as V8 writes them; how many bytes that are.
    #[inline]
    fn plain(&mut self, bytes: &[u8], frames: &mut Frames) -> Option<usize> {
        if !self.plain {
            return None;
        }
        let (record, len) = plain_record(bytes)?;
        self.record = record.map(Some);
        self.emit(frames);
        self.stack.push(self.record[0]);
        self.begin();
        Some(len)
    }

    /// Takes a value that is no plain number; where it ends, if that is in `bytes`.
    fn odd(&mut self, bytes: &[u8], at: usize, log: &mut Log) -> Option<usize> {
        let len = value_len(&bytes[at..])?;
        let raw = &bytes[at..at + len];
        let (value, code) = match read_odd(raw).0 {
            Odd::Negative(value) => (Some(value), Code::NegativeNumber),
            Odd::Form(value) => (Some(value), Code::NumberForm),
            Odd::TooLarge => (None, Code::ValueOutOfRange),
            Odd::Fraction => (None, Code::NotAnInteger),
            Odd::NotANumber => (None, Code::NotANumber),
        };
        log.add_excerpt(code, self.at + at as u64, raw, || "trace_tree: no plain number".into());
        self.set(value, at, log);
        Some(at + len)
    }

    fn set(&mut self, value: Option<i64>, at: usize, log: &mut Log) {
        match self.columns.get(self.field) {
            Some(Some(column)) => {
                let narrow = COLUMNS[*column] == "function_info_index";
                if let Some(value) = value.filter(|&v| narrow && i32::try_from(v).is_err()) {
                    log.add(Code::ValueOutOfRange, self.at + at as u64, || {
                        format!("function_info_index: {value} does not fit its column")
                    });
                }
                self.record[*column] = value;
            }
            Some(None) if self.field + 1 < self.columns.len() => {}
            _ => {
                log.add(Code::BadNesting, self.at + at as u64, || {
                    "trace_tree: a number where children should be".into()
                });
                return;
            }
        }
        self.field += 1;
    }

    fn begin(&mut self) {
        self.field = 0;
        self.record = [None; COLUMNS.len()];
    }

    fn emit(&mut self, frames: &mut Frames) {
        let parent = self.stack.last().copied().unwrap_or(Some(-1));
        frames.push(self.record, parent, self.stack.len() as u64);
    }
}

/// A record up to the start of its children, if it is as V8 writes them, and how many bytes that are.
#[inline]
pub(super) fn plain_record(bytes: &[u8]) -> Option<([i64; COLUMNS.len()], usize)> {
    let mut at = 0;
    let mut record = [0; COLUMNS.len()];
    for value in &mut record {
        let (number, len) = read_integer(&bytes[at..])?;
        *value = i64::try_from(number).ok()?;
        at += len;
        if *bytes.get(at)? != b',' {
            return None;
        }
        at += 1;
    }
    let fits = i32::try_from(record[1]).is_ok() && *bytes.get(at)? == b'[';
    fits.then_some((record, at + 1))
}

/// Bytes of a value that is no plain number; `None` if its end is not in `bytes`. Quotes and braces count even inside of
/// a word, as they do for those who pass over the section.
fn value_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b' ' | b'\n' | b'\r' | b'\t' | b',' | b'[' | b']' | b'}' | b':' => return Some(at),
            b'"' | b'{' => match Skipper::new().feed(&bytes[at..]) {
                Skipped::Done(len) => at += len,
                Skipped::More => return None,
            },
            _ => at += 1,
        }
    }
}
