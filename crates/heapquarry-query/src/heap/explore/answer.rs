//! Lists of a heap, a page at a time.

use crate::{
    answer::{Bytes, List, answer},
    heap::{
        show::{Instance, Target},
        summary::ClassSize,
        why::PathStep,
    },
};

answer! {
    /// Classes of a heap.
    pub struct ClassesAnswer {
        /// The classes.
        pub classes: List<ClassSize>,
    }

    /// Objects of one class.
    pub struct ObjectsAnswer {
        /// Name of the class.
        pub class_name: String,
        /// Identifies the class in all snapshots of a program.
        pub class_key: String,
        /// Its objects.
        pub objects: List<Instance>,
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

    /// What an object alone keeps alive, one step down.
    pub struct DominatedAnswer {
        /// The object.
        pub object: DominatorNode,
        /// What it dominates directly, the largest first.
        pub dominated: List<DominatorNode>,
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
