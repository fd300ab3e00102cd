//! Numbers with many repetitions, such as sizes, counts and string indices: a dictionary, or differences if there are
//! too many distinct values.

use super::{
    Scratch,
    bounds::Bounds,
    chunk::ChunkWriter,
    delta,
    int::{self, Int},
    rle,
    rows::{PageRows, Rows},
};
use crate::Error;
use heapquarry_tables::Shape;
use parquet::basic::Encoding;

/// A dictionary of up to this many values is always used.
const SMALL_DICTIONARY: usize = 256;
/// A larger dictionary needs this many rows per value: with fewer, differences take fewer bytes.
const ROWS_PER_VALUE: usize = 8;
/// Rows per value that a dictionary of local references needs: differences take little fewer bytes, and more time to
/// read.
const ROWS_PER_LOCAL_REFERENCE: usize = 2;
/// Numbers below this are looked up in a dictionary without hashing.
const DIRECT: usize = 1 << 16;
/// Maximum number of values in a dictionary.
const MAX_DICTIONARY: usize = 1 << 20;

/// A column chunk of such numbers.
pub(super) fn encode<T: Int>(
    scratch: &mut Scratch,
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    values: &[T],
) -> Result<(), Error> {
    let Scratch { numbers, indices, text_indices, text_pages, .. } = scratch;
    let rows_per_value = match chunk.column().shape {
        Shape::LocalReference => ROWS_PER_LOCAL_REFERENCE,
        _ => ROWS_PER_VALUE,
    };
    let limit = (values.len() / rows_per_value).clamp(SMALL_DICTIONARY, MAX_DICTIONARY);
    let text = text_pages.as_ref().filter(|text| {
        text.nullable == chunk.column().nullable && rows.nulls_are(text.nulls.as_ref())
    });
    // The string indices of the previous text column, from the same memory.
    let twin = text.filter(|text| rows.nulls() == 0 && text.keys == int::address_range(values));
    if let Some(text) = twin {
        if text.dictionary.len() > limit {
            return delta::encode(chunk, rows, values);
        }
        let dictionary: Vec<T> = text.dictionary.iter().map(|&key| T::narrow(key.into())).collect();
        chunk.dictionary_page(dictionary.len(), |out| int::plain(out, &dictionary))?;
        chunk.adopt(&text.pages, |page| bounds(page, values, &dictionary));
        return Ok(());
    }
    numbers.widen(DIRECT);
    let numbered = numbers.number(values, indices, |number, _| number < limit);
    let dictionary: Vec<T> = numbers.values().iter().map(|&value| T::narrow(value)).collect();
    numbers.clear();
    if numbered < values.len() {
        return delta::encode(chunk, rows, values);
    }
    chunk.dictionary_page(dictionary.len(), |out| int::plain(out, &dictionary))?;
    if let Some(text) = text.filter(|_| text_indices == indices) {
        chunk.adopt(&text.pages, |page| bounds(page, values, &dictionary));
        return Ok(());
    }
    let width = rle::width(dictionary.len());
    for page in rows.pages() {
        chunk.data_page(rows, &page, Encoding::RLE_DICTIONARY, |out| {
            rle::write(out, width, &indices[page.values.clone()], &rows.steps(&page));
            bounds(&page, values, &dictionary)
        })?;
    }
    Ok(())
}

/// Bounds of the page: those of the dictionary if the page has all values.
fn bounds<T: Int>(page: &PageRows, values: &[T], dictionary: &[T]) -> Bounds {
    match page.values.len() == values.len() {
        true => int::bounds(dictionary),
        false => int::bounds(&values[page.values.clone()]),
    }
}
