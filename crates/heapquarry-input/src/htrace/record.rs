//! Records: messages `ProfilerPluginData` on the wire. Their data, which can be a whole heap, is only located.

use super::window::Window;
use heapquarry_formats::{ByteOffset, Result, printable};
use std::ops::Range;

/// Maximum length of a name in bytes.
const MAX_NAME: u64 = 256;

/// Maximum length of a varint in bytes.
const MAX_VARINT: usize = 10;

/// Wire types of protobuf.
const WIRE_VARINT: u64 = 0;
const WIRE_64: u64 = 1;
const WIRE_BYTES: u64 = 2;
const WIRE_32: u64 = 5;

/// A record of a section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its offset, where its length is.
    pub offset: ByteOffset,
    /// The expected offset of the next record.
    pub end: ByteOffset,
    /// Name of the plugin, made printable.
    pub name: String,
    /// Range of its message.
    pub data: Range<ByteOffset>,
    /// The clock of `time`.
    pub clock: i32,
    /// Time in nanoseconds; `None` if it has none.
    pub time: Option<i64>,
}

/// Parses the bytes between `from` and `to` as a message. Returns its fields, and whether they end at `to`.
pub(super) fn parse(
    window: &mut Window<'_>,
    from: ByteOffset,
    to: ByteOffset,
) -> Result<(Record, Result<(), ByteOffset>)> {
    let mut record = Record { end: to, ..Record::default() };
    let (mut seconds, mut nanoseconds) = (None, None);
    let mut fields = Fields { at: from, to };
    let whole = loop {
        let start = fields.at;
        if start == to {
            break Ok(());
        }
        match fields.next(window)? {
            Some((1, Value::Bytes(place))) if place.end - place.start <= MAX_NAME => {
                let name = window.get(place.start, (place.end - place.start) as usize)?;
                record.name = printable(name, MAX_NAME as usize);
            }
            Some((3, Value::Bytes(place))) => record.data = place,
            // The part of the message that exists.
            Some((3, Value::Cut(place))) => {
                record.data = place;
                break Err(start);
            }
            Some((4, Value::Number(clock))) => record.clock = clock as i32,
            Some((5, Value::Number(value))) => seconds = Some(value),
            Some((6, Value::Number(value))) => nanoseconds = Some(value),
            // Field numbers are small: a large one is not a field.
            Some((number, Value::Number(_) | Value::Bytes(_) | Value::Other)) if number <= 32 => {}
            _ => break Err(start),
        }
    };
    if seconds.is_some() || nanoseconds.is_some() {
        let seconds = u128::from(seconds.unwrap_or(0)) * 1_000_000_000;
        record.time = i64::try_from(seconds + u128::from(nanoseconds.unwrap_or(0))).ok();
    }
    Ok((record, whole))
}

/// The `result` of the message `ArkTSResult` in a range.
pub(super) fn result(
    window: &mut Window<'_>,
    place: &Range<ByteOffset>,
) -> Result<Option<Range<ByteOffset>>> {
    let mut fields = Fields { at: place.start, to: place.end };
    let mut found = None;
    while fields.at < fields.to {
        match fields.next(window)? {
            Some((1, Value::Bytes(place) | Value::Cut(place))) => found = Some(place),
            Some((number, Value::Number(_) | Value::Bytes(_) | Value::Other)) if number <= 32 => {}
            _ => break,
        }
    }
    Ok(found)
}

enum Value {
    Number(u64),
    Bytes(Range<ByteOffset>),
    /// Bytes that end too early.
    Cut(Range<ByteOffset>),
    Other,
}

/// The fields of a message.
struct Fields {
    at: ByteOffset,
    to: ByteOffset,
}

impl Fields {
    /// The next field; `None` if the bytes are not a field.
    fn next(&mut self, window: &mut Window<'_>) -> Result<Option<(u64, Value)>> {
        let Some(key) = self.varint(window)? else { return Ok(None) };
        let (number, wire) = (key >> 3, key & 7);
        if number == 0 {
            return Ok(None);
        }
        let length = match wire {
            WIRE_VARINT => {
                return Ok(self.varint(window)?.map(|value| (number, Value::Number(value))));
            }
            WIRE_64 => Some(8),
            WIRE_32 => Some(4),
            WIRE_BYTES => self.varint(window)?,
            _ => None,
        };
        let Some(length) = length else { return Ok(None) };
        if length > self.to - self.at {
            let place = self.at..self.to;
            self.at = self.to;
            return Ok((wire == WIRE_BYTES).then_some((number, Value::Cut(place))));
        }
        let place = self.at..self.at + length;
        self.at = place.end;
        let value = if wire == WIRE_BYTES { Value::Bytes(place) } else { Value::Other };
        Ok(Some((number, value)))
    }

    fn varint(&mut self, window: &mut Window<'_>) -> Result<Option<u64>> {
        let room = (self.to - self.at).min(MAX_VARINT as u64) as usize;
        let bytes = window.get(self.at, room)?;
        let mut value = 0;
        for (i, byte) in bytes.iter().enumerate() {
            value |= u64::from(byte & 0x7F) << (7 * i);
            if byte & 0x80 == 0 {
                self.at += i as u64 + 1;
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}
