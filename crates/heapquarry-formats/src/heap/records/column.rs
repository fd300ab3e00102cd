//! The values of one field, as a column.

use super::{locator::ValueLocator, value::Value};
use crate::{ByteOffset, Code, Log, heap::fields::Field};
use arrow_array::{ArrayRef, Int32Array, Int64Array, UInt32Array};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use heapquarry_scan::{Odd, Work, vectorized};
use heapquarry_tables::{Type, arrays, pool::Pool};
use std::{ops::RangeInclusive, sync::Arc};

/// One field of the records of a task. Records where its values are unusual.
#[derive(Debug, Default)]
pub(crate) struct Column<T> {
    /// The values; 0 for a row in `nulls`.
    pub(crate) values: Vec<T>,
    /// Rows without a value, ascending.
    pub(crate) nulls: Vec<u32>,
    /// Rows whose value has a minus sign; all others are unsigned in the file.
    with_sign: Vec<u32>,
    /// Bitwise OR of all values: one test then tells whether all fit a range.
    bits: u64,
    name: &'static str,
    /// Whether negative values are valid.
    signed: bool,
    /// Whether values are texts of hexadecimal numbers.
    hex: bool,
    /// Whether negative values are written as unsigned numbers of 32 bits.
    wraps: bool,
    /// Whether all bits of 64 stand for no value.
    may_be_unset: bool,
}

/// A value that is not a plain unsigned integer.
pub(super) struct OddValue<'a> {
    pub(super) row: u32,
    /// Position of its field in the record.
    pub(super) field: usize,
    pub(super) value: Odd,
    /// Its offset in the document.
    pub(super) offset: ByteOffset,
    pub(super) raw: &'a [u8],
}

/// [`Value::bits`].
struct Bits<'a, T>(&'a [T]);

impl<T: Value> Work for Bits<'_, T> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        T::bits(self.0)
    }
}

/// [`Value::all_below`].
struct AllBelow<'a, T>(&'a [T], u64);

impl<T: Value> Work for AllBelow<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        T::all_below(self.0, self.1)
    }
}

impl<T: Value> Column<T> {
    /// An empty column that stores its values in `values`.
    pub(super) fn new(field: Field, values: Vec<T>) -> Self {
        Column {
            values,
            name: field.name,
            signed: field.signed,
            hex: field.hex,
            wraps: field.wraps,
            may_be_unset: field.may_be_unset,
            ..Column::default()
        }
    }

    pub(super) fn extend(&mut self, tokens: &[T::Token], width: usize, field: usize) {
        // A constant stride lets the compiler omit a division and a bounds check per value.
        match width {
            2 => self.extend_strided::<2>(tokens, field),
            3 => self.extend_strided::<3>(tokens, field),
            4 => self.extend_strided::<4>(tokens, field),
            5 => self.extend_strided::<5>(tokens, field),
            6 => self.extend_strided::<6>(tokens, field),
            7 => self.extend_strided::<7>(tokens, field),
            8 => self.extend_strided::<8>(tokens, field),
            _ => self.append(tokens.chunks_exact(width).map(move |record| record[field])),
        }
    }

    fn extend_strided<const W: usize>(&mut self, tokens: &[T::Token], field: usize) {
        // A bound before the loop saves the check per record.
        let field = field.min(W - 1);
        self.append(tokens.as_chunks::<W>().0.iter().map(move |record| record[field]));
    }

    #[inline]
    fn append(&mut self, tokens: impl Iterator<Item = T::Token>) {
        let start = self.values.len();
        self.values.extend(tokens.map(T::from_token));
        // A separate loop, so that the compiler can vectorize it.
        self.bits |= vectorized(Bits(&self.values[start..]));
    }

    /// Adds a value that is not a plain unsigned integer, and logs it.
    pub(super) fn set_odd(&mut self, odd: &OddValue<'_>, log: &mut Log) {
        if let Some(value) = hexadecimal(odd.raw).filter(|_| self.hex) {
            self.values[odd.row as usize] = T::from_wide(value).expect("read with i64");
            self.bits |= value as u64;
            return;
        }
        let name = self.name;
        let (code, what) = match odd.value {
            Odd::Negative(_) => (Code::NegativeNumber, "negative"),
            Odd::Form(_) => (Code::NumberForm, "written with fraction or exponent"),
            Odd::TooLarge => (Code::ValueOutOfRange, "too large a number"),
            Odd::Fraction => (Code::NotAnInteger, "not an integer"),
            Odd::NotANumber => (Code::NotANumber, "not a number"),
        };
        if let Odd::Negative(value) | Odd::Form(value) = odd.value {
            self.values[odd.row as usize] = T::from_wide(value).expect("read with i64");
            self.bits |= value as u64;
            self.with_sign.push(odd.row);
        } else {
            self.nulls.push(odd.row);
        }
        if !(self.signed && code == Code::NegativeNumber) {
            log.add_excerpt(code, odd.offset, odd.raw, || format!("{name}: {what}"));
        }
    }

    /// Logs negative values that are written as unsigned numbers. [`Value::int32`] makes them negative.
    fn unwrap(&mut self, locator: ValueLocator<'_>, log: &mut Log) {
        if self.bits < WRAPPED as u64 {
            return;
        }
        for (row, value) in (0u32..).zip(&self.values) {
            if unwrapped((*value).into()) < 0 && (*value).into() > 0 {
                self.with_sign.push(row);
                log.add_lazily(Code::WrappedNumber, || {
                    let (offset, raw) = locator.locate(row);
                    let message = format!("{}: a negative number without its sign", self.name);
                    (Some(offset), message, Some(raw))
                });
            }
        }
        self.with_sign.sort_unstable();
    }

    /// Makes values outside the range null. Values of 2^63 and more have become negative and are also null.
    pub(crate) fn limit(
        &mut self,
        range: RangeInclusive<i64>,
        locator: ValueLocator<'_>,
        log: &mut Log,
    ) {
        if self.bits <= *range.end() as u64 {
            return;
        }
        let mut found = Vec::new();
        for (row, &value) in self.values.iter().enumerate() {
            let (row, value) = (row as u32, value.into());
            let has_sign = self.with_sign.binary_search(&row).is_ok();
            let (value, wrapped) = match has_sign && self.wraps {
                true => (unwrapped(value), false),
                false => (value, value < 0 && !has_sign),
            };
            if (wrapped || !range.contains(&value)) && self.nulls.binary_search(&row).is_err() {
                found.push(row);
                let (code, what) = match wrapped && value == -1 && self.may_be_unset {
                    true => (Code::NotSet, "a number that stands for none"),
                    false => (Code::ValueOutOfRange, "a number that does not fit its column"),
                };
                log.add_lazily(code, || {
                    let (offset, raw) = locator.locate(row);
                    (Some(offset), format!("{}: {what}", self.name), Some(raw))
                });
            }
        }
        for &row in &found {
            self.values[row as usize] = T::default();
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

    /// Sum of all values.
    pub(crate) fn sum(&self) -> i128 {
        // A task has too few rows for a sum of 32-bit values to overflow; wider values may.
        match self.nulls.is_empty() && self.bits >> 32 == 0 {
            true => self.values.iter().map(|&value| value.into()).sum::<i64>().into(),
            false => (0..self.values.len()).filter_map(|row| self.get(row)).map(i128::from).sum(),
        }
    }

    /// Whether all rows have a value.
    pub(crate) fn is_whole(&self, rows: usize) -> bool {
        self.values.len() == rows && self.nulls.is_empty()
    }

    /// The value of a row; `None` for null.
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        let value = *self.values.get(row)?;
        (!self.is_null(row as u32)).then(|| value.into())
    }

    pub(crate) fn is_null(&self, row: u32) -> bool {
        !self.nulls.is_empty() && self.nulls.binary_search(&row).is_ok()
    }

    /// Whether no value is null and all are below `limit`.
    pub(crate) fn all_below(&self, limit: u64) -> bool {
        self.nulls.is_empty() && vectorized(AllBelow(&self.values, limit))
    }

    /// The values as an INT64 array.
    pub(crate) fn int64(self, rows: usize, pool: &Pool<u32>) -> ArrayRef {
        if self.values.is_empty() {
            return arrays::nulls(Type::Int64, rows);
        }
        T::int64(self.values, validity(&self.nulls, rows), pool)
    }

    /// The values as an INT32 array. Those that do not fit become null and are logged.
    pub(crate) fn int32(
        mut self,
        rows: usize,
        locator: ValueLocator<'_>,
        pool: &Pool<u32>,
        log: &mut Log,
    ) -> ArrayRef {
        if self.values.is_empty() {
            return arrays::nulls(Type::Int32, rows);
        }
        if self.wraps {
            self.unwrap(locator, log);
        }
        self.limit(i64::from(i32::MIN)..=i64::from(i32::MAX), locator, log);
        Arc::new(Int32Array::new(T::int32(self.values, pool), validity(&self.nulls, rows)))
    }
}

/// Numbers from here on to 2^32 are negative ones of 32 bits without their sign, in a field that has such.
const WRAPPED: i64 = (1 << 32) - (1 << 24);

/// The negative number that was written without its sign; others as they are.
pub(crate) fn unwrapped(value: i64) -> i64 {
    if (WRAPPED..1 << 32).contains(&value) { value - (1 << 32) } else { value }
}

/// The number in a text like `"0x3ff0"`.
fn hexadecimal(raw: &[u8]) -> Option<i64> {
    let digits = raw.strip_prefix(b"\"0x")?.strip_suffix(b"\"")?;
    // The parser takes a sign too.
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    i64::from_str_radix(digits, 16).ok().filter(|value| *value >= 0)
}

/// The numbers from `first`, for an INT64 column.
pub(crate) fn sequence(first: u64, rows: usize, pool: &Pool<u32>) -> ArrayRef {
    match (u32::try_from(first), u32::try_from(first + rows as u64)) {
        (Ok(first), Ok(end)) => {
            let mut numbers = pool.take(rows);
            numbers.extend(first..end);
            Arc::new(UInt32Array::new(pool.buffer(numbers), None))
        }
        _ => {
            let first = first as i64;
            Arc::new(Int64Array::from_iter_values(first..first + rows as i64))
        }
    }
}

/// A validity mask in which these rows are null; `None` if there are no such rows.
pub(crate) fn validity(nulls: &[u32], rows: usize) -> Option<NullBuffer> {
    if nulls.is_empty() {
        return None;
    }
    let mut mask = BooleanBufferBuilder::new(rows);
    mask.append_n(rows, true);
    nulls.iter().for_each(|&row| mask.set_bit(row as usize, false));
    Some(NullBuffer::new(mask.finish()))
}
