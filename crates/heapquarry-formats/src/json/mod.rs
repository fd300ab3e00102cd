//! A forward JSON reader over small windows of an input: token by token, in any order and nesting.
//!
//! Callers keep their own stack of open containers, so nesting causes no recursion. A token is never split: all of it
//! is in the buffer when its span is returned, and the span is valid until the next call.

mod integers;
mod shape;
mod skip;
mod text;

pub use integers::odd_integer;
pub(crate) use shape::{names, opens};
pub use text::{Damage, text};

use crate::{Buffer, ByteOffset, Code, Error, Input, Log, Result, input};
use heapquarry_scan::{Odd, is_blank, read_odd};
use std::ops::Range;

/// A longer string or number is not read into memory.
const LONGEST_TOKEN: usize = 64 << 20;

/// Marks a number that is missing or does not fit. (This loses one number in 2^64.)
pub const NONE: i64 = i64::MIN;

/// What bytes of zero are.
pub(crate) const ZEROS: &str =
    "bytes of zero, as a hole in a file is read: what they replace is unknown";

/// Why reading stops.
#[derive(Debug)]
pub enum Stop {
    /// The document ends here.
    Cut,
    /// Something invalid at this offset.
    Malformed {
        /// Its offset.
        at: ByteOffset,
        /// What was expected there.
        expected: &'static str,
    },
    /// The input cannot be read.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

/// The result of reading a token.
pub type Step<T> = std::result::Result<T, Stop>;

/// The content between the quotes of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Range in the buffer.
    pub span: Range<usize>,
    /// Whether it has to be unescaped.
    pub escaped: bool,
    /// Whether it contains quotes that should be escaped but are not.
    pub stray: bool,
}

/// A value, or the fact that tables cannot hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer of 64 bits.
    Int(i64),
    /// A string.
    Text(Text),
    /// Another scalar: its kind, and its range in the buffer.
    Odd(Odd, Range<usize>),
    /// An object or array, which has been skipped.
    Nested,
}

/// A forward reader. Its position is between two tokens.
pub struct Json<'a> {
    input: &'a dyn Input,
    buf: Buffer,
    /// Offset of the buffer in the input.
    base: ByteOffset,
    pos: usize,
    window: usize,
    /// Offset of the first byte of zero among those that were dropped.
    zero: Option<ByteOffset>,
}

impl<'a> Json<'a> {
    /// A reader from an offset on, which reads `window` bytes at a time.
    pub fn new(input: &'a dyn Input, at: ByteOffset, window: usize) -> Self {
        Json::reusing(input, at, window, Buffer::default())
    }

    /// A reader that uses the memory of an earlier one again.
    pub fn reusing(input: &'a dyn Input, at: ByteOffset, window: usize, mut buf: Buffer) -> Self {
        buf.clear();
        Json { input, buf, base: at, pos: 0, window: window.max(1), zero: None }
    }

    /// What it reads.
    pub fn input(&self) -> &'a dyn Input {
        self.input
    }

    /// Another reader of the same input.
    pub fn at_offset(&self, at: ByteOffset, window: usize) -> Self {
        Json::new(self.input, at, window)
    }

    /// Continues at an offset after the position.
    pub fn go_to(&mut self, at: ByteOffset) {
        match usize::try_from(at - self.base) {
            Ok(pos) if pos <= self.buf.len() => self.pos = pos,
            _ => {
                self.zero = self.zero_before(self.buf.len());
                self.buf.clear();
                (self.base, self.pos) = (at, 0);
            }
        }
    }

    /// Returns the memory, for another reader.
    pub fn into_buffer(self) -> Buffer {
        self.buf
    }

    /// Offset of the position.
    #[inline]
    pub fn at(&self) -> ByteOffset {
        self.base + self.pos as u64
    }

    /// Bytes from the position to the end of the input.
    #[inline]
    pub fn left(&self) -> u64 {
        self.input.end().saturating_sub(self.at())
    }

    /// Reads more bytes and drops those before `keep`. Returns whether there were any.
    #[cold]
    fn fill(&mut self, keep: usize) -> Result<bool> {
        self.zero = self.zero_before(keep);
        self.buf.shift(keep);
        self.base += keep as u64;
        self.pos -= keep;
        let end = self.base + self.buf.len() as u64;
        Ok(input::append(self.input, &mut self.buf, end, self.window)? > 0)
    }

    /// Offset of the first byte of zero before a position in memory.
    fn zero_before(&self, pos: usize) -> Option<ByteOffset> {
        let among = || memchr::memchr(0, &self.buf[..pos]).map(|at| self.base + at as u64);
        self.zero.or_else(among)
    }

    /// Logs that there are bytes of zero before the position: JSON has none, within strings neither.
    pub(crate) fn log_zeros(&self, log: &mut Log) {
        if let Some(at) = self.zero_before(self.pos) {
            log.add(Code::ZeroBytes, at, || ZEROS.into());
        }
    }

    /// Reads more bytes within the token at the position. `at` is the position of the scan.
    #[cold]
    fn more(&mut self, at: &mut usize) -> Step<()> {
        if self.buf.len() - self.pos > LONGEST_TOKEN {
            let expected = "the end of a value within 64 MiB";
            return Err(Stop::Malformed { at: self.at(), expected });
        }
        let keep = self.pos;
        let more = self.fill(keep)?;
        *at -= keep;
        if more { Ok(()) } else { Err(Stop::Cut) }
    }

    /// The next non-blank byte, which becomes the position; `None` at the end.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            while let Some(&byte) = self.buf.get(self.pos) {
                if !is_blank(byte) {
                    return Ok(Some(byte));
                }
                self.pos += 1;
            }
            if !self.fill(self.pos)? {
                return Ok(None);
            }
        }
    }

    /// The bytes that come next, at most `most`: fewer only at the end of the input. They stay where they are.
    pub(crate) fn ahead(&mut self, most: usize) -> Result<&[u8]> {
        while self.buf.len() - self.pos < most && self.fill(self.pos)? {}
        let rest = self.rest();
        Ok(&rest[..rest.len().min(most)])
    }

    /// The next non-blank byte; the end of the document is an error.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "it is no iterator: the end is an error")]
    pub fn next(&mut self) -> Step<u8> {
        self.peek()?.ok_or(Stop::Cut)
    }

    /// Skips the byte that was seen.
    #[inline]
    pub fn bump(&mut self) {
        self.pos += 1;
    }

    /// Skips the byte that was seen, if it is `byte`.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> Step<bool> {
        let there = self.next()? == byte;
        self.pos += usize::from(there);
        Ok(there)
    }

    /// The error for something invalid at the position.
    pub fn malformed<T>(&self, expected: &'static str) -> Step<T> {
        Err(Stop::Malformed { at: self.at(), expected })
    }

    /// The next key of an object; `None` at its end, after the brace.
    #[inline]
    pub fn key(&mut self) -> Step<Option<Text>> {
        loop {
            match self.next()? {
                // Producers differ in where they write commas. Only the keys count.
                b',' => self.bump(),
                b'}' => {
                    self.bump();
                    return Ok(None);
                }
                b'"' => break,
                _ => return self.malformed("`,`, `}` or a key"),
            }
        }
        let key = self.string(b":")?;
        // The colon ended the string and is in the buffer, so the span stays valid.
        self.next()?;
        self.bump();
        Ok(Some(key))
    }

    /// The string at the position. A quote ends it only if one of `closers` follows, because some producers do not
    /// escape quotes.
    fn string(&mut self, closers: &[u8]) -> Step<Text> {
        let mut at = self.pos + 1;
        let (mut escaped, mut stray) = (false, false);
        loop {
            let Some(found) =
                self.buf.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
            else {
                at = at.max(self.buf.len());
                self.more(&mut at)?;
                continue;
            };
            at += found;
            if self.buf[at] == b'\\' {
                escaped = true;
                at += 2;
                continue;
            }
            let mut next = at + 1;
            let closes = loop {
                match self.buf.get(next) {
                    Some(&byte) if is_blank(byte) => next += 1,
                    Some(byte) => break closers.contains(byte),
                    None => {
                        let behind = next - at;
                        self.more(&mut next)?;
                        at = next - behind;
                    }
                }
            };
            if closes {
                let span = self.pos + 1..at;
                self.pos = at + 1;
                return Ok(Text { span, escaped, stray });
            }
            (escaped, stray) = (true, true);
            at += 1;
        }
    }

    /// The value at the position.
    #[inline]
    pub fn value(&mut self) -> Step<Value> {
        match self.next()? {
            b'"' => Ok(Value::Text(self.string(b",}]")?)),
            b'{' | b'[' => {
                self.skip()?;
                Ok(Value::Nested)
            }
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Step<Value> {
        let mut at = self.pos;
        loop {
            match self.buf.get(at) {
                Some(b',' | b'}' | b']' | b':' | b' ' | b'\n' | b'\r' | b'\t') => break,
                Some(_) => at += 1,
                None => self.more(&mut at)?,
            }
        }
        let span = self.pos..at;
        if span.is_empty() {
            return self.malformed("a value");
        }
        let raw = &self.buf[span.clone()];
        self.pos = at;
        Ok(int(raw).map_or_else(|| odd(raw, span), Value::Int))
    }

    /// Bytes of the span that was returned last.
    #[inline]
    pub fn bytes(&self, span: &Range<usize>) -> &[u8] {
        &self.buf[span.clone()]
    }

    /// The bytes from an offset to the position, if they are still in the buffer.
    pub(crate) fn since(&self, offset: ByteOffset) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.base)?).ok()?;
        self.buf.get(start..self.pos)
    }

    /// The bytes in the buffer from the position on.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buf[self.pos..]
    }

    /// Skips this many bytes of [`Json::rest`].
    pub(crate) fn advance(&mut self, length: usize) {
        self.pos += length;
    }
}

/// A plain integer of up to 18 digits, with or without a minus.
#[inline]
fn int(raw: &[u8]) -> Option<i64> {
    let digits = raw.strip_prefix(b"-").unwrap_or(raw);
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = 10 * value + i64::from(digit);
    }
    Some(if digits.len() < raw.len() { -value } else { value })
}

/// A scalar that is not a short integer.
#[cold]
fn odd(raw: &[u8], span: Range<usize>) -> Value {
    match read_odd(raw).0 {
        Odd::Negative(value) if value != NONE => Value::Int(value),
        Odd::Form(value) if raw.iter().all(u8::is_ascii_digit) => Value::Int(value),
        kind => Value::Odd(kind, span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All window sizes must give the same result.
    fn each_window(json: &str, test: impl Fn(&mut Json<'_>)) {
        for window in [1, 2, 3, 7, 1000] {
            test(&mut Json::new(&json, ByteOffset::START, window));
        }
    }

    #[test]
    fn members() {
        each_window(r#" { "a" : 1 , "b\"" : "x\u0041" , "c":[{"]":1}],"d":-1.5,} "#, |json| {
            assert!(json.eat(b'{').unwrap());
            let mut seen = Vec::new();
            while let Some(key) = json.key().unwrap() {
                let key = text(json.bytes(&key.span), key.escaped).0;
                let value = match json.value().unwrap() {
                    Value::Int(value) => value.to_string(),
                    Value::Text(t) => text(json.bytes(&t.span), t.escaped).0,
                    Value::Odd(kind, _) => format!("{kind:?}"),
                    Value::Nested => "nested".into(),
                };
                seen.push((key, value));
            }
            let pairs = [("a", "1"), ("b\"", "x\u{41}"), ("c", "nested"), ("d", "Fraction")];
            assert_eq!(seen, pairs.map(|(k, v)| (k.to_string(), v.to_string())));
            assert_eq!(json.peek().unwrap(), None);
        });
    }

    #[test]
    fn quotes_that_are_not_escaped_are_content() {
        each_window(r#""a"b" , "c" ]"#, |json| {
            let Value::Text(first) = json.value().unwrap() else { panic!() };
            assert_eq!((json.bytes(&first.span), first.stray), (&b"a\"b"[..], true));
            assert!(json.eat(b',').unwrap());
            json.next().unwrap();
            let Value::Text(second) = json.value().unwrap() else { panic!() };
            assert_eq!((json.bytes(&second.span), second.stray), (&b"c"[..], false));
        });
    }

    #[test]
    fn arrays_of_integers() {
        let array = r#"1, 2,-3,4.0,null,"x,]","5",[6],18446744073709551615,7]8"#;
        for max in [1, 2, 100] {
            each_window(array, |json| {
                let (mut out, mut kinds) = (Vec::new(), Vec::new());
                while !json
                    .integers(&mut out, max, |kind, _, _| {
                        kinds.push(kind);
                        None
                    })
                    .unwrap()
                {}
                assert_eq!(out, [1, 2, -3, NONE, NONE, NONE, NONE, NONE, NONE, 7]);
                let nan = Odd::NotANumber;
                assert_eq!(kinds, [Odd::Form(4), nan, nan, Odd::Form(5), nan, Odd::TooLarge]);
                assert_eq!(json.at(), ByteOffset(array.len() as u64 - 1));
            });
        }
    }

    #[test]
    fn a_document_that_ends_is_cut() {
        for cut in ["", "[1,2", "\"abc", "{\"a\"", "12", "\"a\""] {
            each_window(cut, |json| assert!(matches!(json.value(), Err(Stop::Cut)), "{cut}"));
        }
    }
}
