//! Room outside of memory.

use std::{fmt::Debug, io};

/// Room outside of memory for what a document has too much of: the text of heaps.
pub trait Scratch: Debug + Send + Sync {
    /// Bytes that it takes at most.
    fn room(&self) -> u64;

    /// Puts bytes there. Returns their offset.
    ///
    /// # Errors
    /// If there is no room for them, or they cannot be written. They can stay in memory then.
    fn put(&self, bytes: &[u8]) -> io::Result<u64>;

    /// Reads bytes that were put there.
    ///
    /// # Errors
    /// If they cannot be read.
    fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
}
