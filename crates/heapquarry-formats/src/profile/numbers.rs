//! Numbers of nodes: ids, counts, sizes, times. There are many of them, and they fit four bytes in nearly all profiles.

use super::number::add;
use crate::{Log, json::NONE};
use std::ops::Range;

/// [`NONE`] in four bytes.
const NARROW_NONE: i32 = i32::MIN;

/// A list of numbers and [`NONE`] that takes four bytes for each, or eight as soon as a number needs more.
#[derive(Debug)]
pub(crate) enum Numbers {
    Narrow(Vec<i32>),
    Wide(Vec<i64>),
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers::Narrow(Vec::new())
    }
}

/// In four bytes, if it fits.
#[inline]
fn narrow(value: i64) -> Option<i32> {
    match value {
        NONE => Some(NARROW_NONE),
        _ => i32::try_from(value).ok().filter(|&value| value != NARROW_NONE),
    }
}

#[inline]
fn widen(value: i32) -> i64 {
    if value == NARROW_NONE { NONE } else { value.into() }
}

impl Numbers {
    /// A list of that many zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        Numbers::Narrow(vec![0; len])
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Numbers::Narrow(values) => values.len(),
            Numbers::Wide(values) => values.len(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> i64 {
        match self {
            Numbers::Narrow(values) => widen(values[at]),
            Numbers::Wide(values) => values[at],
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, at: usize, value: i64) {
        match (&mut *self, narrow(value)) {
            (Numbers::Narrow(values), Some(value)) => values[at] = value,
            (Numbers::Wide(values), _) => values[at] = value,
            (Numbers::Narrow(_), None) => self.wide()[at] = value,
        }
    }

    /// Adds to an element that is not [`NONE`]. One that does not fit 64 bits stays at the nearest value that does.
    #[inline]
    pub(crate) fn add(&mut self, at: usize, value: i64, what: &'static str, log: &mut Log) {
        let mut sum = self.get(at);
        add(&mut sum, value, what, log);
        self.set(at, sum);
    }

    #[inline]
    pub(crate) fn push(&mut self, value: i64) {
        match (&mut *self, narrow(value)) {
            (Numbers::Narrow(values), Some(value)) => values.push(value),
            (Numbers::Wide(values), _) => values.push(value),
            (Numbers::Narrow(_), None) => self.wide().push(value),
        }
    }

    pub(crate) fn pop(&mut self) {
        match self {
            Numbers::Narrow(values) => drop(values.pop()),
            Numbers::Wide(values) => drop(values.pop()),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.range(0..self.len())
    }

    pub(crate) fn range(
        &self,
        range: Range<usize>,
    ) -> impl ExactSizeIterator<Item = i64> + Clone + '_ {
        range.map(|at| self.get(at))
    }

    #[cold]
    fn wide(&mut self) -> &mut Vec<i64> {
        if let Numbers::Narrow(values) = self {
            *self = Numbers::Wide(values.iter().copied().map(widen).collect());
        }
        match self {
            Numbers::Wide(values) => values,
            Numbers::Narrow(_) => unreachable!("just widened"),
        }
    }
}

impl FromIterator<i64> for Numbers {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let values = values.into_iter();
        let mut numbers = Numbers::Narrow(Vec::with_capacity(values.size_hint().0));
        values.for_each(|value| numbers.push(value));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Boundary values, and any other number.
    fn number() -> impl Strategy<Value = i64> {
        let border = i64::from(i32::MIN);
        prop_oneof![
            4 => -5..5i64,
            1 => prop::sample::select(vec![
                NONE,
                NONE + 1,
                border,
                border + 1,
                -border - 1,
                -border,
                i64::MAX,
            ]),
            1 => any::<i64>(),
        ]
    }

    proptest! {
        #[test]
        fn they_are_a_list_of_numbers(
            values in prop::collection::vec(number(), 0..40),
            changes in prop::collection::vec((any::<prop::sample::Index>(), number(), any::<bool>()), 0..20),
        ) {
            let mut expected = values.clone();
            let mut numbers: Numbers = values.into_iter().collect();
            for (at, value, adds) in changes {
                if expected.is_empty() {
                    break;
                }
                let at = at.index(expected.len());
                if adds {
                    numbers.add(at, value, "n", &mut Log::default());
                    expected[at] = expected[at].saturating_add(value);
                } else {
                    numbers.set(at, value);
                    expected[at] = value;
                }
            }
            prop_assert_eq!(numbers.iter().collect::<Vec<_>>(), &*expected);
            numbers.pop();
            expected.pop();
            prop_assert_eq!(numbers.len(), expected.len());
            prop_assert_eq!(numbers.range(0..expected.len()).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn small_ones_take_four_bytes() {
        let small: Numbers = [0, -1, NONE, i64::from(i32::MAX)].into_iter().collect();
        assert!(matches!(small, Numbers::Narrow(_)));
        let large: Numbers = [0, i64::from(i32::MIN)].into_iter().collect();
        assert!(matches!(large, Numbers::Wide(_)));
    }
}
