//! Rows of several inputs that are added up by their names.

use std::{collections::HashMap, hash::Hash};

/// Rows in the order in which their names first came.
pub(crate) struct Summed<K, T> {
    known: HashMap<K, usize>,
    rows: Vec<T>,
}

impl<K, T> Default for Summed<K, T> {
    fn default() -> Self {
        Summed { known: HashMap::new(), rows: Vec::new() }
    }
}

impl<K: Eq + Hash, T> Summed<K, T> {
    /// Adds a row to that of its name, or as a new one.
    pub(crate) fn add(&mut self, name: K, row: T, add: impl FnOnce(&mut T, T)) {
        match self.known.get(&name) {
            Some(&at) => add(&mut self.rows[at], row),
            None => {
                self.known.insert(name, self.rows.len());
                self.rows.push(row);
            }
        }
    }

    /// The sums.
    pub(crate) fn into_rows(self) -> Vec<T> {
        self.rows
    }
}
