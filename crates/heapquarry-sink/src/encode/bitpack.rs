//! Packs integers into few bits each, lowest bits first.
//!
//! Widths are those that [`crate::encode::rle::width`] and [`crate::encode::delta`] round up to: 1, 2, 4, and whole
//! bytes. Compressors find repetitions of bytes, not of 11 bits.

use heapquarry_scan::{Work, vectorized};

/// An unsigned integer to be packed.
pub(super) trait Word: Copy + Eq + Default {
    fn wide(self) -> u64;
}

impl Word for u32 {
    #[inline]
    fn wide(self) -> u64 {
        u64::from(self)
    }
}

/// Dictionary keys, which are not negative.
impl Word for i32 {
    #[inline]
    fn wide(self) -> u64 {
        u64::from(self as u32)
    }
}

impl Word for u64 {
    #[inline]
    fn wide(self) -> u64 {
        self
    }
}

/// Packs `values`, a multiple of eight of them, into `out`, which has `width` bits for each.
pub(super) fn pack<T: Word>(width: u8, values: &[T], out: &mut [u8]) {
    vectorized(Pack { width, values, out });
}

struct Pack<'a, T> {
    width: u8,
    values: &'a [T],
    out: &'a mut [u8],
}

impl<T: Word> Work for Pack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        pack_all(self.width, self.values, self.out);
    }
}

/// [`pack`], for inlining into other vectorized loops.
#[inline(always)]
pub(super) fn pack_all<T: Word>(width: u8, values: &[T], out: &mut [u8]) {
    debug_assert_eq!(out.len() * 8, values.len() * usize::from(width));
    debug_assert!(values.iter().all(|v| width == 64 || v.wide() >> width == 0));
    match width {
        0 => {}
        1 => eights::<T, 1>(values, out, |bytes| {
            let pairs = (bytes | bytes >> 7) & 0x0003_0003_0003_0003;
            let fours = (pairs | pairs >> 14) & 0x0000_000f_0000_000f;
            fours | fours >> 28
        }),
        2 => eights::<T, 2>(values, out, |bytes| {
            let pairs = (bytes | bytes >> 6) & 0x000f_000f_000f_000f;
            let fours = (pairs | pairs >> 12) & 0x0000_00ff_0000_00ff;
            fours | fours >> 24
        }),
        4 => eights::<T, 4>(values, out, |bytes| {
            let pairs = (bytes | bytes >> 4) & 0x00ff_00ff_00ff_00ff;
            let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
            fours | fours >> 16
        }),
        8 => bytes::<T, 1>(values, out),
        16 => bytes::<T, 2>(values, out),
        24 => bytes::<T, 3>(values, out),
        32 => bytes::<T, 4>(values, out),
        40 => bytes::<T, 5>(values, out),
        48 => bytes::<T, 6>(values, out),
        56 => bytes::<T, 7>(values, out),
        64 => bytes::<T, 8>(values, out),
        _ => unreachable!("widths are rounded"),
    }
}

/// Packs eight values at a time: narrows each to a byte, then `squeeze`s them to the lowest `N` bytes.
#[inline(always)]
fn eights<T: Word, const N: usize>(values: &[T], out: &mut [u8], squeeze: impl Fn(u64) -> u64) {
    for (eight, packed) in values.chunks_exact(8).zip(out.chunks_exact_mut(N)) {
        let mut bytes = [0; 8];
        for (byte, value) in bytes.iter_mut().zip(eight) {
            *byte = value.wide() as u8;
        }
        packed.copy_from_slice(&squeeze(u64::from_le_bytes(bytes)).to_le_bytes()[..N]);
    }
}

/// The lowest `N` bytes of each value.
#[inline(always)]
fn bytes<T: Word, const N: usize>(values: &[T], out: &mut [u8]) {
    for (value, packed) in values.iter().zip(out.chunks_exact_mut(N)) {
        packed.copy_from_slice(&value.wide().to_le_bytes()[..N]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bit by bit.
    fn naive(width: u8, values: &[u64]) -> Vec<u8> {
        let width = usize::from(width);
        let mut out = vec![0; values.len() * width / 8];
        for (i, value) in values.iter().enumerate() {
            for bit in 0..width {
                let at = i * width + bit;
                out[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
            }
        }
        out
    }

    proptest! {
        #[test]
        fn packing_is_that_of_single_bits(values in prop::collection::vec(any::<u64>(), 0..200)) {
            for width in [0, 1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64u8] {
                let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
                let values: Vec<u64> = values.iter().map(|v| v & mask).collect();
                let values = &values[..values.len() / 8 * 8];
                let mut out = vec![0; values.len() * usize::from(width) / 8];
                pack(width, values, &mut out);
                prop_assert_eq!(&out, &naive(width, values));
                if width <= 32 {
                    let short: Vec<u32> = values.iter().map(|&v| v as u32).collect();
                    out.fill(0);
                    pack(width, &short, &mut out);
                    prop_assert_eq!(&out, &naive(width, values));
                }
            }
        }
    }
}
