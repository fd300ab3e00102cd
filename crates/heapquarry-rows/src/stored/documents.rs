//! The rows of some documents, out of those of all.

use crate::stored::Columns;
use arrow_array::{BooleanArray, RecordBatch};
use heapquarry_tables::FileId;

/// The document of a row, in all tables.
pub const FILE_ID: &str = "file_id";

/// The rows of these documents, which must be sorted; `None` if there are none. The batch has the column `file_id`.
pub fn rows_of(file_ids: &[FileId], batch: RecordBatch) -> Option<RecordBatch> {
    let ids = Columns(&batch).int32s(FILE_ID).values();
    let is_mine = |id: i32| file_ids.binary_search(&FileId(id)).is_ok();
    // Most batches are of one document.
    if let Some(&first) = ids.first()
        && ids.iter().all(|&id| id == first)
    {
        return is_mine(first).then_some(batch);
    }
    let is_wanted: BooleanArray = ids.iter().map(|&id| Some(is_mine(id))).collect();
    match is_wanted.true_count() {
        0 => None,
        n if n == batch.num_rows() => Some(batch),
        _ => Some(
            arrow_select::filter::filter_record_batch(&batch, &is_wanted).expect("same length"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Int32Array};
    use std::sync::Arc;

    #[test]
    fn rows_are_those_of_the_documents() {
        let rows = |ids: &[i32]| {
            let columns = [FILE_ID, "row"]
                .map(|name| (name, Arc::new(Int32Array::from(ids.to_vec())) as ArrayRef));
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            let mine = rows_of(&[FileId(2), FileId(5)], batch);
            mine.map(|mine| Columns(&mine).int32s("row").values().to_vec())
        };
        for (ids, expected) in [
            (&[][..], None),
            (&[2, 2, 2], Some(vec![2, 2, 2])),
            (&[3, 3], None),
            (&[2, 5, 2], Some(vec![2, 5, 2])),
            (&[1, 2, 3, 5, 2], Some(vec![2, 5, 2])),
            (&[2, 2, 3], Some(vec![2, 2])),
            (&[1, 3], None),
        ] {
            assert_eq!(rows(ids), expected, "{ids:?}");
        }
    }
}
