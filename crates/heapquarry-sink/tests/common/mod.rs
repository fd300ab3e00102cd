//! Random batches in every form that `Table::batch` takes, and files read back.
#![allow(dead_code, reason = "each test file uses its own part")]

use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, LargeStringArray,
    PrimitiveArray, RecordBatch, StringArray, StringViewArray,
    cast::AsArray,
    types::{ArrowPrimitiveType, Int32Type, Int64Type, UInt32Type},
};
use arrow_schema::DataType;
use bytes::Bytes;
use heapquarry_sink::{Encoder, Layout, ParquetDir, WriteOptions};
use heapquarry_tables::{Column, Projection, Shape, Table, Type, arrays};
use parquet::{
    arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection},
    file::metadata::{PageIndexPolicy, ParquetMetaData},
};
use std::{ops::Range, sync::Arc};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Lengths that add up to `total`.
    fn lengths(&mut self, total: usize) -> Vec<usize> {
        let longest = [1, 3, 40, 500, 200_000][self.below(5)];
        let mut lengths = Vec::new();
        let mut rest = total;
        while rest > 0 {
            let length = (1 + self.below(longest)).min(rest);
            lengths.push(length);
            rest -= length;
        }
        lengths
    }

    /// Which rows are null: none, few, many, stretches, all.
    fn nulls(&mut self, rows: usize, nullable: bool) -> Vec<bool> {
        match self.below(if nullable { 6 } else { 1 }) {
            1 => (0..rows).map(|_| self.one_in(100)).collect(),
            2 => (0..rows).map(|_| self.one_in(2)).collect(),
            3 => vec![true; rows],
            4 => {
                let lengths = self.lengths(rows);
                let stretches = lengths.iter().map(|&n| std::iter::repeat_n(self.one_in(2), n));
                stretches.collect::<Vec<_>>().into_iter().flatten().collect()
            }
            _ => vec![false; rows],
        }
    }

    /// Numbers as they are in practice and as they are at their worst.
    fn numbers(&mut self, rows: usize) -> Vec<i64> {
        let few = 1 + self.below(300);
        let edges =
            [i64::MIN, i64::MAX, 0, -1, 1 << 40, 65_535, 65_536, i32::MAX as i64, i32::MIN as i64];
        let mut last = self.next() as i64 >> self.below(64);
        let flavour = self.below(7);
        (0..rows)
            .map(|_| match flavour {
                0 => self.below(few) as i64,
                1 => self.next() as i64,
                2 => edges[self.below(edges.len())],
                3 => {
                    last = last.wrapping_add(1);
                    last
                }
                4 => {
                    last = last.wrapping_add(self.below(few) as i64);
                    last
                }
                5 => (self.below(few) * 1_000_003) as i64,
                _ => self.next() as i64 >> self.below(64),
            })
            .collect()
    }

    fn text(&mut self) -> String {
        let length = [0, 3, 12, 13, 70, 300][self.below(6)];
        let alphabet = ['a', 'b', 'ß', '日', '\u{10ffff}', '\0', 'Z'];
        (0..self.below(length + 1)).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    fn texts(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.text()).collect()
    }

    /// An array of text as such or as views, null where it says so.
    fn text_array(&mut self, texts: &[String], null: &[bool]) -> ArrayRef {
        let texts = texts.iter().zip(null).map(|(text, &null)| (!null).then_some(text.as_str()));
        match self.below(3) {
            0 => Arc::new(texts.collect::<StringArray>()),
            1 => Arc::new(texts.collect::<LargeStringArray>()),
            _ => Arc::new(texts.collect::<StringViewArray>()),
        }
    }

    fn keyed(&mut self, rows: usize, nullable: bool) -> ArrayRef {
        let count = 1 + [3, 15, 255, 300, 3000][self.below(5)];
        let texts = self.texts(count);
        let null = match nullable && self.one_in(4) {
            true => (0..count).map(|_| self.one_in(3)).collect(),
            false => vec![false; count],
        };
        let values = self.text_array(&texts, &null);
        let used = 1 + self.below(count);
        let null = self.nulls(rows, nullable);
        let keys = null.iter().map(|&null| (!null).then_some(self.below(used) as i32));
        arrays::keyed(keys.collect::<Int32Array>(), values)
    }

    fn runs(&mut self, rows: usize, values: impl FnOnce(&mut Self, usize) -> ArrayRef) -> ArrayRef {
        let lengths = self.lengths(rows);
        let mut end = 0;
        let ends = lengths.iter().map(|&length| {
            end += length as i32;
            end
        });
        arrays::runs(ends.collect::<Vec<_>>(), values(self, lengths.len()))
    }

    fn ints<P: ArrowPrimitiveType>(
        &mut self,
        rows: usize,
        column: &Column,
        narrow: impl Fn(i64) -> P::Native,
    ) -> ArrayRef {
        let null = self.nulls(rows, column.nullable);
        let numbers = match column.shape {
            Shape::Sequence if !self.one_in(4) => (7..).take(rows).collect(),
            Shape::Constant if !self.one_in(4) => vec![3; rows],
            _ => self.numbers(rows),
        };
        let values = numbers.iter().zip(&null).map(|(&n, &null)| (!null).then(|| narrow(n)));
        Arc::new(values.collect::<PrimitiveArray<P>>())
    }

    fn floats(&mut self, rows: usize, nullable: bool) -> ArrayRef {
        let null = self.nulls(rows, nullable);
        let numbers = self.numbers(rows);
        let value = |(&number, &null): (&i64, &bool)| (!null).then_some(number as f64 / 8.0);
        Arc::new(numbers.iter().zip(&null).map(value).collect::<Float64Array>())
    }

    fn times(&mut self, rows: usize, nullable: bool) -> ArrayRef {
        let null = self.nulls(rows, nullable);
        let numbers = self.numbers(rows);
        // Readers in Python know the years 1 to 9999.
        let known = |number: i64| number.clamp(-62_135_596_800_000_000, 253_402_300_799_999_999);
        let value = |(&number, &null): (&i64, &bool)| (!null).then_some(known(number));
        arrays::timestamps(numbers.iter().zip(&null).map(value))
    }

    fn plain_ints(&mut self, rows: usize, column: &Column) -> ArrayRef {
        match column.ty {
            Type::Int32 => self.ints::<Int32Type>(rows, column, |n| n as i32),
            _ if self.one_in(2) => self.ints::<UInt32Type>(rows, column, |n| n as u32),
            _ => self.ints::<Int64Type>(rows, column, |n| n),
        }
    }

    /// A column in some form.
    pub(crate) fn column(&mut self, rows: usize, column: &Column) -> ArrayRef {
        let nullable = column.nullable;
        match (column.ty, self.below(8)) {
            (ty, 0) if nullable => arrays::nulls(ty, rows),
            (Type::Int32, 1) => arrays::constant_i32(Some(self.next() as i32), rows),
            (Type::Int32 | Type::Int64, 2 | 3) => self.runs(rows, |r, n| r.plain_ints(n, column)),
            (Type::Int32 | Type::Int64, _) => self.plain_ints(rows, column),
            (Type::Float64, 1) => self.runs(rows, |r, n| r.floats(n, nullable)),
            (Type::Float64, _) => self.floats(rows, nullable),
            (Type::Timestamp, 1) => self.runs(rows, |r, n| r.times(n, nullable)),
            (Type::Timestamp, _) => self.times(rows, nullable),
            (_, 1) if rows > 0 => {
                let value: ArrayRef = match self.one_in(2) {
                    true => Arc::new(StringArray::from(vec![self.text()])),
                    false => self.keyed(1, nullable),
                };
                arrays::runs(vec![rows as i32], value)
            }
            (_, 2) => self.runs(rows, |r, n| {
                let (texts, null) = (r.texts(n), r.nulls(n, nullable));
                r.text_array(&texts, &null)
            }),
            (_, 3) => self.runs(rows, |r, n| r.keyed(n, nullable)),
            (_, 4) => {
                let (texts, null) = (self.texts(rows), self.nulls(rows, nullable));
                self.text_array(&texts, &null)
            }
            _ => self.keyed(rows, nullable),
        }
    }

    /// A batch of a table; sometimes a slice of a larger one.
    pub(crate) fn batch(&mut self, table: &'static Table, rows: usize) -> RecordBatch {
        let (before, after) = match self.one_in(3) {
            true => (self.below(100), self.below(100)),
            false => (0, 0),
        };
        let all = before + rows + after;
        let columns = table.columns.iter().map(|column| self.column(all, column));
        let mut columns: Vec<ArrayRef> = columns.collect();
        // The number of a string is mostly also its key.
        for (text, number) in [("name", "name_id"), ("script_name", "script_name_id")] {
            let (Some(text), Some(number)) = (table.column(text), table.column(number)) else {
                continue;
            };
            if let (Some(keyed), true) =
                (columns[text].as_dictionary_opt::<Int32Type>(), self.one_in(2))
            {
                columns[number] = Arc::new(keyed.keys().clone());
            }
        }
        table.batch(columns).slice(before, rows)
    }
}

/// The table's file with one row group for each batch.
pub(crate) fn write(
    table: &'static Table,
    batches: &[RecordBatch],
    options: WriteOptions,
) -> Bytes {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let mut dir =
        ParquetDir::create(&path, false, Layout::Flat, Projection::all(), WriteOptions::default())
            .unwrap();
    dir.declare(table, "").unwrap();
    let mut encoder = Encoder::new(&options);
    for (seq, batch) in batches.iter().enumerate() {
        let group = encoder.encode(table, batch).unwrap();
        assert_eq!(group.rows(), batch.num_rows());
        dir.append(table, "", seq as u64, group).unwrap();
    }
    let written = dir.close_tables(&|_, _| vec![("key".to_owned(), "value".to_owned())]).unwrap();
    // Without the commit, which waits for the disk.
    let mut entries = std::fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().path());
    let partial = entries.find(|path| path.is_dir()).unwrap();
    let file = std::fs::read(partial.join(&written[0].file)).unwrap();
    assert_eq!(written.len(), 1);
    assert_eq!(written[0].bytes, file.len() as u64);
    assert_eq!(written[0].rows, batches.iter().map(|b| b.num_rows() as u64).sum::<u64>());
    file.into()
}

/// With the page index, if it has one.
fn open(file: &Bytes) -> ParquetRecordBatchReaderBuilder<Bytes> {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options).unwrap()
}

/// All rows of a file, and its metadata.
pub(crate) fn read(table: &'static Table, file: &Bytes) -> (RecordBatch, Arc<ParquetMetaData>) {
    let reader = open(file);
    let metadata = reader.metadata().clone();
    assert_eq!(reader.schema().fields(), table.schema().fields(), "the schema that users see");
    let batches = reader.with_batch_size(50_000).build().unwrap();
    let batches: Vec<RecordBatch> = batches.collect::<Result<_, _>>().unwrap();
    (arrow_select::concat::concat_batches(&table.schema(), &batches).unwrap(), metadata)
}

/// Those rows, for which pages without any of them are passed over.
pub(crate) fn read_some(table: &'static Table, file: &Bytes, rows: Range<usize>) -> RecordBatch {
    let reader = open(file);
    let all = reader.metadata().file_metadata().num_rows() as usize;
    let selection = RowSelection::from_consecutive_ranges([rows].into_iter(), all);
    let batches = reader.with_row_selection(selection).build().unwrap();
    let batches: Vec<RecordBatch> = batches.collect::<Result<_, _>>().unwrap();
    arrow_select::concat::concat_batches(&table.schema(), &batches).unwrap()
}

/// A column for comparison: dictionaries written out.
pub(crate) fn logical(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let array = array.as_dictionary::<Int32Type>();
            arrow_select::take::take(array.values(), array.keys(), None).unwrap()
        }
        _ => array.clone(),
    }
}

/// Whether a column's rows in `rows` of `whole` are those of `part`.
pub(crate) fn assert_rows(
    table: &Table,
    whole: &RecordBatch,
    rows: Range<usize>,
    part: &RecordBatch,
) {
    for (i, column) in table.columns.iter().enumerate() {
        let whole = logical(&whole.column(i).slice(rows.start, rows.len()));
        assert!(whole == logical(part.column(i)), "{}.{} differs", table.name, column.name);
    }
}

/// A keyed column of which every value is used as often.
pub(crate) fn cycling(rows: usize, values: ArrayRef) -> ArrayRef {
    let keys = (0..rows).map(|row| (row % values.len()) as i32);
    Arc::new(DictionaryArray::<Int32Type>::new(keys.collect::<Vec<_>>().into(), values))
}

pub(crate) fn int64(values: impl IntoIterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

pub(crate) fn int32(values: impl IntoIterator<Item = i32>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values))
}
