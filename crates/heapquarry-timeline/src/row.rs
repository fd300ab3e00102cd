//! Slices beside each other, as far as they can be seen.

/// Slices of a block, and of a block of blocks.
const BLOCK: usize = 64;

/// Slices in the order of their starts, with what finds the longest of many at once. Slices are numbers that the caller
/// knows: it gives start and end of each.
#[derive(Default)]
pub struct Row {
    slices: Vec<u64>,
    /// Of each 64 slices the position of the longest.
    longest: Vec<u32>,
    /// Of each 64 of these the position of the longest.
    longest_of_all: Vec<u32>,
    /// Of each 64 slices the last end of them and of all before them.
    reach: Vec<i64>,
}

/// A slice, or several short ones close to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceBox {
    /// The slice; of several the longest.
    pub slice: u64,
    /// Its start.
    pub start: i64,
    /// The end; of several the last.
    pub end: i64,
    /// How many they are.
    pub count: u64,
}

/// Start and end of a slice; an end is never before its start.
pub type Ends<'a> = &'a dyn Fn(u64) -> (i64, i64);

impl Row {
    /// Sorts slices into a row.
    pub fn new(mut slices: Vec<u64>, ends: Ends<'_>) -> Self {
        slices.sort_by_key(|&slice| (ends(slice).0, slice));
        let mut row = Row { slices, ..Row::default() };
        let mut reach = i64::MIN;
        for (block, slices) in row.slices.chunks(BLOCK).enumerate() {
            let first = block * BLOCK;
            row.longest.push(longest(first..first + slices.len(), |at| row.dur(at, ends)) as u32);
            reach = slices.iter().fold(reach, |reach, &slice| reach.max(ends(slice).1));
            row.reach.push(reach);
        }
        for block in 0..row.longest.len().div_ceil(BLOCK) {
            let blocks = block * BLOCK..row.longest.len().min((block + 1) * BLOCK);
            let dur = |at: usize| row.dur(row.longest[at] as usize, ends);
            row.longest_of_all.push(row.longest[longest(blocks, dur)]);
        }
        row
    }

    /// Number of slices.
    pub fn len(&self) -> usize {
        self.slices.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }

    fn dur(&self, at: usize, ends: Ends<'_>) -> i64 {
        let (start, end) = ends(self.slices[at]);
        end.saturating_sub(start)
    }

    /// The slices that overlap a range, or touch it.
    pub fn within<'a>(
        &'a self,
        from: i64,
        to: i64,
        ends: Ends<'a>,
    ) -> impl Iterator<Item = u64> + 'a {
        let slices = self.slices[self.first(from)..].iter().copied();
        slices
            .take_while(move |&slice| ends(slice).0 <= to)
            .filter(move |&slice| ends(slice).1 >= from)
    }

    /// The first slice of the block in which one reaches a time.
    fn first(&self, from: i64) -> usize {
        (self.reach.partition_point(|&reach| reach < from) * BLOCK).min(self.slices.len())
    }

    /// Boxes for a range, in the order of their starts: each slice that lasts at least `least`, and the others that
    /// start in one part of the time so long, together. `None` if they would be more than `most`.
    pub fn boxes(
        &self,
        [from, to]: [i64; 2],
        least: i64,
        most: usize,
        ends: Ends<'_>,
    ) -> Option<Vec<SliceBox>> {
        let least = least.max(1);
        let start = |at: usize| ends(self.slices[at]).0;
        let mut boxes = Vec::new();
        let mut at = self.first(from);
        while at < self.slices.len() && start(at) < to {
            if boxes.len() > most {
                return None;
            }
            let part = start(at).div_euclid(least).saturating_add(1).saturating_mul(least);
            let next = self.starts_before(part, at, ends);
            // The first that is long enough; slices of a row may overlap, so several can be.
            let (mut until, mut long) = (next, None);
            let mut longest = at;
            while until > at {
                longest = self.longest_within(at, until, ends);
                if least == i64::MAX || self.dur(longest, ends) < least {
                    break;
                }
                (until, long) = (longest, Some(longest));
            }
            let joined = (until > at).then(|| {
                let end = ends(self.slices[until - 1]).1.max(ends(self.slices[longest]).1);
                (longest, start(at), end, (until - at) as u64)
            });
            let alone = long.map(|long| {
                let (start, end) = ends(self.slices[long]);
                (long, start, end, 1)
            });
            for (of, start, end, count) in joined.into_iter().chain(alone) {
                if start < to && (end > from || start >= from) {
                    boxes.push(SliceBox { slice: self.slices[of], start, end, count });
                }
            }
            at = long.map_or(next, |long| long + 1);
        }
        Some(boxes)
    }

    /// The first position after `at` whose slice starts at a time or later. The next ones are tried first: most boxes
    /// have few slices.
    fn starts_before(&self, time: i64, at: usize, ends: Ends<'_>) -> usize {
        let (mut low, mut step) = (at + 1, 1);
        let is_before = |at: usize| ends(self.slices[at]).0 < time;
        while low + step <= self.slices.len() && is_before(low + step - 1) {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(self.slices.len());
        low + self.slices[low..high].partition_point(|&slice| ends(slice).0 < time)
    }

    /// The position of the longest of some slices, of equal ones the first; there must be one.
    fn longest_within(&self, from: usize, to: usize, ends: Ends<'_>) -> usize {
        let dur = |at: usize| self.dur(at, ends);
        let mut best = from;
        let mut at = from;
        while at < to {
            let (candidate, step) = if at.is_multiple_of(BLOCK * BLOCK) && at + BLOCK * BLOCK <= to
            {
                (self.longest_of_all[at / (BLOCK * BLOCK)] as usize, BLOCK * BLOCK)
            } else if at.is_multiple_of(BLOCK) && at + BLOCK <= to {
                (self.longest[at / BLOCK] as usize, BLOCK)
            } else {
                (at, 1)
            };
            if dur(candidate) > dur(best) {
                best = candidate;
            }
            at += step;
        }
        best
    }
}

/// The first with the greatest value.
fn longest(mut range: std::ops::Range<usize>, value: impl Fn(usize) -> i64) -> usize {
    let first = range.next().unwrap_or(0);
    range.fold(first, |best, at| if value(at) > value(best) { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Boxes have each slice once, and none that can be seen alone is joined with others.
        #[test]
        fn each_slice_is_in_one_box(
            spans in prop::collection::vec((0i64..5000, 0i64..300), 0..400),
            least in 1i64..400, from in -10i64..5000, wide in 0i64..5000,
        ) {
            let ends = |slice: u64| {
                let (start, dur) = spans[slice as usize];
                (start, start + dur)
            };
            let row = Row::new((0..spans.len() as u64).collect(), &ends);
            let to = from + wide;
            let boxes = row.boxes([from, to], least, usize::MAX, &ends).unwrap();
            prop_assert!(boxes.is_sorted_by_key(|one| one.start));
            let whole = row.boxes([i64::MIN / 2, i64::MAX / 2], least, usize::MAX, &ends).unwrap();
            prop_assert_eq!(whole.iter().map(|one| one.count).sum::<u64>(), spans.len() as u64);
            for one in &boxes {
                let (start, end) = ends(one.slice);
                prop_assert!(one.start <= start && end <= one.end, "{:?}", one);
                prop_assert!(one.start < to);
                if one.count > 1 {
                    prop_assert!(end - start < least, "{:?}", one);
                } else {
                    prop_assert_eq!((one.start, one.end), (start, end));
                }
            }
            // What lasts long enough is there alone.
            for slice in 0..spans.len() as u64 {
                let (start, end) = ends(slice);
                if end - start >= least && start < to && end > from {
                    let found = boxes.iter().filter(|one| one.slice == slice && one.count == 1);
                    prop_assert_eq!(found.count(), 1);
                }
            }
            let mut within: Vec<u64> = row.within(from, to, &ends).collect();
            within.sort_unstable();
            let naive: Vec<u64> = (0..spans.len() as u64)
                .filter(|&slice| ends(slice).0 <= to && ends(slice).1 >= from)
                .collect();
            prop_assert_eq!(within, naive);
            let few = row.boxes([from, to], least, 3, &ends);
            prop_assert!(few.is_none_or(|few| few.len() <= 5));
        }
    }

    #[test]
    fn many_slices_are_a_few_boxes() {
        let ends = |slice: u64| (slice as i64 * 10, slice as i64 * 10 + 1 + (slice % 9) as i64);
        let row = Row::new((0..100_000).collect(), &ends);
        let boxes = row.boxes([0, 1_000_000], 1_000, usize::MAX, &ends).unwrap();
        assert_eq!(boxes.len(), 1000);
        assert_eq!(boxes[0], SliceBox { slice: 8, start: 0, end: 991, count: 100 });
        assert_eq!(row.len(), 100_000);
    }

    #[test]
    fn slices_of_any_length_are_one_box_in_the_end() {
        let ends = |slice: u64| (slice as i64, i64::MAX);
        let row = Row::new((0..100).collect(), &ends);
        let boxes = row.boxes([0, i64::MAX], i64::MAX, usize::MAX, &ends).unwrap();
        assert_eq!(boxes, [SliceBox { slice: 0, start: 0, end: i64::MAX, count: 100 }]);
    }
}
