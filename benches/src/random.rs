//! Random numbers.

/// xorshift64*: the same numbers in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A number with `least` to `most` digits, each length as likely as another.
    pub(crate) fn digits(&mut self, least: u32, most: u32) -> u64 {
        let digits = least + self.below(u64::from(most - least + 1)) as u32;
        let low = 10u64.pow(digits - 1);
        // Not all numbers of twenty digits fit.
        low + self.below(low.saturating_mul(9).min(u64::MAX - low))
    }

    /// A number below `limit`, mostly a small one.
    pub(crate) fn skewed(&mut self, limit: u64) -> u64 {
        let most = 1 + self.below(limit);
        let most = 1 + self.below(most);
        self.below(most)
    }

    /// So many letters, or more.
    pub(crate) fn word(&mut self, least: u64, most: u64) -> String {
        let length = least + self.below(most - least + 1);
        (0..length).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }
}
