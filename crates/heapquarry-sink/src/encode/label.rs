//! Labels of a small enumeration: the keys are the indices, the enumeration is the dictionary.

use super::{
    Scratch,
    bounds::{Bounds, TextBounds},
    chunk::ChunkWriter,
    rle,
    rows::Rows,
    text::{self, Texts},
};
use crate::Error;
use parquet::basic::Encoding;
use std::collections::HashMap;

/// Maximum number of values of an enumeration. A larger one is written like other text.
const MAX_LABELS: usize = 256;
/// Maximum size of an enumeration in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A column chunk from non-null keys into `values`.
pub(super) fn encode<V: Texts>(
    scratch: &mut Scratch,
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    keys: &[i32],
    values: &V,
) -> Result<(), Error> {
    let count = values.count();
    if count > MAX_LABELS || (0..count).map(|i| values.text(i).len()).sum::<usize>() > MAX_BYTES {
        let keys = first_keys(keys, values);
        return text::keyed(scratch, chunk, rows, &keys, values).map(drop);
    }
    let (labels, number_of) = distinct(values);
    let indices = &mut scratch.indices;
    if labels.len() < count {
        indices.clear();
        indices.extend(keys.iter().map(|&key| number_of[key as usize]));
    }
    chunk.dictionary_page(labels.len(), |out| {
        labels.iter().for_each(|&label| text::plain(out, values.text(label as usize)));
    })?;
    let width = rle::width(labels.len());
    for page in rows.pages() {
        let steps = rows.steps(&page);
        chunk.data_page(rows, &page, Encoding::RLE_DICTIONARY, |out| {
            let keys = &keys[page.values.clone()];
            match labels.len() < count {
                true => rle::write(out, width, &indices[page.values.clone()], &steps),
                false => rle::write(out, width, keys, &steps),
            }
            bounds(keys, values)
        })?;
    }
    Ok(())
}

/// Bounds of the labels with those keys.
fn bounds<V: Texts>(keys: &[i32], values: &V) -> Bounds {
    let mut used = [false; MAX_LABELS];
    // Several at a time: whether the compiler unrolls the loop by itself depends on what else is in the crate.
    let mut pieces = keys.chunks_exact(8);
    let mut mark = |&key: &i32| used[key as usize % MAX_LABELS] = true;
    for piece in &mut pieces {
        piece.iter().for_each(&mut mark);
    }
    pieces.remainder().iter().for_each(mark);
    let mut bounds = TextBounds::default();
    (0..values.count()).filter(|&i| used[i]).for_each(|i| bounds.add(values.text(i)));
    bounds.finish()
}

/// The positions of the distinct texts, and for each text its number among them. pyarrow makes categories of a
/// dictionary and assumes that it has no duplicates.
fn distinct<V: Texts>(values: &V) -> (Vec<u32>, Vec<u32>) {
    let mut labels = Vec::new();
    let mut numbers = HashMap::with_capacity(values.count());
    let number_of = (0..values.count()).map(|i| {
        *numbers.entry(values.text(i)).or_insert_with(|| {
            labels.push(i as u32);
            labels.len() as u32 - 1
        })
    });
    let number_of = number_of.collect();
    (labels, number_of)
}

/// For each key, the first key in use with the same text.
fn first_keys<V: Texts>(keys: &[i32], values: &V) -> Vec<i32> {
    let mut of_text = HashMap::new();
    let mut of_key = vec![None; values.count()];
    let first = |&key: &i32| {
        *of_key[key as usize]
            .get_or_insert_with(|| *of_text.entry(values.text(key as usize)).or_insert(key))
    };
    keys.iter().map(first).collect()
}
