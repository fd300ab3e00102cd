//! Numbers the distinct values of a column chunk, for its dictionary.

use super::int::Int;

/// Stands for no number.
const NONE: u32 = u32::MAX;
/// Maximum number of probes for a large value. If more are needed, the values were chosen to collide, and get no
/// dictionary.
const MAX_PROBES: usize = 64;

/// Numbers distinct values in the order of their first occurrence. Small values are looked up directly, without
/// hashing; the rare large ones in a hash table.
#[derive(Default)]
pub(super) struct Interner {
    /// Numbers of the small values.
    direct: Vec<u32>,
    /// Numbers of the large values, by hash: a power of two of slots, at most half of them used.
    hashed: Vec<u32>,
    taken: usize,
    /// The values by their number.
    values: Vec<i64>,
}

impl Interner {
    /// The values by their number.
    pub(super) fn values(&self) -> &[i64] {
        &self.values
    }

    /// Looks up values below `direct` without hashing from now on. The interner must be empty.
    pub(super) fn widen(&mut self, direct: usize) {
        debug_assert!(self.values.is_empty());
        if self.direct.len() < direct {
            self.direct.resize(direct, NONE);
        }
    }

    /// Removes all values.
    pub(super) fn clear(&mut self) {
        for &value in &self.values {
            if let Some(number) = at(&mut self.direct, value) {
                *number = NONE;
            }
        }
        if self.taken > 0 {
            self.hashed.fill(NONE);
            self.taken = 0;
        }
        self.values.clear();
    }

    /// Writes the number of each value to `numbers`, and returns how many were written: all, or those before the first
    /// new value that `admit` refuses. `admit` gets the number that the value would have, and the value.
    #[inline(never)]
    pub(super) fn number<T: Int>(
        &mut self,
        values: &[T],
        numbers: &mut Vec<u32>,
        admit: impl FnMut(usize, T) -> bool,
    ) -> usize {
        // Old contents are overwritten; only growth costs time.
        if numbers.len() < values.len() {
            numbers.resize(values.len(), 0);
        }
        numbers.truncate(values.len());
        // Apart from the rest, so that where it is stays in registers.
        let mut direct = std::mem::take(&mut self.direct);
        let count = self.number_all(&mut direct, values, numbers, admit);
        self.direct = direct;
        count
    }

    #[inline(always)]
    fn number_all<T: Int>(
        &mut self,
        direct: &mut [u32],
        values: &[T],
        numbers: &mut [u32],
        mut admit: impl FnMut(usize, T) -> bool,
    ) -> usize {
        let numbers = &mut numbers[..values.len()];
        for row in 0..values.len() {
            let (number, value) = (&mut numbers[row], values[row]);
            let wide = value.into();
            let known = match at(direct, wide) {
                Some(known) => known,
                None => match self.slot(wide, direct.len()) {
                    Some(slot) => &mut self.hashed[slot],
                    None => return row,
                },
            };
            if *known == NONE {
                let next = self.values.len();
                if !admit(next, value) {
                    return row;
                }
                *known = next as u32;
                self.values.push(wide);
                *number = next as u32;
                if !is_small(wide, direct.len()) {
                    self.taken += 1;
                }
            } else {
                *number = *known;
            }
        }
        values.len()
    }

    /// The slot of a large value: its own, or a free one. `None` if too many collide. Values below `direct` are small.
    fn slot(&mut self, value: i64, direct: usize) -> Option<usize> {
        if self.taken * 2 >= self.hashed.len() {
            self.grow(direct);
        }
        let mask = self.hashed.len() - 1;
        let home = hash(value) as usize;
        (home..home + MAX_PROBES).map(|slot| slot & mask).find(|&slot| {
            let number = self.hashed[slot];
            number == NONE || self.values[number as usize] == value
        })
    }

    #[cold]
    fn grow(&mut self, direct: usize) {
        let size = (self.hashed.len() * 2).max(1 << 12);
        self.hashed.clear();
        self.hashed.resize(size, NONE);
        let mask = size - 1;
        for (number, &value) in self.values.iter().enumerate() {
            if is_small(value, direct) {
                continue;
            }
            let mut slot = hash(value) as usize & mask;
            while self.hashed[slot] != NONE {
                slot = (slot + 1) & mask;
            }
            self.hashed[slot] = number as u32;
        }
    }
}

/// The entry of a small value.
#[inline]
fn at(direct: &mut [u32], value: i64) -> Option<&mut u32> {
    if is_small(value, direct.len()) { Some(&mut direct[value as usize]) } else { None }
}

/// Whether a value is looked up without hashing.
#[inline]
fn is_small(value: i64, direct: usize) -> bool {
    (value as u64) < direct as u64
}

/// The highest bits of the product depend on all bits of the value.
#[inline]
fn hash(value: i64) -> u32 {
    ((value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_are_those_of_first_occurrence(
            chunks in prop::collection::vec(
                prop::collection::vec(prop_oneof![0i64..40, 90i64..110, any::<i64>(), -3i64..0], 0..3000),
                1..4,
            ),
            limit in prop_oneof![Just(usize::MAX), 0usize..100],
        ) {
            let mut interner = Interner::default();
            interner.widen(100);
            let mut numbers = vec![7; 10];
            for values in &chunks {
                let mut expected_values = Vec::new();
                let mut expected = Vec::new();
                let mut known = HashMap::new();
                for &value in values {
                    let new = expected_values.len();
                    if new == limit && !known.contains_key(&value) {
                        break;
                    }
                    let number = *known.entry(value).or_insert(new as u32);
                    expected.push(number);
                    if number as usize == new {
                        expected_values.push(value);
                    }
                }
                let count = interner.number(values, &mut numbers, |number, _| number < limit);
                prop_assert_eq!(&numbers[..count], &expected);
                prop_assert_eq!(interner.values(), &expected_values);
                interner.clear();
            }
        }
    }

    #[test]
    fn values_made_to_collide_are_given_up() {
        // The inverse of the factor, so that hashes differ only below their highest 32 bits.
        let factor = 0x9e37_79b9_7f4a_7c15u64;
        let mut inverse = 1u64;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse)));
        }
        let values: Vec<i64> = (0..1000u64).map(|i| (i + 1).wrapping_mul(inverse) as i64).collect();
        let large = values.iter().filter(|&&v| !(0..100).contains(&v)).count();
        assert!(large > 900);
        let count = Interner::default().number(&values, &mut Vec::new(), |_, _| true);
        assert!(count < 200, "{count}");
    }
}
