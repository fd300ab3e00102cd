//! Decodes claimed records into columns.

use super::claim::Records;
use crate::{Code, Log};
use arrow_array::{ArrayRef, Int32Array, Int64Array};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use heapquarry_scan::{Odd, Stop, read_integers, read_odd};
use heapquarry_tables::{Type, arrays};
use std::{ops::RangeInclusive, sync::Arc};

/// Tokens read at a time: they and the bytes they come from stay in the first levels of cache.
const TOKENS: usize = 8 << 10;

/// One field of the records of a task, with what is odd about some of its values.
#[derive(Debug, Default)]
pub(crate) struct Column {
    /// The values; 0 where there is none. Only values of `nulls` rows are meaningless.
    pub(crate) values: Vec<i64>,
    /// Rows without a value, ascending.
    pub(crate) nulls: Vec<u32>,
    /// Rows whose value is meant with its sign; all others are unsigned in the file.
    signed: Vec<u32>,
    /// All values or-ed together: tells at once whether all fit a range.
    bits: u64,
    name: &'static str,
}

/// A value that is not a plain unsigned integer.
struct OddValue<'a> {
    row: u32,
    field: usize,
    value: Odd,
    offset: u64,
    raw: &'a [u8],
}

/// Reads the fields `wanted` (positions in the record, with their names) of all records in `bytes`.
pub(crate) fn read<const N: usize>(
    bytes: &[u8],
    records: Records,
    wanted: [(Option<usize>, &'static str); N],
    tokens: &mut Vec<u64>,
    log: &mut Log,
) -> [Column; N] {
    let mut columns = wanted.map(|(field, name)| Column {
        values: Vec::with_capacity(if field.is_some() { records.rows } else { 0 }),
        name,
        ..Column::default()
    });
    let mut odd = Vec::new();
    let width = records.width;
    tokens.resize(TOKENS.max(width), 0);
    let total = records.rows * width;
    // Tokens handed out, those kept in the buffer because their record is not whole, bytes read.
    let (mut done, mut kept, mut at) = (0, 0, 0);
    while done < total {
        let room = tokens.len().min(kept + total - done);
        let read = read_integers(&bytes[at..], &mut tokens[kept..room]);
        let mut have = kept + read.numbers;
        done += read.numbers;
        at += read.read;
        if read.stop == Stop::Odd && have < room {
            let (value, len) = read_odd(&bytes[at..]);
            let (row, field) = ((done / width) as u32, done % width);
            let offset = records.offset + (at + blanks(&bytes[at..])) as u64;
            let raw = trim(&bytes[at..at + len]);
            odd.push(OddValue { row, field, value, offset, raw });
            tokens[have] = 0;
            have += 1;
            done += 1;
            at += len;
        }
        if have == kept {
            // Garbage that the claim took for more values than the tokenizer sees in it: they are missing.
            let (row, field) = ((done / width) as u32, done % width);
            let offset = records.offset + bytes.len() as u64;
            odd.push(OddValue { row, field, value: Odd::NotANumber, offset, raw: b"" });
            tokens[have] = 0;
            have += 1;
            done += 1;
        }
        let whole = have - have % width;
        for (column, (field, _)) in columns.iter_mut().zip(&wanted) {
            if let Some(field) = field {
                column.extend(&tokens[..whole], width, *field);
            }
        }
        tokens.copy_within(whole..have, 0);
        kept = have - whole;
    }
    for o in odd {
        for (column, (field, _)) in columns.iter_mut().zip(&wanted) {
            if *field == Some(o.field) {
                column.set_odd(&o, log);
            }
        }
    }
    for (column, (field, _)) in columns.iter_mut().zip(&wanted) {
        if let Some(field) = field {
            let place = Place { bytes, records, field: *field };
            column.limit(i64::MIN..=i64::MAX, place, log);
        }
    }
    columns
}

/// Where the values of a column come from, to tell the offset of one of them.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) records: Records,
    pub(crate) field: usize,
}

impl Place<'_> {
    /// Offset and printable bytes of the value in that row. Only for messages: it reads all values before it again.
    pub(crate) fn of(&self, row: u32) -> (u64, String) {
        let value = row as usize * self.records.width + self.field;
        let mut at = 0;
        let mut scratch = [0; 256];
        let mut left = value;
        while left > 0 {
            let room = left.min(scratch.len());
            let read = read_integers(&self.bytes[at..], &mut scratch[..room]);
            left -= read.numbers;
            at += read.read;
            if read.stop == Stop::Odd && left > 0 {
                at += read_odd(&self.bytes[at..]).1;
                left -= 1;
            }
        }
        let (_, len) = read_odd(&self.bytes[at..]);
        (
            self.records.offset + (at + blanks(&self.bytes[at..])) as u64,
            crate::error::printable(trim(&self.bytes[at..at + len]), 80),
        )
    }
}

/// Blanks before a value.
fn blanks(raw: &[u8]) -> usize {
    raw.iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\r' | b'\t')).count()
}

/// A value without the blanks around it and the comma after it.
fn trim(raw: &[u8]) -> &[u8] {
    let raw = raw.trim_ascii();
    raw.strip_suffix(b",").unwrap_or(raw).trim_ascii()
}

impl Column {
    fn extend(&mut self, tokens: &[u64], width: usize, field: usize) {
        // A constant stride lets the compiler do without a division and a bounds check per value.
        match width {
            2 => self.extend_strided::<2>(tokens, field),
            3 => self.extend_strided::<3>(tokens, field),
            4 => self.extend_strided::<4>(tokens, field),
            5 => self.extend_strided::<5>(tokens, field),
            6 => self.extend_strided::<6>(tokens, field),
            7 => self.extend_strided::<7>(tokens, field),
            8 => self.extend_strided::<8>(tokens, field),
            _ => {
                let mut bits = 0;
                self.values.extend(tokens.chunks_exact(width).map(|record| {
                    bits |= record[field];
                    record[field] as i64
                }));
                self.bits |= bits;
            }
        }
    }

    fn extend_strided<const W: usize>(&mut self, tokens: &[u64], field: usize) {
        let (records, _) = tokens.as_chunks::<W>();
        // Said once, so that it is not checked for each record.
        let field = field.min(W - 1);
        let mut bits = 0;
        self.values.extend(records.iter().map(|record| {
            bits |= record[field];
            record[field] as i64
        }));
        self.bits |= bits;
    }

    fn set_odd(&mut self, odd: &OddValue<'_>, log: &mut Log) {
        let name = self.name;
        let (code, what) = match odd.value {
            Odd::Negative(_) => (Code::NegativeNumber, "negative"),
            Odd::Form(_) => (Code::NumberForm, "written with fraction or exponent"),
            Odd::TooLarge => (Code::ValueOutOfRange, "too large a number"),
            Odd::Fraction => (Code::NotAnInteger, "not an integer"),
            Odd::NotANumber => (Code::NotANumber, "not a number"),
        };
        if let Odd::Negative(value) | Odd::Form(value) = odd.value {
            self.values[odd.row as usize] = value;
            self.bits |= value as u64;
            self.signed.push(odd.row);
        } else {
            self.nulls.push(odd.row);
        }
        log.add_excerpt(code, odd.offset, odd.raw, || format!("{name}: {what}"));
    }

    /// Makes values outside the range null, as well as those of 2^63 and more, which are negative by now.
    fn limit(&mut self, range: RangeInclusive<i64>, place: Place<'_>, log: &mut Log) {
        if self.bits <= *range.end() as u64 {
            return;
        }
        let mut found = Vec::new();
        for (row, &value) in self.values.iter().enumerate() {
            let row = row as u32;
            let wrapped = value < 0 && self.signed.binary_search(&row).is_err();
            if (wrapped || !range.contains(&value)) && self.nulls.binary_search(&row).is_err() {
                found.push(row);
                log.add_lazily(Code::ValueOutOfRange, || {
                    let (offset, raw) = place.of(row);
                    let message = format!("{}: a number that does not fit its column", self.name);
                    (Some(offset), message, Some(raw))
                });
            }
        }
        for &row in &found {
            self.values[row as usize] = 0;
        }
        self.nulls.extend(found);
        self.nulls.sort_unstable();
    }

    /// Marks a row as having no value.
    pub(crate) fn set_null(&mut self, row: u32) {
        if let Err(at) = self.nulls.binary_search(&row) {
            self.nulls.insert(at, row);
        }
    }

    pub(crate) fn is_null(&self, row: u32) -> bool {
        !self.nulls.is_empty() && self.nulls.binary_search(&row).is_ok()
    }

    pub(crate) fn int64(self, rows: usize) -> ArrayRef {
        if self.values.is_empty() {
            return arrays::nulls(Type::Int64, rows);
        }
        Arc::new(Int64Array::new(self.values.into(), validity(&self.nulls, rows)))
    }

    /// As INT32; what does not fit becomes null and a log row.
    pub(crate) fn int32(mut self, rows: usize, place: Place<'_>, log: &mut Log) -> ArrayRef {
        if self.values.is_empty() {
            return arrays::nulls(Type::Int32, rows);
        }
        self.limit(i64::from(i32::MIN)..=i64::from(i32::MAX), place, log);
        let values = self.values.iter().map(|&v| v as i32).collect::<Vec<_>>();
        Arc::new(Int32Array::new(values.into(), validity(&self.nulls, rows)))
    }
}

/// A validity mask with those rows null; none if there are no such rows.
pub(crate) fn validity(nulls: &[u32], rows: usize) -> Option<NullBuffer> {
    if nulls.is_empty() {
        return None;
    }
    let mut mask = BooleanBufferBuilder::new(rows);
    mask.append_n(rows, true);
    nulls.iter().for_each(|&row| mask.set_bit(row as usize, false));
    Some(NullBuffer::new(mask.finish()))
}
