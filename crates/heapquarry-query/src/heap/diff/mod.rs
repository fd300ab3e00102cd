//! Compares heaps of one process.

mod answer;
mod first;
pub(crate) mod view;

pub use answer::{ClassChange, EngineClasses, GrowingClass, HeapDiff, ObjectGrowth};
pub(crate) use first::First;

use super::{
    Subject,
    leaks::{Leak, SnapshotSize},
    lost_ids::cause,
    owners::{Owned, OwnerChanges},
    tables::tables,
};
use crate::{
    answer::{Bytes, BytesChange, Caveat, CaveatKind, CountChange, List, Original},
    diff::{Compared, Comparing, Diff, Difference},
    listing::SHOWN,
    process::memory,
    sections::signed,
};
use heapquarry::{Result, Source, engine::Locate};
use heapquarry_base::Order;
use heapquarry_graph::{
    self as graph, Class, ClassDiff, IdSample, NodeIndex, RetainedById, highest,
};
use heapquarry_report::Facts;
use std::collections::HashMap;

/// Result of a comparison with the last snapshot.
pub(super) struct Comparison {
    /// The figures of the first snapshot, if requested.
    base: Option<Facts>,
    /// How the earlier snapshots were read, and whether they belong together.
    pub(super) caveats: Vec<Caveat>,
    /// Whether objects have the ids in the last snapshot that they had in the first.
    pub(super) has_same_ids: bool,
    /// The snapshots, in order of time.
    pub(super) snapshots: Vec<Snapshot>,
    /// Classes with added or removed instances, sorted by growth of what they retain.
    pub(super) classes: Vec<ClassDiff>,
    /// Suspected leaks: of three or more snapshots, classes with more instances in each than in the one before, as
    /// class indices of the last snapshot; sorted by growth of the retained size.
    pub(super) suspects: Vec<u32>,
    /// What leaks, if there are enough snapshots to tell.
    pub(super) leaks: Option<Vec<Leak>>,
    /// What belonged to each owner in the first snapshot, if requested.
    owned: Option<Owned>,
    /// What the objects of the first snapshot retained.
    retained: RetainedById,
    /// What source maps tell of classes of the last snapshot, by their keys.
    originals: HashMap<String, Original>,
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
    /// Resident memory of its process, if that is stored.
    rss: Option<Bytes>,
    /// Keyed by class key.
    classes: HashMap<String, Totals>,
}

impl Snapshot {
    fn new(source: &Source, subject: &Subject) -> Self {
        let analysis = &subject.analysis;
        let classes = analysis.aggregates.iter().map(|a| {
            let class = &analysis.classes.classes[a.class as usize];
            totals(class, [a.count, a.shallow_size, a.retained_size])
        });
        Snapshot {
            name: source.to_string(),
            nodes: subject.heap.nodes().len() as u64,
            size: analysis.statistics.total,
            rss: subject.process.as_deref().and_then(memory::rss),
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

/// The totals of a class, by its key.
fn totals(class: &Class, [count, size, retained]: [u64; 3]) -> (String, Totals) {
    (class.key.clone(), Totals { name: class.name.clone(), count, size, retained })
}

impl Subject {
    /// Compares this snapshot with earlier ones, of which the first is the base.
    pub(crate) fn compare(
        &self,
        mut how: Comparing<'_>,
        first: First,
        diff: &Diff,
    ) -> Result<Compared> {
        let mut found = Comparison::new(&how, first, self)?;
        let warning = how.write(tables(&found, self))?;
        found.caveats.extend(warning);
        let difference = found.difference(self, diff);
        let owners = difference.owners.as_ref();
        found.caveats.extend(owners.and_then(|owners| owners.caveat(how.source)));
        let Comparison { base, caveats, .. } = found;
        Ok(Compared { found: Difference::Heap(difference.into()), caveats, facts: None, base })
    }
}

impl Comparison {
    /// Compares the last snapshot with the first, class by class and object by object, and finds classes that grow from
    /// each snapshot to the next. Only the last heap stays in memory; those between are loaded one at a time.
    pub(super) fn new(how: &Comparing<'_>, first: First, current: &Subject) -> Result<Self> {
        let &Comparing { source: last, before, .. } = how;
        let options = &first.beside(how.options);
        let threads = options.thread_count();
        let First { base, ids, mut facts, owned, mut hunt, mut snapshot, note } = first;
        let graph::Compared { mut classes, base, retained } =
            base.compare(&current.heap, &current.analysis, threads);
        for of in &base {
            let numbers = of.numbers().map(signed);
            facts.iter_mut().for_each(|facts| facts.add("class", &of.class.name, &numbers));
        }
        snapshot.classes = base.iter().map(|of| totals(&of.class, of.numbers())).collect();
        let other = other_process((&before[0], &ids), (last, current));
        let has_same_ids = other.is_none();
        let mut caveats: Vec<Caveat> = other.into_iter().chain(note).collect();
        let mut snapshots = vec![snapshot];
        for source in &before[1..] {
            let subject = current.open_like(source, source.locate(options)?, options)?;
            if let Some(hunt) = &mut hunt {
                hunt.add(&subject.heap, threads);
            }
            snapshots.push(Snapshot::new(source, &subject));
            caveats.extend(subject.note);
        }
        snapshots.push(Snapshot::new(last, current));
        let (first, last) = ends(&snapshots);
        classes.order_by(|a, b| {
            let retained = |d: &ClassDiff| {
                let (before, after) = (first.of(&d.class_key), last.of(&d.class_key));
                signed(after.retained) - signed(before.retained)
            };
            let rank = |d: &ClassDiff| (retained(d), d.size_delta(), d.count_delta());
            rank(b).cmp(&rank(a)).then_with(|| a.class_key.cmp(&b.class_key))
        });
        let leaks = hunt.map(|mut hunt| {
            let folded = hunt.add(&current.heap, threads);
            hunt.find(&current.heap, folded).iter().map(Leak::from).collect()
        });
        Ok(Comparison {
            base: facts,
            caveats,
            has_same_ids,
            suspects: suspects(&snapshots, current),
            snapshots,
            classes,
            leaks,
            owned,
            retained,
            originals: current.class_originals(),
        })
    }

    /// What was found.
    fn difference(&self, current: &Subject, diff: &Diff) -> HeapDiff {
        let &Diff { top, engine, by, .. } = diff;
        let owners = by
            .zip(self.owned.as_ref())
            .map(|(by, before)| OwnerChanges::new(by, before, &current.owned(by, usize::MAX), top));
        HeapDiff {
            snapshots: self.sizes(),
            findings: self.leaks.clone(),
            suspects: self.suspects(current, top),
            classes: self.classes(top, engine),
            engine: self.engine_classes().filter(|_| !engine),
            objects: self.objects(current, top.unwrap_or(SHOWN)),
            owners,
        }
    }

    pub(super) fn sizes(&self) -> Vec<SnapshotSize> {
        let (first, _) = self.ends();
        let size = |snapshot: &Snapshot| SnapshotSize {
            name: snapshot.name.clone(),
            size: Bytes(snapshot.size),
            size_delta: bytes_change(snapshot.size, first.size),
            node_count: snapshot.nodes,
            node_count_delta: signed(snapshot.nodes) - signed(first.nodes),
            rss: snapshot.rss,
        };
        self.snapshots.iter().map(size).collect()
    }

    pub(super) fn ends(&self) -> (&Snapshot, &Snapshot) {
        ends(&self.snapshots)
    }

    /// What an object of the last snapshot retained in the first; `None` if it is new.
    pub(super) fn before(&self, current: &Subject, node: NodeIndex) -> Option<u64> {
        self.retained.get(current.heap.nodes().id(node))
    }

    /// The objects of the last snapshot, with the growth of their retained sizes.
    pub(super) fn growth(&self, current: &Subject) -> impl Iterator<Item = (NodeIndex, u64)> {
        let nodes = current.nodes().filter(|&node| current.is_of_the_program(node));
        let mut before = self.retained.lookup();
        nodes.map(move |node| {
            let before = before.get(current.heap.nodes().id(node)).unwrap_or(0);
            (node, current.retained(node).saturating_sub(before))
        })
    }

    fn suspects(&self, current: &Subject, top: Option<usize>) -> List<GrowingClass> {
        let (first, last) = self.ends();
        List::of(self.suspects.iter().collect(), top, |&class| {
            let class = &current.analysis.classes.classes[class as usize];
            let (first, last) = (first.of(&class.key), last.of(&class.key));
            GrowingClass {
                class_name: class.name.clone(),
                class_key: class.key.clone(),
                original: self.originals.get(&*class.key).cloned(),
                counts: self.snapshots.iter().map(|s| s.of(&class.key).count).collect(),
                count_delta: CountChange(signed(last.count) - signed(first.count)),
                size_delta: bytes_change(last.size, first.size),
                retained_delta: bytes_change(last.retained, first.retained),
            }
        })
    }

    /// Classes of the engine come after those of the program, unless they are wanted among them.
    pub(super) fn classes(&self, top: Option<usize>, engine: bool) -> List<ClassChange> {
        let (mut all, mut of_engine): (Vec<&ClassDiff>, _) =
            self.classes.iter().partition(|d| engine || !is_of_the_engine(&d.class_name));
        all.append(&mut of_engine);
        List::of(all, top, |d| self.change(d))
    }

    /// The change of a class from the first snapshot to the last.
    pub(super) fn change(&self, d: &ClassDiff) -> ClassChange {
        let (first, last) = self.ends();
        let (before, after) = (first.of(&d.class_key), last.of(&d.class_key));
        ClassChange {
            class_name: d.class_name.clone(),
            class_key: d.class_key.clone(),
            original: self.originals.get(&*d.class_key).cloned(),
            added_count: d.added_count,
            removed_count: d.removed_count,
            count_delta: CountChange(d.count_delta()),
            added_size: Bytes(d.added_size),
            removed_size: Bytes(d.removed_size),
            size_delta: BytesChange(d.size_delta()),
            base_retained_size: Bytes(before.retained),
            retained_size: Bytes(after.retained),
            retained_delta: bytes_change(after.retained, before.retained),
            is_engine: is_of_the_engine(&d.class_name),
        }
    }

    /// What the engine's own classes come to.
    pub(super) fn engine_classes(&self) -> Option<EngineClasses> {
        let (first, last) = self.ends();
        let classes = self.classes.iter().filter(|d| is_of_the_engine(&d.class_name));
        let (mut count, mut counts, mut size, mut retained) = (0, 0i64, 0i64, 0i64);
        for d in classes {
            let (before, after) = (first.of(&d.class_key), last.of(&d.class_key));
            count += 1;
            counts = counts.saturating_add(d.count_delta());
            size = size.saturating_add(d.size_delta());
            retained = retained.max(bytes_change(after.retained, before.retained).0);
        }
        (count > 0).then_some(EngineClasses {
            class_count: count,
            count_delta: CountChange(counts),
            size_delta: BytesChange(size),
            largest_retained_delta: BytesChange(retained),
        })
    }

    /// Objects whose retained size grew, and new ones.
    pub(super) fn objects(&self, current: &Subject, top: usize) -> List<ObjectGrowth> {
        let mut total = 0;
        let counted = self.growth(current).inspect(|(_, growth)| total += u64::from(*growth > 0));
        let grown = highest(counted, top);
        let sources = current.sources();
        let row = |(node, growth, depth): (NodeIndex, u64, usize)| ObjectGrowth {
            class_name: current.class_of(node),
            depth: depth as u64,
            id: current.node_id(node),
            name: sources.name(&current.analysis.detachedness, node),
            base_retained_size: self.before(current, node).map(Bytes),
            retained_size: Bytes(current.retained(node)),
            retained_delta: BytesChange(signed(growth)),
        };
        let rows =
            graph::nested(&current.analysis.dominators, &grown).into_iter().map(row).collect();
        List { total, offset: 0, rows }
    }
}

/// The change of a size.
fn bytes_change(now: u64, before: u64) -> BytesChange {
    BytesChange(signed(now) - signed(before))
}

/// Whether a class is the engine's own: its instances are no objects of the program, but come and go with its code.
pub(super) fn is_of_the_engine(name: &str) -> bool {
    let names =
        ["(array)", "(compiled code)", "(hidden)", "(object shape)", "(synthetic)", "(system)"];
    let starts = ["system / ", "Node / ", "Detached Node / "];
    names.contains(&name)
        || starts.iter().any(|start| name.starts_with(start))
            && !name.starts_with("system / Context")
        || name.contains("::")
}

/// The first and the last.
fn ends(snapshots: &[Snapshot]) -> (&Snapshot, &Snapshot) {
    (&snapshots[0], &snapshots[snapshots.len() - 1])
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
    let (first, last) = ends(snapshots);
    let growth =
        |class: &u32| signed(last.of(key(class)).retained) - signed(first.of(key(class)).retained);
    suspects.order_by(|a, b| growth(b).cmp(&growth(a)).then_with(|| key(a).cmp(key(b))));
    suspects
}

/// A caveat if ids of two snapshots are not of the same objects.
fn other_process(
    (base, ids): (&Source, &IdSample),
    (last, current): (&Source, &Subject),
) -> Option<Caveat> {
    let lost = ids.lost_in(&current.heap)?;
    let cause = cause(&base.to_string(), &last.to_string(), &lost);
    let text = format!(
        "{cause}. So added and removed objects mean little; counts and sizes are right, and so are limits on \
         growth"
    );
    Some(Caveat { kind: CaveatKind::Mismatch, input: None, text })
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
