//! Positions in sections, so that one is not taken for another, for an id, or for an offset in bytes.

/// Position of a node in its section, from 0: `node_index` of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodePosition(pub(crate) u64);

/// Position of a string in its section, from 0: `string_index` of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StringPosition(pub(crate) u64);
