//! White space and the byte order mark of JSON documents.

/// The byte order mark of UTF-8, with which a document may begin.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Whether `byte` is one of the four blanks of JSON: space, tab, line feed, carriage return.
#[inline(always)]
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Position of the first non-blank byte at or after `at`, or the length of `bytes`.
#[inline(always)]
pub fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_blank(bytes[at]) {
        at += 1;
    }
    at
}
