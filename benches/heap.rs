//! A real heap snapshot of `corpus/`: bytes to record batches with one thread, and to a directory of Parquet files. A
//! large one that is made for it: its batches, pulled by one thread and decoded by one or two.
//!
//! ```text
//! cargo bench --bench heap                        everything
//! cargo bench --bench heap -- decode/text         some
//! cargo bench --bench heap -- batches             of 244 MB; HEAPQUARRY_BENCH_NODES=23000000: of 1.4 GB
//! cargo bench --bench heap -- --test              only whether it runs
//! ```

use std::{
    fs::File,
    hint::black_box,
    io::{BufWriter, Write},
    path::Path,
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heapquarry::{BatchOptions, ConvertOptions, Names, RunOptions, batches, convert};
use heapquarry_benches::{corpus, snapshot};
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

fn pulled(criterion: &mut Criterion) {
    // Only whether it runs.
    let is_test = std::env::args().any(|arg| arg == "--test");
    let wanted = std::env::var("HEAPQUARRY_BENCH_NODES").ok();
    let wanted = wanted.map_or(4_000_000, |nodes| nodes.parse().expect("a number of nodes"));
    let nodes = if is_test { 10_000 } else { wanted };
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let input = scratch.path().join("large.heapsnapshot");
    let mut file = BufWriter::new(File::create(&input).expect("room for the input"));
    snapshot::write(nodes, &mut file).and_then(|()| file.flush()).expect("room for the input");
    let bytes = input.metadata().expect("it is there").len();
    let mut group = criterion.benchmark_group("batches");
    group.throughput(Throughput::Bytes(bytes)).sample_size(10);
    for threads in [1, 2] {
        let run = RunOptions::default().threads(threads);
        let options = BatchOptions::default().names(Names::Id).run(run);
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            bencher.iter(|| {
                let batches = batches(&[&*input], &options).expect("a sound snapshot");
                batches.map(|batch| batch.expect("a sound snapshot").1.num_rows()).sum::<usize>()
            });
        });
    }
}

criterion_group!(benches, decode, end_to_end, pulled);
criterion_main!(benches);
