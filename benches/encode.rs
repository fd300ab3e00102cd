//! The column encoders of `heapquarry-sink`: rows a second of each kind, first without compression, then with
//! that of the command.
//!
//! ```text
//! cargo bench -p heapquarry-benches --bench encode                        everything
//! cargo bench -p heapquarry-benches --bench encode -- encode/references   some
//! cargo bench -p heapquarry-benches --bench encode -- --test              only whether it runs
//! ```

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heapquarry_benches::columns;
use heapquarry_sink::{Compression, Encoder, WriteOptions};
use std::{hint::black_box, time::Duration};

fn encode(criterion: &mut Criterion) {
    for (name, compression) in
        [("encode", Compression::None), ("encode_zstd", Compression::default())]
    {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(columns::ROWS as u64));
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
        for input in columns::all() {
            let options = WriteOptions { compression, encodings: input.encodings };
            let (mut encoder, batch) = (Encoder::new(&options), input.batch());
            group.bench_function(input.name, |bencher| {
                bencher.iter(|| encoder.encode(input.table, black_box(&batch)).expect("sound"));
            });
        }
    }
}

criterion_group!(benches, encode);
criterion_main!(benches);
