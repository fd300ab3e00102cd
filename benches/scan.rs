//! The scanners of `heapquarry-scan`, each kernel that this machine has, on bytes like those of a
//! heap snapshot.
//!
//! ```text
//! cargo bench -p heapquarry-benches --bench scan                      everything
//! cargo bench -p heapquarry-benches --bench scan -- integers/edges    some
//! cargo bench -p heapquarry-benches --bench scan -- --test            only whether it runs
//! ```

use std::{fmt::Write, hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heapquarry_scan::{Number, ScanStop, Skipped, Stop, bench::Kernel, unescape};

/// Bytes of each input: more than a first cache holds, like the buffer of a claim.
const SIZE: usize = 1 << 20;

/// xorshift64*: the same input in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A number with `least` to `most` digits, each length as likely as another.
    fn digits(&mut self, least: u32, most: u32) -> u64 {
        let digits = least + self.below(u64::from(most - least + 1)) as u32;
        let low = 10u64.pow(digits - 1);
        // Not all numbers of twenty digits fit.
        low + self.below(low.saturating_mul(9).min(u64::MAX - low))
    }
}

/// Records of seven fields, each on its line with the comma on the next, as V8 writes them.
fn nodes() -> Vec<u8> {
    let mut random = Random(1);
    let mut text = String::new();
    for id in (1..).step_by(2) {
        if text.len() >= SIZE {
            break;
        }
        let (kind, name) = (random.below(14), random.digits(1, 6));
        let (size, edges) = (random.digits(2, 4), random.below(30));
        let _ = write!(text, "{kind},{name},{},{size},{edges},0,0\n,", 1_000_000 + id);
    }
    text.into_bytes()
}

/// Records of three fields: the last is the position of a node.
fn edges() -> Vec<u8> {
    let mut random = Random(2);
    let mut text = String::new();
    while text.len() < SIZE {
        let (kind, name) = (random.below(7), random.digits(1, 5));
        let _ = write!(text, "{kind},{name},{}\n,", random.digits(5, 8));
    }
    text.into_bytes()
}

/// Numbers of `least` to `most` digits and nothing else.
fn plain(least: u32, most: u32) -> Vec<u8> {
    let mut random = Random(3);
    let mut text = String::new();
    while text.len() < SIZE {
        let _ = write!(text, "{},", random.digits(least, most));
    }
    text.into_bytes()
}

/// Strings of 10 to 50 letters, some with escapes, and the end of the array.
fn strings(percent_escaped: u64) -> Vec<u8> {
    let mut random = Random(4);
    let mut text = String::from("\"<dummy>\"");
    while text.len() < SIZE {
        text.push_str(",\n\"");
        for _ in 0..10 + random.below(41) {
            text.push(char::from(b'a' + random.below(26) as u8));
        }
        if random.below(100) < percent_escaped {
            text.push_str("\\n\\\"x\\\" \\u00e9");
        }
        text.push('"');
    }
    text.push(']');
    text.into_bytes()
}

/// Small objects with strings, like a trace.
fn objects() -> Vec<u8> {
    let mut random = Random(5);
    let mut text = String::from("[");
    while text.len() < SIZE {
        let (pid, ts) = (random.digits(1, 5), random.digits(9, 12));
        let _ =
            write!(text, r#"{{"name":"Task \"{pid}\"","ph":"X","ts":{ts},"args":{{"a":[1,2]}}}},"#);
    }
    text.push_str("0]");
    text.into_bytes()
}

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

/// As decoders do it: a piece at a time, which stays in the first cache.
fn read<T: Number>(kernel: Kernel, bytes: &[u8]) -> usize {
    let mut out = [T::default(); 4096];
    let (mut read, mut numbers) = (0, 0);
    loop {
        let tokens = kernel.read_integers(&bytes[read..], &mut out);
        read += tokens.read;
        numbers += tokens.numbers;
        match tokens.stop {
            Stop::End => return numbers,
            Stop::Full => {}
            Stop::Odd => panic!("an odd value at {read}"),
        }
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
}

criterion_group!(benches, count, integers, skip, text);
criterion_main!(benches);
