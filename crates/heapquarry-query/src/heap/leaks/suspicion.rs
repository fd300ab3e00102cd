//! What one snapshot, or two, make suspicious.

use super::answer::{Suspicion, SuspicionKind};
use crate::{
    answer::{Bytes, NodeId},
    sections::{signed, table},
};
use heapquarry_graph::{self as graph, Crowd, CrowdKind, Heap, Suspect};
use heapquarry_report::{Cell, Column, Section, Unit, grouped};

/// What holds or gathers much in a heap, whether or not it grows.
pub(super) fn suspicions(heap: &Heap, threads: usize) -> Vec<Suspicion> {
    if heap.nodes().is_empty() {
        return Vec::new();
    }
    let analysis = graph::analyze(heap, threads);
    let retained = |node: graph::NodeIndex| Bytes(analysis.retained_sizes[node.position()]);
    let id = |node| NodeId(heap.nodes().id(node));
    let holder = |Suspect { node, name, way, own }: Suspect| Suspicion {
        kind: SuspicionKind::Holder,
        text: format!(
            "{name} holds {}, without what other suspicions below it hold.",
            size(Bytes(own))
        ),
        name,
        way: Some(way),
        id: Some(id(node)),
        count: None,
        retained: Some(retained(node)),
    };
    let crowd = |Crowd { kind, node, name, way, count }: Crowd| {
        let count_text = grouped(count);
        let text = match (kind, node) {
            (CrowdKind::Collection, _) => {
                format!(
                    "{name} has {count_text} entries; a snapshot does not tell whether they have a bound."
                )
            }
            (CrowdKind::Listeners, Some(_)) => {
                format!("{count_text} listeners of the event {name}.")
            }
            (CrowdKind::Listeners, None) => format!("{count_text} listeners of the class {name}."),
            (CrowdKind::Timers, _) => format!("{count_text} timers of the class {name} wait."),
        };
        Suspicion {
            kind: kind.into(),
            text,
            name,
            way: node.map(|_| way),
            id: node.map(id),
            count: Some(count),
            retained: node.map(retained),
        }
    };
    let holders = graph::suspects(heap, &analysis, threads).into_iter().map(holder);
    holders.chain(graph::crowds(heap, &analysis, threads).into_iter().map(crowd)).collect()
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
            one.id.map_or(Cell::Empty, |id| Cell::id(id.0)),
            one.count.map_or(Cell::Empty, Cell::count),
            one.retained.map_or(Cell::Empty, |size| Cell::bytes(size.0)),
        ]
    };
    let columns = vec![
        Column::new("Suspicion"),
        Column::new("Name"),
        Column::new("Held by"),
        Column::new("Id"),
        Column::optional("Count"),
        Column::new("Retained"),
    ];
    let title = "Suspicions: what holds or gathers much in the last snapshot. None is a finding: that it grows is not shown";
    let none = "No object of the program holds or gathers much.";
    table("suspicions", title, columns, all.iter().map(row).collect(), shown, none)
}
