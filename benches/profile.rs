//! Profiles, seeded: bytes to record batches with one thread.
//!
//! ```text
//! cargo bench --bench profile                     everything
//! cargo bench --bench profile -- cpu              some
//! cargo bench --bench profile -- --test           only whether it runs
//! ```

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heapquarry_benches::profile;
use heapquarry_formats::{ByteOffset, Error, ReadOptions, cpu_profile, heap_profile, read_all};
use heapquarry_tables::FileId;

const NODES: u64 = 20_000;

/// Stamps out the benchmark of a reader.
macro_rules! decode {
    ($name:ident, $text:path, $reader:path) => {
        fn $name(criterion: &mut Criterion) {
            let json = $text(NODES);
            let mut group = criterion.benchmark_group("profile");
            group.throughput(Throughput::Bytes(json.len() as u64));
            group.bench_function(stringify!($name), |bencher| {
                bencher.iter(|| {
                    let reader = $reader(
                        &json,
                        ByteOffset::START,
                        FileId(0),
                        "bench",
                        &ReadOptions::default(),
                    );
                    read_all(reader.expect("a string can be read"), |_, batch| {
                        drop(black_box(batch));
                        Ok::<_, Error>(())
                    })
                });
            });
        }
    };
}

decode!(cpu, profile::cpu, cpu_profile::CpuProfile::new);
decode!(heap, profile::heap, heap_profile::HeapProfile::new);

criterion_group!(benches, cpu, heap);
criterion_main!(benches);
