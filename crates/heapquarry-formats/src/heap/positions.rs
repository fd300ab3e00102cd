//! Positions in sections, as types that cannot be confused with each other, with ids, or with byte offsets.

/// Position of a node in its section, from 0: `node_index` of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodePosition(pub(crate) u64);

/// Position of a string in its section, from 0: `string_index` of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StringPosition(pub(crate) u64);
