//! What other sections need of the nodes: their ids, and how many edges each owns.

use super::{
    Recounted,
    ownership::{Ownership, OwnershipPart},
    positions::NodePosition,
    reassembly::Assemble,
    records::{Column, Value},
    sections::NODES,
};
use heapquarry_graph::{Bits, NodeIndex as Number};
use std::{ops::Range, sync::Arc};

/// Marks an id that the file does not have.
const NO_ID: i64 = i64::MIN;
/// Ids below so many times the number of nodes are marked in a list of bits. V8 has about two for each node. The few
/// native nodes of an embedder have larger ones, which are hashes.
const BITS_PER_ID: usize = 64;

/// The side output of one task of nodes.
#[derive(Debug, Default)]
pub(crate) struct NodePart {
    /// Position of the first node.
    first: u64,
    ids: Ids,
    edges: OwnershipPart,
    self_size: i128,
}

impl NodePart {
    /// From the columns of a task.
    pub(crate) fn new<T: Value>(
        first: u64,
        rows: usize,
        id: &Column<T>,
        edge_count: &Column<T>,
        self_size: &Column<T>,
    ) -> Self {
        NodePart {
            first,
            ids: Ids::new(rows, id),
            edges: OwnershipPart::new(first, rows, edge_count),
            self_size: self_size.sum(),
        }
    }
}

/// Ids in as few bytes as needed: those of V8 have 32 bits.
#[derive(Debug)]
enum Ids {
    Narrow(Vec<u32>),
    Wide(Vec<i64>),
}

impl Default for Ids {
    fn default() -> Self {
        Ids::Narrow(Vec::new())
    }
}

impl Ids {
    fn new<T: Value>(rows: usize, id: &Column<T>) -> Self {
        match T::narrow(&id.values) {
            Some(narrow) if id.is_whole(rows) => Ids::Narrow(narrow.to_vec()),
            None if id.is_whole(rows) && id.all_below(1 << 32) => {
                Ids::Narrow(id.values.iter().map(|&id| id.into() as u32).collect())
            }
            _ => Ids::Wide((0..rows).map(|row| id.get(row).unwrap_or(NO_ID)).collect()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Ids::Narrow(ids) => ids.len(),
            Ids::Wide(ids) => ids.len(),
        }
    }

    /// Number of ids that an earlier node has.
    fn duplicates(&self) -> usize {
        match self {
            Ids::Narrow(ids) => {
                let limit = ids.len().saturating_mul(BITS_PER_ID);
                let is_small = |&id: &u32| (id as usize) < limit;
                let largest = ids.iter().copied().filter(is_small).max().unwrap_or(0) as usize;
                let mut seen = Bits::new(largest + 1);
                let mut is_seen = |&&id: &&u32| {
                    let seen_before = seen.get(Number(id));
                    seen.set(Number(id));
                    seen_before
                };
                let small = ids.iter().filter(|id| is_small(id)).filter(&mut is_seen).count();
                small + repeated(ids.iter().copied().filter(|id| !is_small(id)).collect())
            }
            Ids::Wide(ids) => repeated(ids.iter().copied().filter(|&id| id != NO_ID).collect()),
        }
    }

    fn append(&mut self, other: Ids, capacity: usize) {
        match (&mut *self, other) {
            (Ids::Narrow(ours), Ids::Narrow(theirs)) => {
                if ours.is_empty() {
                    ours.reserve_exact(capacity);
                }
                ours.extend_from_slice(&theirs);
            }
            (Ids::Wide(ours), Ids::Narrow(theirs)) => {
                ours.extend(theirs.into_iter().map(i64::from))
            }
            (Ids::Wide(ours), Ids::Wide(theirs)) => ours.extend_from_slice(&theirs),
            (Ids::Narrow(ours), Ids::Wide(theirs)) => {
                let mut wide = Vec::with_capacity(capacity);
                wide.extend(ours.iter().copied().map(i64::from));
                wide.extend_from_slice(&theirs);
                *self = Ids::Wide(wide);
            }
        }
    }
}

/// Number of values that occurred before.
fn repeated<T: Ord>(mut values: Vec<T>) -> usize {
    values.sort_unstable();
    values.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// All nodes of a snapshot.
#[derive(Debug, Default)]
pub(crate) struct NodeIndex {
    ids: Ids,
    /// Which node owns each edge.
    pub(crate) edges: Ownership,
    /// Sum of the self sizes in bytes.
    pub(crate) self_size: i128,
    /// The first of the nodes that damage has taken, and the number of edges that they owned together.
    pub(crate) lost: Option<(NodePosition, u64)>,
    /// Whether it is unknown which node owns which edge.
    pub(crate) owners_unknown: bool,
    /// Whether it is unknown to which nodes edges lead.
    pub(crate) positions_unknown: bool,
}

/// Builds the index of nodes.
#[derive(Debug, Default)]
pub(crate) struct NodeIndexBuilder {
    index: NodeIndex,
    capacity: usize,
    recounted: Option<Arc<Recounted>>,
}

impl NodeIndexBuilder {
    /// With room for this many nodes.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let edges = Ownership::with_capacity(capacity);
        let index = NodeIndex { edges, ..NodeIndex::default() };
        NodeIndexBuilder { index, capacity, recounted: None }
    }

    /// With what was found by counting.
    pub(crate) fn recounted(self, recounted: Option<Arc<Recounted>>) -> Self {
        NodeIndexBuilder { recounted, ..self }
    }
}

impl Assemble for NodeIndexBuilder {
    type Part = NodePart;
    type Whole = NodeIndex;

    fn range(part: &NodePart) -> Range<u64> {
        part.first..part.first + part.edges.owners()
    }

    fn push(&mut self, part: NodePart) {
        let index = &mut self.index;
        index.ids.append(part.ids, self.capacity);
        index.edges.push(part.edges);
        index.self_size += part.self_size;
    }

    fn finish(self) -> NodeIndex {
        let mut index = self.index;
        if let Some(recounted) = self.recounted {
            index.settle(&recounted);
        }
        index.edges.finish();
        index
    }
}

impl NodeIndex {
    /// Decides what edges belong to lost nodes, and whether the owners of all others are known.
    fn settle(&mut self, recounted: &Recounted) {
        let lost = recounted.lost(&NODES);
        if !lost.is_empty() {
            match recounted.edges.and_then(|edges| edges.checked_sub(self.edges.total)) {
                Some(theirs) => {
                    self.edges.give(lost.start, theirs);
                    self.lost = Some((NodePosition(lost.start), theirs));
                }
                None => self.owners_unknown = true,
            }
        }
        self.positions_unknown = recounted.positions_unknown;
        self.owners_unknown |= self.positions_unknown
            || recounted.has_all_edges && recounted.edges != Some(self.edges.total);
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> u64 {
        self.ids.len() as u64
    }

    /// Number of nodes whose id an earlier node has.
    pub(crate) fn duplicate_ids(&self) -> usize {
        self.ids.duplicates()
    }

    /// Whether there is a node at that position.
    pub(crate) fn has(&self, node: NodePosition) -> bool {
        node.0 < self.len()
    }

    /// Id of a node; `None` if the node or its id does not exist.
    pub(crate) fn id(&self, node: NodePosition) -> Option<i64> {
        let node = usize::try_from(node.0).ok()?;
        let id = match &self.ids {
            Ids::Narrow(ids) => i64::from(*ids.get(node)?),
            Ids::Wide(ids) => *ids.get(node)?,
        };
        (id != NO_ID).then_some(id)
    }

    /// Whether a `T` can hold all ids.
    pub(crate) fn ids_fit<T: Value>(&self) -> bool {
        T::from_wide(-1).is_some() || matches!(self.ids, Ids::Narrow(_))
    }

    /// The ids as a slice, if they have at most 32 bits, as those of V8.
    pub(crate) fn narrow_ids(&self) -> Option<&[u32]> {
        match &self.ids {
            Ids::Narrow(ids) => Some(ids),
            Ids::Wide(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index<T: Value>(counts: &[u64], ids: impl Fn(u64) -> Option<i64>, part: usize) -> NodeIndex {
        let value = |value: i64| T::from_wide(value).expect("it fits");
        let mut builder = NodeIndexBuilder::with_capacity(counts.len());
        for (i, chunk) in counts.chunks(part).enumerate() {
            let first = (i * part) as u64;
            let mut id = Column::<T>::default();
            for row in 0..chunk.len() as u32 {
                let given = ids(first + u64::from(row));
                id.values.push(value(given.unwrap_or(0)));
                if given.is_none() {
                    id.set_null(row);
                }
            }
            let mut count = Column::default();
            count.values.extend(chunk.iter().map(|&count| value(count as i64)));
            let part = NodePart::new(first, chunk.len(), &id, &count, &count);
            assert_eq!(NodeIndexBuilder::range(&part), first..first + chunk.len() as u64);
            builder.push(part);
        }
        builder.finish()
    }

    #[test]
    fn nodes_with_the_id_of_an_earlier_one_are_counted() {
        for (ids, expected) in [
            (&[1, 3, 5][..], 0),
            (&[1, 3, 1, 5, 1, 3], 3),
            // Sparse, of 32 bits and more.
            (&[7, 4_000_000_000, 7, 4_000_000_000], 2),
            (&[7, 1 << 40, 9, 1 << 40], 1),
            // Dense, besides a few hashes.
            (&[1, 3, 4_000_000_000, 3, 4_000_000_000], 2),
        ] {
            let id = |node: u64| Some(ids[node as usize]);
            let counts = vec![0; ids.len()];
            assert_eq!(index::<i64>(&counts, id, 2).duplicate_ids(), expected, "{ids:?}");
        }
        // A missing id is not equal to another.
        assert_eq!(index::<i64>(&[0; 3], |_| None, 2).duplicate_ids(), 0);
    }

    #[test]
    fn ids_widen_when_one_needs_it() {
        for wide in [0, 500, 1500] {
            let id = |i: u64| (i != 7).then_some(if i == wide { 1 << 47 } else { i as i64 });
            let index = index::<i64>(&[1; 2000], id, 1000);
            for i in 0..2000 {
                assert_eq!(index.id(NodePosition(i)), id(i));
            }
            assert_eq!(index.id(NodePosition(2000)), None);
            assert!(index.narrow_ids().is_none());
            assert_eq!((index.len(), index.self_size, index.edges.total), (2000, 2000, 2000));
        }
        assert_eq!(index::<i64>(&[], |_| None, 1).duplicate_ids(), 0);
        assert_eq!(index::<i64>(&[], |_| None, 1).id(NodePosition(0)), None);
        assert_eq!(index::<u32>(&[3], |_| Some(9), 1).narrow_ids(), Some(&[9][..]));
    }
}
