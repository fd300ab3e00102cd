//! What holds the memory of one snapshot, as a table.

use super::Subject;
use crate::sections::{signed, table};
use heapquarry_graph::{SUSPECTS, Suspect, TopDominators, suspects_among};
use heapquarry_report::{Cell, Column, Section, Unit, printable};

impl Subject {
    /// Accumulation points, by what they hold without each other, with the way from the root to each; and the first
    /// of them in words.
    pub(super) fn suspects(&self, kept: &TopDominators) -> (Section, String) {
        let suspects = suspects_among(&self.heap, &self.analysis, kept, SUSPECTS, self.threads);
        let total = self.analysis.statistics.total;
        // That the root or a global object holds most says nothing.
        let is_place = |suspect: &&Suspect| suspect.way != "(root)";
        let verdict = suspects.iter().find(is_place).map(|Suspect { node, way, own, .. }| {
            let class = &self.analysis.classes.class(*node).name;
            let Cell::Number(share, unit) = Cell::share(*own, total) else { return String::new() };
            let (bytes, share) = (Unit::Bytes.format(signed(*own)), unit.format(share));
            format!(
                "Most accumulates at {}, a {}: {bytes}, {share}. ",
                printable(way),
                printable(class)
            )
        });
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
        let section =
            table("suspects", "What holds the memory", columns, rows.collect(), SUSPECTS, none);
        (section, verdict.unwrap_or_default())
    }
}
