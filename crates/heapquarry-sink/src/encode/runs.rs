//! Integers in runs, such as the owner of each edge: differences without expanding the column.

use super::{
    chunk::ChunkWriter,
    delta::{self, Blocks},
    int::{self, Int},
    rows::Rows,
};
use crate::Error;
use parquet::basic::Encoding;

/// A column chunk from runs: `values[i]` is the value of the non-null rows from `ends[i - 1]` to `ends[i]`.
pub(super) fn encode<T: Int>(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    ends: &[usize],
    values: &[T],
) -> Result<(), Error> {
    let mut run = 0;
    for page in rows.pages() {
        chunk.data_page(rows, &page, Encoding::DELTA_BINARY_PACKED, |out| {
            let (start, end) = (page.values.start, page.values.end);
            let (first, mut before) = (run, values[run]);
            delta::head(out, end - start, before.into());
            let mut blocks = Blocks::new(out);
            let mut at = ends[run].min(end);
            blocks.push_zeros(at - start - 1); // The first value stands in the head.
            for (&stop, &value) in ends.iter().zip(values).skip(run + 1) {
                if at == end {
                    break;
                }
                run += 1;
                let stop = stop.min(end);
                blocks.push(value.minus(before), stop - at);
                (at, before) = (stop, value);
            }
            blocks.finish();
            let bounds = int::bounds(&values[first..=run]);
            if ends[run] == end {
                run += 1;
            }
            bounds
        })?;
    }
    Ok(())
}
