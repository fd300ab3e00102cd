//! Finds the strings ahead of the sections that precede them, because names as text need them first.
//!
//! In a large document they are often 200 MB: too much to search backward, above all in object storage. All sections
//! before them are numbers, and they are the last one, so a few probes find where the numbers end.

use super::{
    members::{Member, Members, peek},
    sections::STRINGS,
    source::skip_value,
};
use crate::{ByteOffset, Input, Locate, Result, input};
use std::{io, ops::Range, thread};

/// Minimum size of a read in bytes.
const LEAST_WINDOW: usize = 64 << 10;
/// A smaller document is searched from its end in less time than threads for probes take.
const LARGE: u64 = 32 << 20;
/// Probes stop when so many bytes are left, which are searched.
const NEAR: u64 = 1 << 20;
/// Even fewer are not worth probing.
const LEAST_NEAR: u64 = 32 << 10;
/// Size of a probe in bytes. A larger one hits the name of a section more often.
const PROBE: usize = 512;
/// Number of probes at the same time: each is a request where the document is an object.
const PROBES: u64 = 8;

/// Bytes that are read at a time to find the next one that is not blank.
const PEEK: usize = 64;

/// What is searched for.
const KEY: &[u8] = b"\"strings\"";

/// Location of the strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocatedStrings {
    /// Offset of their `[`.
    pub(crate) open: ByteOffset,
    /// Whether they may belong to a nested object instead of the document.
    pub(crate) unchecked: bool,
}

/// Finds the strings of a document whose members begin at `members`.
pub(crate) fn locate_strings(
    input: &dyn Input,
    members: &Members,
    locate: Locate,
    window: usize,
) -> Result<Option<LocatedStrings>> {
    let window = window.max(LEAST_WINDOW);
    if locate == Locate::FromEnd {
        let mut open = None;
        if input.size() >= LARGE {
            let near = end_of_numbers(input, members.at.0..input.size(), NEAR);
            open = last_strings(&Held::read(input, &near)?, near, window)?;
        }
        if open.is_none() {
            open = last_strings(input, ByteOffset::START.0..input.size(), window)?;
        }
        if let Some(open) = open {
            return Ok(Some(LocatedStrings { open, unchecked: true }));
        }
    }
    let open = first_strings(input, members.clone(), window)?;
    Ok(open.map(|open| LocatedStrings { open, unchecked: false }))
}

/// An input of which one range is in memory, because each read of an object is a request.
struct Held<'a> {
    input: &'a dyn Input,
    start: ByteOffset,
    bytes: Vec<u8>,
}

impl<'a> Held<'a> {
    fn read(input: &'a dyn Input, range: &Range<u64>) -> Result<Self> {
        let start = ByteOffset(range.start);
        // What follows the key is also looked at.
        let len = (range.end - range.start) as usize + 2 * PEEK;
        Ok(Held { input, start, bytes: input::bytes_at(input, start, len)? })
    }
}

impl Input for Held<'_> {
    fn size(&self) -> u64 {
        self.input.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let within = offset.checked_sub(self.start.0).and_then(|at| self.bytes.get(at as usize..));
        match within {
            Some(rest) if !rest.is_empty() => rest.read_at(buf, 0),
            _ => self.input.read_at(buf, offset),
        }
    }
}

/// Offset of the `[` of the document's first strings section.
fn first_strings(
    input: &dyn Input,
    mut members: Members,
    window: usize,
) -> Result<Option<ByteOffset>> {
    loop {
        match members.next(input)? {
            Member::Value { name, at, .. } if name == STRINGS.name => {
                let array = matches!(peek(input, at, 1)?, Some((b'[', _)));
                return Ok(array.then_some(at));
            }
            Member::Value { at, .. } => match skip_value(input, at, window)? {
                Some(end) => members.at = end,
                None => return Ok(None),
            },
            Member::End { .. } | Member::Cut => return Ok(None),
            // The strings may be intact after the damage.
            Member::Malformed { .. } => return strings_from_end(input, window),
        }
    }
}

/// Searches backwards from the end: the offset of the `[` of the strings, if they are the last member of the object
/// that ends there.
fn strings_from_end(input: &dyn Input, window: usize) -> Result<Option<ByteOffset>> {
    // An unescaped `"strings":[` cannot be inside a string, so it is a key. It is a key of the document if the document
    // ends with its value.
    let all = ByteOffset::START.0..input.size();
    let Some(open) = last_strings(input, all, window)? else { return Ok(None) };
    let Some(close) = skip_value(input, open, window)? else { return Ok(None) };
    let Some((b'}', brace)) = peek(input, close, 64)? else { return Ok(None) };
    Ok(peek(input, brace + 1, 64)?.is_none().then_some(open))
}

/// Offset of the `[` of the last member of that name in this range, in any object: mostly it is the strings of the
/// document. The walk over the document verifies later that they are its own.
fn last_strings(input: &dyn Input, range: Range<u64>, window: usize) -> Result<Option<ByteOffset>> {
    let (first, mut end) = (ByteOffset(range.start), ByteOffset(range.end));
    let colon = 'found: loop {
        let start = ByteOffset(end.0.saturating_sub(window.max(2 * KEY.len()) as u64)).max(first);
        let buf = input::bytes_at(input, start, (end - start) as usize)?;
        // A forward search is ten times faster, and there is rarely more than one match.
        let found: Vec<usize> = memchr::memmem::find_iter(&buf, KEY).collect();
        for x in found.into_iter().rev() {
            // Skips the end of a longer key.
            let escaped = start + x as u64 > ByteOffset::START
                && input::bytes_at(input, start + x as u64 - 1, 1)? == b"\\";
            if escaped {
                continue;
            }
            // Programs also have properties of that name. Such a string is not followed by a colon.
            if let Some((b':', colon)) = peek(input, start + (x + KEY.len()) as u64, PEEK)? {
                break 'found colon;
            }
        }
        if start == first {
            return Ok(None);
        }
        end = start + KEY.len() as u64 - 1;
    };
    let open = peek(input, colon + 1, PEEK)?.filter(|&(byte, _)| byte == b'[');
    Ok(open.map(|(_, open)| open))
}

/// A range of at most `near` bytes, if it is not less than [`LEAST_NEAR`], in which the numbers end, if nothing else is
/// before that end. A text that looks like numbers, or the name of a section, can mislead it.
fn end_of_numbers(input: &dyn Input, document: Range<u64>, near: u64) -> Range<u64> {
    let Range { mut start, mut end } = document;
    while end - start > near.max(LEAST_NEAR) {
        let step = (end - start) / (PROBES + 1);
        let probes: Vec<u64> = (1..=PROBES).map(|number| start + number * step).collect();
        let are_numbers: Vec<bool> = thread::scope(|scope| {
            let begin = |&at| {
                let probe = move || is_numbers(input, ByteOffset(at));
                // If the system starts no more threads, one is enough.
                thread::Builder::new().spawn_scoped(scope, probe).map_err(|_| probe())
            };
            let begun: Vec<_> = probes.iter().map(begin).collect();
            begun
                .into_iter()
                .map(|probe| probe.map_or_else(|is| is, |p| p.join().unwrap_or(false)))
                .collect()
        });
        let numbers = are_numbers.iter().take_while(|is| **is).count();
        if let Some(after) = probes.get(numbers) {
            // The key may begin at the end of the probe.
            end = end.min(after + (PROBE + KEY.len()) as u64);
        }
        if let Some(before) = probes[..numbers].last() {
            start = *before;
        }
    }
    start..end
}

/// Whether only numbers are here. What cannot be read is none: whoever reads it next gets the error.
fn is_numbers(input: &dyn Input, at: ByteOffset) -> bool {
    let bytes = input::bytes_at(input, at, PROBE);
    bytes.is_ok_and(|bytes| bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b',' | b'\n')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Counts the bytes that are read.
    struct Counting(Vec<u8>, AtomicU64);

    impl Input for Counting {
        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            let read = self.0.read_at(buf, offset)?;
            self.1.fetch_add(read as u64, Ordering::Relaxed);
            Ok(read)
        }
    }

    /// A document with so many bytes of numbers, and of strings.
    fn document(numbers: usize, strings: usize, string: &str) -> (Vec<u8>, u64) {
        let mut document = b"{\"snapshot\":{},\n\"nodes\":[".to_vec();
        let row = b"9,1,1,0,6,0,0\n,2,33,3,4,5,6,7";
        document.extend(row.iter().cycle().take(numbers));
        document.extend(b"],\n\"strings\":[");
        let open = document.len() as u64 - 1;
        let string = format!("{},\n", serde_json::to_string(string).expect("a string"));
        document.extend(string.bytes().cycle().take(strings / string.len() * string.len()));
        document.extend(b"\"\"]}");
        (document, open)
    }

    #[test]
    fn the_end_of_numbers_is_found_wherever_it_is() {
        const SIZE: usize = 300_000;
        for string in ["text", "x\":[\"strings\",1", "(object properties) a bit longer"] {
            for numbers in (0..=SIZE).step_by(997) {
                let (document, open) = document(numbers, SIZE - numbers, string);
                let found = end_of_numbers(&document, 0..document.len() as u64, 1);
                let what = format!("{numbers} bytes of numbers, {string:?}: {found:?}");
                assert!(found.end - found.start <= LEAST_NEAR, "{what}");
                let near = last_strings(&document, found, 4096).expect("no read fails");
                assert_eq!(near, Some(ByteOffset(open)), "{what}");
            }
        }
    }

    #[test]
    fn the_strings_of_a_large_document_are_located_by_a_few_reads() {
        const SIZE: usize = 40 << 20;
        let key = "a program's \"strings\":[ in a text";
        let digits = "1,2,3,".repeat(1000);
        // Texts that look like numbers mislead, and then all is searched.
        let cases = [(1, "text", true), (2, key, true), (9, "text", true), (2, &digits, false)];
        for (tenths, string, is_fast) in cases {
            let (document, open) = document(SIZE / 10 * tenths, SIZE / 10 * (10 - tenths), string);
            let input = Counting(document, AtomicU64::new(0));
            let members = Members::new(ByteOffset::START, 64);
            let found = locate_strings(&input, &members, Locate::FromEnd, LEAST_WINDOW);
            let found = found.expect("no read fails").expect("there are strings");
            assert_eq!(found.open, ByteOffset(open), "{tenths} {string:.20}");
            let read = input.1.into_inner();
            assert_eq!(read < 2 * NEAR, is_fast, "{tenths} {string:.20}: {read} bytes read");
        }
    }
}
