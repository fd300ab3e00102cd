//! Row groups that are copied as they are stored: a copy of a file is that file.

mod common;

use arrow_array::Int32Array;
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use common::{Random, read};
use heapquarry_sink::{
    Compression, Encoder, Encodings, Layout, ParquetDir, TableReader, WriteOptions,
};
use heapquarry_tables::{Projection, Table};
use parquet::{
    arrow::arrow_reader::ParquetRecordBatchReaderBuilder, basic::Compression as ParquetCompression,
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

fn dir(path: &Path, options: WriteOptions) -> ParquetDir {
    ParquetDir::create(path, false, Layout::Flat, Projection::all(), options).unwrap()
}

/// Writes random row groups, copies them, and returns both files. With `replace` a column is encoded anew.
fn copied(
    table: &'static Table,
    options: WriteOptions,
    replace: bool,
    random: &mut Random,
) -> [Bytes; 2] {
    let parent = tempfile::tempdir().unwrap();
    let (first, second) = (parent.path().join("first"), parent.path().join("second"));
    let mut encoder = Encoder::new(&options);
    let groups = 1 + random.below(3);
    let out = dir(&first, options);
    for group in 0..groups {
        let rows = 1 + random.below(3000);
        let batch = random.batch(table, rows);
        out.append(table, "", group as u64, encoder.encode(table, &batch).unwrap()).unwrap();
    }
    out.commit().unwrap();
    let stored = TableReader::open_for_copies(&first, table).unwrap().unwrap();
    assert_eq!(stored.row_groups(), groups);
    let out = dir(&second, options);
    for group in 0..groups {
        let mut replaced = None;
        if replace {
            let column = table.columns[group % table.columns.len()].name;
            stored.read(group, &[column], &mut |batch| replaced = Some(batch)).unwrap();
        }
        let copy = stored.copy(group, replaced.as_ref(), &mut encoder).unwrap();
        assert_eq!(copy.rows() as u64, stored.rows_of(group));
        out.append(table, "", group as u64, copy).unwrap();
    }
    out.commit().unwrap();
    let file = |dir: PathBuf| fs::read(dir.join(table.name).with_extension("parquet")).unwrap();
    [first, second].map(|dir| file(dir).into())
}

#[test]
fn a_copy_of_a_file_is_that_file() {
    let mut random = Random(7);
    for table in heapquarry_tables::all() {
        for compression in [Compression::None, Compression::Lz4] {
            for encodings in [Encodings::Universal, Encodings::Modern] {
                let options = WriteOptions { compression, encodings };
                let [first, second] = copied(table, options, false, &mut random);
                assert!(first == second, "{}, {compression:?}, {encodings:?}", table.name);
            }
        }
    }
}

#[test]
fn a_column_can_be_replaced() {
    let mut random = Random(8);
    for table in heapquarry_tables::all() {
        let [first, second] = copied(table, WriteOptions::default(), true, &mut random);
        assert!(read(table, &first).0 == read(table, &second).0, "{}", table.name);
    }
}

#[test]
fn a_temporary_directory_has_small_row_groups_uncompressed() {
    let parent = tempfile::tempdir().unwrap();
    let (path, table) = (parent.path().join("out"), &heapquarry_tables::JS_HEAP_STRING);
    let mut out = dir(&path, WriteOptions::default());
    out.set_temporary(100);
    let rows = [99usize, 100, 1, 500];
    let mut random = Random(4);
    let batches = rows.map(|rows| random.batch(table, rows));
    for (batch, number) in batches.iter().zip(0..) {
        match number % 2 {
            0 => out.append(table, "", number, out.encode(table, batch).unwrap()).unwrap(),
            _ => out.append_rows(table, "", number, batch.clone()).unwrap(),
        }
    }
    out.commit().unwrap();
    let file = Bytes::from(fs::read(path.join("js_heap_string.parquet")).unwrap());
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone()).unwrap();
    let groups = reader.metadata().row_groups();
    assert!(groups.iter().map(|group| group.num_rows() as usize).eq(rows));
    for (group, rows) in groups.iter().zip(rows) {
        for column in group.columns() {
            let is_plain = column.compression() == ParquetCompression::UNCOMPRESSED;
            assert_eq!(is_plain, rows < 100, "{rows} rows, {}", column.column_path());
        }
    }
    let expanded = batches.map(|batch| table.expand(&batch).unwrap());
    assert!(read(table, &file).0 == concat_batches(&table.schema(), &expanded).unwrap());
}

#[test]
fn statistics_tell_that_a_column_is_constant() {
    /// Values of a row group, and what they all are.
    type Case = (&'static [Option<i32>], Option<Option<i32>>);
    let table = &heapquarry_tables::JS_CPU_PROFILER_FILES;
    let column = "trace_file_id";
    let cases: [Case; 6] = [
        (&[Some(7), Some(7), Some(7)], Some(Some(7))),
        (&[Some(0)], Some(Some(0))),
        (&[None, None], Some(None)),
        (&[Some(7), Some(8), Some(7)], None),
        (&[Some(7), None, Some(7)], None),
        (&[None, Some(7)], None),
    ];
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let out = dir(&path, WriteOptions::default());
    for ((values, _), number) in cases.iter().zip(0..) {
        let batch = Random(number).batch(table, values.len());
        let (_, mut columns, _) = batch.into_parts();
        columns[table.column(column).unwrap()] = Arc::new(Int32Array::from(values.to_vec()));
        let group = out.encode(table, &table.batch(columns)).unwrap();
        out.append(table, "", number, group).unwrap();
    }
    out.commit().unwrap();
    let stored = TableReader::open_for_copies(&path, table).unwrap().unwrap();
    for (group, (values, expected)) in cases.iter().enumerate() {
        assert_eq!(stored.constant(group, column), *expected, "{values:?}");
    }
    for other in ["no_such_column", "file_name"] {
        assert_eq!(stored.constant(0, other), None, "{other}");
    }
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let parent = tempfile::tempdir().unwrap();
    let table = &heapquarry_tables::JS_HEAP_STRING;
    let mut random = Random(3);
    let path = parent.path().join("out");
    let out = dir(&path, WriteOptions::default());
    let batch = random.batch(table, 500);
    let mut encoder = Encoder::new(&WriteOptions::default());
    out.append(table, "", 0, encoder.encode(table, &batch).unwrap()).unwrap();
    out.commit().unwrap();
    let stored = TableReader::open_for_copies(&path, table).unwrap().unwrap();
    let file = fs::File::options().write(true).open(path.join("js_heap_string.parquet")).unwrap();
    file.set_len(100).unwrap();
    let error = stored.copy(0, None, &mut encoder).map(drop).unwrap_err().to_string();
    assert!(error.contains("js_heap_string.parquet"), "{error}");
}
