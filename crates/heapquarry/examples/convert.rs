//! Converts a file to Parquet tables, with a progress line.
//!
//! `cargo run --release --example convert -- corpus/node24-numeric.heapsnapshot.gz app.tables`
use heapquarry::{ConvertOptions, Error, Progress, RunOptions, convert};
use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Counts the bytes that were read.
#[derive(Default)]
struct Counter(AtomicU64);

impl Progress for Counter {
    fn advance(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

fn main() -> Result<(), Error> {
    let mut args = env::args().skip(1);
    let input = args.next().unwrap_or_else(|| "corpus/handmade/bun.heapsnapshot".into());
    let output = args.next().unwrap_or_else(|| "example.tables".into());

    let read = Arc::new(Counter::default());
    let run = RunOptions::default().progress(read.clone());
    let options = ConvertOptions::default().force(true).analyze(true).run(run);
    let converted = convert(&[input], output, &options)?;

    for table in &converted.tables {
        println!("{:40} {:>10} rows", table.file, table.rows);
    }
    println!("{} bytes read", read.0.load(Ordering::Relaxed));
    Ok(())
}
