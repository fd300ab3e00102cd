//! What Rust has for heap snapshots. `peers sonic-rs|serde_json|v8-heap-parser FILE`

use serde::Deserialize;
use std::{
    borrow::Cow,
    error::Error,
    fs::File,
    io::{BufReader, Read},
};

/// Integers to `Vec<u32>`, strings borrowed where they can be.
#[derive(Deserialize)]
struct Snapshot<'a> {
    nodes: Vec<u32>,
    edges: Vec<u32>,
    #[serde(default)]
    locations: Vec<u32>,
    #[serde(borrow)]
    strings: Vec<Cow<'a, str>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, library, file] = &args[..] else { return Err("usage: peers LIBRARY FILE".into()) };
    let file = File::open(file)?;
    match &library[..] {
        "v8-heap-parser" => retained_sizes(file),
        "sonic-rs" => parse(file, |bytes| Ok(sonic_rs::from_slice(bytes)?)),
        "serde_json" => parse(file, |bytes| Ok(serde_json::from_slice(bytes)?)),
        _ => Err("which library?".into()),
    }
}

/// Merely parses; nothing is written.
fn parse(
    file: File,
    library: impl for<'a> FnOnce(&'a [u8]) -> Result<Snapshot<'a>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    // SAFETY: nobody changes the file meanwhile.
    let bytes = unsafe { memmap2::Mmap::map(&file)? };
    let Snapshot { nodes, edges, locations, strings } = library(&bytes)?;
    println!("{} {} {} {}", nodes.len(), edges.len(), locations.len(), strings.len());
    Ok(())
}

/// Decodes and computes retained sizes, which it does for all nodes when it is asked for one.
fn retained_sizes(file: File) -> Result<(), Box<dyn Error>> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let graph = v8_heap_parser::decode_reader(reader.by_ref())?;
    println!("{} {}", graph.nodes().len(), graph.retained_size(graph.root_index));
    // Freeing it takes seconds.
    std::process::exit(0)
}
