//! Counts separators at memory speed.

use crate::{
    kernel::Kernel,
    simd::{Algorithm, BLOCK, Isa},
};

/// Result of [`count_commas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Commas before the first byte that ends the run of plain numbers.
    pub commas: u64,
    /// Position of that byte, if there is one.
    pub stop: Option<usize>,
}

/// Counts commas up to the first byte that is greater than `b'9'` or equal to `b'"'`.
///
/// So `]`, letters, brackets, colons, quotes and everything beyond ASCII stop it. Signs, decimal
/// points and control bytes do not: they cannot hide a comma.
///
/// ```
/// use heapquarry_scan::{Counted, count_commas};
///
/// assert_eq!(count_commas(b"1,2,3],\"e"), Counted { commas: 2, stop: Some(5) });
/// assert_eq!(count_commas(b"-1,\n2.5,"), Counted { commas: 2, stop: None });
/// ```
pub fn count_commas(bytes: &[u8]) -> Counted {
    count_commas_with(Kernel::chosen(), bytes)
}

/// Position just after the `n`-th comma (`n >= 1`) of `bytes`, if there are that many.
///
/// Looks only for commas: the caller knows that no byte before it would have stopped
/// [`count_commas`].
///
/// ```
/// use heapquarry_scan::after_comma;
///
/// assert_eq!(after_comma(b"1,22,3", 2), Some(5));
/// assert_eq!(after_comma(b"1,22,3", 3), None);
/// ```
pub fn after_comma(bytes: &[u8], n: u64) -> Option<usize> {
    after_comma_with(Kernel::chosen(), bytes, n)
}

/// [`count_commas`] with a given kernel.
pub(crate) fn count_commas_with(kernel: Kernel, bytes: &[u8]) -> Counted {
    kernel.run(Count { bytes })
}

/// [`after_comma`] with a given kernel.
pub(crate) fn after_comma_with(kernel: Kernel, bytes: &[u8], n: u64) -> Option<usize> {
    // The commas before the wanted one; the first has none before it.
    n.checked_sub(1).and_then(|before| kernel.run(Find { bytes, before }))
}

/// Whether a byte ends a run of plain numbers.
#[inline(always)]
fn stops(byte: u8) -> bool {
    byte > b'9' || byte == b'"'
}

/// Mask of the bytes that end a run of plain numbers.
#[inline(always)]
pub(crate) fn stops_of<I: Isa>(isa: I, block: I::Block) -> u64 {
    isa.above(block, b'9') | isa.equal(block, b'"')
}

/// Bytes counted with one-byte counters, so fewer than 256. The compiler vectorizes such loops;
/// measured, this is as fast as a hand-written kernel or faster.
const CHUNK: usize = 192;

/// Counts the commas of a chunk.
#[inline(always)]
fn commas_of(chunk: &[u8; CHUNK]) -> u64 {
    u64::from(chunk.iter().fold(0u8, |commas, &byte| commas + u8::from(byte == b',')))
}

struct Count<'a> {
    bytes: &'a [u8],
}

impl Algorithm for Count<'_> {
    type Output = Counted;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Counted {
        let (mut commas, mut done) = (0, 0);
        for chunk in self.bytes.as_chunks().0 {
            // Looks at all bytes: a loop that can end early is not vectorized.
            if chunk.iter().fold(false, |stop, &byte| stop | stops(byte)) {
                break;
            }
            commas += commas_of(chunk);
            done += CHUNK;
        }
        let (blocks, tail) = self.bytes[done..].as_chunks();
        for block in blocks {
            let block = isa.load(block);
            let here = isa.equal(block, b',');
            let stop = stops_of(isa, block);
            if stop != 0 {
                let first = stop.trailing_zeros();
                let before = here & !(u64::MAX << first);
                commas += u64::from(before.count_ones());
                return Counted { commas, stop: Some(done + first as usize) };
            }
            commas += u64::from(here.count_ones());
            done += BLOCK;
        }
        for (index, &byte) in tail.iter().enumerate() {
            if stops(byte) {
                return Counted { commas, stop: Some(done + index) };
            }
            commas += u64::from(byte == b',');
        }
        Counted { commas, stop: None }
    }
}

struct Find<'a> {
    bytes: &'a [u8],
    before: u64,
}

impl Algorithm for Find<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<I: Isa>(self, _isa: I) -> Option<usize> {
        let Self { bytes, mut before } = self;
        let mut done = 0;
        for chunk in bytes.as_chunks().0 {
            let commas = commas_of(chunk);
            if before < commas {
                break;
            }
            before -= commas;
            done += CHUNK;
        }
        let index = usize::try_from(before).ok()?;
        memchr::memchr_iter(b',', &bytes[done..]).nth(index).map(|at| done + at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let long = "1,".repeat(100);
        let cases: &[(&str, u64, Option<usize>)] = &[
            ("", 0, None),
            (",", 1, None),
            ("1,-2,3.5,+4]", 3, Some(11)),
            ("1,\"2\",", 1, Some(2)),
            ("1,:", 1, Some(2)),
            ("1,é", 1, Some(2)),
            ("1,\u{0}\t/,", 2, None),
            (&long, 100, None),
            (&format!("{long}]{long}"), 100, Some(200)),
        ];
        for &(text, commas, stop) in cases {
            assert_eq!(count_commas(text.as_bytes()), Counted { commas, stop }, "{text}");
        }
    }

    #[test]
    fn finds() {
        let long = "1,".repeat(100);
        for n in 1..=100 {
            assert_eq!(after_comma(long.as_bytes(), n), Some(2 * n as usize));
        }
        assert_eq!(after_comma(long.as_bytes(), 101), None);
        assert_eq!(after_comma(long.as_bytes(), u64::MAX), None);
        assert_eq!(after_comma(long.as_bytes(), 0), None);
    }
}
