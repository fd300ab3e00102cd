//! Sizes by category.

use crate::{Bits, EdgeType, Heap, NodeIndex, NodeType, PackedColumn, known::Role};

/// The sizes of DevTools' statistics view, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// All reachable memory, including native memory outside the heap.
    pub total: u64,
    /// Memory of the embedder.
    pub native: u64,
    /// The part of it in typed arrays and buffers.
    pub typed_arrays: u64,
    /// Everything except native memory.
    pub v8_heap: u64,
    /// Compiled code.
    pub code: u64,
    /// Strings.
    pub strings: u64,
    /// Arrays with their elements.
    pub js_arrays: u64,
    /// Memory that the engine needs for itself.
    pub system: u64,
}

impl Statistics {
    /// The statistics with what the root retains, which they did not know.
    pub(crate) fn with_retained(self, root_retained: u64) -> Self {
        let total = self.total.saturating_add(root_retained);
        Statistics { total, v8_heap: total.saturating_sub(self.native), ..self }
    }

    /// Each category with its name, in a fixed order.
    pub fn categories(&self) -> [(&'static str, u64); 8] {
        [
            ("total", self.total),
            ("native", self.native),
            ("typed_arrays", self.typed_arrays),
            ("v8_heap", self.v8_heap),
            ("code", self.code),
            ("strings", self.strings),
            ("js_arrays", self.js_arrays),
            ("system", self.system),
        ]
    }
}

/// The statistics of a heap, given shallow sizes and the retained size of its root. DevTools: `calculateStatistics`,
/// `calculateArraySize`.
pub fn statistics(
    heap: &Heap,
    sizes: &PackedColumn,
    root_retained: u64,
    threads: usize,
) -> Statistics {
    Elements::new(heap, threads).statistics(heap, sizes, root_retained)
}

/// The storage of arrays' elements, which is found by the names of edges.
pub(crate) struct Elements {
    /// Arrays and their storage, if nothing else refers to it.
    of: Vec<(NodeIndex, NodeIndex)>,
}

impl Elements {
    pub(crate) fn new(heap: &Heap, threads: usize) -> Self {
        let edges = heap.edges();
        let found = heap.by_nodes(threads, |range| {
            let arrays = NodeIndex::each(range).filter(|&node| is_array(heap, node));
            let storage = arrays.filter_map(|node| {
                let is_elements = |&edge: &usize| {
                    edges.kind(edge) == EdgeType::Internal
                        && heap.known.role(edges.string(edge)) == Role::Elements
                };
                Some((node, edges.target(edges.of(node).find(is_elements)?)))
            });
            storage.collect::<Vec<_>>()
        });
        let mut of = found.concat();
        let shared = shared(heap, &of, threads);
        of.retain(|&(_, storage)| !shared.get(storage));
        Elements { of }
    }

    pub(crate) fn statistics(
        &self,
        heap: &Heap,
        sizes: &PackedColumn,
        root_retained: u64,
    ) -> Statistics {
        let mut sums = Statistics { native: heap.extra_native_bytes(), ..Statistics::default() };
        let add = |sum: &mut u64, size: u64| *sum = sum.saturating_add(size);
        for node in heap.nodes().all() {
            let size = sizes.get(node.position());
            match heap.nodes().kind(node) {
                NodeType::Hidden => add(&mut sums.system, size),
                NodeType::Native => {
                    add(&mut sums.native, size);
                    if heap.role(node) == Role::ArrayBufferData {
                        add(&mut sums.typed_arrays, size);
                    }
                }
                NodeType::Code => add(&mut sums.code, size),
                NodeType::String | NodeType::ConsString | NodeType::SlicedString => {
                    add(&mut sums.strings, size);
                }
                _ if heap.role(node) == Role::Array => add(&mut sums.js_arrays, size),
                _ => {}
            }
        }
        for &(_, storage) in &self.of {
            add(&mut sums.js_arrays, sizes.get(storage.position()));
        }
        sums.total = heap.extra_native_bytes();
        sums.with_retained(root_retained)
    }
}

fn is_array(heap: &Heap, node: NodeIndex) -> bool {
    heap.role(node) == Role::Array
        && !matches!(
            heap.nodes().kind(node),
            NodeType::Hidden
                | NodeType::Native
                | NodeType::Code
                | NodeType::String
                | NodeType::ConsString
                | NodeType::SlicedString
        )
}

/// The storage nodes with more than one incoming edge.
fn shared(heap: &Heap, storage: &[(NodeIndex, NodeIndex)], threads: usize) -> Bits {
    let mut wanted = heap.no_nodes();
    storage.iter().for_each(|&(_, node)| wanted.set(node));
    let edges = heap.edges();
    let seen = heap.by_nodes(threads, |range| {
        let (mut once, mut more) = (heap.no_nodes(), heap.no_nodes());
        let range = edges.starts.get(range.start) as usize..edges.starts.get(range.end) as usize;
        let kinds = &edges.kinds[range.clone()];
        for (&kind, &target) in kinds.iter().zip(&edges.targets[range]) {
            if wanted.get(target) && kind != EdgeType::Missing as u8 {
                if once.get(target) {
                    more.set(target);
                }
                once.set(target);
            }
        }
        (once, more)
    });
    let mut parts = seen.into_iter();
    let (mut once, mut more) = parts.next().expect("there is one range at least");
    for (again, often) in parts {
        more.merge(&often);
        more.merge_both(&once, &again);
        once.merge(&again);
    }
    more
}
