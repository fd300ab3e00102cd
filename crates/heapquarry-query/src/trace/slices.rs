//! Slices of threads, by name and category.

use super::{Subject, nanos};
use crate::sections::table;
use heapquarry_report::{Body, Cell, Column, Section};
use heapquarry_timeline::{Sum, slice_sums};
use std::cmp::Reverse;

impl Subject {
    /// The slices, sorted by self time and by total time.
    pub(super) fn slices(&self, top: usize) -> [Section; 2] {
        let mut sums = slice_sums(&self.timeline, &|event| self.is_wanted(event));
        let whole =
            sums.iter().fold(0u64, |whole, sum| whole.saturating_add(unsigned(sum.self_dur)));
        let row = |sum: &Sum| {
            vec![
                self.text(sum.name),
                self.text(sum.category),
                Cell::count(sum.count),
                nanos(sum.self_dur),
                Cell::share(unsigned(sum.self_dur), whole),
                nanos(sum.dur),
                sum.longest.map_or(Cell::Empty, nanos),
            ]
        };
        let columns = || {
            vec![
                Column::new("name", "Name"),
                Column::optional("category", "Category"),
                Column::new("count", "Count"),
                Column::new("self_time_ns", "Self"),
                Column::optional("self_percent", "Share"),
                Column::new("total_time_ns", "Total"),
                Column::optional("longest_ns", "Longest"),
            ]
        };
        // Equal ones stay in file order.
        sums.sort_by_key(|sum| (Reverse(sum.self_dur), Reverse(sum.dur)));
        let all = sums.iter().map(row).collect();
        let by_self = table("slices", "Slices by self time", columns(), all, top, "");
        sums.sort_by_key(|sum| (Reverse(sum.dur), Reverse(sum.self_dur)));
        let omitted = sums.len().saturating_sub(top) as u64;
        let first = sums.iter().take(top).map(row).collect();
        let mut by_total =
            table("slices_by_total", "Slices by total time", columns(), first, top, "");
        if let Body::Table(table) = &mut by_total.body {
            table.omitted = omitted;
        }
        [by_self, by_total]
    }
}

fn unsigned(nanos: i64) -> u64 {
    u64::try_from(nanos).unwrap_or(0)
}
