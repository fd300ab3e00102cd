//! The nodes: `[id, size, class, flags]`, and in snapshots for debugging the collector
//! `[…, label, "address", "wrapped address"]`.

use crate::{
    ByteOffset, Code, Input, Log, Result,
    heap::{
        collect::{Append, narrow, packed, small},
        fields::{Field, Fields},
        records::{self, Records, Value},
    },
    input,
};
use heapquarry_graph::{NodeIndex, Nodes, Packed, StringIndex};
use heapquarry_tables::pool::Pool;

/// Values of a node.
pub(super) const WIDTH: usize = 4;
/// Values of a node in a snapshot for debugging the collector.
const DEBUGGING_WIDTH: usize = 7;

/// Marks an id that the file does not have, as an unsigned number. Valid ids are below it, negative ones above.
pub(super) const NO_ID: u64 = Nodes::NO_ID as u64;
/// Marks a name that the file does not have.
pub(super) const NO_NAME: u32 = StringIndex::NONE.0;
/// Marks a node that the file does not have.
pub(super) const NO_NODE: NodeIndex = NodeIndex(u32::MAX);

const FIELDS: [Field; 6] = [
    Field::required("id"),
    Field::required("size"),
    Field::required("class"),
    Field::required("flags"),
    Field::optional("label"),
    Field::optional("address").hex(),
];

/// Number of values of a node in this section. Only in snapshots for debugging the collector, the sixth is text.
pub(super) fn width(input: &dyn Input, open: ByteOffset) -> Result<usize> {
    /// More than a node has.
    const HEAD: usize = 512;
    let head = input::bytes_at(input, open + 1, HEAD)?;
    let section = head.split(|&byte| byte == b']').next().unwrap_or_default();
    let sixth = section.split(|&byte| byte == b',').nth(5);
    let is_text = sixth.is_some_and(|value| value.trim_ascii_start().starts_with(b"\""));
    Ok(if is_text { DEBUGGING_WIDTH } else { WIDTH })
}

/// Columns of the nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeColumns {
    /// [`NO_ID`] where there is none.
    pub(super) ids: Packed,
    pub(super) sizes: Packed,
    /// Nodes without a size, which count as 0 bytes.
    pub(super) without_size: Vec<u32>,
    /// Positions in `nodeClassNames`.
    pub(super) classes: Vec<u32>,
    pub(super) flags: Vec<u8>,
    /// Positions in `labels`; empty in snapshots for the inspector.
    pub(super) labels: Vec<u32>,
    /// Addresses of the cells; empty in snapshots for the inspector.
    pub(super) addresses: Packed,
}

impl Append for NodeColumns {
    type Part = Self;

    fn append(&mut self, part: Self) {
        let first = self.classes.len() as u32;
        self.ids.append(&part.ids);
        self.sizes.append(&part.sizes);
        self.without_size.extend(part.without_size.iter().map(|row| first + row));
        self.classes.extend_from_slice(&part.classes);
        self.flags.extend_from_slice(&part.flags);
        self.labels.extend_from_slice(&part.labels);
        self.addresses.append(&part.addresses);
    }
}

/// The columns of claimed nodes.
pub(super) fn decode(
    bytes: &[u8],
    records: Records,
    pool: &Pool<u32>,
    log: &mut Log,
) -> NodeColumns {
    read::<u32>(bytes, records, pool, log)
        .or_else(|| read::<i64>(bytes, records, pool, log))
        .expect("64 bits hold every value")
}

fn read<T: Value>(
    bytes: &[u8],
    records: Records,
    pool: &Pool<u32>,
    log: &mut Log,
) -> Option<NodeColumns> {
    let names = ["id", "size", "class", "flags", "label", "address", "wrapped address"];
    let fields = Fields::new(names.into_iter().take(records.width));
    let columns = records::read::<T, 6>(bytes, records, &fields, &FIELDS, pool, log)?;
    let [id, size, class, flags, label, address] = &columns;
    let rows = records.rows;
    let part = NodeColumns {
        ids: packed(id, rows, Nodes::NO_ID),
        sizes: packed(size, rows, 0),
        without_size: size.nulls.clone(),
        classes: narrow(class, rows),
        flags: small(flags, rows, 0),
        labels: if label.values.is_empty() { Vec::new() } else { narrow(label, rows) },
        addresses: match address.values.is_empty() {
            true => Packed::default(),
            false => packed(address, rows, Nodes::NO_ID),
        },
    };
    columns.into_iter().for_each(|column| T::give(column.values, pool));
    Some(part)
}

impl NodeColumns {
    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Sorts the nodes by id, which is the order of the edges. Producers write nodes by address. Of nodes with the same
    /// id, the first in the file has the edges. A root that is missing is added, as all edges from it would be lost.
    pub(super) fn sort(&mut self, log: &mut Log) {
        if !self.ids.is_empty() && self.ids.iter().all(|id| id != 0) {
            log.add(Code::UnknownNode, None, || "there is no root (id 0): one is added".into());
            self.append(NodeColumns {
                ids: [0].into_iter().collect(),
                sizes: [0].into_iter().collect(),
                classes: vec![NO_NAME],
                flags: vec![0],
                labels: if self.labels.is_empty() { vec![] } else { vec![0] },
                addresses: self.addresses.iter().take(1).map(|_| 0).collect(),
                without_size: vec![],
            });
        }
        if !self.ids.is_sorted() {
            self.reorder(&self.ids.sorted());
        }
        let ids = &self.ids;
        let next = ids.iter().skip(1);
        for (id, _) in ids.iter().zip(next).filter(|&(id, next)| id == next && id != NO_ID) {
            log.add(Code::DuplicateId, None, || {
                format!("several nodes have the id {id}: the first has the edges")
            });
        }
    }

    /// Puts the nodes that are at these positions in this order.
    fn reorder(&mut self, order: &[u32]) {
        let packed = |values: &Packed| order.iter().map(|&at| values.get(at as usize)).collect();
        let listed = |values: &[u32]| order.iter().map(|&at| values[at as usize]).collect();
        self.ids = packed(&self.ids);
        self.sizes = packed(&self.sizes);
        self.classes = listed(&self.classes);
        self.flags = order.iter().map(|&at| self.flags[at as usize]).collect();
        if !self.labels.is_empty() {
            self.labels = listed(&self.labels);
        }
        if !self.addresses.is_empty() {
            self.addresses = packed(&self.addresses);
        }
        if !self.without_size.is_empty() {
            let without = |at: u32| self.without_size.binary_search(&at).is_ok();
            let rows = order.iter().zip(0..).filter(|&(&at, _)| without(at));
            self.without_size = rows.map(|(_, row)| row).collect();
        }
    }
}

/// Finds nodes, which are sorted by id, by their id.
#[derive(Debug)]
pub(super) enum NodeIds {
    /// Ids are small: a list with an entry for each possible id.
    Dense(Vec<NodeIndex>),
    Sorted(Packed),
}

impl Default for NodeIds {
    fn default() -> Self {
        NodeIds::Dense(Vec::new())
    }
}

impl NodeIds {
    pub(super) fn new(nodes: &NodeColumns) -> Self {
        let ids = &nodes.ids;
        let named = ids.iter().filter(|&id| id < NO_ID).count();
        let largest = named.checked_sub(1).map_or(0, |last| ids.get(last));
        // The list is at most twice as large as the text of the nodes.
        if largest >= 8 * ids.len() as u64 + 1024 {
            return NodeIds::Sorted((0..named).map(|at| ids.get(at)).collect());
        }
        let mut list = vec![NO_NODE; largest as usize + 1];
        for node in (0..named).rev() {
            list[ids.get(node) as usize] = NodeIndex::at(node);
        }
        NodeIds::Dense(list)
    }

    /// The first node with this id, or [`NO_NODE`].
    #[inline]
    pub(super) fn node(&self, id: i64) -> NodeIndex {
        match self {
            NodeIds::Dense(list) => {
                usize::try_from(id).ok().and_then(|id| list.get(id)).copied().unwrap_or(NO_NODE)
            }
            NodeIds::Sorted(ids) => {
                let Ok(id) = u64::try_from(id) else { return NO_NODE };
                let at = ids.partition_point(|other| other < id);
                if at < ids.len() && ids.get(at) == id { NodeIndex::at(at) } else { NO_NODE }
            }
        }
    }
}
