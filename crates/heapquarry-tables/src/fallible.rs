//! Allocations that may fail: whoever asks goes on without the memory.
//!
//! Other allocations end the command with an error (`heapquarry-cli`, `allocator.rs`), and a program with a signal.

use std::{cell::Cell, collections::TryReserveError};

thread_local! {
    /// Without a destructor and initialised as a constant, so that it takes no memory itself.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Whether the allocation that this thread makes now may fail.
pub fn may_fail() -> bool {
    MAY_FAIL.get()
}

/// Reserves room for exactly so many further elements.
///
/// # Errors
/// If the system does not give the memory.
pub fn reserve_exact<T>(list: &mut Vec<T>, further: usize) -> Result<(), TryReserveError> {
    let before = MAY_FAIL.replace(true);
    let reserved = list.try_reserve_exact(further);
    MAY_FAIL.set(before);
    reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_refused_and_nothing_else_may_fail() {
        let mut list = vec![1u64];
        assert!(reserve_exact(&mut list, 10).is_ok() && list.capacity() >= 11);
        // More than any address space.
        assert!(reserve_exact(&mut list, isize::MAX as usize / 8 - 1).is_err());
        assert!(!may_fail() && list == [1]);
    }
}
