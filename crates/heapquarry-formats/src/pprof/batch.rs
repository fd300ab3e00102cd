//! Samples that are read together, so that their stacks go down the call tree side by side.

use super::{
    samples::Label,
    symbols::Symbols,
    wire::{Bad, Fields, Value, integers},
};
use crate::ByteOffset;
use heapquarry_profile::stacks::{Stacks, Walk};

/// Samples after which a batch is full: enough that the processor always has something else to do than to wait.
const SAMPLES: usize = 1024;

/// Calls, values and labels after which a batch is full: a few samples can have many.
const ITEMS: usize = 1 << 16;

/// Samples that were read, but not taken yet: they have no nodes.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) samples: Vec<Sample>,
    /// Stacks that were not met before, and their locations.
    pub(super) walks: Vec<Walk>,
    pub(super) locations: Vec<u32>,
    /// The node of each sample, once the stacks have gone down the tree.
    pub(super) nodes: Vec<u32>,
    /// Ids of locations that are not there.
    pub(super) unknown: Vec<u64>,
    pub(super) values: Vec<i64>,
    pub(super) labels: Vec<Label>,
    /// Ids of locations that are not packed, of one sample.
    ids: Vec<u64>,
}

pub(super) struct Sample {
    pub(super) at: ByteOffset,
    pub(super) stack: Stack,
    /// Number of its values in the file, and how many have a type.
    pub(super) given: usize,
    pub(super) values: usize,
    pub(super) labels: usize,
    pub(super) unknown: usize,
}

pub(super) enum Stack {
    /// The number of one that was met before.
    Met(u32),
    /// The walk of another, and its number if it is remembered.
    New(usize, Option<u32>),
}

impl Batch {
    pub(super) fn is_full(&self) -> bool {
        let Batch { samples, locations, unknown, values, labels, .. } = self;
        let items = locations.len() + unknown.len() + values.len() + labels.len();
        samples.len() >= SAMPLES || items >= ITEMS
    }

    pub(super) fn clear(&mut self) {
        let Batch { samples, walks, locations, nodes, unknown, values, labels, ids: _ } = self;
        samples.clear();
        walks.clear();
        locations.clear();
        nodes.clear();
        unknown.clear();
        values.clear();
        labels.clear();
    }

    /// Adds a sample at this offset; nothing if it is bad.
    pub(super) fn add(
        &mut self,
        message: &[u8],
        at: ByteOffset,
        types: usize,
        stacks: &mut Stacks,
        symbols: &Symbols,
    ) -> Result<(), Bad> {
        let Batch { locations, unknown, values, labels, .. } = self;
        let before = [locations.len(), unknown.len(), values.len(), labels.len()];
        let [of_locations, of_unknown, of_values, of_labels] = before;
        match self.stack(message, stacks, symbols) {
            Ok(stack) => {
                let given = self.values.len() - of_values;
                self.values.truncate(of_values + types);
                self.samples.push(Sample {
                    at,
                    stack,
                    given,
                    values: given.min(types),
                    labels: self.labels.len() - of_labels,
                    unknown: self.unknown.len() - of_unknown,
                });
                Ok(())
            }
            Err(bad) => {
                self.locations.truncate(of_locations);
                self.unknown.truncate(of_unknown);
                self.values.truncate(of_values);
                self.labels.truncate(of_labels);
                Err(bad)
            }
        }
    }

    /// Reads a sample. Returns its stack.
    fn stack(
        &mut self,
        message: &[u8],
        stacks: &mut Stacks,
        symbols: &Symbols,
    ) -> Result<Stack, Bad> {
        let Batch { walks, locations, unknown, values, labels, ids, .. } = self;
        ids.clear();
        let packed = parse(message, ids, values, labels)?;
        let hash = match stacks.number(packed) {
            Ok(number) => return Ok(Stack::Met(number)),
            Err(hash) => hash,
        };
        let (start, known) = (locations.len(), unknown.len());
        ids.iter().for_each(|&id| place(id, symbols, locations, unknown));
        integers(Value::Bytes(packed), |id| place(id, symbols, locations, unknown))?;
        walks.push(Walk::new(start..locations.len()));
        // What is odd is logged each time.
        let is_kept = !packed.is_empty() && unknown.len() == known;
        let number = is_kept.then(|| stacks.insert(packed, hash)).flatten();
        Ok(Stack::New(walks.len() - 1, number))
    }
}

/// Puts the location with an id where it belongs.
#[inline(always)]
fn place(id: u64, symbols: &Symbols, locations: &mut Vec<u32>, unknown: &mut Vec<u64>) {
    match symbols.location_ids.position(id) {
        Some(location) => locations.push(location),
        None => unknown.push(id),
    }
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
