//! Running processes.

pub(crate) mod memory;
pub mod watch;

pub use memory::{MemoryPart, ProcessMemory};
