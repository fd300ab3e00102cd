//! Damaged files are errors, or have rows. They never end the process.

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_sink::{Encoder, Error, Layout, ParquetDir, TableReader, WriteOptions};
use heapquarry_tables::{Projection, SOURCE, Table, arrays, source};
use parquet::arrow::ArrowWriter;
use std::{fs, path::Path, sync::Arc};

/// Two row groups of `source`, which has columns of all kinds but floating-point numbers.
fn write(dir: &Path) {
    let rows = |first: i32| {
        let ids = first..first + 3;
        let int64 = |ids: std::ops::Range<i32>| ids.map(i64::from).collect::<Vec<_>>();
        let text = |what: &str| arrays::text(ids.clone().map(|id| Some(format!("{what}{id}"))));
        source::Columns {
            file_id: Arc::new(Int32Array::from_iter_values(ids.clone())),
            path: text("path"),
            document_index: Arc::new(Int32Array::from_iter_values(ids.clone())),
            name: text("name"),
            format: arrays::labels(ids.clone().map(|_| "heapsnapshot")),
            producer: arrays::text(ids.clone().map(|id| (id > 1).then_some("V8"))),
            byte_size: Arc::new(Int64Array::from(int64(ids.clone()))),
            status: arrays::labels(ids.clone().map(|_| "complete")),
            digest: text("digest"),
        }
        .into_batch()
    };
    let (projection, options) = (Projection::all(), WriteOptions::default());
    let written = ParquetDir::create(dir, false, Layout::Flat, projection, options).unwrap();
    for number in 0..2 {
        let batch = rows(3 * number as i32);
        let group = Encoder::new(&WriteOptions::default()).encode(&SOURCE, &batch).unwrap();
        written.append(&SOURCE, "", number, group).unwrap();
    }
    written.commit().unwrap();
}

/// All rows of a table.
fn read(dir: &Path, table: &'static Table) -> Result<Vec<RecordBatch>, Error> {
    let reader = TableReader::open(dir, table)?.expect("it was written");
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let mut batches = Vec::new();
    for group in 0..reader.row_groups() {
        reader.constant(group, "file_id");
        reader.read(group, &columns, &mut |batch| batches.push(batch))?;
    }
    Ok(batches)
}

#[test]
fn a_file_with_a_changed_byte_is_read_or_an_error() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("out");
    write(&dir);
    let file = dir.join("source.parquet");
    let bytes = fs::read(&file).unwrap();
    let rows = |batches: Vec<RecordBatch>| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(rows(read(&dir, &SOURCE).unwrap()), 6);
    let mut errors = 0;
    for at in (0..bytes.len()).step_by(3) {
        // A bit more or less in a number of Thrift is another sign, another type, another length.
        for byte in [bytes[at] ^ 1, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] = byte;
            fs::write(&file, changed).unwrap();
            errors += usize::from(read(&dir, &SOURCE).is_err());
        }
    }
    assert!(errors > bytes.len() / 20, "{errors} of {} bytes", bytes.len());
}

#[test]
fn columns_of_other_types_are_an_error() {
    let parent = tempfile::tempdir().unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values([1]));
    let batch = RecordBatch::try_from_iter([("file_id", ids)]).unwrap();
    let file = fs::File::create(parent.path().join("source.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let error = TableReader::open(parent.path(), &SOURCE).unwrap_err().to_string();
    assert!(error.ends_with("column file_id has the type Int64, not Int32"), "{error}");
}
