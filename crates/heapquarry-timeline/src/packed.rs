//! Positions of events in four bytes each, as long as all of them fit.

use std::ops::Range;

/// Stable; what is sorted already, as most threads are, is only looked at.
fn sort<T, K: Ord>(values: &mut [T], key: impl Fn(&T) -> K) {
    if !values.is_sorted_by_key(&key) {
        values.sort_by_key(key);
    }
}

/// Positions of events: four bytes each, or eight once one of them needs more.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// `len` times no position, for positions below `bound`.
    pub(crate) fn filled(len: usize, bound: u64) -> Self {
        match bound < u64::from(u32::MAX) {
            true => Packed::Narrow(vec![u32::MAX; len]),
            false => Packed::Wide(vec![u64::MAX; len]),
        }
    }

    /// An empty list for positions below `bound`, some of which may be missing.
    pub(crate) fn empty(bound: u64) -> Self {
        Packed::filled(0, bound)
    }

    /// Appends to a list made by [`Packed::empty`] that there is no position.
    pub(crate) fn push_none(&mut self) {
        match self {
            Packed::Narrow(values) => values.push(u32::MAX),
            Packed::Wide(values) => values.push(u64::MAX),
        }
    }

    /// The value there, if there is one, in a list made by [`Packed::filled`] or [`Packed::empty`].
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

    /// Replaces a value of such a list.
    #[inline]
    pub(crate) fn set(&mut self, at: usize, value: u64) {
        match self {
            Packed::Narrow(values) => values[at] = value as u32,
            Packed::Wide(values) => values[at] = value,
        }
    }

    /// Sorts a part of the list by what each value stands for, equal ones in their order.
    pub(crate) fn sort<K: Ord>(&mut self, part: Range<usize>, key: impl Fn(u64) -> K) {
        match self {
            Packed::Narrow(values) => sort(&mut values[part], |&value| key(u64::from(value))),
            Packed::Wide(values) => sort(&mut values[part], |&value| key(value)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Packed::Narrow(values) => values.len(),
            Packed::Wide(values) => values.len(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> u64 {
        match self {
            Packed::Narrow(values) => u64::from(values[at]),
            Packed::Wide(values) => values[at],
        }
    }

    pub(crate) fn push(&mut self, value: u64) {
        if let (Packed::Narrow(values), Ok(value)) = (&mut *self, u32::try_from(value)) {
            return values.push(value);
        }
        self.wide().push(value);
    }

    /// Appends the values of another list that grows, each greater by `offset`.
    pub(crate) fn append(&mut self, other: &Packed, offset: u64) {
        let most = other.len().checked_sub(1).map_or(0, |last| other.get(last) + offset);
        match (&mut *self, other) {
            (Packed::Narrow(ours), Packed::Narrow(theirs)) if u32::try_from(most).is_ok() => {
                ours.extend(theirs.iter().map(|&value| value + offset as u32));
            }
            _ => (0..other.len()).for_each(|at| self.push(other.get(at) + offset)),
        }
    }

    /// Where `value` stands in a list that grows.
    pub(crate) fn find(&self, value: u64) -> Option<usize> {
        match self {
            Packed::Narrow(values) => values.binary_search(&u32::try_from(value).ok()?).ok(),
            Packed::Wide(values) => values.binary_search(&value).ok(),
        }
    }

    /// Number of values below `bound` in a list that grows.
    pub(crate) fn rank(&self, bound: u64) -> usize {
        match self {
            Packed::Narrow(values) => values.partition_point(|&value| u64::from(value) < bound),
            Packed::Wide(values) => values.partition_point(|&value| value < bound),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Packed::Narrow(values) => values.clear(),
            Packed::Wide(_) => *self = Packed::default(),
        }
    }

    fn wide(&mut self) -> &mut Vec<u64> {
        if let Packed::Narrow(values) = self {
            *self = Packed::Wide(values.iter().copied().map(u64::from).collect());
        }
        match self {
            Packed::Wide(values) => values,
            Packed::Narrow(_) => unreachable!("just widened"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_widens_when_a_position_needs_it() {
        const LARGE: u64 = 1 << 40;
        for (values, is_wide) in [(vec![1, 5, u64::from(u32::MAX)], false), (vec![1, LARGE], true)]
        {
            let mut packed = Packed::default();
            values.iter().for_each(|&value| packed.push(value));
            assert_eq!(matches!(packed, Packed::Wide(_)), is_wide);
            let mut twice = packed.clone();
            twice.append(&packed, LARGE);
            for (at, &value) in values.iter().enumerate() {
                assert_eq!((packed.get(at), packed.find(value)), (value, Some(at)));
                assert_eq!((packed.rank(value), packed.rank(value + 1)), (at, at + 1));
                assert_eq!(twice.get(values.len() + at), value + LARGE);
            }
            assert_eq!(packed.find(2), None);
        }
    }
}
