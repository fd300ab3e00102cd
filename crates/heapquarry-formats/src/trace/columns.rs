//! Columns in the making.

use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringArray};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use heapquarry_tables::{Type, arrays};
use std::{hash::BuildHasher, sync::Arc};

/// Distinct texts, numbered in the order in which they come.
#[derive(Default)]
pub(super) struct Dictionary {
    numbers: HashTable<u32>,
    hasher: RandomState,
    bytes: Vec<u8>,
    /// Where each text ends.
    ends: Vec<u32>,
}

impl Dictionary {
    /// Number of a text.
    #[inline]
    pub(super) fn number(&mut self, text: &[u8]) -> u32 {
        let Dictionary { numbers, hasher, bytes, ends } = self;
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

    /// The text of a number.
    #[inline]
    pub(super) fn text(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// The texts by their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|number| self.text(number))
    }

    /// The texts.
    pub(super) fn into_array(self) -> ArrayRef {
        let mut offsets = Vec::with_capacity(self.ends.len() + 1);
        offsets.push(0);
        offsets.extend(self.ends.iter().map(|&end| end as i32));
        texts(offsets, self.bytes, NullBufferBuilder::new(0))
    }
}

#[inline]
fn slice<'b>(bytes: &'b [u8], ends: &[u32], number: u32) -> &'b [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[number] as usize]
}

/// Events are UTF-8 when they get here, and all that is cut out of them is cut at quotes.
fn texts(offsets: Vec<i32>, bytes: Vec<u8>, mut nulls: NullBufferBuilder) -> ArrayRef {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Arc::new(
        StringArray::try_new(offsets, Buffer::from_vec(bytes), nulls.finish())
            .expect("texts are cut out of UTF-8 at ASCII"),
    )
}

/// A column of numbers.
pub(super) struct Ints {
    values: Vec<i64>,
    nulls: NullBufferBuilder,
    some: bool,
}

impl Ints {
    pub(super) fn new(rows: usize) -> Self {
        Ints { values: Vec::with_capacity(rows), nulls: NullBufferBuilder::new(rows), some: false }
    }

    #[inline]
    pub(super) fn push(&mut self, value: Option<i64>) {
        self.values.push(value.unwrap_or(0));
        self.some |= value.is_some();
        self.nulls.append(value.is_some());
    }

    /// The value of the last row.
    #[inline]
    pub(super) fn last(&self) -> Option<i64> {
        let at = self.values.len().checked_sub(1)?;
        self.nulls.is_valid(at).then(|| self.values[at])
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Takes back all but the first values.
    pub(super) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.nulls.truncate(len);
    }

    pub(super) fn finish(mut self) -> ArrayRef {
        if !self.some {
            return arrays::nulls(Type::Int64, self.values.len());
        }
        Arc::new(Int64Array::new(self.values.into(), self.nulls.finish()))
    }
}

/// A column of floating-point numbers.
pub(super) struct Floats {
    values: Vec<f64>,
    nulls: NullBufferBuilder,
    some: bool,
}

impl Floats {
    pub(super) fn new(rows: usize) -> Self {
        Floats {
            values: Vec::with_capacity(rows),
            nulls: NullBufferBuilder::new(rows),
            some: false,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, value: Option<f64>) {
        self.values.push(value.unwrap_or(0.0));
        self.some |= value.is_some();
        self.nulls.append(value.is_some());
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.nulls.truncate(len);
    }

    pub(super) fn finish(mut self) -> ArrayRef {
        if !self.some {
            return arrays::nulls(Type::Float64, self.values.len());
        }
        Arc::new(Float64Array::new(self.values.into(), self.nulls.finish()))
    }
}

/// A column of text by the numbers of a dictionary.
pub(super) struct Keys {
    keys: Vec<i32>,
    nulls: NullBufferBuilder,
    some: bool,
}

impl Keys {
    pub(super) fn new(rows: usize) -> Self {
        Keys { keys: Vec::with_capacity(rows), nulls: NullBufferBuilder::new(rows), some: false }
    }

    #[inline]
    pub(super) fn push(&mut self, number: Option<u32>) {
        self.keys.push(number.unwrap_or(0) as i32);
        self.some |= number.is_some();
        self.nulls.append(number.is_some());
    }

    /// The number of the last row.
    #[inline]
    pub(super) fn last(&self) -> Option<u32> {
        let at = self.keys.len().checked_sub(1)?;
        self.nulls.is_valid(at).then(|| self.keys[at] as u32)
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.keys.truncate(len);
        self.nulls.truncate(len);
    }

    pub(super) fn finish(mut self, texts: &ArrayRef) -> ArrayRef {
        if !self.some {
            return arrays::nulls(Type::Text, self.keys.len());
        }
        arrays::keyed(Int32Array::new(self.keys.into(), self.nulls.finish()), texts.clone())
    }
}

/// A column of texts that are mostly different.
pub(super) struct Texts {
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Texts {
    pub(super) fn new(rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Texts { bytes: Vec::new(), offsets, nulls: NullBufferBuilder::new(rows) }
    }

    /// What the next text may be written to.
    #[inline]
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Whether nothing of the row is written yet.
    #[inline]
    pub(super) fn is_row_empty(&self) -> bool {
        self.offsets.last() == Some(&(self.bytes.len() as i32))
    }

    /// Ends the row: its text is what was written, or null if that is nothing.
    #[inline]
    pub(super) fn end_row(&mut self) {
        let start = *self.offsets.last().expect("there is always one");
        self.nulls.append(self.bytes.len() > start as usize);
        self.offsets.push(self.bytes.len() as i32);
    }

    pub(super) fn finish(self) -> ArrayRef {
        let rows = self.offsets.len() - 1;
        if self.bytes.is_empty() {
            return arrays::nulls(Type::Text, rows);
        }
        texts(self.offsets, self.bytes, self.nulls)
    }
}

/// Words that a column of labels is out of.
pub(super) fn labels(words: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(words))
}
