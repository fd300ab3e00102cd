//! Lists of numbers that are nearly all small.

use std::collections::BTreeMap;

/// A list of numbers that are set in any order, initially 0. Numbers that fit an `S` are stored as such, others
/// separately.
#[derive(Clone, Debug, Default)]
pub(crate) struct Small<S> {
    small: Vec<S>,
    large: BTreeMap<u64, i64>,
}

/// Type of a small number.
pub(crate) trait Short: Copy + Default + PartialEq + TryFrom<i64> + Into<i64> {
    /// Marks a large number.
    const LARGE: Self;
}

impl Short for u16 {
    const LARGE: u16 = u16::MAX;
}

impl Short for u32 {
    const LARGE: u32 = u32::MAX;
}

impl<S: Short> Small<S> {
    pub(crate) fn new(len: usize) -> Self {
        Small { small: vec![S::default(); len], large: BTreeMap::new() }
    }

    #[inline]
    pub(crate) fn get(&self, at: u64) -> i64 {
        let small = self.small[at as usize];
        if small != S::LARGE { small.into() } else { self.large[&at] }
    }

    #[inline]
    pub(crate) fn set(&mut self, at: u64, value: i64) {
        let small = S::try_from(value).unwrap_or(S::LARGE);
        if small == S::LARGE {
            self.large.insert(at, value);
        }
        self.small[at as usize] = small;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_are_kept() {
        let mut numbers = Small::<u16>::new(2);
        for value in [5, 65_534, 65_535, 65_536, -1, i64::MAX, i64::MIN, 0] {
            numbers.set(1, value);
            assert_eq!((numbers.get(0), numbers.get(1)), (0, value));
        }
    }
}
