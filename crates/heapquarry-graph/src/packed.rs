//! Lists of numbers in four bytes each, as long as all of them fit.

use crate::Column;
use std::{collections::TryReserveError, ops::Deref};

/// A list of numbers of four bytes each, or eight bytes as soon as a number needs more: edge positions, ids, sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packed<N = Vec<u32>, W = Vec<u64>> {
    /// All numbers are below 2^32.
    Narrow(N),
    /// Some may not be.
    Wide(W),
}

/// Such a list that does not change.
pub type PackedColumn = Packed<Column<u32>, Column<u64>>;

impl<N: Default, W> Default for Packed<N, W> {
    fn default() -> Self {
        Packed::Narrow(N::default())
    }
}

impl From<Packed> for PackedColumn {
    fn from(values: Packed) -> Self {
        match values {
            Packed::Narrow(values) => Packed::Narrow(values.into()),
            Packed::Wide(values) => Packed::Wide(values.into()),
        }
    }
}

impl From<PackedColumn> for Packed {
    fn from(values: PackedColumn) -> Self {
        match values {
            Packed::Narrow(values) => Packed::Narrow(values.into_vec()),
            Packed::Wide(values) => Packed::Wide(values.into_vec()),
        }
    }
}

impl<N: Deref<Target = [u32]>, W: Deref<Target = [u64]>> Packed<N, W> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Packed::Narrow(values) => values.len(),
            Packed::Wide(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a position.
    ///
    /// # Panics
    /// If the position is out of bounds.
    #[inline]
    pub fn get(&self, at: usize) -> u64 {
        match self {
            Packed::Narrow(values) => u64::from(values[at]),
            Packed::Wide(values) => values[at],
        }
    }

    /// The number at a position, if there is one.
    pub fn known(&self, at: usize) -> Option<u64> {
        (at < self.len()).then(|| self.get(at))
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        let (narrow, wide): (&[u32], &[u64]) = match self {
            Packed::Narrow(values) => (values, &[]),
            Packed::Wide(values) => (&[], values),
        };
        narrow.iter().map(|&value| u64::from(value)).chain(wide.iter().copied())
    }

    /// Whether no number is less than the one before it.
    pub fn is_sorted(&self) -> bool {
        match self {
            Packed::Narrow(values) => values.is_sorted(),
            Packed::Wide(values) => values.is_sorted(),
        }
    }

    /// The positions of the first 2^32 numbers from the least to the greatest; equal ones keep their order.
    pub fn sorted(&self) -> Vec<u32> {
        let positions = (0..=u32::MAX).take(self.len());
        match self {
            Packed::Narrow(values) => {
                // One number to sort by, in half the memory of a pair, and faster.
                let key = |at: u32| u64::from(values[at as usize]) << 32 | u64::from(at);
                let mut keys: Vec<u64> = positions.map(key).collect();
                keys.sort_unstable();
                keys.into_iter().map(|key| key as u32).collect()
            }
            Packed::Wide(values) => {
                let mut order: Vec<u32> = positions.collect();
                order.sort_unstable_by_key(|&at| (values[at as usize], at));
                order
            }
        }
    }

    /// The first position whose number is not `before`, if these come first.
    pub fn partition_point(&self, is_before: impl Fn(u64) -> bool) -> usize {
        match self {
            Packed::Narrow(values) => values.partition_point(|&value| is_before(value.into())),
            Packed::Wide(values) => values.partition_point(|&value| is_before(value)),
        }
    }
}

impl Packed {
    /// An empty list with capacity for `capacity` narrow numbers.
    pub fn with_capacity(capacity: usize) -> Self {
        Packed::Narrow(Vec::with_capacity(capacity))
    }

    /// Makes room for so many more narrow numbers, or wide ones if there are some.
    ///
    /// # Errors
    /// If there is no such memory. The list can grow step by step all the same.
    pub fn try_reserve_exact(&mut self, more: usize) -> Result<(), TryReserveError> {
        match self {
            Packed::Narrow(values) => values.try_reserve_exact(more),
            Packed::Wide(values) => values.try_reserve_exact(more),
        }
    }

    /// Replaces the number at a position.
    ///
    /// # Panics
    /// If the position is out of bounds.
    pub fn set(&mut self, at: usize, value: u64) {
        match (&mut *self, u32::try_from(value)) {
            (Packed::Narrow(values), Ok(value)) => values[at] = value,
            (Packed::Wide(values), _) => values[at] = value,
            (Packed::Narrow(_), Err(_)) => self.widen()[at] = value,
        }
    }

    /// Appends a number.
    pub fn push(&mut self, value: u64) {
        match (&mut *self, u32::try_from(value)) {
            (Packed::Narrow(values), Ok(value)) => values.push(value),
            (Packed::Wide(values), _) => values.push(value),
            (Packed::Narrow(_), Err(_)) => self.widen().push(value),
        }
    }

    /// Appends all numbers of another list.
    pub fn append(&mut self, other: &Packed) {
        match (&mut *self, other) {
            (Packed::Narrow(ours), Packed::Narrow(theirs)) => ours.extend_from_slice(theirs),
            (Packed::Wide(ours), Packed::Narrow(theirs)) => {
                ours.extend(theirs.iter().copied().map(u64::from));
            }
            (Packed::Wide(ours), Packed::Wide(theirs)) => ours.extend_from_slice(theirs),
            (Packed::Narrow(_), Packed::Wide(theirs)) => self.widen().extend_from_slice(theirs),
        }
    }

    fn widen(&mut self) -> &mut Vec<u64> {
        if let Packed::Narrow(values) = self {
            let mut wide = Vec::with_capacity(values.capacity());
            wide.extend(values.iter().copied().map(u64::from));
            *self = Packed::Wide(wide);
        }
        match self {
            Packed::Wide(values) => values,
            Packed::Narrow(_) => unreachable!("just widened"),
        }
    }
}

impl FromIterator<u64> for PackedColumn {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        values.into_iter().collect::<Packed>().into()
    }
}

impl FromIterator<u64> for Packed {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        /// Numbers that are looked at together: nearly always all of them are narrow.
        const BLOCK: usize = 1024;
        let mut values = values.into_iter();
        let mut packed = Packed::with_capacity(values.size_hint().0);
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            block.extend(values.by_ref().take(BLOCK));
            if block.is_empty() {
                return packed;
            }
            let is_narrow = block.iter().fold(0, |bits, value| bits | value) <= u32::MAX.into();
            match &mut packed {
                Packed::Narrow(all) if is_narrow => all.extend(block.iter().map(|&n| n as u32)),
                _ => block.iter().for_each(|&value| packed.push(value)),
            }
            block.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_collected_as_they_are_pushed() {
        const WIDE: u64 = 1 << 40;
        for len in [0, 1, 1023, 1024, 1025, 3000] {
            for wide in [None, Some(0), Some(1023), Some(1024), Some(2999)] {
                let values = (0..len).map(|at| if Some(at) == wide { WIDE } else { at });
                let mut pushed = Packed::default();
                values.clone().for_each(|value| pushed.push(value));
                assert_eq!(values.collect::<Packed>(), pushed, "{len} {wide:?}");
            }
        }
    }

    const LARGE: u64 = 1 << 40;

    #[test]
    fn it_widens_when_a_number_needs_it() {
        for large_at in [0, 1, 2] {
            let values: Vec<u64> = (0..3).map(|i| if i == large_at { LARGE } else { i }).collect();
            let packed: Packed = values.iter().copied().collect();
            assert!(matches!(packed, Packed::Wide(_)));
            assert_eq!(packed.iter().collect::<Vec<_>>(), values);
            let mut set = Packed::Narrow(vec![0, 1, 2]);
            set.set(large_at as usize, LARGE);
            assert_eq!(set, packed);
        }
        let narrow: Packed = [0, u64::from(u32::MAX)].into_iter().collect();
        assert_eq!(narrow, Packed::Narrow(vec![0, u32::MAX]));
    }

    #[test]
    fn lists_of_either_width_are_sorted() {
        for values in [[3, 1, 3, 0, 1], [3, LARGE, 3, u64::MAX, LARGE], [0, 1, 1, 2, LARGE]] {
            let packed: Packed = values.into_iter().collect();
            let mut plain: Vec<u32> = (0..5).collect();
            plain.sort_by_key(|&at| values[at as usize]);
            assert_eq!(packed.sorted(), plain);
            assert_eq!(packed.is_sorted(), values.is_sorted());
            let sorted: Packed = plain.iter().map(|&at| values[at as usize]).collect();
            for bound in [0, 1, 2, 4, LARGE, u64::MAX] {
                let before = values.iter().filter(|&&value| value < bound).count();
                assert_eq!(sorted.partition_point(|value| value < bound), before);
            }
        }
    }

    #[test]
    fn lists_of_either_width_are_appended() {
        for (left, right) in [([1, 2], [3, 4]), ([1, LARGE], [3, 4]), ([1, 2], [3, LARGE])] {
            let mut packed: Packed = left.into_iter().collect();
            packed.append(&right.into_iter().collect());
            assert_eq!(packed.iter().collect::<Vec<_>>(), [left, right].concat());
        }
    }
}
