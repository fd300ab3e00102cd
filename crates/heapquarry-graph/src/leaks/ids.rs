//! When an object was first seen: in which snapshot its id is the first time.

use crate::{Bits, Heap, Nodes, Packed};

/// Ids are counted up, so that a bit for each number up to the highest takes little. They are kept in a list where
/// they are spread more than this many times as far as they are many.
const SPREAD: u64 = 16;

/// The ids of a snapshot.
#[derive(Debug)]
enum Ids {
    Dense(Bits, u64),
    Sorted(Vec<u64>),
}

impl Ids {
    fn new(ids: &Packed) -> Self {
        let most = ids.iter().max().unwrap_or(0);
        let dense = (ids.len() as u64).saturating_mul(SPREAD).min(u32::MAX.into());
        if most <= dense {
            let mut bits = Bits::new(most as usize + 1);
            ids.iter().for_each(|id| bits.set(id as u32));
            return Ids::Dense(bits, most);
        }
        let mut sorted: Vec<u64> = ids.iter().collect();
        sorted.sort_unstable();
        Ids::Sorted(sorted)
    }

    #[inline]
    fn contains(&self, id: u64) -> bool {
        match self {
            Ids::Dense(bits, most) => id <= *most && bits.get(id as u32),
            Ids::Sorted(sorted) => sorted.binary_search(&id).is_ok(),
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
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_found_however_they_are_spread() {
        for step in [1, 2, 15, 17, 1000, 1 << 40] {
            let all: BTreeSet<u64> = (0..100).map(|n| n * step + 1).collect();
            let ids = Ids::new(&all.iter().copied().collect());
            assert_eq!(matches!(ids, Ids::Dense(..)), step < 16, "{step}");
            for id in (0..5000).chain(all.iter().copied()) {
                assert_eq!(ids.contains(id), all.contains(&id), "{id}, step {step}");
            }
        }
        assert!(!Ids::new(&Packed::default()).contains(0));
    }
}
