//! Stores each distinct value once, and numbers it.

use crate::column::Column;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Number of a string in [`Strings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u32);

impl Key {
    /// Stands for no string, which differs from the empty string.
    pub const NONE: Key = Key(u32::MAX);

    /// The key as a column stores it.
    pub(crate) fn number(self) -> Option<i64> {
        self.some().map(|key| key.0.into())
    }

    /// A key from a column.
    #[inline]
    pub(crate) fn of(number: Option<i64>) -> Key {
        number.map_or(Key::NONE, |key| Key(key as u32))
    }

    /// The key, unless it is [`Key::NONE`].
    pub fn some(self) -> Option<Key> {
        (self != Key::NONE).then_some(self)
    }
}

/// Bytes of a block of strings.
const BLOCK: usize = 1 << 20;

/// Distinct strings.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    /// Their text. A single buffer would be in memory twice whenever it grows. A longer string has a block of its own.
    blocks: Vec<String>,
    /// End of each string: its block, and in the lower 32 bits the offset there.
    ends: Column,
    /// Bytes of all.
    bytes: u64,
    table: HashTable<u32>,
    hasher: RandomState,
}

impl Strings {
    /// The key of a string, which is added if it is new. More than 2^32 - 1 strings get [`Key::NONE`], and so does a
    /// string of 4 GiB.
    pub fn intern(&mut self, string: &str) -> Key {
        let Strings { blocks, ends, table, hasher, .. } = self;
        let hash = hasher.hash_one(string);
        if let Some(&key) = table.find(hash, |&key| slice(blocks, ends, key) == string) {
            return Key(key);
        }
        let key = ends.len() as u32;
        if ends.len() >= u64::from(u32::MAX) || u32::try_from(string.len()).is_err() {
            return Key::NONE;
        }
        let has_room = |block: &String| block.is_empty() || block.len() + string.len() <= BLOCK;
        if !blocks.last().is_some_and(has_room) {
            blocks.push(String::new());
        }
        let at = blocks.len() - 1;
        blocks[at].push_str(string);
        ends.push(Some((at as i64) << 32 | blocks[at].len() as i64));
        self.bytes += string.len() as u64;
        table.insert_unique(hash, key, |&key| hasher.hash_one(slice(blocks, ends, key)));
        Key(key)
    }

    /// The string of that key; `None` for [`Key::NONE`].
    pub fn get(&self, key: Key) -> Option<&str> {
        (u64::from(key.0) < self.ends.len()).then(|| slice(&self.blocks, &self.ends, key.0))
    }

    /// The key of a string, if it exists.
    pub fn find(&self, string: &str) -> Option<Key> {
        let hash = self.hasher.hash_one(string);
        let found = self.table.find(hash, |&key| slice(&self.blocks, &self.ends, key) == string);
        found.map(|&key| Key(key))
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The strings, in order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|key| slice(&self.blocks, &self.ends, key as u32))
    }

    /// Bytes of all strings.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Memory that they take, in bytes, about: their text, and of each its end and its number.
    pub fn memory(&self) -> u64 {
        self.bytes + 16 * self.len() as u64
    }

    pub(crate) fn clear(&mut self) {
        self.blocks.truncate(1);
        self.blocks.iter_mut().for_each(String::clear);
        self.bytes = 0;
        self.ends.clear();
        self.table.clear();
    }
}

fn slice<'a>(blocks: &'a [String], ends: &Column, key: u32) -> &'a str {
    let end = |key: u64| ends.get(key).map_or((0, 0), |end| (end >> 32, end as u32 as usize));
    let (block, to) = end(key.into());
    // The first string of a block begins with it.
    let from = match u64::from(key).checked_sub(1).map(end) {
        Some((before, from)) if before == block => from,
        _ => 0,
    };
    &blocks[block as usize][from..to]
}

/// Distinct values.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    values: Vec<T>,
    table: HashTable<u32>,
    hasher: RandomState,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { values: Vec::new(), table: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<T: Copy + Eq + Hash> Interner<T> {
    /// The number of a value, which is added if it is new.
    ///
    /// # Panics
    /// If there are more than 2^32 values.
    pub(crate) fn intern(&mut self, value: T) -> u32 {
        let Interner { values, table, hasher } = self;
        let hash = hasher.hash_one(value);
        if let Some(&number) = table.find(hash, |&number| values[number as usize] == value) {
            return number;
        }
        let number = u32::try_from(values.len()).expect("fewer than 2^32 distinct values");
        values.push(value);
        table.insert_unique(hash, number, |&n| hasher.hash_one(values[n as usize]));
        number
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    pub(crate) fn into_values(self) -> Vec<T> {
        self.values
    }

    /// Replaces each value by another; the new values must be distinct too.
    pub(crate) fn map(&mut self, of: impl Fn(T) -> T) {
        let values = std::mem::take(&mut self.values);
        self.table.clear();
        for value in values {
            self.intern(of(value));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.table.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_has_one_key() {
        let mut strings = Strings::default();
        let keys: Vec<_> = ["a", "", "bc", "a", "", "c"].map(|s| strings.intern(s).0).into();
        assert_eq!(keys, [0, 1, 2, 0, 1, 3]);
        assert_eq!(strings.iter().collect::<Vec<_>>(), ["a", "", "bc", "c"]);
        assert_eq!(strings.get(Key(2)), Some("bc"));
        assert_eq!(strings.get(Key::NONE), None);
        assert_eq!((strings.find("c"), strings.find("b")), (Some(Key(3)), None));
    }

    #[test]
    fn strings_fill_blocks_and_long_ones_have_their_own() {
        let long = "l".repeat(BLOCK + 1);
        let of = |number: usize, len: usize| format!("{number:05}{}", "-".repeat(len - 5));
        let all = [
            (0..5).map(|number| of(number, BLOCK / 2 - 1)).collect(),
            vec![long.clone(), String::new(), "a".into(), of(7, BLOCK), of(8, BLOCK), "b".into()],
            (0..2000).map(|number| of(number, 1000)).collect::<Vec<_>>(),
        ]
        .concat();
        let mut strings = Strings::default();
        for round in 0..2 {
            let keys: Vec<_> = all.iter().map(|string| strings.intern(string).0).collect();
            assert!(keys.into_iter().eq(0..all.len() as u32), "{round}");
            assert!(strings.iter().eq(all.iter()), "{round}");
            assert_eq!(strings.bytes() as usize, all.iter().map(String::len).sum::<usize>());
            assert!(strings.blocks.iter().all(|b| b.len() <= BLOCK || *b == long), "{round}");
            strings.clear();
        }
    }
}
