//! Definition levels of a column that may be null: 1 for a value, 0 for a null.
//!
//! In a data page of version 1 they stand before the values: their size in four bytes, then runs and packed
//! bits.

use super::{rows::Valid, varint};
use std::ops::Range;

/// Shortest stretch of equal bits, in bytes, that is written as a run. Shorter ones cost more than they save.
const RUN: usize = 8;

/// Appends the levels of those rows.
pub(super) fn write(out: &mut Vec<u8>, valid: Valid<'_>, rows: Range<usize>) {
    let at = out.len();
    out.extend([0; 4]);
    let count = rows.len();
    match valid {
        Valid::All => run(out, count, 1),
        Valid::None => run(out, count, 0),
        Valid::Bits(bits) => {
            let bits = bits.slice(rows.start, count);
            let words = bits.bit_chunks().iter_padded();
            let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
            bytes.truncate(count.div_ceil(8));
            mixed(out, &bytes, count);
        }
    }
    let size = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&size.to_le_bytes());
}

fn run(out: &mut Vec<u8>, count: usize, level: u8) {
    varint::write(out, (count as u64) << 1);
    out.push(level);
}

/// `count` bits, in `bytes`: long stretches of equal ones as runs, the rest as it is.
fn mixed(out: &mut Vec<u8>, bytes: &[u8], count: usize) {
    let packed = |out: &mut Vec<u8>, bytes: &[u8]| {
        if !bytes.is_empty() {
            varint::write(out, (bytes.len() as u64) << 1 | 1);
            out.extend_from_slice(bytes);
        }
    };
    let whole = count / 8;
    let (mut written, mut at) = (0, 0);
    while at < whole {
        let byte = bytes[at];
        let start = at;
        at += 1;
        if byte != 0 && byte != 0xff {
            continue;
        }
        at += bytes[at..whole].iter().take_while(|&&b| b == byte).count();
        if at - start >= RUN {
            packed(out, &bytes[written..start]);
            run(out, (at - start) * 8, byte & 1);
            written = at;
        }
    }
    packed(out, &bytes[written..]);
}
