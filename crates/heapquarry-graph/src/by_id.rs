//! Nodes of a snapshot by their ids.

use crate::{Heap, Nodes, Packed, PackedColumn};

/// The nodes in the order of their ids.
#[derive(Debug)]
pub(crate) struct ById {
    ids: PackedColumn,
    /// Positions of the nodes; `None` if the file has them in this order.
    order: Option<Vec<u32>>,
}

impl ById {
    pub(crate) fn new(heap: &Heap) -> Self {
        let ids = heap.nodes().ids.clone();
        let is_sorted = ids.iter().map(|id| id as i64).is_sorted();
        ById { order: (!is_sorted).then(|| order(&ids)), ids }
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The position of the node that has a rank.
    #[inline]
    pub(crate) fn node(&self, rank: usize) -> usize {
        self.order.as_ref().map_or(rank, |order| order[rank] as usize)
    }

    /// The id of the node that has a rank, if there are as many.
    #[inline]
    pub(crate) fn id(&self, rank: usize) -> Option<i64> {
        (rank < self.len()).then(|| self.ids.get(self.node(rank)) as i64)
    }

    /// The first rank of an id, or of the next higher one.
    fn first(&self, id: i64) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.id(middle) < Some(id) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

/// Positions by id; of nodes with one id, in a damaged file, in their order there.
fn order(ids: &PackedColumn) -> Vec<u32> {
    match ids {
        Packed::Narrow(ids) => {
            let ids = ids.iter().map(|&id| u64::from(id) << 32);
            let mut all: Vec<u64> = ids.zip(0..).map(|(id, node)| id | node).collect();
            all.sort_unstable();
            all.into_iter().map(|both| both as u32).collect()
        }
        Packed::Wide(ids) => {
            let mut all: Vec<(i64, u32)> = ids.iter().map(|&id| id as i64).zip(0..).collect();
            all.sort_unstable();
            all.into_iter().map(|(_, node)| node).collect()
        }
    }
}

/// What each node of a snapshot retained, by its id.
#[derive(Debug)]
pub struct RetainedById {
    ids: ById,
    sizes: PackedColumn,
}

impl RetainedById {
    pub(crate) fn new(ids: ById, sizes: PackedColumn) -> Self {
        RetainedById { ids, sizes }
    }

    /// What the node of an id retained, in bytes; `None` if there was none.
    pub fn get(&self, id: i64) -> Option<u64> {
        self.lookup().get(id)
    }

    /// Looks up one node after the other.
    pub fn lookup(&self) -> Lookup<'_> {
        Lookup { of: self, at: 0 }
    }
}

/// Finds what nodes retained by ids, which mostly come one after the other: nodes are written about in the order of
/// their ids.
#[derive(Debug)]
pub struct Lookup<'a> {
    of: &'a RetainedById,
    /// The rank where the next id is expected.
    at: usize,
}

impl Lookup<'_> {
    /// What the node of an id retained, in bytes; `None` if there was none. Of nodes with one id, in a damaged file,
    /// nobody knows which became which: none of them has grown unless it has more than all of them had.
    pub fn get(&mut self, id: i64) -> Option<u64> {
        let RetainedById { ids, sizes } = self.of;
        if id == Nodes::NO_ID {
            return None;
        }
        if ids.id(self.at) != Some(id) {
            self.at = ids.first(id);
        }
        let mut largest = None;
        while ids.id(self.at) == Some(id) {
            largest = largest.max(Some(sizes.get(ids.node(self.at))));
            self.at += 1;
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapBuilder, HeapParts};

    #[test]
    fn values_are_found_by_ids_in_any_order() {
        for ids in [
            &[1, 3, 4, 4, 9][..],
            &[9, 4, 1, 3, 4],
            &[1 << 40, 4, -7, 4, 1],
            &[],
            &[Nodes::NO_ID; 5],
        ] {
            let mut builder = HeapBuilder::new();
            for _ in ids {
                builder.node("object", "Foo", 8);
            }
            let ids = ids.iter().map(|&id| id as u64);
            let heap =
                Heap::new(HeapParts { node_ids: ids.clone().collect(), ..builder.parts() }, 1);
            let sizes: Vec<u64> = (0..ids.len() as u64).map(|at| at * 7 % 5).collect();
            let retained = RetainedById::new(ById::new(&heap), sizes.iter().copied().collect());
            let mut lookup = retained.lookup();
            for id in [1, 3, 4, 9, 10, 1, 4, 4, 3, 0, 1 << 40, 1, 5, 9, 9, -7, -2, Nodes::NO_ID] {
                let of = ids.clone().zip(&sizes).filter(|(other, _)| *other as i64 == id);
                let expected = of.map(|(_, size)| *size).max().filter(|_| id != Nodes::NO_ID);
                assert_eq!((lookup.get(id), retained.get(id)), (expected, expected), "{id}");
            }
        }
    }
}
