//! Lists of a heap, a page at a time.

use crate::{
    answer::{Bytes, BytesChange, List, answer},
    heap::{
        diff::ClassChange,
        leaks::{Leak, SnapshotSize},
        show::{Instance, Target},
        summary::ClassSize,
        why::PathStep,
    },
    profile::explore::NamedFunction,
};

answer! {
    /// Classes of a heap.
    pub struct ClassesAnswer {
        /// The classes; of a series also those that the first snapshot has and the last has not.
        pub classes: List<ListedClass>,
    }

    /// A class of a heap.
    pub struct ListedClass {
        /// What it has.
        #[serde(flatten)]
        pub class: ClassSize,
        /// What has become of it; absent unless the heap is the last of a series.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub growth: Option<ClassGrowth>,
    }

    /// A class over the snapshots of a series.
    pub struct ClassGrowth {
        /// Number of its objects in each snapshot.
        pub counts: Vec<u64>,
        /// Its change from the first to the last.
        #[serde(flatten)]
        pub change: ClassChange,
    }

    /// Objects of one class.
    pub struct ObjectsAnswer {
        /// Name of the class.
        pub class_name: String,
        /// Identifies the class in all snapshots of a program.
        pub class_key: String,
        /// Its objects.
        pub objects: List<ListedObject>,
    }

    /// An object of a class.
    pub struct ListedObject {
        /// The object.
        #[serde(flatten)]
        pub object: Instance,
        /// What has become of it; absent unless the heap is the last of a series whose first snapshot has the same ids.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub growth: Option<Growth>,
    }

    /// An object since the first snapshot of a series.
    pub struct Growth {
        /// What it retained in the first snapshot; `null` if it is new.
        pub base_retained_size: Option<Bytes>,
        /// By how much that grew.
        pub retained_delta: BytesChange,
    }

    /// What grew in a series of snapshots.
    pub struct GrowthAnswer {
        /// The snapshots, in the order of time.
        pub snapshots: Vec<SnapshotSize>,
        /// How many places grow in every step, and by how much, in words; `null` of more snapshots than `leaks`
        /// compares.
        pub verdict: Option<String>,
        /// The places that grow in every step, the worst first, as `leaks` finds them; `null` of more snapshots than
        /// `leaks` compares.
        pub findings: Option<List<Leak>>,
    }

    /// What keeps an object alive, one step up.
    pub struct RetainersAnswer {
        /// The references to it that DevTools shows: the ones closest to the root first.
        pub retainers: List<Retaining>,
    }

    /// A reference, and the object that has it.
    pub struct Retaining {
        /// Both of them.
        #[serde(flatten)]
        pub step: PathStep,
        /// Number of retainers of that object.
        pub retainer_count: u64,
    }

    /// Where an object was allocated.
    pub struct AllocatedAnswer {
        /// The calls, the innermost first; none if they are not known.
        pub stack: List<NamedFunction>,
    }

    /// What an object refers to.
    pub struct ContainedAnswer {
        /// The object.
        pub object: Instance,
        /// Its references, those to what retains most first.
        pub contained: List<Contained>,
    }

    /// A reference, and the object that it leads to.
    pub struct Contained {
        /// Name of the property or variable; of an element its index in brackets.
        pub edge: String,
        /// Type of the edge: `property`, `element`, `context`, `internal` and others.
        pub edge_type: &'static str,
        /// The object.
        #[serde(flatten)]
        pub object: Instance,
        /// Number of references of that object.
        pub reference_count: u64,
    }

    /// What an object alone keeps alive, one step down.
    pub struct DominatedAnswer {
        /// The object.
        pub object: DominatorNode,
        /// What it dominates directly, the largest first.
        pub dominated: List<DominatorNode>,
    }

    /// What an object alone keeps alive, as far as it can be drawn.
    pub struct MapAnswer {
        /// The object, and those of the ones below it in the tree of dominators that retain most.
        pub boxes: Vec<MapBox>,
        /// What the boxes hold directly besides, by class, as far as it can be seen.
        pub groups: Vec<MapGroup>,
    }

    /// Objects of one class that are too small for boxes of their own.
    pub struct MapGroup {
        /// Position of their dominator among the boxes.
        pub above: u32,
        /// Name of the class.
        pub class_name: String,
        /// Number of objects.
        pub count: u64,
        /// What they retain together: none of them dominates another.
        pub retained_size: Bytes,
    }

    /// An object of a map.
    pub struct MapBox {
        /// Position of its dominator among the boxes; `null` of the first.
        pub above: Option<u32>,
        /// The object.
        #[serde(flatten)]
        pub object: DominatorNode,
    }

    /// The objects without which an object would be freed.
    pub struct DominatorsAnswer {
        /// Its dominator, the dominator of that, and so on to the root.
        pub dominators: List<DominatorNode>,
    }

    /// An object in the tree of dominators.
    pub struct DominatorNode {
        /// The object.
        #[serde(flatten)]
        pub target: Target,
        /// What it takes itself.
        pub shallow_size: Bytes,
        /// Number of objects that it dominates directly.
        pub dominated_count: u64,
    }
}
