//! The scanners of `heapquarry-scan`, each kernel that this machine has, on bytes like those of a
//! heap snapshot.
//!
//! ```text
//! cargo bench -p heapquarry-benches --bench scan                      everything
//! cargo bench -p heapquarry-benches --bench scan -- integers/edges    some
//! cargo bench -p heapquarry-benches --bench scan -- --test            only whether it runs
//! ```

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heapquarry_benches::tokens::{calls, edges, message, nodes, objects, plain, read, strings};
use heapquarry_scan::{ScanStop, Skipped, bench::Kernel, unescape};

/// Runs `run` with every kernel in a group.
fn group<R>(
    criterion: &mut Criterion,
    name: &str,
    bytes: &[u8],
    mut run: impl FnMut(Kernel, &[u8]) -> R,
) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for kernel in Kernel::available() {
        group.bench_function(kernel.name(), |bencher| {
            bencher.iter(|| run(kernel, black_box(bytes)));
        });
    }
    group.finish();
}

fn count(criterion: &mut Criterion) {
    let edges = edges();
    group(criterion, "count_commas", &edges, |kernel, bytes| kernel.count_commas(bytes));
    let commas = heapquarry_scan::count_commas(&edges).commas;
    group(criterion, "after_comma", &edges, |kernel, bytes| kernel.after_comma(bytes, commas));
}

/// Text out of a string in pieces, as messages carry heaps.
fn unescaper(criterion: &mut Criterion) {
    let mut text = Vec::new();
    group(criterion, "unescaper", &message(), |kernel, bytes| {
        text.clear();
        kernel.unescaper().feed(bytes, &mut text)
    });
}

fn nesting(criterion: &mut Criterion) {
    group(criterion, "nesting", &calls(), |kernel, bytes| kernel.scan_nesting(bytes, 0, u64::MAX));
}

fn integers(criterion: &mut Criterion) {
    let inputs = [
        ("nodes", nodes()),
        ("edges", edges()),
        ("3-9_digits", plain(3, 9)),
        ("10_digits", plain(10, 10)),
        ("1_digit", plain(1, 1)),
        ("20_digits", plain(20, 20).iter().map(|&b| if b == b',' { b } else { b'1' }).collect()),
    ];
    for (name, bytes) in inputs {
        group(criterion, &format!("integers/{name}"), &bytes, |kernel, bytes| match name {
            "10_digits" | "20_digits" => read::<u64>(kernel, bytes),
            _ => read::<u32>(kernel, bytes),
        });
    }
}

fn skip(criterion: &mut Criterion) {
    let mut digits = b"[".to_vec();
    digits.extend(edges());
    digits.extend(b"0]");
    let mut text = b"[".to_vec();
    text.extend(strings(10));
    for (name, bytes) in [("digits", digits), ("strings", text), ("objects", objects())] {
        group(criterion, &format!("skip/{name}"), &bytes, |kernel, bytes| {
            assert_eq!(kernel.skipper().feed(bytes), Skipped::Done(bytes.len()));
        });
    }
}

fn text(criterion: &mut Criterion) {
    for percent in [0, 10, 100] {
        let bytes = strings(percent);
        let mut spans = Vec::new();
        group(criterion, &format!("strings/{percent}%_escaped"), &bytes, |kernel, bytes| {
            spans.clear();
            let stop = kernel.string_scanner(0).scan(bytes, usize::MAX, &mut spans);
            assert_eq!(stop, ScanStop::Close(bytes.len() - 1));
            spans.len()
        });
    }
    let bytes = strings(100);
    let (mut spans, mut out) = (Vec::new(), Vec::new());
    heapquarry_scan::StringScanner::new(0).scan(&bytes, usize::MAX, &mut spans);
    let mut group = criterion.benchmark_group("unescape");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.bench_function("100%_escaped", |bencher| {
        bencher.iter(|| {
            out.clear();
            for span in &spans {
                unescape(black_box(&bytes[span.start as usize..span.end as usize]), &mut out);
            }
            out.len()
        });
    });
    group.finish();
    // A snapshot as messages carry it: its quotes and line breaks are escapes.
    let mut out = Vec::new();
    for (name, bytes) in [("nodes", nodes()), ("strings", strings(10))] {
        let bytes = String::from_utf8(bytes).expect("it is text");
        let bytes = format!("{bytes:?}").into_bytes();
        self::group(criterion, &format!("unescaper/{name}"), &bytes[1..], |kernel, bytes| {
            out.clear();
            assert_eq!(kernel.unescaper().feed(bytes, &mut out), Some(bytes.len()));
        });
    }
}

criterion_group!(benches, count, nesting, unescaper, integers, skip, text);
criterion_main!(benches);
