//! Stacks that have been met, by the bytes of their locations. Most profiles have the same stacks over and over: with
//! other labels, at other times.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Bytes of stacks that are kept at most: as many as the processor has at hand, as going down the tree takes less time
/// than to wait for more. Others are read call by call each time.
const MOST: usize = 512 << 10;

/// A stack, and the node that it leads to.
struct Known {
    at: u32,
    length: u32,
    /// `None` until it is known, and if the tree has no room for it.
    node: Option<u32>,
}

/// Stacks that have been met. The first ones are kept, as many as there is room for.
#[derive(Default)]
pub struct Stacks {
    /// Positions of stacks.
    numbers: HashTable<u32>,
    known: Vec<Known>,
    bytes: Vec<u8>,
    hasher: RandomState,
}

impl Stacks {
    /// The number of a stack that was met, or else its hash.
    #[inline]
    pub fn number(&self, stack: &[u8]) -> Result<u32, u64> {
        let hash = self.hasher.hash_one(stack);
        let same = |&number: &u32| self.stack(number) == stack;
        self.numbers.find(hash, same).copied().ok_or(hash)
    }

    /// Remembers a stack that was not met before, with this hash, if there is room. Returns its number.
    pub fn insert(&mut self, stack: &[u8], hash: u64) -> Option<u32> {
        if self.bytes.len() + stack.len() > MOST {
            return None;
        }
        let number = self.known.len() as u32;
        self.known.push(Known {
            at: self.bytes.len() as u32,
            length: stack.len() as u32,
            node: None,
        });
        self.bytes.extend_from_slice(stack);
        let Stacks { numbers, known, bytes, hasher } = self;
        let hash_of = |&number: &u32| {
            let Known { at, length, .. } = known[number as usize];
            hasher.hash_one(&bytes[at as usize..][..length as usize])
        };
        numbers.insert_unique(hash, number, hash_of);
        Some(number)
    }

    /// The node of a stack; `None` if the tree has no room for it.
    #[inline]
    pub fn node(&self, number: u32) -> Option<u32> {
        self.known[number as usize].node
    }

    /// Tells the node of a stack.
    #[inline]
    pub fn set_node(&mut self, number: u32, node: Option<u32>) {
        self.known[number as usize].node = node;
    }

    fn stack(&self, number: u32) -> &[u8] {
        let Known { at, length, .. } = self.known[number as usize];
        &self.bytes[at as usize..][..length as usize]
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
            if let Err(hash) = stacks.number(stack) {
                let number = stacks.insert(stack, hash).unwrap();
                stacks.set_node(number, Some(node));
            }
        }
        for stack in &all {
            let first = all.iter().position(|other| other == stack);
            let number = stacks.number(stack).ok();
            assert_eq!(
                number.and_then(|number| stacks.node(number)).map(|node| node as usize),
                first
            );
        }
        assert!(stacks.number(b"12345").is_err());
        let long = vec![1; MOST];
        let hash = stacks.number(&long).unwrap_err();
        assert_eq!(stacks.insert(&long, hash), None);
        assert_eq!(stacks.number(&long), Err(hash));
        assert!(stacks.bytes.len() < 8000);
    }
}
