//! The rows of some documents, out of those of all, and what is stored of each document.

use crate::stored::Columns;
use arrow_array::{BooleanArray, RecordBatch};
use heapquarry_formats::{ByteOffset, Code, Entry, Status};
use heapquarry_tables::{FILE_ID, FileId, import_log, source};

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

/// A row of `source`.
#[derive(Clone, Debug)]
pub struct StoredDocument {
    /// Its number.
    pub file_id: FileId,
    /// Its name.
    pub name: String,
    /// Value of `source.format`.
    pub format: String,
    /// The program that wrote it, if it tells.
    pub producer: Option<String>,
    /// Whether it was complete.
    pub status: Status,
    /// The input it came from.
    pub path: String,
    /// Its position in that input, from 0.
    pub index: i32,
    /// Its size in bytes.
    pub bytes: i64,
    /// The digest of the input.
    pub digest: String,
}

impl StoredDocument {
    /// The columns of `source` that it is made of.
    pub const COLUMNS: [&str; 9] = {
        use source::NAMES;
        [
            NAMES.file_id,
            NAMES.path,
            NAMES.document_index,
            NAMES.name,
            NAMES.format,
            NAMES.producer,
            NAMES.byte_size,
            NAMES.status,
            NAMES.digest,
        ]
    };

    /// The documents of rows of `source`, which have these columns.
    pub fn of_rows(batch: &RecordBatch) -> impl Iterator<Item = Self> {
        use source::NAMES;
        let columns = Columns(batch);
        let [file_ids, indices] =
            [NAMES.file_id, NAMES.document_index].map(|name| columns.int32s(name));
        let [paths, names, formats, producers] =
            [NAMES.path, NAMES.name, NAMES.format, NAMES.producer].map(|name| columns.texts(name));
        let [statuses, digests] = [NAMES.status, NAMES.digest].map(|name| columns.texts(name));
        let sizes = columns.int64s(NAMES.byte_size);
        (0..batch.num_rows()).map(move |row| StoredDocument {
            file_id: FileId(file_ids.value(row)),
            path: paths.owned(row).unwrap_or_default(),
            index: indices.value(row),
            name: names.owned(row).unwrap_or_default(),
            format: formats.owned(row).unwrap_or_default(),
            producer: producers.owned(row),
            bytes: sizes.value(row),
            status: match statuses.get(row) {
                Some("complete") => Status::Complete,
                Some("repaired") => Status::Repaired,
                _ => Status::Truncated,
            },
            digest: digests.owned(row).unwrap_or_default(),
        })
    }
}

/// The columns of `import_log` that [`entries`] are made of.
pub const ENTRIES: [&str; 6] = {
    use import_log::NAMES;
    [NAMES.file_id, NAMES.byte_offset, NAMES.code, NAMES.message, NAMES.excerpt, NAMES.occurrences]
};

/// The entries of rows of `import_log`, with their documents. Those of unknown codes are left out.
pub fn entries(batch: &RecordBatch) -> Vec<(FileId, Entry)> {
    use import_log::NAMES;
    let columns = Columns(batch);
    let file_ids = columns.int32s(FILE_ID);
    let [offsets, occurrences] =
        [NAMES.byte_offset, NAMES.occurrences].map(|name| columns.ints(name));
    let [codes, messages, excerpts] =
        [NAMES.code, NAMES.message, NAMES.excerpt].map(|name| columns.texts(name));
    let entry = |row: usize| {
        let name = codes.get(row)?;
        let entry = Entry {
            offset: offsets(row).map(|offset| ByteOffset(offset as u64)),
            code: *Code::ALL.iter().find(|code| code.name() == name)?,
            message: messages.owned(row)?,
            excerpt: excerpts.owned(row),
            occurrences: occurrences(row)? as u64,
        };
        Some((FileId(file_ids.value(row)), entry))
    };
    (0..batch.num_rows()).filter_map(entry).collect()
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
