//! Consecutive numbers. A block of equal differences has no bits, so a page is the first number and a few bytes for
//! every 128 rows.

use super::{
    bounds::Bounds,
    chunk::ChunkWriter,
    delta::{self, BLOCK},
    int::Int,
    rows::Rows,
    varint,
};
use crate::Error;
use heapquarry_scan::{Work, vectorized};
use parquet::basic::Encoding;

/// A column chunk of consecutive numbers, or of differences if they are not consecutive.
pub(super) fn encode<T: Int>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    values: &[T],
) -> Result<(), Error> {
    let (first, last) = match values {
        [first, .., last] => ((*first).into(), (*last).into()),
        _ => return delta::encode(chunk, rows, values),
    };
    if last.checked_sub(first) != Some(values.len() as i64 - 1) || !counts_up(values) {
        return delta::encode(chunk, rows, values);
    }
    for page in rows.pages() {
        chunk.data_page(rows, &page, Encoding::DELTA_BINARY_PACKED, |out| {
            let value = first + page.values.start as i64;
            write(out, value, page.values.len());
            Bounds::Int(value, first + (page.values.end - 1) as i64)
        })?;
    }
    Ok(())
}

/// Whether each value is the previous one plus 1.
fn counts_up<T: Int>(values: &[T]) -> bool {
    // In pieces, so that comparisons need no branch each.
    values
        .chunks(1024)
        .zip(values[1..].chunks(1024))
        .all(|(before, after)| vectorized(Gap(before, after)) == 0)
}

/// Not 0 if one of the differences is not 1.
struct Gap<'a, T>(&'a [T], &'a [T]);

impl<T: Int> Work for Gap<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run(self) -> i64 {
        let pairs = self.0.iter().zip(self.1);
        pairs.fold(0, |odd, (&before, &after)| odd | (after.minus(before) ^ 1))
    }
}

/// Appends `count` numbers from `first` on.
fn write(out: &mut Vec<u8>, first: i64, count: usize) {
    delta::head(out, count, first);
    let block = [varint::zigzag(1) as u8, 0, 0, 0, 0];
    out.extend(std::iter::repeat_n(block, (count - 1).div_ceil(BLOCK)).flatten());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_those_of_differences() {
        for count in [1usize, 2, 128, 129, 130, 1000] {
            let values: Vec<i64> = (7..).take(count).collect();
            let (mut out, mut expected) = (Vec::new(), Vec::new());
            write(&mut out, 7, count);
            delta::write(&mut expected, &values);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn a_gap_is_noticed_wherever_it_is() {
        let values: Vec<i32> = (-5..3000).collect();
        assert!(counts_up(&values) && counts_up(&values[..1]));
        for gap in [1, 1023, 1024, 1025, 2999] {
            let mut values = values.clone();
            values[gap] += 1;
            assert!(!counts_up(&values), "{gap}");
        }
    }
}
