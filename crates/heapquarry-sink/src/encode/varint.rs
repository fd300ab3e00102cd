//! Variable-length integers of Thrift's compact protocol and Parquet's encodings.

/// Seven bits a byte, lowest first.
#[inline]
pub(super) fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Zigzag encoding: maps numbers near zero, of either sign, to small ones.
#[inline]
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_protocol() {
        let bytes = |value| {
            let mut out = Vec::new();
            write(&mut out, value);
            out
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(127), [127]);
        assert_eq!(bytes(300), [0xac, 0x02]);
        assert_eq!(bytes(u64::MAX).len(), 10);
        assert_eq!(
            [0, -1, 1, -2, i64::MAX, i64::MIN].map(zigzag),
            [0, 1, 2, 3, u64::MAX - 1, u64::MAX]
        );
    }
}
