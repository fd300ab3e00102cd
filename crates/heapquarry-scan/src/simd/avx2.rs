//! AVX2: two registers of 32 bytes.

use std::arch::x86_64::*;

use super::{Algorithm, BEFORE, BLANKS, BLOCK, Isa, MAX_NUMBERS, Number, WINDOW};

/// Proof that the CPU has AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Detects it.
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2")
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
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn enter<A: Algorithm>(isa: Avx2, algorithm: A) -> A::Output {
    algorithm.run(isa)
}

/// One bit for each byte, from the results of two comparisons.
#[inline(always)]
fn mask(_isa: Avx2, low: __m256i, high: __m256i) -> u64 {
    // SAFETY: `_isa` proves AVX2.
    let (low, high) = unsafe { (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)) };
    u64::from(low as u32) | u64::from(high as u32) << 32
}

/// The eight bytes at each of four positions, one lane each.
#[inline(always)]
fn gather(_isa: Avx2, window: &[u8; WINDOW], places: [usize; 4]) -> __m256i {
    let [a, b, c, d] = places
        .map(|place| i64::from_le_bytes(window[place..place + 8].try_into().expect("eight bytes")));
    // SAFETY: `_isa` proves AVX2.
    unsafe { _mm256_setr_epi64x(a, b, c, d) }
}

/// The number that ends at the end of each lane, of at most eight digits. In the second register, a
/// lane is zero if it has only digits, so the number may begin before it.
#[inline(always)]
fn last_number(_isa: Avx2, bytes: __m256i) -> (__m256i, __m256i) {
    // SAFETY: `_isa` proves AVX2.
    unsafe {
        // Last digit first. Then the digits of the number are below the lowest byte that is not a
        // digit, and subtracting one from that byte sets all bits below it.
        let reversed = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
        let bytes = _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(reversed));
        let values = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0' as i8));
        let other = _mm256_cmpeq_epi8(_mm256_max_epu8(values, _mm256_set1_epi8(10)), values);
        let below = _mm256_andnot_si256(other, _mm256_add_epi64(other, _mm256_set1_epi64x(-1)));
        let digits = _mm256_and_si256(values, below);
        // Join neighbours: 8 7 6 5 4 3 2 1 -> 78 56 34 12 -> 5678 1234 -> 12345678.
        let pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x0A01));
        let fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0064_0001));
        let high = _mm256_srli_epi64::<32>(fours);
        let high = _mm256_mul_epu32(high, _mm256_set1_epi64x(10_000));
        let low = _mm256_and_si256(fours, _mm256_set1_epi64x(0xFFFF_FFFF));
        (_mm256_add_epi64(high, low), other)
    }
}

/// The next four numbers, one lane each, as `out` stores them. If there are fewer, the other lanes
/// are arbitrary.
#[inline(always)]
fn four<T: Number>(
    isa: Avx2,
    window: &[u8; WINDOW],
    ends: &mut u64,
    wide: bool,
    out: &mut [T; 4],
) -> __m256i {
    let places = [(); 4].map(|()| {
        // 64 if there are no more, and 16 bytes before that are still there.
        let end = ends.trailing_zeros() as usize;
        *ends &= ends.wrapping_sub(1);
        BEFORE + end
    });
    let (mut numbers, other) = last_number(isa, gather(isa, window, places.map(|end| end - 8)));
    if wide {
        let (high, _) = last_number(isa, gather(isa, window, places.map(|end| end - 16)));
        // SAFETY: `isa` proves AVX2.
        unsafe {
            let goes_on = _mm256_cmpeq_epi64(other, _mm256_setzero_si256());
            let high = _mm256_and_si256(high, goes_on);
            let high = _mm256_mul_epu32(high, _mm256_set1_epi64x(100_000_000));
            numbers = _mm256_add_epi64(numbers, high);
        }
    }
    // SAFETY: `isa` proves AVX2; `out` has four words of four or eight bytes.
    unsafe {
        if size_of::<T>() == 8 {
            _mm256_storeu_si256(out.as_mut_ptr().cast(), numbers);
        } else {
            let even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
            let low = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(numbers, even));
            _mm_storeu_si128(out.as_mut_ptr().cast(), low);
        }
    }
    numbers
}

impl Isa for Avx2 {
    type Block = [__m256i; 2];

    #[inline(always)]
    fn enter<A: Algorithm>(self, algorithm: A) -> A::Output {
        // SAFETY: `self` proves the features.
        unsafe { enter(self, algorithm) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> Self::Block {
        let (low, high) = bytes.split_at(32);
        // SAFETY: `self` proves AVX2; both halves have 32 bytes.
        unsafe {
            [_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())]
        }
    }

    #[inline(always)]
    fn equal(self, [low, high]: Self::Block, byte: u8) -> u64 {
        // SAFETY: `self` proves AVX2.
        let (low, high) = unsafe {
            let byte = _mm256_set1_epi8(byte as i8);
            (_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte))
        };
        mask(self, low, high)
    }

    #[inline(always)]
    fn above(self, [low, high]: Self::Block, byte: u8) -> u64 {
        // There is no unsigned comparison, but `max(a, b) == a` says `a >= b`.
        // SAFETY: `self` proves AVX2.
        let (low, high) = unsafe {
            let least = _mm256_set1_epi8(byte as i8 + 1);
            (
                _mm256_cmpeq_epi8(_mm256_max_epu8(low, least), low),
                _mm256_cmpeq_epi8(_mm256_max_epu8(high, least), high),
            )
        };
        mask(self, low, high)
    }

    #[inline(always)]
    fn digits(self, [low, high]: Self::Block) -> u64 {
        // SAFETY: `self` proves AVX2.
        let (low, high) = unsafe {
            let (zero, nine) = (_mm256_set1_epi8(b'0' as i8), _mm256_set1_epi8(9));
            let low = _mm256_sub_epi8(low, zero);
            let high = _mm256_sub_epi8(high, zero);
            (
                _mm256_cmpeq_epi8(_mm256_min_epu8(low, nine), low),
                _mm256_cmpeq_epi8(_mm256_min_epu8(high, nine), high),
            )
        };
        mask(self, low, high)
    }

    #[inline(always)]
    fn blanks(self, [low, high]: Self::Block) -> u64 {
        // A byte >= 0x80 shuffles in 0, which it does not equal.
        // SAFETY: `self` proves AVX2; `BLANKS` has 16 bytes.
        let (low, high) = unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(BLANKS.as_ptr().cast()));
            (
                _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, low), low),
                _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, high), high),
            )
        };
        mask(self, low, high)
    }

    #[inline(always)]
    fn numbers<T: Number>(
        self,
        window: &[u8; WINDOW],
        _block: Self::Block,
        _starts: u64,
        mut ends: u64,
        wide: bool,
        out: &mut [T; MAX_NUMBERS],
    ) -> bool {
        // SAFETY: `self` proves AVX2.
        let mut all = unsafe { _mm256_setzero_si256() };
        // As many rounds as nearly every block needs, without testing for more: this avoids
        // mispredicted branches.
        let always = if wide { 2 } else { 3 };
        for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            if index >= always && ends == 0 {
                break;
            }
            let numbers = four(self, window, &mut ends, wide, out);
            if wide {
                // SAFETY: `self` proves AVX2.
                all = unsafe { _mm256_or_si256(all, numbers) };
            }
        }
        // SAFETY: `self` proves AVX2.
        let fits = unsafe { _mm256_testz_si256(all, _mm256_set1_epi64x(!0xFFFF_FFFF)) == 1 };
        size_of::<T>() == 8 || !wide || fits
    }
}
