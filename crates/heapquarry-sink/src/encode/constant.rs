//! Chunks of a single value (a dictionary of that value, and one run of its index) and chunks of nulls.

use super::{bounds::Bounds, chunk::ChunkWriter, rle, rows::Rows};
use crate::Error;
use heapquarry_tables::Type;
use parquet::basic::Encoding;

/// All rows are null. Labels have an empty dictionary even so: Polars 1.0 reads them in no other form.
pub(super) fn nulls(chunk: &mut ChunkWriter<'_>, rows: &Rows<'_>) -> Result<(), Error> {
    let encoding = match chunk.column().ty {
        Type::Label => {
            chunk.dictionary_page(0, |_| {})?;
            Encoding::RLE_DICTIONARY
        }
        _ => Encoding::PLAIN,
    };
    for page in rows.pages() {
        chunk.data_page(rows, &page, encoding, |out| {
            rle::write::<u32>(out, rle::width(0), &[], &[]);
            Bounds::None
        })?;
    }
    Ok(())
}

/// All rows have the value whose plain encoding is `plain`, which is also both bounds.
pub(super) fn encode(
    chunk: &mut ChunkWriter<'_>,
    rows: &Rows<'_>,
    plain: &[u8],
    bounds: &Bounds,
) -> Result<(), Error> {
    chunk.dictionary_page(1, |out| out.extend_from_slice(plain))?;
    for page in rows.pages() {
        chunk.data_page(rows, &page, Encoding::RLE_DICTIONARY, |out| {
            rle::write_run(out, rle::width(1), 0, page.values.len());
            bounds.clone()
        })?;
    }
    Ok(())
}
