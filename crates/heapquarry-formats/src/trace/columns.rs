//! Column builders.

use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use heapquarry_tables::{Type, arrays};
use std::{hash::BuildHasher, sync::Arc};

/// Validity bits of a column. Arrow's builder, which is optimised for columns without nulls, takes twice the time.
struct Validity {
    words: Vec<u64>,
    rows: usize,
}

impl Validity {
    fn new(rows: usize) -> Self {
        Validity { words: Vec::with_capacity(rows.div_ceil(64)), rows: 0 }
    }

    #[inline]
    fn push(&mut self, has_value: bool) {
        let bit = self.rows % 64;
        match self.words.last_mut() {
            Some(word) if bit > 0 => *word |= u64::from(has_value) << bit,
            _ => self.words.push(has_value.into()),
        }
        self.rows += 1;
    }

    #[inline]
    fn has_value(&self, row: usize) -> bool {
        self.words[row / 64] >> (row % 64) & 1 != 0
    }

    fn truncate(&mut self, rows: usize) {
        self.words.truncate(rows.div_ceil(64));
        if let (Some(last), bits @ 1..) = (self.words.last_mut(), rows % 64) {
            *last &= (1 << bits) - 1;
        }
        self.rows = rows;
    }

    fn finish(mut self) -> Option<NullBuffer> {
        // Arrow's bits are in byte order.
        self.words.iter_mut().for_each(|word| *word = word.to_le());
        let bits = BooleanBuffer::new(Buffer::from_vec(self.words), 0, self.rows);
        Some(NullBuffer::new(bits)).filter(|nulls| nulls.null_count() > 0)
    }
}

/// Distinct texts, numbered in order of first occurrence.
#[derive(Default)]
pub(super) struct Dictionary {
    numbers: HashTable<u32>,
    hasher: RandomState,
    bytes: Vec<u8>,
    /// End of each text.
    ends: Vec<u32>,
    /// For each text, the one that followed it the last time, or [`UNKNOWN`].
    following: Vec<u32>,
}

/// Stands for no text.
const UNKNOWN: u32 = u32::MAX;

impl Dictionary {
    /// The number of a text.
    #[inline]
    pub(super) fn number(&mut self, text: &[u8]) -> u32 {
        let Dictionary { numbers, hasher, bytes, ends, .. } = self;
        let hash = hasher.hash_one(text);
        if let Some(&number) = numbers.find(hash, |&number| slice(bytes, ends, number) == text) {
            return number;
        }
        let number = ends.len() as u32;
        bytes.extend_from_slice(text);
        ends.push(bytes.len() as u32);
        numbers.insert_unique(hash, number, |&n| hasher.hash_one(slice(bytes, ends, n)));
        number
    }

    /// The number of a text in a repeating order, such as a key: first tries the text that followed `before` the last
    /// time.
    #[inline]
    pub(super) fn next(&mut self, before: u32, text: &[u8]) -> u32 {
        match self.following.get(before as usize) {
            Some(&guess) if guess != UNKNOWN && self.text(guess) == text => guess,
            _ => {
                let number = self.number(text);
                let known = self.ends.len().max(before as usize + 1);
                self.following.resize(known, UNKNOWN);
                self.following[before as usize] = number;
                number
            }
        }
    }

    /// The text with a number.
    #[inline]
    pub(super) fn text(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// The texts in order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|number| self.text(number))
    }

    /// The texts.
    pub(super) fn into_array(self) -> ArrayRef {
        let mut offsets = Vec::with_capacity(self.ends.len() + 1);
        offsets.push(0);
        offsets.extend(self.ends.iter().map(|&end| end as i32));
        texts(offsets, self.bytes, None)
    }
}

#[inline]
fn slice<'b>(bytes: &'b [u8], ends: &[u32], number: u32) -> &'b [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[number] as usize]
}

/// Events have been checked to be UTF-8, and they are cut only at quotes.
fn texts(offsets: Vec<i32>, bytes: Vec<u8>, nulls: Option<NullBuffer>) -> ArrayRef {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Arc::new(
        StringArray::try_new(offsets, Buffer::from_vec(bytes), nulls)
            .expect("texts are cut out of UTF-8 at ASCII"),
    )
}

/// A column of integers.
pub(super) struct Ints {
    values: Vec<i64>,
    nulls: Validity,
    some: bool,
}

impl Ints {
    pub(super) fn new(rows: usize) -> Self {
        Ints { values: Vec::with_capacity(rows), nulls: Validity::new(rows), some: false }
    }

    #[inline]
    pub(super) fn push(&mut self, value: Option<i64>) {
        self.values.push(value.unwrap_or(0));
        self.some |= value.is_some();
        self.nulls.push(value.is_some());
    }

    /// The value of the last row.
    #[inline]
    pub(super) fn last(&self) -> Option<i64> {
        let at = self.values.len().checked_sub(1)?;
        self.nulls.has_value(at).then(|| self.values[at])
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Removes all values after the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.nulls.truncate(len);
    }

    pub(super) fn finish(self) -> ArrayRef {
        if !self.some {
            return arrays::nulls(Type::Int64, self.values.len());
        }
        Arc::new(Int64Array::new(self.values.into(), self.nulls.finish()))
    }
}

/// A column of floating-point numbers.
pub(super) struct Floats {
    values: Vec<f64>,
    nulls: Validity,
    some: bool,
}

impl Floats {
    pub(super) fn new(rows: usize) -> Self {
        Floats { values: Vec::with_capacity(rows), nulls: Validity::new(rows), some: false }
    }

    #[inline]
    pub(super) fn push(&mut self, value: Option<f64>) {
        self.values.push(value.unwrap_or(0.0));
        self.some |= value.is_some();
        self.nulls.push(value.is_some());
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.nulls.truncate(len);
    }

    pub(super) fn finish(self) -> ArrayRef {
        if !self.some {
            return arrays::nulls(Type::Float64, self.values.len());
        }
        Arc::new(Float64Array::new(self.values.into(), self.nulls.finish()))
    }
}

/// A column of text, as dictionary numbers.
pub(super) struct Keys {
    keys: Vec<i32>,
    nulls: Validity,
    some: bool,
}

impl Keys {
    pub(super) fn new(rows: usize) -> Self {
        Keys { keys: Vec::with_capacity(rows), nulls: Validity::new(rows), some: false }
    }

    #[inline]
    pub(super) fn push(&mut self, number: Option<u32>) {
        self.keys.push(number.unwrap_or(0) as i32);
        self.some |= number.is_some();
        self.nulls.push(number.is_some());
    }

    /// The number of the last row.
    #[inline]
    pub(super) fn last(&self) -> Option<u32> {
        let at = self.keys.len().checked_sub(1)?;
        self.nulls.has_value(at).then(|| self.keys[at] as u32)
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.keys.truncate(len);
        self.nulls.truncate(len);
    }

    pub(super) fn finish(self, texts: &ArrayRef) -> ArrayRef {
        if !self.some {
            return arrays::nulls(Type::Text, self.keys.len());
        }
        arrays::keyed(Int32Array::new(self.keys.into(), self.nulls.finish()), texts.clone())
    }
}

/// A column of mostly distinct texts.
pub(super) struct Texts {
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    nulls: Validity,
}

impl Texts {
    pub(super) fn new(rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Texts { bytes: Vec::new(), offsets, nulls: Validity::new(rows) }
    }

    /// The buffer of the next text.
    #[inline]
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Whether nothing of the row has been written.
    #[inline]
    pub(super) fn is_row_empty(&self) -> bool {
        self.offsets.last() == Some(&(self.bytes.len() as i32))
    }

    /// Ends the row: its text is what was written, or null if nothing was.
    #[inline]
    pub(super) fn end_row(&mut self) {
        let start = *self.offsets.last().expect("there is always one");
        self.nulls.push(self.bytes.len() > start as usize);
        self.offsets.push(self.bytes.len() as i32);
    }

    pub(super) fn finish(self) -> ArrayRef {
        let rows = self.offsets.len() - 1;
        if self.bytes.is_empty() {
            return arrays::nulls(Type::Text, rows);
        }
        texts(self.offsets, self.bytes, self.nulls.finish())
    }
}

/// The dictionary of a label column.
pub(super) fn labels(words: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{cast::AsArray, types::Int64Type};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_come_back(
            steps in prop::collection::vec((prop::option::of(0..9i64), prop::option::of(0..200usize)), 0..300)
        ) {
            let (mut column, mut naive) = (Ints::new(0), Vec::new());
            for (value, cut) in steps {
                // Rows are removed now and then.
                if let Some(rows) = cut.filter(|rows| *rows < naive.len() && rows % 7 == 0) {
                    column.truncate(rows);
                    naive.truncate(rows);
                }
                column.push(value);
                naive.push(value);
                prop_assert_eq!(column.last(), value);
            }
            let found = column.finish();
            let plain = arrays::expand(&found, Type::Int64).unwrap();
            let plain: Vec<Option<i64>> = plain.as_primitive::<Int64Type>().iter().collect();
            prop_assert_eq!(plain, naive);
        }

        #[test]
        fn a_text_has_one_number(texts in prop::collection::vec("[ab]{0,2}", 0..60)) {
            let mut dictionary = Dictionary::default();
            let mut last = 0;
            for text in &texts {
                last = dictionary.next(last, text.as_bytes());
                prop_assert_eq!(last, dictionary.number(text.as_bytes()));
                prop_assert_eq!(dictionary.text(last), text.as_bytes());
            }
        }
    }
}
