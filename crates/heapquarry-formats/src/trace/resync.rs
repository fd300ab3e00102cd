//! Finds the next element of an array of events byte by byte, where [`scan_objects`](heapquarry_scan::scan_objects)
//! found an irregularity, and resynchronises behind it.

use super::json::string_end;
use heapquarry_scan::{Extent, is_blank};

/// The next element of an array of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// An event. Its `}` can be missing: then the next event begins, or the array ends, where only a member is valid.
    Object(Extent),
    /// Anything else.
    Junk(Extent),
    /// The array ends with the `]` at this position.
    Close(usize),
    /// The bytes end, within an element that begins here or before one.
    More(usize),
}

/// The element after `from`. If `all` is set, the input ends with these bytes.
pub(super) fn next(bytes: &[u8], from: usize, all: bool) -> Next {
    let mut start = from;
    while bytes.get(start).is_some_and(|&byte| is_blank(byte) || byte == b',') {
        start += 1;
    }
    let Some(&first) = bytes.get(start) else { return Next::More(start) };
    let extent = |end: usize| Extent { start: start as u32, end: end as u32 };
    match first {
        b']' => return Next::Close(start),
        b'{' | b'[' => {}
        b'"' => {
            let end = string_end(bytes, start, all).map(|string| string.end);
            return end.map_or(Next::More(start), |end| Next::Junk(extent(end)));
        }
        b'}' | b':' | b'\\' => return Next::Junk(extent(start + 1)),
        _ => {
            let ends = |&byte: &u8| is_blank(byte) || b",:{}[]\"\\".contains(&byte);
            let end = bytes[start..].iter().position(ends);
            return match end {
                Some(length) => Next::Junk(extent(start + length)),
                None if all => Next::Junk(extent(bytes.len())),
                None => Next::More(start),
            };
        }
    }
    let event = first == b'{';
    let done = |end| if event { Next::Object(extent(end)) } else { Next::Junk(extent(end)) };
    let (mut depth, mut before, mut at) = (1u64, first, start + 1);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => match string_end(bytes, at, all) {
                Some(string) => at = string.end - 1,
                None => return Next::More(start),
            },
            b'{' | b'[' if event && depth == 1 && before != b':' => return done(at),
            b'{' | b'[' => depth += 1,
            b']' if event && depth == 1 => return done(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return done(at + 1);
                }
            }
            _ => {}
        }
        if !is_blank(byte) {
            before = byte;
        }
        at += 1;
    }
    Next::More(start)
}
