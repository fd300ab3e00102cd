//! What the tests with invented programs share.

/// Random numbers that are the same in each run of the tests (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    pub(crate) fn even(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About a normal distribution around 1.
    pub(crate) fn around_one(&mut self, deviation: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.even()).sum();
        1.0 + deviation * (sum - 6.0)
    }
}
