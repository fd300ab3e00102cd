//! Integers in runs, such as the owner of each edge: their differences without writing the column out.

use super::{
    bounds::Bounds,
    chunk::ChunkWriter,
    delta::{self, Blocks},
    int::{self, Int},
    rows::Rows,
};
use crate::Error;
use parquet::basic::Encoding;

/// A column chunk from runs: `values[i]` stands in those rows that hold a value from `ends[i - 1]` to `ends[i]`,
/// counted without nulls.
pub(super) fn encode<T: Int>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    ends: &[usize],
    values: &[T],
) -> Result<Bounds, Error> {
    let mut run = 0;
    for page in rows.pages() {
        chunk.data_page(rows, &page, Encoding::DELTA_BINARY_PACKED, |out| {
            let (mut at, end) = (page.values.start, page.values.end);
            let mut before = values[run];
            delta::head(out, end - at, before.into());
            let mut blocks = Blocks::new(out);
            at += 1; // The first value stands in the head.
            while at < end {
                let stop = ends[run].min(end);
                if at < stop {
                    blocks.push_zeros(stop - at);
                    at = stop;
                } else {
                    run += 1;
                    blocks.push(values[run].minus(before));
                    before = values[run];
                    at += 1;
                }
            }
            blocks.finish();
            if ends[run] == end {
                run += 1;
            }
        })?;
    }
    Ok(int::bounds(values))
}
