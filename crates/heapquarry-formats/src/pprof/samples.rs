//! Samples: a stack of locations, a value of each type, and labels.

use super::{
    stacks::Stacks,
    symbols::{NO, Symbols, bad_message, no_text},
    tree::Tree,
    wire::{Bad, Field, Fields, MAX_FIELD, Top, Value, integers},
};
use crate::{ByteOffset, Code, Log, json::Step, profile::add};
use heapquarry_tables::{PPROF_LABEL, PPROF_SAMPLE, PPROF_VALUE, Projection};

/// New nodes after which other workers may claim: few samples can have many.
const NODES: usize = 1 << 18;

/// A label of a sample; texts by their indices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Label {
    /// Position of the sample in its block.
    pub(super) sample: u32,
    pub(super) key: i64,
    pub(super) text: i64,
    pub(super) number: i64,
    pub(super) unit: i64,
}

/// Consecutive samples.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Position of the first one.
    pub(super) first: u64,
    pub(super) count: usize,
    /// The innermost node of each, or [`NO`].
    pub(super) nodes: Vec<u32>,
    /// Number of values of each.
    pub(super) widths: Vec<u32>,
    pub(super) values: Vec<i64>,
    pub(super) labels: Vec<Label>,
}

impl Block {
    fn is_full(&self, rows: usize) -> bool {
        [self.count, self.values.len(), self.labels.len()].iter().any(|&len| len >= rows)
    }
}

/// Reads the samples, and builds the call tree.
pub(super) struct Samples<'a> {
    top: Top<'a>,
    pub(super) tree: Tree,
    /// Sums of all values of each type.
    pub(super) totals: Vec<i64>,
    /// Number of types whose values are added up.
    pub(super) types: usize,
    block: Block,
    /// Whether rows of samples, of values and of labels are wanted.
    wants: [bool; 3],
    stacks: Stacks,
    // Of one sample.
    ids: Vec<u64>,
    stack: Vec<u32>,
    values: Vec<i64>,
    labels: Vec<Label>,
}

impl<'a> Samples<'a> {
    /// `bytes` is the size of the profile.
    pub(super) fn new(
        top: Top<'a>,
        bytes: u64,
        types: usize,
        summed: usize,
        projection: &Projection,
    ) -> Self {
        Samples {
            top,
            tree: Tree::new(bytes),
            totals: vec![0; types],
            types: summed,
            block: Block::default(),
            wants: [&PPROF_SAMPLE, &PPROF_VALUE, &PPROF_LABEL].map(|table| projection.wants(table)),
            stacks: Stacks::default(),
            ids: Vec::new(),
            stack: Vec::new(),
            values: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Offset of the next field.
    pub(super) fn offset(&self) -> ByteOffset {
        self.top.offset()
    }

    /// Number of samples read.
    pub(super) fn count(&self) -> u64 {
        self.block.first + self.block.count as u64
    }

    /// Reads on to this offset, or to the end, which it returns. A full block or many new nodes end it earlier.
    pub(super) fn read(
        &mut self,
        rows: usize,
        until: ByteOffset,
        symbols: &Symbols,
        log: &mut Log,
    ) -> Step<bool> {
        let most = self.tree.len() + NODES;
        while !self.block.is_full(rows) && self.top.offset() < until && self.tree.len() < most {
            let Samples { top, .. } = self;
            let Some(Field { at, number, value, .. }) = top.next()? else { return Ok(true) };
            let message = match (number, value) {
                (2, Value::Bytes(message)) => message,
                (2, Value::Long) => {
                    log.add(Code::BadRecord, at, || {
                        format!("a sample of more than {MAX_FIELD} bytes; it is not read")
                    });
                    continue;
                }
                _ => continue,
            };
            let Samples { tree, stacks, ids, stack, values, labels, .. } = self;
            ids.clear();
            values.clear();
            labels.clear();
            let known = match parse(message, ids, values, labels) {
                Ok(packed) => Ok((packed, stacks.node(packed).filter(|_| !packed.is_empty()))),
                Err(bad) => Err(bad),
            };
            let node = known.and_then(|(packed, known)| match known {
                Some(node) => Ok(node),
                None => {
                    integers(Value::Bytes(packed), |id| ids.push(id))?;
                    let before = log.total();
                    let node = node(ids, stack, tree, at, symbols, log);
                    if !packed.is_empty() && log.total() == before {
                        stacks.insert(packed, node);
                    }
                    Ok(node)
                }
            });
            match node {
                Ok(node) => self.take(node, at, symbols, log),
                Err(bad) => bad_message(2, bad, at, log),
            }
        }
        Ok(false)
    }

    /// Takes the sample that was read.
    #[inline]
    fn take(&mut self, node: u32, at: ByteOffset, symbols: &Symbols, log: &mut Log) {
        let Samples { tree, block, values, labels, .. } = self;
        if values.len() != self.totals.len() {
            let (count, types) = (values.len(), self.totals.len());
            log.add(Code::PartialRecord, at, || {
                format!("a sample with {count} values, where there are {types} types of values")
            });
            values.truncate(types);
        }
        tree.count(node, &values[..values.len().min(self.types)], self.types, log);
        for (sum, &value) in self.totals.iter_mut().zip(&*values) {
            add(sum, value, "total_value", log);
        }
        let [samples, of_values, of_labels] = self.wants;
        if samples {
            block.nodes.push(node);
        }
        if of_values {
            block.widths.push(values.len() as u32);
            block.values.extend_from_slice(values);
        }
        for label in labels {
            for text in [label.key, label.text, label.unit] {
                if !symbols.texts.has(text) {
                    log.add(Code::StringOutOfRange, at, || no_text(text));
                }
            }
            if of_labels {
                block.labels.push(Label { sample: block.count as u32, ..*label });
            }
        }
        block.count += 1;
    }

    /// The samples read since the last call; `None` if there are none.
    pub(super) fn block(&mut self) -> Option<Block> {
        let first = self.count();
        let block = std::mem::replace(&mut self.block, Block { first, ..Block::default() });
        (block.count > 0).then_some(block)
    }

    /// Whether the samples read since the last call are a row group.
    pub(super) fn is_full(&self, rows: usize) -> bool {
        self.block.is_full(rows)
    }
}

/// The node of a stack of locations with these ids.
fn node(
    ids: &[u64],
    stack: &mut Vec<u32>,
    tree: &mut Tree,
    at: ByteOffset,
    symbols: &Symbols,
    log: &mut Log,
) -> u32 {
    stack.clear();
    for &id in ids {
        match symbols.location_ids.position(id) {
            Some(location) => stack.push(location),
            None => log.add(Code::UnknownNode, at, || {
                format!("a sample has the location {id}, which is not there")
            }),
        }
    }
    tree.stack(stack, symbols).unwrap_or_else(|| {
        log.add(Code::BadRecord, at, || "more calls than a file of this size can have".into());
        NO
    })
}

/// Reads a sample. Returns the ids of its locations as they are packed; those in other forms go into `ids`.
#[inline]
fn parse<'m>(
    message: &'m [u8],
    ids: &mut Vec<u64>,
    values: &mut Vec<i64>,
    labels: &mut Vec<Label>,
) -> Result<&'m [u8], Bad> {
    let (mut fields, mut packed) = (Fields::new(message), &[][..]);
    while let Some((number, value)) = fields.next()? {
        match (number, value) {
            (1, Value::Bytes(all)) if packed.is_empty() && ids.is_empty() => packed = all,
            (1, value) => {
                // In parts, which is allowed.
                integers(Value::Bytes(std::mem::take(&mut packed)), |id| ids.push(id))?;
                integers(value, |id| ids.push(id))?;
            }
            (2, value) => drop(integers(value, |value| values.push(value as i64))?),
            (3, Value::Bytes(message)) => {
                let mut label = Label::default();
                let mut fields = Fields::new(message);
                while let Some(field) = fields.next()? {
                    match field {
                        (1, Value::Int(key)) => label.key = key as i64,
                        (2, Value::Int(text)) => label.text = text as i64,
                        (3, Value::Int(number)) => label.number = number as i64,
                        (4, Value::Int(unit)) => label.unit = unit as i64,
                        _ => {}
                    }
                }
                labels.push(label);
            }
            _ => {}
        }
    }
    Ok(packed)
}
