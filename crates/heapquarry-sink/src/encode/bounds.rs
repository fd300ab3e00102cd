//! Statistics of pages and column chunks: smallest and largest value, number of nulls.

use parquet::{basic::Type, file::statistics::Statistics};

/// Maximum length of a text in the statistics. If a bound is longer, there are none.
const MAX_BOUND: usize = 64;

/// Smallest and largest value of a page or a column chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Bounds {
    /// There are no values.
    #[default]
    None,
    /// There is an unordered value: NaN.
    Unknown,
    /// Bounds of integers.
    Int(i64, i64),
    /// Bounds of floating-point numbers.
    Float(f64, f64),
    /// Bounds of texts, by bytes; only a prefix of a text that is too long.
    Text(Vec<u8>, Vec<u8>),
}

impl Bounds {
    /// The bounds of the values of both.
    pub(super) fn union(self, other: Bounds) -> Bounds {
        match (self, other) {
            (Bounds::None, bounds) | (bounds, Bounds::None) => bounds,
            (Bounds::Int(low, high), Bounds::Int(min, max)) => {
                Bounds::Int(low.min(min), high.max(max))
            }
            (Bounds::Float(low, high), Bounds::Float(min, max)) => {
                Bounds::Float(low.min(min), high.max(max))
            }
            (Bounds::Text(low, high), Bounds::Text(min, max)) => {
                Bounds::Text(low.min(min), high.max(max))
            }
            _ => Bounds::Unknown,
        }
    }

    /// Whether neither bound is larger than that of the other.
    pub(super) fn at_most(&self, other: &Bounds) -> bool {
        match (self, other) {
            (Bounds::Int(low, high), Bounds::Int(min, max)) => low <= min && high <= max,
            (Bounds::Float(low, high), Bounds::Float(min, max)) => low <= min && high <= max,
            (Bounds::Text(low, high), Bounds::Text(min, max)) => low <= min && high <= max,
            _ => false,
        }
    }

    /// The bounds, unless they are too long to store.
    fn short(self) -> Bounds {
        match self {
            Bounds::Text(min, max) if min.len().max(max.len()) > MAX_BOUND => Bounds::Unknown,
            bounds => bounds,
        }
    }

    /// In plain encoding, for the page index; empty if there are no values. `None` if they are unknown or not stored.
    pub(super) fn plain(self, physical: Type) -> Option<[Vec<u8>; 2]> {
        Some(match self.short() {
            Bounds::None => [Vec::new(), Vec::new()],
            Bounds::Unknown => return None,
            Bounds::Int(min, max) if physical == Type::INT32 => {
                [min, max].map(|bound| (bound as i32).to_le_bytes().to_vec())
            }
            Bounds::Int(min, max) => [min, max].map(|bound| bound.to_le_bytes().to_vec()),
            Bounds::Float(min, max) => [min, max].map(|bound| bound.to_le_bytes().to_vec()),
            Bounds::Text(min, max) => [min, max],
        })
    }

    /// In the form of the metadata.
    pub(super) fn statistics(self, physical: Type, nulls: u64) -> Statistics {
        let nulls = Some(nulls);
        match (physical, self.short()) {
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

/// Computes the bounds of texts.
#[derive(Clone, Copy, Default)]
pub(super) struct TextBounds<'a>(Option<[(u64, &'a [u8]); 2]>);

impl<'a> TextBounds<'a> {
    /// Adds a text.
    #[inline]
    pub(super) fn add(&mut self, text: &'a [u8]) {
        // Most texts are between the bounds by their first bytes.
        let text = (start(text), text);
        match &mut self.0 {
            None => self.0 = Some([text; 2]),
            Some([min, max]) => {
                if text < *min {
                    *min = text;
                } else if text > *max {
                    *max = text;
                }
            }
        }
    }

    /// The bounds.
    pub(super) fn finish(self) -> Bounds {
        // With one byte more than is stored, the prefix of a long text has the same order among short texts as the
        // whole.
        let first = |text: &[u8]| text[..text.len().min(MAX_BOUND + 1)].to_vec();
        self.0.map_or(Bounds::None, |[(_, min), (_, max)]| Bounds::Text(first(min), first(max)))
    }
}

/// The first eight bytes as a number, padded with zeros. Different numbers have the order of their texts.
#[inline]
fn start(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(&bytes) => u64::from_be_bytes(bytes),
        None => {
            let byte = |(i, &byte): (u32, &u8)| u64::from(byte) << (56 - 8 * i);
            (0..).zip(text).map(byte).fold(0, |start, byte| start | byte)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts that differ early, late, or beyond the stored prefix.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let lengths = prop_oneof![0..3usize, MAX_BOUND - 1..MAX_BOUND + 3, Just(10 * MAX_BOUND)];
        (lengths, 0..10 * MAX_BOUND, any::<bool>()).prop_map(|(length, place, differs)| {
            let mut text = vec![b'm'; length];
            if let Some(byte) = text.get_mut(place) {
                *byte = if differs { b'z' } else { b'a' };
            }
            text
        })
    }

    proptest! {
        #[test]
        fn bounds_of_pages_make_those_of_the_chunk(
            pages in prop::collection::vec(prop::collection::vec(text(), 0..4), 0..4),
        ) {
            let bounds = pages.iter().map(|page| {
                let mut bounds = TextBounds::default();
                page.iter().for_each(|text| bounds.add(text));
                bounds.finish()
            });
            let all = bounds.fold(Bounds::None, Bounds::union);
            if let Bounds::Text(min, max) = &all {
                prop_assert!(min.len().max(max.len()) <= MAX_BOUND + 1);
            }
            let texts = || pages.iter().flatten();
            let expected = match texts().min().zip(texts().max()) {
                None => Bounds::None,
                Some((min, max)) if min.len().max(max.len()) > MAX_BOUND => Bounds::Unknown,
                Some((min, max)) => Bounds::Text(min.clone(), max.clone()),
            };
            prop_assert_eq!(all.short(), expected);
        }

        #[test]
        fn texts_are_in_the_order_of_their_bytes(
            texts in prop::collection::vec(prop::collection::vec(0..3u8, 0..12), 0..6)
        ) {
            let mut bounds = TextBounds::default();
            texts.iter().for_each(|text| bounds.add(text));
            let expected = match (texts.iter().min(), texts.iter().max()) {
                (Some(min), Some(max)) => Bounds::Text(min.clone(), max.clone()),
                _ => Bounds::None,
            };
            prop_assert_eq!(bounds.finish(), expected);
        }
    }
}
