//! References to any row. Neither differences nor a dictionary helps; whole bytes compress best.

use super::{
    chunk::ChunkWriter,
    int::{self, Int},
    rows::Rows,
};
use crate::{Encodings, Error};
use parquet::basic::Encoding;

/// A column chunk in the encoding `PLAIN`, or `BYTE_STREAM_SPLIT` for modern readers.
pub(super) fn encode<T: Int>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    values: &[T],
) -> Result<(), Error> {
    for page in rows.pages() {
        let values = &values[page.values.clone()];
        match chunk.encodings() {
            Encodings::Universal => {
                chunk.data_page(rows, &page, Encoding::PLAIN, |out| {
                    int::plain(out, values);
                    int::bounds(values)
                })?;
            }
            Encodings::Modern => {
                chunk.data_page(rows, &page, Encoding::BYTE_STREAM_SPLIT, |out| {
                    split(out, values);
                    int::bounds(values)
                })?;
            }
        }
    }
    Ok(())
}

/// Appends the lowest bytes of all values, then the next ones, and so on.
fn split<T: Int>(out: &mut Vec<u8>, values: &[T]) {
    /// Values split at a time, so that they stay in the first-level cache.
    const PIECE: usize = 1024;
    let (at, count) = (out.len(), values.len());
    out.resize(at + count * T::SIZE, 0);
    let out = &mut out[at..];
    for (piece, values) in values.chunks(PIECE).enumerate() {
        for byte in 0..T::SIZE {
            let start = byte * count + piece * PIECE;
            T::write_byte(values, byte, &mut out[start..start + values.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_place_stand_together() {
        let values: Vec<i64> =
            (0..3000).map(|i: i64| i.wrapping_mul(0x0123_4567_89ab_cdef)).collect();
        let mut out = vec![1, 2];
        split(&mut out, &values);
        for (i, value) in values.iter().enumerate() {
            for (place, byte) in value.to_le_bytes().into_iter().enumerate() {
                assert_eq!(out[2 + place * values.len() + i], byte);
            }
        }
    }
}
