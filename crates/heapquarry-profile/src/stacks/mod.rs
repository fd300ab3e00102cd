//! The call tree of stacks: of millions of samples, each with the stack of its calls.
//!
//! A call is a location, by its number, and has a node for each line of it: an inlined call has a line of its own.
//! Nodes are numbered in the order in which stacks have them first.

mod calls;
mod descent;
mod totals;
mod tree;

pub use descent::{Descent, Walk};
pub use totals::{Sums, Totals};
pub use tree::{Nodes, Tree};

/// Stands for no node.
pub const NO: u32 = u32::MAX;

/// Adds to a sum. One that does not fit 64 bits stays at the nearest value that does, and `overflow` is called.
#[inline]
pub fn add(sum: &mut i64, value: i64, overflow: &mut impl FnMut()) {
    *sum = sum.checked_add(value).unwrap_or_else(|| {
        overflow();
        sum.saturating_add(value)
    });
}
