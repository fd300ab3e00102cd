//! The objects of an array.
//!
//! # ADVICE FOR HACKERS
//!
//! As in [`Skipper`](crate::Skipper), quotes and brackets of a block of 64 bytes are masks, and a prefix of exclusive
//! ors tells what is inside of strings. Beyond that every closing quote is checked: what follows it, blanks aside, must
//! be one of `,` `:` `}` `]`. Adding the mask of what follows quotes to the mask of blanks lets the bits run on to the
//! end of their blanks:
//!
//! ```text
//! text    " a "     ,
//! after         1          the byte after the closing quote
//! blanks        1 1 1
//! sum                 1    lands on the comma
//! ```
//!
//! A quote that should have been escaped would turn strings into structure, and structure into strings, up to the end
//! of the file; so it is met at once. Whatever is out of the ordinary ends the scan before the object that it is in: who
//! calls it looks at that object more closely, and begins again behind it.

use crate::{
    kernel::Kernel,
    simd::{Algorithm, BLOCK, Isa, prefix_xor},
    skip::escaped,
};

/// Where an object is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Position of its `{`.
    pub start: u32,
    /// Position behind its `}`.
    pub end: u32,
}

/// Why [`scan_objects`] came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectStop {
    /// As many objects have been found as were asked for.
    Full,
    /// The bytes end, within an object or before the next one.
    More,
    /// The array ends with the `]` at this position.
    Close(usize),
    /// Behind the last object that was found something is out of the ordinary.
    Odd,
}

/// Finds the next objects of an array of objects, from `from`, which is between two of them, and appends where they are
/// to `out` until it holds `max`.
///
/// Only brackets, quotes, and what is next to them is looked at. Between objects may be blanks and commas, as many as
/// there are. It ends with [`ObjectStop::Odd`] before an object or anything else that
///
/// * is no object: another value, or a bracket that closes nothing;
/// * holds a quote that ends a string, and is followed by something else than `,` `:` `}` or `]`;
/// * holds a backslash outside of strings;
/// * directly holds an object or array that follows no `:`, so that its own end may be missing;
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

/// Which objects are open.
struct Nesting<'a> {
    bytes: &'a [u8],
    max: usize,
    out: &'a mut Vec<Extent>,
    depth: u64,
    /// Where the object begins, if the depth is not 0.
    start: usize,
    /// Where the last object ended.
    gap: usize,
}

impl Nesting<'_> {
    /// Takes the bracket at a position, outside of strings.
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

    /// Whether there is nothing but blanks and commas between the last object and that position.
    #[inline(always)]
    fn is_plain_gap(&self, at: usize) -> bool {
        self.bytes[self.gap..at]
            .iter()
            .all(|byte| matches!(byte, b',' | b' ' | b'\n' | b'\r' | b'\t'))
    }

    /// Whether a colon stands before that position, blanks aside.
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
        // The rest, with blanks behind it.
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
            // What follows closing quotes.
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
                // What stands before it is as it should be.
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
