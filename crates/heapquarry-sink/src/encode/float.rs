//! Floating-point numbers in plain encoding.

use super::{bounds::Bounds, chunk::ChunkWriter, rows::Rows};
use crate::Error;
use parquet::basic::Encoding;

/// A column chunk in the encoding `PLAIN`.
pub(super) fn encode(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    values: &[f64],
) -> Result<(), Error> {
    for page in rows.pages() {
        let values = &values[page.values.clone()];
        chunk.data_page(rows, &page, Encoding::PLAIN, |out| {
            out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            bounds(values)
        })?;
    }
    Ok(())
}

/// Smallest and largest value; unknown if one is NaN, as the format demands.
fn bounds(values: &[f64]) -> Bounds {
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for &value in values {
        if value.is_nan() {
            return Bounds::Unknown;
        }
        (min, max) = (min.min(value), max.max(value));
    }
    if values.is_empty() {
        return Bounds::None;
    }
    // Zeros of both signs are equal.
    let min = if min == 0.0 { -0.0 } else { min };
    Bounds::Float(min, if max == 0.0 { 0.0 } else { max })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_what_readers_may_rely_on() {
        for (values, expected) in [
            (&[][..], Bounds::None),
            (&[1.5, -2.0, 3.0], Bounds::Float(-2.0, 3.0)),
            (&[1.0, f64::NAN], Bounds::Unknown),
            (&[f64::INFINITY], Bounds::Float(f64::INFINITY, f64::INFINITY)),
        ] {
            assert_eq!(bounds(values), expected);
        }
        let Bounds::Float(min, max) = bounds(&[0.0]) else { panic!("there is a value") };
        assert!(min.is_sign_negative() && max.is_sign_positive());
    }
}
