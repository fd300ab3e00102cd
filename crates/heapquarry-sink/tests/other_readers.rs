//! Pairs of files for other readers: random batches as this crate writes them, and as the parquet crate does.
//!
//! Not in every test run: `cargo xtask readers` makes them and has all readers compare them.

mod common;

use arrow_array::RecordBatch;
use common::{Random, write};
use heapquarry_sink::{Compression, Encodings, WriteOptions};
use heapquarry_tables::all;
use parquet::arrow::ArrowWriter;
use std::{fs, path::PathBuf};

#[test]
#[ignore = "writes files for other readers"]
fn write_pairs() {
    let dir = PathBuf::from(std::env::var_os("PAIRS").expect("PAIRS names a directory"));
    for (encodings, seeds) in [(Encodings::Universal, 0..12u64), (Encodings::Modern, 12..16)] {
        let dir = dir.join(encodings.to_string());
        fs::create_dir_all(&dir).unwrap();
        for seed in seeds.clone() {
            let mut random = Random(seed);
            let compression =
                [Compression::Zstd(1), Compression::Snappy, Compression::Lz4, Compression::None];
            let options = WriteOptions { compression: compression[seed as usize % 4], encodings };
            // The last of each fills more than a page: readers take minutes for many such.
            let rows =
                if seeds.end - 1 == seed { 140_000 } else { [1, 300, 3000][seed as usize % 3] };
            for table in all() {
                let batches: Vec<RecordBatch> = (0..2).map(|_| random.batch(table, rows)).collect();
                let path = dir.join(format!("{seed}.{}", table.name));
                fs::write(
                    path.with_extension(format!("{}.ours", table.name)),
                    write(table, &batches, options),
                )
                .unwrap();
                let file = fs::File::create(path.with_extension(format!("{}.theirs", table.name)))
                    .unwrap();
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
