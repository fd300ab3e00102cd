//! The `edges` section: rows of `js_heap_edges`. The file does not give the owner of an edge; the edge counts of the
//! nodes determine it.

use super::{Decode, RecordTask, names::log_missing};
use crate::{
    Code, Log,
    heap::{
        collect::EdgeFields,
        context::Context,
        fields::{Field, FieldList},
        node_index::NodeIndex,
        positions::{NodePosition, StringPosition},
        records::{Column, Value, ValueLocator, validity},
        side_output::SideOutput,
        strings::StringTable,
    },
};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use heapquarry_scan::{Work, vectorized};
use heapquarry_tables::{Type, arrays, js_heap_edges};

const FIELDS: [Field; 3] =
    [Field::required("type"), Field::required("name_or_index").unset(), Field::required("to_node")];

/// Edge types that fit a mask.
const MASKED_TYPES: usize = 32;

pub(crate) struct Edges;

impl Decode for Edges {
    const FIELDS: FieldList = FieldList { key: "edge_fields", fields: &FIELDS };

    fn reserve(context: &Context, most: u64) {
        if let Some(collector) = &context.collector {
            collector.expect_edges(context.nodes.edges.total.min(most) as usize);
        }
    }

    fn has_side_output(context: &Context) -> bool {
        context.collector.is_some()
    }

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        let (header, nodes) = (&task.context.header, &task.context.nodes);
        let wanted = js_heap_edges::wanted(task.columns);
        let rows = task.records.rows;
        if !nodes.ids_fit::<T>() {
            return None;
        }
        let [kind, name_or_index, mut to_node] = read::<T>(task)?;
        let strings = task.context.strings.as_ref();
        let strings = strings.filter(|_| wanted.name && !name_or_index.values.is_empty());
        let named = strings.map(|strings| {
            let locator = task.locator("name_or_index");
            let numbered = &header.numbered;
            (strings, named_rows(&kind, &name_or_index, numbered, strings, locator, task.log))
        });
        if wanted.to_node_id {
            let references = task.locator("to_node");
            node_ids(&mut to_node, nodes, header.node_fields.width(), references, task.log);
        }
        let name_or_index = task.int64(name_or_index);
        let names = match named {
            Some((strings, valid)) => {
                strings.column(Int32Array::new(T::keys(&name_or_index), Some(valid)))
            }
            None => arrays::nulls(Type::Text, rows),
        };
        let columns = js_heap_edges::Of {
            file_id: wanted.file_id.then(|| task.file_id()),
            edge_index: wanted.edge_index.then(|| task.positions()),
            r#type: wanted.r#type.then(|| task.labels(kind, &header.edge_types)),
            name: wanted.name.then_some(names),
            name_or_index: wanted.name_or_index.then_some(name_or_index),
            from_node_id: wanted.from_node_id.then(|| owners::<T>(task)),
            to_node_id: wanted.to_node_id.then(|| match nodes.positions_unknown {
                true => arrays::nulls(Type::Int64, rows),
                false => task.int64(to_node),
            }),
        };
        Some((columns.into_batch(), SideOutput::None))
    }

    fn decode_side_output<T: Value>(task: &mut RecordTask<'_>) -> Option<SideOutput> {
        let columns = read::<T>(task)?;
        columns.into_iter().for_each(|column| T::give(column.values, task.pool));
        Some(SideOutput::None)
    }
}

/// Reads the columns, and keeps what the analysis needs.
fn read<T: Value>(task: &mut RecordTask<'_>) -> Option<[Column<T>; 3]> {
    let columns = task.read::<T, _>(&FIELDS)?;
    if let Some(collector) = &task.context.collector {
        let [kind, name_or_index, to_node] = &columns;
        let width = task.context.header.node_fields.width();
        collector.edges(task.records, &EdgeFields { kind, name_or_index, to_node }, width);
    }
    Some(columns)
}

/// Ids of the owners, as runs.
fn owners<T: Value>(task: &mut RecordTask<'_>) -> ArrayRef {
    let (nodes, pool) = (&task.context.nodes, task.pool);
    let rows = task.records.rows as u64;
    let mut ends = pool.take(0);
    let mut ids = T::take(pool, 0);
    // Runs of owners without an id.
    let mut nulls = Vec::new();
    let mut end = 0;
    let narrow = nodes.narrow_ids();
    if nodes.owners_unknown {
        return arrays::nulls(Type::Int64, task.records.rows);
    }
    for owner in nodes.edges.of(task.records.first) {
        end = (end + owner.records).min(rows);
        ends.push(end as u32);
        let id = match narrow {
            Some(narrow) => Some(T::from_narrow(narrow[owner.position as usize])),
            None => {
                let id = nodes.id(NodePosition(owner.position));
                id.map(|id| T::from_wide(id).expect("it is one of ids that fit"))
            }
        };
        if id.is_none() {
            nulls.push(ids.len() as u32);
        }
        ids.push(id.unwrap_or_default());
        if end == rows {
            break;
        }
    }
    if end < rows {
        let locator = task.locator("type");
        for row in end..rows {
            task.log.add_lazily(Code::EdgeWithoutOwner, || {
                let message = "the nodes' edge counts add up to fewer edges";
                (Some(locator.locate(row as u32).0), message.into(), None)
            });
        }
        nulls.push(ids.len() as u32);
        ids.push(T::default());
        ends.push(rows as u32);
    }
    let valid = validity(&nulls, ids.len());
    arrays::runs(pool.buffer(ends), T::int64(ids, valid, pool))
}

/// Replaces raw node references by ids.
fn node_ids<T: Value>(
    to_node: &mut Column<T>,
    nodes: &NodeIndex,
    width: usize,
    locator: ValueLocator<'_>,
    log: &mut Log,
) {
    let bad = match (width, nodes.narrow_ids()) {
        // A constant width lets the compiler replace the division by a multiplication.
        (5, Some(ids)) => narrow_ids::<T, 5>(&mut to_node.values, ids),
        (6, Some(ids)) => narrow_ids::<T, 6>(&mut to_node.values, ids),
        (7, Some(ids)) => narrow_ids::<T, 7>(&mut to_node.values, ids),
        (8, Some(ids)) => narrow_ids::<T, 8>(&mut to_node.values, ids),
        _ => any_ids(&mut to_node.values, nodes, width as i64),
    };
    for row in bad.into_iter().filter(|&row| !to_node.is_null(row)).collect::<Vec<_>>() {
        let value: i64 = to_node.values[row as usize].into();
        let code = if value >= 0 && value % width as i64 != 0 {
            Code::ToNodeUnaligned
        } else {
            Code::ToNodeOutOfRange
        };
        // A node without an id does not make the edge damaged.
        let is_node = || nodes.has(NodePosition(value as u64 / width as u64));
        if code == Code::ToNodeUnaligned || value < 0 || !is_node() {
            log.add_lazily(code, || {
                let (offset, raw) = locator.locate(row);
                (Some(offset), format!("no node of {width} fields starts there"), Some(raw))
            });
        }
        to_node.set_null(row);
    }
}

/// Whether all values are multiples of `W` and below `W` times the number.
struct Multiples<'a, T, const W: u32>(&'a [T], usize);

impl<T: Value, const W: u32> Work for Multiples<'_, T, W> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        T::all_multiples::<W>(self.0, self.1)
    }
}

/// Replaces references by ids; returns the rows that refer to no node.
fn narrow_ids<T: Value, const W: u32>(values: &mut [T], ids: &[u32]) -> Vec<u32> {
    if vectorized(Multiples::<T, W>(values, ids.len())) {
        // The loop for nearly all files. It has no branches, so loads do not wait for each other.
        for value in values {
            let node = (*value).into() as u64 / u64::from(W);
            *value = T::from_narrow(ids[node as usize]);
        }
        return Vec::new();
    }
    let mut bad = Vec::new();
    for (row, value) in values.iter_mut().enumerate() {
        let reference = (*value).into() as u64;
        match ids.get((reference / u64::from(W)) as usize) {
            Some(&id) if reference.is_multiple_of(u64::from(W)) => *value = T::from_narrow(id),
            _ => bad.push(row as u32),
        }
    }
    bad
}

fn any_ids<T: Value>(values: &mut [T], nodes: &NodeIndex, width: i64) -> Vec<u32> {
    let mut bad = Vec::new();
    for (row, value) in values.iter_mut().enumerate() {
        let reference: i64 = (*value).into();
        let aligned = reference >= 0 && reference % width == 0;
        let id = nodes.id(NodePosition((reference / width) as u64)).filter(|_| aligned);
        match id.and_then(T::from_wide) {
            Some(id) => *value = id,
            None => bad.push(row as u32),
        }
    }
    bad
}

/// Which edges have a name.
fn named_rows<T: Value>(
    kind: &Column<T>,
    name_or_index: &Column<T>,
    numbered: &[bool],
    strings: &StringTable,
    locator: ValueLocator<'_>,
    log: &mut Log,
) -> NullBuffer {
    let rows = name_or_index.values.len();
    let mut valid = Vec::with_capacity(rows.div_ceil(64));
    let masked = numbered.len() <= MASKED_TYPES && kind.all_below(MASKED_TYPES as u64);
    // No value is missing or negative.
    let plain = name_or_index.is_whole(rows) && name_or_index.all_below(1 << 63);
    if masked && kind.is_whole(rows) && plain {
        let (kinds, indices) = (&kind.values[..], &name_or_index.values[..]);
        let bits = numbered.iter().enumerate().map(|(kind, &numbered)| u32::from(numbered) << kind);
        let numbered = bits.fold(0, |all, bit| all | bit);
        let largest = vectorized(Named { kinds, indices, numbered, valid: &mut valid });
        if strings.has(StringPosition(largest.into() as u64)) {
            return NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid), 0, rows));
        }
        valid.clear();
    }
    for first in (0..rows).step_by(64) {
        let mut bits = 0;
        for row in first..rows.min(first + 64) {
            // With an unknown type, the value may be a name: it is kept.
            let number = kind.get(row).and_then(|kind| usize::try_from(kind).ok());
            let number = number.and_then(|kind| numbered.get(kind)).copied().unwrap_or(false);
            let Some(index) = name_or_index.get(row).filter(|_| !number) else { continue };
            if strings.has(StringPosition(index as u64)) {
                bits |= 1u64 << (row - first);
            } else {
                log_missing(row as u32, locator, log);
            }
        }
        valid.push(bits);
    }
    NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid), 0, rows))
}

/// Finds the edges that have a name, and the largest string index among them.
struct Named<'a, T> {
    /// All below [`MASKED_TYPES`].
    kinds: &'a [T],
    indices: &'a [T],
    /// Bit mask of the types whose edges have numbers.
    numbered: u32,
    /// Receives a bit per edge.
    valid: &'a mut Vec<u64>,
}

impl<T: Value> Work for Named<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run(self) -> T {
        let mut largest = T::default();
        for (kinds, indices) in self.kinds.chunks(64).zip(self.indices.chunks(64)) {
            let mut named = [0u8; 64];
            for ((named, &kind), &index) in named.iter_mut().zip(kinds).zip(indices) {
                let has_name = !(self.numbered >> (kind.into() as u32 % MASKED_TYPES as u32)) & 1;
                *named = has_name as u8;
                largest = largest.max(if has_name == 1 { index } else { T::default() });
            }
            // The product moves the lowest bit of each of eight bytes into the highest byte.
            let bytes =
                named.as_chunks::<8>().0.iter().map(|&eight| {
                    u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56
                });
            self.valid.push(bytes.rev().fold(0, |word, byte| word << 8 | byte));
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    fn check<T: Value>(edges: &[(u32, u32)], numbered: u32) {
        let value = |value: u32| T::from_narrow(value);
        let kinds: Vec<T> = edges.iter().map(|&(kind, _)| value(kind)).collect();
        let indices: Vec<T> = edges.iter().map(|&(_, index)| value(index)).collect();
        let is_named = |kind: u32| numbered >> kind & 1 == 0;
        let expected: Vec<bool> = edges.iter().map(|&(kind, _)| is_named(kind)).collect();
        let named = edges.iter().filter(|&&(kind, _)| is_named(kind));
        let largest = named.map(|&(_, index)| index).max().unwrap_or(0);
        let mut valid = Vec::new();
        let work = Named { kinds: &kinds, indices: &indices, numbered, valid: &mut valid };
        assert_eq!(vectorized(work).into(), i64::from(largest));
        let bits = BooleanBuffer::new(Buffer::from_vec(valid), 0, edges.len());
        assert_eq!(bits.iter().collect::<Vec<_>>(), expected);
    }

    proptest! {
        #[test]
        fn named_edges_are_found(
            edges in vec((0..MASKED_TYPES as u32, any::<u32>()), 0..200), numbered in any::<u32>()
        ) {
            check::<u32>(&edges, numbered);
            check::<i64>(&edges, numbered);
        }
    }
}
