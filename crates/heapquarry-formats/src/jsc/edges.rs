//! The edges: `[from, to, type, data]`. The ends are ids of nodes; the data is an index or the position of a name.

//!
//! Their owners' rows need to know how many there are of each, and their own rows need names that come after them. So
//! they are read twice, where engines write them in the order of their owners: counted first ([`EdgeCounts`]), and then
//! decoded to rows, which are not kept. Others are kept as columns ([`EdgeColumns`]), as the analysis needs them
//! anyway.

use super::nodes::{NO_NODE, NodeIds};
use crate::{
    Code, Log,
    heap::{
        collect::{Append, converted, narrow, small},
        fields::{Field, Fields},
        records::{self, Column, Records, Value, ValueLocator},
    },
};
use heapquarry_graph::{NodeIndex, Packed};
use heapquarry_tables::pool::Pool;

/// Marks a type that does not fit.
pub(super) const NO_TYPE: u8 = u8::MAX;
/// Marks data that does not fit.
pub(super) const NO_DATA: u32 = u32::MAX;

const NAMES: [&str; 4] = ["from", "to", "type", "data"];
const FIELDS: [Field; 4] = [
    Field::required(NAMES[0]),
    Field::required(NAMES[1]),
    Field::required(NAMES[2]),
    Field::required(NAMES[3]),
];

/// Columns of the edges.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeColumns {
    owners: Owners,
    pub(super) targets: Vec<NodeIndex>,
    pub(super) types: Vec<u8>,
    pub(super) data: Vec<u32>,
}

/// Nodes with the number of their consecutive edges.
pub(super) type Owners = Vec<(NodeIndex, u32)>;

/// How many edges each node has, if edges come in the order of their owners, those without an owner last.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeCounts {
    /// The first edge of each node, up to the last one that has any.
    starts: Packed,
    owned: u64,
    without_owner: u64,
    pub(super) is_unordered: bool,
}

impl Append for EdgeCounts {
    type Part = Owners;

    fn append(&mut self, owners: Owners) {
        for (owner, edges) in owners {
            if owner == NO_NODE {
                self.without_owner += u64::from(edges);
                continue;
            }
            self.is_unordered |= self.without_owner > 0 || owner.position() + 1 < self.starts.len();
            while self.starts.len() <= owner.position() {
                self.starts.push(self.owned);
            }
            self.owned += u64::from(edges);
        }
    }
}

impl EdgeCounts {
    /// Number of edges.
    pub(super) fn edges(&self) -> u64 {
        self.owned + self.without_owner
    }

    /// The first edge of each of this many nodes, and the end of the last.
    pub(super) fn into_starts(self, nodes: usize) -> Packed {
        let mut starts = self.starts;
        while starts.len() <= nodes {
            starts.push(self.owned);
        }
        starts
    }
}

impl Append for EdgeColumns {
    type Part = Self;

    fn append(&mut self, part: Self) {
        self.owners.extend_from_slice(&part.owners);
        self.targets.extend_from_slice(&part.targets);
        self.types.extend_from_slice(&part.types);
        self.data.extend_from_slice(&part.data);
    }
}

/// The owners of claimed edges. What is unusual is found when they are decoded.
pub(super) fn count(bytes: &[u8], records: Records, ids: &NodeIds, pool: &Pool<u32>) -> Owners {
    count_as::<u32>(bytes, records, ids, pool)
        .or_else(|| count_as::<i64>(bytes, records, ids, pool))
        .expect("64 bits hold every value")
}

fn count_as<T: Value>(
    bytes: &[u8],
    records: Records,
    ids: &NodeIds,
    pool: &Pool<u32>,
) -> Option<Owners> {
    let (fields, log) = (Fields::new(NAMES), &mut Log::default());
    let [from] = records::read::<T, 1>(bytes, records, &fields, &[FIELDS[0]], pool, log)?;
    let owners = owners(&from, records.rows, ids);
    T::give(from.values, pool);
    Some(owners)
}

/// The columns of claimed edges.
pub(super) fn decode(
    bytes: &[u8],
    records: Records,
    ids: &NodeIds,
    pool: &Pool<u32>,
    log: &mut Log,
) -> EdgeColumns {
    read::<u32>(bytes, records, ids, pool, log)
        .or_else(|| read::<i64>(bytes, records, ids, pool, log))
        .expect("64 bits hold every value")
}

fn read<T: Value>(
    bytes: &[u8],
    records: Records,
    ids: &NodeIds,
    pool: &Pool<u32>,
    log: &mut Log,
) -> Option<EdgeColumns> {
    let fields = Fields::new(NAMES);
    let [from, to, kind, mut data] =
        records::read::<T, 4>(bytes, records, &fields, &FIELDS, pool, log)?;
    let rows = records.rows;
    let locator = |field| ValueLocator { bytes, records, field };
    let owners = owners(&from, rows, ids);
    log_missing(&owners, locator(0), log);
    let targets = converted(&to, rows, NO_NODE, |id| ids.node(id));
    let missing = targets.iter().enumerate().filter(|(_, target)| **target == NO_NODE);
    for (row, _) in missing.filter(|&(row, _)| !to.is_null(row as u32)) {
        log.add_lazily(Code::UnknownNode, || {
            let (offset, raw) = locator(1).locate(row as u32);
            (Some(offset), "an edge leads to a node that is not there".into(), Some(raw))
        });
    }
    data.limit(0..=i64::from(NO_DATA - 1), locator(3), log);
    let part = EdgeColumns {
        owners,
        targets,
        types: small(&kind, rows, NO_TYPE),
        data: narrow(&data, rows),
    };
    [from, to, kind, data].into_iter().for_each(|column| T::give(column.values, pool));
    Some(part)
}

/// The owners as runs: producers write the edges of a node one after the other.
fn owners<T: Value>(from: &Column<T>, rows: usize, ids: &NodeIds) -> Owners {
    let mut owners = Owners::new();
    let mut last = None;
    for row in 0..rows {
        let id = from.get(row);
        match owners.last_mut().filter(|_| last == Some(id)) {
            Some((_, edges)) => *edges += 1,
            None => {
                owners.push((id.map_or(NO_NODE, |id| ids.node(id)), 1));
                last = Some(id);
            }
        }
    }
    owners
}

/// Logs edges of nodes that are not there.
fn log_missing(owners: &[(NodeIndex, u32)], locator: ValueLocator<'_>, log: &mut Log) {
    let mut row = 0;
    for &(owner, edges) in owners {
        let end = row + edges;
        for row in (row..end).filter(|_| owner == NO_NODE) {
            log.add_lazily(Code::EdgeWithoutOwner, || {
                let (offset, raw) = locator.locate(row);
                (Some(offset), "an edge of a node that is not there".into(), Some(raw))
            });
        }
        row = end;
    }
}

impl EdgeColumns {
    /// Groups the edges by owner in the order of the nodes, those without an owner last. Returns the first edge of each
    /// node, and the end of the last. Edges of a node stay in the order of the file.
    pub(super) fn group(&mut self, nodes: usize) -> Packed {
        let mut counts = vec![0u64; nodes + 1];
        let place = |owner: NodeIndex| owner.position().min(nodes);
        for &(owner, edges) in &self.owners {
            counts[place(owner)] += u64::from(edges);
        }
        let mut sum = 0;
        let starts = counts.iter_mut().map(|count| {
            sum += std::mem::replace(count, sum);
            *count
        });
        let starts: Packed = starts.collect();
        if !self.owners.is_sorted_by_key(|(owner, _)| *owner) {
            self.scatter(counts, place);
        }
        self.owners = Vec::new();
        starts
    }

    /// Moves the edges to their owners. `next` is the place of the next edge of each.
    fn scatter(&mut self, mut next: Vec<u64>, place: impl Fn(NodeIndex) -> usize) {
        let mut order = vec![0usize; self.targets.len()];
        let mut edge = 0;
        for &(owner, edges) in &self.owners {
            let next = &mut next[place(owner)];
            for _ in 0..edges {
                order[*next as usize] = edge;
                *next += 1;
                edge += 1;
            }
        }
        self.targets = order.iter().map(|&edge| self.targets[edge]).collect();
        self.types = order.iter().map(|&edge| self.types[edge]).collect();
        self.data = order.iter().map(|&edge| self.data[edge]).collect();
    }
}
