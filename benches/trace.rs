//! Traces, seeded: bytes to record batches with one thread, and what their events mean.
//!
//! ```text
//! cargo bench --bench trace                       everything
//! cargo bench --bench trace -- json               some
//! cargo bench --bench trace -- --test             only whether it runs
//! ```

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use heapquarry_benches::trace;
use heapquarry_formats::{
    ByteOffset, Error, Finished, Gather, Gathered, ReadOptions, Reader, TraceParts, ftrace::Ftrace,
    read_tasks, trace::Trace,
};
use heapquarry_tables::{FileId, JS_CPU_PROFILER_TABLES, MEMORY_TABLES, Projection};
use heapquarry_timeline::{analyze, schedule};

const STEPS: u64 = 5_000;

/// Events and nothing else.
fn plain() -> ReadOptions {
    let others = [&JS_CPU_PROFILER_TABLES[..], &MEMORY_TABLES].concat();
    ReadOptions::default().projection(Projection::all().without(&others))
}

fn gathered(finished: Finished) -> TraceParts {
    match finished.gathered {
        Some(Gathered::Trace(parts)) => *parts,
        _ => panic!("it was asked for"),
    }
}

fn decode<R: Reader>(reader: Result<R, Error>) -> R {
    let mut reader = reader.expect("a string can be read");
    let read = read_tasks(&mut reader, |_, batch| {
        drop(black_box(batch));
        Ok::<_, Error>(())
    });
    read.expect("a string can be read");
    reader
}

fn json(criterion: &mut Criterion) {
    let text = trace::kineto(STEPS);
    let collecting = plain().gather(Gather::Always);
    let mut group = criterion.benchmark_group("trace/json");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| decode(Trace::new(&text, ByteOffset::START, FileId(0), &plain())).finish());
    });
    group.bench_function("decode and collect", |bencher| {
        bencher
            .iter(|| decode(Trace::new(&text, ByteOffset::START, FileId(0), &collecting)).finish());
    });
    let events =
        gathered(decode(Trace::new(&text, ByteOffset::START, FileId(0), &collecting)).finish())
            .events;
    group.bench_function("analyze", |bencher| {
        bencher.iter_batched(|| events.clone(), |events| analyze(events, 1), BatchSize::LargeInput);
    });
}

fn ftrace(criterion: &mut Criterion) {
    let text = trace::ftrace(STEPS);
    let collecting = plain().gather(Gather::Always);
    let mut group = criterion.benchmark_group("trace/ftrace");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| decode(Ftrace::new(&text, FileId(0), &plain())).finish());
    });
    group.bench_function("decode and collect", |bencher| {
        bencher.iter(|| decode(Ftrace::new(&text, FileId(0), &collecting)).finish());
    });
    let TraceParts { events, scheduled } =
        gathered(decode(Ftrace::new(&text, FileId(0), &collecting)).finish());
    let runnable: Vec<_> = ["R", "R+"].map(|state| events.strings().find(state)).into();
    group.bench_function("schedule", |bencher| {
        let schedule = |scheduled| schedule(scheduled, |state| runnable.contains(&Some(state)));
        bencher.iter_batched(|| scheduled.clone(), schedule, BatchSize::LargeInput);
    });
}

criterion_group!(benches, json, ftrace);
criterion_main!(benches);
