//! Locks.

use std::sync::{LockResult, PoisonError};

/// The guarded value, even if a thread panicked while it held the lock.
///
/// The thread that joins a worker raises its panic, so the run ends in any case. Until then the other workers must be
/// able to see that, and to end. None of them relies on what the worker left incomplete.
///
/// ```
/// use heapquarry_base::sync::unpoisoned;
/// use std::sync::Mutex;
///
/// let rows = Mutex::new(7);
/// *unpoisoned(rows.lock()) += 1;
/// assert_eq!(unpoisoned(rows.into_inner()), 8);
/// ```
pub fn unpoisoned<T>(result: LockResult<T>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Mutex, thread};

    #[test]
    fn a_panic_does_not_lock_others_out() {
        let rows = Mutex::new(7);
        let worker = || {
            let _guard = rows.lock();
            panic!("a worker fails");
        };
        thread::scope(|scope| assert!(scope.spawn(worker).join().is_err()));
        assert!(rows.is_poisoned());
        assert_eq!(*unpoisoned(rows.lock()), 7);
    }
}
