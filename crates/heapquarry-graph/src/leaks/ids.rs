//! When an object was first seen: in which snapshot its id is the first time.

use super::jsc;
use crate::{Bits, Heap, IdSample, LostIds, Nodes, PackedColumn};

/// Ids are counted up, so that a bit for each number takes little. Those of native objects are hashes: what is beyond
/// this many times the number of ids is kept in a list.
const SPREAD: u64 = 16;

/// A set of ids, of a snapshot or of some of its nodes.
#[derive(Debug)]
pub(super) struct Ids {
    /// Those below `limit`.
    near: Bits,
    limit: u64,
    /// All others, sorted.
    far: Vec<u64>,
}

impl Ids {
    pub(super) fn new(ids: &PackedColumn) -> Self {
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
        far.dedup();
        Ids { near, limit, far }
    }

    #[inline]
    fn contains(&self, id: u64) -> bool {
        match id < self.limit {
            true => self.near.bit(id as u32),
            false => self.far.binary_search(&id).is_ok(),
        }
    }

    /// Numbers of the ids in their order.
    pub(super) fn ranks(&self) -> Ranks {
        let mut all = 0;
        let before = self.near.words().iter().map(|word| {
            let before = all;
            all += word.count_ones();
            before
        });
        Ranks { before: before.collect(), near: all as usize }
    }
}

/// Which number each of some ids has in their order, from 0.
#[derive(Debug)]
pub(super) struct Ranks {
    /// How many ids are below each 64 of them, as far as they have bits.
    before: Vec<u32>,
    /// How many have bits.
    near: usize,
}

impl Ranks {
    /// How many of those ids there are.
    pub(super) fn len(&self, ids: &Ids) -> usize {
        self.near + ids.far.len()
    }

    /// The number of an id, if it is one of them.
    #[inline]
    pub(super) fn get(&self, ids: &Ids, id: u64) -> Option<usize> {
        if id >= ids.limit {
            return ids.far.binary_search(&id).ok().map(|at| self.near + at);
        }
        let (word, bit) = (id as usize / 64, id % 64);
        let bits = ids.near.words()[word];
        let below = (bits & !(u64::MAX << bit)).count_ones();
        (bits >> bit & 1 != 0).then(|| (self.before[word] + below) as usize)
    }
}

/// The ids of the snapshots so far.
#[derive(Debug, Default)]
pub(super) struct Births {
    before: Vec<Ids>,
    /// Of the first snapshot.
    sample: Option<IdSample>,
    lost: Option<LostIds>,
}

impl Births {
    /// Looks at the next snapshot: whether the ids that it has in common with the first are of the same objects.
    pub(super) fn look_at(&mut self, heap: &Heap) {
        match &self.sample {
            Some(sample) => self.lost = self.lost.take().or_else(|| sample.lost_in(heap)),
            None => self.sample = Some(IdSample::new(heap)),
        }
    }

    /// Why births mean nothing.
    pub(super) fn lost(&self) -> Option<&LostIds> {
        self.lost.as_ref()
    }

    /// The number, from 1, of the first snapshot that has an id. All of them are new in each if ids do not last.
    #[inline]
    pub(super) fn birth(&self, id: u64) -> u8 {
        let this = self.before.len() as u8 + 1;
        if self.lost.is_some() || id as i64 == Nodes::NO_ID {
            return this;
        }
        self.before.iter().position(|ids| ids.contains(id)).map_or(this, |at| at as u8 + 1)
    }

    /// The birth of each node. The snapshot is one of those before from then on.
    pub(super) fn of(&mut self, heap: &Heap) -> Vec<u8> {
        let lives = jsc::lives(heap);
        let ids = lives.as_ref().unwrap_or(&heap.nodes.ids);
        let births = ids.iter().map(|id| self.birth(id)).collect();
        self.before.push(Ids::new(ids));
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
                let rank = all.contains(&id).then(|| all.range(..id).count());
                assert_eq!(ids.ranks().get(&ids, id), rank, "{id}, step {step}");
            }
            assert_eq!(ids.ranks().len(&ids), all.len());
        }
        // Most are counted, some are hashes.
        let all: BTreeSet<u64> = (0..100).map(|n| n * 2 + 1).chain([1 << 31, 1 << 40]).collect();
        let ids = Ids::new(&all.iter().copied().collect());
        assert_eq!(ids.far, [1 << 31, 1 << 40]);
        for id in (0..300).chain(all.iter().flat_map(|&id| [id - 1, id, id + 1])) {
            assert_eq!(ids.contains(id), all.contains(&id), "{id}");
            let rank = all.contains(&id).then(|| all.range(..id).count());
            assert_eq!(ids.ranks().get(&ids, id), rank, "{id}");
        }
        assert!(!Ids::new(&PackedColumn::default()).contains(0));
    }
}
