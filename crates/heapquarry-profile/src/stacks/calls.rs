//! Nodes by the hash of their caller and their location: a table with open addressing, whose slots can be looked at
//! before the nodes that they lead to.

use super::NO;

/// A slot: a node with its hash, or [`NO`].
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    node: u32,
}

/// A slot without a node.
const FREE: Slot = Slot { hash: 0, node: NO };

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// A power of two of them, at most half of them used. Nodes lie in the order of their hashes, but for those that
    /// found others in their places.
    slots: Vec<Slot>,
    len: usize,
}

impl Calls {
    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&self.slots[..])
    }

    /// The nodes with a hash.
    #[inline]
    pub(super) fn with(&self, hash: u32) -> impl Iterator<Item = u32> {
        let (mask, home) = (self.slots.len().wrapping_sub(1), home(hash, self.slots.len()));
        (home..home + self.slots.len())
            .map(move |slot| self.slots[slot & mask])
            .take_while(|slot| slot.node != NO)
            .filter(move |slot| slot.hash == hash)
            .map(|slot| slot.node)
    }

    pub(super) fn insert(&mut self, hash: u32, node: u32) {
        if self.slots.len() <= 2 * self.len {
            let slots = vec![FREE; (4 * self.len).max(1 << 10)];
            for slot in std::mem::replace(&mut self.slots, slots) {
                if slot.node != NO {
                    self.put(slot);
                }
            }
        }
        self.put(Slot { hash, node });
        self.len += 1;
    }

    /// Puts a node into the first free slot from that of its hash on.
    fn put(&mut self, new: Slot) {
        let mask = self.slots.len() - 1;
        let mut slot = home(new.hash, self.slots.len());
        while self.slots[slot & mask].node != NO {
            slot += 1;
        }
        self.slots[slot & mask] = new;
    }
}

/// The slot of a hash among so many: the upper bits count, so that all move in order when there are more slots.
#[inline]
fn home(hash: u32, slots: usize) -> usize {
    ((u64::from(hash) * slots as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn nodes_are_found_by_their_hashes(hashes in vec(0u32..1 << 12, 0..3000), shift in 0u32..20) {
            let (mut calls, mut expected) = (Calls::default(), BTreeMap::<u32, Vec<u32>>::new());
            for (node, hash) in (0..).zip(hashes) {
                // Also the last slots, behind which the first ones follow.
                let hash: u32 = (hash << shift).wrapping_sub(50);
                calls.insert(hash, node);
                expected.entry(hash).or_default().push(node);
            }
            for (hash, nodes) in expected {
                let mut found: Vec<u32> = calls.with(hash).collect();
                found.sort_unstable();
                prop_assert_eq!(found, nodes);
            }
            prop_assert_eq!(calls.with(1 << 31 | 5).count(), 0);
            prop_assert!(calls.len == 0 || 2 * calls.len <= calls.slots.len());
        }
    }
}
