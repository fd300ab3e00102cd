//! Number, string and structure scanners for heapquarry: bytes to tokens.
//!
//! A heap snapshot is a few gigabytes of JSON that consists almost entirely of arrays of integers
//! and arrays of strings. This crate reads such arrays. Functions take slices of bytes, and return
//! the tokens in them and the position that they reached. Callers decide where the bytes come from,
//! what the numbers mean, and how to handle damage. The crate does no I/O, has no errors (any input
//! is some token), never recurses, and allocates only elements of the vectors that it is given to
//! fill.
//!
//! | to | use |
//! | --- | --- |
//! | count the values in a buffer, or find the end of the `n`-th | [`count_commas`], [`after_comma`] |
//! | read integers | [`read_integers`], [`read_integer`]; [`read_odd`] for any other value |
//! | follow nested arrays to their ends | [`scan_nesting`] |
//! | find the objects of an array | [`scan_objects`] |
//! | find the strings of an array | [`StringScanner`] |
//! | get the text of a string | [`unescape`], if its [`Span`] says `escaped` |
//! | get the text of a string in pieces | [`Unescaper`] |
//! | skip a value of any kind | [`Skipper`] |
//! | skip what means nothing | [`skip_blanks`], [`BYTE_ORDER_MARK`] |
//! | run other loops with the same instructions | [`vectorized`] |
//!
//! # Examples
//!
//! Read an array of numbers, and handle elements that are not plain integers:
//!
//! ```
//! use heapquarry_scan::{Odd, Stop, read_integers, read_odd};
//!
//! let bytes = b"3,1,4\n,-1,5.0,9";
//! let (mut at, mut numbers, mut odd) = (0, Vec::<u64>::new(), Vec::new());
//! let mut out = [0; 256];
//! loop {
//!     let tokens = read_integers(&bytes[at..], &mut out);
//!     numbers.extend(&out[..tokens.numbers]);
//!     at += tokens.read;
//!     match tokens.stop {
//!         Stop::End => break,
//!         Stop::Full => {}
//!         Stop::Odd => {
//!             let (value, length) = read_odd(&bytes[at..]);
//!             odd.push((at, value));
//!             at += length;
//!         }
//!     }
//! }
//! assert_eq!(numbers, [3, 1, 4, 9]);
//! assert_eq!(odd, [(7, Odd::Negative(-1)), (10, Odd::Form(5))]);
//! ```
//!
//! Find the complete records of three values in a buffer:
//!
//! ```
//! use heapquarry_scan::{after_comma, count_commas};
//!
//! let bytes = b"1,2,3\n,4,5,6\n,7,8";
//! let records = count_commas(bytes).commas / 3;
//! let end = after_comma(bytes, 3 * records).unwrap();
//! assert_eq!((records, &bytes[end..]), (2, &b"7,8"[..]));
//! ```
//!
//! Read the texts of an array of strings:
//!
//! ```
//! use heapquarry_scan::{ScanStop, StringScanner, unescape};
//!
//! let bytes = br#"["plain", "tab\tquote\"", "stray "quote""]"#;
//! let mut spans = Vec::new();
//! let mut scanner = StringScanner::new(1);
//! assert_eq!(scanner.scan(bytes, usize::MAX, &mut spans), ScanStop::Close(bytes.len() - 1));
//!
//! let mut text = Vec::new();
//! for span in spans {
//!     let raw = &bytes[span.start as usize..span.end as usize];
//!     if span.escaped {
//!         unescape(raw, &mut text);
//!     } else {
//!         text.extend(raw);
//!     }
//!     text.push(b'|');
//! }
//! assert_eq!(text, b"plain|tab\tquote\"|stray \"quote\"|");
//! assert_eq!(scanner.stray_quotes(), 2);
//! ```
//!
//! # Speed
//!
//! Every algorithm is written once, on masks of 64 bytes, and compiled for several instruction
//! sets: AVX-512 (F, BW, VL, VBMI and VBMI2), AVX2 (with BMI1, BMI2, LZCNT and POPCNT), NEON, and
//! plain 64-bit arithmetic. The best one that the CPU supports is selected at the first call. The
//! environment variable `HEAPQUARRY_SIMD` selects another: `scalar`, `avx2`, `avx512` or `neon`; if
//! the CPU does not support it, the best lesser one is used. All give the same results, so the
//! variable helps to narrow down a bug. `cargo bench -p heapquarry-benches --bench scan` measures
//! them.
//!
//! # Unsafe code
//!
//! Only the modules of the instruction sets have unsafe code, and it consists of intrinsics. Memory
//! is loaded and stored through references to arrays of the right size, so the compiler knows that
//! accesses are within their slices. A token that only the detection can make proves that the CPU
//! has an instruction.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

mod blank;
mod count;
mod ints;
mod kernel;
mod nesting;
mod objects;
mod odd;
mod simd;
mod skip;
mod text;
mod unescape;
mod unescaper;

pub use crate::{
    blank::{BYTE_ORDER_MARK, is_blank, skip_blanks},
    count::{Counted, after_comma, count_commas},
    ints::{Number, Stop, Tokens, read_integer, read_integers},
    kernel::{Work, vectorized},
    nesting::{Nesting, NestingStop, scan_nesting},
    objects::{Extent, ObjectStop, scan_objects},
    odd::{Odd, read_odd},
    skip::{Skipped, Skipper},
    text::{ScanStop, Span, StringScanner},
    unescape::{Unescaped, unescape},
    unescaper::Unescaper,
};

/// The functions of this crate with an explicit kernel, for tests and benches. Not part of the API.
#[doc(hidden)]
pub mod bench {
    pub use crate::kernel::Kernel;
    use crate::{
        Counted, Extent, Nesting, Number, ObjectStop, Skipper, StringScanner, Tokens, Unescaper,
        count, ints, nesting, objects,
    };

    impl Kernel {
        /// [`count_commas`](crate::count_commas)
        pub fn count_commas(self, bytes: &[u8]) -> Counted {
            count::count_commas_with(self, bytes)
        }

        /// [`after_comma`](crate::after_comma)
        pub fn after_comma(self, bytes: &[u8], n: u64) -> Option<usize> {
            count::after_comma_with(self, bytes, n)
        }

        /// [`scan_nesting`](crate::scan_nesting)
        pub fn scan_nesting(self, bytes: &[u8], depth: u64, most: u64) -> Nesting {
            nesting::scan_nesting_with(self, bytes, depth, most)
        }

        /// [`read_integers`](crate::read_integers)
        pub fn read_integers<T: Number>(self, bytes: &[u8], out: &mut [T]) -> Tokens {
            ints::read_integers_with(self, bytes, out)
        }

        /// [`scan_objects`](crate::scan_objects)
        pub fn scan_objects(
            self,
            bytes: &[u8],
            from: usize,
            max: usize,
            out: &mut Vec<Extent>,
        ) -> ObjectStop {
            objects::scan_objects_with(self, bytes, from, max, out)
        }

        /// [`Skipper::new`]
        pub fn skipper(self) -> Skipper {
            Skipper::with(self)
        }

        /// [`Unescaper::new`]
        pub fn unescaper(self) -> Unescaper {
            Unescaper::with(self)
        }

        /// [`StringScanner::new`]
        pub fn string_scanner(self, from: usize) -> StringScanner {
            StringScanner::with(self, from)
        }
    }
}
