//! Reads a file as Arrow record batches, without writing files, and counts rows.
//!
//! `cargo run --release --example batches -- corpus/node24-numeric.heapsnapshot.gz`
use heapquarry::{BatchOptions, Error, batches};
use std::collections::BTreeMap;

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "corpus/handmade/bun.heapsnapshot".into());
    let mut rows = BTreeMap::new();
    let mut batches = batches(&[path], &BatchOptions::default())?;
    for batch in &mut batches {
        let (table, batch) = batch?;
        *rows.entry(table.name).or_insert(0) += batch.num_rows();
    }
    for (table, rows) in rows {
        println!("{table:28} {rows:>12} rows");
    }
    for document in batches.documents() {
        println!("{}: {}", document.name, document.status.name());
    }
    Ok(())
}
