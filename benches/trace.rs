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
    Error, Reader,
    ftrace::Ftrace,
    read_tasks,
    trace::{Options, Trace},
};
use heapquarry_timeline::{Events, analyze, schedule};

const STEPS: u64 = 5_000;

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
    let collecting = Options { collect: true, ..Options::default() };
    let mut group = criterion.benchmark_group("trace/json");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| decode(Trace::new(&text, 0, Options::default())).finish());
    });
    group.bench_function("decode and collect", |bencher| {
        bencher.iter(|| decode(Trace::new(&text, 0, collecting)).take_events());
    });
    let events = decode(Trace::new(&text, 0, collecting)).take_events().expect("they are kept");
    group.bench_function("analyze", |bencher| {
        bencher.iter_batched(|| events.clone(), analyze, BatchSize::LargeInput);
    });
}

fn ftrace(criterion: &mut Criterion) {
    let text = trace::ftrace(STEPS);
    let collecting = Options { collect: true, ..Options::default() };
    let mut group = criterion.benchmark_group("trace/ftrace");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| decode(Ftrace::new(&text, 0, Options::default())).finish());
    });
    group.bench_function("decode and collect", |bencher| {
        bencher.iter(|| decode(Ftrace::new(&text, 0, collecting)).take_system());
    });
    let mut events = Events::default();
    let system = decode(Ftrace::new(&text, 0, collecting)).take_system().expect("it is kept");
    let scheduled = system.join(&mut events);
    let runnable: Vec<_> = ["R", "R+"].map(|state| events.strings().find(state)).into();
    group.bench_function("schedule", |bencher| {
        let schedule = |scheduled| schedule(scheduled, |state| runnable.contains(&Some(state)));
        bencher.iter_batched(|| scheduled.clone(), schedule, BatchSize::LargeInput);
    });
}

criterion_group!(benches, json, ftrace);
criterion_main!(benches);
