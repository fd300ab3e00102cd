//! The part of a heap that a page draws.

use super::{Numbers, Texts};
use serde::Serialize;

/// A heap: the nodes that retain most, what else they dominate by class, and the references between them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Heap {
    /// Bytes that all nodes take.
    pub total: u64,
    /// Number of nodes in the heap.
    pub node_count: u64,
    /// The nodes that are kept.
    pub nodes: Nodes,
    /// What kept nodes dominate directly besides kept nodes, by class.
    pub groups: Groups,
    /// The references between kept nodes.
    pub edges: Edges,
    /// Classes: those that retain most first, then those that kept nodes and groups have besides.
    pub classes: Classes,
    /// Names of nodes, classes and edges.
    pub texts: Texts,
}

/// Kept nodes in preorder of the dominator tree, so the first is the root, and what a node dominates follows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Nodes {
    /// Ids.
    pub id: Numbers,
    /// For each node the position of its dominator; of the root its own.
    pub parent: Numbers,
    /// Numbers of classes.
    pub class: Numbers,
    /// Names, as numbers of texts.
    pub name: Numbers,
    /// Shallow sizes in bytes.
    pub size: Numbers,
    /// Retained sizes in bytes.
    pub retained: Numbers,
    /// Distances from the root plus 5: 0 is unreached.
    pub distance: Numbers,
    /// What each retained in the first of several snapshots plus 1; 0 if it is new. Empty for one snapshot.
    pub before: Numbers,
}

/// Sums of nodes that are not kept, sorted by parent.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Groups {
    /// The kept node that dominates them directly.
    pub parent: Numbers,
    /// Their class.
    pub class: Numbers,
    /// How many they are.
    pub count: Numbers,
    /// Bytes that they retain together.
    pub retained: Numbers,
    /// Bytes that the largest retains.
    pub max: Numbers,
}

/// References, sorted by the node that they start at.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Edges {
    /// How many start at each node.
    pub counts: Numbers,
    /// The positions of the nodes they lead to.
    pub to: Numbers,
    /// Types, as positions in `types`.
    pub kind: Numbers,
    /// Names, as numbers of texts.
    pub name: Numbers,
    /// Names of the types.
    pub types: Vec<&'static str>,
    /// References between kept nodes that are left out.
    pub omitted: u64,
}

/// Classes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Classes {
    /// Names, as numbers of texts.
    pub name: Numbers,
    /// Number of instances.
    pub count: Numbers,
    /// Sum of their shallow sizes.
    pub size: Numbers,
    /// Bytes that all instances together retain.
    pub retained: Numbers,
    /// Least distances plus 5: 0 is unreached.
    pub distance: Numbers,
    /// Those in the table: so many of the first.
    pub listed: u32,
    /// Classes of the heap that are not in the table.
    pub omitted: u64,
}
