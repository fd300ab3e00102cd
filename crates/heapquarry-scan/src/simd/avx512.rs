//! AVX-512: one register of 64 bytes, comparisons that return masks, and byte permutations.

use std::arch::x86_64::*;

use super::{Algorithm, BLANKS, BLOCK, Isa, MAX_NUMBERS, Number, WINDOW};

/// Proof that the CPU has AVX-512 F, BW, VL, VBMI and VBMI2, and BMI1, BMI2, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Detects it.
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt"))
        .then_some(Self(()))
    }
}

/// # Safety
///
/// The CPU has these features.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn enter<A: Algorithm>(isa: Avx512, algorithm: A) -> A::Output {
    algorithm.run(isa)
}

/// Numbers converted at a time, each in a lane of eight bytes.
const LANES: usize = BLOCK / 8;

/// Rounds done without testing for more numbers, because nearly every block needs them: this avoids
/// mispredicted branches.
const ALWAYS: usize = 2;

/// One byte for each position in a block.
struct Tables {
    /// 0, 1, 2, ...
    position: [u8; BLOCK],
    /// Index of the number whose lane is at this position.
    number: [u8; BLOCK],
    /// Distance of this position from the end of its lane, as a negative number.
    from_end: [u8; BLOCK],
}

const TABLES: Tables = {
    let mut tables = Tables { position: [0; BLOCK], number: [0; BLOCK], from_end: [0; BLOCK] };
    let mut position = 0;
    while position < BLOCK {
        tables.position[position] = position as u8;
        tables.number[position] = (position / 8) as u8;
        tables.from_end[position] = (position % 8).wrapping_sub(8) as u8;
        position += 1;
    }
    tables
};

/// A table in a register. The tables are constants, not statics, so that the compiler sees their
/// contents.
#[inline(always)]
fn register(_isa: Avx512, table: [u8; BLOCK]) -> __m512i {
    // SAFETY: `_isa` proves AVX-512 F; there are 64 bytes.
    unsafe { _mm512_loadu_si512(table.as_ptr().cast()) }
}

/// Converts eight digits in each lane of eight bytes to a number.
#[inline(always)]
fn eights(_isa: Avx512, digits: __m512i) -> __m512i {
    // SAFETY: `_isa` proves AVX-512 F and BW.
    unsafe {
        let pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));
        let fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_0064));
        let high = _mm512_mul_epu32(fours, _mm512_set1_epi64(10_000));
        _mm512_add_epi64(high, _mm512_srli_epi64::<32>(fours))
    }
}

impl Isa for Avx512 {
    type Block = __m512i;

    #[inline(always)]
    fn enter<A: Algorithm>(self, algorithm: A) -> A::Output {
        // SAFETY: `self` proves the features.
        unsafe { enter(self, algorithm) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> Self::Block {
        // SAFETY: `self` proves AVX-512; there are 64 bytes.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn equal(self, block: Self::Block, byte: u8) -> u64 {
        // SAFETY: `self` proves AVX-512 BW.
        unsafe { _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn above(self, block: Self::Block, byte: u8) -> u64 {
        // SAFETY: `self` proves AVX-512 BW.
        unsafe { _mm512_cmpgt_epu8_mask(block, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn digits(self, block: Self::Block) -> u64 {
        // SAFETY: `self` proves AVX-512 BW.
        unsafe {
            let values = _mm512_sub_epi8(block, _mm512_set1_epi8(b'0' as i8));
            _mm512_cmplt_epu8_mask(values, _mm512_set1_epi8(10))
        }
    }

    #[inline(always)]
    fn blanks(self, block: Self::Block) -> u64 {
        // A byte >= 0x80 shuffles in 0, which it does not equal.
        // SAFETY: `self` proves AVX-512 F and BW; `BLANKS` has 16 bytes.
        unsafe {
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(BLANKS.as_ptr().cast()));
            _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(table, block), block)
        }
    }

    #[inline(always)]
    fn numbers<T: Number>(
        self,
        _window: &[u8; WINDOW],
        block: Self::Block,
        starts: u64,
        ends: u64,
        wide: bool,
        out: &mut [T; MAX_NUMBERS],
    ) -> bool {
        let narrow = size_of::<T>() == 4;
        let count = ends.count_ones() as usize;
        // SAFETY: `self` proves AVX-512 F, BW, VL, VBMI and VBMI2; `out` has eight words of four or eight bytes.
        unsafe {
            let positions = register(self, TABLES.position);
            let starts = _mm512_maskz_compress_epi8(starts, positions);
            let ends = _mm512_maskz_compress_epi8(ends, positions);
            let values = _mm512_sub_epi8(block, _mm512_set1_epi8(b'0' as i8));
            let mut all = _mm512_setzero_si512();
            for (group, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                if group >= ALWAYS && LANES * group >= count {
                    break;
                }
                // Move the digits of each number to the end of its lane, with zeros before them.
                let first = _mm512_set1_epi8((LANES * group) as i8);
                let lanes = _mm512_add_epi8(register(self, TABLES.number), first);
                let starts = _mm512_permutexvar_epi8(lanes, starts);
                let ends = _mm512_permutexvar_epi8(lanes, ends);
                let from = _mm512_add_epi8(ends, register(self, TABLES.from_end));
                // Signed: before a number at the front of the block `from` is negative.
                let digits = _mm512_cmpge_epi8_mask(from, starts);
                let digits = _mm512_maskz_permutexvar_epi8(digits, from, values);
                let mut numbers = eights(self, digits);
                if wide {
                    // The bytes before the last eight digits.
                    let from = _mm512_sub_epi8(from, _mm512_set1_epi8(8));
                    let digits = _mm512_cmpge_epi8_mask(from, starts);
                    let digits = _mm512_maskz_permutexvar_epi8(digits, from, values);
                    let high = eights(self, digits);
                    let high = _mm512_mul_epu32(high, _mm512_set1_epi64(100_000_000));
                    numbers = _mm512_add_epi64(numbers, high);
                    all = _mm512_or_si512(all, numbers);
                }
                if narrow {
                    let numbers = _mm512_cvtepi64_epi32(numbers);
                    _mm256_storeu_si256(out.as_mut_ptr().cast(), numbers);
                } else {
                    _mm512_storeu_si512(out.as_mut_ptr().cast(), numbers);
                }
            }
            !narrow || _mm512_test_epi64_mask(all, _mm512_set1_epi64(!0xFFFF_FFFF)) == 0
        }
    }
}
