//! Stacks that have been met, by the bytes of their locations. Most profiles have the same stacks over and over: with
//! other labels, at other times.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Bytes of stacks that are kept at most. Others are read call by call each time.
const MOST: usize = 8 << 20;

/// A stack, and the node that it leads to.
struct Known {
    at: u32,
    length: u32,
    node: u32,
}

#[derive(Default)]
pub(super) struct Stacks {
    known: HashTable<Known>,
    bytes: Vec<u8>,
    hasher: RandomState,
}

impl Stacks {
    /// The node of a stack that was met.
    #[inline]
    pub(super) fn node(&self, stack: &[u8]) -> Option<u32> {
        let same = |known: &Known| self.stack(known) == stack;
        self.known.find(self.hasher.hash_one(stack), same).map(|known| known.node)
    }

    /// Remembers a stack that was not met before.
    pub(super) fn insert(&mut self, stack: &[u8], node: u32) {
        if self.bytes.len() + stack.len() > MOST {
            return;
        }
        let known = Known { at: self.bytes.len() as u32, length: stack.len() as u32, node };
        self.bytes.extend_from_slice(stack);
        let Stacks { known: table, bytes, hasher } = self;
        let hash =
            |known: &Known| hasher.hash_one(&bytes[known.at as usize..][..known.length as usize]);
        table.insert_unique(hash(&known), known, hash);
    }

    fn stack(&self, known: &Known) -> &[u8] {
        &self.bytes[known.at as usize..][..known.length as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_found_by_their_bytes() {
        let mut stacks = Stacks::default();
        let all: Vec<Vec<u8>> =
            (0..1000u32).map(|i| i.to_le_bytes()[..1 + i as usize % 4].to_vec()).collect();
        for (node, stack) in (0..).zip(&all) {
            if stacks.node(stack).is_none() {
                stacks.insert(stack, node);
            }
        }
        for stack in &all {
            let first = all.iter().position(|other| other == stack);
            assert_eq!(stacks.node(stack).map(|node| node as usize), first);
        }
        assert_eq!(stacks.node(b"12345"), None);
        stacks.insert(&vec![1; MOST], 5);
        assert_eq!(stacks.node(&vec![1; MOST]), None);
        assert!(stacks.bytes.len() < 8000);
    }
}
