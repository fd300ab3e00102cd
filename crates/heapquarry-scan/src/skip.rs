//! Skips one value by structure.
//!
//! # Algorithm
//!
//! Inside a container only quotes, backslashes and brackets matter, and brackets only outside
//! strings. For each block of 64 bytes:
//!
//! ```text
//! escaped = bytes after a backslash that is not itself escaped
//! quotes  = '"' & !escaped
//! inside  = prefix_xor(quotes), inverted if the block begins inside a string
//! opens   = '[' or '{', & !inside
//! closes  = ']' or '}', & !inside
//! if fewer closes than the depth: the value cannot end here; depth += opens - closes
//! else: look at each close
//! ```
//!
//! In a block of digits, which is most of a snapshot, a single comparison shows that there is
//! nothing to do.

use crate::{
    blank::{is_blank, skip_blanks},
    count::stops_of,
    kernel::Kernel,
    simd::{Algorithm, BLOCK, Isa, prefix_xor},
};

/// Result of [`Skipper::feed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// All bytes belong to the value, or to the blanks before it, and the value continues.
    More,
    /// The value ends in these bytes; this many of them belong to it.
    Done(usize),
}

/// Skips one JSON value of any size and nesting depth, fed in pieces of any size.
///
/// It looks at quotes and brackets, and does not check anything else: `{]` is a value. Blanks
/// before the value belong to it. A container and a string end with their last bracket or quote. A
/// scalar ends before the `,` `]` `}` `:` or blank that follows it; if one of these is the first
/// non-blank byte, the value is empty.
///
/// ```
/// use heapquarry_scan::{Skipped, Skipper};
///
/// let mut skipper = Skipper::new();
/// assert_eq!(skipper.feed(br#" {"a":[1,"]"#), Skipped::More);
/// assert_eq!(skipper.feed(br#"}",2]},"b""#), Skipped::Done(6));
/// assert!(skipper.at_end());
/// ```
#[derive(Clone, Debug)]
pub struct Skipper {
    kernel: Kernel,
    state: State,
    nested: Nested,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Before,
    Scalar,
    /// In a container, or in a string, which is treated as a container of depth 0.
    Nested,
    Done,
}

/// Position of the next byte in the structure of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Nested {
    /// Brackets that are open.
    depth: u64,
    in_string: bool,
    /// In a string, after a backslash.
    escape: bool,
}

impl Nested {
    /// Reads one byte, and returns whether it ends the value.
    #[inline(always)]
    fn step(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escape => self.escape = false,
                b'\\' => self.escape = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' => self.depth -= 1,
                _ => {}
            }
        }
        self.depth == 0 && !self.in_string
    }
}

impl Default for Skipper {
    fn default() -> Self {
        Self::new()
    }
}

impl Skipper {
    /// A skipper positioned before a value, or before the blanks before it.
    pub fn new() -> Self {
        Self::with(Kernel::chosen())
    }

    /// A skipper that uses this kernel.
    pub(crate) fn with(kernel: Kernel) -> Self {
        Self { kernel, state: State::Before, nested: Nested::default() }
    }

    /// Reads the next bytes of the input. After the end of the value it returns `Done(0)`.
    pub fn feed(&mut self, bytes: &[u8]) -> Skipped {
        let mut start = 0;
        if self.state == State::Before {
            start = skip_blanks(bytes, 0);
            self.state = match bytes.get(start) {
                None => return Skipped::More,
                Some(&byte @ (b'"' | b'[' | b'{')) => {
                    self.nested.step(byte);
                    start += 1;
                    State::Nested
                }
                Some(_) => State::Scalar,
            };
        }
        let rest = &bytes[start..];
        let length = match self.state {
            State::Before | State::Done => return Skipped::Done(0),
            State::Scalar => rest.iter().position(|&byte| ends_scalar(byte)),
            State::Nested if self.nested.depth == 0 => string(&mut self.nested, rest),
            State::Nested => self.kernel.run(Walk { nested: &mut self.nested, bytes: rest }),
        };
        match length {
            None => Skipped::More,
            Some(length) => {
                self.state = State::Done;
                Skipped::Done(start + length)
            }
        }
    }

    /// Whether the value is complete if the input ends here. A scalar in progress is not complete,
    /// because it may have been cut.
    pub fn at_end(&self) -> bool {
        self.state == State::Done
    }
}

/// Whether `byte` ends a scalar.
fn ends_scalar(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b',' | b']' | b'}' | b':')
}

/// The end of the string in which `bytes` begin, if they contain it.
fn string(nested: &mut Nested, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        if nested.escape {
            if at == bytes.len() {
                return None;
            }
            at += 1;
            nested.escape = false;
        }
        at += memchr::memchr2(b'"', b'\\', &bytes[at..])? + 1;
        if bytes[at - 1] == b'"' {
            return Some(at);
        }
        nested.escape = true;
    }
}

/// Looks for the end of the container in which `bytes` begin.
struct Walk<'a> {
    nested: &'a mut Nested,
    bytes: &'a [u8],
}

impl Algorithm for Walk<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<usize> {
        let Self { nested, bytes } = self;
        let mut depth = nested.depth;
        // All ones in a string: inverts the masks of a block.
        let mut in_string = if nested.in_string { u64::MAX } else { 0 };
        let mut escape = u64::from(nested.escape);
        let (blocks, tail) = bytes.as_chunks::<BLOCK>();
        for (index, bytes) in blocks.iter().enumerate() {
            let block = isa.load(bytes);
            if in_string == 0 && stops_of(isa, block) == 0 {
                continue;
            }
            let before = (in_string, escape);
            let backslashes = isa.equal(block, b'\\');
            let escaped = escaped(backslashes, &mut escape);
            let inside = prefix_xor(isa.equal(block, b'"') & !escaped) ^ in_string;
            in_string = (inside.cast_signed() >> 63).cast_unsigned();
            if backslashes & !inside != 0 {
                // Not JSON. A backslash outside a string escapes nothing, as in `step`.
                *nested = Nested { depth, in_string: before.0 != 0, escape: before.1 != 0 };
                if let Some(end) = bytes.iter().position(|&byte| nested.step(byte)) {
                    return Some(index * BLOCK + end + 1);
                }
                depth = nested.depth;
                in_string = if nested.in_string { u64::MAX } else { 0 };
                escape = u64::from(nested.escape);
                continue;
            }
            let opens = (isa.equal(block, b'[') | isa.equal(block, b'{')) & !inside;
            let mut closes = (isa.equal(block, b']') | isa.equal(block, b'}')) & !inside;
            let opened = u64::from(opens.count_ones());
            let closed = u64::from(closes.count_ones());
            if depth > closed {
                depth = depth + opened - closed;
                continue;
            }
            let mut closed = 0;
            while closes != 0 {
                let at = closes.trailing_zeros();
                closes &= closes - 1;
                closed += 1;
                let opened = u64::from((opens & !(u64::MAX << at)).count_ones());
                if depth + opened == closed {
                    return Some(index * BLOCK + at as usize + 1);
                }
            }
            depth = depth + opened - closed;
        }
        *nested = Nested { depth, in_string: in_string != 0, escape: escape != 0 };
        let end = tail.iter().position(|&byte| nested.step(byte))?;
        Some(bytes.len() - tail.len() + end + 1)
    }
}

/// The bytes that a preceding backslash escapes. `carry` is 1 if the first byte is escaped, and
/// becomes 1 if the byte after the block is. (This is simdjson's algorithm: a subtraction
/// distinguishes runs of backslashes that start at odd positions from those that start at even
/// ones, so that every second backslash of a run escapes.)
#[inline(always)]
pub(crate) fn escaped(backslashes: u64, carry: &mut u64) -> u64 {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    if backslashes == 0 {
        return std::mem::take(carry);
    }
    // An escaped backslash escapes nothing.
    let starts = backslashes & !*carry;
    let after = (starts << 1 | ODD).wrapping_sub(starts) ^ ODD;
    let escaped = after ^ (backslashes | *carry);
    *carry = (after & backslashes) >> 63;
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends() {
        let cases: &[(&str, Skipped)] = &[
            ("", Skipped::More),
            (" \n", Skipped::More),
            (" 12,", Skipped::Done(3)),
            ("12", Skipped::More),
            ("true}", Skipped::Done(4)),
            (r#""a\"]b"x"#, Skipped::Done(7)),
            (r#""a\\"b"x"#, Skipped::Done(5)),
            (r#""a\"#, Skipped::More),
            (r#"[1,{"]":[]}] ,"#, Skipped::Done(12)),
            (r#"[\"]"]"#, Skipped::Done(6)),
            (r#"[\"]\"]"#, Skipped::More),
            ("{]", Skipped::Done(2)),
            (" ,", Skipped::Done(1)),
            ("]", Skipped::Done(0)),
            ("[", Skipped::More),
        ];
        for &(text, want) in cases {
            let mut skipper = Skipper::new();
            assert_eq!(skipper.feed(text.as_bytes()), want, "{text}");
            assert_eq!(skipper.at_end(), want != Skipped::More, "{text}");
            if skipper.at_end() {
                assert_eq!(skipper.feed(b"]"), Skipped::Done(0), "{text}");
            }
        }
    }

    #[test]
    fn escapes() {
        // Bit 0 is the first byte.
        let mut carry = 0;
        assert_eq!(escaped(0b0111, &mut carry), 0b1010);
        assert_eq!(escaped(0b1110, &mut carry), 0b10100);
        assert_eq!((escaped(1 << 63, &mut carry), carry), (0, 1));
        assert_eq!((escaped(0, &mut carry), carry), (1, 0));
        carry = 1;
        assert_eq!((escaped(0b11, &mut carry), carry), (0b101, 0));
        carry = 1;
        assert_eq!((escaped(0b100, &mut carry), carry), (0b1001, 0));
    }
}
