//! Finds the objects of an array.
//!
//! # Algorithm
//!
//! Quotes and brackets of a block of 64 bytes become masks, like in [`Skipper`](crate::Skipper), and a
//! prefix xor marks the bytes inside strings. In addition, every closing quote is checked: the next
//! non-blank byte must be one of `,` `:` `}` `]`. Adding the mask of the bytes after quotes to the
//! mask of blanks carries the bits to the end of their blanks:
//!
//! ```text
//! text    " a "     ,
//! after         1          the byte after the closing quote
//! blanks        1 1 1
//! sum                 1    lands on the comma
//! ```
//!
//! A missing escape before a quote would turn strings into structure, and structure into strings,
//! up to the end of the file. The check finds it at once. Anything irregular ends the scan before
//! its object. The caller then reads that object byte by byte, and resumes after it.

use crate::{
    kernel::Kernel,
    simd::{Algorithm, BLOCK, Isa, prefix_xor},
    skip::escaped,
};

/// Position of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Position of its `{`.
    pub start: u32,
    /// Position after its `}`.
    pub end: u32,
}

/// Why [`scan_objects`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectStop {
    /// It found as many objects as requested.
    Full,
    /// The bytes end, within an object or before the next one.
    More,
    /// The array ends with the `]` at this position.
    Close(usize),
    /// Something after the last object is irregular.
    Odd,
}

/// Finds the next objects of an array, starting at `from`, which is between two of them. Appends
/// their positions to `out` until it holds `max`.
///
/// Only brackets, quotes, and the bytes next to them are checked. Any number of blanks and commas
/// can be between objects. The scan stops with [`ObjectStop::Odd`] before an object or other value
/// that
///
/// * is not an object: another value, or an unmatched closing bracket;
/// * has a quote that ends a string, and is not followed by `,` `:` `}` or `]`;
/// * has a backslash outside of strings;
/// * directly contains an object or array without a `:` before it, so its own end may be missing;
/// * begins with `{` and ends with `]`.
///
/// # Panics
/// If there are more than 4 GiB of bytes.
///
/// ```
/// use heapquarry_scan::{Extent, ObjectStop, scan_objects};
///
/// let bytes = br#"{"a":"}"} , {"b":[{}]}]"#;
/// let mut found = Vec::new();
/// assert_eq!(scan_objects(bytes, 0, 9, &mut found), ObjectStop::Close(22));
/// assert_eq!(found, [Extent { start: 0, end: 9 }, Extent { start: 12, end: 22 }]);
/// ```
pub fn scan_objects(bytes: &[u8], from: usize, max: usize, out: &mut Vec<Extent>) -> ObjectStop {
    scan_objects_with(Kernel::chosen(), bytes, from, max, out)
}

pub(crate) fn scan_objects_with(
    kernel: Kernel,
    bytes: &[u8],
    from: usize,
    max: usize,
    out: &mut Vec<Extent>,
) -> ObjectStop {
    assert!(u32::try_from(bytes.len()).is_ok(), "pieces of less than 4 GiB");
    if out.len() >= max {
        return ObjectStop::Full;
    }
    let nesting = Nesting { bytes, max, out, depth: 0, start: 0, gap: from };
    kernel.run(Walk { nesting, from })
}

/// The open objects.
struct Nesting<'a> {
    bytes: &'a [u8],
    max: usize,
    out: &'a mut Vec<Extent>,
    depth: u64,
    /// Start of the object, if the depth is not 0.
    start: usize,
    /// End of the last object.
    gap: usize,
}

impl Nesting<'_> {
    /// Handles the bracket at a position outside of strings.
    #[inline(always)]
    fn bracket(&mut self, at: usize, opens: bool) -> Option<ObjectStop> {
        if opens {
            match self.depth {
                0 => {
                    if self.bytes[at] != b'{' || !self.is_plain_gap(at) {
                        return Some(ObjectStop::Odd);
                    }
                    self.start = at;
                }
                1 if !self.follows_colon(at) => return Some(ObjectStop::Odd),
                _ => {}
            }
            self.depth += 1;
            return None;
        }
        match self.depth {
            0 if self.bytes[at] == b']' && self.is_plain_gap(at) => Some(ObjectStop::Close(at)),
            0 => Some(ObjectStop::Odd),
            1 => {
                if self.bytes[at] != b'}' {
                    return Some(ObjectStop::Odd);
                }
                self.depth = 0;
                self.gap = at + 1;
                self.out.push(Extent { start: self.start as u32, end: self.gap as u32 });
                (self.out.len() >= self.max).then_some(ObjectStop::Full)
            }
            _ => {
                self.depth -= 1;
                None
            }
        }
    }

    /// Whether there are only blanks and commas between the last object and that position.
    #[inline(always)]
    fn is_plain_gap(&self, at: usize) -> bool {
        self.bytes[self.gap..at]
            .iter()
            .all(|byte| matches!(byte, b',' | b' ' | b'\n' | b'\r' | b'\t'))
    }

    /// Whether the last non-blank byte before that position is a colon.
    #[inline(always)]
    fn follows_colon(&self, at: usize) -> bool {
        let before = self.bytes[self.start..at].iter().rev();
        before.copied().find(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) == Some(b':')
    }
}

struct Walk<'a> {
    nesting: Nesting<'a>,
    from: usize,
}

impl Algorithm for Walk<'_> {
    type Output = ObjectStop;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> ObjectStop {
        let Walk { mut nesting, from } = self;
        let bytes = nesting.bytes;
        let (blocks, tail) = bytes[from..].as_chunks::<BLOCK>();
        // The rest, padded with blanks.
        let mut last = [b' '; BLOCK];
        last[..tail.len()].copy_from_slice(tail);
        let mut in_string = 0u64;
        let (mut escape, mut after) = (0, 0u64);
        for (index, bytes) in blocks.iter().chain([&last]).enumerate() {
            let base = from + index * BLOCK;
            let block = isa.load(bytes);
            let backslashes = isa.equal(block, b'\\');
            let quotes = isa.equal(block, b'"') & !escaped(backslashes, &mut escape);
            let inside = prefix_xor(quotes) ^ in_string;
            in_string = (inside.cast_signed() >> 63).cast_unsigned();
            let all_closes = isa.equal(block, b'}') | isa.equal(block, b']');
            // The bytes after closing quotes.
            let closing = quotes & !inside;
            let behind = closing << 1 | after;
            let mut odd = backslashes & !inside;
            after = closing >> 63;
            if behind & !isa.equal(block, b',') & !isa.equal(block, b':') & !all_closes != 0 {
                let blanks = isa.blanks(block);
                let (sum, carry) = blanks.overflowing_add(behind & blanks);
                let landed = (behind | sum) & !blanks;
                after |= u64::from(carry);
                odd |= landed & !(isa.equal(block, b',') | isa.equal(block, b':') | all_closes);
            }
            let mut opens = (isa.equal(block, b'{') | isa.equal(block, b'[')) & !inside;
            let mut closes = all_closes & !inside;
            if odd != 0 {
                // Everything before it is regular.
                let before = (odd & odd.wrapping_neg()) - 1;
                opens &= before;
                closes &= before;
            } else if nesting.depth > 1 + u64::from(closes.count_ones()) {
                nesting.depth += u64::from(opens.count_ones());
                nesting.depth -= u64::from(closes.count_ones());
                continue;
            }
            let mut brackets = opens | closes;
            while brackets != 0 {
                let bit = brackets & brackets.wrapping_neg();
                brackets ^= bit;
                let at = base + bit.trailing_zeros() as usize;
                if let Some(stop) = nesting.bracket(at, opens & bit != 0) {
                    return stop;
                }
            }
            if odd != 0 {
                return ObjectStop::Odd;
            }
        }
        ObjectStop::More
    }
}
