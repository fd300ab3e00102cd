//! Sorting lists of any type with one copy of the algorithm.

use std::cmp::Ordering;

/// Sorts a list as the standard library does: what is equal stays in its order.
///
/// The standard library's functions are compiled for each type and each comparison, some 8 kB every time. These sort
/// positions instead, and compare through a pointer, which takes longer. They are for the lists of an answer. Lists as
/// long as an input, such as nodes or events, stay with the standard library.
///
/// ```
/// use heapquarry_base::Order;
/// use std::cmp::Reverse;
///
/// let mut sizes = vec![("b", 7), ("a", 9), ("c", 7)];
/// sizes.order_by_key(|&(_, size)| Reverse(size));
/// assert_eq!(sizes, [("a", 9), ("b", 7), ("c", 7)]);
/// ```
pub trait Order<T> {
    /// Sorts by a comparison of two elements.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is made of an element each time it is compared.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut order = sorted(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        for first in 0..order.len() {
            // The elements of a cycle move to their places one after the other.
            let mut place = first;
            loop {
                let from = std::mem::replace(&mut order[place], place);
                if from == first {
                    break;
                }
                self.swap(place, from);
                place = from;
            }
        }
    }

    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// The positions of a list of this length in the order of what is there.
fn sorted(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_are_sorted_as_the_standard_library_does(keys in prop::collection::vec(0u8..20, 0..200)) {
            let list: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = list.clone();
            expected.sort_by_key(|&(key, _)| key);
            let mut by_key = list.clone();
            by_key.order_by_key(|&(key, _)| key);
            prop_assert_eq!(&by_key, &expected);
            let mut by = list;
            by.order_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(&by, &expected);
        }
    }

    #[test]
    fn what_a_list_owns_is_moved() {
        let mut words: Vec<String> = ["c", "a", "d", "b"].map(String::from).into();
        words.order_by(Ord::cmp);
        assert_eq!(words, ["a", "b", "c", "d"]);
    }
}
