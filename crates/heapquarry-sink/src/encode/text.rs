//! Text: a dictionary of the strings in use if the column has keys; otherwise, and when the dictionary gets too large,
//! one string after the other.
//!
//! The latter is `PLAIN`, and `DELTA_LENGTH_BYTE_ARRAY` only for modern readers, which takes a few percent less. Spark
//! 3.5 misreads such pages, unless texts are short and there are no nulls.

use super::{
    Scratch,
    bounds::{Bounds, TextBounds},
    chunk::{ChunkWriter, TOO_LONG},
    delta, rle,
    rows::{PAGE_ROWS, PageRows, Rows},
};
use crate::{Encodings, Error};
use arrow_array::{Array, GenericStringArray, OffsetSizeTrait, StringViewArray};
use parquet::basic::Encoding;
use std::ops::Range;

/// Maximum size of a dictionary page in bytes.
const MAX_DICTIONARY_BYTES: usize = 16 << 20;
/// A page ends after this many bytes of text. A single text may be longer.
const PAGE_TEXT_BYTES: usize = 1 << 20;
/// Keys below this are looked up without hashing.
const DIRECT: usize = 1 << 20;

/// An array of text without nulls.
pub(super) trait Texts {
    /// Number of texts.
    fn count(&self) -> usize;

    /// The bytes of a text.
    fn text(&self, i: usize) -> &[u8];

    /// The bytes of consecutive texts, if they are contiguous in memory.
    fn joined(&self, _texts: Range<usize>) -> Option<&[u8]> {
        None
    }
}

impl<O: OffsetSizeTrait> Texts for GenericStringArray<O> {
    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn text(&self, i: usize) -> &[u8] {
        self.value(i).as_bytes()
    }

    fn joined(&self, texts: Range<usize>) -> Option<&[u8]> {
        let offsets = self.value_offsets();
        Some(&self.value_data()[offsets[texts.start].as_usize()..offsets[texts.end].as_usize()])
    }
}

impl Texts for StringViewArray {
    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn text(&self, i: usize) -> &[u8] {
        self.value(i).as_bytes()
    }
}

/// Appends a text in plain encoding: its length, then its bytes.
pub(super) fn plain(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
}

/// A column chunk from non-null keys into `values`. Returns the keys of its dictionary if all rows are in it. Then
/// `scratch.text_indices` has the dictionary index of each row.
pub(super) fn keyed<V: Texts>(
    scratch: &mut Scratch,
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    keys: &[i32],
    values: &V,
) -> Result<Option<Vec<i32>>, Error> {
    let Scratch { texts, text_indices: indices, text_pages, .. } = scratch;
    *text_pages = None; // They belong to other indices.
    texts.widen(values.count().min(DIRECT));
    let mut size = 0;
    let numbered = texts.number(keys, indices, |_, key| {
        size += 4 + values.text(key as usize).len();
        size <= MAX_DICTIONARY_BYTES
    });
    let dictionary: Vec<i32> = texts.values().iter().map(|&key| key as i32).collect();
    texts.clear();

    // Rows from here on are not in the dictionary.
    let split = match numbered {
        0 => 0,
        all if all == keys.len() => rows.len(),
        some => rows.row_after(0, some),
    };
    if split > 0 {
        let mut all = TextBounds::default();
        chunk.dictionary_page(dictionary.len(), |out| {
            out.reserve(size.min(MAX_DICTIONARY_BYTES));
            for &key in &dictionary {
                let text = values.text(key as usize);
                plain(out, text);
                all.add(text);
            }
        })?;
        let width = rle::width(dictionary.len());
        for page in rows.pages_of(0..split) {
            chunk.data_page(rows, &page, Encoding::RLE_DICTIONARY, |out| {
                let indices = &indices[page.values.clone()];
                rle::write(out, width, indices, &rows.steps(&page));
                match indices.len() == numbered {
                    true => all.finish(),
                    false => bounds(indices, &dictionary, values),
                }
            })?;
        }
    }
    let text = |value: usize| values.text(keys[value] as usize);
    one_by_one(chunk, rows, split..rows.len(), numbered, text, |_| None)?;
    Ok((numbered == keys.len()).then_some(dictionary))
}

/// Bounds of the texts with those dictionary indices.
fn bounds<V: Texts>(indices: &[u32], dictionary: &[i32], values: &V) -> Bounds {
    let mut used = vec![false; dictionary.len()];
    indices.iter().for_each(|&index| used[index as usize] = true);
    let mut bounds = TextBounds::default();
    let used = dictionary.iter().zip(used).filter(|&(_, used)| used);
    used.for_each(|(&key, _)| bounds.add(values.text(key as usize)));
    bounds.finish()
}

/// A column chunk of plain text.
pub(super) fn rows<V: Texts>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    array: &V,
) -> Result<(), Error> {
    let all = 0..rows.len();
    if rows.nulls() == 0 {
        return one_by_one(chunk, rows, all, 0, |i| array.text(i), |texts| array.joined(texts));
    }
    let places: Vec<u32> = (0..rows.len() as u32).collect();
    let mut scratch = Vec::new();
    let places = rows.compact(&places, &mut scratch);
    one_by_one(chunk, rows, all, 0, |i| array.text(places[i] as usize), |_| None)
}

/// Pages of the rows `range`, whose first value has the number `value`, without a dictionary. `text` returns a value's
/// text, `joined` the bytes of several texts if they are contiguous in memory.
fn one_by_one<'t>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    range: Range<usize>,
    value: usize,
    text: impl Fn(usize) -> &'t [u8],
    joined: impl Fn(Range<usize>) -> Option<&'t [u8]>,
) -> Result<(), Error> {
    let (mut row, mut value) = (range.start, value);
    let mut lengths: Vec<i32> = Vec::new();
    while row < range.end {
        let most = range.end.min(row + PAGE_ROWS);
        let last = value + rows.count(row..most);
        lengths.clear();
        let mut size = 0;
        let mut bounds = TextBounds::default();
        while value + lengths.len() < last && size < PAGE_TEXT_BYTES {
            let text = text(value + lengths.len());
            let length = text.len();
            if length > i32::MAX as usize {
                return Err(chunk.refuse(TOO_LONG));
            }
            lengths.push(length as i32);
            size += length;
            bounds.add(text);
        }
        let values = value..value + lengths.len();
        let end = if values.end < last { rows.row_after(row, values.len()) } else { most };
        let page = PageRows { rows: row..end, values: values.clone() };
        match chunk.encodings() {
            Encodings::Universal => chunk.data_page(rows, &page, Encoding::PLAIN, |out| {
                out.reserve(size + 4 * lengths.len());
                values.clone().for_each(|value| plain(out, text(value)));
                bounds.finish()
            })?,
            Encodings::Modern => {
                chunk.data_page(rows, &page, Encoding::DELTA_LENGTH_BYTE_ARRAY, |out| {
                    delta::write(out, &lengths);
                    match joined(values.clone()) {
                        Some(bytes) => out.extend_from_slice(bytes),
                        None => values.clone().for_each(|i| out.extend_from_slice(text(i))),
                    }
                    bounds.finish()
                })?;
            }
        }
        (row, value) = (end, values.end);
    }
    Ok(())
}
