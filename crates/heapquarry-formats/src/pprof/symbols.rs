//! Everything in a profile except its samples: what their numbers mean.

use super::wire::{Bad, Field, Fields, MAX_FIELD, Value, integers};
use crate::{ByteOffset, Code, HashMap, Log};
use arrow_array::{ArrayRef, Int32Array, StringViewArray, builder::StringViewBuilder};
use heapquarry_tables::{Type, arrays};
use std::{ops::Range, sync::Arc};

/// Bytes of a piece of samples. Their stacks should stay in the processor's cache until they have gone down the call
/// tree. A single sample can be larger.
const PIECE: u64 = 64 << 10;

/// Marks what is missing.
pub(super) const NO: u32 = u32::MAX;

/// What values are, and their unit: indices of texts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueType {
    pub(super) kind: i64,
    pub(super) unit: i64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mapping {
    pub(super) id: u64,
    pub(super) start: u64,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) file: i64,
    pub(super) build_id: i64,
    /// Functions, files, lines, inlined calls.
    pub(super) has: [bool; 4],
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Location {
    pub(super) id: u64,
    pub(super) mapping: u64,
    pub(super) address: u64,
    pub(super) is_folded: bool,
    /// Position behind its last line.
    lines_end: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub(super) function: u64,
    pub(super) line: i64,
    pub(super) column: i64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Function {
    pub(super) id: u64,
    pub(super) name: i64,
    pub(super) system_name: i64,
    pub(super) file: i64,
    pub(super) start_line: i64,
}

/// The texts.
#[derive(Debug, Default)]
pub(super) struct Texts {
    builder: Option<StringViewBuilder>,
    values: Option<StringViewArray>,
    count: usize,
    bytes: u64,
}

impl Texts {
    fn push(&mut self, bytes: &[u8], at: ByteOffset, log: &mut Log) {
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            log.add_excerpt(Code::InvalidUtf8, at, bytes, || "a text that is not UTF-8".into());
        }
        self.builder.get_or_insert_default().append_value(&text);
        self.count += 1;
        self.bytes += text.len() as u64;
    }

    /// Bytes of all texts.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn end(&mut self) {
        self.values = self.builder.take().map(|mut builder| builder.finish());
    }

    /// The key of a text; `None` if there is none. The first text is the empty one, for what is not given.
    pub(super) fn key(&self, index: i64) -> Option<i32> {
        let is_there = |&key: &i32| (key as usize) < self.count;
        i32::try_from(index).ok().filter(|&key| key > 0).filter(is_there)
    }

    /// Whether an index is that of a text.
    pub(super) fn has(&self, index: i64) -> bool {
        index == 0 || self.key(index).is_some()
    }

    pub(super) fn get(&self, index: i64) -> Option<&str> {
        let key = self.key(index)?;
        self.values.as_ref().map(|values| values.value(key as usize))
    }

    /// A column of texts.
    pub(super) fn column(&self, indices: impl ExactSizeIterator<Item = i64>) -> ArrayRef {
        let rows = indices.len();
        let keys: Int32Array = indices.map(|index| self.key(index)).collect();
        match &self.values {
            Some(values) if keys.iter().any(|key| key.is_some()) => {
                arrays::keyed(keys, Arc::new(values.clone()))
            }
            _ => arrays::nulls(Type::Text, rows),
        }
    }
}

/// Positions by id.
#[derive(Debug)]
pub(super) enum Ids {
    /// Ids in a small range, as nearly all producers assign them.
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32>),
}

impl Default for Ids {
    fn default() -> Self {
        Ids::Dense(Vec::new())
    }
}

impl Ids {
    /// Of several with the same id, the first counts.
    fn new(ids: impl ExactSizeIterator<Item = u64> + Clone, what: &str, log: &mut Log) -> Self {
        let most = ids.clone().max().unwrap_or(0);
        let mut index = match most < 4 * ids.len() as u64 + 1024 {
            true => Ids::Dense(vec![NO; most as usize + 1]),
            false => Ids::Sparse(HashMap::with_capacity_and_hasher(ids.len(), Default::default())),
        };
        for (position, id) in (0..).zip(ids) {
            let place = match &mut index {
                Ids::Dense(positions) => &mut positions[id as usize],
                Ids::Sparse(positions) => positions.entry(id).or_insert(NO),
            };
            if *place == NO {
                *place = position;
            } else {
                log.add(Code::DuplicateId, None, || {
                    format!("{what} {position} (counted from 0) has the id {id} of {what} {place}, which counts")
                });
            }
        }
        index
    }

    #[inline]
    pub(super) fn position(&self, id: u64) -> Option<u32> {
        let position = match self {
            Ids::Dense(positions) => positions.get(usize::try_from(id).ok()?).copied(),
            Ids::Sparse(positions) => positions.get(&id).copied(),
        };
        position.filter(|&position| position != NO)
    }
}

/// A profile without its samples.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) types: Vec<ValueType>,
    pub(super) mappings: Vec<Mapping>,
    pub(super) locations: Vec<Location>,
    pub(super) lines: Vec<Line>,
    pub(super) functions: Vec<Function>,
    pub(super) texts: Texts,
    pub(super) comments: Vec<i64>,
    pub(super) drop_frames: i64,
    pub(super) keep_frames: i64,
    pub(super) time: i64,
    pub(super) duration: i64,
    pub(super) period_type: Option<ValueType>,
    pub(super) period: i64,
    pub(super) default_type: i64,
    pub(super) doc_url: i64,
    pub(super) location_ids: Ids,
    pub(super) function_ids: Ids,
    pub(super) mapping_ids: Ids,
    /// Whether the first text came before the types of values.
    is_text_first: bool,
    /// Where the first type of values behind the first text is.
    late_type: Option<ByteOffset>,
    /// Where a second profile begins: the sum of messages is a message, but their texts and ids would be mixed up.
    pub(super) second: Option<ByteOffset>,
    /// Where the samples are, in pieces to be read.
    pub(super) pieces: Vec<Range<ByteOffset>>,
}

impl Symbols {
    /// Memory that they take, in bytes, about.
    pub(super) fn memory(&self) -> u64 {
        let Symbols { mappings, locations, lines, functions, texts, comments, .. } = self;
        // With their places by id.
        let mappings = mappings.len() * (size_of::<Mapping>() + 16);
        let locations = locations.len() * (size_of::<Location>() + 16);
        let functions = functions.len() * (size_of::<Function>() + 16);
        let lines = size_of_val(&lines[..]) + size_of_val(&comments[..]);
        (mappings + locations + functions + lines + 16 * texts.count) as u64 + texts.bytes
    }

    /// Takes a field of the profile. Samples are only located.
    pub(super) fn take(&mut self, Field { at, end, number, value }: Field<'_>, log: &mut Log) {
        let message = match (number, value) {
            (2, Value::Bytes(_)) => return self.locate_sample(at..end),
            (2, Value::Long) => {
                return log.add(Code::BadRecord, at, || {
                    format!("a sample of more than {MAX_FIELD} bytes; it is not read")
                });
            }
            (2, Value::Int(_) | Value::Fixed) => return,
            (6, Value::Bytes(text)) => {
                // Each profile has the empty text once, at the beginning of its texts.
                self.is_text_first |= self.texts.count == 0 && self.types.is_empty();
                if text.is_empty() && self.second.is_none() {
                    self.second =
                        self.late_type.map(|first| if self.is_text_first { at } else { first });
                }
                return self.texts.push(text, at, log);
            }
            (6, Value::Long) => {
                self.texts.push(b"", at, log);
                return log.add(Code::StringTooLong, at, || {
                    format!("a text of more than {MAX_FIELD} bytes; it is empty")
                });
            }
            (1 | 3 | 4 | 5 | 11, Value::Bytes(message)) => {
                let mut fields = Fields::new(message);
                if number == 1 && self.texts.count > 0 {
                    self.late_type.get_or_insert(at);
                }
                match number {
                    1 => value_type(&mut fields).map(|one| self.types.push(one)),
                    3 => mapping(&mut fields).map(|one| self.mappings.push(one)),
                    4 => self.location(&mut fields),
                    5 => function(&mut fields).map(|one| self.functions.push(one)),
                    _ => value_type(&mut fields).map(|one| self.period_type = Some(one)),
                }
            }
            (13, value @ (Value::Int(_) | Value::Bytes(_))) => {
                integers(value, |text| self.comments.push(text as i64)).map(drop)
            }
            (7..=10 | 12 | 14 | 15, Value::Int(value)) => {
                *match number {
                    7 => &mut self.drop_frames,
                    8 => &mut self.keep_frames,
                    9 => &mut self.time,
                    10 => &mut self.duration,
                    12 => &mut self.period,
                    14 => &mut self.default_type,
                    _ => &mut self.doc_url,
                } = value as i64;
                return;
            }
            (number, Value::Long) => {
                return log.add(Code::BadRecord, at, || {
                    format!("field {number} has more than {MAX_FIELD} bytes; it is not read")
                });
            }
            (number, _) => {
                return log.add(Code::UnknownField, at, || format!("field {number}: skipped"));
            }
        };
        if let Err(bad) = message {
            bad_message(number, bad, at, log);
        }
    }

    /// Adds a sample to the last piece, or to a new one. Other fields may lie between those of a piece.
    fn locate_sample(&mut self, sample: Range<ByteOffset>) {
        match self.pieces.last_mut() {
            Some(piece) if sample.end - piece.start <= PIECE => piece.end = sample.end,
            _ => self.pieces.push(sample),
        }
    }

    fn location(&mut self, fields: &mut Fields<'_>) -> Result<(), Bad> {
        let (mut location, first) = (Location::default(), self.lines.len());
        let mut read = || {
            while let Some(field) = fields.next()? {
                match field {
                    (1, Value::Int(id)) => location.id = id,
                    (2, Value::Int(mapping)) => location.mapping = mapping,
                    (3, Value::Int(address)) => location.address = address,
                    (4, Value::Bytes(message)) => {
                        let mut fields = Fields::new(message);
                        let mut line = Line::default();
                        while let Some(field) = fields.next()? {
                            match field {
                                (1, Value::Int(function)) => line.function = function,
                                (2, Value::Int(at)) => line.line = at as i64,
                                (3, Value::Int(at)) => line.column = at as i64,
                                _ => {}
                            }
                        }
                        self.lines.push(line);
                    }
                    (5, Value::Int(is_folded)) => location.is_folded = is_folded != 0,
                    _ => {}
                }
            }
            Ok(())
        };
        let read = read();
        if read.is_ok() {
            location.lines_end = u32::try_from(self.lines.len()).unwrap_or(NO);
            self.locations.push(location);
        } else {
            self.lines.truncate(first);
        }
        read
    }

    /// Positions of the lines of a location.
    #[inline]
    pub(super) fn lines_of(&self, location: usize) -> Range<usize> {
        let start = location.checked_sub(1).map_or(0, |before| self.locations[before].lines_end);
        start as usize..self.locations[location].lines_end as usize
    }

    /// The location of a line.
    pub(super) fn location_of(&self, line: usize) -> usize {
        self.locations.partition_point(|location| location.lines_end as usize <= line)
    }

    /// The type of values that queries take: the default type of the file, or the last one, as pprof does.
    pub(super) fn default_value(&self) -> Option<usize> {
        let wanted = self.texts.get(self.default_type);
        let named = wanted.and_then(|wanted| {
            self.types.iter().position(|one| self.texts.get(one.kind) == Some(wanted))
        });
        named.or(self.types.len().checked_sub(1))
    }

    /// All fields have been read.
    pub(super) fn end(&mut self, log: &mut Log) {
        self.texts.end();
        if self.lines.iter().any(|line| line.function != 0) {
            number(self.functions.iter_mut().map(|one| &mut one.id), "functions", log);
        }
        if self.locations.iter().any(|location| location.mapping != 0) {
            number(self.mappings.iter_mut().map(|one| &mut one.id), "mappings", log);
        }
        if self.locations.len() > 1 {
            number(self.locations.iter_mut().map(|one| &mut one.id), "locations", log);
        }
        self.mapping_ids = Ids::new(self.mappings.iter().map(|one| one.id), "mapping", log);
        self.location_ids = Ids::new(self.locations.iter().map(|one| one.id), "location", log);
        self.function_ids = Ids::new(self.functions.iter().map(|one| one.id), "function", log);
        let unknown = |line: &&Line| self.function_ids.position(line.function).is_none();
        for line in self.lines.iter().filter(unknown) {
            log.add(Code::UnknownNode, None, || {
                format!("a line has the function {}, which is not there", line.function)
            });
        }
        let types = self.types.iter().chain(&self.period_type);
        let texts = types.flat_map(|one| [one.kind, one.unit]);
        let texts = texts.chain(self.mappings.iter().flat_map(|one| [one.file, one.build_id]));
        let functions = self.functions.iter();
        let texts = texts.chain(functions.flat_map(|one| [one.name, one.system_name, one.file]));
        let own = [self.drop_frames, self.keep_frames, self.default_type, self.doc_url];
        let texts = texts.chain(self.comments.iter().copied()).chain(own);
        for index in texts.filter(|&index| !self.texts.has(index)) {
            log.add(Code::StringOutOfRange, None, || no_text(index));
        }
    }
}

/// Gives ids from 1 on to what has none, as the .NET profiler writes functions. References count so.
fn number<'a>(ids: impl Iterator<Item = &'a mut u64>, what: &str, log: &mut Log) {
    let mut ids: Vec<&mut u64> = ids.collect();
    if ids.is_empty() || ids.iter().any(|id| **id != 0) {
        return;
    }
    for (id, place) in ids.iter_mut().zip(1..) {
        **id = place;
    }
    log.add(Code::IdsAssigned, None, || format!("{what} have no ids: they count from 1"));
}

/// Explains an index that is not one of a text.
pub(super) fn no_text(index: i64) -> String {
    format!("there is no text {index}")
}

/// Logs a message that cannot be read.
#[cold]
pub(super) fn bad_message(number: u64, bad: Bad, at: ByteOffset, log: &mut Log) {
    let what = match bad {
        Bad::Cut => "a field that ends within the message",
        Bad::Expected(expected) => expected,
    };
    log.add(Code::BadRecord, at, || format!("field {number}: expected {what}; it is not read"));
}

fn value_type(fields: &mut Fields<'_>) -> Result<ValueType, Bad> {
    let mut one = ValueType::default();
    while let Some(field) = fields.next()? {
        match field {
            (1, Value::Int(kind)) => one.kind = kind as i64,
            (2, Value::Int(unit)) => one.unit = unit as i64,
            _ => {}
        }
    }
    Ok(one)
}

fn mapping(fields: &mut Fields<'_>) -> Result<Mapping, Bad> {
    let mut one = Mapping::default();
    while let Some(field) = fields.next()? {
        match field {
            (1, Value::Int(id)) => one.id = id,
            (2, Value::Int(start)) => one.start = start,
            (3, Value::Int(limit)) => one.limit = limit,
            (4, Value::Int(offset)) => one.offset = offset,
            (5, Value::Int(file)) => one.file = file as i64,
            (6, Value::Int(build_id)) => one.build_id = build_id as i64,
            (number @ 7..=10, Value::Int(has)) => one.has[number as usize - 7] = has != 0,
            _ => {}
        }
    }
    Ok(one)
}

fn function(fields: &mut Fields<'_>) -> Result<Function, Bad> {
    let mut one = Function::default();
    while let Some(field) = fields.next()? {
        match field {
            (1, Value::Int(id)) => one.id = id,
            (2, Value::Int(name)) => one.name = name as i64,
            (3, Value::Int(name)) => one.system_name = name as i64,
            (4, Value::Int(file)) => one.file = file as i64,
            (5, Value::Int(line)) => one.start_line = line as i64,
            _ => {}
        }
    }
    Ok(one)
}
