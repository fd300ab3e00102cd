//! A real heap snapshot of `corpus/`: bytes to record batches with one thread, and to a directory of Parquet files.
//!
//! ```text
//! cargo bench --bench heap                        everything
//! cargo bench --bench heap -- decode/text         some
//! cargo bench --bench heap -- --test              only whether it runs
//! ```

use std::{hint::black_box, path::Path};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heapquarry::{ConvertOptions, Names, convert};
use heapquarry_benches::corpus;
use heapquarry_formats::{Error, ReadOptions, heap::Snapshot, read_all};
use heapquarry_tables::FileId;

const SNAPSHOT: &str = "node24-numeric.heapsnapshot";
const MODES: [(&str, Names); 2] = [("id", Names::Id), ("text", Names::Text)];

fn decode(criterion: &mut Criterion) {
    let json = corpus::unpacked(SNAPSHOT);
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Bytes(json.len() as u64));
    for (name, names) in MODES {
        let options = ReadOptions::default().names(names);
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                let snapshot =
                    Snapshot::new(&json, FileId(0), "bench", &options).expect("a snapshot");
                read_all(snapshot, |_, batch| {
                    drop(black_box(batch));
                    Ok::<_, Error>(())
                })
                .expect("a sound snapshot")
            });
        });
    }
}

fn end_to_end(criterion: &mut Criterion) {
    let json = corpus::unpacked(SNAPSHOT);
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let input = scratch.path().join("bench.heapsnapshot");
    let output = scratch.path().join("bench.tables");
    std::fs::write(&input, &json).expect("room for the input");
    let inputs: [&Path; 1] = [&input];
    let mut group = criterion.benchmark_group("convert");
    group.throughput(Throughput::Bytes(json.len() as u64)).sample_size(20);
    for (name, names) in MODES {
        let options = ConvertOptions::default().names(names).force(true);
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| convert(&inputs, &output, &options).expect("a sound snapshot"));
        });
    }
}

criterion_group!(benches, decode, end_to_end);
criterion_main!(benches);
