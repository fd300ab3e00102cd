//! The rows of a column: which of them have a value, and how they are cut into pages.
//!
//! Encoders get the values without nulls. With nulls, row numbers and value numbers differ.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use std::ops::Range;

/// Maximum number of rows in a page.
pub(super) const PAGE_ROWS: usize = 128 << 10;
/// Rows that DuckDB reads at a time.
const STEP_ROWS: usize = 2048;

/// The rows of a column.
pub(super) struct Rows<'a> {
    len: usize,
    nulls: usize,
    /// `None` if there are no nulls.
    valid: Option<&'a BooleanBuffer>,
}

/// The rows of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageRows {
    /// Row numbers.
    pub(super) rows: Range<usize>,
    /// Value numbers.
    pub(super) values: Range<usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(len: usize, nulls: Option<&'a NullBuffer>) -> Self {
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        Rows {
            len,
            nulls: nulls.map_or(0, NullBuffer::null_count),
            valid: nulls.map(NullBuffer::inner),
        }
    }

    /// Rows that are all null, without a bitmap.
    pub(super) fn all_null(len: usize) -> Rows<'static> {
        Rows { len, nulls: len, valid: None }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Number of nulls.
    pub(super) fn nulls(&self) -> usize {
        self.nulls
    }

    /// Which rows are valid.
    pub(super) fn valid(&self) -> Valid<'a> {
        match self.valid {
            Some(bits) => Valid::Bits(bits),
            None if self.nulls > 0 => Valid::None,
            None => Valid::All,
        }
    }

    /// Whether the column has these nulls; `None` if there are none.
    pub(super) fn nulls_are(&self, nulls: Option<&NullBuffer>) -> bool {
        self.valid == nulls.map(NullBuffer::inner)
    }

    /// The pages of all rows.
    pub(super) fn pages(&self) -> impl Iterator<Item = PageRows> {
        self.pages_of(0..self.len)
    }

    /// The pages of those rows.
    pub(super) fn pages_of(&self, rows: Range<usize>) -> impl Iterator<Item = PageRows> {
        let mut value = self.count(0..rows.start);
        let end = rows.end;
        rows.step_by(PAGE_ROWS).map(move |start| {
            let rows = start..end.min(start + PAGE_ROWS);
            let first = value;
            value += self.count(rows.clone());
            PageRows { rows, values: first..value }
        })
    }

    /// Value numbers, within the page, at which a read of DuckDB ends; empty if these are multiples of its step anyway.
    pub(super) fn steps(&self, page: &PageRows) -> Vec<usize> {
        let Valid::Bits(_) = self.valid() else { return Vec::new() };
        let mut value = 0;
        let steps = page.rows.clone().step_by(STEP_ROWS).map(|row| {
            value += self.count(row..page.rows.end.min(row + STEP_ROWS));
            value
        });
        steps.collect()
    }

    /// Number of those rows that have a value.
    pub(super) fn count(&self, rows: Range<usize>) -> usize {
        match self.valid() {
            Valid::All => rows.len(),
            Valid::None => 0,
            Valid::Bits(bits) => bits.slice(rows.start, rows.len()).count_set_bits(),
        }
    }

    /// The row of the value after `values` values, counted from row `start`; the number of rows if there is none.
    pub(super) fn row_after(&self, start: usize, values: usize) -> usize {
        let skipped = match self.valid() {
            Valid::All => Some(values),
            Valid::None => None,
            Valid::Bits(bits) => bits.slice(start, self.len - start).set_indices().nth(values),
        };
        skipped.map_or(self.len, |skipped| self.len.min(start + skipped))
    }

    /// The values of those rows that have one: `values` itself, or a copy in `scratch` without the placeholders of
    /// nulls.
    pub(super) fn compact<'v, T: Copy + Default>(
        &self,
        values: &'v [T],
        scratch: &'v mut Vec<T>,
    ) -> &'v [T] {
        let Some(bits) = self.valid else { return values };
        scratch.clear();
        // One word of slack: a mixed word stores every value, and overwrites the placeholders of nulls.
        scratch.resize(self.len - self.nulls + 64, T::default());
        let mut at = 0;
        for (word, values) in bits.bit_chunks().iter_padded().zip(values.chunks(64)) {
            let out = &mut scratch[at..at + 64];
            if word == u64::MAX && values.len() == 64 {
                out.copy_from_slice(values);
                at += 64;
            } else if word != 0 {
                let mut kept = 0;
                for (bit, &value) in values.iter().enumerate() {
                    out[kept & 63] = value;
                    kept += (word >> bit & 1) as usize;
                }
                at += kept;
            }
        }
        &scratch[..at]
    }
}

/// Which rows have a value.
#[derive(Clone, Copy)]
pub(super) enum Valid<'a> {
    All,
    None,
    /// Rows whose bit is set.
    Bits(&'a BooleanBuffer),
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pages_are_cut_by_rows() {
        let n = PAGE_ROWS;
        let pages: Vec<_> = Rows::new(2 * n + 1, None).pages().collect();
        assert_eq!(pages[2], PageRows { rows: 2 * n..2 * n + 1, values: 2 * n..2 * n + 1 });
        assert_eq!(pages.len(), 3);
        assert_eq!(Rows::new(0, None).pages().count(), 0);
        assert_eq!(Rows::all_null(5).pages().next(), Some(PageRows { rows: 0..5, values: 0..0 }));
    }

    #[test]
    fn steps_are_counted_in_values() {
        let n = STEP_ROWS;
        let valid: Vec<bool> = (0..3 * n).map(|row| row >= n || row % 4 == 0).collect();
        let nulls = NullBuffer::from(valid);
        let page = PageRows { rows: 0..3 * n, values: 0..2 * n + n / 4 };
        let rows = Rows::new(3 * n, Some(&nulls));
        assert_eq!(rows.steps(&page), [n / 4, n / 4 + n, n / 4 + 2 * n]);
        assert_eq!(Rows::new(3 * n, None).steps(&page), [0_usize; 0]);
    }

    proptest! {
        #[test]
        fn values_are_found_among_nulls(
            valid in prop::collection::vec(prop::bool::weighted(0.7), 0..300),
            skip in 0usize..70,
        ) {
            let skip = skip.min(valid.len());
            let nulls = NullBuffer::from(valid.clone()).slice(skip, valid.len() - skip);
            let valid = &valid[skip..];
            let rows = Rows::new(valid.len(), Some(&nulls));
            let values: Vec<usize> = (0..valid.len()).collect();
            let expected: Vec<usize> = (0..valid.len()).filter(|&row| valid[row]).collect();
            let mut scratch = Vec::new();
            prop_assert_eq!(rows.compact(&values, &mut scratch), &expected);
            prop_assert_eq!(rows.nulls(), valid.len() - expected.len());
            for (value, &row) in expected.iter().enumerate() {
                prop_assert_eq!(rows.row_after(0, value), row);
                prop_assert_eq!(rows.row_after(row, 0), row);
                prop_assert_eq!(rows.count(0..row), value);
            }
            prop_assert_eq!(rows.row_after(0, expected.len()), valid.len());
        }
    }
}
