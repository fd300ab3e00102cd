//! What differs between heap snapshots.

use crate::{
    answer::{Bytes, BytesChange, CountChange, List, NodeId, Original, answer},
    heap::{
        leaks::{Leak, SnapshotSize},
        owners::OwnerChanges,
    },
};

answer! {
    /// What differs between the first and the last of some snapshots of one process.
    pub struct HeapDiff {
        /// The snapshots, in the order of time.
        pub snapshots: Vec<SnapshotSize>,
        /// The places that grow in every step, the worst first, as `leaks` finds them; absent of two snapshots.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub findings: Option<Vec<Leak>>,
        /// Classes with more instances in each snapshot than in the one before, by growth of what they retain; none of
        /// two snapshots.
        pub suspects: List<GrowingClass>,
        /// Classes with added or removed instances, by growth of what they retain; those of the engine come last,
        /// unless they are to be listed among the others.
        pub classes: List<ClassChange>,
        /// What the engine's own classes come to; absent if there are none, or they are listed among the others.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub engine: Option<EngineClasses>,
        /// The first objects by growth of what they retain, each after what holds it alone.
        pub objects: List<ObjectGrowth>,
        /// What belongs to each package, script or function; absent unless asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owners: Option<OwnerChanges>,
    }

    /// A class that grows from each snapshot to the next.
    pub struct GrowingClass {
        /// Its name.
        pub class_name: String,
        /// Its key: classes of one name differ in it.
        pub class_key: String,
        /// What a source map tells of the class.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
        /// Number of instances in each snapshot.
        pub counts: Vec<u64>,
        /// Change of this number from the first to the last.
        pub count_delta: CountChange,
        /// Change of what they take themselves.
        pub size_delta: BytesChange,
        /// Change of what they retain together.
        pub retained_delta: BytesChange,
    }

    /// A class with added or removed instances.
    pub struct ClassChange {
        /// Its name.
        pub class_name: String,
        /// Its key: classes of one name differ in it.
        pub class_key: String,
        /// What a source map tells of the class.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
        /// Number of instances that only the last snapshot has.
        pub added_count: u64,
        /// Number of instances that only the first has.
        pub removed_count: u64,
        /// Added less removed instances.
        pub count_delta: CountChange,
        /// What the added instances take themselves.
        pub added_size: Bytes,
        /// What the removed instances took themselves.
        pub removed_size: Bytes,
        /// Size of added less removed instances.
        pub size_delta: BytesChange,
        /// What all instances of the first snapshot retained together.
        pub base_retained_size: Bytes,
        /// What all instances of the last retain together.
        pub retained_size: Bytes,
        /// Change of what they retain.
        pub retained_delta: BytesChange,
        /// Whether it is the engine's own: its instances are no objects of the program, but come and go with its code.
        pub is_engine: bool,
    }

    /// What the engine's own classes come to.
    pub struct EngineClasses {
        /// Number of classes.
        pub class_count: u64,
        /// Change of the number of their instances.
        pub count_delta: CountChange,
        /// Change of what these take themselves.
        pub size_delta: BytesChange,
        /// The largest growth of what one of the classes retains; their sum would count much twice.
        pub largest_retained_delta: BytesChange,
    }

    /// An object that retains more than in the first snapshot.
    pub struct ObjectGrowth {
        /// Name of its class.
        pub class_name: String,
        /// How many of these objects hold it alone: each one that does comes before it.
        pub depth: u64,
        /// Its id.
        pub id: NodeId,
        /// Its name; of functions with the place where they are defined.
        pub name: String,
        /// What it retained in the first snapshot; absent if it is new.
        pub base_retained_size: Option<Bytes>,
        /// What it retains.
        pub retained_size: Bytes,
        /// By how much this grew.
        pub retained_delta: BytesChange,
    }
}
