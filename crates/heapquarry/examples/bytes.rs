//! Reads a snapshot from memory and counts the rows of each table.
//!
//! `cargo run --release --example bytes -- corpus/handmade/bun.heapsnapshot`
use heapquarry::{BatchOptions, Source, batches};
use std::{collections::BTreeMap, env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).unwrap_or_else(|| "corpus/handmade/bun.heapsnapshot".into());
    let bytes = fs::read(&path)?;

    let mut rows = BTreeMap::new();
    let mut batches = batches(&[Source::bytes(path, bytes)], &BatchOptions::default())?;
    for batch in &mut batches {
        let (table, batch) = batch?;
        *rows.entry(table.name).or_insert(0) += batch.num_rows();
    }
    for (table, rows) in rows {
        println!("{table:28} {rows:>12} rows");
    }
    for document in batches.documents() {
        println!("{}: {}, {}", document.name, document.format, document.status.name());
    }
    Ok(())
}
