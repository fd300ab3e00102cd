//! Positions of bytes, which are not to be mistaken for lengths, or for numbers of records.

use std::{
    fmt,
    ops::{Add, AddAssign, Sub},
};

/// Offset of a byte from the start of an input or a document, from 0. Bytes are added to it; the difference of two
/// offsets is a number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ByteOffset(pub u64);

impl ByteOffset {
    /// The start.
    pub const START: ByteOffset = ByteOffset(0);

    /// The number of bytes from an earlier offset to this one; `None` if that one is later.
    #[inline]
    pub fn checked_sub(self, earlier: ByteOffset) -> Option<u64> {
        self.0.checked_sub(earlier.0)
    }

    /// The number of bytes from an earlier offset to this one; 0 if that one is later.
    #[inline]
    pub fn saturating_sub(self, earlier: ByteOffset) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The offset so many bytes behind it; the greatest one if there is none.
    #[inline]
    pub fn saturating_add(self, bytes: u64) -> Self {
        ByteOffset(self.0.saturating_add(bytes))
    }
}

impl Add<u64> for ByteOffset {
    type Output = ByteOffset;

    #[inline]
    fn add(self, bytes: u64) -> ByteOffset {
        ByteOffset(self.0 + bytes)
    }
}

impl AddAssign<u64> for ByteOffset {
    #[inline]
    fn add_assign(&mut self, bytes: u64) {
        self.0 += bytes;
    }
}

impl Sub for ByteOffset {
    type Output = u64;

    #[inline]
    fn sub(self, earlier: ByteOffset) -> u64 {
        self.0 - earlier.0
    }
}

impl Sub<u64> for ByteOffset {
    type Output = ByteOffset;

    #[inline]
    fn sub(self, bytes: u64) -> ByteOffset {
        ByteOffset(self.0 - bytes)
    }
}

impl fmt::Display for ByteOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
