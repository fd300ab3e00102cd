//! What is known of each class as a whole, so that questions about a class of millions of objects need not look at
//! them. A kept index has it.

mod fields;
mod members;
mod told;

use crate::{Classes, Heap, PackedColumn, Ways};
pub use fields::{FieldSum, Fields, MOST_FIELDS, count_fields};
use heapquarry_base::threads::join;
pub use members::{MemberGroup, Members};

/// The objects of each class, and what they have.
#[derive(Clone, Debug)]
pub struct ByClass {
    pub(crate) members: Members,
    pub(crate) fields: Fields,
}

/// What an analysis found of each node, and the class of each.
#[derive(Clone, Copy)]
pub(crate) struct Found<'a> {
    pub(crate) classes: &'a Classes,
    pub(crate) shallow_sizes: &'a PackedColumn,
    pub(crate) retained_sizes: &'a PackedColumn,
    pub(crate) detachedness: &'a [u8],
}

impl ByClass {
    /// `ways` lead to all nodes.
    pub(crate) fn of(heap: &Heap, found: Found<'_>, ways: &Ways<'_>, threads: usize) -> Self {
        let classes = found.classes;
        let (mut members, fields) = join(
            threads,
            || Members::new(found, ways.group_of_each(&classes.of), threads),
            || Fields::new(heap, classes),
        );
        members.ways = told::ways(heap, found, &members, ways, threads);
        ByClass { members, fields }
    }

    /// The nodes of each class.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The properties that the nodes of each class have.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }
}
