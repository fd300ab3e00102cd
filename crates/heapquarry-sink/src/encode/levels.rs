//! Definition levels of a nullable column: 1 for a value, 0 for a null.
//!
//! In a data page of version 1 they precede the values: their size in four bytes, then runs and packed bits.

use super::{rows::Valid, varint};
use std::ops::Range;

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
            let words: Vec<u64> = bits.bit_chunks().iter_padded().collect();
            mixed(out, &words, count);
        }
    }
    let size = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&size.to_le_bytes());
}

fn run(out: &mut Vec<u8>, count: usize, level: u8) {
    varint::write(out, (count as u64) << 1);
    out.push(level);
}

/// Writes `count` bits of `words`: words of equal bits as runs, all others packed.
///
/// So each run begins at a whole word. DuckDB reads 2,048 rows at a time and unpacks words. If a read ends within a
/// word, it unpacks bit by bit to the end of the run.
fn mixed(out: &mut Vec<u8>, words: &[u64], count: usize) {
    let packed = |out: &mut Vec<u8>, range: Range<usize>| {
        let bytes = (count.min(range.end * 64) - range.start * 64).div_ceil(8);
        if bytes > 0 {
            varint::write(out, (bytes as u64) << 1 | 1);
            out.extend(words[range].iter().flat_map(|word| word.to_le_bytes()).take(bytes));
        }
    };
    let whole = count / 64;
    let (mut written, mut at) = (0, 0);
    while at < whole {
        let word = words[at];
        let start = at;
        at += 1;
        if word != 0 && word != u64::MAX {
            continue;
        }
        at += words[at..whole].iter().take_while(|&&other| other == word).count();
        packed(out, written..start);
        run(out, (at - start) * 64, (word & 1) as u8);
        written = at;
    }
    packed(out, written..count.div_ceil(64));
}
