//! What the nodes leave behind for the sections that refer to them: ids, and how many edges each owns.

use super::{
    join::Join,
    records::{Column, Value},
};
use std::collections::BTreeMap;

/// Nodes between two known sums of edge counts.
const STRIDE: usize = 4096;
/// Edge counts from here on stand in the map of large ones.
const LARGE: u8 = u8::MAX;
/// Stands for an id that the file does not give.
const NO_ID: i64 = i64::MIN;

/// What one task of nodes leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Index of the first node.
    pub(crate) first: u64,
    ids: Ids,
    counts: Vec<u8>,
    large: Vec<(u64, u64)>,
    edges: u64,
    pub(crate) self_size: i128,
}

/// Ids in as few bytes as they need: V8's have 32 bits.
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
    fn len(&self) -> usize {
        match self {
            Ids::Narrow(ids) => ids.len(),
            Ids::Wide(ids) => ids.len(),
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

impl Part {
    /// From the columns of a task.
    pub(crate) fn new<T: Value>(
        first: u64,
        rows: usize,
        id: &Column<T>,
        edge_count: &Column<T>,
    ) -> Self {
        let ids = match T::narrow(&id.values) {
            Some(narrow) if id.is_whole(rows) => Ids::Narrow(narrow.to_vec()),
            None if id.is_whole(rows) && id.all_below(1 << 32) => {
                Ids::Narrow(id.values.iter().map(|&id| id.into() as u32).collect())
            }
            _ => Ids::Wide((0..rows).map(|row| id.get(row).unwrap_or(NO_ID)).collect()),
        };
        if let Some(narrow) = T::narrow(&edge_count.values).filter(|_| edge_count.is_whole(rows)) {
            let counts: Vec<u8> = narrow.iter().map(|&c| c.min(LARGE.into()) as u8).collect();
            let large = memchr::memchr_iter(LARGE, &counts);
            let large = large.map(|row| (first + row as u64, narrow[row].into())).collect();
            let edges = narrow.iter().map(|&count| u64::from(count)).sum();
            return Part { first, ids, counts, large, edges, self_size: 0 };
        }
        let mut large = Vec::new();
        let mut edges = 0u64;
        let counts = (0..rows).map(|row| {
            let count = edge_count.get(row).map_or(0, |count| count.max(0)) as u64;
            edges = edges.saturating_add(count);
            if count >= u64::from(LARGE) {
                large.push((first + row as u64, count));
                return LARGE;
            }
            count as u8
        });
        let counts = counts.collect();
        Part { first, ids, counts, large, edges, self_size: 0 }
    }
}

/// All nodes of a snapshot.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    ids: Ids,
    counts: Vec<u8>,
    large: BTreeMap<u64, u64>,
    /// Edges before every `STRIDE`-th node.
    starts: Vec<u64>,
    /// Edges that the nodes own according to their counts.
    pub(crate) edges: u64,
    pub(crate) self_size: i128,
}

/// The nodes while they are read.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    graph: Graph,
    capacity: usize,
}

impl Builder {
    /// With room for that many nodes.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let mut graph = Graph::default();
        graph.counts.reserve_exact(capacity);
        Builder { graph, capacity }
    }
}

impl Join for Builder {
    type Part = Part;
    type Whole = Graph;

    fn next(&self) -> u64 {
        self.graph.len()
    }

    fn first(part: &Part) -> u64 {
        part.first
    }

    fn push(&mut self, part: Part) {
        let graph = &mut self.graph;
        graph.ids.append(part.ids, self.capacity);
        graph.counts.extend_from_slice(&part.counts);
        graph.large.extend(part.large);
        graph.edges = graph.edges.saturating_add(part.edges);
        graph.self_size += part.self_size;
    }

    fn finish(self) -> Graph {
        let mut graph = self.graph;
        let nodes = graph.counts.len();
        let mut sum = 0u64;
        graph.starts.reserve_exact(nodes / STRIDE + 1);
        for (i, counts) in graph.counts.chunks(STRIDE).enumerate() {
            graph.starts.push(sum);
            let first = (i * STRIDE) as u64;
            let small: u64 =
                counts.iter().map(|&c| if c == LARGE { 0 } else { u64::from(c) }).sum();
            let large = graph.large.range(first..first + STRIDE as u64);
            // Damaged counts can be of any size.
            sum = large.fold(sum + small, |sum, (_, count)| sum.saturating_add(*count));
        }
        graph
    }
}

impl Graph {
    /// Number of nodes.
    pub(crate) fn len(&self) -> u64 {
        self.ids.len() as u64
    }

    /// Id of a node, if there is such a node and it has one.
    pub(crate) fn id(&self, node: u64) -> Option<i64> {
        let node = usize::try_from(node).ok()?;
        let id = match &self.ids {
            Ids::Narrow(ids) => i64::from(*ids.get(node)?),
            Ids::Wide(ids) => *ids.get(node)?,
        };
        (id != NO_ID).then_some(id)
    }

    /// Whether values of tasks can hold the ids.
    pub(crate) fn ids_fit<T: Value>(&self) -> bool {
        T::from_wide(-1).is_some() || matches!(self.ids, Ids::Narrow(_))
    }

    /// The ids as a slice, where they have at most 32 bits, as V8's.
    pub(crate) fn narrow_ids(&self) -> Option<&[u32]> {
        match &self.ids {
            Ids::Narrow(ids) => Some(ids),
            Ids::Wide(_) => None,
        }
    }

    fn edge_count(&self, node: usize) -> u64 {
        match self.counts[node] {
            LARGE => self.large[&(node as u64)],
            count => u64::from(count),
        }
    }

    /// The owners of the edges from `edge` on: each with its index and the number of its edges that are left. Ends
    /// with the last node that owns an edge.
    pub(crate) fn owners(&self, edge: u64) -> impl Iterator<Item = (u64, u64)> {
        let stride = self.starts.partition_point(|&start| start <= edge).saturating_sub(1);
        let mut node = stride * STRIDE;
        let mut before = self.starts.get(stride).copied().unwrap_or(0);
        while node < self.counts.len() && before.saturating_add(self.edge_count(node)) <= edge {
            before += self.edge_count(node);
            node += 1;
        }
        let mut skip = edge - before.min(edge);
        (node..self.counts.len()).filter_map(move |node| {
            let count = self.edge_count(node) - std::mem::take(&mut skip);
            (count > 0).then_some((node as u64, count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph<T: Value>(counts: &[u64], ids: impl Fn(u64) -> Option<i64>, part: usize) -> Graph {
        let value = |value: i64| T::from_wide(value).expect("it fits");
        let parts = counts.chunks(part).enumerate().map(|(i, chunk)| {
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
            Part::new(first, chunk.len(), &id, &count)
        });
        let mut builder = Builder::with_capacity(counts.len());
        parts.for_each(|part| builder.push(part));
        builder.finish()
    }

    #[test]
    fn owners_from_any_edge_are_those_of_the_plain_list() {
        let counts: Vec<u64> = (0..10_000u64)
            .map(|i| match i % 97 {
                5 => 0,
                6 => 254 + i % 4,
                i => i % 3,
            })
            .collect();
        let id = |i: u64| Some(i as i64 * 2 + 1);
        let plain: Vec<i64> = counts
            .iter()
            .enumerate()
            .flat_map(|(i, &c)| std::iter::repeat_n(id(i as u64).unwrap(), c as usize))
            .collect();
        for graph in [graph::<u32>(&counts, id, 1000), graph::<i64>(&counts, id, 1000)] {
            assert_eq!(graph.edges, plain.len() as u64);
            for edge in (0..plain.len()).step_by(37).chain([plain.len() - 1]) {
                let owners = graph.owners(edge as u64);
                let some: Vec<i64> = owners
                    .flat_map(|(node, n)| std::iter::repeat_n(graph.id(node).unwrap(), n as usize))
                    .take(600)
                    .collect();
                assert_eq!(some, plain[edge..(edge + 600).min(plain.len())], "from edge {edge}");
            }
            assert_eq!(graph.owners(plain.len() as u64).count(), 0);
            assert_eq!(graph.owners(u64::MAX).count(), 0);
        }
    }

    #[test]
    fn ids_widen_when_one_needs_it() {
        for wide in [0, 500, 1500] {
            let id = |i: u64| (i != 7).then_some(if i == wide { 1 << 47 } else { i as i64 });
            let graph = graph::<i64>(&[1; 2000], id, 1000);
            for i in 0..2000 {
                assert_eq!(graph.id(i), id(i));
            }
            assert_eq!(graph.id(2000), None);
            assert!(graph.narrow_ids().is_none());
        }
        assert_eq!(graph::<i64>(&[], |_| None, 1).id(0), None);
        assert_eq!(graph::<u32>(&[3], |_| Some(9), 1).narrow_ids(), Some(&[9][..]));
    }
}
