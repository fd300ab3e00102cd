//! What holds the memory of one snapshot, and which of it to look at first: the same in a report and on a page.

use super::Subject;
use crate::{
    answer::{Bytes, List, NodeId, Share, answer},
    sections::signed,
    view::{Col, Shown, rows_of},
};
use heapquarry_graph::{NodeIndex, SUSPECTS, Suspect, suspects};
use heapquarry_report::{Cell, Section, Unit, printable};

answer! {
    /// What holds the memory of one snapshot. What leaks is told by several of one process.
    pub struct HoldersAnswer {
        /// What to look at first, in words: what accumulates most of what a program can change.
        pub verdict: String,
        /// The object that this is about; `null` if nothing accumulates 1 %.
        pub id: Option<NodeId>,
        /// Objects whose memory is spread over many others: no single one of them holds most of it. By what each holds
        /// without the others of this list.
        pub points: List<AccumulationPoint>,
    }

    /// An object whose memory is spread over many others.
    pub struct AccumulationPoint {
        /// Name of its class.
        pub class_name: String,
        /// What it is called; `null` if that is its class.
        pub name: Option<String>,
        /// The way from the root to it.
        pub way: String,
        /// The package whose code holds it, as `summary --by package` has it; `null` if it is not known.
        pub package: Option<String>,
        /// Its id.
        pub id: NodeId,
        /// What would be freed with it.
        pub retained_size: Bytes,
        /// What it holds without the other points.
        pub own_size: Bytes,
        /// Share of the heap that this is.
        pub share_percent: Option<Share>,
    }
}

/// What is said of memory that nothing accumulates.
const SPREAD: &str = "the memory is spread: no object of the program accumulates 1 % of it";

impl Subject {
    /// What holds the memory, and what of it to look at first.
    pub(super) fn memory_holders(&self) -> HoldersAnswer {
        let (sources, ways) = (self.sources(), |nodes: &[NodeIndex]| self.ways(nodes));
        let found = suspects(&self.heap, &self.analysis, SUSPECTS, &sources, ways);
        // That the root or a global object holds most says nothing.
        let mut places = found.iter().filter(|point| point.way != "(root)");
        let first = places.clone().find(|point| point.party.rank() < RUNTIME);
        let largest = places.next();
        let verdict = match (first, largest) {
            (Some(first), Some(largest)) if first.node == largest.node => {
                format!("Most accumulates at {}.", self.told(first))
            }
            (Some(first), Some(largest)) => format!(
                "Of what can be changed most accumulates at {}. The runtime holds more at {}.",
                self.told(first),
                self.told(largest)
            ),
            (None, Some(largest)) => format!(
                "Most accumulates at {}. The runtime holds it; no object of the program accumulates 1 % of the memory.",
                self.told(largest)
            ),
            (_, None) => format!("{}{}.", SPREAD[..1].to_uppercase(), &SPREAD[1..]),
        };
        let id = first.or(largest).map(|point| self.node_id(point.node));
        let points = List::of(found, None, |point| self.point(point));
        HoldersAnswer { verdict, id, points }
    }

    /// A point in words: where it is, what it is, and how much that is.
    fn told(&self, Suspect { node, way, own, .. }: &Suspect) -> String {
        let class = &self.analysis.classes.class(*node).name;
        let bytes = Unit::Bytes.format(signed(*own));
        let share = match self.share(*own).as_ref().map(Shown::cell) {
            Some(Cell::Number(share, unit)) => format!(", {}", unit.format(share)),
            _ => String::new(),
        };
        let id = self.heap.nodes().id(*node);
        format!("{}, a {} @{id}: {bytes}{share}", printable(way), printable(class))
    }

    fn point(&self, Suspect { node, name, way, party, own }: Suspect) -> AccumulationPoint {
        let class_name = self.class_of(node);
        AccumulationPoint {
            name: (name != class_name).then_some(name),
            class_name,
            way,
            package: party.package().map(Into::into),
            id: self.node_id(node),
            retained_size: Bytes(self.retained(node)),
            own_size: Bytes(own),
            share_percent: self.share(own),
        }
    }
}

/// The rank of what the engine and its runtime hold.
const RUNTIME: u8 = 2;

impl HoldersAnswer {
    pub(super) fn section(&self) -> Section {
        let title = "What holds the memory";
        rows_of("suspects", title, &self.points.rows, 0, POINTS, usize::MAX, SPREAD)
    }
}

const POINTS: &[Col<AccumulationPoint>] = &[
    Col::new("Object", |row| row.class_name.cell()),
    Col::optional("Name", |row| row.name.cell()),
    Col::new("Held by", |row| row.way.cell()),
    Col::optional("Package", |row| row.package.cell()),
    Col::new("Id", |row| row.id.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
    Col::optional("Without the others", |row| row.own_size.cell()),
    Col::new("Share", |row| row.share_percent.cell()),
];
