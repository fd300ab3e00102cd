//! What the crates of heapquarry share: sorting and threads.
//!
//! Generic code is compiled anew for each type that it is used with. Sorting alone was a tenth of the program, and more
//! than a tenth of the time to build it. Here the algorithms are compiled once, and called with functions behind
//! pointers.

mod order;
pub mod threads;

pub use order::Order;
