//! Asynchronous operations, by name and category.

use super::{Subject, nanos};
use crate::sections::table;
use heapquarry_report::{Cell, Column, Section};
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
    pub(super) fn operations(&self, top: usize) -> Section {
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
        sums.sort_by_key(|(_, sum)| (Reverse(sum.dur), Reverse(sum.count)));
        let rows = sums.into_iter().map(|((name, category), sum)| {
            vec![
                self.text(name),
                self.text(category),
                Cell::count(sum.count),
                Cell::count(sum.unended),
                nanos(sum.dur),
                sum.longest.map_or(Cell::Empty, nanos),
            ]
        });
        let columns = vec![
            Column::new("name", "Name"),
            Column::optional("category", "Category"),
            Column::new("count", "Count"),
            Column::optional("unended_count", "Unfinished"),
            Column::new("total_time_ns", "Total"),
            Column::optional("longest_ns", "Longest"),
        ];
        let title = "Asynchronous operations by total time";
        table("operations", title, columns, rows.collect(), top, "")
    }
}
