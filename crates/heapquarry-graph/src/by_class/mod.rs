//! What is known of each class as a whole, so that questions about a class of millions of objects need not look at
//! them. A kept index has it.

mod fields;
mod members;

use crate::{Analysis, Heap, Ready, Ways, parallel::join};
pub use fields::{FieldSum, Fields, MOST_FIELDS, count_fields};
pub use members::{MemberGroup, Members};

/// The objects of each class, and what they have.
#[derive(Clone, Debug)]
pub struct ByClass {
    pub(crate) members: Members,
    pub(crate) fields: Fields,
}

impl ByClass {
    /// Takes about half as long as an analysis. The result does not depend on the number of threads.
    ///
    /// # Panics
    /// If the ways to all nodes were not searched for.
    pub fn new(heap: &Heap, analysis: &Analysis, ready: &Ready, threads: usize) -> Self {
        let ways = Ways::known(heap, ready).expect("the ways to all nodes are searched for");
        let classes = &analysis.classes;
        let (members, fields) = join(
            threads,
            || Members::new(analysis, ways.group_of_each(&classes.of), threads),
            || Fields::new(heap, classes),
        );
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
