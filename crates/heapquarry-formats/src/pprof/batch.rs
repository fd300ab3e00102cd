//! Samples of a piece of the profile. They are read beside other pieces: their stacks have no nodes of the call tree
//! yet.

use super::{
    symbols::{Ids, Symbols, bad_message, no_text},
    wire::{Bad, Fields, Value, integers},
};
use crate::{ByteOffset, Code, HashMap, Log};
use hashbrown::hash_map::Entry;
use heapquarry_profile::stacks::Walk;

/// Samples that follow each other.
#[derive(Debug, Default)]
pub struct Batch {
    pub(super) samples: Vec<Sample>,
    /// The stacks, each once but for those with locations that are not there, and their locations.
    pub(super) walks: Vec<Walk>,
    pub(super) locations: Vec<u32>,
    pub(super) values: Vec<i64>,
    pub(super) labels: Vec<Label>,
    pub(super) log: Log,
}

#[derive(Debug)]
pub(super) struct Sample {
    pub(super) at: ByteOffset,
    /// Position of its walk.
    pub(super) walk: u32,
    /// Number of its values that have a type, and of its labels.
    pub(super) values: u32,
    pub(super) labels: u32,
}

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

impl Batch {
    /// The samples among these fields of the profile, which begin at this offset.
    pub(super) fn read(bytes: &[u8], start: ByteOffset, symbols: &Symbols) -> Self {
        // An id of a location takes about two bytes.
        let locations = Vec::with_capacity(bytes.len() / 2);
        let mut batch = Batch { locations, ..Batch::default() };
        let mut fields = Fields::new(bytes);
        let (mut met, mut ids) = (HashMap::default(), Vec::new());
        loop {
            let at = start + fields.position() as u64;
            match fields.next() {
                Ok(Some((2, Value::Bytes(message)))) => {
                    if let Err(bad) = batch.add(message, at, symbols, &mut met, &mut ids) {
                        bad_message(2, bad, at, &mut batch.log);
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => return batch,
                Err(_) => {
                    batch.log.add(Code::Malformed, at, || {
                        "the input has changed since it was read first".into()
                    });
                    return batch;
                }
            }
        }
    }

    /// Adds a sample at this offset; nothing if it is bad. `met` has the walks of the stacks that were met, `ids` is
    /// memory for the ids of locations that are not packed.
    fn add<'m>(
        &mut self,
        message: &'m [u8],
        at: ByteOffset,
        symbols: &Symbols,
        met: &mut HashMap<&'m [u8], u32>,
        ids: &mut Vec<u64>,
    ) -> Result<(), Bad> {
        let [values, labels, locations] =
            [self.values.len(), self.labels.len(), self.locations.len()];
        ids.clear();
        let read = parse(message, ids, &mut self.values, &mut self.labels)
            .and_then(|packed| self.walk(packed, ids, at, symbols, met));
        let walk = match read {
            Ok(walk) => walk,
            Err(bad) => {
                self.values.truncate(values);
                self.labels.truncate(labels);
                self.locations.truncate(locations);
                return Err(bad);
            }
        };
        let (given, types) = (self.values.len() - values, symbols.types.len());
        if given != types {
            self.log.add(Code::PartialRecord, at, || {
                format!("a sample with {given} values, where there are {types} types of values")
            });
            self.values.truncate(values + types);
        }
        let of_sample = &self.labels[labels..];
        for text in of_sample.iter().flat_map(|label| [label.key, label.text, label.unit]) {
            if !symbols.texts.has(text) {
                self.log.add(Code::StringOutOfRange, at, || no_text(text));
            }
        }
        self.samples.push(Sample {
            at,
            walk,
            values: (self.values.len() - values) as u32,
            labels: of_sample.len() as u32,
        });
        Ok(())
    }

    /// The walk of a stack: of locations whose ids are packed, or not.
    #[inline]
    fn walk<'m>(
        &mut self,
        packed: &'m [u8],
        unpacked: &[u64],
        at: ByteOffset,
        symbols: &Symbols,
        met: &mut HashMap<&'m [u8], u32>,
    ) -> Result<u32, Bad> {
        let place = match met.entry(packed) {
            Entry::Occupied(walk) => return Ok(*walk.get()),
            Entry::Vacant(place) => place,
        };
        let Batch { walks, locations, log, .. } = self;
        let (start, mut unknown) = (locations.len(), Vec::new());
        let ids = &symbols.location_ids;
        unpacked.iter().for_each(|&id| add(id, ids, locations, &mut unknown));
        integers(Value::Bytes(packed), |id| add(id, ids, locations, &mut unknown))?;
        let walk = walks.len() as u32;
        walks.push(Walk::new(start..locations.len()));
        // What is odd is logged each time.
        if !packed.is_empty() && unknown.is_empty() {
            place.insert(walk);
        }
        for id in unknown {
            log.add(Code::UnknownNode, at, || {
                format!("a sample has the location {id}, which is not there")
            });
        }
        Ok(walk)
    }
}

/// Adds the location with this id.
#[inline(always)]
fn add(id: u64, ids: &Ids, locations: &mut Vec<u32>, unknown: &mut Vec<u64>) {
    match ids.position(id) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pprof::{symbols::ValueType, wire::Field};
    use heapquarry_profile::stacks::{NO, Tree};
    use proptest::{collection::vec, prelude::*};
    use std::collections::BTreeMap;

    /// A field with a message, texts or packed numbers of less than 128 bytes.
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8][..], bytes].concat()
    }

    /// Two types of values, and locations with the ids 1 to 4.
    fn symbols() -> Symbols {
        let mut symbols = Symbols::default();
        symbols.types.resize(2, ValueType::default());
        let mut log = Log::default();
        for id in 1..=4 {
            let field = Field {
                at: ByteOffset(0),
                end: ByteOffset(0),
                number: 4,
                value: Value::Bytes(&[8, id]),
            };
            symbols.take(field, &mut log);
        }
        symbols.end(&mut log);
        symbols
    }

    proptest! {
        /// A sample has the locations that are there, and as many values as there are types. All else is logged.
        #[test]
        fn samples_are_what_was_written(
            samples in vec((vec(0u8..7, 0..5), any::<bool>(), vec(0u8..100, 0..5)), 0..40),
        ) {
            let mut bytes = Vec::new();
            for (ids, is_packed, values) in &samples {
                let stack = match is_packed {
                    true => field(1, ids),
                    false => ids.iter().flat_map(|&id| [8, id]).collect(),
                };
                bytes.extend(field(2, &[stack, field(2, values)].concat()));
                // Another field between.
                bytes.extend([0x48, 7]);
            }
            let batch = Batch::read(&bytes, ByteOffset(1000), &symbols());
            let (mut tree, mut stacks) = (Tree::new(1000), BTreeMap::new());
            let mut values = batch.values.iter();
            prop_assert_eq!(batch.samples.len(), samples.len());
            for (found, (ids, _, given)) in batch.samples.iter().zip(&samples) {
                let known: Vec<u8> = ids.iter().copied().filter(|id| (1..=4).contains(id)).collect();
                let node = tree.node(&batch.walks[found.walk as usize], &batch.locations, |_| 1).unwrap();
                prop_assert_eq!(stacks.entry(node).or_insert(known.clone()), &known);
                let given: Vec<i64> = given.iter().map(|&value| value.into()).take(2).collect();
                let found: Vec<i64> = values.by_ref().take(found.values as usize).copied().collect();
                prop_assert_eq!(found, given);
            }
            let nodes = tree.take(usize::MAX);
            for (&node, known) in stacks.iter().filter(|&(&node, _)| node != NO) {
                prop_assert_eq!(nodes.depths[node as usize] as usize + 1, known.len());
            }
            let odd = |ids: &[u8]| ids.iter().filter(|id| !(1..=4).contains(*id)).count();
            let unknown: usize = samples.iter().map(|(ids, ..)| odd(ids)).sum();
            let partial = samples.iter().filter(|(_, _, values)| values.len() != 2).count();
            prop_assert_eq!(batch.log.total() as usize, unknown + partial);
        }
    }

    #[test]
    fn what_cannot_be_read_leaves_nothing() {
        let good = field(2, &[field(1, &[1, 2]), field(2, &[5, 6])].concat());
        // A value, a label and a location, and a number that does not end.
        let bad = field(2, &[field(2, &[5]), field(3, &[8, 0]), field(1, &[1, 0x80])].concat());
        let cut = field(2, &[field(2, &[5]), vec![0x0A, 9, 1]].concat());
        let batch =
            Batch::read(&[&good[..], &bad, &cut, &good].concat(), ByteOffset(0), &symbols());
        assert_eq!((batch.samples.len(), batch.walks.len()), (2, 1));
        assert_eq!((&batch.locations[..], &batch.values[..]), (&[0, 1][..], &[5, 6, 5, 6][..]));
        assert_eq!((batch.labels.len(), batch.log.total()), (0, 2));
    }
}
