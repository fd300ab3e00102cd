//! Reads a snapshot as Arrow record batches, without writing files, and counts rows.
//!
//! `cargo run --release --example batches -- corpus/node24-numeric.heapsnapshot.gz`
use heapquarry::{BatchOptions, Error, batches};
use std::collections::BTreeMap;

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "corpus/handmade/bun.heapsnapshot".into());
    let mut rows = BTreeMap::new();
    let documents = batches(path, BatchOptions::default(), |table, batch| {
        *rows.entry(table.name).or_insert(0) += batch.num_rows();
        Ok::<_, Error>(())
    })?;
    for (table, rows) in rows {
        println!("{table:28} {rows:>12} rows");
    }
    for (status, log) in documents {
        println!("{}, {} rows of import_log", status.name(), log.len());
    }
    Ok(())
}
