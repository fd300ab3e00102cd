//! Compares heaps of one process.

use super::{Subject, highest, tables::tables};
use crate::{
    Result, Source,
    ask::{
        Compared, Comparing,
        sections::{change, signed, table},
    },
};
use heapquarry_graph::{ClassDiff, Instances, Nodes, Sources};
use heapquarry_report::{Cell, Column, Facts, Section, Unit};
use std::collections::HashMap;

/// Result of a comparison with the last snapshot.
pub(super) struct Comparison {
    /// The figures of the first snapshot, if requested.
    base: Option<Facts>,
    /// Notes on how the earlier snapshots were read.
    notes: Vec<String>,
    /// The snapshots, in order of time.
    pub(super) snapshots: Vec<Snapshot>,
    /// Classes with added or removed instances, sorted by growth.
    pub(super) classes: Vec<ClassDiff>,
    /// Suspected leaks: of three or more snapshots, classes with more instances in each than in the one before, as
    /// class indices of the last snapshot; sorted by growth of the retained size.
    pub(super) suspects: Vec<u32>,
    /// Ids and retained sizes of the first snapshot, sorted by id.
    retained: Vec<(i64, u64)>,
}

/// Totals of a class in one snapshot.
pub(super) struct Totals {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) size: u64,
    pub(super) retained: u64,
}

static NONE: Totals = Totals { name: String::new(), count: 0, size: 0, retained: 0 };

/// What is kept of a snapshot after its heap is dropped.
pub(super) struct Snapshot {
    pub(super) name: String,
    pub(super) nodes: u64,
    pub(super) size: u64,
    /// Keyed by class key.
    classes: HashMap<String, Totals>,
}

impl Snapshot {
    fn new(source: &Source, subject: &Subject) -> Self {
        let analysis = &subject.analysis;
        let classes = analysis.aggregates.iter().map(|a| {
            let class = &analysis.classes.classes[a.class as usize];
            let (size, retained) = (a.shallow_size, a.retained_size);
            let totals = Totals { name: class.name.clone(), count: a.count, size, retained };
            (class.key.clone(), totals)
        });
        Snapshot {
            name: source.to_string(),
            nodes: subject.heap.nodes().len() as u64,
            size: analysis.statistics.total,
            classes: classes.collect(),
        }
    }

    pub(super) fn of(&self, key: &str) -> &Totals {
        self.classes.get(key).unwrap_or(&NONE)
    }

    /// The classes with their keys.
    pub(super) fn classes(&self) -> impl Iterator<Item = (&str, &Totals)> {
        self.classes.iter().map(|(key, totals)| (key.as_str(), totals))
    }
}

impl Subject {
    /// Compares this snapshot with earlier ones, of which the first is the base.
    pub(in crate::ask) fn compare(&self, mut how: Comparing<'_>) -> Result<Compared> {
        let mut found = Comparison::new(&how, self)?;
        let warning = how.write(tables(&found, self))?;
        found.notes.extend(warning);
        let sections = found.sections(self, how.top);
        Ok(Compared { base: found.base, notes: found.notes, sections })
    }
}

impl Comparison {
    /// Compares the last snapshot with the first, class by class and object by object, and finds classes that grow from
    /// each snapshot to the next. Only the last heap stays in memory; the others are loaded one at a time.
    fn new(how: &Comparing<'_>, current: &Subject) -> Result<Self> {
        let &Comparing { source: last, before, with_facts, options, .. } = how;
        let instances = |of: &Subject| {
            Instances::new(&of.heap, &of.analysis.classes, &of.analysis.shallow_sizes)
        };
        let mut found = Comparison {
            base: None,
            notes: Vec::new(),
            snapshots: Vec::new(),
            classes: Vec::new(),
            suspects: Vec::new(),
            retained: Vec::new(),
        };
        let mut old = Instances::default();
        for (i, source) in before.iter().enumerate() {
            let subject = Subject::open(source, source.locate(options)?, Some(current), options)?;
            if i == 0 {
                found.base = with_facts.then(|| subject.facts(source)).transpose()?;
                let nodes = nodes_by_id(&subject);
                found.notes.extend(other_process((source, &subject), (last, current), &nodes));
                let retained = nodes.into_iter().map(|(id, node)| (id, subject.retained(node)));
                found.retained = retained.collect();
                old = instances(&subject);
            }
            found.snapshots.push(Snapshot::new(source, &subject));
            found.notes.extend(subject.note);
        }
        found.snapshots.push(Snapshot::new(last, current));
        found.classes = heapquarry_graph::diff(&old, &instances(current));
        found.classes.sort_by(|a, b| {
            let rank = |d: &ClassDiff| (d.size_delta(), d.count_delta());
            rank(b).cmp(&rank(a)).then_with(|| a.class_key.cmp(&b.class_key))
        });
        found.suspects = suspects(&found.snapshots, current);
        Ok(found)
    }

    fn sections(&self, current: &Subject, top: usize) -> Vec<Section> {
        vec![
            table_of_snapshots(&self.snapshots),
            self.suspects(current, top),
            self.classes(top),
            self.objects(current, top),
        ]
    }

    pub(super) fn ends(&self) -> (&Snapshot, &Snapshot) {
        (&self.snapshots[0], &self.snapshots[self.snapshots.len() - 1])
    }

    /// What an object of the last snapshot retained in the first; `None` if it is new.
    pub(super) fn before(&self, current: &Subject, node: u32) -> Option<u64> {
        let id = current.heap.nodes().id(node);
        let at = self.retained.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.retained[at].1)
    }

    /// The objects of the last snapshot, with the growth of their retained sizes.
    pub(super) fn growth(&self, current: &Subject) -> impl Iterator<Item = (u32, u64)> {
        let nodes = current.nodes().filter(|&node| current.is_of_the_program(node));
        nodes.map(|node| {
            let before = self.before(current, node).unwrap_or(0);
            (node, current.retained(node).saturating_sub(before))
        })
    }

    fn suspects(&self, current: &Subject, top: usize) -> Section {
        let (first, last) = self.ends();
        let rows = self.suspects.iter().map(|&class| {
            let class = &current.analysis.classes.classes[class as usize];
            let counts = self.snapshots.iter().map(|s| s.of(&class.key).count.to_string());
            let (first, last) = (first.of(&class.key), last.of(&class.key));
            vec![
                Cell::name(&*class.name),
                Cell::name(&*class.key),
                Cell::text(counts.collect::<Vec<_>>().join(" ")),
                change(last.count, first.count, Unit::Count),
                change(last.size, first.size, Unit::Bytes),
                change(last.retained, first.retained, Unit::Bytes),
            ]
        });
        let columns = vec![
            Column::new("class_name", "Class"),
            Column::hidden("class_key"),
            Column::optional("counts", "Counts"),
            Column::new("count_delta", "Count delta"),
            Column::optional("size_delta", "Size delta"),
            Column::new("retained_delta", "Retained delta"),
        ];
        let none = match self.snapshots.len() {
            0..3 => "three snapshots or more tell what grows all the time",
            _ => "no class has more instances in each snapshot than in the one before",
        };
        table("suspects", "Suspected leaks", columns, rows.collect(), top, none)
    }

    fn classes(&self, top: usize) -> Section {
        let (first, last) = self.ends();
        let rows = self.classes.iter().map(|d| {
            let (before, after) = (first.of(&d.class_key), last.of(&d.class_key));
            vec![
                Cell::name(&*d.class_name),
                Cell::name(&*d.class_key),
                Cell::count(d.added_count),
                Cell::count(d.removed_count),
                Cell::Change(d.count_delta(), Unit::Count),
                Cell::bytes(d.added_size),
                Cell::bytes(d.removed_size),
                Cell::Change(d.size_delta(), Unit::Bytes),
                Cell::bytes(before.retained),
                Cell::bytes(after.retained),
                change(after.retained, before.retained, Unit::Bytes),
            ]
        });
        let columns = vec![
            Column::new("class_name", "Class"),
            Column::hidden("class_key"),
            Column::optional("added_count", "Added"),
            Column::optional("removed_count", "Removed"),
            Column::new("count_delta", "Count delta"),
            Column::optional("added_size", "Added size"),
            Column::optional("removed_size", "Removed size"),
            Column::new("size_delta", "Size delta"),
            Column::hidden("base_retained_size"),
            Column::hidden("retained_size"),
            Column::optional("retained_delta", "Retained delta"),
        ];
        table(
            "classes",
            "Classes",
            columns,
            rows.collect(),
            top,
            "no objects were added or removed",
        )
    }

    /// Objects whose retained size grew, and new ones.
    fn objects(&self, current: &Subject, top: usize) -> Section {
        let grown = highest(self.growth(current), top);
        let sources = Sources::new(&current.heap);
        let rows = grown.into_iter().map(|(node, growth)| {
            vec![
                current.class_name(node),
                current.id(node),
                current.name(&sources, node),
                self.before(current, node).map_or(Cell::Empty, Cell::bytes),
                Cell::bytes(current.retained(node)),
                Cell::Change(signed(growth), Unit::Bytes),
            ]
        });
        let columns = vec![
            Column::new("class_name", "Class"),
            Column::new("id", "Id"),
            Column::optional("name", "Name"),
            Column::optional("base_retained_size", "Before"),
            Column::optional("retained_size", "Retained"),
            Column::new("retained_delta", "Retained delta"),
        ];
        table("objects", "Objects by growth of retained size", columns, rows.collect(), top, "none")
    }
}

/// Of three or more snapshots, classes with more instances in each than in the one before.
fn suspects(snapshots: &[Snapshot], current: &Subject) -> Vec<u32> {
    let classes = &current.analysis.classes.classes;
    let key = |class: &u32| classes[*class as usize].key.as_str();
    let mut suspects: Vec<u32> = Vec::new();
    if snapshots.len() >= 3 {
        let grows = |class: &u32| {
            snapshots.iter().map(|s| s.of(key(class)).count).is_sorted_by(|a, b| a < b)
        };
        suspects.extend((0..classes.len() as u32).filter(grows));
    }
    let (first, last) = (&snapshots[0], &snapshots[snapshots.len() - 1]);
    let growth =
        |class: &u32| signed(last.of(key(class)).retained) - signed(first.of(key(class)).retained);
    suspects.sort_by(|a, b| growth(b).cmp(&growth(a)).then_with(|| key(a).cmp(key(b))));
    suspects
}

fn table_of_snapshots(snapshots: &[Snapshot]) -> Section {
    let base = &snapshots[0];
    let rows = snapshots.iter().map(|snapshot| {
        vec![
            Cell::name(&*snapshot.name),
            Cell::bytes(snapshot.size),
            change(snapshot.size, base.size, Unit::Bytes),
            Cell::count(snapshot.nodes),
            change(snapshot.nodes, base.nodes, Unit::Count),
        ]
    });
    let columns = vec![
        Column::new("name", "Snapshot"),
        Column::new("size", "Size"),
        Column::new("size_delta", "Delta"),
        Column::new("node_count", "Nodes"),
        Column::optional("node_count_delta", "Delta"),
    ];
    table("snapshots", "Snapshots", columns, rows.collect(), usize::MAX, "")
}

/// The nodes, sorted by id.
fn nodes_by_id(subject: &Subject) -> Vec<(i64, u32)> {
    let nodes = subject.heap.nodes();
    let all = subject.nodes().map(|node| (nodes.id(node), node));
    let mut all: Vec<_> = all.filter(|(id, _)| *id != Nodes::NO_ID).collect();
    all.sort_unstable();
    all
}

/// A note if two snapshots come from different processes. V8 never reuses an id within a process, so objects with the
/// same id have the same type. In two runs of one program, about every sixth differs. Only odd ids are assigned by the
/// engine.
fn other_process(
    (base, first): (&Source, &Subject),
    (last, current): (&Source, &Subject),
    by_id: &[(i64, u32)],
) -> Option<String> {
    let (mut common, mut differ) = (0u64, 0u64);
    let (old, new) = (first.heap.nodes(), current.heap.nodes());
    for node in current.nodes().filter(|&node| new.id(node) % 2 == 1) {
        if let Ok(at) = by_id.binary_search_by_key(&new.id(node), |(id, _)| *id) {
            common += 1;
            differ += u64::from(old.kind(by_id[at].1) != new.kind(node));
        }
    }
    (differ > common / 50).then(|| {
        format!(
            "{base} and {last} seem to come from different processes: {differ} of {common} objects with the same id \
             have another type, so added and removed objects mean little; use check --baseline, which compares \
             counts and sizes"
        )
    })
}
