//! The latest results of work that is asked for again and again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A few results, the latest first. The lock is held to find a result, not to work it out: who asks for one that is
/// being worked out waits for it, others do not.
pub(crate) struct Kept<K, V> {
    most: usize,
    all: Mutex<Vec<(K, Cell<V>)>>,
}

/// A result, as soon as it is there.
type Cell<V> = Arc<OnceLock<Arc<V>>>;

impl<K: PartialEq, V> Kept<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Kept { most, all: Mutex::default() }
    }

    /// The result for a key, which is made if it is not there.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let cell = self.cell(key);
        cell.get_or_init(|| Arc::new(make())).clone()
    }

    /// Whether the result for a key is there, or is being made.
    pub(crate) fn has(&self, key: &K) -> bool {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().any(|(known, _)| known == key)
    }

    fn cell(&self, key: K) -> Cell<V> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let (key, cell) = match all.iter().position(|(known, _)| *known == key) {
            Some(at) => all.remove(at),
            None => (key, Cell::default()),
        };
        all.insert(0, (key, cell.clone()));
        all.truncate(self.most);
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_kept() {
        let kept = Kept::new(2);
        let made = std::cell::RefCell::new(Vec::new());
        for key in [1, 2, 1, 3, 1, 2] {
            let make = || {
                made.borrow_mut().push(key);
                key * 10
            };
            assert_eq!(*kept.get(key, make), key * 10);
        }
        assert_eq!(made.into_inner(), [1, 2, 3, 2]);
    }
}
