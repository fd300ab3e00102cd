//! Pairs of files for other readers: random batches as this crate writes them, and as the parquet crate does.
//!
//! Not in every test run: `cargo xtask readers` makes them and has all readers compare them.

mod common;

use arrow_array::RecordBatch;
use common::{Random, write};
use heapquarry_sink::{Compression, Encodings, WriteOptions};
use heapquarry_tables::{JS_HEAP_EDGES, JS_HEAP_NODES, Table, all};
use parquet::arrow::ArrowWriter;
use std::{fs, path::PathBuf};

/// Tables of which there is a pair with more than one page: what is encoded in a way of its own has its most pages
/// here, and readers take minutes for more such.
const LARGE: [&Table; 2] = [&JS_HEAP_NODES, &JS_HEAP_EDGES];
const COMPRESSION: [Compression; 4] =
    [Compression::Zstd(1), Compression::Snappy, Compression::Lz4, Compression::None];

#[test]
#[ignore = "writes files for other readers"]
fn write_pairs() {
    let dir = PathBuf::from(std::env::var_os("PAIRS").expect("PAIRS names a directory"));
    for (encodings, sizes) in
        [(Encodings::Universal, &[1, 300, 3000][..]), (Encodings::Modern, &[3000])]
    {
        let dir = dir.join(encodings.to_string());
        fs::create_dir_all(&dir).unwrap();
        for (i, table) in all().enumerate() {
            let large = LARGE.iter().any(|large| large.name == table.name).then_some(140_000);
            for (j, rows) in sizes.iter().copied().chain(large).enumerate() {
                let mut random = Random((i * 10 + j) as u64);
                let compression = COMPRESSION[(i + j) % COMPRESSION.len()];
                let options = WriteOptions { compression, encodings };
                let batches: Vec<RecordBatch> = (0..2).map(|_| random.batch(table, rows)).collect();
                let path = dir.join(format!("{}.{rows}", table.name));
                fs::write(
                    path.with_extension(format!("{rows}.ours")),
                    write(table, &batches, options),
                )
                .unwrap();
                let file = fs::File::create(path.with_extension(format!("{rows}.theirs"))).unwrap();
                let mut writer = ArrowWriter::try_new(file, table.schema(), None).unwrap();
                for batch in &batches {
                    writer.write(&table.expand(batch).unwrap()).unwrap();
                    writer.flush().unwrap();
                }
                writer.close().unwrap();
            }
        }
    }
}
