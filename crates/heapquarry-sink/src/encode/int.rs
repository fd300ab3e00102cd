//! Integer types of columns.

use super::bounds::Bounds;
use arrow_buffer::{ArrowNativeType, ToByteSlice};
use heapquarry_scan::{Work, vectorized};
use std::ops::Range;

/// In-memory type of a column's integers. Each fits an `i64`.
pub(super) trait Int: ArrowNativeType + Ord + Into<i64> {
    /// Bytes of a value in the file.
    const SIZE: usize;

    /// `self - other`, wrapping in the type of the file.
    fn minus(self, other: Self) -> i64;

    /// Converts back from `i64`.
    fn narrow(wide: i64) -> Self;

    /// Writes byte number `place` of each value to `out`, counted from the lowest.
    fn write_byte(values: &[Self], place: usize, out: &mut [u8]);
}

impl Int for i32 {
    const SIZE: usize = 4;

    #[inline]
    fn minus(self, other: Self) -> i64 {
        i64::from(self.wrapping_sub(other))
    }

    #[inline]
    fn narrow(wide: i64) -> Self {
        wide as i32
    }

    fn write_byte(values: &[Self], place: usize, out: &mut [u8]) {
        for (byte, value) in out.iter_mut().zip(values) {
            *byte = (value >> (8 * place)) as u8;
        }
    }
}

/// An INT64 column in compact form.
impl Int for u32 {
    const SIZE: usize = 8;

    #[inline]
    fn minus(self, other: Self) -> i64 {
        i64::from(self) - i64::from(other)
    }

    #[inline]
    fn narrow(wide: i64) -> Self {
        wide as u32
    }

    fn write_byte(values: &[Self], place: usize, out: &mut [u8]) {
        if place >= 4 {
            return out.fill(0);
        }
        for (byte, value) in out.iter_mut().zip(values) {
            *byte = (value >> (8 * place)) as u8;
        }
    }
}

impl Int for i64 {
    const SIZE: usize = 8;

    #[inline]
    fn minus(self, other: Self) -> i64 {
        self.wrapping_sub(other)
    }

    #[inline]
    fn narrow(wide: i64) -> Self {
        wide
    }

    fn write_byte(values: &[Self], place: usize, out: &mut [u8]) {
        for (byte, value) in out.iter_mut().zip(values) {
            *byte = (value >> (8 * place)) as u8;
        }
    }
}

/// Address range of the values in memory.
pub(super) fn address_range<T: Int>(values: &[T]) -> Range<usize> {
    let Range { start, end } = values.as_ptr_range();
    start.addr()..end.addr()
}

/// Appends values in the encoding `PLAIN`: lowest byte first.
pub(super) fn plain<T: Int>(out: &mut Vec<u8>, values: &[T]) {
    if size_of::<T>() < T::SIZE {
        out.reserve(values.len() * T::SIZE);
        // In pieces that fit the first-level cache, instead of zero-filling the output first.
        let mut wide = [0i64; 512];
        for piece in values.chunks(wide.len()) {
            vectorized(Widen(piece, &mut wide));
            out.extend_from_slice(wide[..piece.len()].to_byte_slice());
        }
    } else if cfg!(target_endian = "little") {
        out.extend_from_slice(values.to_byte_slice());
    } else {
        for value in values {
            out.extend(value.to_byte_slice().iter().rev());
        }
    }
}

/// Copies values as the bytes of an INT64.
struct Widen<'a, T>(&'a [T], &'a mut [i64]);

impl<T: Int> Work for Widen<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.1.iter_mut().zip(self.0).for_each(|(wide, &value)| *wide = value.into().to_le());
    }
}

/// Smallest and largest value.
pub(super) fn bounds<T: Int>(values: &[T]) -> Bounds {
    vectorized(Extremes(values))
}

struct Extremes<'a, T>(&'a [T]);

impl<T: Int> Work for Extremes<'_, T> {
    type Output = Bounds;

    #[inline(always)]
    fn run(self) -> Bounds {
        extremes_of(self.0)
    }
}

#[inline(always)]
fn extremes_of<T: Int>(values: &[T]) -> Bounds {
    let Some(&first) = values.first() else { return Bounds::None };
    let (mut min, mut max): (i64, i64) = (first.into(), first.into());
    for piece in values.chunks(256) {
        let high = |all: u64, &value: &T| all | value.into().wrapping_add(1 << 31) as u64;
        let (low, top) = match piece.iter().fold(0, high) >> 32 {
            // They are usually small, and twice as many fit in a register.
            0 => extremes(piece, |value| value.into() as i32),
            _ => extremes(piece, |value| value.into()),
        };
        (min, max) = (min.min(low), max.max(top));
    }
    Bounds::Int(min, max)
}

/// Smallest and largest of at least one value, compared as `lane` converts them.
#[inline(always)]
fn extremes<T: Int, L: Copy + Ord + Into<i64>>(values: &[T], lane: impl Fn(T) -> L) -> (i64, i64) {
    let first = lane(values[0]);
    let (mut min, mut max) = ([first; 4], [first; 4]);
    let mut fours = values.chunks_exact(4);
    for four in &mut fours {
        for i in 0..4 {
            let value = lane(four[i]);
            min[i] = min[i].min(value);
            max[i] = max[i].max(value);
        }
    }
    for &value in fours.remainder() {
        min[0] = min[0].min(lane(value));
        max[0] = max[0].max(lane(value));
    }
    (min.into_iter().fold(first, L::min).into(), max.into_iter().fold(first, L::max).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_a_naive_scan() {
        assert_eq!(bounds::<i64>(&[]), Bounds::None);
        let mut values = vec![5i64, i64::MIN, 7, 0, i64::MAX, -1, 3, 3, 9];
        while let (Some(&min), Some(&max)) = (values.iter().min(), values.iter().max()) {
            assert_eq!(bounds(&values), Bounds::Int(min, max));
            values.pop();
        }
    }

    #[test]
    fn differences_wrap_in_their_own_type() {
        assert_eq!(i32::MIN.minus(1), i64::from(i32::MAX));
        assert_eq!(i64::MIN.minus(1), i64::MAX);
    }
}
