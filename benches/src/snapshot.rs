//! Heap snapshots of any size, like those of Node 24.

use crate::random::Random;
use std::io::{Result, Write};

const HEADER: &str = r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","detachedness"],"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic","concatenated string","sliced string","symbol","bigint","object shape"],"string","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],"trace_node_fields":["id","function_info_index","count","size","children"],"sample_fields":["timestamp_us","last_assigned_id"],"location_fields":["object_index","script_id","line","column"]}"#;

/// Fields of a node.
const FIELDS: u64 = 6;
/// Nodes for each string.
const NODES_PER_STRING: u64 = 20;

/// Writes a snapshot of that many nodes and about four times as many edges: some 75 bytes a node.
///
/// # Errors
/// Those of `out`.
pub fn write(nodes: u64, out: &mut impl Write) -> Result<()> {
    let mut random = Random(nodes + 1);
    // The same numbers twice: first how many edges each node has, then the edges.
    let counts: Vec<u8> = (0..nodes).map(|_| random.skewed(20) as u8).collect();
    let edges: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let strings = nodes / NODES_PER_STRING + 1;
    let header = format!("{HEADER},\"node_count\":{nodes},\"edge_count\":{edges}");
    write!(out, "{header},\"trace_function_count\":0,\"extra_native_bytes\":0}},\n\"nodes\":[")?;
    for (node, count) in counts.iter().enumerate() {
        let (kind, name) = (random.skewed(15), random.skewed(strings));
        let (id, size) = (2 * node + 1, 4 * random.skewed(500));
        let comma = if node > 0 { "," } else { "" };
        write!(out, "{comma}{kind},{name},{id},{size},{count},0")?;
    }
    write!(out, "],\n\"edges\":[")?;
    let mut comma = "";
    for (node, &count) in counts.iter().enumerate() {
        for index in 0..count {
            let kind = random.skewed(7);
            let name = if kind == 1 { u64::from(index) } else { random.skewed(strings) };
            // Most are close by.
            let distance = random.skewed(nodes);
            let to = (node as u64 + distance) % nodes * FIELDS;
            write!(out, "{comma}{kind},{name},{to}")?;
            comma = ",";
        }
    }
    write!(
        out,
        "],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":["
    )?;
    for node in (0..nodes).step_by(20) {
        let comma = if node > 0 { "," } else { "" };
        let (line, column) = (random.below(3000), random.below(100));
        write!(out, "{comma}{},{},{line},{column}", node * FIELDS, 1 + random.below(200))?;
    }
    write!(out, "],\n\"strings\":[")?;
    for string in 0..strings {
        let comma = if string > 0 { ",\n" } else { "" };
        write!(out, "{comma}\"{}\"", random.word(3, 30))?;
    }
    write!(out, "]}}")
}
