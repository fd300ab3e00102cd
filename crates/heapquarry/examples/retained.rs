//! Prints the objects that retain the most memory, as DevTools counts it.
//!
//! `cargo run --release --example retained -- corpus/node24-numeric.heapsnapshot.gz`
use heapquarry::{Error, RunOptions, graph, load_heap};
use std::{cmp::Reverse, env};

fn main() -> Result<(), Error> {
    let path = env::args().nth(1).unwrap_or_else(|| "corpus/handmade/bun.heapsnapshot".into());
    let heap = load_heap(&path.into(), &RunOptions::default())?.heap;
    let analysis = graph::analyze(&heap, 4);

    let mut nodes: Vec<_> = heap.nodes().all().collect();
    nodes.sort_by_key(|&node| Reverse(analysis.retained_sizes.get(node.position())));
    for node in nodes.into_iter().take(10) {
        let retained = analysis.retained_sizes.get(node.position());
        let class = &analysis.classes.class(node).name;
        println!("{retained:>14} bytes  @{:<10} {class}", heap.nodes().id(node));
    }
    Ok(())
}
