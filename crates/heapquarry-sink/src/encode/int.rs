//! The integers that columns hold.

use super::bounds::Bounds;
use arrow_buffer::ArrowNativeType;

/// A column's integer type. Each fits an `i64`.
pub(super) trait Int: ArrowNativeType + Ord + Into<i64> {
    /// `self - other`, wrapping in this type.
    fn minus(self, other: Self) -> i64;

    /// The value that was widened to `wide`.
    fn narrow(wide: i64) -> Self;

    /// Copies the lowest bytes of each value, as many as this type has, lowest byte first, to `out`.
    fn write_plain(values: &[Self], out: &mut [u8]);

    /// Puts byte number `place` of each value into `out`, counted from the lowest.
    fn write_byte(values: &[Self], place: usize, out: &mut [u8]);
}

impl Int for i32 {
    #[inline]
    fn minus(self, other: Self) -> i64 {
        i64::from(self.wrapping_sub(other))
    }

    #[inline]
    fn narrow(wide: i64) -> Self {
        wide as i32
    }

    fn write_plain(values: &[Self], out: &mut [u8]) {
        for (bytes, value) in out.chunks_exact_mut(4).zip(values) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn write_byte(values: &[Self], place: usize, out: &mut [u8]) {
        for (byte, value) in out.iter_mut().zip(values) {
            *byte = (value >> (8 * place)) as u8;
        }
    }
}

impl Int for i64 {
    #[inline]
    fn minus(self, other: Self) -> i64 {
        self.wrapping_sub(other)
    }

    #[inline]
    fn narrow(wide: i64) -> Self {
        wide
    }

    fn write_plain(values: &[Self], out: &mut [u8]) {
        for (bytes, value) in out.chunks_exact_mut(8).zip(values) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn write_byte(values: &[Self], place: usize, out: &mut [u8]) {
        for (byte, value) in out.iter_mut().zip(values) {
            *byte = (value >> (8 * place)) as u8;
        }
    }
}

/// Appends values in the encoding `PLAIN`.
pub(super) fn plain<T: Int>(out: &mut Vec<u8>, values: &[T]) {
    let at = out.len();
    out.resize(at + size_of_val(values), 0);
    T::write_plain(values, &mut out[at..]);
}

/// Smallest and largest value.
pub(super) fn bounds<T: Int>(values: &[T]) -> Bounds {
    let Some(&first) = values.first() else { return Bounds::None };
    // Lanes, so that a comparison need not wait for the one before.
    let (mut min, mut max) = ([first; 4], [first; 4]);
    let mut chunks = values.chunks_exact(4);
    for chunk in &mut chunks {
        for lane in 0..4 {
            min[lane] = min[lane].min(chunk[lane]);
            max[lane] = max[lane].max(chunk[lane]);
        }
    }
    for &value in chunks.remainder() {
        min[0] = min[0].min(value);
        max[0] = max[0].max(value);
    }
    let min = min.into_iter().min().unwrap_or(first);
    let max = max.into_iter().max().unwrap_or(first);
    Bounds::Int(min.into(), max.into())
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
