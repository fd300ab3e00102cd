//! What one snapshot, or two, make suspicious.

use super::answer::{Suspicion, SuspicionKind};
use crate::{
    answer::{Bytes, NodeId},
    sections::{signed, table},
};
use heapquarry_base::Order;
use heapquarry_graph::{self as graph, Crowd, CrowdKind, Heap, SUSPECTS, Suspect};
use heapquarry_report::{Cell, Column, Section, Unit, grouped};
use std::cmp::Reverse;

/// What holds or gathers much in a heap, whether or not it grows: first what hangs from the program's own code, then
/// from packages, then from the engine.
pub(super) fn suspicions(heap: &Heap, threads: usize) -> Vec<Suspicion> {
    if heap.nodes().is_empty() {
        return Vec::new();
    }
    let analysis = graph::analyze(heap, threads);
    let retained = |node: graph::NodeIndex| Bytes(analysis.retained_sizes.get(node.position()));
    let id = |node| NodeId(heap.nodes().id(node));
    let crowds = graph::crowds(heap, &analysis, threads);
    // A collection that holds much is told once, with its entries.
    let is_told = |node| crowds.iter().any(|crowd| crowd.node == Some(node));
    let ways = |nodes: &[graph::NodeIndex]| graph::Ways::new(heap, nodes, threads);
    let sources = graph::Sources::new(heap);
    let mut holders = graph::suspects(heap, &analysis, usize::MAX, &sources, ways);
    holders.retain(|holder| !is_told(holder.node));
    holders.order_by_key(|holder| holder.party.rank());
    holders.truncate(SUSPECTS);
    let holder = |Suspect { node, name, way, party, own }: Suspect| {
        let text = format!(
            "{name} holds {}, without what other suspicions below it hold.",
            size(Bytes(own))
        );
        let told = Suspicion {
            kind: SuspicionKind::Holder,
            text,
            name,
            way: Some(way),
            package: party.package().map(Into::into),
            id: Some(id(node)),
            count: None,
            retained: Some(retained(node)),
        };
        (party.rank(), told)
    };
    let crowd = |Crowd { kind, node, name, way, party, count }: Crowd| {
        let told = Suspicion {
            kind: kind.into(),
            text: crowd_text(kind, &name, count, node.map(retained)),
            name,
            way: node.map(|_| way),
            package: party.package().map(Into::into),
            id: node.map(id),
            count: Some(count),
            retained: node.map(retained),
        };
        (party.rank(), told)
    };
    let mut all: Vec<(u8, Suspicion)> =
        holders.into_iter().map(holder).chain(crowds.into_iter().map(crowd)).collect();
    all.order_by_key(|(rank, told)| (*rank, Reverse(told.retained.map(|size| size.0))));
    all.into_iter().map(|(_, told)| told).collect()
}

/// A crowd in one sentence; `retained` is what its holder retains.
fn crowd_text(kind: CrowdKind, name: &str, count: u64, retained: Option<Bytes>) -> String {
    let count = grouped(count);
    match (kind, retained) {
        (CrowdKind::Collection, retained) => {
            let much =
                retained.map(|much| format!(" and holds {}", size(much))).unwrap_or_default();
            format!(
                "{name} has {count} entries{much}; a snapshot does not tell whether they have a bound."
            )
        }
        (CrowdKind::Listeners, Some(_)) => format!("{count} listeners of the event {name}."),
        (CrowdKind::Listeners, None) => format!("{count} listeners of the class {name}."),
        (CrowdKind::Timers, _) => format!("{count} timers of the class {name} wait."),
    }
}

impl From<CrowdKind> for SuspicionKind {
    fn from(kind: CrowdKind) -> Self {
        match kind {
            CrowdKind::Collection => SuspicionKind::Collection,
            CrowdKind::Listeners => SuspicionKind::Listeners,
            CrowdKind::Timers => SuspicionKind::Timers,
        }
    }
}

impl SuspicionKind {
    fn word(self) -> &'static str {
        match self {
            SuspicionKind::Holder => "holds much",
            SuspicionKind::Collection => "many entries",
            SuspicionKind::Listeners => "many listeners",
            SuspicionKind::Timers => "many timers",
        }
    }
}

fn size(bytes: Bytes) -> String {
    Unit::Bytes.format(signed(bytes.0)).to_string()
}

/// The suspicions, for people.
pub(super) fn section(all: &[Suspicion], shown: usize) -> Section {
    let row = |one: &Suspicion| {
        vec![
            Cell::text(one.kind.word()),
            Cell::name(&*one.name),
            one.way.as_deref().map_or(Cell::Empty, Cell::name),
            one.package.as_deref().map_or(Cell::Empty, Cell::name),
            one.id.map_or(Cell::Empty, |id| Cell::id(id.0)),
            one.count.map_or(Cell::Empty, Cell::count),
            one.retained.map_or(Cell::Empty, |size| Cell::bytes(size.0)),
        ]
    };
    let columns = vec![
        Column::new("Suspicion"),
        Column::new("Name"),
        Column::new("Held by"),
        Column::optional("Package"),
        Column::new("Id"),
        Column::optional("Count"),
        Column::new("Retained"),
    ];
    let title = "Suspicions: what holds or gathers much in the last snapshot. None is a finding: that it grows is not shown";
    let none = "No object of the program holds or gathers much.";
    table("suspicions", title, columns, all.iter().map(row).collect(), shown, none)
}
