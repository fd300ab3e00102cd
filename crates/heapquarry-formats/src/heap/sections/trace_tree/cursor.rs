//! Reads the tree in order with an explicit stack, whatever it contains.

use super::frames::{COLUMNS, Frames};
use crate::{
    ByteOffset, Code, Log, Result,
    heap::{
        fields::Fields,
        source::{End, Source},
    },
};
use heapquarry_scan::{Odd, Skipped, Skipper, read_integer, read_odd};

/// A longer single value is not read into memory.
const LONGEST_VALUE: usize = 64 << 20;

/// Maximum number of rows to reserve memory for.
const RESERVED_ROWS: usize = 128 << 10;

/// Position of reading in the tree.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub(super) at: ByteOffset,
    /// Ids of the open frames.
    pub(super) stack: Vec<Option<i64>>,
    /// For each field of a record, the column that receives it; `None` for the last field, `children`.
    columns: Vec<Option<usize>>,
    /// Whether the fields are the columns in their order, as V8 writes them.
    pub(super) plain: bool,
    /// Number of fields of the current record that have been read.
    field: usize,
    record: [Option<i64>; COLUMNS.len()],
    pub(crate) rows: u64,
    end: Option<End>,
}

impl Cursor {
    /// `open` is the offset of the section's `[`.
    pub(crate) fn new(open: ByteOffset, fields: &Fields) -> Self {
        // Fields after `children` would come after all descendants; no program writes them.
        let names = fields.names().take_while(|name| *name != "children");
        let mut columns: Vec<_> =
            names.map(|name| COLUMNS.iter().position(|column| *column == name)).collect();
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

    /// Reads up to `rows` frames; `None` if there are no more.
    pub(crate) fn claim(&mut self, source: &mut Source<'_>, rows: usize) -> Result<Option<Frames>> {
        let mut frames = Frames::with_room(rows.min(RESERVED_ROWS));
        let mut window = source.window;
        while self.end.is_none() && frames.rows() < rows {
            source.begin(self.at);
            let at_end = source.fill(window)?;
            let read = self.walk(source.buf, rows, &mut frames, source.log);
            self.at += read as u64;
            window = source.window;
            if read == 0 && self.end.is_none() {
                if at_end {
                    self.end = Some(End::Cut);
                } else if source.buf.len() > LONGEST_VALUE {
                    self.end = Some(End::Malformed(self.at));
                } else {
                    // A value is longer than the window.
                    window = source.buf.len() * 2;
                }
            } else if at_end && self.end.is_none() && read == source.buf.len() {
                self.end = Some(End::Cut);
            }
        }
        self.rows += frames.rows() as u64;
        Ok((frames.rows() > 0).then_some(frames))
    }

    /// Reads the complete tokens in `bytes` until there are enough rows. Returns the number of bytes read.
    pub(super) fn walk(
        &mut self,
        bytes: &[u8],
        rows: usize,
        frames: &mut Frames,
        log: &mut Log,
    ) -> usize {
        let mut at = 0;
        while at < bytes.len() && self.end.is_none() {
            let token = match bytes[at] {
                b' ' | b'\n' | b'\r' | b'\t' | b',' => Some(1),
                b'0'..=b'9' => match self.plain(&bytes[at..], frames) {
                    Some(len) => Some(len),
                    None => self.number(bytes, at, log),
                },
                b'[' => Some(self.open(at, frames, log)),
                b']' => Some(self.close(at, frames, log)),
                b'}' | b':' => {
                    self.end = Some(End::Malformed(self.at + at as u64));
                    None
                }
                _ => self.odd(bytes, at, log),
            };
            // An incomplete token is read again with more bytes.
            let Some(len) = token else { break };
            at += len;
            if frames.rows() == rows {
                break;
            }
        }
        at
    }

    /// Reads a number of digits. Returns its length; `None` if its end is not in `bytes`.
    fn number(&mut self, bytes: &[u8], at: usize, log: &mut Log) -> Option<usize> {
        let len = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let digits = &bytes[at..at + len];
        // A number is complete only if something follows it.
        match bytes.get(at + len)? {
            b' ' | b'\n' | b'\r' | b'\t' | b',' | b'[' | b']' | b'}' | b':' => {
                let value = digits.iter().try_fold(0i64, |value, digit| {
                    value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))
                });
                if value.is_none() {
                    log.add_excerpt(Code::ValueOutOfRange, self.at + at as u64, digits, || {
                        "trace_tree: too large a number".into()
                    });
                }
                self.set(value, at, log);
                Some(len)
            }
            // A fraction, an exponent or garbage.
            _ => self.odd(bytes, at, log),
        }
    }

    /// The bracket that opens the children of a frame.
    fn open(&mut self, at: usize, frames: &mut Frames, log: &mut Log) -> usize {
        if self.field != self.columns.len() - 1 {
            let offset = self.at + at as u64;
            log.add(Code::BadNesting, offset, || {
                format!("trace_tree: children after {} fields", self.field)
            });
        }
        self.emit(frames);
        self.stack.push(self.record[0]);
        self.begin();
        1
    }

    /// The bracket that closes them.
    fn close(&mut self, at: usize, frames: &mut Frames, log: &mut Log) -> usize {
        let offset = self.at + at as u64;
        if self.field > 0 {
            log.add(Code::BadNesting, offset, || "trace_tree: a record without children".into());
            self.emit(frames);
            self.begin();
        }
        if self.stack.pop().is_none() {
            self.end = Some(End::Closed(offset + 1));
        }
        1
    }

    /// Reads a record up to the start of its children, if it is written as by V8. Returns its length.
    #[inline]
    fn plain(&mut self, bytes: &[u8], frames: &mut Frames) -> Option<usize> {
        if !self.plain || self.field > 0 {
            return None;
        }
        let (record, len) = plain_record(bytes)?;
        self.record = record.map(Some);
        self.emit(frames);
        self.stack.push(self.record[0]);
        self.begin();
        Some(len)
    }

    /// Reads a value that is not a plain number. Returns its length; `None` if its end is not in `bytes`.
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
        Some(len)
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

/// The values of a record up to the start of its children, and its length; `None` if it is not written as by V8.
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

/// Length of a value that is not a plain number; `None` if its end is not in `bytes`. Quotes and braces count even
/// within a word, as they do when the section is skipped.
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
