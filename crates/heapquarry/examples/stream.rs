//! Streams one table as an Arrow IPC stream to standard output, decoded on all cores, without writing files.
//!
//! ```text
//! cargo run --release --example stream -- app.heapsnapshot js_heap_nodes id self_size | python3 -c '
//! import sys, duckdb, pyarrow.ipc
//! nodes = pyarrow.ipc.open_stream(sys.stdin.buffer)
//! print(duckdb.sql("SELECT count(*), sum(self_size) FROM nodes"))'
//! ```
//!
//! `reader` is an `arrow_array::RecordBatchReader`: what DataFusion, DuckDB and the Arrow C stream interface take.
use heapquarry::{BatchOptions, arrow_array::RecordBatchReader, reader};
use std::{
    env,
    error::Error,
    io::{self, Write},
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let input = args.next().unwrap_or_else(|| "corpus/handmade/bun.heapsnapshot".into());
    let table = args.next().unwrap_or_else(|| "js_heap_nodes".into());
    let columns = args.map(|column| format!("{table}.{column}")).collect();

    let batches = reader(&[input], &table, &BatchOptions::default().columns(columns))?;
    let out = io::BufWriter::new(io::stdout().lock());
    let mut stream = arrow_ipc::writer::StreamWriter::try_new(out, &batches.schema())?;
    for batch in batches {
        stream.write(&batch?)?;
    }
    stream.into_inner()?.flush()?;
    Ok(())
}
