//! What keeps objects alive.

use crate::answer::{Bytes, Distance, List, NodeId, Original, answer};

answer! {
    /// What keeps objects alive.
    pub struct WhyAnswer {
        /// Objects of the wanted classes by the path to them; absent if one object was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub groups: Option<List<PathGroup>>,
        /// The object, or the first of each of the first groups, with paths to it.
        pub objects: Vec<ObjectPaths>,
    }

    /// Objects of one class that are reached by one path.
    pub struct PathGroup {
        /// Number of objects.
        pub count: u64,
        /// Name of their class.
        pub class_name: String,
        /// The path to them: `variable cache[].user`. An element of a collection is written `[]`.
        pub way: String,
        /// The one that retains most.
        pub id: NodeId,
        /// What all of them take themselves.
        pub shallow_size: Bytes,
        /// What the one that retains most would free.
        pub retained_size: Bytes,
    }

    /// An object with paths to it.
    pub struct ObjectPaths {
        /// The object.
        pub object: HeldObject,
        /// Paths from it up to the root, through different retainers.
        pub paths: Vec<RetainingPath>,
    }

    /// An object, or the first of several that are reached by one path.
    pub struct HeldObject {
        /// Name of its class.
        pub class_name: String,
        /// Number of objects that are reached by its path.
        pub count: u64,
        /// Its id.
        pub id: NodeId,
        /// Ids of the first of them, its own first.
        pub ids: Vec<NodeId>,
        /// The path to it; empty if no path is known.
        pub way: String,
        /// If its path begins at `this` of a function: the path to that function.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub function_way: Option<String>,
        /// Its name; of functions with the place where they are defined.
        pub name: String,
        /// What a source map tells of the function, or of the object's class.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
        /// Its type: `object`, `closure`, `string` and others.
        #[serde(rename = "type")]
        pub kind: String,
        /// Its distance.
        pub distance: Distance,
        /// What it takes itself.
        pub shallow_size: Bytes,
        /// What would be freed with it.
        pub retained_size: Bytes,
        /// Number of its retainers, as DevTools counts them.
        pub retainer_count: u64,
    }

    /// A path from an object up.
    pub struct RetainingPath {
        /// Whether it ends at the root.
        pub reaches_root: bool,
        /// Its references, the one to the object first.
        pub steps: Vec<PathStep>,
    }

    /// A reference, and the object that has it.
    pub struct PathStep {
        /// Name of the property or variable; of an element its index in brackets.
        pub edge: String,
        /// Index of the element; absent for others.
        pub index: Option<u32>,
        /// Type of the edge: `property`, `element`, `context`, `internal` and others.
        pub edge_type: &'static str,
        /// Class of the object that has the reference.
        pub class_name: String,
        /// Its name.
        pub name: String,
        /// Its id.
        pub id: NodeId,
        /// Its distance.
        pub distance: Distance,
        /// What would be freed with it.
        pub retained_size: Bytes,
    }
}
