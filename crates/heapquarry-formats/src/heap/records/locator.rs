//! Finds single values again, for log messages.

use super::claim::Records;
use crate::ByteOffset;
use heapquarry_scan::{Stop, read_integers, read_odd};

/// The bytes that the values of a column come from.
#[derive(Clone, Copy)]
pub(crate) struct ValueLocator<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) records: Records,
    pub(crate) field: usize,
}

impl ValueLocator<'_> {
    /// Offset in the document and printable bytes of the value of a row. Reads all values before it again.
    pub(crate) fn locate(&self, row: u32) -> (ByteOffset, String) {
        let value = row as usize * self.records.width + self.field;
        let mut at = 0;
        let mut scratch = [0u64; 256];
        let mut left = value;
        while left > 0 {
            let room = left.min(scratch.len());
            let read = read_integers(&self.bytes[at..], &mut scratch[..room]);
            left -= read.numbers;
            at += read.read;
            if read.stop == Stop::Odd && left > 0 {
                at += read_odd(&self.bytes[at..]).1;
                left -= 1;
            }
        }
        let (_, len) = read_odd(&self.bytes[at..]);
        (
            self.records.offset + (at + blanks(&self.bytes[at..])) as u64,
            crate::printable(trim(&self.bytes[at..at + len]), 80),
        )
    }
}

/// Length of the blanks before a value.
pub(super) fn blanks(raw: &[u8]) -> usize {
    raw.iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\r' | b'\t')).count()
}

/// A value without surrounding blanks and the following comma.
pub(super) fn trim(raw: &[u8]) -> &[u8] {
    let raw = raw.trim_ascii();
    raw.strip_suffix(b",").unwrap_or(raw).trim_ascii()
}
