//! Decodes claimed records into columns.

use super::claim::Records;
use crate::{Code, Log};
use arrow_array::{
    ArrayRef, Int32Array, Int64Array, UInt32Array,
    cast::AsArray,
    types::{Int64Type, UInt32Type},
};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer, ScalarBuffer};
use heapquarry_scan::{Number, Odd, Stop, Work, read_integers, read_odd, vectorized};
use heapquarry_tables::{Type, arrays, pool::Pool};
use std::{ops::RangeInclusive, sync::Arc};

/// Tokens read at a time: they and the bytes they come from stay in the first levels of cache.
const TOKENS: usize = 8 << 10;

/// What the values of a task are held in: `u32` where all of them are plain numbers that fit, as in nearly all
/// tasks of nearly all files. Otherwise the task is decoded again with `i64`, which can be odd.
pub(crate) trait Value: Copy + Default + Ord + Into<i64> {
    /// What the tokenizer reads.
    type Token: Number;

    /// Takes a token.
    fn from_token(token: Self::Token) -> Self;

    /// Takes a number of 32 bits.
    fn from_narrow(narrow: u32) -> Self;

    /// Takes any value, if it fits.
    fn from_wide(wide: i64) -> Option<Self>;

    /// Whether each of them is, taken for unsigned, below `limit`.
    fn all_below(values: &[Self], limit: u64) -> bool;

    /// Whether all of them are multiples of `W` and stay below `W * count`.
    fn all_multiples<const W: u32>(values: &[Self], count: usize) -> bool;

    /// The quotient, if it is a multiple of `divisor` and not negative.
    fn divided(self, divisor: u32) -> Option<Self>;

    /// All of them or-ed together.
    fn bits(values: &[Self]) -> u64;

    /// Memory for that many values.
    fn take(pool: &Pool<u32>, capacity: usize) -> Vec<Self>;

    /// Gives that memory back.
    fn give(values: Vec<Self>, pool: &Pool<u32>);

    /// The values, if they are held in 32 bits.
    fn narrow(values: &[Self]) -> Option<&[u32]>;

    /// As an array for an INT64 column.
    fn int64(values: Vec<Self>, nulls: Option<NullBuffer>, pool: &Pool<u32>) -> ArrayRef;

    /// The values of an array made by [`Value::int64`], as keys; what does not fit becomes another key.
    fn keys(array: &ArrayRef) -> ScalarBuffer<i32>;

    /// As the values of INT32; all of them fit.
    fn int32(values: Vec<Self>, pool: &Pool<u32>) -> ScalarBuffer<i32>;
}

impl Value for u32 {
    type Token = u32;

    #[inline]
    fn from_token(token: u32) -> Self {
        token
    }

    #[inline]
    fn from_narrow(narrow: u32) -> Self {
        narrow
    }

    #[inline]
    fn from_wide(wide: i64) -> Option<Self> {
        wide.try_into().ok()
    }

    #[inline(always)]
    fn all_below(values: &[Self], limit: u64) -> bool {
        let Some(last) = limit.checked_sub(1) else { return values.is_empty() };
        let last = u32::try_from(last).unwrap_or(u32::MAX);
        values.iter().fold(0, |largest, &value| value.max(largest)) <= last
    }

    #[inline(always)]
    fn all_multiples<const W: u32>(values: &[Self], count: usize) -> bool {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let bad = values.iter().fold(0, |bad, &value| {
            let quotient = value / W;
            bad | (value - quotient * W) | u32::from(quotient >= count)
        });
        bad == 0
    }

    #[inline]
    fn divided(self, divisor: u32) -> Option<Self> {
        self.is_multiple_of(divisor).then_some(self / divisor)
    }

    #[inline(always)]
    fn bits(values: &[Self]) -> u64 {
        values.iter().fold(0, |bits, value| bits | value).into()
    }

    fn take(pool: &Pool<u32>, capacity: usize) -> Vec<Self> {
        pool.take(capacity)
    }

    fn give(values: Vec<Self>, pool: &Pool<u32>) {
        pool.give(values);
    }

    fn narrow(values: &[Self]) -> Option<&[u32]> {
        Some(values)
    }

    fn int64(values: Vec<Self>, nulls: Option<NullBuffer>, pool: &Pool<u32>) -> ArrayRef {
        Arc::new(UInt32Array::new(pool.buffer(values), nulls))
    }

    fn keys(array: &ArrayRef) -> ScalarBuffer<i32> {
        array.as_primitive::<UInt32Type>().values().inner().clone().into()
    }

    fn int32(values: Vec<Self>, pool: &Pool<u32>) -> ScalarBuffer<i32> {
        pool.buffer(values)
    }
}

impl Value for i64 {
    type Token = u64;

    #[inline]
    fn from_token(token: u64) -> Self {
        token as i64
    }

    #[inline]
    fn from_narrow(narrow: u32) -> Self {
        narrow.into()
    }

    #[inline]
    fn from_wide(wide: i64) -> Option<Self> {
        Some(wide)
    }

    #[inline(always)]
    fn all_below(values: &[Self], limit: u64) -> bool {
        values.iter().all(|&value| (value as u64) < limit)
    }

    fn all_multiples<const W: u32>(_: &[Self], _: usize) -> bool {
        // There is something odd among them: each is looked at.
        false
    }

    #[inline]
    fn divided(self, divisor: u32) -> Option<Self> {
        let divisor = i64::from(divisor);
        (self >= 0 && self % divisor == 0).then_some(self / divisor)
    }

    #[inline(always)]
    fn bits(values: &[Self]) -> u64 {
        values.iter().fold(0, |bits, value| bits | value) as u64
    }

    fn take(_: &Pool<u32>, capacity: usize) -> Vec<Self> {
        Vec::with_capacity(capacity)
    }

    fn give(_: Vec<Self>, _: &Pool<u32>) {}

    fn narrow(_: &[Self]) -> Option<&[u32]> {
        None
    }

    fn int64(values: Vec<Self>, nulls: Option<NullBuffer>, _: &Pool<u32>) -> ArrayRef {
        Arc::new(Int64Array::new(values.into(), nulls))
    }

    fn keys(array: &ArrayRef) -> ScalarBuffer<i32> {
        let values = array.as_primitive::<Int64Type>().values();
        values.iter().map(|&value| value as i32).collect()
    }

    fn int32(values: Vec<Self>, _: &Pool<u32>) -> ScalarBuffer<i32> {
        values.iter().map(|&value| value as i32).collect()
    }
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

/// One field of the records of a task, with what is odd about some of its values.
#[derive(Debug, Default)]
pub(crate) struct Column<T> {
    /// The values; 0 where there is none. Only values of `nulls` rows are meaningless.
    pub(crate) values: Vec<T>,
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

/// Reads the fields `wanted` (positions in the record, with their names) of all records in `bytes`. `None` if a
/// value is odd or does not fit a `T`; then nothing has been logged.
pub(crate) fn read<T: Value, const N: usize>(
    bytes: &[u8],
    records: Records,
    wanted: [(Option<usize>, &'static str); N],
    pool: &Pool<u32>,
    log: &mut Log,
) -> Option<[Column<T>; N]> {
    let mut columns = wanted.map(|(field, name)| Column {
        values: field.map_or(Vec::new(), |_| T::take(pool, records.rows)),
        name,
        ..Column::default()
    });
    // What is odd needs a sign, or is null.
    let careful = T::from_wide(-1).is_some();
    let mut odd = Vec::new();
    let width = records.width;
    let mut tokens = vec![T::Token::default(); TOKENS.max(width)];
    let total = records.rows * width;
    // Tokens handed out, those kept in the buffer because their record is not whole, bytes read.
    let (mut done, mut kept, mut at) = (0, 0, 0);
    while done < total {
        let room = tokens.len().min(kept + total - done);
        let read = read_integers(&bytes[at..], &mut tokens[kept..room]);
        let mut have = kept + read.numbers;
        done += read.numbers;
        at += read.read;
        if !careful && (read.stop == Stop::Odd || have == kept) {
            return None;
        }
        if read.stop == Stop::Odd && have < room {
            let (value, len) = read_odd(&bytes[at..]);
            let (row, field) = ((done / width) as u32, done % width);
            let offset = records.offset + (at + blanks(&bytes[at..])) as u64;
            let raw = trim(&bytes[at..at + len]);
            odd.push(OddValue { row, field, value, offset, raw });
            tokens[have] = T::Token::default();
            have += 1;
            done += 1;
            at += len;
        }
        if have == kept {
            // Garbage that the claim took for more values than the tokenizer sees in it: they are missing.
            let (row, field) = ((done / width) as u32, done % width);
            let offset = records.offset + bytes.len() as u64;
            odd.push(OddValue { row, field, value: Odd::NotANumber, offset, raw: b"" });
            tokens[have] = T::Token::default();
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
    Some(columns)
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
        let mut scratch = [0u64; 256];
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

impl<T: Value> Column<T> {
    fn extend(&mut self, tokens: &[T::Token], width: usize, field: usize) {
        // A constant stride lets the compiler do without a division and a bounds check per value.
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
        // Said once, so that it is not checked for each record.
        let field = field.min(W - 1);
        self.append(tokens.as_chunks::<W>().0.iter().map(move |record| record[field]));
    }

    #[inline]
    fn append(&mut self, tokens: impl Iterator<Item = T::Token>) {
        let start = self.values.len();
        self.values.extend(tokens.map(T::from_token));
        // A loop of its own, which takes many at a time.
        self.bits |= vectorized(Bits(&self.values[start..]));
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
            self.values[odd.row as usize] = T::from_wide(value).expect("read with i64");
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
            let (row, value) = (row as u32, value.into());
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

    /// The sum of all values.
    pub(crate) fn sum(&self) -> i128 {
        // A task has too few rows for 32-bit values to overflow, but wide ones may.
        match self.nulls.is_empty() && self.bits >> 32 == 0 {
            true => self.values.iter().map(|&value| value.into()).sum::<i64>().into(),
            false => (0..self.values.len()).filter_map(|row| self.get(row)).map(i128::from).sum(),
        }
    }

    /// Whether all rows have a value.
    pub(crate) fn is_whole(&self, rows: usize) -> bool {
        self.values.len() == rows && self.nulls.is_empty()
    }

    /// The value of a row; `None` where the file gives none.
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        let value = *self.values.get(row)?;
        (!self.is_null(row as u32)).then(|| value.into())
    }

    pub(crate) fn is_null(&self, row: u32) -> bool {
        !self.nulls.is_empty() && self.nulls.binary_search(&row).is_ok()
    }

    /// Whether each of them is there, and below `limit`.
    pub(crate) fn all_below(&self, limit: u64) -> bool {
        self.nulls.is_empty() && vectorized(AllBelow(&self.values, limit))
    }

    pub(crate) fn int64(self, rows: usize, pool: &Pool<u32>) -> ArrayRef {
        if self.values.is_empty() {
            return arrays::nulls(Type::Int64, rows);
        }
        T::int64(self.values, validity(&self.nulls, rows), pool)
    }

    /// As INT32; what does not fit becomes null and a log row.
    pub(crate) fn int32(
        mut self,
        rows: usize,
        place: Place<'_>,
        pool: &Pool<u32>,
        log: &mut Log,
    ) -> ArrayRef {
        if self.values.is_empty() {
            return arrays::nulls(Type::Int32, rows);
        }
        self.limit(i64::from(i32::MIN)..=i64::from(i32::MAX), place, log);
        Arc::new(Int32Array::new(T::int32(self.values, pool), validity(&self.nulls, rows)))
    }
}

/// The numbers from `first` on, for an INT64 column.
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
