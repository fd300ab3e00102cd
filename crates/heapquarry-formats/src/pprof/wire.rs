//! The wire format of Protocol Buffers: <https://protobuf.dev/programming-guides/encoding/>.
//!
//! Messages are read as they lie in memory, without a copy: a profile has millions of samples, each with a few numbers.

use crate::{
    Buffer, ByteOffset, Input, Result, input,
    json::{Step, Stop},
};

/// Greatest size of a field of the profile in bytes: a stack of two million calls, a text. Larger ones are not read, so
/// that no memory is taken that only a length asks for.
pub(super) const MAX_FIELD: u64 = 16 << 20;

/// Bytes within which the key and the length of a field end.
const HEADER: usize = 20;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// An integer; signed ones are in two's complement.
    Int(u64),
    /// A message, a text or packed integers.
    Bytes(&'a [u8]),
    /// Numbers of a fixed size, which no field of a profile has.
    Fixed,
    /// More than [`MAX_FIELD`] bytes, not read.
    Long,
}

/// Why a message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bad {
    /// It ends too early.
    Cut,
    /// What was expected instead.
    Expected(&'static str),
}

/// An integer of 7 bits a byte.
#[inline]
fn varint(bytes: &[u8], at: &mut usize) -> Result<u64, Bad> {
    // Ids of locations take up to three bytes.
    match bytes[(*at).min(bytes.len())..] {
        [first, ..] if first < 0x80 => {
            *at += 1;
            Ok(first.into())
        }
        [first, second, ..] if second < 0x80 => {
            *at += 2;
            Ok(u64::from(first & 0x7F) | u64::from(second) << 7)
        }
        [first, second, third, ..] if third < 0x80 => {
            *at += 3;
            Ok(u64::from(first & 0x7F) | u64::from(second & 0x7F) << 7 | u64::from(third) << 14)
        }
        _ => long_varint(bytes, at),
    }
}

#[cold]
fn long_varint(bytes: &[u8], at: &mut usize) -> Result<u64, Bad> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let &byte = bytes.get(*at).ok_or(Bad::Cut)?;
        *at += 1;
        // Bits beyond the 64th are lost, as in all readers.
        value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Bad::Expected("an integer of at most 10 bytes"))
}

/// The number of a field, and its value, whose bytes may be longer than what is there.
#[inline]
fn header(bytes: &[u8], at: &mut usize) -> Result<(u64, Header), Bad> {
    let key = varint(bytes, at)?;
    let number = key >> 3;
    if number == 0 || number >= 1 << 29 {
        return Err(Bad::Expected("the number of a field"));
    }
    let value = match key & 7 {
        0 => Header::Int(varint(bytes, at)?),
        1 => Header::Fixed(8),
        2 => Header::Bytes(varint(bytes, at)?),
        5 => Header::Fixed(4),
        _ => return Err(Bad::Expected("the type of a field")),
    };
    Ok((number, value))
}

enum Header {
    Int(u64),
    Fixed(u64),
    Bytes(u64),
}

/// The fields of a message that is in memory.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Fields { bytes, at: 0 }
    }

    /// Position of the next field.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The number and the value of the next field; `None` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<(u64, Value<'a>)>, Bad> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let (number, value) = header(self.bytes, &mut self.at)?;
        let value = match value {
            Header::Int(value) => Value::Int(value),
            Header::Bytes(length) => Value::Bytes(self.take(length)?),
            Header::Fixed(length) => {
                self.take(length)?;
                Value::Fixed
            }
        };
        Ok(Some((number, value)))
    }

    #[inline]
    fn take(&mut self, length: u64) -> Result<&'a [u8], Bad> {
        let rest = &self.bytes[self.at..];
        let length = usize::try_from(length).ok().filter(|&length| length <= rest.len());
        let length = length.ok_or(Bad::Cut)?;
        self.at += length;
        Ok(&rest[..length])
    }
}

/// Passes the integers of a repeated field, which may be packed. Returns whether they are some.
#[inline]
pub(super) fn integers(value: Value<'_>, mut take: impl FnMut(u64)) -> Result<bool, Bad> {
    match value {
        Value::Int(value) => take(value),
        Value::Bytes(bytes) => {
            let mut at = 0;
            while at < bytes.len() {
                take(varint(bytes, &mut at)?);
            }
        }
        Value::Fixed | Value::Long => return Ok(false),
    }
    Ok(true)
}

/// A field of the profile itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// Its offset, and that of the next field.
    pub(super) at: ByteOffset,
    pub(super) end: ByteOffset,
    pub(super) number: u64,
    pub(super) value: Value<'a>,
}

/// The fields of the profile itself, which is read in windows.
pub(super) struct Top<'a> {
    input: &'a dyn Input,
    buf: Buffer,
    /// Offset of the first byte of the buffer.
    base: ByteOffset,
    /// Position in the buffer.
    at: usize,
    end: ByteOffset,
    window: usize,
}

impl<'a> Top<'a> {
    pub(super) fn new(
        input: &'a dyn Input,
        start: ByteOffset,
        end: ByteOffset,
        window: usize,
    ) -> Self {
        Top { input, buf: Buffer::default(), base: start, at: 0, end, window }
    }

    /// Offset of the next field.
    pub(super) fn offset(&self) -> ByteOffset {
        self.base + self.at as u64
    }

    /// Reads until the buffer has this many more bytes, or the input ends.
    fn fill(&mut self, bytes: usize) -> Result<()> {
        while self.buf.len() - self.at < bytes {
            if self.at > 0 {
                self.buf.shift(self.at);
                self.base += self.at as u64;
                self.at = 0;
            }
            let from = self.base + self.buf.len() as u64;
            let room = usize::try_from(self.end.saturating_sub(from)).unwrap_or(usize::MAX);
            let window = self.window.min(room);
            if window == 0 || input::append(self.input, &mut self.buf, from, window)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// The next field; `None` at the end.
    pub(super) fn next(&mut self) -> Step<Option<Field<'_>>> {
        self.fill(HEADER)?;
        let (offset, mut at) = (self.offset(), self.at);
        if self.buf.len() == at {
            return Ok(None);
        }
        let (number, value) = header(&self.buf, &mut at).map_err(|bad| match bad {
            Bad::Cut => Stop::Cut,
            Bad::Expected(expected) => Stop::Malformed { at: offset, expected },
        })?;
        let start = self.base + at as u64;
        let (value, length) = match value {
            Header::Int(value) => (Value::Int(value), 0),
            Header::Fixed(length) => (Value::Fixed, length),
            Header::Bytes(length) => (Value::Bytes(&[]), length),
        };
        if length > self.end - start {
            return Err(Stop::Cut);
        }
        let (at, end) = (offset, start + length);
        if length > MAX_FIELD {
            (self.base, self.at) = (end, 0);
            self.buf.clear();
            return Ok(Some(Field { at, end, number, value: Value::Long }));
        }
        self.at = (start - self.base) as usize;
        self.fill(length as usize)?;
        let from = self.at;
        self.at += length as usize;
        let bytes = self.buf.get(from..self.at).ok_or(Stop::Cut)?;
        let value = if value == Value::Bytes(&[]) { Value::Bytes(bytes) } else { value };
        Ok(Some(Field { at, end, number, value }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a message has, or why not.
    fn all(bytes: &[u8]) -> Result<Vec<(u64, Value<'_>)>, Bad> {
        let (mut fields, mut found) = (Fields::new(bytes), Vec::new());
        while let Some(field) = fields.next()? {
            found.push(field);
        }
        Ok(found)
    }

    #[test]
    fn fields_of_every_type() {
        const LONG: Bad = Bad::Expected("an integer of at most 10 bytes");
        const NUMBER: Bad = Bad::Expected("the number of a field");
        const TYPE: Bad = Bad::Expected("the type of a field");
        let most = [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        let longest = [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 127];
        let too_long = [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        for (bytes, expected) in [
            (&b""[..], Ok(vec![])),
            (&[0x08, 5], Ok(vec![(1, Value::Int(5))])),
            (&[0x08, 0x96, 1], Ok(vec![(1, Value::Int(150))])),
            (&most, Ok(vec![(1, Value::Int(u64::MAX))])),
            (&longest, Ok(vec![(1, Value::Int(u64::MAX))])),
            (&too_long, Err(LONG)),
            (b"\x12\x02ab\x08\x01", Ok(vec![(2, Value::Bytes(b"ab")), (1, Value::Int(1))])),
            (b"\x12\x00", Ok(vec![(2, Value::Bytes(b""))])),
            (b"\x0d1234\x0912345678", Ok(vec![(1, Value::Fixed), (1, Value::Fixed)])),
            (b"\x12\x03ab", Err(Bad::Cut)),
            (&[0x12, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], Err(Bad::Cut)),
            (b"\x08", Err(Bad::Cut)),
            (b"\x08\x80", Err(Bad::Cut)),
            (b"\x0d123", Err(Bad::Cut)),
            (b"\x00\x00", Err(NUMBER)),
            (&[0x80, 0x80, 0x80, 0x80, 0x10, 0], Err(NUMBER)),
            (b"\x0b", Err(TYPE)),
            (b"\x0e", Err(TYPE)),
        ] {
            assert_eq!(all(bytes), expected, "{}", bytes.escape_ascii());
            // The same as the fields of an input, whatever the window.
            for window in 1..5 {
                let input = bytes.to_vec();
                let mut top =
                    Top::new(&input, ByteOffset::START, ByteOffset(bytes.len() as u64), window);
                let mut found = Vec::new();
                let read = loop {
                    match top.next() {
                        Ok(Some(Field { number, value, .. })) => found.push(match value {
                            Value::Bytes(bytes) => (number, Err(bytes.to_vec())),
                            Value::Int(value) => (number, Ok(value)),
                            Value::Fixed | Value::Long => (number, Ok(0)),
                        }),
                        Ok(None) => break Ok(()),
                        Err(Stop::Cut) => break Err(Bad::Cut),
                        Err(Stop::Malformed { expected, .. }) => {
                            break Err(Bad::Expected(expected));
                        }
                        Err(Stop::Failed(error)) => panic!("{error}"),
                    }
                };
                let expected = expected.clone().map(|fields| {
                    let of = |value| match value {
                        Value::Bytes(bytes) => Err(bytes.to_vec()),
                        Value::Int(value) => Ok(value),
                        Value::Fixed | Value::Long => Ok(0),
                    };
                    fields.into_iter().map(|(number, value)| (number, of(value))).collect()
                });
                assert_eq!(read.map(|()| found), expected, "{}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn integers_are_packed_or_not() {
        for (value, expected) in [
            (Value::Int(300), Ok((true, vec![300]))),
            (Value::Bytes(&[1, 0xAC, 2]), Ok((true, vec![1, 300]))),
            (Value::Bytes(&[]), Ok((true, vec![]))),
            (Value::Bytes(&[1, 0x80]), Err(Bad::Cut)),
            (Value::Fixed, Ok((false, vec![]))),
        ] {
            let mut found = Vec::new();
            let are = integers(value, |value| found.push(value));
            assert_eq!(are.map(|are| (are, found)), expected);
        }
    }

    #[test]
    fn a_field_of_many_megabytes_is_passed_over() {
        let length = MAX_FIELD + 1;
        let mut bytes = vec![0x32];
        let mut rest = length;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes.resize(bytes.len() + length as usize, b'x');
        bytes.extend([0x48, 7]);
        let mut top = Top::new(&bytes, ByteOffset::START, ByteOffset(bytes.len() as u64), 64 << 10);
        assert!(matches!(top.next(), Ok(Some(Field { number: 6, value: Value::Long, .. }))));
        assert!(matches!(top.next(), Ok(Some(Field { number: 9, value: Value::Int(7), .. }))));
        assert!(top.buf.capacity() < 1 << 20);
    }
}
