//! Arrays of records of numbers.

use super::layout::Record;
use crate::{
    bytes::Bytes,
    json::Out,
    outcome::Step,
    workers::{Pieces, in_order},
};
use heapquarry_scan::{after_comma, count_commas, is_blank, read_integers, skip_blanks};
use memchr::memrchr;
use std::io;

/// Most fields of a record. V8 has 8.
const WIDEST: usize = 64;

/// Longest record in bytes.
const LONGEST: usize = 1 << 16;

/// Numbers that are read at once.
const BLOCK: usize = 4096;

/// Records that are read byte by byte before it is tried again to read many at once.
const ODD: usize = 64;

/// Smaller arrays are read on one thread.
const SMALLEST_PIECE: usize = if cfg!(test) { 1 << 12 } else { 1 << 18 };

/// Where reading ended.
enum End {
    /// Within a record, or before one.
    More,
    /// After as many records as were wanted.
    Enough,
    /// Before the bracket.
    Closed,
    /// Before a record that is none.
    Damaged,
}

/// How an array of records is read.
pub(super) struct Reading<'r> {
    pub(super) record: &'r Record,
    pub(super) threads: usize,
    /// Whether it is copied.
    pub(super) is_copied: bool,
}

/// Reads an array, and copies it if that is wanted. `each` gets the number of a record, its numbers, and what was noted
/// of others of the same piece, and says what one of the numbers becomes. `take` gets what was noted, in order. What is
/// no number of 64 bits is `u64::MAX`.
pub(super) fn records<N: Default + Send>(
    bytes: &mut Bytes<'_>,
    out: &mut Out<'_>,
    reading: &Reading<'_>,
    each: impl Fn(u64, &[u64], &mut N) -> Option<u64> + Sync,
    mut take: impl FnMut(N),
) -> Step<()> {
    bytes.copy(&mut out.buf);
    if reading.record.width == 0 || reading.record.width > WIDEST {
        // Without fields there may be no records.
        if bytes.next(&mut out.buf)? != b']' {
            return bytes.cut();
        }
        bytes.copy(&mut out.buf);
        return Ok(());
    }
    let mut count = 0;
    if reading.threads > 1 {
        let work = |piece: Piece| piece.read(reading, &each);
        in_order(reading.threads, work, |pieces| {
            plain_pieces(bytes, pieces, reading.record.width, |done| {
                count += done.records;
                take(done.noted);
                out.append(&done.out)
            })
        })?;
    }
    // What is not so plain, and the end.
    loop {
        let mut noted = N::default();
        let read = all(bytes.rest(), &mut out.buf, reading, count, &mut |at, values| {
            each(at, values, &mut noted)
        });
        take(noted);
        count += read.records;
        bytes.skip(read.bytes);
        out.write()?;
        match read.end {
            End::More if bytes.rest().len() <= LONGEST && bytes.fill()? => {}
            End::Enough | End::More | End::Damaged => return bytes.cut(),
            End::Closed => {
                bytes.copy(&mut out.buf);
                return Ok(());
            }
        }
    }
}

/// Whole records of an array.
struct Piece {
    bytes: Vec<u8>,
    /// Offset in the document.
    start: u64,
    /// The number of the first record.
    first: u64,
    /// How many records there are if all are as plain as they seem.
    records: u64,
}

/// What became of a piece.
struct Done<N> {
    out: Vec<u8>,
    noted: N,
    /// Records that were read.
    records: u64,
    /// Where the array has to be read again, byte by byte: in the document.
    again: Option<u64>,
}

/// Hands in pieces of the array as long as it seems to be plain numbers. The position is then where reading goes on.
fn plain_pieces<N: Send>(
    bytes: &mut Bytes<'_>,
    pieces: &mut Pieces<'_, Piece, Done<N>>,
    width: usize,
    mut take: impl FnMut(Done<N>) -> io::Result<()>,
) -> Step<()> {
    let mut first = 0;
    let mut accept = |bytes: &mut Bytes<'_>, done: Done<N>| -> Step<bool> {
        let again = done.again;
        take(done)?;
        if let Some(at) = again {
            bytes.seek(at);
        }
        Ok(again.is_none())
    };
    loop {
        let rest = bytes.ahead(SMALLEST_PIECE)?;
        if rest.len() < SMALLEST_PIECE {
            break;
        }
        let rest = bytes.rest();
        let counted = count_commas(rest);
        let records = counted.commas / width as u64;
        let Some(end) = after_comma(rest, records * width as u64) else { break };
        let piece = Piece { bytes: rest[..end].to_vec(), start: bytes.at(), first, records };
        pieces.give(piece);
        first += records;
        bytes.skip(end);
        while let Some(done) = pieces.ready() {
            if !accept(bytes, done)? {
                return Ok(());
            }
        }
        if counted.stop.is_some() {
            break;
        }
    }
    while let Some(done) = pieces.next() {
        if !accept(bytes, done)? {
            break;
        }
    }
    Ok(())
}

impl Piece {
    fn read<N: Default>(
        &self,
        reading: &Reading<'_>,
        each: &impl Fn(u64, &[u64], &mut N) -> Option<u64>,
    ) -> Done<N> {
        let mut noted = N::default();
        let mut out = Vec::with_capacity(if reading.is_copied { self.bytes.len() } else { 0 });
        let read = all(&self.bytes, &mut out, reading, self.first, &mut |at, values| {
            each(at, values, &mut noted)
        });
        let rest = &self.bytes[read.bytes..];
        let is_whole = read.records == self.records && rest.iter().all(|byte| is_between(*byte));
        if is_whole && reading.is_copied {
            out.extend(rest);
        }
        let again = (!is_whole).then_some(self.start + read.bytes as u64);
        Done { out, noted, records: read.records, again }
    }
}

/// What was read.
struct Read {
    bytes: usize,
    records: u64,
    end: End,
}

/// Reads the complete records of a buffer.
fn all(
    buf: &[u8],
    out: &mut Vec<u8>,
    reading: &Reading<'_>,
    first: u64,
    each: &mut impl FnMut(u64, &[u64]) -> Option<u64>,
) -> Read {
    let width = reading.record.width;
    let mut numbers = vec![0; BLOCK / width * width];
    let (mut at, mut records) = (0, 0);
    loop {
        let mut next = |values: &[u64]| {
            records += 1;
            each(first + records - 1, values)
        };
        loop {
            match plain(&buf[at..], out, reading, &mut numbers, &mut next) {
                0 => break,
                read => at += read,
            }
        }
        let (read, end) = some(&buf[at..], out, reading, ODD, &mut next);
        at += read;
        if !matches!(end, End::Enough) {
            return Read { bytes: at, records, end };
        }
    }
}

/// Whether it stands between values.
fn is_between(byte: u8) -> bool {
    byte == b',' || is_blank(byte)
}

/// Copies complete records of plain numbers, as many as `numbers` has room for, and says how many bytes they have: none
/// if the first one is not so plain.
fn plain(
    buf: &[u8],
    out: &mut Vec<u8>,
    reading: &Reading<'_>,
    numbers: &mut [u64],
    each: &mut impl FnMut(&[u64]) -> Option<u64>,
) -> usize {
    let Reading { record, is_copied, .. } = *reading;
    // What is after the last comma may go on.
    let Some(last) = memrchr(b',', buf) else { return 0 };
    let buf = &buf[..=last];
    // The comma after a record that was read byte by byte.
    let first = buf.iter().take_while(|byte| is_between(**byte)).count();
    let tokens = read_integers(&buf[first..], numbers);
    let complete = tokens.numbers - tokens.numbers % record.width;
    if complete == 0 {
        return 0;
    }
    let Some(end) = after_value(&buf[first..], complete).map(|end| first + end) else { return 0 };
    let all = numbers[..complete].chunks_exact(record.width);
    if !is_copied {
        all.for_each(|values| {
            each(values);
        });
        return end;
    }
    // What is copied, and where a number is, and which one.
    let (mut copied, mut at, mut value) = (0, first, 0);
    let mut digits = itoa::Buffer::new();
    for (row, values) in all.enumerate() {
        let Some(number) = each(values) else { continue };
        let replaced = row * record.width + record.replaced;
        at += after_value(&buf[at..], replaced - value).expect("there is a comma before each");
        value = replaced;
        let start = skip_blanks(buf, at);
        out.extend(&buf[copied..start]);
        out.extend(digits.format(number).as_bytes());
        copied = start + buf[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    out.extend(&buf[copied..end]);
    end
}

/// Where so many values, and the commas after them, end.
fn after_value(buf: &[u8], values: usize) -> Option<usize> {
    match values {
        0 => Some(0),
        values => after_comma(buf, values as u64),
    }
}

/// Copies the records that are complete, `most` at most, and says how many bytes they have: byte by byte. What is not
/// copied is not replaced.
fn some(
    buf: &[u8],
    out: &mut Vec<u8>,
    reading: &Reading<'_>,
    most: usize,
    each: &mut impl FnMut(&[u64]) -> Option<u64>,
) -> (usize, End) {
    let Reading { record, is_copied, .. } = *reading;
    let mut values = [0; WIDEST];
    let values = &mut values[..record.width];
    // What is copied, and what is read.
    let (mut copied, mut read, mut count) = (0, 0, 0);
    let end = 'records: loop {
        if count == most {
            break End::Enough;
        }
        count += 1;
        let mut at = read;
        let mut replaced = 0..0;
        for (column, value) in values.iter_mut().enumerate() {
            loop {
                match buf.get(at) {
                    Some(b'0'..=b'9' | b'-') => break,
                    Some(&byte) if is_between(byte) => at += 1,
                    Some(b']') if column == 0 => {
                        read = at;
                        break 'records End::Closed;
                    }
                    Some(_) => break 'records End::Damaged,
                    None => break 'records End::More,
                }
            }
            let start = at;
            let (mut number, mut is_odd) = (0_u64, false);
            loop {
                match buf.get(at) {
                    Some(byte @ b'0'..=b'9') => {
                        let next = number.checked_mul(10);
                        let next = next.and_then(|n| n.checked_add(u64::from(byte - b'0')));
                        is_odd |= next.is_none();
                        number = next.unwrap_or(0);
                    }
                    Some(b'-' | b'+' | b'.' | b'e' | b'E') => is_odd = true,
                    Some(&byte) if byte == b',' || byte == b']' || is_blank(byte) => break,
                    Some(_) => break 'records End::Damaged,
                    None => break 'records End::More,
                }
                at += 1;
            }
            *value = if is_odd { u64::MAX } else { number };
            if column == record.replaced {
                replaced = start..at;
            }
        }
        if let Some(number) = each(values) {
            out.extend(&buf[copied..replaced.start]);
            out.extend(itoa::Buffer::new().format(number).as_bytes());
            copied = replaced.end;
        }
        read = at;
    };
    if is_copied {
        out.extend(&buf[copied..read]);
    }
    (read, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What `each` got, the output, the bytes read, and whether the array was closed.
    type Copied = (Vec<Vec<u64>>, Vec<u8>, usize, bool);

    /// `room` is that for numbers at once; 0 reads byte by byte.
    fn copied(text: &str, record: &Record, room: usize) -> Copied {
        let (mut seen, mut out, mut read) = (Vec::new(), Vec::new(), 0);
        let mut each = |values: &[u64]| {
            seen.push(values.to_vec());
            let sum = values.iter().fold(0u64, |sum, value| sum.wrapping_add(*value));
            (sum % 3 == 0).then_some(sum / 3)
        };
        let reading = Reading { record, threads: 1, is_copied: true };
        let mut numbers = vec![0; room / record.width * record.width];
        let mut fast = |read: usize, out: &mut Vec<u8>| match room {
            0 => 0,
            _ => plain(&text.as_bytes()[read..], out, &reading, &mut numbers, &mut each),
        };
        loop {
            match fast(read, &mut out) {
                0 => break,
                bytes => read += bytes,
            }
        }
        let (rest, end) = some(&text.as_bytes()[read..], &mut out, &reading, usize::MAX, &mut each);
        (seen, out, read + rest, matches!(end, End::Closed))
    }

    #[test]
    fn a_comma_before_a_record_does_not_hold_up_what_follows() {
        let record = Record { width: 2, replaced: 1 };
        let reading = Reading { record: &record, threads: 1, is_copied: true };
        let (mut numbers, mut out) = (vec![0; 400], Vec::new());
        for text in ["1,2\n,3,4\n,5,6,", "\n,1,2\n,3,4\n,5,6,", ",1,2,3,4,5,6,"] {
            let read = plain(text.as_bytes(), &mut out, &reading, &mut numbers, &mut |_| None);
            assert_eq!(read, text.len(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn plain_numbers_are_copied_as_all_others(
            values in prop::collection::vec(
                (prop_oneof![
                    8 => "[0-9]{1,6}",
                    1 => "[0-9]{18,21}",
                    1 => Just("-5".to_owned()),
                    1 => Just(String::new()),
                    1 => Just("x".to_owned()),
                ], prop_oneof![6 => Just(","), 1 => Just(",\n"), 1 => Just(" , "), 1 => Just(" ")]),
                0..200,
            ),
            plain_only in any::<bool>(),
            closed in any::<bool>(),
            width in 1usize..5,
            room in prop_oneof![4usize..40, Just(400)],
            replaced in 0usize..5,
        ) {
            let mut text = String::from("\n");
            for (value, comma) in &values {
                let is_plain = (1..=6).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit());
                if is_plain || !plain_only {
                    text += value;
                    text += if plain_only { "," } else { comma };
                }
            }
            if closed {
                text += "9],\"edges\":[1,2";
            }
            let record = Record { width, replaced: replaced % width };
            let (fast, slow) = (copied(&text, &record, room), copied(&text, &record, 0));
            // Where no record follows, the position may be before or after a comma.
            prop_assert_eq!((&fast.0, fast.3), (&slow.0, slow.3), "{}", text);
            let rest = |copied: &Copied| text[copied.2..].trim_start_matches([',', ' ', '\n']).to_owned();
            prop_assert_eq!(rest(&fast), rest(&slow), "{}", text);
            let trimmed = |copied: &Copied| String::from_utf8(copied.1.clone()).unwrap().trim_end_matches([',', ' ', '\n']).to_owned();
            prop_assert_eq!(trimmed(&fast), trimmed(&slow), "{}", text);
        }
    }
}
