//! Number, string and structure scanners for heapquarry: bytes to tokens.
//!
//! A heap snapshot is a few gigabytes of JSON in which nearly everything is an array of integers or
//! an array of strings. This crate reads such arrays. It takes slices of bytes and says what is in
//! them and how far it came; where the bytes come from, what the numbers mean and what is to be done
//! about a damaged file is the business of its callers. It does no I/O, has no errors (whatever the
//! input is, it is something), never recurses, and allocates nothing but the elements of the vectors
//! that it is given to fill.
//!
//! | to | use |
//! | --- | --- |
//! | find how many values are in some bytes, or where the `n`-th ends | [`count_commas`], [`after_comma`] |
//! | read integers | [`read_integers`], [`read_integer`], and [`read_odd`] for a value that is none |
//! | follow arrays in arrays to where they end | [`scan_nesting`] |
//! | find the objects of an array | [`scan_objects`] |
//! | find the strings of an array | [`StringScanner`] |
//! | get the text of a string | [`unescape`], if its [`Span`] says `escaped` |
//! | get it in pieces | [`Unescaper`] |
//! | skip a value of any kind | [`Skipper`] |
//! | skip what means nothing | [`skip_blanks`], [`BYTE_ORDER_MARK`] |
//! | run other loops with the same instructions | [`vectorized`] |
//!
//! # Examples
//!
//! The numbers of an array, and what is no number among them:
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
//! The records of three values that are whole in a buffer:
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
//! The texts of an array of strings:
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
//! Every algorithm is written once, on masks of 64 bytes, and compiled for several instruction sets:
//! AVX-512 (F, BW, VL, VBMI and VBMI2), AVX2 (with BMI1, BMI2, LZCNT and POPCNT), NEON, and plain
//! 64-bit arithmetic. The best one that the CPU has is chosen once, at the first call. The environment
//! variable `HEAPQUARRY_SIMD` chooses another: `scalar`, `avx2`, `avx512` or `neon`; if the CPU does
//! not have it, the best one below it. They all give the same results, so a report of a bug can be
//! narrowed down that way. `cargo bench -p heapquarry-benches --bench scan` measures
//! them.
//!
//! # Unsafe code
//!
//! There is some in the modules of the instruction sets and nowhere else, and it consists of
//! intrinsics. Memory is loaded and stored through references to arrays of the right size, of which
//! the compiler knows that they are within their slices; that the CPU has an instruction is proved by
//! a token that only the detection makes.
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

/// The same functions with a kernel of one's choice, for tests and benches. No part of the API.
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
