//! When an object was first seen: in which snapshot its id is the first time.

use crate::{Bits, Heap, Nodes, Packed};

/// Ids are counted up, so that a bit for each number takes little. Those of native objects are hashes: what is beyond
/// this many times the number of ids is kept in a list.
const SPREAD: u64 = 16;

/// The ids of a snapshot.
#[derive(Debug)]
struct Ids {
    /// Those below `limit`.
    near: Bits,
    limit: u64,
    /// All others, sorted.
    far: Vec<u64>,
}

impl Ids {
    fn new(ids: &Packed) -> Self {
        let most = (ids.len() as u64).saturating_mul(SPREAD).min(u32::MAX.into());
        let limit = ids.iter().filter(|&id| id < most).max().map_or(0, |id| id + 1);
        let mut near = Bits::new(limit as usize);
        let mut far = Vec::new();
        for id in ids.iter() {
            if id < limit {
                near.set_bit(id as u32);
            } else {
                far.push(id);
            }
        }
        far.sort_unstable();
        Ids { near, limit, far }
    }

    #[inline]
    fn contains(&self, id: u64) -> bool {
        match id < self.limit {
            true => self.near.bit(id as u32),
            false => self.far.binary_search(&id).is_ok(),
        }
    }
}

/// The ids of the snapshots so far.
#[derive(Debug, Default)]
pub(super) struct Births {
    before: Vec<Ids>,
}

impl Births {
    /// The number, from 1, of the first snapshot that has each node's id; a node without id is new. The snapshot is
    /// one of those before from then on.
    pub(super) fn of(&mut self, heap: &Heap) -> Vec<u8> {
        let this = self.before.len() as u8 + 1;
        let births = heap.nodes.ids.iter().map(|id| {
            let seen = self.before.iter().position(|ids| ids.contains(id));
            match seen {
                Some(at) if id as i64 != Nodes::NO_ID => at as u8 + 1,
                _ => this,
            }
        });
        let births = births.collect();
        self.before.push(Ids::new(&heap.nodes.ids));
        births
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;
    use std::collections::BTreeSet;

    #[test]
    fn nodes_are_as_old_as_their_ids() {
        const NONE: u64 = Nodes::NO_ID as u64;
        let mut births = Births::default();
        for (ids, expected) in [
            (&[1, 3, 5, NONE][..], &[1, 1, 1, 1][..]),
            (&[3, 7, NONE], &[1, 2, 2]),
            // An id that was away for a while is as old as before.
            (&[1, 7, 9, NONE], &[1, 2, 3, 3]),
        ] {
            let mut builder = HeapBuilder::new();
            for &id in ids {
                let node = builder.node("object", "Foo", 8);
                builder.id(node, id);
            }
            assert_eq!(births.of(&builder.build()), expected, "{ids:?}");
        }
    }

    #[test]
    fn ids_are_found_however_they_are_spread() {
        for step in [1, 2, 15, 17, 1000, 1 << 40] {
            let all: BTreeSet<u64> = (0..100).map(|n| n * step + 1).collect();
            let ids = Ids::new(&all.iter().copied().collect());
            assert_eq!(ids.far.is_empty(), step <= 16, "{step}");
            for id in (0..5000).chain(all.iter().copied()) {
                assert_eq!(ids.contains(id), all.contains(&id), "{id}, step {step}");
            }
        }
        // Most are counted, some are hashes.
        let all: BTreeSet<u64> = (0..100).map(|n| n * 2 + 1).chain([1 << 31, 1 << 40]).collect();
        let ids = Ids::new(&all.iter().copied().collect());
        assert_eq!(ids.far, [1 << 31, 1 << 40]);
        for id in (0..300).chain(all.iter().flat_map(|&id| [id - 1, id, id + 1])) {
            assert_eq!(ids.contains(id), all.contains(&id), "{id}");
        }
        assert!(!Ids::new(&Packed::default()).contains(0));
    }
}
