//! Follows brackets at memory speed.

use crate::{
    kernel::Kernel,
    simd::{Algorithm, BLOCK, Isa},
};

/// Result of [`scan_nesting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nesting {
    /// Bytes read.
    pub read: usize,
    /// Opening brackets among them.
    pub opens: u64,
    /// Brackets that are open after them.
    pub depth: u64,
    /// Why it stopped.
    pub stop: NestingStop,
}

/// Why [`scan_nesting`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestingStop {
    /// At the end of the bytes.
    End,
    /// After the last bracket that it may open.
    Full,
    /// After the bracket that closes the array that was open before the first byte.
    Closed,
    /// Before a byte that is not a digit, comma or bracket.
    Odd,
}

/// Follows the brackets of nested arrays of plain numbers, of which `depth` are open, up to the
/// `most`-th (`most >= 1`) opening bracket.
///
/// ```
/// use heapquarry_scan::{Nesting, NestingStop, scan_nesting};
///
/// let found = scan_nesting(b"1,[2,[3]],[4]],5", 0, 9);
/// assert_eq!(found, Nesting { read: 14, opens: 3, depth: 0, stop: NestingStop::Closed });
/// let found = scan_nesting(b"1,[2,[3]],[4]],5", 0, 2);
/// assert_eq!(found, Nesting { read: 6, opens: 2, depth: 2, stop: NestingStop::Full });
/// ```
pub fn scan_nesting(bytes: &[u8], depth: u64, most: u64) -> Nesting {
    scan_nesting_with(Kernel::chosen(), bytes, depth, most)
}

/// [`scan_nesting`] with a given kernel.
pub(crate) fn scan_nesting_with(kernel: Kernel, bytes: &[u8], depth: u64, most: u64) -> Nesting {
    kernel.run(Scan { bytes, depth, most })
}

struct Scan<'a> {
    bytes: &'a [u8],
    depth: u64,
    most: u64,
}

/// Continues byte by byte; `None` at the end of the bytes.
#[inline(always)]
fn step(bytes: &[u8], found: &mut Nesting, most: u64) -> Option<NestingStop> {
    for &byte in bytes {
        match byte {
            b'0'..=b'9' | b',' => {}
            b'[' => {
                found.opens += 1;
                found.depth += 1;
            }
            b']' if found.depth > 0 => found.depth -= 1,
            b']' => {
                found.read += 1;
                return Some(NestingStop::Closed);
            }
            _ => return Some(NestingStop::Odd),
        }
        found.read += 1;
        if byte == b'[' && found.opens == most {
            return Some(NestingStop::Full);
        }
    }
    None
}

impl Algorithm for Scan<'_> {
    type Output = Nesting;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Nesting {
        let Self { bytes, depth, most } = self;
        let mut found = Nesting { read: 0, opens: 0, depth, stop: NestingStop::End };
        let (blocks, tail) = bytes.as_chunks::<BLOCK>();
        for bytes in blocks {
            let block = isa.load(bytes);
            let (open, close) = (isa.equal(block, b'['), isa.equal(block, b']'));
            let plain = isa.digits(block) | isa.equal(block, b',') | open | close;
            let (opens, closes) = (u64::from(open.count_ones()), u64::from(close.count_ones()));
            // Check for the end only where one is possible.
            if plain != u64::MAX || closes > found.depth || found.opens + opens >= most {
                if let Some(stop) = step(bytes, &mut found, most) {
                    found.stop = stop;
                    return found;
                }
                continue;
            }
            found.opens += opens;
            found.depth = found.depth + opens - closes;
            found.read += BLOCK;
        }
        found.stop = step(tail, &mut found, most).unwrap_or(NestingStop::End);
        found
    }
}
