//! Numbers with many repetitions: sizes, counts, numbers of strings. A dictionary, or differences if there are
//! too many distinct ones.

use super::{
    Scratch,
    bounds::Bounds,
    chunk::ChunkWriter,
    delta,
    int::{self, Int},
    rle,
    rows::Rows,
};
use crate::Error;
use parquet::basic::Encoding;

/// A dictionary may always have so many values,
const FEW: usize = 256;
/// and otherwise one for so many rows,
const ROWS_PER_VALUE: usize = 8;
/// but never more than these.
const MANY: usize = 1 << 20;

/// A column chunk of such numbers.
pub(super) fn encode<T: Int>(
    scratch: &mut Scratch,
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    values: &[T],
) -> Result<Bounds, Error> {
    let Scratch { numbers, indices, text_indices, text_pages, .. } = scratch;
    let limit = (values.len() / ROWS_PER_VALUE).clamp(FEW, MANY);
    let numbered = numbers.number(values, indices, |number, _| number < limit);
    let dictionary: Vec<T> = numbers.values().iter().map(|&value| T::narrow(value)).collect();
    numbers.clear();
    if numbered < values.len() {
        return delta::encode(chunk, rows, values);
    }
    chunk.dictionary_page(dictionary.len(), |out| int::plain(out, &dictionary))?;
    let same = text_pages.as_ref().filter(|text| {
        text.nullable == chunk.column().nullable
            && rows.nulls_are(text.nulls.as_ref())
            && text_indices == indices
    });
    if let Some(text) = same {
        chunk.adopt(&text.pages);
        return Ok(int::bounds(&dictionary));
    }
    let width = rle::width(dictionary.len());
    for page in rows.pages() {
        chunk.data_page(rows, &page, Encoding::RLE_DICTIONARY, |out| {
            rle::write(out, width, &indices[page.values.clone()]);
        })?;
    }
    Ok(int::bounds(&dictionary))
}
