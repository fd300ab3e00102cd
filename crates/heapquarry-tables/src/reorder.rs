//! Restores the order of a sequence.

use std::{collections::VecDeque, ops::Range};

/// A reorder buffer. Workers complete their tasks in any order; parts are inserted as they come, and each is returned
/// as soon as all parts before it have been.
///
/// A part covers a range of positions: row numbers, or `n..n + 1` for the part of number `n`. All parts together cover
/// every position once.
///
/// ```
/// use heapquarry_tables::Reorder;
///
/// let mut parts = Reorder::default();
/// assert!(parts.insert(2..5, "second"));
/// assert_eq!((parts.is_ready(), parts.next()), (false, None));
/// assert!(parts.insert(0..2, "first"));
/// assert_eq!(parts.next(), Some("first"));
/// assert_eq!(parts.next(), Some("second"));
/// assert_eq!((parts.position(), parts.is_empty()), (5, true));
/// ```
#[derive(Clone, Debug)]
pub struct Reorder<T> {
    position: u64,
    /// Early parts, by their starts. They are few, and most come at the end.
    early: VecDeque<(Range<u64>, T)>,
}

impl<T> Default for Reorder<T> {
    fn default() -> Self {
        Reorder::starting_at(0)
    }
}

impl<T> Reorder<T> {
    /// A buffer that continues at `position`.
    pub fn starting_at(position: u64) -> Self {
        Reorder { position, early: VecDeque::new() }
    }

    /// Inserts a part. Returns `false` if there already was a part at its position. An empty part has no position in
    /// the order, and is dropped.
    #[must_use = "a part that is refused is lost"]
    pub fn insert(&mut self, range: Range<u64>, part: T) -> bool {
        if range.is_empty() {
            return true;
        }
        let place = self.early.partition_point(|(other, _)| other.start < range.start);
        let is_taken = self.early.get(place).is_some_and(|(other, _)| other.start == range.start);
        if is_taken || range.start < self.position {
            return false;
        }
        self.early.insert(place, (range, part));
        true
    }

    /// The next part; `None` if it has not been inserted yet.
    #[expect(clippy::should_implement_trait, reason = "more parts may come after `None`")]
    pub fn next(&mut self) -> Option<T> {
        if !self.is_ready() {
            return None;
        }
        let (range, part) = self.early.pop_front()?;
        self.position = range.end;
        Some(part)
    }

    /// Whether the next part has been inserted.
    pub fn is_ready(&self) -> bool {
        self.early.front().is_some_and(|(range, _)| range.start == self.position)
    }

    /// The position of the next part.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Whether no part is waiting.
    pub fn is_empty(&self) -> bool {
        self.early.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of `n` parts, by Heap's algorithm.
    fn orders(n: usize) -> Vec<Vec<usize>> {
        let (mut order, mut counts) = ((0..n).collect::<Vec<_>>(), vec![0; n]);
        let (mut all, mut at) = (vec![order.clone()], 0);
        while at < n {
            if counts[at] < at {
                order.swap(if at % 2 == 0 { 0 } else { counts[at] }, at);
                all.push(order.clone());
                counts[at] += 1;
                at = 0;
            } else {
                counts[at] = 0;
                at += 1;
            }
        }
        all
    }

    #[test]
    fn parts_come_out_in_order_whatever_the_order_in_which_they_come() {
        let parts = [0..3, 3..4, 4..6, 6..9, 9..10];
        let orders = orders(parts.len());
        assert_eq!(orders.len(), 120);
        for order in orders {
            let (mut reorder, mut out) = (Reorder::default(), Vec::new());
            for &at in &order {
                assert!(reorder.insert(parts[at].clone(), at));
                while let Some(part) = reorder.next() {
                    out.push(part);
                }
                assert!(out.iter().copied().eq(0..out.len()), "{order:?}: {out:?}");
            }
            assert_eq!(out.len(), parts.len(), "{order:?}");
            assert_eq!((reorder.position(), reorder.is_empty()), (10, true));
        }
    }

    #[test]
    fn a_part_that_comes_twice_is_refused() {
        let mut parts = Reorder::default();
        assert!(parts.insert(1..2, 'b'));
        assert!(!parts.insert(1..2, 'x'));
        assert!(parts.insert(0..1, 'a'));
        assert_eq!((parts.next(), parts.next(), parts.next()), (Some('a'), Some('b'), None));
        assert!(!parts.insert(1..2, 'x'));
        assert!(parts.is_empty());
    }

    #[test]
    fn a_part_that_covers_nothing_is_dropped() {
        let mut parts = Reorder::default();
        assert!(parts.insert(0..0, 'x') && parts.insert(0..1, 'a') && parts.insert(0..0, 'x'));
        assert_eq!((parts.next(), parts.next(), parts.position()), (Some('a'), None, 1));
    }
}
