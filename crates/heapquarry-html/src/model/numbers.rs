//! Arrays of numbers, as pages have them: little endian in base64, in the smallest type that holds all of them.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Serialize, Serializer};

/// Numbers from 0, or, as `From<Vec<i64>>`, of either sign.
///
/// In the page they are a string: the type, a colon, and the bytes. `u8`, `u16`, `u32` and `f64` become arrays of
/// numbers, `i64` one of integers beyond 2^53.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<i64>);

impl From<Vec<i64>> for Numbers {
    fn from(values: Vec<i64>) -> Self {
        Numbers(values)
    }
}

impl From<Vec<u64>> for Numbers {
    fn from(values: Vec<u64>) -> Self {
        values.into_iter().collect()
    }
}

impl FromIterator<u64> for Numbers {
    /// Numbers beyond 2^63 become 2^63 - 1.
    fn from_iter<T: IntoIterator<Item = u64>>(values: T) -> Self {
        Numbers(values.into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX)).collect())
    }
}

impl FromIterator<u32> for Numbers {
    fn from_iter<T: IntoIterator<Item = u32>>(values: T) -> Self {
        Numbers(values.into_iter().map(i64::from).collect())
    }
}

impl Numbers {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn encode(&self) -> String {
        /// The largest integer up to which a double holds all.
        const EXACT: i64 = 1 << 53;
        let (min, max) = (self.0.iter().min().copied(), self.0.iter().max().copied());
        let (min, max) = (min.unwrap_or(0), max.unwrap_or(0));
        let values = self.0.iter();
        let (name, bytes): (_, Vec<u8>) = if min < -EXACT || max > EXACT {
            ("i64", values.flat_map(|n| n.to_le_bytes()).collect())
        } else if min < 0 || max > u32::MAX.into() {
            ("f64", values.flat_map(|&n| (n as f64).to_le_bytes()).collect())
        } else if max > u16::MAX.into() {
            ("u32", values.flat_map(|&n| (n as u32).to_le_bytes()).collect())
        } else if max > u8::MAX.into() {
            ("u16", values.flat_map(|&n| (n as u16).to_le_bytes()).collect())
        } else {
            ("u8", values.map(|&n| n as u8).collect())
        };
        let mut out = format!("{name}:");
        STANDARD.encode_string(bytes, &mut out);
        out
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_type_holds_all() {
        for (numbers, expected) in [
            (vec![], "u8:"),
            (vec![0, 255], "u8:AP8="),
            (vec![256], "u16:AAE="),
            (vec![65_536], "u32:AAABAA=="),
            (vec![1 << 32], "f64:AAAAAAAA8EE="),
            (vec![-1], "f64:AAAAAAAA8L8="),
            (vec![i64::MAX], "i64://///////38="),
        ] {
            assert_eq!(Numbers::from(numbers).encode(), expected);
        }
    }
}
