//! Memory outside of the heap: which objects hold it.
//!
//! A snapshot shows it as nodes of its own, behind wrappers that say little: the contents of a `Buffer` belong to an
//! `ArrayBuffer`, which the buffer holds. The owner of such a block is the first object on its way to the root that is
//! no wrapper, and that nothing goes around: a dominator.

use crate::{Bits, EdgeName, EdgeType, HashMap, Heap, NodeIndex, NodeType, known::Role};
use heapquarry_base::threads;

/// What a block of memory outside of the heap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OffHeapKind {
    /// The contents of an `ArrayBuffer`: of buffers and typed arrays.
    ArrayBuffer,
    /// The contents of a `SharedArrayBuffer`, which other threads can use, too.
    SharedArrayBuffer,
    /// A memory of WebAssembly.
    Wasm,
    /// A string whose text is outside of the heap, such as that of a large file.
    ExternalString,
    /// An object of the embedder, as far as it says its size.
    Native,
}

/// A block of memory outside of the heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffHeap {
    /// Its node.
    pub node: NodeIndex,
    /// What it is.
    pub kind: OffHeapKind,
    /// Its size in bytes.
    pub size: u64,
    /// Number of typed arrays, buffers and views on it; each keeps all of it.
    pub views: u32,
    /// The object that it goes with; `None` if several hold it, or only the engine.
    pub owner: Option<NodeIndex>,
    /// The nearest object that holds the owner and whose class says more than that it is an array, a map or a plain
    /// object; `None` if the owner is one, or there is none.
    pub within: Option<NodeIndex>,
}

/// Memory outside of the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffHeaps {
    /// The blocks, in file order.
    pub blocks: Vec<OffHeap>,
    /// Number of strings whose text is outside of the heap, and whose size the snapshot does not say: V8 before 13.6
    /// writes the size of their headers alone.
    pub unsized_strings: u64,
}

const BUFFERS: [&str; 2] = ["ArrayBuffer", "SharedArrayBuffer"];
/// `WebAssembly.Memory`.
const MEMORY: &str = "Memory";

/// Objects whose class says nothing of what they are for.
const PLAIN: [&str; 7] = ["Object", "Array", "Map", "Set", "WeakMap", "WeakSet", "Arguments"];

/// The grouping node of strings whose text is outside of the heap.
const EXTERNAL_STRINGS: &str = "(External strings)";

/// Memory outside of the heap, and its owners. `dominators` are those of all nodes. The result does not depend on the
/// number of threads.
pub fn off_heap(heap: &Heap, dominators: &[NodeIndex], threads: usize) -> OffHeaps {
    let nodes = heap.nodes();
    let climb = Climb { heap, dominators };
    let is_contents = |node: NodeIndex| {
        nodes.kind(node) == NodeType::Native && heap.role(node) == Role::ArrayBufferData
    };
    let contents = nodes.all().filter(|&node| is_contents(node));
    let views = views(heap, contents.filter_map(|node| climb.above(node)));
    let mut strings = heap.no_nodes();
    external_strings(heap).for_each(|string| strings.set(string));
    let holders = holders(heap, &strings, threads);
    let mut found = OffHeaps::default();
    let (mut owners, mut withins) = (Noted::default(), Noted::default());
    for node in nodes.all() {
        let native = || nodes.native_size(node).filter(|&size| size > 0);
        let above = || climb.above(node);
        let (kind, size, first) = match nodes.kind(node) {
            NodeType::Native if is_contents(node) => {
                (climb.kind_of(above()), nodes.self_size(node), above())
            }
            NodeType::Native if nodes.self_size(node) > 0 => {
                (OffHeapKind::Native, nodes.self_size(node), above())
            }
            NodeType::String if strings.get(node) => {
                let size = nodes.self_size(node);
                // Names can be cut, so a text can be longer than that, but never shorter. A character takes one byte,
                // or two; in the name it can take more.
                let count = |name: &str| name.chars().count() as u64;
                if size < heap.strings().with(nodes.name_id(node), count) {
                    found.unsized_strings += 1;
                    continue;
                }
                (OffHeapKind::ExternalString, size, holders.get(&node).copied().flatten())
            }
            _ => match native() {
                Some(size) => (OffHeapKind::Native, size, Some(node)),
                None => continue,
            },
        };
        if size == 0 {
            continue;
        }
        let views = above().and_then(|buffer| views.get(&buffer)).copied().unwrap_or(0);
        let owner = first.and_then(|first| climb.owner(first, &mut owners));
        let within = owner.and_then(|owner| climb.within(owner, &mut withins));
        found.blocks.push(OffHeap { node, kind, size, views, owner, within });
    }
    found
}

/// What was found above nodes.
type Noted = HashMap<NodeIndex, Option<NodeIndex>>;

/// The way to the root, by dominators.
struct Climb<'a> {
    heap: &'a Heap,
    dominators: &'a [NodeIndex],
}

impl Climb<'_> {
    /// The dominator of a node; `None` above the root, and of what nothing reaches.
    fn above(&self, node: NodeIndex) -> Option<NodeIndex> {
        let above = *self.dominators.get(node.position())?;
        (above != node && above.position() < self.dominators.len()).then_some(above)
    }

    /// A node and its dominators.
    fn way(&self, from: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        // A damaged file could have a circle.
        std::iter::successors(Some(from), |node| self.above(*node)).take(self.dominators.len())
    }

    /// The first of a node and its dominators that is wanted. It is noted for all nodes on the way: in a long list,
    /// each is looked at once.
    fn first(
        &self,
        from: NodeIndex,
        noted: &mut Noted,
        is_wanted: impl Fn(&NodeIndex) -> bool,
    ) -> Option<NodeIndex> {
        let (mut passed, mut found) = (Vec::new(), None);
        for node in self.way(from) {
            if let Some(known) = noted.get(&node) {
                found = *known;
                break;
            }
            passed.push(node);
            if is_wanted(&node) {
                found = Some(node);
                break;
            }
        }
        noted.extend(passed.into_iter().map(|node| (node, found)));
        found
    }

    fn is(&self, node: NodeIndex, kind: NodeType, names: &[&str]) -> bool {
        self.heap.nodes().kind(node) == kind && names.contains(&self.heap.node_name(node))
    }

    /// What the contents of a buffer are.
    fn kind_of(&self, buffer: Option<NodeIndex>) -> OffHeapKind {
        let Some(buffer) = buffer else { return OffHeapKind::ArrayBuffer };
        if self.above(buffer).is_some_and(|above| self.is_memory(above)) {
            return OffHeapKind::Wasm;
        }
        match self.heap.node_name(buffer) {
            "SharedArrayBuffer" => OffHeapKind::SharedArrayBuffer,
            _ => OffHeapKind::ArrayBuffer,
        }
    }

    /// Whether it is a `WebAssembly.Memory`: programs may call classes so, but the engine's has its buffer in a slot.
    fn is_memory(&self, node: NodeIndex) -> bool {
        let edges = self.heap.edges();
        self.is(node, NodeType::Object, &[MEMORY])
            && edges.of(node).any(|edge| {
                edges.kind(edge) == EdgeType::Hidden
                    && self.is(edges.target(edge), NodeType::Object, &BUFFERS)
            })
    }

    fn is_wrapper(&self, node: NodeIndex) -> bool {
        self.heap.role(node) == Role::View || BUFFERS.contains(&self.heap.node_name(node))
    }

    fn owner(&self, first: NodeIndex, noted: &mut Noted) -> Option<NodeIndex> {
        let is_owner = |node: &NodeIndex| {
            let kind = self.heap.nodes().kind(*node);
            kind.is_of_the_program()
                && !matches!(kind, NodeType::Array | NodeType::Native)
                && !self.is_wrapper(*node)
                && !is_of_the_engine(self.heap.node_name(*node))
                && !self.is_memory(*node)
        };
        self.first(first, noted, is_owner)
    }

    fn within(&self, owner: NodeIndex, noted: &mut Noted) -> Option<NodeIndex> {
        let says_more = |node: &NodeIndex| match self.heap.nodes().kind(*node) {
            NodeType::Object => {
                let name = self.heap.node_name(*node);
                !PLAIN.contains(&name) && !is_of_the_engine(name)
            }
            NodeType::Closure => !self.heap.node_name(*node).is_empty(),
            _ => false,
        };
        self.first(owner, noted, says_more).filter(|&found| found != owner)
    }
}

/// Whether it is an object that the engine made for itself, such as the variables of a function.
fn is_of_the_engine(name: &str) -> bool {
    name.starts_with("system / ")
}

/// The strings whose text is outside of the heap.
fn external_strings(heap: &Heap) -> impl Iterator<Item = NodeIndex> {
    let (nodes, edges) = (heap.nodes(), heap.edges());
    let is_list = |node: &NodeIndex| {
        nodes.kind(*node) == NodeType::Synthetic && heap.node_name(*node) == EXTERNAL_STRINGS
    };
    let list = nodes.all().find(is_list);
    let listed = list.into_iter().flat_map(|list| edges.of(list));
    let strings = listed.filter(|&edge| edges.is_strong(edge)).map(|edge| edges.target(edge));
    strings.filter(|&node| nodes.kind(node) == NodeType::String)
}

/// Number of views on each of these buffers that has some.
fn views(heap: &Heap, buffers: impl Iterator<Item = NodeIndex>) -> HashMap<NodeIndex, u32> {
    let mut wanted = heap.no_nodes();
    buffers.for_each(|buffer| wanted.set(buffer));
    let edges = heap.edges();
    let mut found = HashMap::default();
    for view in heap.nodes().all().filter(|&node| heap.role(node) == Role::View) {
        // Other edges can lead to no node at all.
        for edge in edges.of(view).filter(|&edge| edges.is_strong(edge)) {
            let buffer = edges.target(edge);
            if wanted.get(buffer) && heap.edge_name(edge) == EdgeName::Text("buffer") {
                *found.entry(buffer).or_default() += 1;
            }
        }
    }
    found
}

/// The only node that holds each of these, grouping nodes aside; `None` if several do.
fn holders(heap: &Heap, held: &Bits, threads: usize) -> HashMap<NodeIndex, Option<NodeIndex>> {
    let mut found = HashMap::default();
    if held.count() == 0 {
        return found;
    }
    let edges = heap.edges();
    // All edges are looked at, and few lead there: only of these it is asked where they come from.
    let leading = threads::ranges(edges.len(), threads, |range| {
        let targets = edges.targets[range.clone()].iter().zip(range);
        let leading = targets.filter(|&(&target, edge)| held.get(target) && edges.is_strong(edge));
        leading.map(|(_, edge)| edge).collect::<Vec<_>>()
    });
    for edge in leading.into_iter().flatten() {
        let node = edges.owner(edge);
        if heap.nodes().kind(node) != NodeType::Synthetic {
            let holder = found.entry(edges.target(edge)).or_insert(Some(node));
            if *holder != Some(node) {
                *holder = None;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapBuilder, analyze};
    use OffHeapKind::{ArrayBuffer, ExternalString, Native, SharedArrayBuffer, Wasm};

    struct Made {
        builder: HeapBuilder,
        root: NodeIndex,
    }

    impl Made {
        fn new() -> Self {
            let mut builder = HeapBuilder::new();
            let root = builder.node("synthetic", "", 0);
            Made { builder, root }
        }

        /// An object of a class that another one has.
        fn object(&mut self, class: &str, of: NodeIndex) -> NodeIndex {
            let object = self.builder.node("object", class, 20);
            self.builder.edge(of, EdgeType::Property, "x", object);
            object
        }

        /// A buffer with contents, which an object has.
        fn buffer(&mut self, class: &str, size: u64, of: NodeIndex) -> NodeIndex {
            let buffer = self.object(class, of);
            let data = self.builder.node("native", "system / JSArrayBufferData", size);
            self.builder.edge(buffer, EdgeType::Internal, "backing_store", data);
            buffer
        }

        /// A view, which an object has, on a buffer.
        fn view(&mut self, class: &str, buffer: NodeIndex, of: NodeIndex) -> NodeIndex {
            let view = self.object(class, of);
            self.builder.edge(view, EdgeType::Internal, "buffer", buffer);
            view
        }

        /// Kind, size, views, class of the owner and what it is within.
        fn found(self) -> Vec<(OffHeapKind, u64, u32, String, String)> {
            let heap = self.builder.build();
            let found = off_heap(&heap, &analyze(&heap, 1).dominators, 1);
            assert_eq!(found.unsized_strings, 0);
            let name = |node: Option<NodeIndex>| {
                node.map_or_else(|| "-".to_owned(), |node| heap.node_name(node).to_owned())
            };
            let row = |found: &OffHeap| {
                (found.kind, found.size, found.views, name(found.owner), name(found.within))
            };
            found.blocks.iter().map(row).collect()
        }
    }

    fn row(
        kind: OffHeapKind,
        size: u64,
        views: u32,
        owner: &str,
        within: &str,
    ) -> (OffHeapKind, u64, u32, String, String) {
        (kind, size, views, owner.into(), within.into())
    }

    #[test]
    fn contents_of_buffers_belong_to_what_holds_their_wrappers() {
        let mut made = Made::new();
        let cache = made.object("Cache", made.root);
        let list = made.object("Array", cache);
        // A view has the buffer: nothing else does.
        let view = made.object("Buffer", list);
        let data = made.buffer("ArrayBuffer", 1000, view);
        made.builder.edge(view, EdgeType::Internal, "buffer", data);
        // Two slices of one buffer, in one object.
        let pinned = made.object("Pinned", made.root);
        let first = made.object("Uint8Array", pinned);
        let data = made.buffer("ArrayBuffer", 2000, first);
        made.builder.edge(first, EdgeType::Internal, "buffer", data);
        made.view("DataView", data, pinned);
        made.buffer("SharedArrayBuffer", 300, pinned);
        assert_eq!(
            made.found(),
            [
                row(ArrayBuffer, 1000, 1, "Array", "Cache"),
                row(ArrayBuffer, 2000, 2, "Pinned", "-"),
                row(SharedArrayBuffer, 300, 0, "Pinned", "-"),
            ]
        );
    }

    #[test]
    fn what_several_hold_belongs_to_what_holds_these_or_to_nobody() {
        let mut made = Made::new();
        let app = made.object("App", made.root);
        let [a, b] = ["A", "B"].map(|class| made.object(class, app));
        let shared = made.buffer("ArrayBuffer", 10, a);
        made.view("Buffer", shared, b);
        let other = made.object("C", made.root);
        let everywhere = made.buffer("ArrayBuffer", 20, a);
        made.view("Buffer", everywhere, other);
        assert_eq!(
            made.found(),
            [row(ArrayBuffer, 10, 1, "App", "-"), row(ArrayBuffer, 20, 1, "-", "-")]
        );
    }

    #[test]
    fn variables_belong_to_their_function() {
        let mut made = Made::new();
        let function = made.builder.node("closure", "upload", 60);
        made.builder.edge(made.root, EdgeType::Shortcut, "f", function);
        let scope = made.builder.node("object", "system / Context", 40);
        made.builder.edge(function, EdgeType::Internal, "context", scope);
        let kept = made.builder.node("object", "Array", 20);
        made.builder.edge(scope, EdgeType::Context, "kept", kept);
        made.buffer("ArrayBuffer", 100, kept);
        made.buffer("ArrayBuffer", 200, scope);
        assert_eq!(
            made.found(),
            [row(ArrayBuffer, 100, 0, "Array", "upload"), row(ArrayBuffer, 200, 0, "upload", "-")]
        );
    }

    /// Each object of a list dominates all after it.
    #[test]
    fn of_a_long_list_each_object_is_looked_at_once() {
        const LEN: usize = 200_000;
        let mut made = Made::new();
        let mut dominators = vec![made.root, made.root];
        let mut last = made.object("Cache", made.root);
        for _ in 0..LEN {
            let object = made.object("Object", last);
            let buffer = made.buffer("ArrayBuffer", 10, object);
            dominators.extend([last, object, buffer]);
            last = object;
        }
        let heap = made.builder.build();
        let blocks = off_heap(&heap, &dominators, 1).blocks;
        assert_eq!(blocks.len(), LEN);
        assert_eq!(off_heap(&heap, &dominators, 4).blocks, blocks);
        for (at, block) in blocks.iter().enumerate() {
            let owner = Some(NodeIndex(2 + 3 * at as u32));
            assert_eq!((block.owner, block.within), (owner, Some(NodeIndex(1))));
        }
    }

    #[test]
    fn a_memory_of_webassembly_is_told_from_a_class_of_that_name() {
        let mut made = Made::new();
        let module = made.object("Module", made.root);
        let memory = made.object("Memory", module);
        let buffer = made.builder.node("object", "ArrayBuffer", 20);
        made.builder.edge(memory, EdgeType::Hidden, "2", buffer);
        let data = made.builder.node("native", "system / JSArrayBufferData", 65_536);
        made.builder.edge(buffer, EdgeType::Internal, "backing_store", data);
        let named = made.object("Memory", made.root);
        made.buffer("ArrayBuffer", 100, named);
        assert_eq!(
            made.found(),
            [row(Wasm, 65_536, 0, "Module", "-"), row(ArrayBuffer, 100, 0, "Memory", "-")]
        );
    }

    #[test]
    fn strings_outside_of_the_heap_belong_to_their_only_holder() {
        let mut made = Made::new();
        let list = made.builder.node("synthetic", EXTERNAL_STRINGS, 0);
        made.builder.edge(made.root, EdgeType::Element, "1", list);
        let [a, b] = ["A", "B"].map(|class| made.object(class, made.root));
        for (size, holders) in [(1000, &[a][..]), (2000, &[a, b]), (3000, &[])] {
            let text = made.builder.node("string", "text", size);
            made.builder.edge(list, EdgeType::Internal, "1", text);
            for &holder in holders {
                made.builder.edge(holder, EdgeType::Property, "text", text);
            }
        }
        // One in the heap.
        made.builder.node("string", "other", 5000);
        assert_eq!(
            made.found(),
            [
                row(ExternalString, 1000, 0, "A", "-"),
                row(ExternalString, 2000, 0, "-", "-"),
                row(ExternalString, 3000, 0, "-", "-"),
            ]
        );
    }

    #[test]
    fn a_string_that_is_longer_than_its_size_has_an_unknown_one() {
        let mut made = Made::new();
        let list = made.builder.node("synthetic", EXTERNAL_STRINGS, 0);
        made.builder.edge(made.root, EdgeType::Element, "1", list);
        let text = made.builder.node("string", &"x".repeat(100), 32);
        made.builder.edge(list, EdgeType::Internal, "1", text);
        let heap = made.builder.build();
        let found = off_heap(&heap, &analyze(&heap, 1).dominators, 1);
        assert_eq!(found, OffHeaps { blocks: Vec::new(), unsized_strings: 1 });
    }

    /// In the heap's own form a character takes two bytes, in UTF-8 three.
    #[test]
    fn the_length_of_a_string_is_counted_in_characters() {
        let mut made = Made::new();
        let list = made.builder.node("synthetic", EXTERNAL_STRINGS, 0);
        made.builder.edge(made.root, EdgeType::Element, "1", list);
        let holder = made.object("A", made.root);
        let text = made.builder.node("string", &"堆".repeat(1000), 2000);
        made.builder.edge(list, EdgeType::Internal, "1", text);
        made.builder.edge(holder, EdgeType::Property, "text", text);
        assert_eq!(made.found(), [row(ExternalString, 2000, 0, "A", "-")]);
    }

    #[test]
    fn objects_of_the_embedder_belong_to_what_holds_them() {
        let mut made = Made::new();
        let stream = made.object("Deflate", made.root);
        let native = made.builder.node("native", "Node / ZlibStream", 400);
        made.builder.edge(stream, EdgeType::Internal, "native", native);
        let memory = made.builder.node("native", "Node / zlib_memory", 200_000);
        made.builder.edge(native, EdgeType::Internal, "zlib_memory", memory);
        assert_eq!(
            made.found(),
            [row(Native, 400, 0, "Deflate", "-"), row(Native, 200_000, 0, "Deflate", "-")]
        );
    }
}
