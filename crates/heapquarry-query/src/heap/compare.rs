//! Compares heaps of one process.

use super::{Subject, highest, leaks::untyped::findings, lost_ids::cause, tables::tables};
use crate::{
    Compared, Comparing,
    sections::{change, signed, table, values},
    texts,
};
use heapquarry::{Result, Source, engine::taken_of_base};
use heapquarry_graph::{ClassDiff, IdSample, Instances, Leak, Leaks, NodeIndex, Nodes, Sources};
use heapquarry_report::{Body, Cell, Column, Facts, Section, Unit};
use std::collections::HashMap;

/// Result of a comparison with the last snapshot.
pub(super) struct Comparison {
    /// The figures of the first snapshot, if requested.
    base: Option<Facts>,
    /// Notes on how the earlier snapshots were read.
    pub(super) notes: Vec<String>,
    /// The snapshots, in order of time.
    pub(super) snapshots: Vec<Snapshot>,
    /// Classes with added or removed instances, sorted by growth of what they retain.
    pub(super) classes: Vec<ClassDiff>,
    /// Suspected leaks: of three or more snapshots, classes with more instances in each than in the one before, as
    /// class indices of the last snapshot; sorted by growth of the retained size.
    pub(super) suspects: Vec<u32>,
    /// What leaks, if there are enough snapshots to tell.
    pub(super) leaks: Option<Vec<Leak>>,
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
    pub(crate) fn compare(&self, mut how: Comparing<'_>) -> Result<Compared> {
        let mut found = Comparison::new(&how, self)?;
        let warning = how.write(tables(&found, self))?;
        found.notes.extend(warning);
        let sections = found.sections(self, how.top, how.engine);
        Ok(Compared { base: found.base, notes: found.notes, sections })
    }
}

impl Comparison {
    /// Compares the last snapshot with the first, class by class and object by object, and finds classes that grow from
    /// each snapshot to the next. Only the last heap stays in memory; the others are loaded one at a time.
    pub(super) fn new(how: &Comparing<'_>, current: &Subject) -> Result<Self> {
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
            leaks: None,
            retained: Vec::new(),
        };
        let mut old = Instances::default();
        let kept = if before.len() > 1 { taken_of_base(&current.heap) } else { 0 };
        let options = &options.beside(kept);
        let threads = options.thread_count();
        let is_series = before.len() >= how.series && before.len() < Leaks::MOST_SNAPSHOTS;
        let mut hunt = is_series.then(Leaks::new);
        for (i, source) in before.iter().enumerate() {
            let subject = Subject::open(source, source.locate(options)?, Some(current), options)?;
            if i == 0 {
                found.base = with_facts.then(|| subject.facts(source)).transpose()?;
                let nodes = nodes_by_id(&subject);
                found.notes.extend(other_process((source, &subject), (last, current)));
                let retained = nodes.into_iter().map(|(id, node)| (id, subject.retained(node)));
                found.retained = retained.collect();
                old = instances(&subject);
            }
            if let Some(hunt) = &mut hunt {
                hunt.add(&subject.heap, threads);
            }
            found.snapshots.push(Snapshot::new(source, &subject));
            found.notes.extend(texts(&subject.note));
        }
        found.snapshots.push(Snapshot::new(last, current));
        let mut classes = heapquarry_graph::diff(&old, &instances(current));
        let (first, last) = found.ends();
        classes.sort_unstable_by(|a, b| {
            let retained = |d: &ClassDiff| {
                let (before, after) = (first.of(&d.class_key), last.of(&d.class_key));
                signed(after.retained) - signed(before.retained)
            };
            let rank = |d: &ClassDiff| (retained(d), d.size_delta(), d.count_delta());
            rank(b).cmp(&rank(a)).then_with(|| a.class_key.cmp(&b.class_key))
        });
        found.classes = classes;
        found.suspects = suspects(&found.snapshots, current);
        found.leaks = hunt.map(|mut hunt| {
            let folded = hunt.add(&current.heap, threads);
            hunt.find(&current.heap, folded)
        });
        Ok(found)
    }

    fn sections(&self, current: &Subject, top: usize, engine: bool) -> Vec<Section> {
        let mut sections = vec![table_of_snapshots(&self.snapshots)];
        let mut suspects = self.suspects(current, top);
        if let Some(leaks) = &self.leaks {
            let (first, last) = self.ends();
            sections.push(findings(leaks, signed(last.size) - signed(first.size), top));
            hide(&mut suspects);
        }
        sections.extend([suspects, self.classes(top, engine)]);
        sections.extend(self.engine_classes(engine));
        sections.push(self.objects(current, top));
        sections
    }

    pub(super) fn ends(&self) -> (&Snapshot, &Snapshot) {
        (&self.snapshots[0], &self.snapshots[self.snapshots.len() - 1])
    }

    /// What an object of the last snapshot retained in the first; `None` if it is new.
    pub(super) fn before(&self, current: &Subject, node: NodeIndex) -> Option<u64> {
        let id = current.heap.nodes().id(node);
        let at = self.retained.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.retained[at].1)
    }

    /// The objects of the last snapshot, with the growth of their retained sizes.
    pub(super) fn growth(&self, current: &Subject) -> impl Iterator<Item = (NodeIndex, u64)> {
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
            let counts = self.snapshots.iter().map(|s| Cell::count(s.of(&class.key).count));
            let (first, last) = (first.of(&class.key), last.of(&class.key));
            vec![
                Cell::name(&*class.name),
                Cell::name(&*class.key),
                Cell::List(counts.collect()),
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

    /// Classes of the engine are listed after those of the program, where people see them only if they asked for them.
    pub(super) fn classes(&self, top: usize, engine: bool) -> Section {
        let (first, last) = self.ends();
        let is_listed = |d: &&ClassDiff| engine || !is_of_the_engine(&d.class_name);
        let listed = self.classes.iter().filter(is_listed);
        let shown = listed.clone().count();
        let rows = listed.chain(self.classes.iter().filter(|d| !is_listed(d))).map(|d| {
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
                Cell::count(u64::from(is_of_the_engine(&d.class_name))),
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
            Column::optional("size_delta", "Size delta"),
            Column::hidden("base_retained_size"),
            Column::hidden("retained_size"),
            Column::new("retained_delta", "Retained delta"),
            Column::hidden("is_engine"),
        ];
        let rows: Vec<_> = rows.collect();
        let none = match self.classes.is_empty() {
            true => "no objects were added or removed",
            false => "no objects of the program were added or removed",
        };
        let json_only = rows.len() - shown;
        let mut section = table("classes", "Classes", columns, rows, top, none);
        if let Body::Table(table) = &mut section.body {
            table.json_only = json_only;
        }
        section
    }

    /// What the engine's own classes come to, for people who do not see them.
    fn engine_classes(&self, engine: bool) -> Option<Section> {
        let (first, last) = self.ends();
        let classes = self.classes.iter().filter(|d| is_of_the_engine(&d.class_name));
        let (mut count, mut counts, mut size, mut retained) = (0, 0i64, 0i64, 0i64);
        for d in classes {
            let (before, after) = (first.of(&d.class_key), last.of(&d.class_key));
            count += 1;
            counts = counts.saturating_add(d.count_delta());
            size = size.saturating_add(d.size_delta());
            let delta = signed(after.retained).saturating_sub(signed(before.retained));
            retained = retained.max(delta);
        }
        let cells = [
            ("class_count", "Classes", Cell::count(count)),
            ("count_delta", "Count delta", Cell::Change(counts, Unit::Count)),
            ("size_delta", "Size delta", Cell::Change(size, Unit::Bytes)),
            (
                "largest_retained_delta",
                "Largest retained delta",
                Cell::Change(retained, Unit::Bytes),
            ),
        ];
        let title = "Classes of the engine (--engine lists them)";
        (!engine && count > 0).then(|| values("engine", title, cells))
    }

    /// Objects whose retained size grew, and new ones.
    pub(super) fn objects(&self, current: &Subject, top: usize) -> Section {
        let grown = highest(self.growth(current), top);
        let sources = Sources::new(&current.heap);
        let rows = nested(current, &grown).into_iter().map(|(node, growth, depth)| {
            let class = &current.analysis.classes.class(node).name;
            vec![
                Cell::name(format!("{:1$}{class}", "", 2 * depth)),
                current.class_name(node),
                Cell::count(depth as u64),
                current.id(node),
                current.name(&sources, node),
                self.before(current, node).map_or(Cell::Empty, Cell::bytes),
                Cell::bytes(current.retained(node)),
                Cell::Change(signed(growth), Unit::Bytes),
            ]
        });
        let columns = vec![
            Column::new("tree", "Object"),
            Column::hidden("class_name"),
            Column::hidden("depth"),
            Column::new("id", "Id"),
            Column::optional("name", "Name"),
            Column::optional("base_retained_size", "Before"),
            Column::optional("retained_size", "Retained"),
            Column::new("retained_delta", "Retained delta"),
        ];
        table("objects", "Objects that retain more", columns, rows.collect(), top, "none")
    }
}

/// Whether a class is the engine's own: its instances are no objects of the program, but come and go with its code.
fn is_of_the_engine(name: &str) -> bool {
    let names =
        ["(array)", "(compiled code)", "(hidden)", "(object shape)", "(synthetic)", "(system)"];
    let starts = ["system / ", "Node / ", "Detached Node / "];
    names.contains(&name)
        || starts.iter().any(|start| name.starts_with(start))
            && !name.starts_with("system / Context")
        || name.contains("::")
}

/// Objects with their ranks as a forest by dominators: each below the nearest one that alone holds it, with its depth.
/// What is held comes after what holds it, those of one holder in the order given.
fn nested(current: &Subject, objects: &[(NodeIndex, u64)]) -> Vec<(NodeIndex, u64, usize)> {
    let dominators = &current.analysis.dominators;
    let listed: HashMap<NodeIndex, usize> =
        objects.iter().enumerate().map(|(at, &(node, _))| (node, at)).collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); objects.len()];
    let mut roots = Vec::new();
    for (at, &(node, _)) in objects.iter().enumerate() {
        let mut up = node;
        let holder = loop {
            let next = dominators[up.position()];
            if next == up {
                break None;
            }
            up = next;
            if let Some(&holder) = listed.get(&up) {
                break Some(holder);
            }
        };
        match holder {
            Some(holder) => below[holder].push(at),
            None => roots.push(at),
        }
    }
    let mut work: Vec<(usize, usize)> = roots.into_iter().rev().map(|at| (at, 0)).collect();
    let mut order = Vec::new();
    while let Some((at, depth)) = work.pop() {
        let (node, rank) = objects[at];
        order.push((node, rank, depth));
        work.extend(below[at].iter().rev().map(|&at| (at, depth + 1)));
    }
    order
}

/// Leaves a table to JSON.
fn hide(section: &mut Section) {
    section.title = "".into();
    if let Body::Table(table) = &mut section.body {
        for column in &mut table.columns {
            *column = Column::hidden(column.key);
        }
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
    suspects.sort_unstable_by(|a, b| growth(b).cmp(&growth(a)).then_with(|| key(a).cmp(key(b))));
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
fn nodes_by_id(subject: &Subject) -> Vec<(i64, NodeIndex)> {
    let nodes = subject.heap.nodes();
    let all = subject.nodes().map(|node| (nodes.id(node), node));
    let mut all: Vec<_> = all.filter(|(id, _)| *id != Nodes::NO_ID).collect();
    all.sort_unstable();
    all
}

/// A note if ids of two snapshots are not of the same objects.
fn other_process(
    (base, first): (&Source, &Subject),
    (last, current): (&Source, &Subject),
) -> Option<String> {
    let lost = IdSample::new(&first.heap).lost_in(&current.heap)?;
    let cause = cause(&base.to_string(), &last.to_string(), &lost);
    Some(format!(
        "{cause}. So added and removed objects mean little; counts and sizes are right, and so is what check --baseline \
         compares"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_engine_are_told_from_those_of_a_program() {
        for (name, expected) in [
            ("Session", false),
            ("(string)", false),
            ("(number)", false),
            ("Function", false),
            ("system / Context", false),
            ("system / Context / scope @9", false),
            ("Detached <div>", false),
            ("(array)", true),
            ("(compiled code)", true),
            ("system / Map", true),
            ("Node / BindingData", true),
            ("Detached Node / BindingData", true),
            ("blink::EventTargetData", true),
        ] {
            assert_eq!(is_of_the_engine(name), expected, "{name}");
        }
    }
}
