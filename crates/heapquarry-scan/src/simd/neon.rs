//! NEON, which every 64-bit ARM CPU has: four registers of 16 bytes.

use std::arch::aarch64::*;

use super::{Algorithm, BLANKS, BLOCK, Isa};

/// Proof that the CPU has NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon(());

impl Neon {
    /// Detects it.
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

/// # Safety
///
/// The CPU has NEON.
#[target_feature(enable = "neon")]
unsafe fn enter<A: Algorithm>(isa: Neon, algorithm: A) -> A::Output {
    algorithm.run(isa)
}

/// One bit for each byte, from the results of four comparisons.
#[inline(always)]
fn mask(_isa: Neon, [a, b, c, d]: [uint8x16_t; 4]) -> u64 {
    /// Each byte keeps its bit in its byte of the mask.
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: `_isa` proves NEON; `BITS` has 16 bytes.
    unsafe {
        let bits = vld1q_u8(BITS.as_ptr());
        // Three rounds of pairwise sums join eight bytes of one bit each.
        let low = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits));
        let high = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
        let all = vpaddq_u8(low, high);
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(all, all)))
    }
}

impl Isa for Neon {
    type Block = [uint8x16_t; 4];

    #[inline(always)]
    fn enter<A: Algorithm>(self, algorithm: A) -> A::Output {
        // SAFETY: `self` proves NEON.
        unsafe { enter(self, algorithm) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> Self::Block {
        // SAFETY: `self` proves NEON; 16 bytes at 0, 16, 32 and 48 are within the 64.
        unsafe {
            [
                vld1q_u8(bytes.as_ptr()),
                vld1q_u8(bytes.as_ptr().add(16)),
                vld1q_u8(bytes.as_ptr().add(32)),
                vld1q_u8(bytes.as_ptr().add(48)),
            ]
        }
    }

    #[inline(always)]
    fn equal(self, block: Self::Block, byte: u8) -> u64 {
        // SAFETY: `self` proves NEON.
        mask(self, block.map(|part| unsafe { vceqq_u8(part, vdupq_n_u8(byte)) }))
    }

    #[inline(always)]
    fn above(self, block: Self::Block, byte: u8) -> u64 {
        // SAFETY: `self` proves NEON.
        mask(self, block.map(|part| unsafe { vcgtq_u8(part, vdupq_n_u8(byte)) }))
    }

    #[inline(always)]
    fn digits(self, block: Self::Block) -> u64 {
        let parts = block.map(|part| {
            // SAFETY: `self` proves NEON.
            unsafe { vcltq_u8(vsubq_u8(part, vdupq_n_u8(b'0')), vdupq_n_u8(10)) }
        });
        mask(self, parts)
    }

    #[inline(always)]
    fn blanks(self, block: Self::Block) -> u64 {
        let parts = block.map(|part| {
            // SAFETY: `self` proves NEON; `BLANKS` has 16 bytes.
            unsafe {
                let table = vld1q_u8(BLANKS.as_ptr());
                vceqq_u8(vqtbl1q_u8(table, vandq_u8(part, vdupq_n_u8(0x0F))), part)
            }
        });
        mask(self, parts)
    }
}
