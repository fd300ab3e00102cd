//! Differences between two snapshots of one process.

use crate::{
    Analysis, Class, Classes, Dominators, HashMap, Heap, NodeIndex, PackedColumn, RetainedById,
    aggregates::{self, Preorder},
    analysis::Tree,
    by_id::ById,
    dominators::Left,
    ownership,
    retained::retained_sizes_in,
    unnamed::Unnamed,
};
use heapquarry_base::{Order, threads::join};
use std::cmp::Ordering;

/// Changes in the instances of a class. Sizes are shallow sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassDiff {
    /// Name of the class.
    pub class_name: String,
    /// Key of the class.
    pub class_key: String,
    /// Instances that only the current snapshot has.
    pub added_count: u64,
    /// Instances that only the base has.
    pub removed_count: u64,
    /// Size of the added instances, in bytes.
    pub added_size: u64,
    /// Size of the removed instances, in bytes.
    pub removed_size: u64,
}

impl ClassDiff {
    /// Added minus removed instances.
    pub fn count_delta(&self) -> i64 {
        self.added_count as i64 - self.removed_count as i64
    }

    /// Size of added minus removed instances, in bytes.
    pub fn size_delta(&self) -> i64 {
        self.added_size as i64 - self.removed_size as i64
    }
}

/// What a comparison needs of the first snapshot: the rest of it is freed before the next one is read.
#[derive(Debug)]
pub struct DiffBase {
    ids: ById,
    shallow_sizes: PackedColumn,
    retained_sizes: PackedColumn,
    /// The nodes in preorder, each with the end of the range of nodes that it dominates.
    preorder: Vec<(NodeIndex, u32)>,
    classes: Unnamed,
    total: u64,
}

/// What came of a comparison.
#[derive(Debug)]
pub struct Compared {
    /// The classes with instances in only one of the snapshots, sorted by key. An instance in both is not counted, even
    /// if its size changed. An instance whose class changed is removed from one class and added to the other. DevTools:
    /// `calculateSnapshotDiff`, `calculateDiffForClass`.
    pub classes: Vec<ClassDiff>,
    /// Totals of the classes of the first snapshot.
    pub base: Vec<ClassTotals>,
    /// What each node of the first snapshot retained.
    pub retained: RetainedById,
}

/// Totals of a class with instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTotals {
    /// The class.
    pub class: Class,
    /// Number of instances that have a size.
    pub count: u64,
    /// Sum of their shallow sizes in bytes.
    pub shallow_size: u64,
    /// What they retain together, in bytes.
    pub retained_size: u64,
}

impl ClassTotals {
    /// The count, the shallow size and the retained size.
    pub fn numbers(&self) -> [u64; 3] {
        [self.count, self.shallow_size, self.retained_size]
    }
}

impl DiffBase {
    /// Finds it in a heap: most of an analysis is not needed.
    pub fn of(heap: Heap, threads: usize) -> Self {
        let others = threads.saturating_sub(1).max(1);
        let ((tree, left), (shallow_sizes, classes, ids)) = join(
            threads,
            || Tree::of(&heap),
            || {
                let sizes = ownership::with_helpers(&heap, heap.nodes().self_sizes.clone());
                (sizes, Unnamed::of(&heap, others), ById::new(&heap))
            },
        );
        let (root, native) = (heap.root(), heap.extra_native_bytes());
        // There may be little room beside its edges.
        drop(heap);
        let Left { mut words, pairs } = left;
        let (retained_sizes, preorder) = join(
            threads,
            || retained_sizes_in(&tree.dominators, &shallow_sizes, &mut words),
            || Preorder::new(&tree.dominators, pairs).nodes(&tree.dominators.order).collect(),
        );
        let total = native.saturating_add(retained_sizes.known(root.position()).unwrap_or(0));
        DiffBase { ids, shallow_sizes, retained_sizes, preorder, classes, total }
    }

    /// Takes it out of a heap and its analysis. An analysis [like](crate::analyze_like) one of a heap without
    /// interfaces is enough: plain objects are named when their heap is compared.
    pub fn new(heap: Heap, analysis: Analysis, threads: usize) -> Self {
        let analysis = analysis.like(&heap, &[], threads);
        let root = heap.root();
        let Analysis { classes, dominators, shallow_sizes, retained_sizes, statistics, .. } =
            analysis;
        let (classes, ids) = join(threads, || Unnamed::new(&heap, classes), || ById::new(&heap));
        // There may be little room beside its edges.
        drop(heap);
        let tree = Dominators::from_nodes(&dominators, root).unwrap_or_default();
        let preorder = Preorder::new(&tree, Vec::new()).nodes(&tree.order).collect();
        let total = statistics.total;
        DiffBase { ids, shallow_sizes, retained_sizes, preorder, classes, total }
    }

    /// Number of nodes of the snapshot.
    pub fn nodes(&self) -> usize {
        self.ids.len()
    }

    /// All reachable memory in bytes: see [`Statistics::total`](crate::Statistics::total).
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Compares a heap with it. Plain objects are classified by the interfaces of this heap, as DevTools does.
    pub fn compare(self, heap: &Heap, analysis: &Analysis, threads: usize) -> Compared {
        let DiffBase { ids, shallow_sizes, retained_sizes, preorder, classes, .. } = self;
        let ((classes, base), ids_now) = join(
            threads,
            || {
                let classes = classes.named(&analysis.interfaces);
                let held =
                    aggregates::retained_sizes(&classes, &shallow_sizes, &retained_sizes, preorder);
                let base = totals(&classes, &shallow_sizes, held);
                (classes, base)
            },
            || ById::new(heap),
        );
        let current = (&ids_now, &analysis.shallow_sizes, &analysis.classes);
        let classes = diff((&ids, &shallow_sizes, &classes), current);
        Compared { classes, base, retained: RetainedById::new(ids, retained_sizes) }
    }
}

/// Totals of the classes that have instances.
fn totals(classes: &Classes, sizes: &PackedColumn, held: Vec<u64>) -> Vec<ClassTotals> {
    let all = classes.classes.iter().zip(held).map(|(class, retained_size)| ClassTotals {
        class: class.clone(),
        count: 0,
        shallow_size: 0,
        retained_size,
    });
    let mut all: Vec<ClassTotals> = all.collect();
    for (&class, size) in classes.of.iter().zip(sizes.iter()).filter(|(_, size)| *size > 0) {
        let totals = &mut all[class as usize];
        totals.count += 1;
        totals.shallow_size = totals.shallow_size.saturating_add(size);
    }
    all.retain(|totals| totals.count > 0);
    all
}

/// Both are looked at id by id.
fn diff<'a>(
    base: (&ById, &PackedColumn, &'a Classes),
    current: (&ById, &PackedColumn, &'a Classes),
) -> Vec<ClassDiff> {
    let (mut diffs, mut by_key) = (Vec::new(), HashMap::default());
    let mut side = |(ids, sizes, classes): (_, _, &'a Classes)| {
        let number = |class: &'a Class| {
            *by_key.entry(&*class.key).or_insert_with(|| {
                let (class_name, class_key) = (class.name.clone(), class.key.clone());
                diffs.push(ClassDiff { class_name, class_key, ..ClassDiff::default() });
                diffs.len() - 1
            })
        };
        let numbers = classes.classes.iter().map(number).collect();
        Side { ids, sizes, of: &classes.of, numbers, rank: 0, instances: Vec::new() }
    };
    let (mut old, mut new) = (side(base), side(current));
    while let Some(id) = old.next().into_iter().chain(new.next()).min() {
        // Most nodes are in both, and of one class.
        if let Some(instance) = old.only(id)
            && new.only(id) == Some(instance)
        {
            old.rank += 1;
            new.rank += 1;
            continue;
        }
        old.take(id);
        new.take(id);
        let (mut old, mut new) = (old.instances.iter().peekable(), new.instances.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.0.cmp(&new.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { new.next() } else { None };
            match (before, after) {
                (Some(&(class, size)), None) => {
                    let diff: &mut ClassDiff = &mut diffs[class];
                    diff.removed_count += 1;
                    diff.removed_size = diff.removed_size.saturating_add(size);
                }
                (None, Some(&(class, size))) => {
                    let diff = &mut diffs[class];
                    diff.added_count += 1;
                    diff.added_size = diff.added_size.saturating_add(size);
                }
                _ => {}
            }
        }
    }
    diffs.retain(|diff| diff.added_count + diff.removed_count > 0);
    diffs.order_by(|a, b| a.class_key.cmp(&b.class_key));
    diffs
}

/// One of two snapshots that are compared, as far as it was looked at.
struct Side<'a> {
    ids: &'a ById,
    sizes: &'a PackedColumn,
    of: &'a [u32],
    /// Of each class among those of both.
    numbers: Vec<usize>,
    /// The next node.
    rank: usize,
    /// Class and size of the nodes with the last id, sorted.
    instances: Vec<(usize, u64)>,
}

impl Side<'_> {
    /// The next id.
    fn next(&self) -> Option<i64> {
        self.ids.id(self.rank)
    }

    /// The class of the only node that has an id, and whether it has a size.
    fn only(&self, id: i64) -> Option<(usize, bool)> {
        if self.next() != Some(id) || self.ids.id(self.rank + 1) == Some(id) {
            return None;
        }
        let node = self.ids.node(self.rank);
        Some((self.numbers[self.of[node] as usize], self.sizes.get(node) > 0))
    }

    /// Goes beyond an id, if it is the next one. Of several nodes with it, in a damaged file or one without ids, those
    /// of a class are taken for each other by size.
    fn take(&mut self, id: i64) {
        self.instances.clear();
        while self.next() == Some(id) {
            let node = self.ids.node(self.rank);
            let size = self.sizes.get(node);
            if size > 0 {
                self.instances.push((self.numbers[self.of[node] as usize], size));
            }
            self.rank += 1;
        }
        if self.instances.len() > 1 {
            self.instances.order_by_key(|instance| *instance);
        }
    }
}
