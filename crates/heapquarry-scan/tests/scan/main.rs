//! Every kernel of every scanner against a naive version of it, at all alignments and lengths, with
//! all splits of buffers, and with random input.
#![cfg_attr(miri, allow(dead_code, unused_imports))]

mod count;
mod ints;
mod naive;
mod nesting;
mod objects;
mod odd;
mod skip;
mod text;
mod unescape;

use heapquarry_scan::bench::Kernel;
use proptest::test_runner::Config;

/// How random tests run. Miri, which is slow, does not run them.
fn config() -> Config {
    Config { cases: 512, failure_persistence: None, ..Config::default() }
}

/// All of `range`, but only its beginning and its middle in Miri.
fn few(range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
    let step = if cfg!(miri) { 1 + range.len() / 2 } else { 1 };
    range.step_by(step)
}

/// The kernels that this CPU has. `HEAPQUARRY_SIMD` does not matter here.
fn kernels() -> Vec<Kernel> {
    let kernels = Kernel::available();
    assert!(kernels.contains(&Kernel::SCALAR));
    kernels
}

/// What a failed comparison prints.
fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
