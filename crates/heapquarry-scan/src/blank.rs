//! The blanks of JSON.

/// Whether `byte` is one of the four blanks of JSON.
#[inline(always)]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The first position at or after `at` that is no blank, or the length of `bytes`.
#[inline(always)]
pub(crate) fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_blank(bytes[at]) {
        at += 1;
    }
    at
}
