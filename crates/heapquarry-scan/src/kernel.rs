//! Which instruction set runs, chosen once.

use std::sync::OnceLock;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use crate::simd::neon::Neon;
use crate::simd::{Algorithm, Isa, swar::Swar};
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2::Avx2, avx512::Avx512};

/// The environment variable that selects a kernel by name. One that the CPU does not have gives the
/// best one below it; a name that is not known gives the best of all.
const VARIABLE: &str = "HEAPQUARRY_SIMD";

/// Runs `work` as compiled for the best instruction set of this CPU. That goes for what is inlined into it: plain
/// loops over slices, which the compiler then turns into wider vector instructions than every CPU has. It takes
/// a nanosecond or two.
///
/// ```
/// let largest = heapquarry_scan::vectorized(|| [3, 9, 4].iter().fold(0, |a, &b| a.max(b)));
/// assert_eq!(largest, 9);
/// ```
#[inline]
pub fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    Kernel::chosen().run(Work(work))
}

/// Work that needs no methods of an instruction set.
struct Work<F>(F);

impl<R, F: FnOnce() -> R> Algorithm for Work<F> {
    type Output = R;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> R {
        (self.0)()
    }
}

/// An instruction set that this CPU has.
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
    /// Plain Rust, which every CPU runs.
    pub const SCALAR: Self = Self(Which::Scalar(Swar));

    /// All that this CPU has, the best one last.
    pub fn available() -> Vec<Self> {
        Self::known().into_iter().filter_map(|(_, kernel)| kernel).collect()
    }

    /// The kernel called `name`, or the best one below it if the CPU does not have it.
    pub fn named(name: &str) -> Option<Self> {
        let known = Self::known();
        let rank = known.iter().position(|&(known, _)| known == name)?;
        known[..=rank].iter().rev().find_map(|&(_, kernel)| kernel)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        let known = Self::known();
        known.iter().find(|(_, kernel)| *kernel == Some(self)).expect("only known kernels exist").0
    }

    /// The one that is used.
    #[inline]
    pub fn chosen() -> Self {
        static CHOSEN: OnceLock<Kernel> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let wanted = std::env::var(VARIABLE).ok().and_then(|name| Self::named(&name));
            wanted.or_else(|| Self::available().pop()).unwrap_or(Self::SCALAR)
        })
    }

    /// Names of kernels, from worst to best, and the kernels if the CPU has them.
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
        // If the CPU does not have it, a lesser one.
        #[cfg(target_arch = "x86_64")]
        assert!(Kernel::named("avx512").is_some());
        // Every CPU has it.
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        assert_eq!(Kernel::named("neon").map(Kernel::name), Some("neon"));
    }
}
