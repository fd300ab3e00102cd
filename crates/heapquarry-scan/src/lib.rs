//! Number, string and structure scanners for heapquarry: bytes to tokens.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

mod blank;
mod count;
mod ints;
mod kernel;
mod odd;
mod simd;
mod skip;
mod text;
mod unescape;

pub use crate::{
    count::{Counted, after_comma, count_commas},
    ints::{Stop, Tokens, read_integers},
    odd::{Odd, read_odd},
    skip::{Skipped, Skipper},
    text::{ScanStop, Span, StringScanner},
    unescape::{Unescaped, unescape},
};

/// The same functions with a kernel of one's choice, for tests and benches. No part of the API.
#[doc(hidden)]
pub mod bench {
    pub use crate::kernel::Kernel;
    use crate::{Counted, Skipper, StringScanner, Tokens, count, ints};

    impl Kernel {
        /// [`count_commas`](crate::count_commas)
        pub fn count_commas(self, bytes: &[u8]) -> Counted {
            count::count_commas_with(self, bytes)
        }

        /// [`after_comma`](crate::after_comma)
        pub fn after_comma(self, bytes: &[u8], n: u64) -> Option<usize> {
            count::after_comma_with(self, bytes, n)
        }

        /// [`read_integers`](crate::read_integers)
        pub fn read_integers(self, bytes: &[u8], out: &mut [u64]) -> Tokens {
            ints::read_integers_with(self, bytes, out)
        }

        /// [`Skipper::new`]
        pub fn skipper(self) -> Skipper {
            Skipper::with(self)
        }

        /// [`StringScanner::new`]
        pub fn string_scanner(self, from: usize) -> StringScanner {
            StringScanner::with(self, from)
        }
    }
}
