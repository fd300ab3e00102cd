//! What Rust has for heap snapshots, and serde_json for profiles. `peers sonic-rs|serde_json|v8-heap-parser FILE`

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

/// `.cpuprofile`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CpuProfile<'a> {
    #[serde(borrow)]
    nodes: Vec<CpuNode<'a>>,
    samples: Vec<u64>,
    time_deltas: Vec<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "that they are read is what takes the time")]
struct CpuNode<'a> {
    id: u64,
    #[serde(borrow)]
    call_frame: Frame<'a>,
    #[serde(default)]
    hit_count: u64,
    #[serde(default)]
    children: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "that they are read is what takes the time")]
struct Frame<'a> {
    #[serde(borrow)]
    function_name: Cow<'a, str>,
    #[serde(borrow)]
    script_id: Cow<'a, str>,
    #[serde(borrow)]
    url: Cow<'a, str>,
    line_number: i64,
    column_number: i64,
}

/// `.heapprofile`.
#[derive(Deserialize)]
struct HeapProfile<'a> {
    #[serde(borrow)]
    head: HeapNode<'a>,
    samples: Vec<HeapSample>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "that they are read is what takes the time")]
struct HeapNode<'a> {
    #[serde(borrow)]
    call_frame: Frame<'a>,
    self_size: u64,
    id: u64,
    #[serde(borrow)]
    children: Vec<HeapNode<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "that they are read is what takes the time")]
struct HeapSample {
    size: u64,
    node_id: u64,
    ordinal: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, library, path] = &args[..] else { return Err("usage: peers LIBRARY FILE".into()) };
    let file = File::open(path)?;
    match &library[..] {
        "v8-heap-parser" => retained_sizes(file),
        "sonic-rs" => parse(file, |bytes| Ok(sonic_rs::from_slice(bytes)?)),
        "serde_json" if path.ends_with(".cpuprofile") => {
            let bytes = map(&file)?;
            let CpuProfile { nodes, samples, time_deltas } = serde_json::from_slice(&bytes)?;
            println!("{} {} {}", nodes.len(), samples.len(), time_deltas.len());
            Ok(())
        }
        "serde_json" if path.ends_with(".heapprofile") => {
            let bytes = map(&file)?;
            let HeapProfile { head, samples } = serde_json::from_slice(&bytes)?;
            println!("{} {}", head.children.len(), samples.len());
            Ok(())
        }
        "serde_json" => parse(file, |bytes| Ok(serde_json::from_slice(bytes)?)),
        _ => Err("which library?".into()),
    }
}

fn map(file: &File) -> std::io::Result<memmap2::Mmap> {
    // SAFETY: nobody changes the file meanwhile.
    unsafe { memmap2::Mmap::map(file) }
}

/// Merely parses; nothing is written.
fn parse(
    file: File,
    library: impl for<'a> FnOnce(&'a [u8]) -> Result<Snapshot<'a>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let bytes = map(&file)?;
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
