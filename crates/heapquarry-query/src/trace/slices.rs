//! Slices of threads, by name and category.

use super::{Subject, summary::SliceTime};
use crate::{
    answer::{List, Nanos, Share},
    find::{Filter, Find, FindOrder, FoundSlices},
    listing::SHOWN,
};
use heapquarry_base::Order;
use heapquarry_timeline::{EventIndex, Sum, slice_sums};
use std::cmp::Reverse;

impl Subject {
    /// The slices, sorted by self time and by total time.
    pub(super) fn slices(&self, top: Option<usize>) -> [List<SliceTime>; 2] {
        self.slices_of(&|event| self.is_wanted(event), top)
    }

    /// Some of the slices, sorted by self time and by total time.
    pub(super) fn slices_of(
        &self,
        is_wanted: &dyn Fn(EventIndex) -> bool,
        top: Option<usize>,
    ) -> [List<SliceTime>; 2] {
        let mut sums = slice_sums(&self.timeline, is_wanted);
        let whole = self_time(&sums);
        sort(&mut sums, true);
        let by_self = List::of(sums.iter().collect(), top, |sum| self.slice(sum, whole));
        sort(&mut sums, false);
        let by_total = Some(top.unwrap_or(SHOWN));
        [by_self, List::of(sums.iter().collect(), by_total, |sum| self.slice(sum, whole))]
    }

    /// The slices whose name is asked for.
    pub(crate) fn find(&self, asked: &Find, filter: &Filter) -> FoundSlices {
        let mut sums = slice_sums(&self.timeline, &|event| self.is_wanted(event));
        let whole = self_time(&sums);
        let by_own = asked.sort == FindOrder::Own;
        sums.retain(|sum| filter.has(&[self.string(sum.name)]));
        sort(&mut sums, by_own);
        let row = |sum: &Sum| self.slice(sum, whole);
        let slices = List::page(&sums, asked.offset, asked.top, row);
        FoundSlices { slices, script_calls: self.find_calls(asked, filter), by_own }
    }

    fn slice(&self, sum: &Sum, whole: u64) -> SliceTime {
        SliceTime {
            name: self.text(sum.name),
            category: self.text(sum.category),
            count: sum.count,
            self_time_ns: Nanos(sum.self_dur),
            self_percent: Share::of(unsigned(sum.self_dur), whole),
            total_time_ns: Nanos(sum.dur),
            longest_ns: sum.longest.map(Nanos),
        }
    }
}

/// The self time of all slices.
fn self_time(sums: &[Sum]) -> u64 {
    sums.iter().fold(0, |whole, sum| whole.saturating_add(unsigned(sum.self_dur)))
}

/// Equal ones stay in file order.
fn sort(sums: &mut [Sum], by_own: bool) {
    match by_own {
        true => sums.order_by_key(|sum| (Reverse(sum.self_dur), Reverse(sum.dur))),
        false => sums.order_by_key(|sum| (Reverse(sum.dur), Reverse(sum.self_dur))),
    }
}

fn unsigned(nanos: i64) -> u64 {
    u64::try_from(nanos).unwrap_or(0)
}
