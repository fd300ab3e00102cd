//! Reads a snapshot the plain way, with serde_json.

use heapquarry_graph::{
    Heap, HeapParts, Locations, NodeIndex, Packed, Place, ScopeRecords, StringIndex,
};
use serde_json::Value;
use std::{fs::File, io::Read, path::Path, sync::Arc};

/// The text of a snapshot, which may be packed.
pub(crate) fn text(path: &Path) -> Vec<u8> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = Vec::new();
    let read = if path.extension().is_some_and(|e| e == "gz") {
        flate2::read::MultiGzDecoder::new(file).read_to_end(&mut text)
    } else {
        { file }.read_to_end(&mut text)
    };
    read.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text
}

/// The heap of a V8 snapshot.
pub(crate) fn heap(path: &Path) -> Heap {
    let json: Value = serde_json::from_slice(&text(path)).unwrap();
    let meta = &json["snapshot"]["meta"];
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(|v| v.as_str().unwrap().into()).collect()
    };
    let numbers = |value: &Value| -> Vec<u64> {
        let numbers = value.as_array().into_iter().flatten();
        numbers.map(|v| v.as_u64().unwrap()).collect()
    };
    let fields = texts(&meta["node_fields"]);
    let nodes = numbers(&json["nodes"]);
    let edges = numbers(&json["edges"]);
    let width = fields.len();
    let column = |name: &str| -> Option<Vec<u64>> {
        let at = fields.iter().position(|field| field == name)?;
        Some(nodes.iter().skip(at).step_by(width).copied().collect())
    };
    let edge = |at: usize| edges.iter().skip(at).step_by(3).copied();
    let mut starts = vec![0];
    for count in column("edge_count").unwrap() {
        starts.push(starts.last().unwrap() + count);
    }
    let edge_type_names = texts(&meta["edge_types"][0]);
    let is_numbered = |name: &String| name == "element" || name == "hidden";
    let locations = numbers(&json["locations"]);
    let location_fields = texts(&meta["location_fields"]);
    Heap::new(
        HeapParts {
            node_type_names: texts(&meta["node_types"][0]),
            numbered: edge_type_names.iter().map(is_numbered).collect(),
            edge_type_names,
            node_types: column("type").unwrap().iter().map(|&t| t as u8).collect(),
            node_names: column("name").unwrap().iter().map(|&n| StringIndex(n as u32)).collect(),
            node_ids: column("id").unwrap().into_iter().collect(),
            self_sizes: column("self_size").unwrap().into_iter().collect(),
            native_sizes: column("native_size").map(|c| c.into_iter().collect::<Packed>()),
            detachedness: column("detachedness").map(|c| c.iter().map(|&d| d as u8).collect()),
            edge_starts: starts.into_iter().collect(),
            edge_types: edge(0).map(|t| t as u8).collect(),
            edge_names: edge(1).map(|n| n as u32).collect(),
            edge_targets: edge(2).map(|t| NodeIndex((t / width as u64) as u32)).collect(),
            root: NodeIndex(
                json["snapshot"]["root_index"].as_u64().unwrap_or(0) as u32 / width as u32,
            ),
            extra_native_bytes: json["snapshot"]["extra_native_bytes"].as_u64().unwrap_or(0),
            places: locations
                .chunks_exact(location_fields.len().max(1))
                .map(|record| {
                    let field = |name| {
                        record[location_fields.iter().position(|field| field == name).unwrap()]
                    };
                    let node = NodeIndex((field("object_index") / width as u64) as u32);
                    let [script_id, line, column] =
                        ["script_id", "line", "column"].map(|name| field(name) as i32);
                    (node, Place { script_id, line, column })
                })
                .collect::<Locations>()
                .by_node(nodes.len() / width),
            scopes: ScopeRecords::default(),
            strings: Arc::new(texts(&json["strings"])),
            dominators: None,
        },
        2,
    )
}
