//! Slices of threads, by name and category.

use super::{Subject, summary::SliceTime};
use crate::{
    answer::{List, Nanos, Share},
    summary::SHOWN,
};
use heapquarry_timeline::{Sum, slice_sums};
use std::cmp::Reverse;

impl Subject {
    /// The slices, sorted by self time and by total time.
    pub(super) fn slices(&self, top: Option<usize>) -> [List<SliceTime>; 2] {
        let mut sums = slice_sums(&self.timeline, &|event| self.is_wanted(event));
        let whole =
            sums.iter().fold(0u64, |whole, sum| whole.saturating_add(unsigned(sum.self_dur)));
        let row = |sum: &Sum| SliceTime {
            name: self.text(sum.name),
            category: self.text(sum.category),
            count: sum.count,
            self_time_ns: Nanos(sum.self_dur),
            self_percent: Share::of(unsigned(sum.self_dur), whole),
            total_time_ns: Nanos(sum.dur),
            longest_ns: sum.longest.map(Nanos),
        };
        // Equal ones stay in file order.
        sums.sort_by_key(|sum| (Reverse(sum.self_dur), Reverse(sum.dur)));
        let by_self = List::of(sums.iter().collect(), top, row);
        sums.sort_by_key(|sum| (Reverse(sum.dur), Reverse(sum.self_dur)));
        [by_self, List::of(sums.iter().collect(), Some(top.unwrap_or(SHOWN)), row)]
    }
}

fn unsigned(nanos: i64) -> u64 {
    u64::try_from(nanos).unwrap_or(0)
}
