//! What is written is read back by the parquet crate's own reader, value for value.

mod common;

use arrow_array::{
    Array, ArrayRef, Float64Array, RecordBatch, StringArray, StringViewArray, cast::AsArray,
};
use common::{Random, assert_rows, cycling, int32, int64, logical, read, read_some, write};
use heapquarry_sink::{Compression, Encoder, Encodings, ErrorKind, WriteOptions};
use heapquarry_tables::{
    COUNTER, JS_HEAP_EDGES, JS_HEAP_NODES, JS_HEAP_SAMPLE, JS_HEAP_STRING, Table, Type, all,
    arrays, js_heap_edges, js_heap_nodes, js_heap_sample, js_heap_string,
};
use parquet::{
    basic::{BoundaryOrder, ColumnOrder, Encoding},
    file::{
        metadata::ColumnChunkMetaData,
        page_index::{column_index::ColumnIndexMetaData, offset_index::PageLocation},
        statistics::Statistics,
    },
};
use proptest::prelude::*;
use std::sync::Arc;

/// The smallest and the largest value as Parquet writes them, if there is any.
type Bounds = Option<(Vec<u8>, Vec<u8>)>;

/// Number of nulls, smallest and largest value in an expanded column, text as far as it is kept.
fn naive_statistics(column: &ArrayRef) -> (u64, Bounds) {
    let column = logical(column);
    let nulls = column.null_count() as u64;
    let ints = |values: Vec<i64>, narrow: fn(i64) -> Vec<u8>| {
        Some((narrow(*values.iter().min()?), narrow(*values.iter().max()?)))
    };
    let bounds = match column.data_type() {
        arrow_schema::DataType::Int32 => {
            let column = column.as_primitive::<arrow_array::types::Int32Type>();
            ints(column.iter().flatten().map(i64::from).collect(), |v| {
                (v as i32).to_le_bytes().to_vec()
            })
        }
        arrow_schema::DataType::Int64 => {
            let column = column.as_primitive::<arrow_array::types::Int64Type>();
            ints(column.iter().flatten().collect(), |v| v.to_le_bytes().to_vec())
        }
        arrow_schema::DataType::Timestamp(..) => {
            let column = column.as_primitive::<arrow_array::types::TimestampMicrosecondType>();
            ints(column.iter().flatten().collect(), |v| v.to_le_bytes().to_vec())
        }
        arrow_schema::DataType::Float64 => {
            let values: Vec<f64> =
                column.as_primitive::<arrow_array::types::Float64Type>().iter().flatten().collect();
            let min = values.iter().copied().reduce(f64::min);
            let max = values.iter().copied().reduce(f64::max);
            // A zero of either sign stands for both.
            let min = min.map(|min| if min == 0.0 { -0.0 } else { min });
            let max = max.map(|max| if max == 0.0 { 0.0 } else { max });
            let bytes = |value: f64| value.to_le_bytes().to_vec();
            let in_order = !values.iter().any(|value| value.is_nan());
            min.map(bytes).zip(max.map(bytes)).filter(|_| in_order)
        }
        _ => {
            let texts = || column.as_string::<i32>().iter().flatten().map(str::as_bytes);
            let bounds = texts().min().zip(texts().max());
            let short = bounds.filter(|(min, max)| min.len().max(max.len()) <= 64);
            short.map(|(min, max)| (min.to_vec(), max.to_vec()))
        }
    };
    (nulls, bounds)
}

fn check(table: &'static Table, batches: &[RecordBatch], options: WriteOptions) {
    let file = write(table, batches, options);
    let (rows, metadata) = read(table, &file);
    let pairs = metadata.file_metadata().key_value_metadata().unwrap();
    let keys: Vec<&str> = pairs.iter().map(|pair| pair.key.as_str()).collect();
    assert_eq!(keys, ["ARROW:schema", "key"]);

    // Old readers refuse files that name any other order.
    let orders = metadata.file_metadata().column_orders().unwrap();
    assert_eq!(orders.len(), table.columns.len());
    assert!(orders.iter().all(|order| matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_))));

    let index = metadata.page_index();
    let mut groups = metadata.row_groups().iter().enumerate();
    let mut at = 0;
    for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
        let plain = table.expand(batch).unwrap();
        assert_rows(table, &rows, at..at + plain.num_rows(), &plain);
        at += plain.num_rows();
        let (g, group) = groups.next().unwrap();
        assert_eq!(group.num_rows(), plain.num_rows() as i64);
        for (i, chunk) in group.columns().iter().enumerate() {
            let name = format!("{}.{}", table.name, table.columns[i].name);
            let statistics: &Statistics = chunk.statistics().unwrap();
            let (nulls, bounds) = naive_statistics(plain.column(i));
            assert_eq!(statistics.null_count_opt(), Some(nulls), "{name}");
            let (min, max) = (statistics.min_bytes_opt(), statistics.max_bytes_opt());
            let bounds = bounds.as_ref().map(|(min, max)| (min.as_slice(), max.as_slice()));
            assert_eq!(min.zip(max), bounds, "{name}");
            let index = index.expect("every file has one");
            let offsets = index.offset_index(g, i).expect("every chunk has one").page_locations();
            check_pages(&name, chunk, offsets, index.column_index(g, i), plain.column(i));
            for encoding in chunk.encodings() {
                let universal = matches!(
                    encoding,
                    Encoding::PLAIN
                        | Encoding::RLE
                        | Encoding::RLE_DICTIONARY
                        | Encoding::DELTA_BINARY_PACKED
                );
                let modern = matches!(
                    encoding,
                    Encoding::BYTE_STREAM_SPLIT | Encoding::DELTA_LENGTH_BYTE_ARRAY
                );
                assert!(universal || modern && options.encodings == Encodings::Modern, "{name}");
            }
        }
    }
    assert!(groups.next().is_none());
    assert_eq!(at, rows.num_rows());
    if at > 0 {
        let some = at / 3..at - at / 4;
        let read = read_some(table, &file, some.clone());
        assert_eq!(read, rows.slice(some.start, some.len()));
    }
}

/// That the pages of a chunk are where its index says, and hold what it says.
fn check_pages(
    name: &str,
    chunk: &ColumnChunkMetaData,
    pages: &[PageLocation],
    index: Option<&ColumnIndexMetaData>,
    column: &ArrayRef,
) {
    let (start, size) = chunk.byte_range();
    let ends = pages.iter().skip(1).map(|page| (page.offset, page.first_row_index as usize));
    let ends = ends.chain([((start + size) as i64, column.len())]);
    let mut known = true;
    let mut all = Vec::new();
    assert_eq!(
        (pages[0].offset, pages[0].first_row_index),
        (chunk.data_page_offset(), 0),
        "{name}"
    );
    for (i, (page, (end, last))) in pages.iter().zip(ends).enumerate() {
        assert_eq!(page.offset + i64::from(page.compressed_page_size), end, "{name}");
        let first = page.first_row_index as usize;
        let (nulls, bounds) = naive_statistics(&column.slice(first, last - first));
        let null_page = nulls as usize == last - first;
        known &= null_page || bounds.is_some();
        let Some(index) = index else { continue };
        assert_eq!(index.is_null_page(i), null_page, "{name}");
        assert_eq!(index.null_count(i), Some(nulls as i64), "{name}");
        let said = match index {
            ColumnIndexMetaData::INT32(x) => {
                let bytes = |value: &i32| value.to_le_bytes().to_vec();
                x.min_value(i).map(bytes).zip(x.max_value(i).map(bytes))
            }
            ColumnIndexMetaData::INT64(x) => {
                let bytes = |value: &i64| value.to_le_bytes().to_vec();
                x.min_value(i).map(bytes).zip(x.max_value(i).map(bytes))
            }
            ColumnIndexMetaData::DOUBLE(x) => {
                let bytes = |value: &f64| value.to_le_bytes().to_vec();
                x.min_value(i).map(bytes).zip(x.max_value(i).map(bytes))
            }
            ColumnIndexMetaData::BYTE_ARRAY(x) => {
                x.min_value(i).map(<[u8]>::to_vec).zip(x.max_value(i).map(<[u8]>::to_vec))
            }
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(said, bounds, "{name}");
        all.extend(bounds.map(|(min, max)| [min, max]));
    }
    assert_eq!(index.is_some(), known, "{name}");
    // The bytes of texts are in the order of the texts.
    if let Some(index @ ColumnIndexMetaData::BYTE_ARRAY(_)) = index {
        let rising = all.windows(2).all(|two| two[0][0] <= two[1][0] && two[0][1] <= two[1][1]);
        let falling = all.windows(2).all(|two| two[0][0] >= two[1][0] && two[0][1] >= two[1][1]);
        let order = match (rising, falling) {
            (true, _) => BoundaryOrder::ASCENDING,
            (_, true) => BoundaryOrder::DESCENDING,
            _ => BoundaryOrder::UNORDERED,
        };
        assert_eq!(index.get_boundary_order(), Some(order), "{name}");
    }
}

/// With both sets of encodings.
fn check_both(table: &'static Table, batches: &[RecordBatch]) {
    check(table, batches, options(0));
    check(table, batches, options(5));
}

fn options(seed: u64) -> WriteOptions {
    let compressions = [
        Compression::Zstd(1),
        Compression::Zstd(9),
        Compression::Snappy,
        Compression::Lz4,
        Compression::None,
    ];
    let encodings = [Encodings::Universal, Encodings::Modern];
    WriteOptions {
        compression: compressions[(seed % 5) as usize],
        encodings: encodings[(seed / 5 % 2) as usize],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn batches_in_every_form_come_back(
        seed in any::<u64>(),
        sizes in prop::collection::vec(prop_oneof![0usize..10, 0usize..700, 0usize..5000], 0..4),
    ) {
        let mut random = Random(seed);
        for table in all() {
            let batches: Vec<_> = sizes.iter().map(|&rows| random.batch(table, rows)).collect();
            check(table, &batches, options(random.next()));
        }
    }
}

#[test]
fn batches_of_several_pages_come_back() {
    for seed in 0..6 {
        let mut random = Random(seed);
        for table in [&JS_HEAP_NODES, &JS_HEAP_EDGES] {
            let rows = 131_072 * 2 + random.below(3) * 70_000;
            let batches = [random.batch(table, rows), random.batch(table, 131_072)];
            check(table, &batches, options(seed));
        }
    }
}

/// A page with a value that is in no order has no bounds, and so the whole chunk has none, nor an index of bounds.
#[test]
fn numbers_that_are_none_come_back() {
    const PAGE: usize = 131_072;
    let place = COUNTER.column("value").unwrap();
    for odd in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0] {
        for at in [0, PAGE - 1, PAGE, PAGE + 1] {
            let batch = Random(at as u64).batch(&COUNTER, PAGE + 2);
            let mut values = vec![1.5; PAGE + 2];
            values[at] = odd;
            let mut columns = batch.columns().to_vec();
            columns[place] = Arc::new(Float64Array::from(values));
            check(&COUNTER, &[COUNTER.batch(columns)], options(0));
        }
    }
}

/// What an encoder makes does not depend on what it made before.
#[test]
fn bytes_depend_on_the_batch_alone() {
    for seed in 0..10 {
        let mut random = Random(seed);
        let batches: Vec<_> = (0..3).map(|i| random.batch(&JS_HEAP_NODES, 1 + i * 3000)).collect();
        let alone = write(&JS_HEAP_NODES, &batches[..1], options(seed));
        let group = |file: &bytes::Bytes, i: usize| {
            let (_, metadata) = read(&JS_HEAP_NODES, file);
            let columns = metadata.row_group(i).columns().iter();
            columns
                .map(|c| {
                    let (start, length) = c.byte_range();
                    file.slice(start as usize..(start + length) as usize)
                })
                .collect::<Vec<_>>()
        };
        let [a, b, c] = batches.try_into().unwrap();
        let together = write(&JS_HEAP_NODES, &[c.clone(), a.clone(), b, a, c], options(seed));
        assert_eq!(group(&alone, 0), group(&together, 1));
        assert_eq!(group(&alone, 0), group(&together, 3));
        assert_eq!(group(&together, 0), group(&together, 4));
    }
}

fn sample(timestamps: ArrayRef, ids: ArrayRef) -> RecordBatch {
    let rows = timestamps.len();
    js_heap_sample::Columns {
        file_id: arrays::constant_i32(Some(1), rows),
        timestamp_us: timestamps,
        last_assigned_id: ids,
    }
    .into_batch()
}

fn strings(strings: ArrayRef) -> RecordBatch {
    let rows = strings.len() as i32;
    js_heap_string::Columns {
        file_id: arrays::constant_i32(Some(0), rows as usize),
        string_index: int32(0..rows),
        string: strings,
    }
    .into_batch()
}

#[test]
fn extreme_numbers_come_back() {
    let extremes = [i64::MIN, i64::MAX, 0, -1, i64::MAX, i64::MIN, i64::MIN, 1];
    for n in 1..=8 {
        check_both(
            &JS_HEAP_SAMPLE,
            &[sample(int64(extremes[..n].to_vec()), int64(extremes[8 - n..].to_vec()))],
        );
    }
}

/// 10,000 nodes, of which each column of numbers or texts has so many distinct values.
fn nodes(distinct: usize) -> RecordBatch {
    let number = |row: usize| {
        ((row * 7919) % distinct) as i32 * if distinct.is_multiple_of(2) { 1 } else { 100_003 }
    };
    let mut columns: Vec<ArrayRef> = JS_HEAP_NODES
        .columns
        .iter()
        .map(|column| match column.ty {
            Type::Int32 => int32((0..10_000).map(number)),
            Type::Int64 => int64((0..10_000).map(|row| i64::from(number(row)))),
            _ => arrays::nulls(column.ty, 10_000),
        })
        .collect();
    let texts: ArrayRef =
        Arc::new((0..distinct).map(|i| Some(i.to_string())).collect::<StringArray>());
    columns[js_heap_nodes::POSITIONS.r#type] = cycling(10_000, texts.clone());
    columns[js_heap_nodes::POSITIONS.name] = cycling(10_000, texts);
    JS_HEAP_NODES.batch(columns)
}

/// Every number of distinct values around the widths of indices, and around where the dictionary is given up.
#[test]
fn dictionaries_of_every_width_come_back() {
    for distinct in [1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1249, 1250, 1251, 5000, 5001, 10_000] {
        check_both(&JS_HEAP_NODES, &[nodes(distinct)]);
    }
}

#[test]
fn dictionaries_are_given_up_where_differences_pay_more() {
    for (column, most) in [("self_size", 1250), ("trace_node_id", 5000)] {
        for (distinct, encoding) in
            [(most, Encoding::RLE_DICTIONARY), (most + 1, Encoding::DELTA_BINARY_PACKED)]
        {
            let file = write(&JS_HEAP_NODES, &[nodes(distinct)], WriteOptions::default());
            let (_, metadata) = read(&JS_HEAP_NODES, &file);
            let chunk = metadata.row_group(0).column(JS_HEAP_NODES.column(column).unwrap());
            let encodings: Vec<Encoding> = chunk.encodings().collect();
            assert!(encodings.contains(&encoding), "{column}, {distinct}: {encodings:?}");
        }
    }
}

/// More text than fits a dictionary page: the first rows by the dictionary, the others by themselves.
#[test]
fn dictionaries_that_overflow_come_back() {
    let long = |i: usize| char::from(b'a' + (i % 26) as u8).to_string().repeat(700_000 + i);
    let texts: Vec<String> = (0..30).map(long).collect();
    let short: ArrayRef = Arc::new(StringArray::from(vec!["x"; 30]));
    let views: ArrayRef = Arc::new(texts.iter().map(Some).collect::<StringViewArray>());
    let texts: ArrayRef = Arc::new(StringArray::from(texts));
    for nulls in [false, true] {
        for values in [&texts, &views] {
            let rows = 45;
            let keys = (0..rows).map(|row| (!nulls || row % 3 != 1).then_some(row % 30));
            let mut columns: Vec<ArrayRef> = JS_HEAP_EDGES
                .columns
                .iter()
                .map(|c| match c.nullable {
                    true => arrays::nulls(c.ty, rows as usize),
                    false if c.ty == Type::Int32 => arrays::constant_i32(Some(1), rows as usize),
                    false => int64(0..i64::from(rows)),
                })
                .collect();
            columns[js_heap_edges::POSITIONS.r#type] = cycling(rows as usize, short.clone());
            columns[js_heap_edges::POSITIONS.name] = arrays::keyed(keys.collect(), values.clone());
            let batch = [JS_HEAP_EDGES.batch(columns)];
            check_both(&JS_HEAP_EDGES, &batch);
        }
    }
    // A text that no dictionary takes, at the start and alone.
    let huge: ArrayRef = Arc::new(StringArray::from(vec!["h".repeat(17 << 20), "s".to_owned()]));
    check_both(&JS_HEAP_STRING, &[strings(cycling(5, huge.clone()))]);
    check_both(&JS_HEAP_STRING, &[strings(huge.slice(0, 1))]);
    check_both(&JS_HEAP_STRING, &[strings(arrays::runs(vec![3], huge.slice(0, 1)))]);
}

#[test]
fn many_pages_of_text_come_back() {
    let texts = (0..40_000).map(|i| Some("text ".repeat(i % 50)));
    check_both(&JS_HEAP_STRING, &[strings(Arc::new(texts.clone().collect::<StringArray>()))]);
    check_both(&JS_HEAP_STRING, &[strings(Arc::new(texts.collect::<StringViewArray>()))]);
}

#[test]
fn statistics_of_text_are_exact_or_absent() {
    for length in [64, 65] {
        let texts = StringArray::from(vec!["b".repeat(length), "a".to_owned()]);
        check_both(&JS_HEAP_STRING, &[strings(Arc::new(texts))]);
    }
}

#[test]
fn a_null_where_none_may_stand_is_an_error() {
    let null: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>]));
    // A run of null passes the checks of record batches.
    let batch = strings(arrays::runs(vec![2], null));
    let error = Encoder::new(&options(0)).encode(&JS_HEAP_STRING, &batch).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Value { .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "cannot write a value (js_heap_string.string): null in a non-nullable column"
    );
}
