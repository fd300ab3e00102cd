//! What is in a heap.

use crate::{
    answer::{Bytes, Distance, List, NodeId, Original, Share, answer},
    heap::{OffHeapMemory, owners::Owners},
    process::ProcessMemory,
};

answer! {
    /// What is in a heap.
    pub struct HeapSummary {
        /// Sizes and counts of the whole heap.
        pub totals: Totals,
        /// The resident memory of the process when the snapshot was taken; absent if it is not stored with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub process: Option<ProcessMemory>,
        /// Sizes by category, as in DevTools' statistics, the largest first. They add up to the size of the heap.
        pub statistics: Vec<CategorySize>,
        /// Memory outside of the heap, by the objects that hold it: who has the buffers.
        pub off_heap: OffHeapMemory,
        /// Classes by retained size, the largest first.
        pub classes: List<ClassSize>,
        /// The program's objects that retain most.
        pub retainers: List<ObjectSize>,
        /// Strings of which there are several copies, by what one copy of each would save.
        pub duplicate_strings: List<DuplicateString>,
        /// Detached DOM nodes by class.
        pub detached: List<DetachedClass>,
        /// What is kept alive only by detached DOM nodes, the console, event handlers or variables, and what nothing
        /// keeps alive.
        pub kept: Vec<KeptOnlyBy>,
        /// Captured variables that no function reads, by what their values retain.
        pub unread_variables: List<UnreadVariable>,
        /// Native contexts by size, if there are several.
        pub native_contexts: List<NativeContext>,
        /// What belongs to each package, script or function; absent unless asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owners: Option<Owners>,
    }

    /// Sizes and counts of a whole heap.
    pub struct Totals {
        /// Shallow size of all nodes, with native memory outside the heap: DevTools' total.
        pub size: Bytes,
        /// Number of nodes.
        pub node_count: u64,
        /// Number of edges.
        pub edge_count: u64,
        /// Number of classes.
        pub class_count: u64,
        /// Number of nodes that cannot be reached from the root.
        pub unreached_count: u64,
        /// Number of DOM nodes outside of any document.
        pub detached_count: u64,
        /// Their shallow size.
        pub detached_size: Bytes,
        /// Number of the embedder's detached objects that are no DOM nodes.
        pub detached_wrapper_count: u64,
    }

    /// The size of a category.
    pub struct CategorySize {
        /// Name of the category: `code`, `strings`, `js_arrays`, `typed_arrays`, `native`, `system` or `other`.
        pub category: &'static str,
        /// What belongs to it.
        pub meaning: &'static str,
        /// Size of its nodes.
        pub size: Bytes,
        /// Share of the heap.
        pub share_percent: Option<Share>,
        /// Number of its nodes.
        pub count: u64,
    }

    /// The objects of a class.
    pub struct ClassSize {
        /// Name of the class, as DevTools shows it.
        pub class_name: String,
        /// What the class is told apart by: its name, and where it is defined.
        pub class_key: String,
        /// What a source map tells of the class.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
        /// Number of its objects that have a size.
        pub count: u64,
        /// Least distance of its objects.
        pub distance: Distance,
        /// What its objects take themselves.
        pub shallow_size: Bytes,
        /// What would be freed with all of its objects.
        pub retained_size: Bytes,
        /// Share of the heap that they retain.
        pub retained_percent: Option<Share>,
    }

    /// An object that retains much.
    pub struct ObjectSize {
        /// Name of its class.
        pub class_name: String,
        /// Its id.
        pub id: NodeId,
        /// Its name; of functions with the place where they are defined.
        pub name: String,
        /// What a source map tells of the function, or of the object's class.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
        /// Its distance.
        pub distance: Distance,
        /// What it takes itself.
        pub shallow_size: Bytes,
        /// What would be freed with it.
        pub retained_size: Bytes,
        /// Share of the heap that it retains.
        pub retained_percent: Option<Share>,
    }

    /// A string with several copies.
    pub struct DuplicateString {
        /// Its text.
        pub string: String,
        /// Number of copies.
        pub count: u64,
        /// Size of all copies.
        pub size: Bytes,
        /// What one copy would save.
        pub waste: Bytes,
    }

    /// Detached DOM nodes of a class.
    pub struct DetachedClass {
        /// Name of the class.
        pub class_name: String,
        /// Number of its detached nodes.
        pub count: u64,
        /// What they take themselves.
        pub shallow_size: Bytes,
        /// The one that retains most.
        pub id: NodeId,
        /// What that one retains.
        pub retained_size: Bytes,
    }

    /// What nothing but one kind of holder keeps alive.
    pub struct KeptOnlyBy {
        /// The kind of holder.
        pub by: &'static str,
        /// Number of nodes.
        pub count: u64,
        /// Their shallow size.
        pub size: Bytes,
        /// Share of the heap.
        pub share_percent: Option<Share>,
    }

    /// A captured variable that no live function can read.
    pub struct UnreadVariable {
        /// Name of the variable.
        pub name: String,
        /// The function whose variables they are.
        pub context_name: String,
        /// Id of its context.
        pub context_id: NodeId,
        /// Class of the value.
        pub value_class: String,
        /// Id of the value.
        pub value_id: NodeId,
        /// What the value retains.
        pub retained_size: Bytes,
    }

    /// A native context: a page, a frame, or a realm of Node.
    pub struct NativeContext {
        /// Its name; `(shared by several)` and `(none)` stand for what belongs to no single one.
        pub name: String,
        /// Its id; absent where it is no single one.
        pub id: Option<NodeId>,
        /// Number of its nodes.
        pub count: u64,
        /// Their shallow size.
        pub shallow_size: Bytes,
        /// Share of the heap.
        pub share_percent: Option<Share>,
        /// What the context retains.
        pub retained_size: Option<Bytes>,
    }
}
