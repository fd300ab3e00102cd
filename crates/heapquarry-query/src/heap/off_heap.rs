//! Whose the memory outside of the heap is.

use super::Subject;
use crate::{
    answer::{Bytes, List, NodeId, Share, answer},
    view::{Col, Shown, table},
};
use heapquarry_base::Order;
use heapquarry_graph::{NodeIndex, NodeType, OffHeap, OffHeapKind, OffHeaps, off_heap};
use heapquarry_report::{Cell, Section};
use std::{cmp::Reverse, collections::HashMap, rc::Rc};

answer! {
    /// Memory outside of the heap, by the objects that hold it.
    pub struct OffHeapMemory {
        /// All of it, as far as the snapshot has it: contents of buffers, memories of WebAssembly, strings outside of
        /// the heap, objects of the embedder.
        pub size: Bytes,
        /// Number of strings outside of the heap whose size the snapshot does not say: V8 before 13.6.
        pub unsized_string_count: u64,
        /// Who holds it, by size. They add up to it.
        pub owners: List<OffHeapOwner>,
    }

    /// What objects of a class hold outside of the heap.
    pub struct OffHeapOwner {
        /// What it is: `array_buffer`, `shared_array_buffer`, `wasm`, `external_string` or `native`.
        pub kind: &'static str,
        /// The class of the objects that it goes with; `null` if several others hold each, or only the engine does.
        pub owner_class: Option<String>,
        /// The class or function that these objects are in, where their own says nothing: `Cache`, of arrays in one.
        pub within: Option<String>,
        /// Number of blocks.
        pub count: u64,
        /// Their size.
        pub size: Bytes,
        /// Its share of all that is outside of the heap.
        pub share_percent: Option<Share>,
        /// The largest block.
        pub largest: Bytes,
        /// Number of buffers, typed arrays and views on these blocks. Each keeps all of a block, however small it is.
        pub view_count: u64,
        /// The object that holds most of it, for `why`.
        pub id: Option<NodeId>,
    }
}

impl Subject {
    /// Whose the memory outside of the heap is; at most `top` owners.
    pub(super) fn off_heap(&self, top: Option<usize>) -> OffHeapMemory {
        let OffHeaps { blocks, unsized_strings } =
            off_heap(&self.heap, &self.analysis.dominators, self.threads);
        let size = blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.size));
        let mut groups: HashMap<_, Vec<&OffHeap>> = HashMap::new();
        let mut names: HashMap<NodeIndex, Rc<str>> = HashMap::new();
        for block in &blocks {
            let class = block.owner.map(|owner| self.analysis.classes.of[owner.position()]);
            let name = |node| names.entry(node).or_insert_with(|| self.within(node).into()).clone();
            let within = block.within.map(name);
            groups.entry((block.kind, class, within)).or_default().push(block);
        }
        // Of equal ones the first in the file is the first.
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.order_by_key(|blocks| blocks[0].node);
        let mut owners: Vec<OffHeapOwner> =
            groups.iter().map(|blocks| self.off_heap_owner(blocks, size)).collect();
        owners.order_by(|a, b| {
            let name = (a.kind, &a.owner_class, &a.within);
            b.size.cmp(&a.size).then_with(|| name.cmp(&(b.kind, &b.owner_class, &b.within)))
        });
        OffHeapMemory {
            size: Bytes(size),
            unsized_string_count: unsized_strings,
            owners: List::of(owners, top, |owner| owner),
        }
    }

    /// What an owner is in: a class, or a function that has it in a variable.
    fn within(&self, node: NodeIndex) -> String {
        match self.heap.nodes().kind(node) {
            NodeType::Closure => format!("{}()", self.heap.node_name(node)),
            _ => self.class_of(node),
        }
    }

    /// Blocks of one kind whose owners are alike.
    fn off_heap_owner(&self, blocks: &[&OffHeap], all: u64) -> OffHeapOwner {
        let size = blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.size));
        let mut held: HashMap<_, u64> = HashMap::new();
        for block in blocks {
            if let Some(owner) = block.owner {
                let held = held.entry(owner).or_default();
                *held = held.saturating_add(block.size);
            }
        }
        // Of equal ones the first in the file.
        let most = held.into_iter().max_by_key(|&(owner, held)| (held, Reverse(owner)));
        let first = blocks[0];
        OffHeapOwner {
            kind: name(first.kind),
            owner_class: first.owner.map(|owner| self.class_of(owner)),
            within: first.within.map(|within| self.within(within)),
            count: blocks.len() as u64,
            size: Bytes(size),
            share_percent: Share::of(size, all),
            largest: Bytes(blocks.iter().map(|block| block.size).max().unwrap_or(0)),
            view_count: blocks.iter().map(|block| u64::from(block.views)).sum(),
            id: most.map(|(owner, _)| self.node_id(owner)),
        }
    }
}

fn name(kind: OffHeapKind) -> &'static str {
    match kind {
        OffHeapKind::ArrayBuffer => "array_buffer",
        OffHeapKind::SharedArrayBuffer => "shared_array_buffer",
        OffHeapKind::Wasm => "wasm",
        OffHeapKind::ExternalString => "external_string",
        OffHeapKind::Native => "native",
    }
}

impl OffHeapMemory {
    pub(super) fn section(&self, shown: usize) -> Section {
        table("off_heap", "Memory outside of the heap, by owner", &self.owners, OWNERS, shown)
    }
}

const OWNERS: &[Col<OffHeapOwner>] = &[
    Col::new("Owner", |row| match &row.owner_class {
        Some(class) => class.cell(),
        None => Cell::text("several, or the engine"),
    }),
    Col::optional("Within", |row| row.within.cell()),
    Col::new("Kind", |row| row.kind.cell()),
    Col::new("Blocks", |row| row.count.cell()),
    Col::new("Size", |row| row.size.cell()),
    Col::optional("Share", |row| row.share_percent.cell()),
    Col::optional("Largest", |row| row.largest.cell()),
    Col::optional("Views", |row| row.view_count.cell()),
    Col::new("Id", |row| row.id.cell()),
];

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_report::Body;

    /// Most native memory of browsers has no owner: an empty cell would look like a class without a name.
    #[test]
    fn memory_without_one_owner_says_so() {
        let owner = |class: Option<&str>| OffHeapOwner {
            kind: "native",
            owner_class: class.map(str::to_owned),
            within: None,
            count: 1,
            size: Bytes(10),
            share_percent: Share::of(10, 20),
            largest: Bytes(10),
            view_count: 0,
            id: None,
        };
        let owners = List::of(vec![owner(None), owner(Some("Cache"))], None, |owner| owner);
        let memory = OffHeapMemory { size: Bytes(20), unsized_string_count: 0, owners };
        let Body::Table(table) = memory.section(10).body else { panic!("no table") };
        let found: Vec<_> = table.rows.iter().map(|row| row[0].clone()).collect();
        assert_eq!(found, [Cell::text("several, or the engine"), Cell::name("Cache")]);
    }
}
