//! Damage in the middle of a section: its records are counted before they are read.
//!
//! An edge belongs to a node, and leads to one, by positions. So values that are missing in the middle shift all that
//! follows. The totals are known: the header declares them, and the nodes say how many edges they own. If the damage
//! can be seen, what follows it is counted from the end: the damaged bytes are read as the missing values, each without
//! a number. If it cannot be seen, or the totals contradict each other, the owners of edges are unknown.

use super::{
    header::Header,
    members::Member,
    reader::{LONGEST_HEADER, members},
    records::{Lost, RecordCursor},
    sections::{Content, EDGES, LOCATIONS, NODES, SAMPLES, Section, TRACE_FUNCTIONS, field_lists},
    source::{End, Source, skip_value},
    walk::HEADER,
};
use crate::{Buffer, ByteOffset, Code, Input, Log, Result, input};
use std::{io, ops::Range};

/// Records counted at a time.
const COUNTED_RECORDS: usize = 128 << 10;

/// What was found by counting.
#[derive(Debug, Default)]
pub(crate) struct Recounted {
    gaps: Vec<Gap>,
    /// Number of edges, those in gaps included; `None` if it is unknown.
    pub(crate) edges: Option<u64>,
    /// Whether the edges are there to the end of their section.
    pub(crate) has_all_edges: bool,
    /// Whether it is unknown which of the nodes are missing, so that references lead to others.
    pub(crate) positions_unknown: bool,
    /// What was lost.
    pub(crate) log: Log,
}

/// Bytes that are read as values without numbers.
#[derive(Debug)]
struct Gap {
    section: &'static Section,
    bytes: Range<ByteOffset>,
    values: u64,
    /// Records with such values.
    records: Lost,
}

/// The values of a section.
struct Counted {
    values: u64,
    end: End,
    odd: Option<Odd>,
}

/// The bytes from the first value to the last that are damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Odd {
    bytes: Range<ByteOffset>,
    /// Values before them.
    before: u64,
    /// Values that they seem to be.
    values: u64,
    /// Whether they have quotes or brackets, in which commas do not count.
    is_nested: bool,
}

impl Recounted {
    /// Counts the values of all sections of records.
    ///
    /// # Errors
    /// If the input cannot be read, or its header is invalid.
    pub(crate) fn new(input: &dyn Input, window: usize) -> Result<Self> {
        let mut recount = Recounted::default();
        let mut members = members(input, window, &mut Log::default())?;
        let (mut header, mut seen) = (None, Vec::new());
        while let Member::Value { name, at, .. } = members.next(input)? {
            let section = Section::by_name(&name).filter(|section| !seen.contains(section));
            seen.extend(section);
            let end = match (section, &header) {
                (Some(section), Some(header)) => {
                    recount.count(input, section, header, at, window)?
                }
                _ => None,
            };
            let Some(end) =
                end.map_or_else(|| skip_value(input, at, window), |end| Ok(Some(end)))?
            else {
                break;
            };
            if name == HEADER && header.is_none() && end - at <= LONGEST_HEADER {
                let json = input::bytes_at(input, at, (end - at) as usize)?;
                header = Some(Header::parse(json, at, field_lists(), &mut Log::default())?);
            }
            members.at = end;
        }
        Ok(recount)
    }

    /// Counts a section whose value is at `open`. Returns its end, if it has records and is closed.
    fn count(
        &mut self,
        input: &dyn Input,
        section: &'static Section,
        header: &Header,
        open: ByteOffset,
        window: usize,
    ) -> Result<Option<ByteOffset>> {
        let Content::Records(decoder) = &section.content else { return Ok(None) };
        if input::bytes_at(input, open, 1)? != b"[" {
            return Ok(None);
        }
        let width = header.fields(decoder.fields).width().max(1) as u64;
        let counted = count_values(input, section, open, width as usize, window)?;
        let is_edges = *section == EDGES;
        let End::Closed(end) = counted.end else {
            if is_edges {
                self.edges = header.edge_count;
            }
            return Ok(None);
        };
        let declared = match section {
            _ if *section == NODES => header.node_count,
            _ if is_edges => header.edge_count,
            _ if *section == TRACE_FUNCTIONS => header.trace_function_count,
            _ => None,
        };
        let rest = counted.values % width;
        let total = declared.map(|records| records.saturating_mul(width));
        // Of these only the fields must be told apart: nothing depends on their positions.
        let floats = [&SAMPLES, &LOCATIONS].contains(&section);
        let total = total.or_else(|| floats.then(|| counted.values.next_multiple_of(width)));
        let gap = total.and_then(|total| counted.gap(total, width));
        let values = match gap {
            Some((bytes, values, records)) => {
                self.lose(section, bytes, values, records);
                total.unwrap_or(counted.values)
            }
            None if total == Some(counted.values) => counted.values,
            // It is unknown from where on values belong to other fields.
            None if rest > 0 && !floats => {
                let records = Lost { start: 0, end: counted.values.div_ceil(width) };
                self.lose(section, open + 1..end - 1, 0, records);
                0
            }
            None => counted.values,
        };
        if is_edges {
            (self.edges, self.has_all_edges) = (Some(values / width), true);
        }
        if *section == NODES {
            self.positions_unknown = total.is_some_and(|total| total != values);
        }
        Ok(Some(end))
    }

    fn lose(
        &mut self,
        section: &'static Section,
        bytes: Range<ByteOffset>,
        values: u64,
        records: Lost,
    ) {
        let (name, lost) = (section.name, bytes.end - bytes.start);
        self.log.add(Code::RecordsLost, bytes.start, || match values {
            0 => format!(
                "{name}: values are missing, and it is unknown where; none of the {} records is kept",
                records.end
            ),
            _ => format!(
                "{name}: {lost} bytes are damaged; records {} to {} are NULL, those behind were counted from the end",
                records.start,
                records.end.saturating_sub(1)
            ),
        });
        // Without values there are no records either.
        let records = if values == 0 { Lost::default() } else { records };
        self.gaps.push(Gap { section, bytes, values, records });
    }

    /// The records of a section that are lost.
    pub(crate) fn lost(&self, section: &Section) -> Lost {
        let gap = self.gaps.iter().find(|gap| gap.section == section);
        gap.map_or(Lost::default(), |gap| gap.records)
    }

    /// The input, with the missing values in the gaps.
    pub(crate) fn mended<'a>(&'a self, input: &'a dyn Input) -> Mended<'a> {
        Mended { input, gaps: &self.gaps }
    }
}

impl Counted {
    /// Where values are missing if there are `total`: the bytes, how many values they stand for, and the records.
    fn gap(&self, total: u64, width: u64) -> Option<(Range<ByteOffset>, u64, Lost)> {
        let odd = self.odd.as_ref().filter(|odd| !odd.is_nested)?;
        let missing = total.checked_sub(self.values)?;
        let values = odd.values + missing;
        // A value and its comma took at least two bytes.
        if missing == 0 || values > (odd.bytes.end - odd.bytes.start).div_ceil(2) {
            return None;
        }
        let end = (odd.before + values).div_ceil(width);
        Some((odd.bytes.clone(), values, Lost { start: odd.before / width, end }))
    }
}

fn count_values(
    input: &dyn Input,
    section: &Section,
    open: ByteOffset,
    width: usize,
    window: usize,
) -> Result<Counted> {
    let (mut buf, mut log) = (Buffer::default(), Log::default());
    let source = &mut Source::new(input, &mut buf, window, &mut log);
    let mut cursor = RecordCursor::new(section.name, open, width);
    let mut odd: Option<Odd> = None;
    while cursor.end().is_none() {
        let before = cursor.rows * width as u64;
        cursor.claim(source, COUNTED_RECORDS)?;
        let len = match cursor.end() {
            Some(_) => source.buf.len(),
            None => (cursor.at() - source.offset) as usize,
        };
        if let Some(more) = Odd::find(&source.buf[..len], source.offset, before) {
            odd = Some(match odd.take() {
                Some(first) => first.through(more),
                None => more,
            });
        }
    }
    let values = cursor.rows * width as u64 + cursor.rest();
    Ok(Counted { values, end: cursor.end().unwrap_or(End::Cut), odd })
}

impl Odd {
    /// The damaged values in the bytes of a claim, which begins after `before` values.
    fn find(bytes: &[u8], offset: ByteOffset, before: u64) -> Option<Self> {
        // JSON has neither outside of strings. Words may stand for a number, such as `null`.
        let is_odd = |byte: &u8| {
            !byte.is_ascii() || byte.is_ascii_control() && !heapquarry_scan::is_blank(*byte)
        };
        let first = bytes.iter().position(is_odd)?;
        let last = bytes.iter().rposition(is_odd)?;
        let start = memchr::memrchr(b',', &bytes[..first]).map_or(0, |comma| comma + 1);
        let end = memchr::memchr(b',', &bytes[last..]).map_or(bytes.len(), |comma| last + comma);
        let commas = |bytes: &[u8]| memchr::memchr_iter(b',', bytes).count() as u64;
        Some(Odd {
            bytes: offset + start as u64..offset + end as u64,
            before: before + commas(&bytes[..start]),
            values: commas(&bytes[start..end]) + 1,
            is_nested: memchr::memchr3(b'"', b'[', b'{', &bytes[start..end]).is_some(),
        })
    }

    /// All from this to a later one.
    fn through(self, later: Odd) -> Odd {
        Odd {
            bytes: self.bytes.start..later.bytes.end,
            before: self.before,
            values: later.before + later.values - self.before,
            is_nested: self.is_nested || later.is_nested,
        }
    }
}

/// An input whose gaps hold commas and blanks: values that are no numbers.
pub(crate) struct Mended<'a> {
    input: &'a dyn Input,
    gaps: &'a [Gap],
}

impl Input for Mended<'_> {
    fn size(&self) -> u64 {
        self.input.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = self.input.read_at(buf, offset)?;
        for Gap { bytes, values, .. } in self.gaps {
            let commas_end = bytes.start.0 + values.saturating_sub(1);
            let from = bytes.start.0.max(offset);
            let to = bytes.end.0.min(offset + read as u64);
            for at in from..to {
                buf[(at - offset) as usize] = if at < commas_end { b',' } else { b' ' };
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_values_reach_from_comma_to_comma() {
        let offset = ByteOffset(100);
        let odd = |start: u64, end: u64, before, values| {
            let bytes = offset + start..offset + end;
            Some(Odd { bytes, before, values, is_nested: false })
        };
        for (bytes, expected) in [
            (&b"1,2,-3,4e5\n,6"[..], None),
            (b"1,2\0\0\0,3", odd(2, 6, 11, 1)),
            (b"1,2\0\0\0 3", odd(2, 8, 11, 1)),
            (b"\0,2,\0,3", odd(0, 5, 10, 3)),
            (b"\0", odd(0, 1, 10, 1)),
        ] {
            assert_eq!(Odd::find(bytes, offset, 10), expected, "{bytes:?}");
        }
        assert!(Odd::find(b"1,\0\"", offset, 0).is_some_and(|odd| odd.is_nested));
    }

    #[test]
    fn gaps_hold_the_missing_values_wherever_they_are_read() {
        let text = b"[1,2,3\0\0\0\0\0\0\0,9]".to_vec();
        let counted = count_values(&text, &EDGES, ByteOffset(0), 3, 4).unwrap();
        assert_eq!((counted.values, counted.end), (4, End::Closed(ByteOffset(text.len() as u64))));
        // Seven bytes and a digit hold four values at most.
        assert_eq!(counted.gap(8, 3), None);
        assert_eq!(counted.gap(4, 3), None);
        assert_eq!(counted.gap(3, 3), None);
        let (bytes, values, records) = counted.gap(6, 3).unwrap();
        assert_eq!((bytes.start.0, bytes.end.0, values), (5, 13, 3));
        assert_eq!((records.start, records.end), (0, 2));
        let mut recount = Recounted::default();
        recount.lose(&EDGES, bytes, values, records);
        let mended = recount.mended(&text);
        for window in 1..30 {
            let mut read = Vec::new();
            while read.len() < text.len() {
                let mut buf = vec![0; window];
                let n = mended.read_at(&mut buf, read.len() as u64).unwrap();
                read.extend_from_slice(&buf[..n]);
            }
            assert_eq!(read, b"[1,2,,,      ,9]", "{window}");
        }
    }
}
