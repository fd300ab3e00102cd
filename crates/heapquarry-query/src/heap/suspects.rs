//! What holds the memory of one snapshot, as a table.

use super::Subject;
use crate::sections::table;
use heapquarry_graph::{SUSPECTS, Suspect, TopDominators, suspects_among};
use heapquarry_report::{Cell, Column, Section};

impl Subject {
    /// Accumulation points, by what they hold without each other; with the way from the root to each.
    pub(super) fn suspects(&self, kept: &TopDominators) -> Section {
        let suspects = suspects_among(&self.heap, &self.analysis, kept, SUSPECTS, self.threads);
        let total = self.analysis.statistics.total;
        let rows = suspects.into_iter().map(|Suspect { node, name, way, own, .. }| {
            let class = &self.analysis.classes.class(node).name;
            vec![
                self.class_name(node),
                if name == *class { Cell::Empty } else { Cell::name(name) },
                Cell::name(way),
                self.id(node),
                Cell::bytes(self.retained(node)),
                Cell::bytes(own),
                Cell::share(own, total),
            ]
        });
        let columns = vec![
            Column::new("Object"),
            Column::optional("Name"),
            Column::new("Held by"),
            Column::new("Id"),
            Column::new("Retained"),
            Column::optional("Without the others"),
            Column::new("Share"),
        ];
        let none = "the memory is spread: no object of the program accumulates 1 % of it";
        table("suspects", "What holds the memory", columns, rows.collect(), SUSPECTS, none)
    }
}
