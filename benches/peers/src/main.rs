//! Merely parses a heap snapshot with a JSON library of Rust: integers to `Vec<u32>`, strings borrowed where they can
//! be, nothing written. `peers sonic-rs|serde_json FILE`

use serde::Deserialize;
use std::{borrow::Cow, fs::File};

#[derive(Deserialize)]
struct Snapshot<'a> {
    nodes: Vec<u32>,
    edges: Vec<u32>,
    #[serde(default)]
    locations: Vec<u32>,
    #[serde(borrow)]
    strings: Vec<Cow<'a, str>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, library, file] = &args[..] else { return Err("usage: peers LIBRARY FILE".into()) };
    let file = File::open(file)?;
    // SAFETY: nobody changes the file meanwhile.
    let bytes = unsafe { memmap2::Mmap::map(&file)? };
    let snapshot: Snapshot = match &library[..] {
        "sonic-rs" => sonic_rs::from_slice(&bytes)?,
        "serde_json" => serde_json::from_slice(&bytes)?,
        _ => return Err("which library?".into()),
    };
    let Snapshot { nodes, edges, locations, strings } = snapshot;
    println!("{} {} {} {}", nodes.len(), edges.len(), locations.len(), strings.len());
    Ok(())
}
