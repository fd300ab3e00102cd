//! Samples: a stack of locations, a value of each type, and labels.

use super::{
    batch::{Batch, Label},
    symbols::Symbols,
};
use crate::{
    ByteOffset, Code, Log,
    profile::{add, overflow},
};
use heapquarry_profile::stacks::{Descent, NO, Tree};
use heapquarry_tables::{PPROF_LABEL, PPROF_SAMPLE, PPROF_VALUE, Projection};
use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
};

/// Bytes of pieces that are read, but not taken yet: a worker that is late must not have all others read on.
const AHEAD: u64 = 16 << 20;

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

/// Takes the samples that workers have read, in order, and builds the call tree.
pub(super) struct Samples {
    pub(super) tree: Tree,
    /// Sums of all values of each type.
    pub(super) totals: Vec<i64>,
    /// Number of types whose values are added up.
    types: usize,
    /// Number of pieces that workers were given to read, and of those that were taken.
    given: usize,
    taken: usize,
    /// Bytes of the pieces between.
    bytes_ahead: u64,
    /// Batches that follow one that is not there yet, by the number of their piece.
    batches: BTreeMap<usize, Batch>,
    /// Row groups of samples that are complete, and the next one.
    full: VecDeque<Block>,
    block: Block,
    /// Rows of a row group.
    rows: usize,
    /// Whether rows of samples, of values and of labels are wanted.
    wants: [bool; 3],
    descent: Descent,
    /// The node of each walk of a batch; `None` if the tree has no room for it.
    nodes: Vec<Option<u32>>,
}

impl Samples {
    /// `bytes` is the size of the profile. Values of the first `summed` of all types are added up by node.
    pub(super) fn new(
        bytes: u64,
        types: usize,
        summed: usize,
        rows: usize,
        projection: &Projection,
    ) -> Self {
        Samples {
            tree: Tree::new(bytes),
            totals: vec![0; types],
            types: summed,
            given: 0,
            taken: 0,
            bytes_ahead: 0,
            batches: BTreeMap::new(),
            full: VecDeque::new(),
            block: Block::default(),
            rows,
            wants: [&PPROF_SAMPLE, &PPROF_VALUE, &PPROF_LABEL].map(|table| projection.wants(table)),
            descent: Descent::default(),
            nodes: Vec::new(),
        }
    }

    /// Number of samples that were taken.
    pub(super) fn count(&self) -> u64 {
        self.block.first + self.block.count as u64
    }

    /// The number and the place of the next piece to read, if there is one and enough of the others were taken.
    pub(super) fn give(&mut self, symbols: &Symbols) -> Option<(usize, Range<ByteOffset>)> {
        let piece = symbols.pieces.get(self.given)?.clone();
        if self.bytes_ahead >= AHEAD {
            return None;
        }
        let number = self.given;
        self.given += 1;
        self.bytes_ahead += piece.end - piece.start;
        Some((number, piece))
    }

    /// Whether a piece that was given has not been taken.
    pub(super) fn is_behind(&self) -> bool {
        self.taken < self.given
    }

    /// The piece with this number was read.
    pub(super) fn complete(&mut self, number: usize, batch: Batch) {
        self.batches.insert(number, batch);
    }

    /// Takes the samples of the next piece, if it was read. Each step goes through all of them, as it waits for memory.
    pub(super) fn take(&mut self, symbols: &Symbols, log: &mut Log) -> bool {
        let Some(mut batch) = self.batches.remove(&self.taken) else { return false };
        let piece = &symbols.pieces[self.taken];
        self.bytes_ahead -= piece.end - piece.start;
        self.taken += 1;
        log.merge(std::mem::take(&mut batch.log));
        self.find_nodes(&mut batch, symbols);
        self.count_values(&batch, log);
        self.take_rows(&batch);
        true
    }

    /// Finds the nodes of the stacks.
    fn find_nodes(&mut self, batch: &mut Batch, symbols: &Symbols) {
        let Samples { tree, descent, nodes, .. } = self;
        let Batch { walks, locations, .. } = batch;
        descent.run(tree, walks, locations);
        let lines = |location: u32| symbols.lines_of(location as usize).len();
        nodes.clear();
        nodes.extend(walks.iter().map(|walk| tree.node(walk, locations, lines)));
    }

    /// Adds the values of the samples to the sums.
    fn count_values(&mut self, batch: &Batch, log: &mut Log) {
        let Samples { tree, totals, types, nodes, .. } = self;
        let mut values = &batch.values[..];
        for sample in &batch.samples {
            let node = nodes[sample.walk as usize];
            if node.is_none() {
                log.add(Code::BadRecord, sample.at, || {
                    "more calls than a file of this size can have".into()
                });
            }
            let values = split(&mut values, sample.values);
            let summed = &values[..values.len().min(*types)];
            let node = node.unwrap_or(NO);
            tree.count(node, summed, *types, &mut || overflow("self_value", log));
            for (sum, &value) in totals.iter_mut().zip(values) {
                add(sum, value, "total_value", log);
            }
        }
    }

    /// Adds the samples to their blocks.
    fn take_rows(&mut self, batch: &Batch) {
        let [of_samples, of_values, of_labels] = self.wants;
        let (mut values, mut labels) = (&batch.values[..], &batch.labels[..]);
        for sample in &batch.samples {
            let block = &mut self.block;
            if of_samples {
                block.nodes.push(self.nodes[sample.walk as usize].unwrap_or(NO));
            }
            let values = split(&mut values, sample.values);
            if of_values {
                block.widths.push(sample.values);
                block.values.extend_from_slice(values);
            }
            let labels = split(&mut labels, sample.labels);
            if of_labels {
                let position = block.count as u32;
                block
                    .labels
                    .extend(labels.iter().map(|&label| Label { sample: position, ..label }));
            }
            block.count += 1;
            if block.count.max(block.values.len()).max(block.labels.len()) >= self.rows {
                self.end_block();
            }
        }
    }

    /// The next samples are those of another row group.
    fn end_block(&mut self) {
        let first = self.count();
        let block = std::mem::replace(&mut self.block, Block { first, ..Block::default() });
        if block.count > 0 {
            self.full.push_back(block);
        }
    }

    /// A row group of samples, if one is complete.
    pub(super) fn block(&mut self) -> Option<Block> {
        self.full.pop_front()
    }

    /// All samples have been taken.
    pub(super) fn end(&mut self) {
        self.end_block();
        self.tree.end_samples();
    }
}

/// Takes the first ones.
#[inline]
fn split<'s, T>(all: &mut &'s [T], count: u32) -> &'s [T] {
    let (first, rest) = all.split_at(count as usize);
    *all = rest;
    first
}
