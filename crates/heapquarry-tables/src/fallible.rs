//! Allocations that may fail: whoever asks goes on without the memory.
//!
//! Other allocations end the command with an error (`heapquarry-cli`, `allocator.rs`), and a program with a signal.

use std::{cell::Cell, collections::TryReserveError, error::Error, io};

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

/// What zstd says where it gets no memory. It is written in C, and asks the system itself.
const ZSTD_REFUSED: &str = "Allocation error : not enough memory";

/// Whether an error is that the system gave no memory, whatever wraps it: libraries that allocate by themselves return
/// it, and some keep only its text.
pub fn is_refusal(error: &(dyn Error + 'static)) -> bool {
    let refuses = |error: &(dyn Error + 'static)| {
        let of_system = error.downcast_ref::<io::Error>().map(io::Error::kind);
        of_system == Some(io::ErrorKind::OutOfMemory) || error.to_string().contains(ZSTD_REFUSED)
    };
    std::iter::successors(Some(error), |&error| error.source()).any(refuses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_known_in_what_wraps_it() {
        let refused = || io::Error::from(io::ErrorKind::OutOfMemory);
        let other = io::Error::other(ZSTD_REFUSED);
        let damaged = io::Error::other("Data corruption detected");
        for (error, expected) in [
            (refused(), true),
            (io::Error::from_raw_os_error(12), cfg!(unix)),
            (io::Error::other(format!("External: {other}")), true),
            (other, true),
            (io::ErrorKind::StorageFull.into(), false),
            (damaged, false),
        ] {
            assert_eq!(is_refusal(&error), expected, "{error}");
        }
    }

    #[test]
    fn what_is_too_much_is_refused_and_nothing_else_may_fail() {
        let mut list = vec![1u64];
        assert!(reserve_exact(&mut list, 10).is_ok() && list.capacity() >= 11);
        // More than any address space.
        assert!(reserve_exact(&mut list, isize::MAX as usize / 8 - 1).is_err());
        assert!(!may_fail() && list == [1]);
    }
}
