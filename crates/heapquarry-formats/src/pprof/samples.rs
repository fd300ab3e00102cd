//! Samples: a stack of locations, a value of each type, and labels.

use super::{
    batch::{Batch, Stack},
    symbols::{Symbols, bad_message, no_text},
    wire::{Field, MAX_FIELD, Top, Value},
};
use crate::{
    ByteOffset, Code, Log,
    json::Step,
    profile::{add, overflow},
};
use heapquarry_profile::stacks::{Descent, NO, Stacks, Tree};
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

/// Reads the samples, and builds the call tree.
pub(super) struct Samples<'a> {
    top: Top<'a>,
    pub(super) tree: Tree,
    /// Sums of all values of each type.
    pub(super) totals: Vec<i64>,
    /// Number of types whose values are added up.
    pub(super) types: usize,
    batch: Batch,
    block: Block,
    /// Whether rows of samples, of values and of labels are wanted.
    wants: [bool; 3],
    stacks: Stacks,
    descent: Descent,
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
            batch: Batch::default(),
            block: Block::default(),
            wants: [&PPROF_SAMPLE, &PPROF_VALUE, &PPROF_LABEL].map(|table| projection.wants(table)),
            stacks: Stacks::default(),
            descent: Descent::default(),
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
        let mut end = Ok(false);
        while !self.is_full(rows) && self.top.offset() < until && self.tree.len() < most {
            let Samples { top, batch, stacks, totals, .. } = self;
            let (at, message) = match top.next() {
                Ok(Some(Field { at, number: 2, value, .. })) => (at, value),
                Ok(Some(_)) => continue,
                Ok(None) => {
                    end = Ok(true);
                    break;
                }
                Err(stop) => {
                    end = Err(stop);
                    break;
                }
            };
            match message {
                Value::Bytes(message) => {
                    match batch.add(message, at, totals.len(), stacks, symbols) {
                        Ok(()) if !batch.is_full() => {}
                        Ok(()) => self.take_batch(symbols, log),
                        Err(bad) => {
                            self.take_batch(symbols, log);
                            bad_message(2, bad, at, log);
                        }
                    }
                }
                Value::Long => {
                    self.take_batch(symbols, log);
                    log.add(Code::BadRecord, at, || {
                        format!("a sample of more than {MAX_FIELD} bytes; it is not read")
                    });
                }
                Value::Int(_) | Value::Fixed => {}
            }
        }
        self.take_batch(symbols, log);
        end
    }

    /// Takes the samples of the batch, in order. Each step goes through all of them, as it waits for memory.
    fn take_batch(&mut self, symbols: &Symbols, log: &mut Log) {
        self.find_nodes(symbols, log);
        self.count_values(log);
        self.take_rows(symbols, log);
        self.batch.clear();
    }

    /// Finds the nodes of the samples.
    fn find_nodes(&mut self, symbols: &Symbols, log: &mut Log) {
        let Samples { tree, batch, stacks, descent, .. } = self;
        let Batch { samples, walks, locations, unknown, nodes, .. } = batch;
        descent.run(tree, walks, locations);
        let lines = |location: u32| symbols.lines_of(location as usize).len();
        let mut unknown = &unknown[..];
        for sample in samples {
            for id in split(&mut unknown, sample.unknown) {
                log.add(Code::UnknownNode, sample.at, || {
                    format!("a sample has the location {id}, which is not there")
                });
            }
            let node = match sample.stack {
                Stack::Met(number) => stacks.node(number),
                Stack::New(walk, number) => {
                    let node = tree.node(&walks[walk], locations, lines);
                    if let Some(number) = number {
                        stacks.set_node(number, node);
                    }
                    node
                }
            };
            if node.is_none() {
                log.add(Code::BadRecord, sample.at, || {
                    "more calls than a file of this size can have".into()
                });
            }
            nodes.push(node.unwrap_or(NO));
        }
    }

    /// Adds the values of the samples to the sums.
    fn count_values(&mut self, log: &mut Log) {
        let Samples { tree, totals, types, batch, .. } = self;
        let mut values = &batch.values[..];
        for (sample, &node) in batch.samples.iter().zip(&batch.nodes) {
            let values = split(&mut values, sample.values);
            let summed = &values[..values.len().min(*types)];
            tree.count(node, summed, *types, &mut || overflow("self_value", log));
            for (sum, &value) in totals.iter_mut().zip(values) {
                add(sum, value, "total_value", log);
            }
        }
    }

    /// Moves the samples to their block.
    fn take_rows(&mut self, symbols: &Symbols, log: &mut Log) {
        let Samples { totals, batch, block, wants: [samples, of_values, of_labels], .. } = self;
        if *samples {
            block.nodes.extend_from_slice(&batch.nodes);
        }
        if *of_values {
            block.widths.extend(batch.samples.iter().map(|sample| sample.values as u32));
            block.values.extend_from_slice(&batch.values);
        }
        let mut labels = &batch.labels[..];
        for (position, sample) in (block.count as u32..).zip(&batch.samples) {
            if sample.given != totals.len() {
                let (count, types) = (sample.given, totals.len());
                log.add(Code::PartialRecord, sample.at, || {
                    format!("a sample with {count} values, where there are {types} types of values")
                });
            }
            for label in split(&mut labels, sample.labels) {
                for text in [label.key, label.text, label.unit] {
                    if !symbols.texts.has(text) {
                        log.add(Code::StringOutOfRange, sample.at, || no_text(text));
                    }
                }
                if *of_labels {
                    block.labels.push(Label { sample: position, ..*label });
                }
            }
        }
        block.count += batch.samples.len();
    }

    /// The samples read since the last call; `None` if there are none.
    pub(super) fn block(&mut self) -> Option<Block> {
        let first = self.count();
        let block = std::mem::replace(&mut self.block, Block { first, ..Block::default() });
        (block.count > 0).then_some(block)
    }

    /// Whether the samples read since the last call are a row group.
    pub(super) fn is_full(&self, rows: usize) -> bool {
        let Samples { batch, block, wants: [_, values, labels], .. } = self;
        let pending = |is_wanted: bool, count: usize| if is_wanted { count } else { 0 };
        block.count + batch.samples.len() >= rows
            || block.values.len() + pending(*values, batch.values.len()) >= rows
            || block.labels.len() + pending(*labels, batch.labels.len()) >= rows
    }
}

/// Takes the first ones.
#[inline]
fn split<'s, T>(all: &mut &'s [T], count: usize) -> &'s [T] {
    let (first, rest) = all.split_at(count);
    *all = rest;
    first
}
