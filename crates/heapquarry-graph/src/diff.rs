//! Differences between two snapshots of one process.

use crate::{Class, Classes, Heap, PackedColumn};
use heapquarry_base::Order;
use std::cmp::Ordering;

/// Changes in the instances of a class. Sizes are shallow sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// The instances of each class by id: all that a comparison needs of a snapshot, so its heap can be dropped.
#[derive(Clone, Debug, Default)]
pub struct Instances {
    /// By key.
    classes: Vec<Members>,
}

fn instances(members: Option<&Members>) -> &[(i64, u64)] {
    members.map_or(&[], |members| &members.instances)
}

#[derive(Clone, Debug)]
struct Members {
    class: Class,
    /// Id and size of each, sorted by id.
    instances: Vec<(i64, u64)>,
}

impl Instances {
    /// The instances of a heap that have a size. The heap of the base must be [classified](crate::classify) with the
    /// [interfaces](crate::interfaces) of the current one.
    pub fn new(heap: &Heap, classes: &Classes, sizes: &PackedColumn) -> Self {
        let members = |class: &Class| Members { class: class.clone(), instances: Vec::new() };
        let mut by_class: Vec<Members> = classes.classes.iter().map(members).collect();
        for (node, &class) in heap.nodes().all().zip(&classes.of) {
            let size = sizes.get(node.position());
            if size > 0 {
                let instances = &mut by_class[class as usize].instances;
                instances.push((heap.nodes().id(node), size));
            }
        }
        by_class.retain(|members| !members.instances.is_empty());
        for members in &mut by_class {
            members.instances.sort_unstable();
        }
        by_class.order_by(|a, b| a.class.key.cmp(&b.class.key));
        Instances { classes: by_class }
    }
}

/// The classes with instances in only one of the snapshots, sorted by key. An instance in both is not counted, even if
/// its size changed. An instance whose class changed is removed from one class and added to the other. DevTools:
/// `calculateSnapshotDiff`, `calculateDiffForClass`.
pub fn diff(base: &Instances, current: &Instances) -> Vec<ClassDiff> {
    let (mut old, mut new) = (base.classes.iter().peekable(), current.classes.iter().peekable());
    let mut diffs = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(old), Some(new)) => old.class.key.cmp(&new.class.key),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        let class = &after.or(before).expect("one of them is there").class;
        let mut diff = ClassDiff {
            class_name: class.name.clone(),
            class_key: class.key.clone(),
            added_count: 0,
            removed_count: 0,
            added_size: 0,
            removed_size: 0,
        };
        diff.compare(instances(before), instances(after));
        if diff.added_count + diff.removed_count > 0 {
            diffs.push(diff);
        }
    }
    diffs
}

impl ClassDiff {
    /// Both lists are sorted by id.
    fn compare(&mut self, mut old: &[(i64, u64)], mut new: &[(i64, u64)]) {
        loop {
            let order = match (old.first(), new.first()) {
                (Some(old), Some(new)) => old.0.cmp(&new.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            if order.is_lt() {
                self.removed_count += 1;
                self.removed_size = self.removed_size.saturating_add(old[0].1);
            } else if order.is_gt() {
                self.added_count += 1;
                self.added_size = self.added_size.saturating_add(new[0].1);
            }
            old = &old[usize::from(order.is_le())..];
            new = &new[usize::from(order.is_ge())..];
        }
    }
}
