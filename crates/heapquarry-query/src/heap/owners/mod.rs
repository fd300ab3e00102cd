//! What belongs to each package, script or function of a heap, and how it changed.

mod answer;
pub(crate) mod view;

pub use answer::{Owner, OwnerChange, OwnerChanges, OwnerKind, OwnerSize, Owners};

use super::Subject;
use crate::{
    By,
    answer::{Bytes, BytesChange, Caveat, CountChange, List, Share},
    sections::signed,
};
use heapquarry_base::Order;
use heapquarry_graph::{
    CodeOwner, CodeOwners, Heap, NodeIndex, OwnerSum, PackedColumn, dominators, shallow_sizes,
    shown_data,
};
use std::{cmp::Reverse, collections::HashMap, fmt::Display};

/// Owners of which it is told what they retain. There are as many functions as a bundle has, and 64 of them take a walk
/// through the heap.
const MOST_RETAINED: usize = 4096;

/// What belongs to each owner of a heap.
pub(crate) struct Owned {
    pub(super) sums: Vec<OwnerSum>,
    /// Whether any function tells its script.
    pub(super) is_known: bool,
}

impl Owned {
    fn of(
        owners: &CodeOwners,
        heap: &Heap,
        dominators: &[NodeIndex],
        sizes: &PackedColumn,
        (by, most): (By, usize),
        threads: usize,
    ) -> Self {
        let most = most.min(MOST_RETAINED);
        let sums = owners.sums(heap, dominators, sizes, by.into(), most, threads);
        Owned { sums, is_known: !owners.is_empty() }
    }

    /// Of a heap that is not analysed.
    pub(super) fn of_heap(heap: &Heap, by: By, threads: usize) -> Self {
        let tree = dominators(heap).by_node();
        let owners = CodeOwners::new(heap, &tree, threads);
        Self::of(&owners, heap, &tree, &shallow_sizes(heap), (by, usize::MAX), threads)
    }
}

impl Subject {
    /// The owner of each node.
    pub(super) fn code_owners(&self) -> CodeOwners {
        CodeOwners::new(&self.heap, &self.analysis.dominators, self.threads)
    }

    /// What belongs to each owner. Of the first `most` it is told what they retain.
    pub(super) fn owned(&self, by: By, most: usize) -> Owned {
        self.owned_of(&self.code_owners(), by, most)
    }

    fn owned_of(&self, owners: &CodeOwners, by: By, most: usize) -> Owned {
        let (dominators, sizes) = (&self.analysis.dominators, &self.analysis.shallow_sizes);
        Owned::of(owners, &self.heap, dominators, sizes, (by, most), self.threads)
    }

    /// What belongs to each owner; at most `top` rows.
    pub(super) fn owners(&self, by: By, top: Option<usize>) -> Owners {
        self.owners_of(&self.code_owners(), by, top)
    }

    /// What belongs to each owner, if the owner of each node is known; at most `top` rows.
    pub(super) fn owners_of(&self, of: &CodeOwners, by: By, top: Option<usize>) -> Owners {
        let whole = self.analysis.statistics.total;
        let Owned { sums, is_known } = self.owned_of(of, by, top.unwrap_or(usize::MAX));
        let owners = List::of(sums, top, |sum| OwnerSize {
            owner: Owner::of(&sum.owner),
            count: sum.count,
            size: Bytes(sum.size),
            share_percent: Share::of(sum.size, whole),
            retained_size: sum.retained_size.map(Bytes),
            retained_percent: sum.retained_size.and_then(|size| Share::of(size, whole)),
        });
        Owners { by, owners, is_known }
    }
}

impl Owners {
    /// That nothing can be attributed, if so.
    pub(crate) fn caveat(&self, input: &impl Display) -> Option<Caveat> {
        unattributed(self.is_known, input)
    }
}

/// Why nothing is attributed to code.
pub(super) const UNKNOWN: &str =
    "no function tells its script, so nothing belongs to a package, script or function";

fn unattributed(is_known: bool, input: &impl Display) -> Option<Caveat> {
    (!is_known).then(|| Caveat::of_values(input, UNKNOWN.into()))
}

impl OwnerChanges {
    /// What changed from the first to the last snapshot; at most `top` rows.
    pub(super) fn new(by: By, first: &Owned, last: &Owned, top: Option<usize>) -> Self {
        let before: HashMap<&CodeOwner, &OwnerSum> =
            first.sums.iter().map(|sum| (&sum.owner, sum)).collect();
        let after: HashMap<&CodeOwner, &OwnerSum> =
            last.sums.iter().map(|sum| (&sum.owner, sum)).collect();
        let gone = first.sums.iter().map(|sum| &sum.owner);
        let gone = gone.filter(|owner| !after.contains_key(owner));
        let all = last.sums.iter().map(|sum| &sum.owner).chain(gone);
        // What has nothing of code retains nothing.
        let of = |sums: &HashMap<&CodeOwner, &OwnerSum>, owner| match sums.get(owner) {
            Some(sum) => (sum.count, sum.size, sum.retained_size),
            None => (0, 0, is_code(owner).then_some(0)),
        };
        let mut rows: Vec<OwnerChange> = all
            .map(|owner| {
                let (base_count, base_size, base_retained) = of(&before, owner);
                let (count, size, retained) = of(&after, owner);
                let delta = |(now, before)| BytesChange(signed(now) - signed(before));
                OwnerChange {
                    owner: Owner::of(owner),
                    count_delta: CountChange(signed(count) - signed(base_count)),
                    base_size: Bytes(base_size),
                    size: Bytes(size),
                    size_delta: delta((size, base_size)),
                    retained_size: retained.map(Bytes),
                    retained_delta: retained.zip(base_retained).map(delta),
                }
            })
            .collect();
        // Equal ones stay in the order of their sizes.
        rows.order_by_key(|row| Reverse(row.size_delta.0));
        let is_known = first.is_known || last.is_known;
        OwnerChanges { by, owners: List::of(rows, top, |row| row), is_known }
    }

    /// That nothing can be attributed, if so.
    pub(crate) fn caveat(&self, input: &impl Display) -> Option<Caveat> {
        unattributed(self.is_known, input)
    }
}

impl Owner {
    fn of(owner: &CodeOwner) -> Self {
        let kind = match owner {
            CodeOwner::Engine => OwnerKind::Engine,
            CodeOwner::Unattributed => OwnerKind::Unattributed,
            CodeOwner::Outside => OwnerKind::Outside,
            CodeOwner::Package(_) | CodeOwner::Script(_) | CodeOwner::Function { .. } => {
                OwnerKind::Code
            }
        };
        let (script, place) = match owner {
            CodeOwner::Function { script, place, .. } => (Some(script.clone()), *place),
            _ => (None, None),
        };
        let (line, column) = place.unzip();
        let name = owner.to_string();
        let name = shown_data(&name).unwrap_or(name);
        let script = script.map(|script: String| shown_data(&script).unwrap_or(script));
        Owner { kind, name, script, line, column }
    }
}

fn is_code(owner: &CodeOwner) -> bool {
    matches!(owner, CodeOwner::Package(_) | CodeOwner::Script(_) | CodeOwner::Function { .. })
}
