//! Event positions, set in any order, in four bytes each as long as all of them fit.

use std::{cmp::Ordering, ops::Range};

/// Window size for sorting.
const WINDOW: usize = 32 << 10;

/// A stable sort. Events are usually sorted, or nearly so. Sorted windows are only scanned. Keys, which are more
/// expensive to find than to compare, are found once for each window of two passes. Only values that are further out of
/// place take more.
fn sort<T: Copy, K: Ord>(values: &mut [T], key: impl Fn(T) -> K) {
    let is_sorted = |values: &[T]| values.is_sorted_by_key(|&value| key(value));
    let mut keyed: Vec<(K, T)> = Vec::new();
    for start in [0, WINDOW / 2] {
        if is_sorted(values) {
            return;
        }
        for window in values.get_mut(start..).unwrap_or_default().chunks_mut(WINDOW) {
            keyed.clear();
            keyed.extend(window.iter().map(|&value| (key(value), value)));
            sort_keyed(&mut keyed);
            window.iter_mut().zip(&keyed).for_each(|(value, &(_, sorted))| *value = sorted);
        }
    }
    if !is_sorted(values) {
        sort_far(values, &|a, b| key(a).cmp(&key(b)));
    }
}

/// A function of its own, so that there is one for each type of keys and not one for each key.
fn sort_keyed<T, K: Ord>(values: &mut [(K, T)]) {
    values.sort_by(|(a, _), (b, _)| a.cmp(b));
}

/// Rarely needed: one function for all keys.
fn sort_far<T: Copy>(values: &mut [T], compare: &dyn Fn(T, T) -> Ordering) {
    values.sort_by(|&a, &b| compare(a, b));
}

/// Optional positions of events: four bytes each, or eight if the number of events needs them.
#[derive(Clone, Debug)]
pub(crate) enum Packed {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Default for Packed {
    fn default() -> Self {
        Packed::Narrow(Vec::new())
    }
}

impl Packed {
    /// A list of `len` missing positions, for positions below `bound`.
    pub(crate) fn filled(len: usize, bound: u64) -> Self {
        match bound < u64::from(u32::MAX) {
            true => Packed::Narrow(vec![u32::MAX; len]),
            false => Packed::Wide(vec![u64::MAX; len]),
        }
    }

    /// A list of `len` zeros, for positions below `bound`.
    pub(crate) fn zeros(len: usize, bound: u64) -> Self {
        match bound < u64::from(u32::MAX) {
            true => Packed::Narrow(vec![0; len]),
            false => Packed::Wide(vec![0; len]),
        }
    }

    /// All positions below `len`.
    pub(crate) fn positions(len: usize) -> Self {
        let mut all = Packed::zeros(len, len as u64);
        (0..len).for_each(|at| all.set(at, at as u64));
        all
    }

    /// An empty list for positions below `bound`.
    pub(crate) fn empty(bound: u64) -> Self {
        Packed::filled(0, bound)
    }

    /// Appends a position, or a missing one.
    pub(crate) fn push(&mut self, value: Option<u64>) {
        match self {
            Packed::Narrow(values) => values.push(value.map_or(u32::MAX, |value| value as u32)),
            Packed::Wide(values) => values.push(value.unwrap_or(u64::MAX)),
        }
    }

    /// The position at an index, if it is not missing.
    #[inline]
    pub(crate) fn optional(&self, at: usize) -> Option<u64> {
        match self {
            Packed::Narrow(values) => {
                let value = values[at];
                (value != u32::MAX).then_some(u64::from(value))
            }
            Packed::Wide(values) => Some(values[at]).filter(|&value| value != u64::MAX),
        }
    }

    /// Replaces a position.
    #[inline]
    pub(crate) fn set(&mut self, at: usize, value: u64) {
        match self {
            Packed::Narrow(values) => values[at] = value as u32,
            Packed::Wide(values) => values[at] = value,
        }
    }

    /// Sorts a part of the list by the keys of its values; equal ones keep their order.
    pub(crate) fn sort<K: Ord>(&mut self, part: Range<usize>, key: impl Fn(u64) -> K) {
        match self {
            Packed::Narrow(values) => sort(&mut values[part], |value| key(value.into())),
            Packed::Wide(values) => sort(&mut values[part], key),
        }
    }

    /// Index of the first position for which `is_so` is false, if it is true for all before and false for all after.
    pub(crate) fn partition_point(&self, is_so: impl Fn(u64) -> bool) -> usize {
        match self {
            Packed::Narrow(values) => values.partition_point(|&value| is_so(value.into())),
            Packed::Wide(values) => values.partition_point(|&value| is_so(value)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Packed::Narrow(values) => values.len(),
            Packed::Wide(values) => values.len(),
        }
    }

    /// The position at an index, if none is missing.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> u64 {
        match self {
            Packed::Narrow(values) => u64::from(values[at]),
            Packed::Wide(values) => values[at],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]
        #[test]
        fn sorting_is_stable_however_far_things_are_out_of_place(
            seeds in proptest::collection::vec(any::<u32>(), 1..200),
            len in 0..4 * WINDOW,
            reach in prop_oneof![Just(1u64), Just(50), Just(1 << 14), Just(1 << 40)],
        ) {
            let noise = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            let key = |at: u64| {
                at / 3 + (noise(at) ^ u64::from(seeds[at as usize % seeds.len()])) % reach
            };
            let mut packed = Packed::positions(len);
            packed.sort(0..len, key);
            let mut expected: Vec<u64> = (0..len as u64).collect();
            expected.sort_by_key(|&at| key(at));
            prop_assert!((0..len).all(|at| packed.get(at) == expected[at]));
        }
    }

    #[test]
    fn positions_are_as_wide_as_the_bound_needs() {
        const LARGE: u64 = 1 << 40;
        for (bound, is_wide) in [(LARGE + 1, true), (u64::from(u32::MAX), true), (100, false)] {
            let most = bound - 1;
            let mut packed = Packed::filled(1, bound);
            assert_eq!(matches!(packed, Packed::Wide(_)), is_wide);
            packed.push(None);
            packed.push(Some(most));
            let all = |packed: &Packed| [0, 1, 2].map(|at| packed.optional(at));
            assert_eq!(all(&packed), [None, None, Some(most)]);
            packed.set(0, most);
            packed.set(1, 7);
            packed.set(2, 0);
            assert_eq!(all(&packed), [Some(most), Some(7), Some(0)]);
            packed.sort(0..3, |value| value);
            assert_eq!([0, 1, 2].map(|at| packed.get(at)), [0, 7, most]);
            assert_eq!(packed.partition_point(|value| value < 8), 2);
        }
        assert_eq!(Packed::zeros(3, 5).get(2), 0);
    }
}
