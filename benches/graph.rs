//! The algorithms of heap analysis, one by one, on generated heaps: trees of objects with maps that all share, chains,
//! and links across, as heaps of programs have them.
//!
//! ```text
//! cargo bench --bench graph                       everything
//! cargo bench --bench graph -- dominators         some
//! cargo bench --bench graph -- --test             only whether it runs
//! ```

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heapquarry::graph::{
    EdgeType, Heap, HeapBuilder, NodeIndex, Retainers, analyze, classify, distances, dominators,
    duplicate_strings, interfaces, owners, page_owned, retained_sizes, shallow_sizes,
};

/// Numbers that only look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

/// A heap of about that many nodes, four edges for each.
fn heap(nodes: u32) -> Heap {
    let mut builder = HeapBuilder::new();
    let mut numbers = Numbers(42);
    let root = builder.node("synthetic", "", 0);
    let global = builder.node("object", "global", 100);
    builder.edge(root, EdgeType::Shortcut, "1", global);
    let maps: Vec<NodeIndex> =
        (0..50).map(|_| builder.node("object shape", "system / Map", 40)).collect();
    maps.iter().for_each(|&map| builder.edge(root, EdgeType::Element, "2", map));
    let names = ["Object", "Object", "Node", "Array", "Buffer", "Object"];
    let mut last = global;
    while last.0 < nodes {
        let object = builder.node("object", names[last.position() % names.len()], 24);
        let storage = builder.node("array", "", 64);
        let text = builder.node("string", ["one", "two", "three"][last.position() % 3], 32);
        // Mostly near, sometimes anywhere.
        let near = NodeIndex(last.0 - numbers.below(last.0.min(1000)));
        let holder = if last.0.is_multiple_of(7) { last } else { near.max(global) };
        builder.edge(
            holder,
            EdgeType::Property,
            ["left", "right", "next"][object.position() % 3],
            object,
        );
        builder.edge(object, EdgeType::Internal, "map", maps[object.position() % maps.len()]);
        builder.edge(object, EdgeType::Internal, "elements", storage);
        builder.edge(object, EdgeType::Property, "text", text);
        builder.edge(storage, EdgeType::Element, "0", near.max(global));
        builder.edge(storage, EdgeType::Weak, "cache", text);
        builder.edge(text, EdgeType::Internal, "map", maps[0]);
        let parent = NodeIndex(numbers.below(last.0)).max(global);
        builder.edge(object, EdgeType::Property, "parent", parent);
        last = object;
    }
    builder.build()
}

fn algorithms(criterion: &mut Criterion) {
    let heap = heap(200_000);
    let mut group = criterion.benchmark_group("graph");
    group.throughput(Throughput::Elements(heap.edges().len() as u64)).sample_size(20);
    let tree = dominators(&heap);
    let sizes = shallow_sizes(&heap);
    let found = interfaces(&heap, 1);
    group.bench_function("page_owned", |b| b.iter(|| page_owned(black_box(&heap))));
    group.bench_function("distances", |b| b.iter(|| distances(black_box(&heap))));
    group.bench_function("owners", |b| b.iter(|| owners(black_box(&heap)).count()));
    group.bench_function("dominators", |b| b.iter(|| dominators(black_box(&heap))));
    group.bench_function("retained_sizes", |b| b.iter(|| retained_sizes(black_box(&tree), &sizes)));
    group.bench_function("retainers", |b| b.iter(|| Retainers::new(black_box(&heap))));
    group.bench_function("interfaces", |b| b.iter(|| interfaces(black_box(&heap), 1)));
    group.bench_function("classify", |b| b.iter(|| classify(black_box(&heap), &[], &found, 1)));
    group.bench_function("duplicate_strings", |b| {
        b.iter(|| duplicate_strings(black_box(&heap), &sizes));
    });
    for threads in [1, 2] {
        group.bench_function(format!("analyze/{threads}"), |b| {
            b.iter(|| analyze(black_box(&heap), threads));
        });
    }
}

criterion_group!(benches, algorithms);
criterion_main!(benches);
