//! A real heap snapshot of `corpus/`: bytes to record batches with one thread, and to a directory of Parquet files. A
//! large one that is made for it: its batches, pulled by one thread and decoded by one or two; its conversion, and what
//! no conversion can do without: reading the file once, and compressing the pages that come out.
//!
//! ```text
//! cargo bench --bench heap                        everything
//! cargo bench --bench heap -- decode/text         some
//! cargo bench --bench heap -- batches             of 244 MB; HEAPQUARRY_BENCH_NODES=23000000: of 1.4 GB
//! cargo bench --bench heap -- limit               the same, converted, beside reading and compressing alone
//! cargo bench --bench heap -- --test              only whether it runs
//! ```

use std::{
    fs::{self, File},
    hint::black_box,
    io::{BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heapquarry::{BatchOptions, ConvertOptions, Names, RunOptions, batches, convert};
use heapquarry_benches::{corpus, snapshot};
use heapquarry_formats::{Error, ReadOptions, heap::Snapshot, read_all};
use heapquarry_tables::FileId;
use parquet::file::reader::{FileReader, SerializedFileReader};
use zstd::bulk::Compressor;

const SNAPSHOT: &str = "node24-numeric.heapsnapshot";
const MODES: [(&str, Names); 2] = [("id", Names::Id), ("text", Names::Text)];
const THREADS: [usize; 2] = [1, 2];

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

/// Writes a large snapshot into `folder`; a small one if the benchmarks are only tried.
fn large(folder: &Path) -> PathBuf {
    // Only whether it runs.
    let is_test = std::env::args().any(|arg| arg == "--test");
    let wanted = std::env::var("HEAPQUARRY_BENCH_NODES").ok();
    let wanted = wanted.map_or(4_000_000, |nodes| nodes.parse().expect("a number of nodes"));
    let nodes = if is_test { 10_000 } else { wanted };
    let path = folder.join("large.heapsnapshot");
    let mut file = BufWriter::new(File::create(&path).expect("room for the input"));
    snapshot::write(nodes, &mut file).and_then(|()| file.flush()).expect("room for the input");
    path
}

fn pulled(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let input = large(scratch.path());
    let bytes = input.metadata().expect("it is there").len();
    let mut group = criterion.benchmark_group("batches");
    group.throughput(Throughput::Bytes(bytes)).sample_size(10);
    for threads in THREADS {
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

/// How far a conversion is from its limit: its input is read once, its pages are compressed once.
fn limit(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let input = large(scratch.path());
    let bytes = input.metadata().expect("it is there").len();
    let mut group = criterion.benchmark_group("limit");
    group.throughput(Throughput::Bytes(bytes)).sample_size(10);
    for (name, names) in MODES {
        let output = scratch.path().join(name);
        for threads in THREADS {
            let run = RunOptions::default().threads(threads);
            let options = ConvertOptions::default().names(names).force(true).run(run);
            group.bench_function(BenchmarkId::new(format!("convert/{name}"), threads), |bencher| {
                bencher.iter(|| convert(&[&*input], &output, &options).expect("a sound snapshot"));
            });
            if !output.exists() {
                // The filter has left the conversion out.
                convert(&[&*input], &output, &options).expect("a sound snapshot");
            }
            let pages = pages(&output);
            group.bench_function(BenchmarkId::new(format!("alone/{name}"), threads), |bencher| {
                bencher.iter(|| read_and_compress(&input, &pages, threads));
            });
        }
    }
}

/// The pages of all tables in a directory, as they are before compression.
fn pages(directory: &Path) -> Vec<Bytes> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("a directory").path();
        if path.extension().is_none_or(|extension| extension != "parquet") {
            continue;
        }
        let file = File::open(path).expect("a table");
        let table = SerializedFileReader::new(file).expect("a table");
        for group in 0..table.num_row_groups() {
            let group = table.get_row_group(group).expect("a row group");
            for column in 0..group.num_columns() {
                let column = group.get_column_page_reader(column).expect("a column");
                pages.extend(column.map(|page| page.expect("a page").buffer().clone()));
            }
        }
    }
    pages
}

/// Reads the file in blocks and compresses each page with zstd's level 1, on that many threads. Returns the compressed
/// bytes.
fn read_and_compress(input: &Path, pages: &[Bytes], threads: usize) -> usize {
    let file = Mutex::new(File::open(input).expect("the input"));
    let next = AtomicUsize::new(0);
    let compressed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut block = vec![0; 1 << 20];
                while file.lock().expect("no panic").read(&mut block).expect("the input") > 0 {
                    black_box(&mut block);
                }
                let mut zstd = Compressor::new(1).expect("a level of zstd");
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let length = zstd.compress(page).expect("memory").len();
                    compressed.fetch_add(length, Ordering::Relaxed);
                }
            });
        }
    });
    compressed.into_inner()
}

criterion_group!(benches, decode, end_to_end, pulled, limit);
criterion_main!(benches);
