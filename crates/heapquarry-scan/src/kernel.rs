//! Selects the instruction set, once.

use std::sync::OnceLock;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use crate::simd::neon::Neon;
use crate::simd::{Algorithm, Isa, swar::Swar};
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2::Avx2, avx512::Avx512};

/// The environment variable that selects a kernel by name. If the CPU does not support it, the best
/// lesser kernel is used; an unknown name selects the best of all.
const ENV_VAR: &str = "HEAPQUARRY_SIMD";

/// A loop that is compiled for every instruction set: see [`vectorized`].
pub trait Work {
    /// Type of the result.
    type Output;

    /// Runs it. Must be `#[inline(always)]`, like everything that is to be compiled with it.
    fn run(self) -> Self::Output;
}

/// Runs `work` as compiled for the best instruction set of this CPU: plain loops over slices, which
/// the compiler turns into vector instructions that not every CPU has. The selection takes a
/// nanosecond or two.
///
/// ```
/// use heapquarry_scan::{Work, vectorized};
///
/// struct Largest<'a>(&'a [u32]);
///
/// impl Work for Largest<'_> {
///     type Output = u32;
///
///     #[inline(always)]
///     fn run(self) -> u32 {
///         self.0.iter().fold(0, |largest, &value| value.max(largest))
///     }
/// }
///
/// assert_eq!(vectorized(Largest(&[3, 9, 4])), 9);
/// ```
#[inline]
pub fn vectorized<W: Work>(work: W) -> W::Output {
    Kernel::chosen().run(Portable(work))
}

/// Work that needs no methods of an instruction set.
struct Portable<W>(W);

impl<W: Work> Algorithm for Portable<W> {
    type Output = W::Output;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> W::Output {
        self.0.run()
    }
}

/// An instruction set that this CPU supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Which);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Scalar(Swar),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Neon(Neon),
}

impl Kernel {
    /// Plain Rust, which runs on every CPU.
    pub const SCALAR: Self = Self(Which::Scalar(Swar));

    /// All kernels that this CPU supports, the best one last.
    pub fn available() -> Vec<Self> {
        Self::known().into_iter().filter_map(|(_, kernel)| kernel).collect()
    }

    /// The kernel called `name`, or the best lesser one if the CPU does not support it.
    pub fn named(name: &str) -> Option<Self> {
        let known = Self::known();
        let rank = known.iter().position(|&(known, _)| known == name)?;
        known[..=rank].iter().rev().find_map(|&(_, kernel)| kernel)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let known = Self::known();
        known.iter().find(|(_, kernel)| *kernel == Some(self)).expect("only known kernels exist").0
    }

    /// The kernel in use.
    #[inline]
    pub fn chosen() -> Self {
        static CHOSEN: OnceLock<Kernel> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let wanted = std::env::var(ENV_VAR).ok().and_then(|name| Self::named(&name));
            wanted.or_else(|| Self::available().pop()).unwrap_or(Self::SCALAR)
        })
    }

    /// Names of kernels, from worst to best, and the kernels that the CPU supports.
    fn known() -> Vec<(&'static str, Option<Self>)> {
        vec![
            ("scalar", Some(Self::SCALAR)),
            #[cfg(target_arch = "x86_64")]
            ("avx2", Avx2::detect().map(|isa| Self(Which::Avx2(isa)))),
            #[cfg(target_arch = "x86_64")]
            ("avx512", Avx512::detect().map(|isa| Self(Which::Avx512(isa)))),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            ("neon", Neon::detect().map(|isa| Self(Which::Neon(isa)))),
        ]
    }

    /// Runs `algorithm`, compiled for this instruction set.
    #[inline(always)]
    pub(crate) fn run<A: Algorithm>(self, algorithm: A) -> A::Output {
        match self.0 {
            Which::Scalar(isa) => isa.enter(algorithm),
            #[cfg(target_arch = "x86_64")]
            Which::Avx2(isa) => isa.enter(algorithm),
            #[cfg(target_arch = "x86_64")]
            Which::Avx512(isa) => isa.enter(algorithm),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Which::Neon(isa) => isa.enter(algorithm),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Kernel::named("scalar"), Some(Kernel::SCALAR));
        assert_eq!(Kernel::named("mmx"), None);
        for kernel in Kernel::available() {
            assert_eq!(Kernel::named(kernel.name()), Some(kernel));
        }
        // If the CPU does not support it, a lesser one.
        #[cfg(target_arch = "x86_64")]
        assert!(Kernel::named("avx512").is_some());
        // Every CPU has it.
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        assert_eq!(Kernel::named("neon").map(Kernel::name), Some("neon"));
    }
}
