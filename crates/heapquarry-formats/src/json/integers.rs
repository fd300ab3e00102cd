//! Arrays of integers, read many values at a time.

use super::{Json, NONE, Step, Value};
use crate::{ByteOffset, Code, Log};
use heapquarry_scan::{Odd, read_integers, read_odd};

/// Size of a step in an array of integers, in bytes.
const PIECE: usize = 4 << 10;

impl Json<'_> {
    /// Reads on in an array of integers, from after its `[` or after one of its values. Appends up to `max` values to
    /// `out`, [`NONE`] for those that are not integers, which `odd` receives. Returns `true` if the array ends; the
    /// position is then after its `]`.
    pub fn integers(
        &mut self,
        out: &mut Vec<i64>,
        max: usize,
        mut odd: impl FnMut(Odd, ByteOffset, &[u8]) -> Option<i64>,
    ) -> Step<bool> {
        let mut tokens = [0; 512];
        let end = out.len() + max;
        while out.len() < end {
            match self.next()? {
                b']' => {
                    self.bump();
                    return Ok(true);
                }
                b',' => self.bump(),
                b'}' | b':' => return self.malformed("a value, `,` or `]`"),
                b'"' => {
                    let at = self.at();
                    let Value::Text(text) = self.value()? else { unreachable!("a string") };
                    let raw = &self.buf[text.span];
                    out.push(odd(read_odd(raw).0, at, raw).unwrap_or(NONE));
                }
                byte @ (b'{' | b'[') => {
                    let at = self.at();
                    self.skip()?;
                    out.push(odd(Odd::NotANumber, at, &[byte]).unwrap_or(NONE));
                }
                _ => {
                    // Up to the last comma before anything other than numbers and words.
                    let rest = &self.buf[self.pos..];
                    let rest = &rest[..rest.len().min(PIECE)];
                    let stop = memchr::memchr3(b']', b'"', b'[', rest).unwrap_or(rest.len());
                    let stop = memchr::memchr2(b'{', b'}', &rest[..stop]).unwrap_or(stop);
                    let whole = memchr::memrchr(b',', &rest[..stop]).map_or(0, |comma| comma + 1);
                    let room = tokens.len().min(end - out.len());
                    let mut read = read_integers(&rest[..whole], &mut tokens[..room]);
                    let large = |&token: &u64| token > i64::MAX as u64;
                    if let Some(first) = tokens[..read.numbers].iter().position(large) {
                        read = read_integers(&rest[..whole], &mut tokens[..first]);
                    }
                    if read.numbers == 0 {
                        let at = self.at();
                        match self.scalar()? {
                            Value::Int(value) => out.push(value),
                            Value::Odd(kind, span) => {
                                out.push(odd(kind, at, &self.buf[span]).unwrap_or(NONE));
                            }
                            _ => unreachable!("a scalar"),
                        }
                        continue;
                    }
                    out.extend(tokens[..read.numbers].iter().map(|&token| token as i64));
                    self.pos += read.read;
                }
            }
        }
        Ok(false)
    }
}

/// A value that is not a plain integer.
pub fn odd_integer(
    odd: Odd,
    at: ByteOffset,
    raw: &[u8],
    what: &'static str,
    log: &mut Log,
) -> Option<i64> {
    let (value, code) = match odd {
        Odd::Negative(value) | Odd::Form(value) => (Some(value), Code::NumberForm),
        Odd::TooLarge => (None, Code::ValueOutOfRange),
        Odd::Fraction => (None, Code::NotAnInteger),
        Odd::NotANumber => (None, Code::NotANumber),
    };
    log.add_excerpt(code, at, raw, || format!("{what}: no plain integer"));
    value.filter(|&value| value != NONE)
}
