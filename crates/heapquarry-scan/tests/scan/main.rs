//! Every kernel of every scanner against a naive version of it, at all alignments and lengths, with
//! all splits of buffers, and with random input.

mod count;
mod ints;
mod naive;
mod odd;
mod skip;
mod text;
mod unescape;

use heapquarry_scan::bench::Kernel;
use proptest::test_runner::Config;

/// How random tests run: some hundred cases, but few in Miri, which is slow and has no files.
fn config() -> Config {
    let cases = if cfg!(miri) { 3 } else { 512 };
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// All of `range`, or a small part of it in Miri.
fn few(range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
    let step = if cfg!(miri) { 1 + range.len() / 5 } else { 1 };
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
