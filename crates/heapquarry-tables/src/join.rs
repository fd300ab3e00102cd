//! Joins the parts of a whole.

use crate::{Reorder, sync::unpoisoned};
use std::{
    fmt,
    ops::Range,
    sync::{Mutex, MutexGuard, TryLockError},
};

/// A whole whose parts come in any order, from several workers. It is joined in order, by one worker at a time, and
/// nobody waits for another one.
///
/// ```
/// use heapquarry_tables::Join;
///
/// let join = Join::new(String::new());
/// join.add(1..2, "b", |whole, part| whole.push_str(part));
/// join.add(0..1, "a", |whole, part| whole.push_str(part));
/// assert_eq!(join.take(), "ab");
/// ```
pub struct Join<W, P> {
    whole: Mutex<W>,
    /// Parts that are not joined yet, by the positions that they cover.
    parts: Mutex<Reorder<P>>,
}

impl<W: Default, P> Join<W, P> {
    /// Begins with this whole.
    pub fn new(whole: W) -> Self {
        Join { whole: Mutex::new(whole), parts: Mutex::default() }
    }

    /// Adds the part that covers this range, as for [`Reorder::insert`], and appends all parts whose turn it is.
    ///
    /// # Panics
    ///
    /// If there already was a part at its position.
    pub fn add(&self, range: Range<u64>, part: P, append: impl Fn(&mut W, P)) {
        assert!(self.parts().insert(range, part), "a part comes once");
        while self.parts().is_ready() {
            let mut whole = match self.whole.try_lock() {
                Ok(whole) => whole,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                // Whoever is appending parts will find this one too.
                Err(TryLockError::WouldBlock) => return,
            };
            while let Some(part) = self.next() {
                append(&mut whole, part);
            }
        }
    }

    /// The whole. Complete when all calls of [`add`](Self::add) have returned.
    pub fn take(&self) -> W {
        std::mem::take(&mut *unpoisoned(self.whole.lock()))
    }

    fn parts(&self) -> MutexGuard<'_, Reorder<P>> {
        unpoisoned(self.parts.lock())
    }

    /// The next part. The lock is not held while it is appended.
    fn next(&self) -> Option<P> {
        self.parts().next()
    }
}

impl<W: Default, P> Default for Join<W, P> {
    fn default() -> Self {
        Join::new(W::default())
    }
}

impl<W, P> fmt::Debug for Join<W, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn all_parts_are_joined_in_order_whoever_adds_them() {
        const PARTS: u64 = 5_000;
        for workers in [1, 2, 3, 8] {
            let join = Join::new(Vec::new());
            thread::scope(|scope| {
                for worker in 0..workers {
                    let join = &join;
                    scope.spawn(move || {
                        for part in (worker..PARTS).step_by(workers as usize) {
                            join.add(part..part + 1, part, |whole: &mut Vec<u64>, part| {
                                whole.push(part);
                            });
                        }
                    });
                }
            });
            assert!(join.take().into_iter().eq(0..PARTS), "{workers} workers");
        }
    }
}
