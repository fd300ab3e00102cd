//! What each column of a real heap snapshot costs to encode: nanoseconds a row and bytes.
//!
//! `cargo run --release --example encode_speed -- FILE.heapsnapshot [COMPRESSION] [ENCODINGS] [ROWS]`
//!
//! It reads snapshots of V8 as Node 18 to 22 write them, with a scanner that is good for nothing else, and takes
//! the first [`BATCHES`] batches of each table.

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use heapquarry_sink::{Encoder, WriteOptions};
use heapquarry_tables::{
    Column, JS_HEAP_EDGES, JS_HEAP_NODES, JS_HEAP_STRING, Table, Type, arrays,
};
use std::{
    sync::{Arc, LazyLock},
    time::Instant,
};

/// Most batches of a table.
const BATCHES: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = std::fs::read(args.next().ok_or("which file?")?)?;
    let mut options = WriteOptions::default();
    if let Some(compression) = args.next() {
        options.compression = compression.parse()?;
    }
    if let Some(encodings) = args.next() {
        options.encodings = encodings.parse()?;
    }
    let rows = args.next().map_or(Ok(128 << 10), |rows| rows.parse())?;

    let nodes = Fields::<6>::read(&file, b"\"nodes\":[");
    let edges = Fields::<3>::read(&file, b"\"edges\":[");
    let strings: ArrayRef = Arc::new(texts(&file));
    println!("{} nodes, {} edges, {} strings", nodes.len, edges.len, strings.len());

    let node_types: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..15).map(|i| format!("type {i}"))));
    let edge_types: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..7).map(|i| format!("type {i}"))));
    let [kind, name, id, size, count, detached] = &nodes.columns;
    let batches = (0..nodes.len).step_by(rows).map(|start| {
        let rows = start..nodes.len.min(start + rows);
        let (i32s, i64s) = (|v: &[i32]| i32s(&v[rows.clone()]), |v: &[i32]| i64s(&v[rows.clone()]));
        let names = Int32Array::from(name[rows.clone()].to_vec());
        JS_HEAP_NODES.batch(vec![
            arrays::constant_i32(Some(0), rows.len()),
            Arc::new(Int64Array::from_iter_values(rows.start as i64..rows.end as i64)),
            arrays::keyed(kind[rows.clone()].to_vec().into(), node_types.clone()),
            arrays::keyed(names.clone(), strings.clone()),
            Arc::new(names),
            i64s(id),
            i64s(size),
            i32s(count),
            arrays::nulls(Type::Int32, rows.len()),
            i32s(detached),
            arrays::nulls(Type::Int64, rows.len()),
        ])
    });
    measure(&JS_HEAP_NODES, batches.take(BATCHES).collect(), &options)?;

    let [kind, number, to] = &edges.columns;
    let mut owner = 0;
    let mut rest = count[0];
    let batches = (0..edges.len).step_by(rows).map(|start| {
        let rows = start..edges.len.min(start + rows);
        let named = |row: usize| kind[row] != 1 && kind[row] != 4;
        let names = rows.clone().map(|row| named(row).then_some(number[row]));
        let (mut ends, mut owners) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < rows.len() {
            if rest == 0 {
                owner += 1;
                rest = count[owner];
                continue;
            }
            let run = rest.min((rows.len() - at) as i32);
            at += run as usize;
            rest -= run;
            ends.push(at as i32);
            owners.push(i64::from(id[owner]));
        }
        JS_HEAP_EDGES.batch(vec![
            arrays::constant_i32(Some(0), rows.len()),
            Arc::new(Int64Array::from_iter_values(rows.start as i64..rows.end as i64)),
            arrays::keyed(kind[rows.clone()].to_vec().into(), edge_types.clone()),
            arrays::keyed(names.collect::<Int32Array>(), strings.clone()),
            i64s(&number[rows.clone()]),
            arrays::runs(ends, Arc::new(Int64Array::from(owners))),
            Arc::new(Int64Array::from_iter_values(
                to[rows.clone()].iter().map(|&to| i64::from(id[to as usize / 6])),
            )),
        ])
    });
    measure(&JS_HEAP_EDGES, batches.take(BATCHES).collect(), &options)?;

    let batches = (0..strings.len()).step_by(rows).map(|start| {
        let rows = start..strings.len().min(start + rows);
        JS_HEAP_STRING.batch(vec![
            arrays::constant_i32(Some(0), rows.len()),
            Arc::new(Int32Array::from_iter_values(rows.start as i32..rows.end as i32)),
            strings.slice(rows.start, rows.len()),
        ])
    });
    measure(&JS_HEAP_STRING, batches.take(BATCHES).collect(), &options)
}

/// Times each column alone, among columns that cost nothing, and then all of them.
fn measure(
    table: &'static Table,
    batches: Vec<RecordBatch>,
    options: &WriteOptions,
) -> Result<(), Box<dyn std::error::Error>> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let time = |batches: &[RecordBatch]| {
        let mut encoder = Encoder::new(options);
        let (start, mut runs) = (cpu_seconds(), 0);
        // Long enough for a clock that ticks.
        loop {
            let groups =
                batches.iter().map(|batch| encoder.encode(table, batch).map(|g| g.bytes()));
            let bytes = groups.sum::<Result<usize, heapquarry_sink::Error>>()?;
            runs += 1;
            let seconds = cpu_seconds() - start;
            if seconds > 0.5 {
                return Ok::<_, heapquarry_sink::Error>((seconds / f64::from(runs), bytes));
            }
        }
    };
    let report = |name: &str, (seconds, bytes): (f64, usize)| {
        println!(
            "{:32} {seconds:7.3} s {:7.2} ns/row {:9.3} MB",
            format!("{}.{name}", table.name),
            seconds * 1e9 / rows as f64,
            bytes as f64 / 1e6
        );
    };
    let free = |column: &Column, rows: usize| match column.nullable {
        true => arrays::nulls(column.ty, rows),
        false => match column.ty {
            Type::Int32 => arrays::constant_i32(Some(0), rows),
            Type::Int64 => arrays::runs(vec![rows as i32], Arc::new(Int64Array::from(vec![0]))),
            _ => arrays::runs(vec![rows as i32], Arc::new(StringArray::from(vec![""]))),
        },
    };
    let only = std::env::var("COLUMN").ok();
    for (i, column) in table.columns.iter().enumerate() {
        if only.as_ref().is_some_and(|only| *only != format!("{}.{}", table.name, column.name)) {
            continue;
        }
        let alone: Vec<RecordBatch> = batches
            .iter()
            .map(|batch| {
                let columns = table.columns.iter().enumerate();
                let columns = columns.map(|(j, column)| match i == j {
                    true => batch.column(j).clone(),
                    false => free(column, batch.num_rows()),
                });
                table.batch(columns.collect())
            })
            .collect();
        report(column.name, time(&alone)?);
    }
    if only.is_some() {
        return Ok(());
    }
    report("*", time(&batches)?);
    Ok(())
}

/// Time that this thread was running, where Linux tells; else just the time.
fn cpu_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.and_then(|s| s.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| n / 1e9)
}

/// The numbers of a section by field.
struct Fields<const N: usize> {
    len: usize,
    columns: [Vec<i32>; N],
}

impl<const N: usize> Fields<N> {
    fn read(file: &[u8], start: &[u8]) -> Self {
        let mut columns = [const { Vec::new() }; N];
        let (mut field, mut number, mut digits) = (0, 0, false);
        for &byte in &file[find(file, start)..] {
            if byte.is_ascii_digit() {
                number = number * 10 + i32::from(byte - b'0');
                digits = true;
            } else if digits {
                columns[field].push(number);
                field = (field + 1) % N;
                (number, digits) = (0, false);
            }
            if byte == b']' {
                break;
            }
        }
        Fields { len: columns[0].len(), columns }
    }
}

/// The strings, escapes left as they are.
fn texts(file: &[u8]) -> StringArray {
    let mut texts = arrow_array::builder::StringBuilder::new();
    let mut rest = &file[find(file, b"\"strings\":[")..];
    while let Some(start) =
        rest.iter().position(|&b| b == b'"' || b == b']').filter(|&i| rest[i] == b'"')
    {
        let mut end = start + 1;
        while rest[end] != b'"' {
            end += if rest[end] == b'\\' { 2 } else { 1 };
        }
        texts.append_value(String::from_utf8_lossy(&rest[start + 1..end]));
        rest = &rest[end + 1..];
    }
    texts.finish()
}

fn find(file: &[u8], start: &[u8]) -> usize {
    let at =
        |from: usize| file[from..].windows(start.len()).position(|w| w == start).map(|i| from + i);
    // The strings come last; what stands in them is no section.
    at(0).expect("a section") + start.len()
}

fn i32s(values: &[i32]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn i64s(values: &[i32]) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.iter().map(|&v| i64::from(v))))
}
