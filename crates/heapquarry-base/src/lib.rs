//! What the crates of heapquarry share: sorting, threads, locks.
//!
//! Generic code is compiled anew for each type that it is used with: sorting was a tenth of the program's machine code.
//! Here the algorithms are compiled once, and called with functions behind pointers.

mod order;
pub mod sync;
pub mod threads;

pub use order::Order;
