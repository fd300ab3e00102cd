//! Numbers of nodes and of strings, which are not to be mistaken for each other or for other numbers.

use std::{fmt, ops::Range};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Declares an index: what it derives, so that lists of it can be views of bytes.
macro_rules! index {
    ($(#[$doc:meta])+ $name:ident) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(FromBytes, Immutable, IntoBytes, KnownLayout)]
        #[repr(transparent)]
        pub struct $name(pub u32);
    };
}

index! {
    /// Index of a node: its position in the snapshot, from 0. A heap has fewer than 2^32 nodes.
    NodeIndex
}

index! {
    /// Index of a string in the string table, from 0. A snapshot may refer to strings that it does not have.
    StringIndex
}

impl NodeIndex {
    /// No heap has a node of this index. Lists use it for "none".
    pub(crate) const NONE: NodeIndex = NodeIndex(u32::MAX);

    /// The node at a position, which must be below 2^32.
    #[inline]
    pub fn at(position: usize) -> Self {
        debug_assert!(u32::try_from(position).is_ok(), "node {position}");
        NodeIndex(position as u32)
    }

    /// Its position, as an index of a list with one entry per node.
    #[inline]
    pub fn position(self) -> usize {
        self.0 as usize
    }

    /// A list of that many times the first node. Unlike with `vec!`, the system zeroes the memory; the rest compiles to
    /// nothing.
    pub(crate) fn zeroed(len: usize) -> Vec<Self> {
        vec![0; len].into_iter().map(NodeIndex).collect()
    }

    /// The nodes at these positions, in order.
    #[inline]
    pub fn each(positions: Range<usize>) -> impl DoubleEndedIterator<Item = NodeIndex> + Clone {
        (positions.start as u32..positions.end as u32).map(NodeIndex)
    }
}

impl StringIndex {
    /// The name of something that has none.
    pub const NONE: StringIndex = StringIndex(u32::MAX);

    /// Like [`NodeIndex::zeroed`].
    pub(crate) fn zeroed(len: usize) -> Vec<Self> {
        vec![0; len].into_iter().map(StringIndex).collect()
    }

    /// Its position in the string table.
    #[inline]
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for StringIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
