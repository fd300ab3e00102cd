//! Values within an event: checked if they are valid JSON, otherwise delimited by their quotes and brackets.

use super::number;
use heapquarry_scan::{is_blank, skip_blanks};

/// A string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Str {
    /// Position after its closing quote.
    pub(super) end: usize,
    /// Whether it has backslashes.
    pub(super) escaped: bool,
    /// Whether it is a valid JSON string, without missing escapes.
    pub(super) clean: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The string whose opening quote is at that position. A quote ends it if `,`, `:`, `}` or `]` follows, or if it is the
/// last byte and `all` is set, because some writers do not escape quotes. `None` if its end is missing.
pub(super) fn string_end(bytes: &[u8], start: usize, all: bool) -> Option<Str> {
    let (mut escaped, mut clean) = (false, true);
    let mut at = start + 1;
    loop {
        // Eight bytes at a time, while they have nothing special.
        while let Some(word) = bytes.get(at..at + 8) {
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
            let quote = zero(word ^ (ONES * u64::from(b'"')));
            let backslash = zero(word ^ (ONES * u64::from(b'\\')));
            let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
            let special = quote | backslash | control;
            if special != 0 {
                at += special.trailing_zeros() as usize / 8;
                break;
            }
            at += 8;
        }
        match *bytes.get(at)? {
            b'"' => {
                let next = skip_blanks(bytes, at + 1);
                match bytes.get(next) {
                    Some(b',' | b':' | b'}' | b']') => {
                        return Some(Str { end: at + 1, escaped, clean });
                    }
                    Some(_) => (escaped, clean) = (true, false),
                    None if all => return Some(Str { end: at + 1, escaped, clean }),
                    None => return None,
                }
                at += 1;
            }
            b'\\' => {
                escaped = true;
                let length = escape(&bytes[at..]);
                clean &= length > 0;
                at += length.max(2);
            }
            byte => {
                clean &= byte >= 0x20;
                at += 1;
            }
        }
    }
}

/// Length of the escape at the front; 0 if it is invalid.
fn escape(bytes: &[u8]) -> usize {
    let hex = |from: usize| {
        let digits = std::str::from_utf8(bytes.get(from..from + 4)?).ok()?;
        let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        all.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    match bytes.get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
        Some(b'u') => match hex(2) {
            Some(0xD800..0xDC00) if bytes.get(6..8) == Some(b"\\u") => match hex(8) {
                Some(0xDC00..0xE000) => 12,
                _ => 0,
            },
            Some(0xD800..0xE000) | None => 0,
            Some(_) => 6,
        },
        _ => 0,
    }
}

/// Length of the escape at the front, if JSON defines it; halves of a surrogate pair count.
pub(super) fn escape_length(bytes: &[u8]) -> Option<usize> {
    let digits = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => bytes.get(2..6).filter(|of| digits(of)).map(|_| 6),
        _ => None,
    }
}

/// Kind of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    True,
    False,
    Null,
    /// A number by the grammar of JSON.
    Number,
    /// Anything else.
    Odd,
}

pub(super) fn scalar(text: &[u8]) -> Scalar {
    match text {
        b"true" => Scalar::True,
        b"false" => Scalar::False,
        b"null" => Scalar::Null,
        _ if number::is_json(text) => Scalar::Number,
        _ => Scalar::Odd,
    }
}

/// End of the scalar at that position.
pub(super) fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let ends = |&byte: &u8| {
        is_blank(byte) || matches!(byte, b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"')
    };
    bytes[at..].iter().position(ends).map_or(bytes.len(), |length| at + length)
}

/// Callbacks of [`walk`].
pub(super) trait Visit {
    /// A non-empty object or array begins.
    fn open(&mut self, _array: bool) {}
    /// The key of the next value, without quotes.
    fn key(&mut self, _raw: &[u8], _escaped: bool) {}
    /// Another value of an array follows.
    fn next(&mut self) {}
    /// A string, without quotes.
    fn text(&mut self, _raw: &[u8], _escaped: bool) {}
    /// Any other scalar.
    fn scalar(&mut self, _raw: &[u8], _kind: Scalar) {}
    /// An empty object or array.
    fn empty(&mut self, _array: bool) {}
    /// The innermost object or array ends.
    fn close(&mut self) {}
}

/// Ignores everything.
impl Visit for () {}

/// Walks over the value at that position. Returns its end; `None` as soon as it is invalid JSON. `open` is reusable
/// memory.
#[inline]
pub(super) fn walk<V: Visit>(
    bytes: &[u8],
    start: usize,
    visit: &mut V,
    open: &mut Vec<bool>,
) -> Option<usize> {
    open.clear();
    let mut at = start;
    'value: loop {
        at = skip_blanks(bytes, at);
        match *bytes.get(at)? {
            b'"' => {
                let string = string_end(bytes, at, true).filter(|string| string.clean)?;
                visit.text(&bytes[at + 1..string.end - 1], string.escaped);
                at = string.end;
            }
            bracket @ (b'{' | b'[') => {
                let array = bracket == b'[';
                at = skip_blanks(bytes, at + 1);
                if bytes.get(at) == Some(&(bracket + 2)) {
                    visit.empty(array);
                    at += 1;
                } else {
                    visit.open(array);
                    open.push(array);
                    if !array {
                        at = key(bytes, at, visit)?;
                    }
                    continue 'value;
                }
            }
            _ => {
                let end = scalar_end(bytes, at);
                let raw = &bytes[at..end];
                match scalar(raw) {
                    Scalar::Odd => return None,
                    kind => visit.scalar(raw, kind),
                }
                at = end;
            }
        }
        loop {
            let Some(&array) = open.last() else { return Some(at) };
            at = skip_blanks(bytes, at);
            match (bytes.get(at)?, array) {
                (b',', true) => {
                    visit.next();
                    at += 1;
                    continue 'value;
                }
                (b',', false) => {
                    at = key(bytes, skip_blanks(bytes, at + 1), visit)?;
                    continue 'value;
                }
                (b']', true) | (b'}', false) => {
                    visit.close();
                    open.pop();
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

/// Reads the key at that position. Returns the position after its colon.
#[inline]
fn key<V: Visit>(bytes: &[u8], at: usize, visit: &mut V) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let string = string_end(bytes, at, true).filter(|string| string.clean)?;
    visit.key(&bytes[at + 1..string.end - 1], string.escaped);
    let colon = skip_blanks(bytes, string.end);
    (bytes.get(colon) == Some(&b':')).then_some(colon + 1)
}

/// The end of the value at that position, whatever is wrong within it.
pub(super) fn value_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'"') => string_end(bytes, at, true).map_or(bytes.len(), |string| string.end),
        Some(b'{' | b'[') => {
            let (mut depth, mut at) = (0u64, at);
            while let Some(&byte) = bytes.get(at) {
                match byte {
                    b'"' => match string_end(bytes, at, true) {
                        Some(string) => at = string.end - 1,
                        None => return bytes.len(),
                    },
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return at;
                }
            }
            bytes.len()
        }
        Some(_) => scalar_end(bytes, at),
        None => at,
    }
}
