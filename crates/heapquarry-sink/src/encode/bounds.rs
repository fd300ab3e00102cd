//! Statistics of a column chunk: smallest and largest value, number of nulls.

use parquet::{basic::Type, file::statistics::Statistics};

/// Longest text that is kept as a bound. If a bound is longer, there are none.
const TEXT: usize = 64;

/// Smallest and largest value of a column chunk.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bounds {
    /// No values, or not known.
    None,
    /// Of integers.
    Int(i64, i64),
    /// Of floating-point numbers.
    Float(f64, f64),
    /// Of texts, by their bytes.
    Text(Vec<u8>, Vec<u8>),
}

impl Bounds {
    /// In the form that the metadata has.
    pub(super) fn statistics(self, physical: Type, nulls: u64) -> Statistics {
        let nulls = Some(nulls);
        match (physical, self) {
            (Type::INT32, Bounds::Int(min, max)) => {
                Statistics::int32(Some(min as i32), Some(max as i32), None, nulls, false)
            }
            (Type::INT32, _) => Statistics::int32(None, None, None, nulls, false),
            (Type::INT64, Bounds::Int(min, max)) => {
                Statistics::int64(Some(min), Some(max), None, nulls, false)
            }
            (Type::INT64, _) => Statistics::int64(None, None, None, nulls, false),
            (Type::DOUBLE, Bounds::Float(min, max)) => {
                Statistics::double(Some(min), Some(max), None, nulls, false)
            }
            (Type::DOUBLE, _) => Statistics::double(None, None, None, nulls, false),
            (_, Bounds::Text(min, max)) => {
                Statistics::byte_array(Some(min.into()), Some(max.into()), None, nulls, false)
            }
            _ => Statistics::byte_array(None, None, None, nulls, false),
        }
    }
}

/// Finds the bounds of texts.
#[derive(Default)]
pub(super) struct TextBounds<'a>(Option<(&'a [u8], &'a [u8])>);

impl<'a> TextBounds<'a> {
    /// Takes a text in.
    #[inline]
    pub(super) fn add(&mut self, text: &'a [u8]) {
        match &mut self.0 {
            None => self.0 = Some((text, text)),
            Some((min, max)) => {
                if text < *min {
                    *min = text;
                } else if text > *max {
                    *max = text;
                }
            }
        }
    }

    /// The bounds, unless one is too long to be kept.
    pub(super) fn finish(self) -> Bounds {
        match self.0 {
            Some((min, max)) if min.len() <= TEXT && max.len() <= TEXT => {
                Bounds::Text(min.to_vec(), max.to_vec())
            }
            _ => Bounds::None,
        }
    }
}
