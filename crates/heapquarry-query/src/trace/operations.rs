//! Asynchronous operations, by name and category.

use super::{Subject, summary::OperationTime};
use crate::answer::{List, Nanos};
use heapquarry_base::Order;
use heapquarry_timeline::{AsyncEnding, AsyncSlice, Key};
use std::{cmp::Reverse, collections::HashMap};

/// Totals of a name and category.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    unended: u64,
    dur: i64,
    longest: Option<i64>,
}

impl Subject {
    /// Slices of operations with a duration: no instants and steps.
    pub(super) fn lasting(&self) -> impl Iterator<Item = AsyncSlice> {
        let is_point = |ending| matches!(ending, AsyncEnding::Instant | AsyncEnding::Step);
        self.timeline
            .async_slices
            .iter(&self.timeline.events)
            .filter(move |slice| !is_point(slice.ending))
    }

    /// The operations, which can be nested.
    pub(super) fn operations(&self, top: Option<usize>) -> List<OperationTime> {
        let mut known: HashMap<(Key, Key), usize> = HashMap::new();
        let mut sums: Vec<((Key, Key), Sum)> = Vec::new();
        for slice in self.lasting().filter(|slice| self.is_asked(slice.event)) {
            let category = self.timeline.events.category(slice.event);
            let title = (slice.name, category);
            let at = *known.entry(title).or_insert_with(|| {
                sums.push((title, Sum::default()));
                sums.len() - 1
            });
            let sum = &mut sums[at].1;
            sum.count += 1;
            if slice.dur < 0 {
                sum.unended += 1;
            } else {
                sum.dur = sum.dur.saturating_add(slice.dur);
                sum.longest = sum.longest.max(Some(slice.dur));
            }
        }
        // Equal ones stay in file order.
        sums.order_by_key(|(_, sum)| (Reverse(sum.dur), Reverse(sum.count)));
        List::of(sums, top, |((name, category), sum)| OperationTime {
            name: self.text(name),
            category: self.text(category),
            count: sum.count,
            unended_count: sum.unended,
            total_time_ns: Nanos(sum.dur),
            longest_ns: sum.longest.map(Nanos),
        })
    }
}
