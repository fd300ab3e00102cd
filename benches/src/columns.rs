//! Batches in which one column matters, in the forms that decoders give it; the others cost next to nothing.

use crate::random::Random;
use arrow_array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use heapquarry_sink::Encodings;
use heapquarry_tables::{JS_HEAP_EDGES, JS_HEAP_NODES, JS_HEAP_STRING, Table, Type, arrays};
use std::sync::Arc;

/// Rows of each batch: those of a row group.
pub const ROWS: usize = 128 << 10;

/// What one encoder is given.
#[derive(Clone, Copy)]
pub struct Input {
    /// What its column is like.
    pub name: &'static str,
    /// The table of the batch.
    pub table: &'static Table,
    /// The encodings that it is about.
    pub encodings: Encodings,
    columns: fn() -> Columns,
}

/// Columns by name.
type Columns = Vec<(&'static str, ArrayRef)>;

/// One input for each kind of encoder.
pub fn all() -> Vec<Input> {
    use Encodings::{Modern, Universal};
    let (nodes, edges, string) = (&JS_HEAP_NODES, &JS_HEAP_EDGES, &JS_HEAP_STRING);
    let inputs: [(_, _, _, fn() -> Columns); _] = [
        ("constants", nodes, Universal, Vec::new),
        ("sequence", nodes, Universal, || vec![("node_index", sequence())]),
        ("ascending", nodes, Universal, || vec![("id", ids())]),
        ("labels", nodes, Universal, || vec![("type", types())]),
        ("numbers", nodes, Universal, || vec![("self_size", sizes())]),
        ("numbers_few", nodes, Universal, || vec![("edge_count", counts())]),
        ("numbers_distinct", nodes, Universal, || vec![("self_size", anywhere())]),
        ("numbers_nulls", nodes, Universal, || vec![("trace_node_id", half_null())]),
        ("runs", edges, Universal, || vec![("from_node_id", owners())]),
        ("references", edges, Universal, || vec![("to_node_id", anywhere())]),
        ("references_modern", edges, Modern, || vec![("to_node_id", anywhere())]),
        ("names", edges, Universal, || vec![("name", names())]),
        ("names_and_numbers", nodes, Universal, names_and_numbers),
        ("texts", string, Universal, || vec![("string", strings())]),
        ("texts_modern", string, Modern, || vec![("string", strings())]),
    ];
    let input = |(name, table, encodings, columns)| Input { name, table, encodings, columns };
    inputs.into_iter().map(input).collect()
}

impl Input {
    /// [`ROWS`] rows: the column among such as cost next to nothing.
    pub fn batch(&self) -> RecordBatch {
        let mut given = (self.columns)();
        let columns = self.table.columns.iter().map(|column| {
            match given.iter().position(|(name, _)| *name == column.name) {
                Some(at) => given.swap_remove(at).1,
                None if column.nullable => arrays::nulls(column.ty, ROWS),
                None => constant(column.ty),
            }
        });
        let batch = self.table.batch(columns.collect());
        assert!(given.is_empty(), "{} has not all columns of {}", self.table.name, self.name);
        batch
    }
}

fn constant(ty: Type) -> ArrayRef {
    let value: ArrayRef = match ty {
        Type::Int32 => Arc::new(Int32Array::from(vec![0])),
        Type::Int64 => Arc::new(Int64Array::from(vec![0])),
        Type::Float64 => Arc::new(Float64Array::from(vec![0.0])),
        Type::Timestamp => arrays::timestamps([Some(0)]),
        Type::Text | Type::Label => Arc::new(StringArray::from(vec![""])),
    };
    arrays::runs(vec![ROWS as i32], value)
}

fn sequence() -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(0..ROWS as i64))
}

fn u32s(value: impl FnMut(usize) -> u32) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values((0..ROWS).map(value)))
}

fn i32s(value: impl FnMut(usize) -> i32) -> Int32Array {
    Int32Array::from_iter_values((0..ROWS).map(value))
}

/// Odd numbers with gaps.
fn ids() -> ArrayRef {
    let mut random = Random(1);
    let mut id = 1;
    u32s(|_| {
        id += 2 * (1 + random.below(100) / 90 * random.below(20)) as u32;
        id
    })
}

fn types() -> ArrayRef {
    let mut random = Random(2);
    let keys = i32s(|_| random.skewed(15) as i32);
    let types = StringArray::from_iter_values((0..15).map(|i| format!("type {i}")));
    arrays::keyed(keys, Arc::new(types))
}

fn sizes() -> ArrayRef {
    let mut random = Random(3);
    u32s(|_| 8 * random.skewed(4000) as u32)
}

fn counts() -> ArrayRef {
    let mut random = Random(4);
    Arc::new(i32s(|_| random.skewed(30) as i32))
}

fn anywhere() -> ArrayRef {
    let mut random = Random(5);
    u32s(|_| random.below(100_000_000) as u32)
}

fn half_null() -> ArrayRef {
    let mut random = Random(6);
    let row = |_| (random.below(2) == 0).then(|| random.skewed(4000) as i32);
    Arc::new((0..ROWS).map(row).collect::<Int32Array>())
}

/// Ascending numbers in runs of four on the average.
fn owners() -> ArrayRef {
    let mut random = Random(7);
    let (mut ends, mut owners) = (Vec::new(), Vec::new());
    let (mut end, mut owner) = (0, 1);
    while end < ROWS as i32 {
        end = (end + 1 + random.below(7) as i32).min(ROWS as i32);
        owner += 2;
        ends.push(end);
        owners.push(owner);
    }
    arrays::runs(ends, Arc::new(Int64Array::from(owners)))
}

/// Numbers of strings.
fn numbers() -> Int32Array {
    let mut random = Random(8);
    i32s(|_| random.skewed(100_000) as i32)
}

fn names() -> ArrayRef {
    arrays::keyed(numbers(), strings())
}

/// In the same memory.
fn names_and_numbers() -> Columns {
    let numbers = numbers();
    vec![("name", arrays::keyed(numbers.clone(), strings())), ("name_id", Arc::new(numbers))]
}

/// Texts of 3 to 30 letters.
fn strings() -> ArrayRef {
    let mut random = Random(9);
    Arc::new(StringArray::from_iter_values((0..ROWS).map(|_| random.word(3, 30))))
}
